#include "settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config_file.h"
#include "endpoint.h"
#include "proxy_environment.h"
#include "secret.h"
#include "user_folder.h"

#define ORIGIN_SIZE 1200
#define DEFAULT     "default"
#define PROXY_SIZE  1024

typedef struct setting {
    char *text;
    char origin[ORIGIN_SIZE];
} setting;

struct settings {
    setting values[SETTING_COUNT];
    char profile[CONFIG_PROFILE_SIZE];
    char config_path[USER_PATH_SIZE];
    char folder[USER_PATH_SIZE]; /* of the configuration file, with a slash behind it; "": here */
    char command_folder[USER_PATH_SIZE];
};

typedef struct setting_row {
    const char *key;
    const char *option;
    setting_kind kind;
    size_t option_offset; /* of the text in terminal_options */
    const char *usual;    /* the default; NULL: none */
} setting_row;

static const setting_row rows[SETTING_COUNT] = {
    [SETTING_ENDPOINTS] = {"endpoints", "--url", SETTING_KIND_ENDPOINTS,
                           offsetof(terminal_options, url), NULL},
    [SETTING_CA_FILE] = {"ca_file", "--ca", SETTING_KIND_FILE, offsetof(terminal_options, ca_file),
                         NULL},
    [SETTING_CLIENT_CERT_FILE] = {"client_cert_file", "--client-cert", SETTING_KIND_FILE,
                                  offsetof(terminal_options, client_cert_file), NULL},
    [SETTING_CLIENT_KEY_FILE] = {"client_key_file", "--client-key", SETTING_KIND_FILE,
                                 offsetof(terminal_options, client_key_file), NULL},
    [SETTING_CLIENT_KEY_PASSWORD_FILE] = {"client_key_password_file", "--client-key-password-file",
                                          SETTING_KIND_FILE,
                                          offsetof(terminal_options, client_key_password_file),
                                          NULL},
    [SETTING_SPKI_PINS] = {"spki_pins", "--spki-pins", SETTING_KIND_PINS,
                           offsetof(terminal_options, spki_pins), NULL},
    [SETTING_TOKEN_FILE] = {"token_file", "--token-file", SETTING_KIND_FILE,
                            offsetof(terminal_options, token_file), NULL},
    [SETTING_TOKEN_COMMAND] = {"token_command", "--token-command", SETTING_KIND_COMMAND,
                               offsetof(terminal_options, token_command), NULL},
    [SETTING_PROXY] = {"proxy", "--proxy", SETTING_KIND_PROXY, offsetof(terminal_options, proxy),
                       "environment"},
    [SETTING_SYMBOLS] = {"symbols", "--symbols", SETTING_KIND_SYMBOLS,
                         offsetof(terminal_options, symbols), "*"},
    [SETTING_PALETTE] = {"palette", "--palette", SETTING_KIND_PALETTE,
                         offsetof(terminal_options, palette), "blue-orange"},
    [SETTING_FONT] = {"font", "--font", SETTING_KIND_FILE, offsetof(terminal_options, font), NULL},
    [SETTING_FONT_SIZE] = {"font_size", "--font-size", SETTING_KIND_FONT_SIZE,
                           offsetof(terminal_options, font_size), "14"},
    [SETTING_SIZE] = {"size", "--size", SETTING_KIND_SIZE, offsetof(terminal_options, size),
                      "1280x800"},
    [SETTING_RENDERER] = {"renderer", "--renderer", SETTING_KIND_RENDERER,
                          offsetof(terminal_options, renderer), "surface"},
};

const char *settings_key(setting_id id)
{
    return rows[id].key;
}

setting_kind settings_kind(setting_id id)
{
    return rows[id].kind;
}

static tg_err set(settings *self, setting_id id, const char *text, const char *origin)
{
    char *copy = text != NULL ? strdup(text) : NULL;
    if (copy == NULL && text != NULL) {
        return TG_ERR_NO_MEMORY;
    }
    free(self->values[id].text);
    self->values[id].text = copy;
    (void)snprintf(self->values[id].origin, ORIGIN_SIZE, "%s", origin);
    return TG_OK;
}

/* One source of tokens: the later layer's replaces the other kind of the earlier layer, too. */
static tg_err replace(settings *self, setting_id id, const char *text, const char *origin)
{
    tg_err err = TG_OK;
    if (id == SETTING_TOKEN_FILE) {
        err = set(self, SETTING_TOKEN_COMMAND, NULL, DEFAULT);
    } else if (id == SETTING_TOKEN_COMMAND) {
        err = set(self, SETTING_TOKEN_FILE, NULL, DEFAULT);
    }
    return err == TG_OK ? set(self, id, text, origin) : err;
}

/* --- the file --- */

static setting_id id_of(const char *key)
{
    int id = 0;
    while (strcmp(rows[id].key, key) != 0) {
        id++; /* config_file_open() lets none through that is not here */
    }
    return (setting_id)id;
}

