#include "swarm_program_options.h"

#include <string.h>

#define CLIENTS_MAX 4000u
#define SECONDS_MAX 86400u

const char swarm_program_help[] =
    "tickglass-swarm - many terminals against one gateway, in one process\n"
    "\n"
    "  tickglass-swarm [OPTIONS] URL\n"
    "  tickglass-swarm reduce LOG... --out TRACE\n"
    "                           connection logs of gateways become a trace (--out -: stdout)\n"
    "\n"
    "  --ca FILE                PEM; default: the system's trust store\n"
    "  --token-file FILE        the bearer token\n"
    "  --clients N              default 200; with --trace: the most that it has at once\n"
    "  --watchlist-sizes SPEC   SIZE:PERCENT,... or a file with one a line\n"
    "                           (default 10:50,40:30,120:20)\n"
    "  --lists N                different watchlists among the clients (default: one for each)\n"
    "  --instruments LIST       NAME,... or @FILE; default: the gateway's directory\n"
    "  --uniform                draw them evenly; default: by how busy they are\n"
    "  --scenario NAME          when they come and go: open, release, deploy, vpn-loss\n"
    "                           (default open); deploy: drain the gateway meanwhile\n"
    "  --within SECONDS         connecting takes so long in all (default 5)\n"
    "  --share PERCENT          who is cut off by vpn-loss (default 30)\n"
    "  --trace FILE             the same from a file: time_ms,event with connect, close, reset\n"
    "  --write-trace FILE       what was played\n"
    "  --seconds N              measured from the first connect to N seconds after the last\n"
    "                           step (default 10)\n"
    "  --tick-log FILE          the gateway's, read at the end: latency of the oldest tick too\n"
    "  --step                   drive all clients from one loop instead of a thread each\n"
    "  --seed N                 of sizes, watchlists and scenario (default 1)\n"
    "  --json                   one line of JSON\n"
    "  --help\n";

static bool read_number(const char *option, const char *value, uint64_t max, uint64_t *out,
                        why *reason)
{
    uint64_t number = 0;
    bool good = *value != '\0';
    for (const char *at = value; *at != '\0' && good; at++) {
        good = *at >= '0' && *at <= '9' && number <= (max - (uint64_t)(*at - '0')) / 10;
        number = number * 10 + (uint64_t)(*at - '0');
    }
    if (!good || number > max) {
        return why_say(reason, "%s %s: expected a number up to %llu", option, value,
                       (unsigned long long)max);
    }
    *out = number;
    return true;
}

static bool take_flag(swarm_program_options *o, const char *name)
{
    bool *const flag = strcmp(name, "--step") == 0      ? &o->stepped
                       : strcmp(name, "--json") == 0    ? &o->json
                       : strcmp(name, "--uniform") == 0 ? &o->uniform
                       : strcmp(name, "--help") == 0    ? &o->help
                                                        : NULL;
    if (flag != NULL) {
        *flag = true;
    }
    return flag != NULL;
}

static const char **text_of(swarm_program_options *o, const char *name)
{
    const struct {
        const char *name;
        const char **text;
    } texts[] = {
        {"--ca", &o->ca_file},        {"--token-file", &o->token_file},
        {"--trace", &o->trace_file},  {"--write-trace", &o->write_trace},
        {"--tick-log", &o->tick_log}, {"--instruments", &o->instruments},
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (strcmp(name, texts[i].name) == 0) {
            return texts[i].text;
        }
    }
    return NULL;
}

static bool take_number(swarm_program_options *o, const char *name, const char *value, why *reason)
{
    uint64_t number = 0;
    if (strcmp(name, "--seed") == 0) {
        return read_number(name, value, UINT64_MAX, &o->scenario.seed, reason);
    }
    const struct {
        const char *name;
        uint32_t *number;
        uint32_t max;
        uint32_t times;
    } numbers[] = {
        {"--clients", &o->scenario.clients, CLIENTS_MAX, 1},
        {"--lists", &o->lists, CLIENTS_MAX, 1},
        {"--within", &o->scenario.within_ms, SECONDS_MAX, 1000},
        {"--share", &o->scenario.share_percent, 100, 1},
        {"--seconds", &o->seconds, SECONDS_MAX, 1},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (strcmp(name, numbers[i].name) == 0) {
            if (!read_number(name, value, numbers[i].max, &number, reason)) {
                return false;
            }
            *numbers[i].number = (uint32_t)number * numbers[i].times;
            return true;
        }
    }
    return why_say(reason, "%s: unknown option; --help lists them", name);
}

static bool take_option(swarm_program_options *o, const char *name, const char *value, why *reason)
{
    const char **const text = text_of(o, name);
    if (text != NULL) {
        *text = value;
        return true;
    }
    if (strcmp(name, "--watchlist-sizes") == 0) {
        why what;
        return distribution_parse(value, &o->sizes, &what) ||
               why_say(reason, "%s: %s", name, what.text);
    }
    if (strcmp(name, "--scenario") == 0) {
        return scenario_parse(value, &o->scenario.kind) ||
               why_say(reason, "%s %s: expected open, release, deploy or vpn-loss", name, value);
    }
    return take_number(o, name, value, reason);
}

static void set_defaults(swarm_program_options *o)
{
    why unused;
    memset(o, 0, sizeof *o);
    o->scenario = (scenario){SCENARIO_OPEN, 200, 5000, 30, 1};
    o->seconds = 10;
    (void)distribution_parse("10:50,40:30,120:20", &o->sizes, &unused);
}

bool swarm_program_options_parse(swarm_program_options *out, int argc, char *const *argv,
                                 why *reason)
{
    set_defaults(out);
    for (int i = 1; i < argc; i++) {
        const char *const name = argv[i];
        if (name[0] != '-') {
            if (out->url != NULL) {
                return why_say(reason, "%s: one URL only, and it is %s", name, out->url);
            }
            out->url = name;
            continue;
        }
        if (take_flag(out, name)) {
            continue;
        }
        if (i + 1 == argc) {
            return why_say(reason, "%s: unknown, or its value is missing", name);
        }
        if (!take_option(out, name, argv[++i], reason)) {
            return false;
        }
    }
    if (out->url == NULL && !out->help) {
        return why_say(reason, "no URL; --help shows how");
    }
    return out->help || out->scenario.clients > 0 || why_say(reason, "--clients 0: nobody");
}
