/* Where a user's own files of the terminal are. */
#ifndef TG_TERMINAL_USER_FOLDER_H
#define TG_TERMINAL_USER_FOLDER_H

#include <stddef.h>

#include <tickglass/err.h>

#define USER_PATH_SIZE 1024

/*
 * name in $XDG_CONFIG_HOME/tickglass, or in $HOME/.config/tickglass where that variable is not set
 * or no absolute path. TG_ERR_NOT_FOUND: neither is set; TG_ERR_BUFFER_TOO_SMALL. Nothing is made.
 * Thread: any, while nobody changes the environment.
 */
TG_MUST_CHECK tg_err user_folder_path(const char *name, char path[USER_PATH_SIZE]);

#endif
