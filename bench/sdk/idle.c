#include "idle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <integration/fault_market.h>
#include <integration/gateway_process.h>
#include <tickglass/client.h>

#include "samples.h"

#define LIVE_LIMIT_NS INT64_C(60000000000)
#define QUIET_S       4 /* until the last tick and the handshakes are long past */

typedef struct idle {
    char tape[64];
    gateway_process gateway;
    tg_client *clients[IDLE_CLIENTS];
} idle;

static bool say(const char *what)
{
    (void)fprintf(stderr, "bench_session: %s\n", what);
    return false;
}

static int64_t cpu_ns(void)
{
    struct rusage usage;
    (void)getrusage(RUSAGE_SELF, &usage);
    return ((int64_t)usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * INT64_C(1000000000) +
           ((int64_t)usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000;
}

/* Anonymous memory of this process that is really there; 0: not told. */
static double anonymous_bytes(void)
{
    FILE *const file = fopen("/proc/self/status", "r");
    char line[128];
    double kib = 0;
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "RssAnon:", 8) == 0) {
            kib = strtod(line + 8, NULL);
        }
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return kib * 1024;
}

static void pause_s(unsigned seconds)
{
    const int64_t until_ns = now_ns() + (int64_t)seconds * INT64_C(1000000000);
    for (int64_t left_ns = 1; left_ns > 0; left_ns = until_ns - now_ns()) {
        const struct timespec wait = {(time_t)(left_ns / 1000000000), (long)(left_ns % 1000000000)};
        (void)nanosleep(&wait, NULL);
    }
}

/* All of the quiet market: 18 instruments. */
static bool open_client(idle *i, unsigned index)
{
    tg_client_options options;
    tg_client_options_init(&options);
    options.url = i->gateway.url;
    options.ca_file = i->gateway.ca;
    options.token = i->gateway.token;
    if (tg_client_open(&options, &i->clients[index]) != TG_OK) {
        return say("no client");
    }
    for (size_t n = 0; n < FAULT_MARKET_INSTRUMENTS; n++) {
        char symbol[8];
        tg_sub_id sub;
        fault_market_symbol(n % FAULT_MARKET_SYMBOLS, symbol);
        if (tg_client_subscribe(i->clients[index], fault_market_venues[n / FAULT_MARKET_SYMBOLS],
                                symbol, &sub) != TG_OK) {
            return say("no subscription");
        }
    }
    return tg_client_start(i->clients[index]) == TG_OK || say("no thread");
}

static bool await_live(const idle *i)
{
    const int64_t until_ns = now_ns() + LIVE_LIMIT_NS;
    unsigned live = 0;
    while (live < IDLE_CLIENTS && now_ns() < until_ns) {
        live = 0;
        for (unsigned n = 0; n < IDLE_CLIENTS; n++) {
            live += tg_client_state(i->clients[n]) == TG_SESSION_LIVE;
        }
        const struct timespec wait = {0, 10000000};
        (void)nanosleep(&wait, NULL);
    }
    return live == IDLE_CLIENTS || say("the clients are not live within a minute");
}

static uint64_t frames_of(const idle *i)
{
    uint64_t frames = 0;
    for (unsigned n = 0; n < IDLE_CLIENTS; n++) {
        tg_client_counters counters = {.struct_size = sizeof counters};
        if (tg_client_counters_get(i->clients[n], &counters) == TG_OK) {
            frames += counters.frames;
        }
    }
    return frames;
}

static bool measure(idle *i, unsigned seconds, idle_result *result)
{
    const double before_bytes = anonymous_bytes();
    for (unsigned n = 0; n < IDLE_CLIENTS; n++) {
        if (!open_client(i, n)) {
            return false;
        }
    }
    if (!await_live(i)) {
        return false;
    }
    pause_s(QUIET_S);
    const uint64_t frames = frames_of(i);
    const int64_t from_ns = now_ns();
    const int64_t cpu_from_ns = cpu_ns();
    pause_s(seconds);
    const int64_t spent_ns = cpu_ns() - cpu_from_ns;
    const int64_t took_ns = now_ns() - from_ns;
    const uint64_t beats = frames_of(i) - frames;
    result->cpu_percent = 100.0 * (double)spent_ns / (double)took_ns / IDLE_CLIENTS;
    result->bytes = (anonymous_bytes() - before_bytes) / IDLE_CLIENTS;
    /* A heartbeat a second, perhaps one more at the edges: otherwise it was no quiet market. */
    return (beats > 0 && beats <= (seconds + 2u) * IDLE_CLIENTS) || say("this was no quiet market");
}

bool idle_measure(unsigned seconds, idle_result *result)
{
    idle i;
    memset(&i, 0, sizeof i);
    (void)snprintf(i.tape, sizeof i.tape, "/tmp/bench-session-%ld.csv", (long)getpid());
    const char *const arguments[] = {"--tape", i.tape, NULL};
    bool good = fault_market_write(i.tape, 1, 1) &&
                gateway_process_start(&i.gateway, TG_GATEWAY_PROGRAM, arguments);
    if (good) {
        good = measure(&i, seconds, result);
        for (unsigned n = 0; n < IDLE_CLIENTS; n++) {
            tg_client_close(i.clients[n]);
        }
        (void)gateway_process_stop(&i.gateway);
    }
    (void)unlink(i.tape);
    return good;
}
