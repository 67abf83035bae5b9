#include "tg_cmocka.h"

#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/hlog.h>

#include "engine_rig.h"
#include "engine_state.h"

#define EVERYBODY   UINT32_C(1000000)
#define INSTRUMENTS 8u
#define REPORTS_MAX 64u
#define S           (1000 * RIG_MS)

/* What one client reported. */
typedef struct reporter {
    rig r;
    uint32_t count;
    struct {
        int64_t at_ns;
        uint8_t stage;
        uint32_t interval_ms;
        uint64_t values;
    } reports[REPORTS_MAX];
    uint32_t of_stage[TG_STAGE_COUNT];
    uint64_t values[TG_STAGE_COUNT];
} reporter;

static void take_action(void *ctx, int64_t now_ns, const tg__action *action)
{
    reporter *c = ctx;
    if (action->kind != TG__ACTION_SEND || action->as.send.bytes[0] != TG__KIND_REPORT) {
        return;
    }
    tg__report report;
    tg__fault fault;
    tg_histogram *histogram = NULL;
    tg_histogram_summary summary;
    assert_int_equal(
        tg__report_decode(action->as.send.bytes, action->as.send.size, &report, &fault), TG_OK);
    assert_int_equal(tg__hlog_decode(report.text, report.text_size, &histogram), TG_OK);
    tg_histogram_summary_get(histogram, &summary);
    tg_histogram_close(histogram);
    assert_true(c->count < REPORTS_MAX && report.stage < TG_STAGE_COUNT);
    c->reports[c->count].at_ns = now_ns;
    c->reports[c->count].stage = report.stage;
    c->reports[c->count].interval_ms = report.interval_ms;
    c->reports[c->count].values = summary.count;
    c->count++;
    c->of_stage[report.stage]++;
    c->values[report.stage] += summary.count;
}

static void open_reporter(reporter *c, uint32_t share_ppm, uint64_t seed)
{
    memset(c, 0, sizeof *c);
    rig_open_with_reports(&c->r, INSTRUMENTS, share_ppm, seed);
    c->r.on_action = take_action;
    c->r.on_action_ctx = c;
}

static uint64_t counted(const _Atomic uint64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

/* Each of them is one value of each stage. */
static uint64_t frames_of(const reporter *c)
{
    return counted(&tg__engine_counters_of(c->r.engine)->frames);
}

/* A frame a second, and what else is due. */
static void live_for(reporter *c, unsigned seconds)
{
    for (unsigned i = 0; i < seconds; i++) {
        sim_market_tick(&c->r.market, (tg_instrument_id)(i % 2), (int64_t)i);
        sim_market_step(&c->r.market);
        sim_session_frame(&c->r.session);
        rig_deliver(&c->r);
        rig_advance(&c->r, S);
        rig_deliver(&c->r);
    }
}

static void begin(reporter *c)
{
    rig_subscribe(&c->r, 0, 0);
    rig_subscribe(&c->r, 1, 1);
    rig_go_live(&c->r);
}

static void a_member_reports_each_stage_once_a_period(void **state)
{
    (void)state;
    static reporter c;
    open_reporter(&c, EVERYBODY, 11);
    begin(&c);
    const int64_t began_ns = c.r.now_ns;
    live_for(&c, 600);
    int64_t last_ns[TG_STAGE_COUNT] = {began_ns, began_ns};
    bool first[TG_STAGE_COUNT] = {true, true};
    for (uint32_t i = 0; i < c.count; i++) {
        const uint8_t stage = c.reports[i].stage;
        const int64_t passed_ns = c.reports[i].at_ns - last_ns[stage];
        assert_true(passed_ns >= (first[stage] ? 10 : 60) * S);
        assert_true(passed_ns <= (first[stage] ? 60 : 66) * S);
        assert_int_equal(c.reports[i].interval_ms, passed_ns / RIG_MS);
        last_ns[stage] = c.reports[i].at_ns;
        first[stage] = false;
    }
    for (int stage = 0; stage < TG_STAGE_COUNT; stage++) {
        assert_in_range(c.of_stage[stage], 9, 10);
        /* Every frame was reported once, but for those since the last report. */
        tg_histogram_summary rest;
        tg_histogram_summary_get(c.r.engine->reports[stage].values, &rest);
        assert_int_equal(c.values[stage] + rest.count, frames_of(&c));
    }
    assert_int_equal(counted(&c.r.engine->counters.reports_sent), c.count);
    assert_int_equal(counted(&c.r.engine->counters.reports_failed), 0);
    rig_close(&c.r);
}

static void a_client_that_was_not_asked_to_or_not_drawn_reports_nothing(void **state)
{
    (void)state;
    static const uint32_t shares_ppm[] = {0, 5000};
    static reporter c;
    for (unsigned i = 0; i < 2; i++) {
        open_reporter(&c, shares_ppm[i], 11);
        assert_null(c.r.engine->reports[TG_STAGE_DECODE].values);
        begin(&c);
        live_for(&c, 200);
        assert_int_equal(c.count, 0);
        assert_int_equal(counted(&c.r.engine->counters.reports_sent), 0);
        rig_close(&c.r);
    }
}

static unsigned members_of(uint32_t share_ppm, uint64_t seeds)
{
    unsigned members = 0;
    tg__engine *engine = calloc(1, sizeof *engine);
    assert_non_null(engine);
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        engine->random.state = seed;
        assert_int_equal(tg__engine_report_open(engine, share_ppm), TG_OK);
        members += engine->reports[TG_STAGE_DECODE].values != NULL;
        /* Who sets no share has the jitter that the seed had before there were reports. */
        assert_true((engine->random.state == seed) == (share_ppm == 0));
        tg__engine_report_close(engine);
        memset(engine->reports, 0, sizeof engine->reports);
    }
    free(engine);
    return members;
}

