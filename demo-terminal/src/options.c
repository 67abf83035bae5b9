#include "options.h"

#include <stdio.h>
#include <string.h>

#include <tickglass/decimal.h>

#include "setting_value.h"

typedef enum option_id {
    OPTION_PROFILE,
    OPTION_CONFIG,
    OPTION_CHECK_CONFIG,
    OPTION_DIAGNOSE,
    OPTION_URL,
    OPTION_CA,
    OPTION_CLIENT_CERT,
    OPTION_CLIENT_KEY,
    OPTION_CLIENT_KEY_PASSWORD_FILE,
    OPTION_SPKI_PINS,
    OPTION_TOKEN_FILE,
    OPTION_TOKEN_COMMAND,
    OPTION_PROXY,
    OPTION_SYMBOLS,
    OPTION_SCREENSHOT,
    OPTION_REPORT,
    OPTION_RECORD,
    OPTION_EXPORT_HLOG,
    OPTION_REDRAW,
    OPTION_AT,
    OPTION_PASS,
    OPTION_TEXT,
    OPTION_CHECK_TAPE,
    OPTION_PALETTE,
    OPTION_FONT,
    OPTION_SIZE,
    OPTION_FONT_SIZE,
    OPTION_STATE,
    OPTION_SCRIPT,
    OPTION_SCALE,
    OPTION_SECONDS,
    OPTION_HEADLESS,
    OPTION_RENDERER,
    OPTION_HELP,
    OPTION_VERSION
} option_id;

typedef struct option_row {
    const char *name;
    option_id id;
    bool takes_value;
} option_row;

static const option_row option_rows[] = {
    {"--profile", OPTION_PROFILE, true},
    {"--config", OPTION_CONFIG, true},
    {"--check-config", OPTION_CHECK_CONFIG, false},
    {"--diagnose", OPTION_DIAGNOSE, false},
    {"--url", OPTION_URL, true},
    {"--ca", OPTION_CA, true},
    {"--client-cert", OPTION_CLIENT_CERT, true},
    {"--client-key", OPTION_CLIENT_KEY, true},
    {"--client-key-password-file", OPTION_CLIENT_KEY_PASSWORD_FILE, true},
    {"--spki-pins", OPTION_SPKI_PINS, true},
    {"--token-file", OPTION_TOKEN_FILE, true},
    {"--token-command", OPTION_TOKEN_COMMAND, true},
    {"--proxy", OPTION_PROXY, true},
    {"--symbols", OPTION_SYMBOLS, true},
    {"--screenshot", OPTION_SCREENSHOT, true},
    {"--report", OPTION_REPORT, true},
    {"--record", OPTION_RECORD, true},
    {"--export-hlog", OPTION_EXPORT_HLOG, true},
    {"--redraw", OPTION_REDRAW, true},
    {"--at", OPTION_AT, true},
    {"--pass", OPTION_PASS, true},
    {"--text", OPTION_TEXT, false},
    {"--check-tape", OPTION_CHECK_TAPE, true},
    {"--palette", OPTION_PALETTE, true},
    {"--font", OPTION_FONT, true},
    {"--size", OPTION_SIZE, true},
    {"--font-size", OPTION_FONT_SIZE, true},
    {"--state", OPTION_STATE, true},
    {"--script", OPTION_SCRIPT, true},
    {"--scale", OPTION_SCALE, true},
    {"--seconds", OPTION_SECONDS, true},
    {"--headless", OPTION_HEADLESS, false},
    {"--renderer", OPTION_RENDERER, true},
    {"--help", OPTION_HELP, false},
    {"-h", OPTION_HELP, false},
    {"--version", OPTION_VERSION, false},
};

