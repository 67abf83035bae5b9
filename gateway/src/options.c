#include "options.h"

#include <stdlib.h>
#include <string.h>

#include <tickglass/decimal.h>
#include <tickglass/internal/control_flow.h>

#include "drain.h"
#include "group.h"
#include "reach.h"
#include "rebase.h"

#define SKEW_MS_MAX 10000u
#define NS_PER_MS   INT64_C(1000000)
#define RATE_MAX    1000000u /* of a token bucket */

#define DRAIN_INTERVAL_MS_MAX 60000u
#define HANG_UP_AFTER_S_MAX   3600u

const char tg__options_help[] =
    "tickglass-gateway - a market-data gateway that plays a recorded or a simulated market\n"
    "\n"
    "  tickglass-gateway [OPTIONS]\n"
    "  tickglass-gateway drain [--state-dir DIR] [--wait]\n"
    "                           ask the one that has DIR to drain; --wait: until it has ended\n"
    "\n"
    "  --sim                    play the embedded simulated market (default): 2,400 instruments,\n"
    "                           with ten levels of depth a side on the priority channel\n"
    "  --sim-rate N             its ticks a second, on the whole (default 20000; 100 to 1000000)\n"
    "  --sim-open-s S           it starts with an opening that long, at four times the rate\n"
    "  --sim-release-s T[,T..]  news at these seconds: 190000 ticks a second for a second, then\n"
    "                           ebbing away; never: none (default: every 300 s)\n"
    "  --tape FILE              play a recorded market: CSV, plain or compressed; tickglass-tape\n"
    "                           makes one of other formats. Without depth\n"
    "  --seed N                 of the simulated market and of the feeds' skew (default 1)\n"
    "  --speed X                times the recorded pace, up to 3 decimals; 0: as fast as possible\n"
    "  --loop                   start the tape again at its end\n"
    "  --keep-times             publish the tape's own times instead of today's\n"
    "  --merge-feeds            venues NAME_A to NAME_Z are feeds of one venue NAME\n"
    "  --feeds 1|2              feed handlers for each venue (default 1)\n"
    "  --skew-ms A:B            delay of the second handler (default 6:9)\n"
    "  --listen HOST:PORT       default 127.0.0.1:0; port 0: any free one\n"
    "  --port-file FILE         the port is written here once connections are accepted\n"
    "  --bus PATH               tell other nodes of the lineage everything, at this Unix socket\n"
    "  --from-bus PATH          be such a node: serve what the node at PATH plays\n"
    "  --state-dir DIR          certificate, token, epochs; default\n"
    "                           $XDG_STATE_HOME/tickglass-gateway\n"
    "  --token-file FILE        the bearer token; default: DIR/token, made at the first start\n"
    "  --ticket-key-file FILE   secret of the TLS session tickets, for gateways that share it;\n"
    "                           default: DIR/ticket.key, made at the first start\n"
    "  --jwt-keys FILE          also take JWTs (ES256, RS256) signed by one of these keys: PEM, a\n"
    "                           line \"kid: NAME\" before a key names it\n"
    "  --jwt-issuer TEXT        their iss must be this\n"
    "  --jwt-audience TEXT      their aud must name this\n"
    "  --upgrades-per-second N  admission rate (default 1200); beyond: 503 with Retry-After\n"
    "  --upgrade-burst N        so many at once (default 2500)\n"
    "  --handshakes-max N       TLS handshakes under way at once (default 64); others wait in the\n"
    "                           listen queue\n"
    "  --write-tape FILE        write what is played, as a tape\n"
    "  --faults FILE            actions that go wrong on purpose, with their times\n"
    "  --metrics-dir DIR        stage histograms, a new interval every 10 s, are written there\n"
    "  --metrics-listen HOST:PORT  answers GET /metrics, for Prometheus: plain HTTP\n"
    "  --tick-log FILE          a binary journal of every tick that a lane admitted\n"
    "  --record FILE            when each tick passed which stage, for `tickglass-log glass`; a\n"
    "                           file that exists is never overwritten\n"
    "  --hold-until-subscribed  begin to play at the first subscription\n"
    "  --drain-percent P        of the connections are closed in a step of the drain that SIGTERM "
    "or\n"
    "                           `drain` begins (default 2); a second SIGTERM, or SIGINT: all at\n"
    "                           once\n"
    "  --drain-interval-ms N    between such steps (default 250)\n"
    "  --frames-per-digest N    every so many frames prove the whole state (default 25: it costs\n"
    "                           a pass over the set)\n"
    "  --hang-up-after-s N      end a connection without a sign of life (default 60)\n"
    "  --help, --version\n"
    "\n"
    "Exit codes: 0; 1 trouble, 2 usage; 3 a drain had to cut connections.\n";

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

