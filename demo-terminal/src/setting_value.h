/* What the value of a setting may be, and what of it may be shown. */
#ifndef TG_TERMINAL_SETTING_VALUE_H
#define TG_TERMINAL_SETTING_VALUE_H

#include <stdbool.h>
#include <stddef.h>

#include <tickglass/err.h>

#define SETTING_ENDPOINTS_MAX 8
#define SETTING_PINS_MAX      16
#define SETTING_SHOWN_SIZE    4096

typedef enum setting_kind {
    SETTING_KIND_ENDPOINTS, /* URLs, the preferred one first */
    SETTING_KIND_FILE,
    SETTING_KIND_COMMAND,
    SETTING_KIND_PROXY, /* "environment", "none" or a URL */
    SETTING_KIND_PINS,
    SETTING_KIND_SYMBOLS,
    SETTING_KIND_PALETTE,
    SETTING_KIND_SIZE,
    SETTING_KIND_FONT_SIZE,
    SETTING_KIND_RENDERER
} setting_kind;

/* False: why says what is expected, without the value. Thread: any. */
bool setting_value_check(setting_kind kind, const char *text, char *why, size_t why_size);

/* Without what may be secret: a proxy's user and password, a URL's query, the arguments of a
 * command. Thread: any. */
void setting_value_show(setting_kind kind, const char *text, char out[SETTING_SHOWN_SIZE]);

/* Digits only, lowest to highest. Thread: any. */
bool setting_read_number(const char *text, int lowest, int highest, int *out);

/* WIDTHxHEIGHT. Thread: any. */
bool setting_read_size(const char *text, int *width_px, int *height_px);

/* 6 to 96. Thread: any. */
bool setting_read_font_size(const char *text, int *font_size_px);

/* "surface" or "gpu". Thread: any. */
bool setting_read_renderer(const char *text, bool *gpu);

/*
 * The item at *at of a list that blanks and commas separate; moves *at behind it. False: there is
 * none. Thread: any.
 */
bool setting_next_item(const char **at, const char **item, size_t *size);

#endif
