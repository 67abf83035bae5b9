/*
 * tickglass-swarm: many terminals against one gateway, with the public headers and the shipped
 * library only.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "activity.h"
#include "reducer.h"
#include "swarm_program_options.h"
#include "swarm_report.h"
#include "tick_log_join.h"

#define EXIT_TROUBLE   1
#define EXIT_USAGE     2
#define TOKEN_SIZE_MAX 8192

static atomic_bool interrupted;

static void on_signal(int number)
{
    (void)number;
    atomic_store_explicit(&interrupted, true, memory_order_relaxed); /* all there is to see */
}

static int complain(int status, const char *text)
{
    (void)fprintf(stderr, "tickglass-swarm: %s\n", text);
    return status;
}

/* ---- reduce ---- */

static bool reduce_file(reduction *r, const char *path, why *reason)
{
    FILE *const file = fopen(path, "r");
    if (file == NULL) {
        return why_say(reason, "%s: %s", path, strerror(errno));
    }
    const bool good = reducer_add(r, file, path, reason);
    (void)fclose(file);
    return good;
}

static bool write_trace(const char *path, const trace *t, why *reason)
{
    FILE *const file = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
    bool good = file != NULL && trace_write(file, t);
    const int cause = errno;
    if (file != NULL && file != stdout) {
        good = fclose(file) == 0 && good;
    }
    return good || why_say(reason, "%s: %s", path, strerror(cause));
}

static int reduce(int argc, char **argv)
{
    reduction r;
    const char *out = NULL;
    why reason;
    bool good = true;
    int logs = 0;
    memset(&r, 0, sizeof r);
    for (int i = 2; i < argc && good; i++) {
        if (strcmp(argv[i], "--out") == 0) {
            out = i + 1 < argc ? argv[++i] : NULL;
        } else {
            logs++;
            good = reduce_file(&r, argv[i], &reason);
        }
    }
    if (good && (out == NULL || logs == 0)) {
        return complain(EXIT_USAGE, "reduce LOG... --out TRACE");
    }
    good = good && reducer_finish(&r, &reason) && write_trace(out, &r.events, &reason);
    if (good) {
        (void)fprintf(stderr,
                      "%zu events; %zu other lines, %zu ends whose beginning is in no log\n",
                      r.events.count, r.passed_over, r.unopened);
    }
    trace_deinit(&r.events);
    return good ? 0 : complain(EXIT_TROUBLE, reason.text);
}

/* ---- a run ---- */

typedef struct run {
    swarm_program_options options;
    char token[TOKEN_SIZE_MAX];
    gateway_address gateway;
    names directory;
    trace trace;
    plan plan;
    swarm *swarm;
    swarm_report report;
} run;

static bool read_token(run *r, why *reason)
{
    const char *const path = r->options.token_file;
    if (path == NULL) {
        return true;
    }
    FILE *const file = fopen(path, "r");
    const bool good = file != NULL && fgets(r->token, sizeof r->token, file) != NULL;
    if (file != NULL) {
        (void)fclose(file);
    }
    r->token[strcspn(r->token, "\r\n")] = '\0';
    r->gateway.token = r->token;
    return (good && r->token[0] != '\0') || why_say(reason, "%s: no token in it", path);
}

static bool make_trace(run *r, why *reason)
{
    const char *const path = r->options.trace_file;
    if (path == NULL) {
        scenario_generate(&r->options.scenario, &r->trace);
    } else {
        FILE *const file = fopen(path, "r");
        if (file == NULL) {
            return why_say(reason, "%s: %s", path, strerror(errno));
        }
        const bool good = trace_read(file, path, &r->trace, reason);
        (void)fclose(file);
        if (!good) {
            return false;
        }
        r->options.scenario.clients = (uint32_t)trace_peak(&r->trace);
    }
    return r->options.write_trace == NULL || write_trace(r->options.write_trace, &r->trace, reason);
}

static bool find_instruments(run *r, why *reason)
{
    const char *const list = r->options.instruments;
    const bool good = list != NULL ? names_read(&r->directory, list, reason)
                                   : names_find(&r->directory, &r->gateway, reason);
    return good && (r->options.uniform || activity_weigh(&r->directory, &r->gateway, reason));
}