static const char help_text[] =
    "tickglass-terminal --url URL [OPTIONS]\n"
    "tickglass-terminal --profile NAME [OPTIONS]\n"
    "\n"
    "A watchlist of live prices from a tickglass gateway.\n"
    "\n"
    "Where to, as whom; each of these can stand in a profile, and on the command line it counts "
    "more:\n"
    "  --profile NAME       [profile NAME] of the configuration file; docs/TERMINAL.md describes "
    "it\n"
    "  --config FILE        instead of $XDG_CONFIG_HOME/tickglass/terminal.conf\n"
    "                       (~/.config/tickglass/terminal.conf)\n"
    "  --url URL[,URL...]   wss://HOST[:PORT][/PATH]; ws:// only to this machine; what follows the "
    "first\n"
    "                       is tried where that fails\n"
    "  --ca FILE            certificates (PEM) that may have signed the gateway's; default: the "
    "system's\n"
    "  --client-cert FILE, --client-key FILE, --client-key-password-file FILE\n"
    "                       this client's certificate (PEM), its key, the password of an encrypted "
    "key\n"
    "  --spki-pins PIN[,PIN...]\n"
    "                       sha256/BASE64 of the gateway's public keys\n"
    "  --token-file FILE    bearer token; read again whenever one is wanted\n"
    "  --token-command CMD  /bin/sh -c CMD prints the bearer token\n"
    "  --proxy PROXY        http://[USER:PASSWORD@]HOST:PORT, none, or environment (default):\n"
    "                       https_proxy and no_proxy\n"
    "  --symbols LIST       VENUE:SYMBOL,VENUE:SYMBOL or @FILE with one a line; default '*': the "
    "first\n"
    "                       200 of the gateway's directory\n"
    "  --palette NAME       blue-orange (default), green-red, red-up\n"
    "  --size WxH           of the window in pixels; default 1280x800\n"
    "  --font FILE          a TrueType font of fixed width\n"
    "  --font-size N        in pixels, 6 to 96; default 14\n"
    "  --renderer NAME      surface (default): the processor draws what changes; gpu: SDL's "
    "renderer,\n"
    "                       with the driver that SDL_RENDER_DRIVER names or SDL takes\n"
    "\n"
    "Instead of running:\n"
    "  --check-config       print what is in effect and where it comes from; 0 fine, 2 errors\n"
    "  --diagnose           go the way to the gateway step by step; --seconds N for the first "
    "prices\n"
    "                       (default 30)\n"
    "  --redraw FILE        draw again what stood on the glass, from a record; --screenshot FILE "
    "takes the\n"
    "                       picture, --text prints it; the last one, or:\n"
    "  --at TIME            what stood there then: 2026-12-01T10:31:07.25Z, 10:31:07.25+01:00, or\n"
    "                       nanoseconds since 1970\n"
    "  --pass N             what that pass drew\n"
    "  --help, --version\n"
    "\n"
    "The run:\n"
    "  --headless           draw into memory, without a display\n"
    "  --seconds N          end after N seconds; with --headless 10 unless given\n"
    "  --state FILE         where window, palette and selection are kept from run to run; default: "
    "in\n"
    "                       the folder of the configuration file, with --headless nowhere\n"
    "  --script FILE        play keys, text, clicks and sizes from a file, for tests; with "
    "--headless\n"
    "                       60 seconds unless given\n"
    "  --scale N            draw everything 0.5 to 4 times as large; default: as the display has "
    "it\n"
    "  --screenshot FILE    at the end, write the picture as PNG\n"
    "  --report FILE        at the end, write counters and latencies as JSON\n"
    "  --record FILE        record messages, what was drawn and latencies; FILE must not exist\n"
    "  --export-hlog FILE   at the end, write the histograms of the last hour as HdrHistogram's "
    "log;\n"
    "                       FILE must not exist\n"
    "  --check-tape FILE    judge every drawn row against this tape (CSV, also .xz), which the\n"
    "                       gateway replays: drawn_regressions and drawn_unknown in the report\n"
    "\n"
    "Keys: type to filter; arrows, PgUp, PgDn, Home, End move; F1 help; F2 screenshot; F9\n"
    "records; F10 latencies; Ctrl-Q ends.\n"
    "\n"
    "Exit codes: 0 fine; 2 the command line, the configuration or a file named there is wrong; 3 "
    "no\n"
    "connection or no data; 4 a file could not be written; 5 a step of --script failed. "
    "--diagnose, by the step that failed: 10 "
    "DNS,\n"
    "11 proxy, 12 TCP, 13 token, 14 TLS, 15 upgrade, 16 WELCOME, 17 first tick.\n";

const char *terminal_options_help(void)
{
    return help_text;
}

/* 0.5 to 4 in hundredths: "1", "1.5", "1.25". */
static bool read_scale(const char *value, int *percent)
{
    tg_decimal scale;
    int64_t hundredths = 0;
    if (tg_decimal_parse(value, strlen(value), &scale) != TG_OK ||
        tg_decimal_rescale(scale, -2, &hundredths) != TG_OK || hundredths < 50 ||
        hundredths > 400) {
        return false;
    }
    *percent = (int)hundredths;
    return true;
}

/* Digits only, of 64 bits. */
static bool is_count(const char *value)
{
    const size_t digits = strspn(value, "0123456789");
    return digits > 0 && digits < 20 && value[digits] == '\0';
}

