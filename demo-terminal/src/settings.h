/*
 * What is in effect, and where each value comes from: the command line before the profile of the
 * configuration file, that before what was saved at the end of the last run, that before the
 * default.
 */
#ifndef TG_TERMINAL_SETTINGS_H
#define TG_TERMINAL_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tickglass/err.h>

#include "complaints.h"
#include "options.h"
#include "setting_value.h"

typedef enum setting_id {
    SETTING_ENDPOINTS,
    SETTING_CA_FILE,
    SETTING_CLIENT_CERT_FILE,
    SETTING_CLIENT_KEY_FILE,
    SETTING_CLIENT_KEY_PASSWORD_FILE,
    SETTING_SPKI_PINS,
    SETTING_TOKEN_FILE,
    SETTING_TOKEN_COMMAND,
    SETTING_PROXY, /* after settings_open() "none" or a URL */
    SETTING_SYMBOLS,
    SETTING_PALETTE,
    SETTING_FONT,
    SETTING_FONT_SIZE,
    SETTING_SIZE,
    SETTING_RENDERER,
    SETTING_COUNT
} setting_id;

typedef struct settings settings;

/*
 * Reads the profile that options name, if they do. wrong gets everything that is wrong, over the
 * whole file. TG_ERR_SYNTAX: there was something; *out has what could be understood, to be shown.
 * TG_ERR_NO_MEMORY: *out is NULL. Thread: owner, while nobody changes the environment. Blocks: on
 * the disk.
 */
TG_MUST_CHECK tg_err settings_open(const terminal_options *options, settings **out,
                                   complaints *wrong);
/* NULL is allowed. Thread: owner. */
void settings_close(settings *settings);

/* NULL: there is none, and no default either. Thread: owner. */
const char *settings_text(const settings *settings, setting_id id);
/* "FILE:LINE", "command line, --url", "environment, https_proxy", "saved state", "default". */
const char *settings_origin(const settings *settings, setting_id id);

/* What was saved, where nobody asked for anything else. TG_ERR_NO_MEMORY. Thread: owner. */
TG_MUST_CHECK tg_err settings_take_saved(settings *settings, setting_id id, const char *text);

/* Counts endpoints and writes the one at index, without separators. False: there is none. */
bool settings_endpoint(const settings *settings, size_t index, char *url, size_t size);

/* NULL: none was named. */
const char *settings_profile(const settings *settings);
/* Of the profile; "": none was named. */
const char *settings_config_path(const settings *settings);
/* Where token_command runs: beside the file that names it; NULL: in the current folder. */
const char *settings_command_folder(const settings *settings);

/* The key in the configuration file. Thread: any. */
const char *settings_key(setting_id id);
setting_kind settings_kind(setting_id id);

/* Pixels; 0: the default. */
void settings_size(const settings *settings, int *width_px, int *height_px);
int settings_font_size(const settings *settings);
/* False: the window's surface. */
bool settings_wants_gpu(const settings *settings);

#endif
