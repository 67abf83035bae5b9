/*
 * The configuration file: profiles and their keys.
 *
 *     # a comment is a line of its own
 *     [profile staging]
 *     key = value up to the end of the line
 *
 * Strict: what is not understood is an error, because a key that is misspelled and passed over
 * would connect somebody to something else than the file says.
 */
#ifndef TG_TERMINAL_CONFIG_FILE_H
#define TG_TERMINAL_CONFIG_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include <tickglass/err.h>

#include "complaints.h"

#define CONFIG_PROFILE_SIZE 33   /* of a name, with its terminator */
#define CONFIG_LINE_MAX     4096 /* bytes */

typedef struct config_file config_file;

typedef struct config_entry {
    char profile[CONFIG_PROFILE_SIZE];
    char *key;
    char *value; /* never empty; without blanks around it */
    unsigned line;
} config_entry;

/*
 * keys ends with NULL: those that a profile may have. wrong gets a line for each mistake, which
 * names file, line and key. TG_ERR_IO: the file cannot be read (wrong says why); TG_ERR_SYNTAX:
 * there were mistakes, and *out has what was understood; TG_ERR_NO_MEMORY. Thread: owner. Blocks:
 * on the disk. Owner of *out: the caller.
 */
TG_MUST_CHECK tg_err config_file_open(const char *path, const char *const *keys, config_file **out,
                                      complaints *wrong);
/* NULL is allowed. Thread: owner. */
void config_file_close(config_file *file);

/* In the order of the file, over all profiles. Thread: owner. */
size_t config_file_count(const config_file *file);
const config_entry *config_file_entry(const config_file *file, size_t index);

/* Thread: owner. */
bool config_file_has_profile(const config_file *file, const char *name);

/* 1 to 32 letters, digits, "-" and "_": it becomes part of a file's name, too. Thread: any. */
bool config_profile_name_is_valid(const char *name);

#endif
