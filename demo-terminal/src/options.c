#include "options.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

typedef enum option_id {
    OPTION_URL,
    OPTION_CA,
    OPTION_TOKEN_FILE,
    OPTION_SYMBOLS,
    OPTION_SCREENSHOT,
    OPTION_REPORT,
    OPTION_RECORD,
    OPTION_CHECK_TAPE,
    OPTION_PALETTE,
    OPTION_FONT,
    OPTION_SIZE,
    OPTION_FONT_SIZE,
    OPTION_SECONDS,
    OPTION_HEADLESS,
    OPTION_HELP,
    OPTION_VERSION
} option_id;

typedef struct option_row {
    const char *name;
    option_id id;
    bool takes_value;
} option_row;

static const option_row option_rows[] = {
    {"--url", OPTION_URL, true},
    {"--ca", OPTION_CA, true},
    {"--token-file", OPTION_TOKEN_FILE, true},
    {"--symbols", OPTION_SYMBOLS, true},
    {"--screenshot", OPTION_SCREENSHOT, true},
    {"--report", OPTION_REPORT, true},
    {"--record", OPTION_RECORD, true},
    {"--check-tape", OPTION_CHECK_TAPE, true},
    {"--palette", OPTION_PALETTE, true},
    {"--font", OPTION_FONT, true},
    {"--size", OPTION_SIZE, true},
    {"--font-size", OPTION_FONT_SIZE, true},
    {"--seconds", OPTION_SECONDS, true},
    {"--headless", OPTION_HEADLESS, false},
    {"--help", OPTION_HELP, false},
    {"-h", OPTION_HELP, false},
    {"--version", OPTION_VERSION, false},
};

static const char help_text[] =
    "tickglass-terminal --url URL [OPTIONS]\n"
    "\n"
    "A watchlist of live prices from a tickglass gateway.\n"
    "\n"
    "  --url URL            wss://HOST[:PORT][/PATH]; ws:// only to this machine\n"
    "  --ca FILE            certificates (PEM) that may have signed the gateway's; default: the "
    "system's\n"
    "  --token-file FILE    bearer token\n"
    "  --symbols LIST       VENUE:SYMBOL,VENUE:SYMBOL or @FILE with one a line; default '*': the "
    "first\n"
    "                       200 of the gateway's directory\n"
    "  --palette NAME       blue-orange (default), green-red, red-up\n"
    "  --size WxH           of the window in pixels; default 1280x800\n"
    "  --font FILE          a TrueType font of fixed width\n"
    "  --font-size N        in pixels, 6 to 96; default 14\n"
    "  --headless           draw into memory, without a display\n"
    "  --seconds N          end after N seconds; with --headless 10 unless given\n"
    "  --screenshot FILE    at the end, write the picture as PNG\n"
    "  --report FILE        at the end, write counters and latencies as JSON\n"
    "  --record FILE        record messages, what was drawn and latencies; FILE must not exist\n"
    "  --check-tape FILE    judge every drawn row against this tape (CSV, also .xz), which the\n"
    "                       gateway replays: drawn_regressions and drawn_unknown in the report\n"
    "  --help, --version\n"
    "\n"
    "Keys: arrows, PgUp, PgDn, Home, End move; F1 help; F2 screenshot; Esc or Ctrl-Q end.\n"
    "\n"
    "Exit codes: 0 fine; 2 the command line or a file named there is wrong; 3 no connection or no "
    "data;\n"
    "4 a file could not be written.\n";

const char *terminal_options_help(void)
{
    return help_text;
}

/* A number in digits only, lowest to highest. */
static bool read_number(const char *text, int lowest, int highest, int *out)
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

static bool read_size(const char *text, int *width, int *height)
{
    const char *x = strchr(text, 'x');
    char left[12];
    if (x == NULL || (size_t)(x - text) >= sizeof left) {
        return false;
    }
    memcpy(left, text, (size_t)(x - text));
    left[x - text] = '\0';
    return read_number(left, 1, 16384, width) && read_number(x + 1, 1, 16384, height);
}

/* False: the value has the wrong form. */
static bool take_value(terminal_options *options, option_id id, const char *value)
{
    switch (id) {
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
        return read_size(value, &options->width_px, &options->height_px);
    case OPTION_FONT_SIZE:
        return read_number(value, 6, 96, &options->font_size_px);
    case OPTION_SECONDS:
        return read_number(value, 1, 100000000, &options->seconds);
    case OPTION_HEADLESS:
        options->headless = true;
        return true;
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
    *out = (terminal_options){.symbols = "*"};
    for (int i = 1; i < argc; i++) {
        const char *equals = strchr(argv[i], '=');
        const size_t name_length = equals != NULL ? (size_t)(equals - argv[i]) : strlen(argv[i]);
        const option_row *option = find_option(argv[i], name_length);
        if (option == NULL) {
            return refuse(why, why_size, "not an option", argv[i]);
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
    if (out->url == NULL) {
        return refuse(why, why_size, "is needed", "--url");
    }
    if (out->headless && out->seconds == 0) {
        out->seconds = 10;
    }
    return TG_OK;
}