/* Names of files are relative to the file that they stand in. */
static void place(const settings *self, setting_id id, const char *value, char *out, size_t size)
{
    const bool list = rows[id].kind == SETTING_KIND_SYMBOLS && value[0] == '@';
    const char *name = list ? value + 1 : value;
    const bool is_file = list || rows[id].kind == SETTING_KIND_FILE;
    (void)snprintf(out, size, "%s%s%s", list ? "@" : "",
                   is_file && name[0] != '/' ? self->folder : "", name);
}

static tg_err take_entry(settings *self, const config_entry *entry, complaints *wrong)
{
    const setting_id id = id_of(entry->key);
    char why[256] = "";
    char text[CONFIG_LINE_MAX + USER_PATH_SIZE];
    char origin[ORIGIN_SIZE];
    if (!setting_value_check(rows[id].kind, entry->value, why, sizeof why)) {
        complaints_add(wrong, "%s:%u: %s: %s", self->config_path, entry->line, entry->key, why);
        return TG_OK;
    }
    if (strcmp(entry->profile, self->profile) != 0) {
        return TG_OK;
    }
    place(self, id, entry->value, text, sizeof text);
    (void)snprintf(origin, sizeof origin, "%s:%u", self->config_path, entry->line);
    return set(self, id, text, origin);
}

static void check_token_sources(const config_file *file, const char *path, complaints *wrong)
{
    for (size_t i = 0; i < config_file_count(file); i++) {
        const config_entry *one = config_file_entry(file, i);
        for (size_t k = i + 1; k < config_file_count(file); k++) {
            const config_entry *other = config_file_entry(file, k);
            if (strncmp(one->key, "token_", 6) == 0 && strncmp(other->key, "token_", 6) == 0 &&
                strcmp(one->profile, other->profile) == 0) {
                complaints_add(wrong, "%s:%u: %s: excludes %s of line %u", path, other->line,
                               other->key, one->key, one->line);
            }
        }
    }
}

static tg_err take_file(settings *self, complaints *wrong)
{
    const char *keys[SETTING_COUNT + 1] = {NULL};
    for (int id = 0; id < SETTING_COUNT; id++) {
        keys[id] = rows[id].key;
    }
    config_file *file = NULL;
    tg_err err = config_file_open(self->config_path, keys, &file, wrong);
    if (file == NULL) {
        return err == TG_ERR_NO_MEMORY ? err : TG_OK; /* wrong says the rest */
    }
    err = TG_OK;
    for (size_t i = 0; i < config_file_count(file) && err == TG_OK; i++) {
        err = take_entry(self, config_file_entry(file, i), wrong);
    }
    check_token_sources(file, self->config_path, wrong);
    if (!config_file_has_profile(file, self->profile)) {
        complaints_add(wrong, "%s: has no [profile %s]", self->config_path, self->profile);
    }
    config_file_close(file);
    if (err == TG_OK && self->values[SETTING_TOKEN_COMMAND].text != NULL) {
        (void)snprintf(self->command_folder, sizeof self->command_folder, "%s", self->folder);
    }
    return err;
}

/* False: there is no such file to read. */
static bool find_file(settings *self, const terminal_options *options, complaints *wrong)
{
    if (!config_profile_name_is_valid(options->profile)) {
        complaints_add(wrong, "--profile: a name has 1 to 32 letters, digits, - and _");
        return false;
    }
    (void)snprintf(self->profile, sizeof self->profile, "%s", options->profile);
    if (options->config != NULL) {
        (void)snprintf(self->config_path, sizeof self->config_path, "%s", options->config);
    } else if (user_folder_path("terminal.conf", self->config_path) != TG_OK) {
        complaints_add(wrong, "--profile: neither XDG_CONFIG_HOME nor HOME says where the "
                              "configuration file is; --config FILE does");
        return false;
    }
    const char *slash = strrchr(self->config_path, '/');
    (void)snprintf(self->folder, sizeof self->folder, "%.*s",
                   slash != NULL ? (int)(slash + 1 - self->config_path) : 0, self->config_path);
    return true;
}

/* --- the other layers --- */

static tg_err take_defaults(settings *self)
{
    tg_err err = TG_OK;
    for (int id = 0; id < SETTING_COUNT && err == TG_OK; id++) {
        err = set(self, (setting_id)id, rows[id].usual, DEFAULT);
    }
    return err;
}

static tg_err take_options(settings *self, const terminal_options *options, complaints *wrong)
{
    tg_err err = TG_OK;
    for (int id = 0; id < SETTING_COUNT && err == TG_OK; id++) {
        const char *text = NULL;
        memcpy(&text, (const char *)options + rows[id].option_offset, sizeof text);
        char origin[ORIGIN_SIZE];
        char why[256] = "";
        if (text == NULL) {
            continue;
        }
        if (!setting_value_check(rows[id].kind, text, why, sizeof why)) {
            complaints_add(wrong, "%s: %s", rows[id].option, why);
            continue;
        }
        (void)snprintf(origin, sizeof origin, "command line, %s", rows[id].option);
        err = replace(self, (setting_id)id, text, origin);
        if (id == SETTING_TOKEN_COMMAND) {
            self->command_folder[0] = '\0';
        }
    }
    return err;
}