/* False: the value has the wrong form. */
static bool take_value(terminal_options *options, option_id id, const char *value)
{
    int ignored = 0;
    bool gpu = false;
    switch (id) {
    case OPTION_PROFILE:
        options->profile = value;
        return true;
    case OPTION_CONFIG:
        options->config = value;
        return true;
    case OPTION_CHECK_CONFIG:
        options->check_config = true;
        return true;
    case OPTION_DIAGNOSE:
        options->diagnose = true;
        return true;
    case OPTION_CLIENT_CERT:
        options->client_cert_file = value;
        return true;
    case OPTION_CLIENT_KEY:
        options->client_key_file = value;
        return true;
    case OPTION_CLIENT_KEY_PASSWORD_FILE:
        options->client_key_password_file = value;
        return true;
    case OPTION_SPKI_PINS:
        options->spki_pins = value;
        return true;
    case OPTION_TOKEN_COMMAND:
        options->token_command = value;
        return true;
    case OPTION_PROXY:
        options->proxy = value;
        return true;
    case OPTION_STATE:
        options->state = value;
        return true;
    case OPTION_URL:
        options->url = value;
        return true;
    case OPTION_CA:
        options->ca_file = value;
        return true;
    case OPTION_TOKEN_FILE:
        options->token_file = value;
        return true;
    case OPTION_SYMBOLS:
        options->symbols = value;
        return *value != '\0';
    case OPTION_SCREENSHOT:
        options->screenshot = value;
        return true;
    case OPTION_REPORT:
        options->report = value;
        return true;
    case OPTION_RECORD:
        options->record = value;
        return true;
    case OPTION_EXPORT_HLOG:
        options->export_hlog = value;
        return true;
    case OPTION_REDRAW:
        options->redraw = value;
        return true;
    case OPTION_AT:
        options->at = value;
        return *value != '\0';
    case OPTION_PASS:
        options->pass = value;
        return is_count(value);
    case OPTION_TEXT:
        options->text = true;
        return true;
    case OPTION_CHECK_TAPE:
        options->check_tape = value;
        return true;
    case OPTION_PALETTE:
        options->palette = value;
        return true;
    case OPTION_FONT:
        options->font = value;
        return true;
    case OPTION_SIZE:
        options->size = value;
        return setting_read_size(value, &ignored, &ignored);
    case OPTION_FONT_SIZE:
        options->font_size = value;
        return setting_read_font_size(value, &ignored);
    case OPTION_SCRIPT:
        options->script = value;
        return true;
    case OPTION_SCALE:
        return read_scale(value, &options->scale_percent);
    case OPTION_SECONDS:
        return setting_read_number(value, 1, 100000000, &options->seconds);
    case OPTION_HEADLESS:
        options->headless = true;
        return true;
    case OPTION_RENDERER:
        options->renderer = value;
        return setting_read_renderer(value, &gpu);
    case OPTION_HELP:
        options->help = true;
        return true;
    case OPTION_VERSION:
        options->version = true;
        return true;
    }
    return false;
}

static const option_row *find_option(const char *argument, size_t name_length)
{
    for (size_t i = 0; i < sizeof option_rows / sizeof option_rows[0]; i++) {
        if (strlen(option_rows[i].name) == name_length &&
            strncmp(option_rows[i].name, argument, name_length) == 0) {
            return &option_rows[i];
        }
    }
    return NULL;
}

static tg_err refuse(char *why, size_t why_size, const char *what, const char *which)
{
    (void)snprintf(why, why_size, "%s: %s (see --help)", which, what);
    return TG_ERR_SYNTAX;
}

tg_err terminal_options_read(int argc, char *const argv[], terminal_options *out, char *why,
                             size_t why_size)
{
    *out = (terminal_options){0};
    for (int i = 1; i < argc; i++) {
        const char *equals = strchr(argv[i], '=');
        const size_t name_length = equals != NULL ? (size_t)(equals - argv[i]) : strlen(argv[i]);
        const option_row *option = find_option(argv[i], name_length);
        if (option == NULL) {
            /* Without a value: it may be a token under an option that does not exist. */
            (void)snprintf(why, why_size, "%.*s: not an option (see --help)", (int)name_length,
                           argv[i]);
            return TG_ERR_SYNTAX;
        }
        const char *value = equals != NULL ? equals + 1 : NULL;
        if (option->takes_value && value == NULL) {
            value = i + 1 < argc ? argv[++i] : NULL;
        }
        if (option->takes_value != (value != NULL)) {
            return refuse(why, why_size,
                          option->takes_value ? "a value is missing" : "takes no value",
                          option->name);
        }
        if (!take_value(out, option->id, value)) {
            return refuse(why, why_size, "the value cannot be used", argv[i]);
        }
    }
    if (out->help || out->version) {
        return TG_OK;
    }
    if (out->redraw == NULL && (out->at != NULL || out->pass != NULL || out->text)) {
        return refuse(why, why_size, "is needed with --at, --pass and --text", "--redraw");
    }
    if (out->at != NULL && out->pass != NULL) {
        return refuse(why, why_size, "excludes --pass", "--at");
    }
    if (out->config != NULL && out->profile == NULL) {
        return refuse(why, why_size, "is needed with --config", "--profile");
    }
    if (out->token_file != NULL && out->token_command != NULL) {
        return refuse(why, why_size, "excludes --token-file", "--token-command");
    }
    if (out->headless && out->seconds == 0) {
        out->seconds = out->script != NULL ? 60 : 10;
    }
    return TG_OK;
}
