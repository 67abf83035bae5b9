/* Tokens and passwords: one line of a file each, wiped after use. */
#ifndef TG_TERMINAL_SECRET_H
#define TG_TERMINAL_SECRET_H

#include <stddef.h>

#include <tickglass/err.h>

#define SECRET_SIZE 8194 /* the longest token, one character too many, and the terminator */

/* Overwrites it, even where the compiler sees that nobody reads it again. Thread: any. */
void secret_wipe(void *secret, size_t size);

/*
 * The first line of the file without blanks around it. why names the file and never holds what is
 * in it. TG_ERR_IO: it cannot be read; TG_ERR_SYNTAX: nothing stands there, or too much. Thread:
 * any. Blocks: on the disk. Owner of the secret: the caller, who wipes it.
 */
TG_MUST_CHECK tg_err secret_read(const char *path, char secret[SECRET_SIZE], char *why,
                                 size_t why_size);

/* Takes blanks and line ends off both ends, in place. Returns what is left of the size. */
size_t secret_trim(char *secret);

#endif
