/*
 * Input from a file instead of a person, for tests: one step a line, # starts a comment.
 *
 *     key Ctrl-Shift-C          Up Down Left Right PgUp PgDn Home End Enter Tab Esc Space
 *                               Backspace Delete F1 to F12, or a character; Ctrl-, Shift-, Alt-
 *     type btc                  the rest of the line
 *     click ROW COLUMN          a cell, from 0; double ROW COLUMN
 *     wheel ROW COLUMN ROWS     up, or down with a minus
 *     resize 1280x720
 *     wait rows N               so many rows have data
 *     wait text TEXT            the text stands in a row of the screen; wait no-text TEXT: nowhere
 *     screenshot FILE
 *     check                     drawing everything anew gives the picture that is there
 *     quit
 */
#ifndef TG_TERMINAL_SCRIPT_FILE_H
#define TG_TERMINAL_SCRIPT_FILE_H

#include <stddef.h>
#include <stdint.h>

#include <tickglass/err.h>
#include <tickglass/window.h>

#define SCRIPT_STEPS_MAX 4096
#define SCRIPT_TEXT_SIZE 256

typedef enum script_kind {
    SCRIPT_INPUT,
    SCRIPT_RESIZE,
    SCRIPT_WAIT_ROWS,
    SCRIPT_WAIT_TEXT,
    SCRIPT_WAIT_NO_TEXT,
    SCRIPT_SCREENSHOT,
    SCRIPT_CHECK,
    SCRIPT_QUIT
} script_kind;

typedef struct script_step {
    script_kind kind;
    unsigned line;
    tg_input input;
    int number[2];               /* width and height, or rows */
    char text[SCRIPT_TEXT_SIZE]; /* what is waited for, or a file */
} script_step;

typedef struct script_file {
    size_t count;
    script_step *step;
} script_file;

/*
 * Read as a whole or refused: TG_ERR_SYNTAX, why says FILE:LINE and what is wrong; TG_ERR_IO;
 * TG_ERR_NO_MEMORY. Thread: owner. Blocks: on the disk.
 */
TG_MUST_CHECK tg_err script_file_open(const char *path, script_file *out, char *why,
                                      size_t why_size);
/* Zeros are allowed. Thread: owner. */
void script_file_close(script_file *script);

#endif
