/* The command line. */
#ifndef TG_TERMINAL_OPTIONS_H
#define TG_TERMINAL_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include <tickglass/err.h>

typedef struct terminal_options {
    const char *url;
    const char *ca_file;
    const char *token_file;
    const char *symbols; /* "V:A,V:B", "@file" or "*" */
    const char *screenshot;
    const char *report;
    const char *record;
    const char *check_tape;
    const char *palette; /* NULL: the default */
    const char *font;    /* NULL: the default */
    int width_px;
    int height_px;
    int font_size_px;
    int seconds; /* 0: until it is closed; without a display 10 */
    bool headless;
    bool help;
    bool version;
} terminal_options;

/*
 * Reads argv. TG_ERR_SYNTAX: why says what is wrong in one line. With help or version nothing else
 * is asked for. Owner of the strings: argv. Thread: any.
 */
TG_MUST_CHECK tg_err terminal_options_read(int argc, char *const argv[], terminal_options *out,
                                           char *why, size_t why_size);

/* What --help prints. Thread: any. */
const char *terminal_options_help(void);

#endif
