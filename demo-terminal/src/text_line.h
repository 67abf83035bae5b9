/* A line that somebody types: UTF-8, bounded; what does not fit is not taken. */
#ifndef TG_TERMINAL_TEXT_LINE_H
#define TG_TERMINAL_TEXT_LINE_H

#include <stdbool.h>
#include <stddef.h>

#define TEXT_LINE_SIZE 96 /* bytes with terminator */

/* Zeros: nothing was typed. */
typedef struct text_line {
    char text[TEXT_LINE_SIZE];
    size_t length;
} text_line;

/* Adds UTF-8 text as a whole or not at all. False: it is not UTF-8, holds control characters or
 * has no room. Thread: owner, all of these. */
bool text_line_add(text_line *line, const char *text);

/* Takes the last character away, with what is written onto it. False: there is none. */
bool text_line_rub_out(text_line *line);

void text_line_clear(text_line *line);

#endif