static void the_cohort_is_about_its_share_of_the_clients(void **state)
{
    (void)state;
    /* Four standard deviations each way. */
    assert_int_equal(members_of(0, 10000), 0);
    assert_in_range(members_of(5000, 10000), 22, 78);
    assert_in_range(members_of(250000, 10000), 2327, 2673);
    assert_int_equal(members_of(EVERYBODY, 1000), 1000);
    assert_int_equal(members_of(5000, 10000), members_of(5000, 10000)); /* the seed decides */
    static rig r;
    rig_open(&r, INSTRUMENTS);
    assert_int_equal(tg__engine_report_open(r.engine, EVERYBODY + 1), TG_ERR_INVALID_ARGUMENT);
    rig_close(&r);
}

static void a_fleet_that_came_at_once_does_not_report_at_once(void **state)
{
    (void)state;
    unsigned of_ten_seconds[5] = {0};
    tg__engine *engine = calloc(1, sizeof *engine);
    assert_non_null(engine);
    for (uint64_t seed = 1; seed <= 500; seed++) {
        engine->random.state = seed;
        assert_int_equal(tg__engine_report_open(engine, EVERYBODY), TG_OK);
        tg__engine_report_begin(engine, 5 * S);
        for (int stage = 0; stage < TG_STAGE_COUNT; stage++) {
            const int64_t after_ns = engine->reports[stage].at_ns - 5 * S;
            assert_in_range(after_ns, 10 * S, 60 * S);
            of_ten_seconds[after_ns < 60 * S ? after_ns / (10 * S) - 1 : 4]++;
        }
        tg__engine_report_close(engine);
        memset(engine->reports, 0, sizeof engine->reports);
    }
    free(engine);
    for (unsigned i = 0; i < 5; i++) { /* of 1,000 */
        assert_in_range(of_ten_seconds[i], 149, 251);
    }
}

