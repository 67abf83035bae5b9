/*
 * Every fault that a gateway can be asked for, played to a real client over TLS, judged by an
 * oracle that reads the tape: nothing older is shown after something newer, nothing on the wrong
 * instrument, in the end everything is alive again within the fault's deadline and the tape's last
 * state, and the fault has left a trace, at the client or in the gateway's own counters.
 *
 * All cases run side by side: each is a gateway with a script, a client and a judge of its own.
 */
#include "tg_cmocka.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <tickglass/client.h>

#include "gateway_process.h"
#include "judged_client.h"
#include "kept_folder.h"
#include "metrics_page.h"

#define MARKET_MS     6000u
#define MARKET_SEED   UINT64_C(20261130)
#define PATIENCE_S    240 /* ends a run that would not end; no fault's deadline */
#define POLL_NS       50000000L
#define ARGUMENTS_MAX 16
#define STARTING_MAX  4u

/*
 * What a machine under sanitizers and other work may add to any deadline. Less than the accidents
 * that would hide a repair that does not work: the back-off's cap (15 s), the audits and the
 * gateways that are passed over (30 s), the hanging up (60 s). A machine that is busier still shows
 * in the run without a fault: how long nothing came there is added, too.
 */
#define SLACK_MS 12000

/* How a counter of the gateway's page differs from that of the run without a fault. */
typedef struct evidence {
    const char *counter; /* summed over its labels; NULL: none */
    int percent;         /* at least so much more; negative: at least so much less */
    int count;           /* and by so many more; 0: just more */
} evidence;

typedef struct fault_case {
    const char *name;
    const char *script;
    int from_ms;       /* of the script: then the fault is over, or as bad as it will be */
    int deadline_ms;   /* from there, by the design, until everything is alive again */
    unsigned expected; /* signs that must have been seen: a fault without effect proves nothing */
    unsigned excluded; /* signs that must not: the fault is to be unnoticed */
    evidence evidence; /* likewise, where no client can see it */
    const char *lost_venue;        /* NULL; or its rows end as not entitled */
    const char *frames_per_digest; /* NULL: 25 */
} fault_case;

#define UNNOTICED (SIGN_GAP | SIGN_RECONNECT | SIGN_REJECTED | SIGN_NEW_EPOCH | SIGN_NOT_ENTITLED)

/*
 * Where deadlines come from. A venue is live again with the boundary after its handlers (10 ms), a
 * frame is there after 40 ms: 500. A sequencer is away for 200: 700. The second of two holes waits
 * for a second after the first one's RESYNC, a RESYNC without an answer is asked again after two
 * and then four: 2,000, or 6,000 where the answer may be spoilt, too. A lost connection is tried
 * again within 500: 1,000; one that was closed, at the time that it was given and a second's
 * spread: 2,000, or 3,500 after a lost right. A silent one is given up after three heartbeats and
 * two seconds: 6,000. A clock that was set is known with the next ECHO, every 2 s: 3,000.
 */
