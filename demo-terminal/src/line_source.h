/* Lines of a text file, plain or compressed with xz. The only user of liblzma. */
#ifndef TG_TERMINAL_LINE_SOURCE_H
#define TG_TERMINAL_LINE_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include <tickglass/err.h>

#define LINE_SOURCE_LINE_SIZE 1024 /* the longest line with its terminator */

typedef struct line_source line_source;

/* TG_ERR_IO: the file cannot be opened (errno says why); TG_ERR_NO_MEMORY. Thread: owner. */
TG_MUST_CHECK tg_err line_source_open(const char *path, line_source **out);
/* NULL is allowed. Thread: owner. */
void line_source_close(line_source *source);

/*
 * The next line without its end, valid until the next call. TG_ERR_NOT_FOUND: there is none;
 * TG_ERR_IO: reading failed; TG_ERR_SYNTAX: the compressed data is damaged or ends too early, or a
 * line is too long. Thread: owner. Blocks: on the disk.
 */
TG_MUST_CHECK tg_err line_source_next(line_source *source, const char **line);

/* The number of the line given last, from 1. Thread: owner. */
uint64_t line_source_number(const line_source *source);

#endif