/* Rising seconds with commas between them, or "never". */
static tg_err take_releases(tg__options *options, const char *value, tg__cause *cause)
{
    tg__sim_options *sim = &options->sim;
    const char *at = value;
    sim->release_every_s = 0;
    sim->release_count = 0;
    bool good = true;
    while (good && strcmp(value, "never") != 0) {
        char second[16];
        uint64_t number = 0;
        const size_t length = strcspn(at, ",");
        good = sim->release_count < TG__SIM_RELEASES_MAX && length < sizeof second;
        if (good) {
            memcpy(second, at, length);
            second[length] = '\0';
            good = read_u64(second, TG__SIM_SECONDS_MAX, &number) &&
                   (sim->release_count == 0 || number > sim->release_s[sim->release_count - 1]);
        }
        if (good) {
            sim->release_s[sim->release_count++] = (uint32_t)number;
        }
        if (at[length] == '\0') {
            break;
        }
        at += length + 1;
    }
    return good ? TG_OK
                : bad_value(cause, "--sim-release-s", value,
                            "never, or up to 16 rising seconds like 30,90, each up to 86400");
}

/* HOST:PORT; an IPv6 address in brackets. */
static tg_err take_address(char out_host[TG__HOST_SIZE], uint16_t *out_port, const char *name,
                           const char *value, tg__cause *cause)
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
    if (length == 0 || length >= TG__HOST_SIZE || !read_u64(colon + 1, UINT16_MAX, &port)) {
        return bad_value(cause, name, value, "HOST:PORT, [IPV6]:PORT");
    }
    memcpy(out_host, host, length);
    out_host[length] = '\0';
    *out_port = (uint16_t)port;
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
        {"--bus", &options->bus},
        {"--from-bus", &options->from_bus},
        {"--port-file", &options->port_file},
        {"--state-dir", &options->state_dir},
        {"--faults", &options->faults},
        {"--metrics-dir", &options->metrics_dir},
        {"--tick-log", &options->tick_log},
        {"--record", &options->record},
        {"--token-file", &options->token_file},
        {"--ticket-key-file", &options->ticket_key_file},
        {"--jwt-keys", &options->jwt_keys},
        {"--jwt-issuer", &options->jwt_issuer},
        {"--jwt-audience", &options->jwt_audience},
        {"--write-tape", &options->write_tape},
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (strcmp(name, texts[i].name) == 0) {
            return texts[i].text;
        }
    }
    return NULL;
}

static tg_err take_listen(tg__options *options, const char *value, tg__cause *cause)
{
    return take_address(options->listen_host, &options->listen_port, "--listen", value, cause);
}

static tg_err take_metrics_listen(tg__options *options, const char *value, tg__cause *cause)
{
    return take_address(options->metrics_host, &options->metrics_port, "--metrics-listen", value,
                        cause);
}

static tg_err take_seed(tg__options *options, const char *value, tg__cause *cause)
{
    return read_u64(value, UINT64_MAX, &options->seed)
               ? TG_OK
               : bad_value(cause, "--seed", value, "an unsigned 64-bit number");
}

/* Values of a form of their own. */
typedef struct shaped_option {
    const char *name;
    tg_err (*take)(tg__options *options, const char *value, tg__cause *cause);
} shaped_option;

static const shaped_option shaped_options[] = {
    {"--listen", take_listen}, {"--metrics-listen", take_metrics_listen},
    {"--seed", take_seed},     {"--sim-release-s", take_releases},
    {"--skew-ms", take_skew},  {"--speed", take_speed},
};