static const fault_case cases[] = {
    {.name = "no fault", .script = "", .deadline_ms = 500, .excluded = UNNOTICED},
    /* So late that a row's id is no longer among the last ones: refused as older, not as known. */
    {.name = "a handler is late",
     .script = "1000 delay * B 400\n2500 delay * B 0\n",
     .from_ms = 2500,
     .deadline_ms = 500,
     .excluded = UNNOTICED,
     .evidence = {"rows_regression_total", 0, 0}},
    {.name = "the first handler is late",
     .script = "1000 delay * A 400\n2500 delay * A 0\n",
     .from_ms = 2500,
     .deadline_ms = 500,
     .excluded = UNNOTICED,
     .evidence = {"rows_regression_total", 0, 0}},
    {.name = "handlers reorder",
     .script = "1000 reorder * A 16\n1000 reorder * B 16\n3000 reorder * A 0\n3000 reorder * B "
               "0\n",
     .from_ms = 3000,
     .deadline_ms = 500,
     .excluded = UNNOTICED,
     .evidence = {"rows_regression_total", 0, 0}},
    {.name = "handlers duplicate",
     .script = "1000 duplicate * A 3\n1000 duplicate * B 2\n3000 duplicate * A 0\n3000 duplicate "
               "* B 0\n",
     .from_ms = 3000,
     .deadline_ms = 500,
     .excluded = UNNOTICED,
     .evidence = {"rows_duplicate_total", 10, 0}},
    {.name = "a handler loses ticks",
     .script = "1000 lose * A 200000\n3000 lose * A 0\n",
     .from_ms = 3000,
     .deadline_ms = 500,
     .excluded = UNNOTICED,
     .evidence = {"handler_rows_lost_by_fault_total", 0, 0}},
    /* Few: frames come no faster than one a second once the market has ended, and on a machine that
     * is late it ends soon. */
    {.name = "frames are dropped",
     .script = "1000 drop-frames 3\n2000 drop-frames 6\n",
     .from_ms = 2000,
     .deadline_ms = 2000,
     .expected = SIGN_GAP,
     .excluded = SIGN_RECONNECT},
    {.name = "frames are corrupt",
     .script = "1000 corrupt-frames 1\n2000 corrupt-frames 3\n",
     .from_ms = 2000,
     .deadline_ms = 6000,
     .expected = SIGN_GAP,
     .frames_per_digest = "1"},
    {.name = "a venue freezes",
     .script = "1000 freeze-venue ALPHA\n2500 thaw-venue ALPHA\n",
     .from_ms = 2500,
     .deadline_ms = 500,
     .expected = SIGN_NOT_ALIVE,
     .excluded = SIGN_RECONNECT},
    {.name = "each lane freezes",
     .script = "800 freeze-lane 0\n1200 thaw-lane 0\n1200 freeze-lane 1\n1600 thaw-lane 1\n"
               "1600 freeze-lane 2\n2000 thaw-lane 2\n2000 freeze-lane 3\n2400 thaw-lane 3\n",
     .from_ms = 2400,
     .deadline_ms = 500,
     .expected = SIGN_NOT_ALIVE,
     .excluded = SIGN_RECONNECT},
    {.name = "one handler dies",
     .script = "1000 kill ALPHA A\n1000 kill BETA B\n3000 revive ALPHA A\n",
     .from_ms = 3000,
     .deadline_ms = 500,
     .excluded = UNNOTICED,
     .evidence = {"rows_duplicate_total", -5, 0}},
    /* Its revival alone makes the standby take over: two kills, two times. */
    {.name = "the active handler of a venue without ids dies",
     .script = "1000 kill GAMMA A\n2500 revive GAMMA A\n4000 kill GAMMA B\n",
     .from_ms = 4000,
     .deadline_ms = 500,
     .excluded = SIGN_GAP | SIGN_RECONNECT,
     .evidence = {"take_overs_total", 0, 2}},
    {.name = "both handlers die",
     .script = "1000 kill ALPHA A\n1100 kill ALPHA B\n2500 revive ALPHA B\n3000 revive ALPHA A\n",
     .from_ms = 2500,
     .deadline_ms = 500,
     .expected = SIGN_NOT_ALIVE | SIGN_NEW_EPOCH,
     .excluded = SIGN_RECONNECT},
    {.name = "the sequencer restarts",
     .script = "1500 restart-sequencer\n",
     .from_ms = 1500,
     .deadline_ms = 700,
     .expected = SIGN_NEW_EPOCH},
    {.name = "the clock steps",
     .script = "1000 clock-step 3600000\n2500 clock-step -3600000\n",
     .from_ms = 2500,
     .deadline_ms = 3000,
     .expected = SIGN_CLOCK_SET},
    {.name = "a boundary is wrong",
     .script = "1000 wrong-boundary 7\n2000 wrong-boundary -5\n",
     .from_ms = 2000,
     .deadline_ms = 2000,
     .expected = SIGN_GAP},
    {.name = "the connection is half open",
     .script = "1000 half-open on\n8000 half-open off\n",
     .from_ms = 1000,
     .deadline_ms = 6000,
     .expected = SIGN_NOT_ALIVE | SIGN_RECONNECT},
    {.name = "the connection is reset",
     .script = "1500 reset-all\n",
     .from_ms = 1500,
     .deadline_ms = 1000,
     .expected = SIGN_RECONNECT},
    {.name = "the session is closed",
     .script = "1500 close-all 1012\n",
     .from_ms = 1500,
     .deadline_ms = 2000,
     .expected = SIGN_RECONNECT},
    {.name = "the certificate changes",
     .script = "1000 change-certificate\n1500 reset-all\n",
     .from_ms = 1500,
     .deadline_ms = 1000,
     .expected = SIGN_RECONNECT,
     .evidence = {"certificates_total", 0, 0}},
    {.name = "an entitlement is lost",
     .script = "1500 revoke BETA\n",
     .from_ms = 1500,
     .deadline_ms = 3500,
     .expected = SIGN_NOT_ENTITLED | SIGN_RECONNECT,
     .lost_venue = "BETA"},
};