static void a_report_that_is_due_in_a_gap_waits_for_its_end(void **state)
{
    (void)state;
    static reporter c;
    open_reporter(&c, EVERYBODY, 12);
    begin(&c);
    const int64_t due_ns = tg__engine_report_deadline(c.r.engine);
    live_for(&c, (unsigned)((due_ns - c.r.now_ns) / S));
    assert_int_equal(c.count, 0);
    for (unsigned i = 0; i < 2; i++) { /* the first of two frames is lost */
        sim_market_tick(&c.r.market, 0, 1000 + i);
        sim_market_step(&c.r.market);
        sim_session_frame(&c.r.session);
    }
    assert_non_null(sim_session_take(&c.r.session));
    c.r.deaf = true; /* and so is the RESYNC */
    rig_deliver(&c.r);
    assert_int_equal(tg__engine_state_of(c.r.engine), TG__ENGINE_RESYNCING);
    rig_advance(&c.r, due_ns + 2 * S - c.r.now_ns); /* timers ring meanwhile: RESYNC is repeated */
    assert_int_equal(tg__engine_state_of(c.r.engine), TG__ENGINE_RESYNCING);
    assert_int_equal(c.count, 0);
    c.r.deaf = false;
    while (tg__engine_state_of(c.r.engine) != TG__ENGINE_LIVE) {
        rig_advance(&c.r, 100 * RIG_MS);
        rig_deliver(&c.r);
    }
    rig_advance(&c.r, 1);
    assert_true(c.count > 0);
    rig_close(&c.r);
}

static void what_a_lost_session_did_not_report_is_in_the_next_one(void **state)
{
    (void)state;
    static reporter c;
    open_reporter(&c, EVERYBODY, 13);
    begin(&c);
    const int64_t began_ns = c.r.now_ns;
    live_for(&c, 5); /* no report comes in the first ten seconds of a session */
    assert_int_equal(rig_closed(&c.r, TG__CAUSE_LOST, 0, 0), TG_OK);
    rig_await_attempt(&c.r);
    rig_go_live(&c.r);
    live_for(&c, 61);
    assert_true(c.of_stage[TG_STAGE_DECODE] == 1 && c.of_stage[TG_STAGE_COMMIT] == 1);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(c.reports[i].interval_ms, (c.reports[i].at_ns - began_ns) / RIG_MS);
        tg_histogram_summary rest;
        tg_histogram_summary_get(c.r.engine->reports[c.reports[i].stage].values, &rest);
        assert_int_equal(c.reports[i].values + rest.count, frames_of(&c));
    }
    rig_close(&c.r);
}

static void a_stage_without_values_is_left_out(void **state)
{
    (void)state;
    static reporter c;
    open_reporter(&c, EVERYBODY, 14);
    rig_go_live(&c.r); /* nothing is followed: no frame comes */
    for (unsigned i = 0; i < 200; i++) {
        rig_advance(&c.r, S);
        rig_deliver(&c.r);
    }
    assert_int_equal(tg__engine_state_of(c.r.engine), TG__ENGINE_LIVE);
    assert_int_equal(c.count, 0);
    assert_int_equal(counted(&c.r.engine->counters.reports_failed), 0);
    rig_close(&c.r);
}

static void a_histogram_that_no_message_holds_is_counted_and_lost(void **state)
{
    (void)state;
    static reporter c;
    open_reporter(&c, EVERYBODY, 15);
    begin(&c);
    for (int64_t value = 1; value < 40000000; value += value / 1000 + 1) {
        tg__engine_report_value(c.r.engine, TG_STAGE_COMMIT, value);
    }
    live_for(&c, 61);
    assert_int_equal(c.of_stage[TG_STAGE_DECODE], 1);
    assert_int_equal(c.of_stage[TG_STAGE_COMMIT], 0);
    assert_int_equal(counted(&c.r.engine->counters.reports_failed), 1);
    assert_int_equal(tg__engine_state_of(c.r.engine), TG__ENGINE_LIVE);
    live_for(&c, 66);
    assert_int_equal(c.of_stage[TG_STAGE_COMMIT], 1); /* of what came after it */
    rig_close(&c.r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_member_reports_each_stage_once_a_period),
        cmocka_unit_test(a_client_that_was_not_asked_to_or_not_drawn_reports_nothing),
        cmocka_unit_test(the_cohort_is_about_its_share_of_the_clients),
        cmocka_unit_test(a_fleet_that_came_at_once_does_not_report_at_once),
        cmocka_unit_test(a_report_that_is_due_in_a_gap_waits_for_its_end),
        cmocka_unit_test(what_a_lost_session_did_not_report_is_in_the_next_one),
        cmocka_unit_test(a_stage_without_values_is_left_out),
        cmocka_unit_test(a_histogram_that_no_message_holds_is_counted_and_lost),
    };
    return cmocka_run_group_tests_name("sdk.engine_report", tests, NULL, NULL);
}