/* The client leads every connection the same way, so that all endpoints have to agree. */
static tg_err find_proxy(settings *self, complaints *wrong)
{
    if (strcmp(self->values[SETTING_PROXY].text, "environment") != 0) {
        return TG_OK;
    }
    char first[PROXY_SIZE] = "";
    const char *said = NULL;
    char url[ENDPOINT_URL_SIZE];
    for (size_t i = 0; settings_endpoint(self, i, url, sizeof url); i++) {
        endpoint to;
        char proxy[PROXY_SIZE] = "";
        const char *variable = NULL;
        if (endpoint_parse(url, &to) == TG_OK &&
            proxy_environment_find(&to, proxy, sizeof proxy, &variable) != TG_OK) {
            complaints_add(wrong,
                           "proxy: the environment's %s is not http://[USER:PASSWORD@]HOST:PORT",
                           variable);
            return TG_OK;
        }
        if (i > 0 && strcmp(first, proxy) != 0) {
            complaints_add(wrong, "proxy: the environment's leads to some endpoints and not to "
                                  "others, which the client cannot do: name a proxy, or none");
            return TG_OK;
        }
        said = i == 0 ? variable : said;
        (void)snprintf(first, sizeof first, "%s", proxy);
    }
    char origin[ORIGIN_SIZE];
    (void)snprintf(origin, sizeof origin, "environment, %s", said != NULL ? said : "nothing said");
    return set(self, SETTING_PROXY, first[0] != '\0' ? first : "none", origin);
}

static void check_whole(const settings *self, complaints *wrong)
{
    if (self->values[SETTING_ENDPOINTS].text == NULL && wrong->count == 0) {
        complaints_add(wrong, self->profile[0] != '\0' ? "--url: is needed, or endpoints in the "
                                                         "profile (see --help)"
                                                       : "--url or --profile: is needed (see "
                                                         "--help)");
    }
}

tg_err settings_open(const terminal_options *options, settings **out, complaints *wrong)
{
    *out = NULL;
    settings *self = calloc(1, sizeof *self);
    if (self == NULL) {
        return TG_ERR_NO_MEMORY;
    }
    tg_err err = take_defaults(self);
    if (err == TG_OK && options->profile != NULL && find_file(self, options, wrong)) {
        err = take_file(self, wrong);
    }
    if (err == TG_OK) {
        err = take_options(self, options, wrong);
    }
    if (err == TG_OK) {
        err = find_proxy(self, wrong);
    }
    if (err != TG_OK) {
        settings_close(self);
        return err;
    }
    check_whole(self, wrong);
    *out = self;
    return wrong->count > 0 ? TG_ERR_SYNTAX : TG_OK;
}

void settings_close(settings *self)
{
    if (self == NULL) {
        return;
    }
    for (int id = 0; id < SETTING_COUNT; id++) {
        if (self->values[id].text != NULL) {
            secret_wipe(self->values[id].text, strlen(self->values[id].text)); /* of a proxy */
        }
        free(self->values[id].text);
    }
    free(self);
}

const char *settings_text(const settings *self, setting_id id)
{
    return self->values[id].text;
}

const char *settings_origin(const settings *self, setting_id id)
{
    return self->values[id].origin;
}

tg_err settings_take_saved(settings *self, setting_id id, const char *text)
{
    return strcmp(self->values[id].origin, DEFAULT) == 0 ? set(self, id, text, "saved state")
                                                         : TG_OK;
}

bool settings_endpoint(const settings *self, size_t index, char *url, size_t size)
{
    const char *at = self->values[SETTING_ENDPOINTS].text;
    const char *item = NULL;
    size_t item_size = 0;
    for (size_t i = 0; at != NULL && setting_next_item(&at, &item, &item_size); i++) {
        if (i == index) {
            (void)snprintf(url, size, "%.*s", (int)item_size, item);
            return true;
        }
    }
    return false;
}

const char *settings_profile(const settings *self)
{
    return self->profile[0] != '\0' ? self->profile : NULL;
}

const char *settings_config_path(const settings *self)
{
    return self->config_path;
}

const char *settings_command_folder(const settings *self)
{
    return self->command_folder[0] != '\0' ? self->command_folder : NULL;
}

void settings_size(const settings *self, int *width_px, int *height_px)
{
    *width_px = 0;
    *height_px = 0;
    /* Checked when it came in. */
    (void)setting_read_size(self->values[SETTING_SIZE].text, width_px, height_px);
}

int settings_font_size(const settings *self)
{
    int size = 0;
    (void)setting_read_font_size(self->values[SETTING_FONT_SIZE].text, &size);
    return size;
}

bool settings_wants_gpu(const settings *self)
{
    bool gpu = false;
    (void)setting_read_renderer(self->values[SETTING_RENDERER].text, &gpu);
    return gpu;
}