#define CASES (sizeof cases / sizeof cases[0])

typedef struct run {
    const fault_case *what;
    gateway_process gateway;
    char script[64];
    judged_client own;
    judged_findings findings;
    bool done;
    long long recovery_ms; /* from from_ms; below 0: it was alive all the time since */
} run;

static publications published;

static int64_t mono_ns(void)
{
    struct timespec now = {0, 0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void write_script(run *r, const char *folder, size_t number)
{
    (void)snprintf(r->script, sizeof r->script, "%.40s/faults-%zu", folder, number);
    FILE *const file = fopen(r->script, "w");
    assert_non_null(file);
    (void)fputs(r->what->script, file);
    assert_int_equal(fclose(file), 0);
}

static void begin_run(run *r, const char *program, const char *folder, const char *tape,
                      const char *skew_ms, size_t number)
{
    const char *const digest =
        r->what->frames_per_digest != NULL ? r->what->frames_per_digest : "25";
    write_script(r, folder, number);
    const char *const arguments[ARGUMENTS_MAX] = {"--keep-times",
                                                  "--hold-until-subscribed",
                                                  "--tape",
                                                  tape,
                                                  "--feeds",
                                                  "2",
                                                  "--skew-ms",
                                                  skew_ms,
                                                  "--faults",
                                                  r->script,
                                                  "--frames-per-digest",
                                                  digest,
                                                  "--metrics-listen",
                                                  "127.0.0.1:0",
                                                  NULL};
    assert_true(gateway_process_begin(&r->gateway, program, arguments));
}

static void open_client(run *r, const char *tape)
{
    tg_client_options options;
    assert_true(gateway_process_await(&r->gateway));
    tg_client_options_init(&options);
    options.url = r->gateway.url;
    options.ca_file = r->gateway.ca;
    options.token = r->gateway.token;
    judged_client_open(&r->own, tape, r->what->lost_venue, &options, &published);
}

static void close_run(run *r)
{
    judged_client_close(&r->own);
    assert_int_equal(gateway_process_stop(&r->gateway), 0);
    (void)unlink(r->script);
}

/* What a busy machine does to a client after its end is no sign of the fault. */
static void look(run *r)
{
    if (r->done) {
        return;
    }
    judged_client_look(&r->own, &r->findings);
    if (r->findings.alive && r->findings.ended &&
        (r->findings.signs & r->what->expected) == r->what->expected) {
        r->done = true;
        r->recovery_ms = r->findings.alive_again_ns / 1000000 - r->what->from_ms;
    }
}

static void await_publication(uint64_t *seen)
{
    struct timespec until = {0, 0};
    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += POLL_NS; /* a row also ages without a publication */
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    (void)publications_await(&published, seen, &until);
}

static bool look_at_all(run *runs, size_t count)
{
    bool done = true;
    for (size_t i = 0; i < count; i++) {
        look(&runs[i]);
        done = done && runs[i].done;
    }
    return done;
}

/* A few at a time: where a handshake is slow, many at once would all be given up. */
static size_t start_more(run *runs, size_t started)
{
    size_t starting = 0;
    for (size_t i = 0; i < started; i++) {
        starting += runs[i].findings.judged == 0;
    }
    for (; started < CASES && starting < STARTING_MAX; starting++) {
        judged_client_start(&runs[started++].own);
    }
    return started;
}

static void play_all(run *runs)
{
    const int64_t deadline_ns = mono_ns() + PATIENCE_S * INT64_C(1000000000);
    size_t started = start_more(runs, 0);
    uint64_t seen = 0;
    while ((!look_at_all(runs, started) || started < CASES) && mono_ns() < deadline_ns) {
        started = start_more(runs, started);
        await_publication(&seen);
    }
}

/* ---- what the gateway counted ---- */

static double count_of(const run *r, const char *counter)
{
    static metrics_page page;
    metrics_page_read(&page, &r->gateway);
    return metrics_page_sum(&page, counter);
}

static bool is_shown_by(const evidence *e, double count, double without_fault)
{
    const double bound = without_fault * (100 + e->percent) / 100 + e->count;
    return e->percent < 0 ? count <= bound : count >= bound && count > without_fault;
}

static bool left_its_trace(const run *r, const run *without_fault)
{
    const evidence *const e = &r->what->evidence;
    if (e->counter == NULL) {
        return true;
    }
    const double count = count_of(r, e->counter);
    const double usual = count_of(without_fault, e->counter);
    print_message("    %s: %.0f, without a fault %.0f\n", e->counter, count, usual);
    return is_shown_by(e, count, usual);
}

/* silence_ms: of the run without a fault. */
static bool ended_well(run *r, const run *without_fault, long long silence_ms)
{
    const long long limit_ms = r->what->deadline_ms + SLACK_MS + silence_ms;
    const bool in_time = r->done && r->recovery_ms <= limit_ms;
    judged_findings last;
    judged_client_look(&r->own, &last);
    const bool clean = judged_findings_are_clean(&last);
    const bool unnoticed = (r->findings.signs & r->what->excluded) == 0;
    print_message("  %-50s %7llu values judged, signs 0x%02x, alive %6lld ms after it, at most "
                  "%lld\n",
                  r->what->name, (unsigned long long)r->findings.judged, r->findings.signs,
                  r->recovery_ms, limit_ms);
    const bool traced = r->done && left_its_trace(r, without_fault);
    if (!in_time || !clean || !unnoticed || !traced) {
        print_error("%s: FAILED%s%s%s%s; signs 0x%x of 0x%x, not 0x%x\n", r->what->name,
                    !r->done   ? ", not at its end"
                    : !in_time ? ", alive too late"
                               : "",
                    clean ? "" : ", the judge complains", unnoticed ? "" : ", it was noticed",
                    traced ? "" : ", no evidence", r->findings.signs, r->what->expected,
                    r->what->excluded);
        judged_client_report(&r->own, r->what->name, !r->done);
        return false;
    }
    return true;
}

static void every_fault_ends_well(void **state)
{
    static run runs[CASES];
    const char *const folder = *state;
    char tape[80];
    (void)snprintf(tape, sizeof tape, "%s/market.csv", folder);
    memset(runs, 0, sizeof runs);
    assert_true(fault_market_write(tape, MARKET_SEED, MARKET_MS));
    for (size_t i = 0; i < CASES; i++) {
        runs[i].what = &cases[i];
        begin_run(&runs[i], TG_GATEWAY_PROGRAM, folder, tape, "6:9", i);
    }
    for (size_t i = 0; i < CASES; i++) {
        open_client(&runs[i], tape);
    }
    play_all(runs);
    judged_findings usual;
    judged_client_look(&runs[0].own, &usual);
    unsigned failures = 0;
    for (size_t i = 0; i < CASES; i++) {
        failures += !ended_well(&runs[i], &runs[0], usual.silence_ns / 1000000);
    }
    for (size_t i = 0; i < CASES; i++) {
        close_run(&runs[i]);
    }
    (void)unlink(tape);
    assert_int_equal(failures, 0);
}

/* The judge can fail: lanes that admit everything show the second handler's older rows. */
static void without_admission_the_judge_sees_prices_go_back(void **state)
{
    static run r;
    const char *const folder = *state;
    char tape[80];
    (void)snprintf(tape, sizeof tape, "%s/market.csv", folder);
    memset(&r, 0, sizeof r);
    r.what = &cases[0];
    assert_true(fault_market_write(tape, MARKET_SEED, MARKET_MS));
    /* Farther apart than two frames, so that the older row is in the later one. */
    begin_run(&r, TG_NO_ADMISSION_PROGRAM, folder, tape, "60:90", 0);
    open_client(&r, tape);
    judged_client_start(&r.own);
    const int64_t deadline_ns = mono_ns() + PATIENCE_S * INT64_C(1000000000);
    uint64_t seen = 0;
    while (r.findings.regressions == 0 && mono_ns() < deadline_ns) {
        look(&r);
        await_publication(&seen);
    }
    close_run(&r);
    (void)unlink(tape);
    assert_true(r.findings.regressions > 0);
}

static int set_up(void **state)
{
    static char folder[] = "/tmp/tickglass-faults-XXXXXX";
    *state = mkdtemp(folder);
    kept_folder_made(folder);
    return *state != NULL && publications_init(&published) ? 0 : -1;
}

static int tear_down(void **state)
{
    publications_deinit(&published);
    return rmdir(*state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_admission_the_judge_sees_prices_go_back),
        cmocka_unit_test(every_fault_ends_well),
    };
    return cmocka_run_group_tests_name("integration.faults", tests, set_up, tear_down);
}