static bool open_swarm(run *r, why *reason)
{
    const swarm_program_options *const o = &r->options;
    const int64_t last_ms = r->trace.events[r->trace.count - 1].time_ms;
    const swarm_options options = {
        .gateway = r->gateway,
        .directory = &r->directory,
        .sizes = &o->sizes,
        .clients = o->scenario.clients,
        .lists = o->lists,
        .stepped = o->stepped ? o->scenario.clients : 0,
        .seconds = o->seconds + (uint32_t)(last_ms / 1000),
        .seed = o->scenario.seed,
    };
    plan_init(&r->plan, &r->trace, options.clients, options.seed);
    return swarm_open(&options, &r->swarm, reason);
}

static void measure(run *r)
{
    swarm_report *const report = &r->report;
    tg_histogram *const newest = latency_open();
    report->clients = swarm_count(r->swarm);
    report->live = swarm_live(r->swarm);
    swarm_measure_end(r->swarm);
    report->seconds = swarm_measured_s(r->swarm);
    swarm_frames_of(r->swarm, 0, report->clients, &report->frames);
    (void)usage_of(getpid(), &report->used);
    swarm_leave_all(r->swarm);
    swarm_counts_of(r->swarm, 0, report->clients, &report->counts);
    for (uint32_t i = 0; i < report->clients; i++) {
        if (tg_histogram_add(newest, swarm_at(r->swarm, i)->newest) != TG_OK) {
            (void)complain(0, "a histogram does not fit");
        }
    }
    latency_summarise(newest, &report->newest);
    tg_histogram_close(newest);
}

static bool join(run *r, why *reason)
{
    tick_log *log = NULL;
    tick_latency latency;
    if (r->options.tick_log == NULL) {
        return true;
    }
    if (!tick_log_open(r->options.tick_log, &log, reason)) {
        return false;
    }
    tick_latency_open(&latency);
    for (uint32_t i = 0; i < swarm_count(r->swarm); i++) {
        tick_log_join(&latency, &swarm_at(r->swarm, i)->samples, TIME_WINDOW_ALL, log);
    }
    latency_summarise(latency.oldest, &r->report.oldest);
    r->report.unmatched = latency.unmatched;
    tick_latency_close(&latency);
    tick_log_close(log);
    return true;
}

static bool play(run *r, why *reason)
{
    swarm_measure_begin(r->swarm);
    if (!swarm_run(r->swarm, &r->plan, &interrupted, reason)) {
        return false;
    }
    for (uint32_t i = 0; i < r->options.seconds * 10; i++) {
        if (!atomic_load_explicit(&interrupted, memory_order_relaxed)) {
            swarm_sleep(r->swarm, 100);
        }
    }
    measure(r);
    return join(r, reason);
}

/* One descriptor a connection and some for each library: as many as the administrator allows. */
static void raise_descriptor_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static int run_swarm(int argc, char **argv)
{
    static run r;
    why reason;
    if (!swarm_program_options_parse(&r.options, argc, argv, &reason)) {
        return complain(EXIT_USAGE, reason.text);
    }
    if (r.options.help) {
        (void)fputs(swarm_program_help, stdout);
        return 0;
    }
    raise_descriptor_limit();
    (void)signal(SIGINT, on_signal);
    (void)signal(SIGTERM, on_signal);
    r.gateway.url = r.options.url;
    r.gateway.ca_file = r.options.ca_file;
    const bool good = read_token(&r, &reason) && make_trace(&r, &reason) &&
                      find_instruments(&r, &reason) && open_swarm(&r, &reason) && play(&r, &reason);
    if (good && r.options.json) {
        swarm_report_json(&r.report, stdout);
    } else if (good) {
        swarm_report_text(&r.report, stdout);
    }
    swarm_close(r.swarm);
    plan_deinit(&r.plan);
    trace_deinit(&r.trace);
    names_deinit(&r.directory);
    memset(r.token, 0, sizeof r.token);
    return good ? 0 : complain(EXIT_TROUBLE, reason.text);
}

int main(int argc, char **argv)
{
    return argc > 1 && strcmp(argv[1], "reduce") == 0 ? reduce(argc, argv) : run_swarm(argc, argv);
}
