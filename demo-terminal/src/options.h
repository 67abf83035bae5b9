/* The command line. */
#ifndef TG_TERMINAL_OPTIONS_H
#define TG_TERMINAL_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include <tickglass/err.h>

/* NULL and 0: not given. What a profile can say as well is put together in settings.h. */
typedef struct terminal_options {
    const char *profile;
    const char *config; /* NULL: the file in the user's folder */
    const char *url;    /* one or more */
    const char *ca_file;
    const char *client_cert_file;
    const char *client_key_file;
    const char *client_key_password_file;
    const char *spki_pins;
    const char *token_file;
    const char *token_command;
    const char *proxy;
    const char *symbols; /* "V:A,V:B", "@file" or "*" */
    const char *screenshot;
    const char *report;
    const char *record;
    const char *export_hlog;
    const char *check_tape;
    const char *palette;
    const char *font;
    const char *state; /* NULL: the file in the user's folder; with headless none */
    const char *size;
    const char *font_size;
    const char *renderer; /* "surface" or "gpu" */
    const char *script;
    const char *redraw; /* the record that a picture is drawn of, instead of running */
    const char *at;     /* of redraw: which, by its time; or pass; neither: the last one */
    const char *pass;
    int scale_percent; /* 0: the display's */
    int seconds;       /* 0: until it is closed; without a display 10 */
    bool text;         /* of redraw */
    bool headless;
    bool check_config;
    bool diagnose;
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
