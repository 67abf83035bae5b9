#include "options.h"

#include <stdlib.h>
#include <string.h>

#include <tickglass/decimal.h>
#include <tickglass/internal/control_flow.h>

#include "rebase.h"

#define SKEW_MS_MAX 10000u
#define NS_PER_MS   INT64_C(1000000)

const char tg__options_help[] =
    "tickglass-gateway - a market-data gateway that plays a recorded or a simulated market\n"
    "\n"
    "  --sim                    play the embedded simulated market (default): 2,400 instruments\n"
    "  --tape FILE              play a recorded market: CSV, plain or compressed; tickglass-tape\n"
    "                           makes one of other formats\n"
    "  --seed N                 of the simulated market and of the feeds' skew (default 1)\n"
    "  --speed X                times the recorded pace, up to 3 decimals; 0: as fast as possible\n"
    "  --loop                   start the tape again at its end\n"
    "  --keep-times             publish the tape's own times instead of today's\n"
    "  --merge-feeds            venues NAME_A to NAME_Z are feeds of one venue NAME\n"
    "  --feeds 1|2              feed handlers for each venue (default 1)\n"
    "  --skew-ms A:B            delay of the second handler (default 6:9)\n"
    "  --listen HOST:PORT       default 127.0.0.1:0; port 0: any free one\n"
    "  --port-file FILE         the port is written here once connections are accepted\n"
    "  --state-dir DIR          certificate, token, epochs; default\n"
    "                           $XDG_STATE_HOME/tickglass-gateway\n"
    "  --token-file FILE        the bearer token; default: DIR/token, made at the first start\n"
    "  --write-tape FILE        write what is played, as a tape\n"
    "  --hold-until-subscribed  begin to play at the first subscription\n"
    "  --help, --version\n";

static bool read_u64(const char *text, uint64_t max, uint64_t *out)
{
    uint64_t value = 0;
    if (*text == '\0') {
        return false;
    }
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9') {
            return false;
        }
        const uint64_t digit = (uint64_t)(*text - '0');
        if (digit > max || value > (max - digit) / 10) {
            return false;
        }
        value = value * 10 + digit;
    }
    *out = value;
    return true;
}

static tg_err bad_value(tg__cause *cause, const char *option, const char *value,
                        const char *expected)
{
    return tg__cause_set(cause, TG_ERR_INVALID_ARGUMENT, "%s %s: expected %s", option, value,
                         expected);
}

static tg_err take_speed(tg__options *options, const char *value, tg__cause *cause)
{
    tg_decimal speed;
    int64_t milli = 0;
    if (tg_decimal_parse(value, strlen(value), &speed) != TG_OK ||
        tg_decimal_rescale(speed, -3, &milli) != TG_OK || milli < 0 ||
        milli > (int64_t)TG__SPEED_MAX) {
        return bad_value(cause, "--speed", value, "0 to 1000000 with up to 3 decimals");
    }
    options->speed_milli = (uint32_t)milli;
    return TG_OK;
}

static tg_err take_skew(tg__options *options, const char *value, tg__cause *cause)
{
    char first[16];
    uint64_t min_ms = 0;
    uint64_t max_ms = 0;
    const char *colon = strchr(value, ':');
    const size_t length = colon == NULL ? 0 : (size_t)(colon - value);
    bool good = length > 0 && length < sizeof first;
    if (good) {
        memcpy(first, value, length);
        first[length] = '\0';
        good = read_u64(first, SKEW_MS_MAX, &min_ms) && read_u64(colon + 1, SKEW_MS_MAX, &max_ms) &&
               min_ms <= max_ms;
    }
    if (!good) {
        return bad_value(cause, "--skew-ms", value, "A:B in milliseconds, A <= B <= 10000");
    }
    options->skew_min_ns = (int64_t)min_ms * NS_PER_MS;
    options->skew_max_ns = (int64_t)max_ms * NS_PER_MS;
    return TG_OK;
}