/* A whole number from min to max. TG_ERR_NOT_FOUND: there is no such option. */
static tg_err take_number(tg__options *options, const char *name, const char *value,
                          tg__cause *cause)
{
    const struct {
        const char *name;
        uint32_t *number;
        uint32_t min;
        uint32_t max;
    } numbers[] = {
        {"--drain-interval-ms", &options->drain_interval_ms, 1, DRAIN_INTERVAL_MS_MAX},
        {"--drain-percent", &options->drain_percent, 1, 100},
        {"--feeds", &options->feeds, 1, 2},
        {"--frames-per-digest", &options->frames_per_digest, 1, 1000000},
        {"--handshakes-max", &options->handshakes_max, 1, RATE_MAX},
        {"--hang-up-after-s", &options->hang_up_after_s, 2, HANG_UP_AFTER_S_MAX},
        {"--sim-open-s", &options->sim.open_s, 0, TG__SIM_SECONDS_MAX},
        {"--sim-rate", &options->sim.ticks_per_s, TG__SIM_TICKS_PER_S_MIN, TG__SIM_TICKS_PER_S_MAX},
        {"--upgrade-burst", &options->upgrade_burst, 1, RATE_MAX},
        {"--upgrades-per-second", &options->upgrades_per_second, 1, RATE_MAX},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (strcmp(name, numbers[i].name) != 0) {
            continue;
        }
        uint64_t number = 0;
        if (!read_u64(value, numbers[i].max, &number) || number < numbers[i].min) {
            return tg__cause_set(cause, TG_ERR_INVALID_ARGUMENT,
                                 "%s %s: expected a whole number from %u to %u", name, value,
                                 (unsigned)numbers[i].min, (unsigned)numbers[i].max);
        }
        *numbers[i].number = (uint32_t)number;
        return TG_OK;
    }
    return TG_ERR_NOT_FOUND;
}

/* TG_ERR_NOT_FOUND: there is no such option. */
static tg_err take_value(tg__options *options, const char *name, const char *value,
                         tg__cause *cause)
{
    const char **text = text_option(options, name);
    if (text != NULL) {
        *text = value;
        return TG_OK;
    }
    for (size_t i = 0; i < sizeof shaped_options / sizeof shaped_options[0]; i++) {
        if (strcmp(name, shaped_options[i].name) == 0) {
            return shaped_options[i].take(options, value, cause);
        }
    }
    return take_number(options, name, value, cause);
}

/* What only a gateway that plays a market by itself can do. */
static bool is_market_option(const char *name)
{
    static const char *const names[] = {
        "--sim",    "--tape",       "--seed",        "--speed",
        "--loop",   "--feeds",      "--skew-ms",     "--write-tape",
        "--bus",    "--keep-times", "--merge-feeds", "--hold-until-subscribed",
        "--faults", "--tick-log",   "--metrics-dir", "--metrics-listen",
        "--record", "--sim-rate",   "--sim-open-s",  "--sim-release-s"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* market_option: one that was given, or NULL. */
static tg_err check_together(const tg__options *options, bool sim, const char *market_option,
                             tg__cause *cause)
{
    if (options->from_bus != NULL && market_option != NULL) {
        return tg__cause_set(cause, TG_ERR_INVALID_ARGUMENT,
                             "%s belongs to the node that plays the market, not to --from-bus",
                             market_option);
    }
    if (sim && options->tape != NULL) {
        return tg__cause_set(cause, TG_ERR_INVALID_ARGUMENT, "--sim and --tape exclude each other");
    }
    if (options->tape == NULL && (options->loop || options->merge_feeds || options->keep_times)) {
        return tg__cause_set(cause, TG_ERR_INVALID_ARGUMENT,
                             "--loop, --merge-feeds and --keep-times belong to --tape");
    }
    if (options->jwt_keys == NULL &&
        (options->jwt_issuer != NULL || options->jwt_audience != NULL)) {
        return tg__cause_set(cause, TG_ERR_INVALID_ARGUMENT,
                             "--jwt-issuer and --jwt-audience belong to --jwt-keys");
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
        .frames_per_digest = TG__FRAMES_PER_DIGEST,
        .drain_percent = TG__DRAIN_PERCENT,
        .drain_interval_ms = TG__DRAIN_INTERVAL_MS,
        .hang_up_after_s = TG__REACH_HANG_UP_S,
        .upgrades_per_second = 1200,
        .upgrade_burst = 2500,
        .handshakes_max = 64,
    };
    *options = defaults;
    options->sim = tg__sim_usual;
    bool sim = false;
    const char *market_option = NULL;
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i];
        market_option = is_market_option(name) ? name : market_option;
        if (strcmp(name, "--sim") == 0) {
            sim = true;
            continue;
        }
        if (take_flag(options, name)) {
            continue;
        }
        /* The last word has no value behind it; an empty one tells whether it needed one. */
        const tg_err err = take_value(options, name, i + 1 < argc ? argv[i + 1] : "", cause);
        if (err == TG_ERR_NOT_FOUND) {
            return tg__cause_set(cause, TG_ERR_INVALID_ARGUMENT,
                                 "%s: there is no such option; --help lists them", name);
        }
        if (i + 1 == argc) {
            return tg__cause_set(cause, TG_ERR_INVALID_ARGUMENT, "%s: its value is missing", name);
        }
        TG_TRY(err);
        i++;
        sim = sim || strncmp(name, "--sim-", strlen("--sim-")) == 0;
    }
    return check_together(options, sim, market_option, cause);
}
