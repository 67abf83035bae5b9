#include "setting_value.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <tickglass/palette.h>
#include <tickglass/watchlist.h>

#include "endpoint.h"

#define SEPARATORS  ", \t"
#define PIN_SIZE    44 /* base64 of 32 bytes */
#define PROXY_START "http://"

bool setting_read_number(const char *text, int lowest, int highest, int *out)
{
    long value = 0;
    if (*text == '\0') {
        return false;
    }
    for (const char *at = text; *at != '\0'; at++) {
        if (*at < '0' || *at > '9' || value > INT_MAX / 10) {
            return false;
        }
        value = value * 10 + (*at - '0');
    }
    *out = (int)value;
    return value >= lowest && value <= highest;
}

bool setting_read_size(const char *text, int *width_px, int *height_px)
{
    const char *x = strchr(text, 'x');
    char left[12];
    if (x == NULL || (size_t)(x - text) >= sizeof left) {
        return false;
    }
    memcpy(left, text, (size_t)(x - text));
    left[x - text] = '\0';
    return setting_read_number(left, 1, 16384, width_px) &&
           setting_read_number(x + 1, 1, 16384, height_px);
}

bool setting_read_font_size(const char *text, int *font_size_px)
{
    return setting_read_number(text, 6, 96, font_size_px);
}

bool setting_read_renderer(const char *text, bool *gpu)
{
    *gpu = strcmp(text, "gpu") == 0;
    return *gpu || strcmp(text, "surface") == 0;
}

bool setting_next_item(const char **at, const char **item, size_t *size)
{
    *item = *at + strspn(*at, SEPARATORS);
    *size = strcspn(*item, SEPARATORS);
    *at = *item + *size;
    return *size > 0;
}

static bool is_endpoint(const char *item, size_t size)
{
    char url[ENDPOINT_URL_SIZE];
    endpoint parsed;
    if (size >= sizeof url) {
        return false;
    }
    (void)snprintf(url, sizeof url, "%.*s", (int)size, item);
    return endpoint_parse(url, &parsed) == TG_OK;
}

static bool is_pin(const char *item, size_t size)
{
    const bool named = size > 7 && strncmp(item, "sha256/", 7) == 0;
    const char *text = named ? item + 7 : item;
    return size - (named ? 7 : 0) == PIN_SIZE &&
           strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") ==
               PIN_SIZE - 1 &&
           text[PIN_SIZE - 1] == '=';
}

static bool check_items(const char *text, size_t most, bool (*is_good)(const char *, size_t))
{
    const char *item = NULL;
    size_t size = 0;
    size_t count = 0;
    while (setting_next_item(&text, &item, &size)) {
        count++;
        if (count > most || !is_good(item, size)) {
            return false;
        }
    }
    return count > 0;
}

/* Names are read here; a file is read when it is needed. */
static bool check_symbols(const char *text, char *why, size_t why_size)
{
    if (text[0] == '@') {
        (void)snprintf(why, why_size, "a file's name is expected behind @");
        return text[1] != '\0';
    }
    tg_watchlist *list = NULL;
    const tg_err err = tg_watchlist_open(text, &list, why, why_size);
    tg_watchlist_close(list);
    return err == TG_OK;
}

bool setting_value_check(setting_kind kind, const char *text, char *why, size_t why_size)
{
    const tg_palette *palette = NULL;
    int number = 0;
    int other = 0;
    bool gpu = false;
    const char *expected = "a value is expected";
    bool good = text[0] != '\0';
    switch (kind) {
    case SETTING_KIND_ENDPOINTS:
        expected = "1 to 8 of wss://HOST[:PORT][/PATH], ws:// and ws+unix:/PATH are expected";
        good = check_items(text, SETTING_ENDPOINTS_MAX, is_endpoint);
        break;
    case SETTING_KIND_PROXY:
        expected = "environment, none or http://[USER:PASSWORD@]HOST:PORT is expected";
        good = strcmp(text, "environment") == 0 || strcmp(text, "none") == 0 ||
               strncmp(text, PROXY_START, sizeof PROXY_START - 1) == 0;
        break;
    case SETTING_KIND_PINS:
        expected = "1 to 16 of sha256/ and 44 characters of base64 are expected";
        good = check_items(text, SETTING_PINS_MAX, is_pin);
        break;
    case SETTING_KIND_SYMBOLS:
        return good && check_symbols(text, why, why_size);
    case SETTING_KIND_PALETTE:
        expected = "blue-orange, green-red and red-up are known";
        good = tg_palette_find(text, &palette) == TG_OK;
        break;
    case SETTING_KIND_SIZE:
        expected = "WIDTHxHEIGHT, each 1 to 16384, is expected";
        good = setting_read_size(text, &number, &other);
        break;
    case SETTING_KIND_FONT_SIZE:
        expected = "6 to 96 is expected";
        good = setting_read_font_size(text, &number);
        break;
    case SETTING_KIND_RENDERER:
        expected = "surface or gpu is expected";
        good = setting_read_renderer(text, &gpu);
        break;
    case SETTING_KIND_FILE:
    case SETTING_KIND_COMMAND:
        break;
    }
    (void)snprintf(why, why_size, "%s", good ? "" : expected);
    return good;
}

static void show_endpoints(const char *text, char out[SETTING_SHOWN_SIZE])
{
    const char *item = NULL;
    size_t size = 0;
    size_t used = 0;
    out[0] = '\0';
    while (setting_next_item(&text, &item, &size) && used < SETTING_SHOWN_SIZE) {
        char url[ENDPOINT_URL_SIZE];
        char shown[ENDPOINT_URL_SIZE];
        (void)snprintf(url, sizeof url, "%.*s", (int)size, item);
        endpoint_show(url, shown, sizeof shown);
        const int more =
            snprintf(out + used, SETTING_SHOWN_SIZE - used, "%s%s", used > 0 ? ", " : "", shown);
        used += more > 0 ? (size_t)more : 0;
    }
}

/* Its program only: arguments, and variables in front of it, may hold a key. */
static void show_command(const char *text, char out[SETTING_SHOWN_SIZE])
{
    const size_t size = strcspn(text, " \t");
    const bool is_program = memchr(text, '=', size) == NULL && strcspn(text, "\"'`$;|&<>") >= size;
    (void)snprintf(out, SETTING_SHOWN_SIZE, "%.*s%s", is_program ? (int)size : 0, text,
                   !is_program          ? "***"
                   : text[size] != '\0' ? " ***"
                                        : "");
}

void setting_value_show(setting_kind kind, const char *text, char out[SETTING_SHOWN_SIZE])
{
    switch (kind) {
    case SETTING_KIND_ENDPOINTS:
        show_endpoints(text, out);
        break;
    case SETTING_KIND_COMMAND:
        show_command(text, out);
        break;
    case SETTING_KIND_PROXY:
        endpoint_show(text, out, SETTING_SHOWN_SIZE);
        break;
    case SETTING_KIND_FILE:
    case SETTING_KIND_PINS:
    case SETTING_KIND_SYMBOLS:
    case SETTING_KIND_PALETTE:
    case SETTING_KIND_SIZE:
    case SETTING_KIND_FONT_SIZE:
    case SETTING_KIND_RENDERER:
        (void)snprintf(out, SETTING_SHOWN_SIZE, "%s", text);
        break;
    }
}