/* HOST:PORT; an IPv6 address in brackets. */
static tg_err take_listen(tg__options *options, const char *value, tg__cause *cause)
{
    const char *colon = strrchr(value, ':');
    uint64_t port = 0;
    const char *host = value;
    size_t length = colon == NULL ? 0 : (size_t)(colon - value);
    if (length >= 2 && host[0] == '[' && host[length - 1] == ']') {
        host++;
        length -= 2;
    } else if (length > 0 && memchr(host, ':', length) != NULL) {
        length = 0; /* an IPv6 address without brackets */
    }
    if (length == 0 || length >= sizeof options->listen_host ||
        !read_u64(colon + 1, UINT16_MAX, &port)) {
        return bad_value(cause, "--listen", value, "HOST:PORT, [IPV6]:PORT");
    }
    memcpy(options->listen_host, host, length);
    options->listen_host[length] = '\0';
    options->listen_port = (uint16_t)port;
    return TG_OK;
}

/* Options without a value; false: it is not one of them. */
static bool take_flag(tg__options *options, const char *name)
{
    const struct {
        const char *name;
        bool *flag;
    } flags[] = {
        {"--loop", &options->loop},
        {"--merge-feeds", &options->merge_feeds},
        {"--keep-times", &options->keep_times},
        {"--hold-until-subscribed", &options->hold_until_subscribed},
        {"--help", &options->help},
        {"--version", &options->version},
    };
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        if (strcmp(name, flags[i].name) == 0) {
            *flags[i].flag = true;
            return true;
        }
    }
    return false;
}

/* Options whose value is taken as it is; NULL: it is not one of them. */
static const char **text_option(tg__options *options, const char *name)
{
    const struct {
        const char *name;
        const char **text;
    } texts[] = {
        {"--tape", &options->tape},
        {"--port-file", &options->port_file},
        {"--state-dir", &options->state_dir},
        {"--token-file", &options->token_file},
        {"--write-tape", &options->write_tape},
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (strcmp(name, texts[i].name) == 0) {
            return texts[i].text;
        }
    }
    return NULL;
}

static tg_err take_number(tg__options *options, const char *name, const char *value,
                          tg__cause *cause)
{
    uint64_t number = 0;
    if (strcmp(name, "--speed") == 0) {
        return take_speed(options, value, cause);
    }
    if (strcmp(name, "--skew-ms") == 0) {
        return take_skew(options, value, cause);
    }
    if (strcmp(name, "--listen") == 0) {
        return take_listen(options, value, cause);
    }
    if (strcmp(name, "--seed") == 0) {
        return read_u64(value, UINT64_MAX, &options->seed)
                   ? TG_OK
                   : bad_value(cause, name, value, "an unsigned 64-bit number");
    }
    if (!read_u64(value, 2, &number) || number < 1) {
        return bad_value(cause, name, value, "1 or 2");
    }
    options->feeds = (unsigned)number;
    return TG_OK;
}

static bool is_number_option(const char *name)
{
    static const char *const names[] = {"--speed", "--skew-ms", "--listen", "--seed", "--feeds"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

static tg_err check_together(const tg__options *options, bool sim, tg__cause *cause)
{
    if (sim && options->tape != NULL) {
        return tg__cause_set(cause, TG_ERR_INVALID_ARGUMENT, "--sim and --tape exclude each other");
    }
    if (options->tape == NULL && (options->loop || options->merge_feeds || options->keep_times)) {
        return tg__cause_set(cause, TG_ERR_INVALID_ARGUMENT,
                             "--loop, --merge-feeds and --keep-times belong to --tape");
    }
    return TG_OK;
}

tg_err tg__options_parse(tg__options *options, int argc, char *const *argv, tg__cause *cause)
{
    static const tg__options defaults = {
        .seed = 1,
        .speed_milli = TG__SPEED_SCALE,
        .feeds = 1,
        .skew_min_ns = 6 * NS_PER_MS,
        .skew_max_ns = 9 * NS_PER_MS,
        .listen_host = "127.0.0.1",
    };
    *options = defaults;
    bool sim = false;
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i];
        if (strcmp(name, "--sim") == 0) {
            sim = true;
            continue;
        }
        if (take_flag(options, name)) {
            continue;
        }
        const char **text = text_option(options, name);
        if (text == NULL && !is_number_option(name)) {
            return tg__cause_set(cause, TG_ERR_INVALID_ARGUMENT,
                                 "%s: there is no such option; --help lists them", name);
        }
        if (i + 1 == argc) {
            return tg__cause_set(cause, TG_ERR_INVALID_ARGUMENT, "%s: its value is missing", name);
        }
        const char *value = argv[++i];
        if (text != NULL) {
            *text = value;
        } else {
            TG_TRY(take_number(options, name, value, cause));
        }
    }
    return check_together(options, sim, cause);
}
