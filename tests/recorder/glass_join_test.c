/*
 * A gateway's record and a terminal's, made by hand: what they say is told apart by the formats of
 * the calls, so these are the same as in the programs. With the programs themselves:
 * tests/demo-terminal/tick_to_glass_test.c.
 */
#include "tg_cmocka.h"

#include <inttypes.h>
#include <string.h>

#include <tickglass/recorder.h>

#include "glass_join.h"
#include "scratch_dir.h"

#define US  INT64_C(1000)
#define MS  (1000 * US)
#define S   (1000 * MS)
#define UTC INT64_C(1796066105000000000)

/* The gateway's clocks, by those of the terminal. */
#define GATEWAY_AHEAD (5 * S)
#define WALL_AHEAD    (3 * S)

enum {
    TICKS = 400
};

typedef struct hand_clock {
    int64_t mono_ns;
    int64_t utc_ahead_ns;
} hand_clock;

static int64_t mono_of(void *ctx)
{
    return ((const hand_clock *)ctx)->mono_ns;
}

static int64_t utc_of(void *ctx)
{
    const hand_clock *clock = ctx;
    return UTC + clock->mono_ns + clock->utc_ahead_ns;
}

typedef struct fixture {
    scratch_dir dir;
    char gateway_path[600];
    char terminal_path[600];
    hand_clock gateway_clock;
    hand_clock terminal_clock;
    tg_recorder *gateway;
    tg_recorder *terminal;
    tg__log_file files[2];
    tg__glass_result result;
    tg__glass_tick ticks[TICKS];
    size_t tick_count;
} fixture;

static tg_recorder *open_recorder(const fixture *f, const char *path, hand_clock *clock)
{
    const tg_clock given = {mono_of, utc_of, clock, NULL};
    tg_recorder_options opt;
    tg_recorder_options_init(&opt);
    opt.path = path;
    opt.rings_dir = f->dir.path;
    opt.host_driven = true;
    opt.clock = &given;
    opt.ring_size = UINT32_C(64) << 20;
    tg_recorder *recorder = NULL;
    assert_int_equal(tg_recorder_open(&opt, &recorder), TG_OK);
    return recorder;
}

static void set_up(fixture *f)
{
    memset(f, 0, sizeof *f);
    f->dir = scratch_make();
    (void)scratch_name(&f->dir, "gateway.tgrec", f->gateway_path, sizeof f->gateway_path);
    (void)scratch_name(&f->dir, "terminal.tgrec", f->terminal_path, sizeof f->terminal_path);
    f->terminal_clock.mono_ns = 100 * S;
    f->gateway_clock.mono_ns = 100 * S + GATEWAY_AHEAD;
    f->gateway_clock.utc_ahead_ns = WALL_AHEAD - GATEWAY_AHEAD;
    f->gateway = open_recorder(f, f->gateway_path, &f->gateway_clock);
    f->terminal = open_recorder(f, f->terminal_path, &f->terminal_clock);
}

static void set_time(fixture *f, int64_t terminal_ns)
{
    f->terminal_clock.mono_ns = terminal_ns;
    f->gateway_clock.mono_ns = terminal_ns + GATEWAY_AHEAD;
}

/* ---- what the gateway writes ---- */

static void instrument(const fixture *f, uint32_t id, const char *venue, const char *symbol)
{
    TG_RECORD(f->gateway, TG_RECORD_INFO, "instrument %" PRIu32 " is %s:%s", id, venue, symbol);
}

typedef struct version {
    uint32_t instrument;
    uint32_t epoch;
    uint64_t seq;
} version;

static void row_of_turn(const fixture *f, version v, int64_t due_ns, const int64_t turn_ns[2],
                        int64_t queued_ns)
{
    TG_RECORD_AT(f->gateway, TG_RECORD_INFO, queued_ns,
                 "row of instrument %" PRIu32 " epoch %" PRIu32 " seq %" PRIu64
                 " due_mono_ns %" PRId64 " taken_mono_ns %" PRId64 " ended_mono_ns %" PRId64
                 " queued_mono_ns %" PRId64,
                 v.instrument, v.epoch, v.seq, due_ns, turn_ns[0], turn_ns[1], queued_ns);
}

static void row(const fixture *f, version v, int64_t due_ns, int64_t taken_ns, int64_t queued_ns)
{
    const int64_t turn_ns[] = {taken_ns, taken_ns};
    row_of_turn(f, v, due_ns, turn_ns, queued_ns);
}

static void frame(const fixture *f, uint64_t boundary, int64_t begun_ns, int64_t queued_ns)
{
    TG_RECORD_AT(f->gateway, TG_RECORD_INFO, queued_ns,
                 "frame to boundary %" PRIu64 " begun_mono_ns %" PRId64 " queued_mono_ns %" PRId64
                 " rows %" PRIu32,
                 boundary, begun_ns, queued_ns, UINT32_C(1));
}

static void written(const fixture *f, uint64_t connection, int64_t queued_ns, int64_t written_ns)
{
    TG_RECORD_AT(f->gateway, TG_RECORD_INFO, written_ns,
                 "connection %" PRIu64 " queued_mono_ns %" PRId64 " written_mono_ns %" PRId64,
                 connection, queued_ns, written_ns);
}

static void echo_seen(const fixture *f, uint64_t connection, uint64_t cookie, int64_t seen_ns)
{
    TG_RECORD_AT(f->gateway, TG_RECORD_INFO, seen_ns,
                 "connection %" PRIu64 " echo %" PRIu64 " seen_mono_ns %" PRId64, connection,
                 cookie, seen_ns);
}

/* ---- and the terminal ---- */

static void slot(const fixture *f, size_t number, const char *venue, const char *symbol)
{
    TG_RECORD(f->terminal, TG_RECORD_INFO, "slot %zu is %s:%s", number, venue, symbol);
}

static void echo(const fixture *f, uint64_t cookie, int64_t sent_ns, int64_t received_ns)
{
    TG_RECORD_AT(f->terminal, TG_RECORD_INFO, received_ns,
                 "echo %" PRIu64 " sent_mono_ns %" PRId64 " received_mono_ns %" PRId64, cookie,
                 sent_ns, received_ns);
}

static void visible(const fixture *f, int64_t received_ns, int64_t visible_ns)
{
    TG_RECORD_AT(f->terminal, TG_RECORD_INFO, visible_ns,
                 "view %" PRIu64 " received_mono_ns %" PRId64 " visible_mono_ns %" PRId64,
                 UINT64_C(1), received_ns, visible_ns);
}

static void shows(const fixture *f, uint64_t pass, size_t number, version v, int64_t received_ns,
                  int64_t decoded_ns)
{
    TG_RECORD(f->terminal, TG_RECORD_INFO,
              "pass %" PRIu64 " shows slot %zu epoch %" PRIu32 " seq %" PRIu64
              " received_mono_ns %" PRId64 " committed_mono_ns %" PRId64
              " exchange_utc_ns %" PRId64,
              pass, number, v.epoch, v.seq, received_ns, decoded_ns, INT64_C(0));
}

static void handed(const fixture *f, uint64_t pass, int64_t pinned_ns, int64_t drawn_ns,
                   int64_t handed_ns)
{
    TG_RECORD_AT(f->terminal, TG_RECORD_INFO, handed_ns,
                 "pass %" PRIu64 " handed off view %" PRIu64 " cells %zu pinned_mono_ns %" PRId64
                 " drawn_mono_ns %" PRId64 " handed_mono_ns %" PRId64 " handed_utc_ns %" PRId64,
                 pass, UINT64_C(1), (size_t)1, pinned_ns, drawn_ns, handed_ns, INT64_C(0));
}

/* ---- joining ---- */

static void take(void *ctx, const tg__glass_tick *tick)
{
    fixture *f = ctx;
    assert_true(f->tick_count < TICKS);
    f->ticks[f->tick_count++] = *tick;
}

static void end_records(fixture *f)
{
    tg_recorder_close(f->gateway);
    tg_recorder_close(f->terminal);
    assert_int_equal(tg__log_file_open(f->gateway_path, &f->files[0]), TG_OK);
    assert_int_equal(tg__log_file_open(f->terminal_path, &f->files[1]), TG_OK);
}

static void join(fixture *f)
{
    end_records(f);
    assert_int_equal(tg__glass_join(&f->files[0], &f->files[1], take, f, &f->result), TG_OK);
}

static void tear_down(fixture *f)
{
    tg__glass_result_deinit(&f->result);
    tg__log_file_close(&f->files[0]);
    tg__log_file_close(&f->files[1]);
    scratch_remove(&f->dir);
}

static uint64_t misses(const fixture *f)
{
    uint64_t all = 0;
    for (int i = 0; i < TG__GLASS_MISSES; i++) {
        all += f->result.misses[i];
    }
    return all;
}

/* A tick of slot 1 that takes known times in each stage; base is the terminal's time of its due. */
static void whole_tick(fixture *f, uint64_t pass, uint64_t seq, int64_t base_ns)
{
    const version v = {17, 2, seq};
    const int64_t g = base_ns + GATEWAY_AHEAD;
    const int64_t turn_ns[] = {g + 1 * MS, g + 3 * MS};
    row_of_turn(f, v, g, turn_ns, g + 10 * MS);
    frame(f, pass, g + 6 * MS, g + 10 * MS);
    written(f, 1, g + 10 * MS, g + 11 * MS);
    written(f, 4, g + 10 * MS, g + 15 * MS);
    visible(f, base_ns + 21 * MS, base_ns + 28 * MS);
    set_time(f, base_ns + 60 * MS);
    shows(f, pass, 1, v, base_ns + 21 * MS, base_ns + 27 * MS);
    handed(f, pass, base_ns + 36 * MS, base_ns + 45 * MS, base_ns + 55 * MS);
    if (tg_recorder_poll(f->gateway, NULL) != TG_OK ||
        tg_recorder_poll(f->terminal, NULL) != TG_OK) {
        fail();
    }
}

static void begin_session(fixture *f)
{
    instrument(f, 16, "ORION", "ETH-USD");
    instrument(f, 17, "ORION", "BTC-USD");
    slot(f, 1, "ORION", "BTC-USD");
    /* 2 ms there, 2 ms back; somebody else's on connection 1. */
    echo(f, 99, 100 * S, 100 * S + 4 * MS);
    echo_seen(f, 1, 98, 100 * S + GATEWAY_AHEAD);
    echo_seen(f, 4, 99, 100 * S + 2 * MS + GATEWAY_AHEAD);
}

static void assert_value(const fixture *f, tg__glass_stage stage, int64_t expected_ns,
                         int64_t off_by_ns)
{
    tg_histogram_summary summary;
    tg_histogram_summary_get(f->result.stages[stage], &summary);
    assert_int_equal(summary.count, f->result.joined);
    assert_int_equal(summary.negative, 0);
    assert_in_range(summary.max - expected_ns + off_by_ns, 0, 2 * (uint64_t)off_by_ns);
    assert_in_range(summary.min - expected_ns + off_by_ns, 0, 2 * (uint64_t)off_by_ns);
}

static void each_stage_is_what_was_recorded_of_it(void **state)
{
    (void)state;
    static fixture f;
    set_up(&f);
    begin_session(&f);
    for (uint64_t i = 0; i < 40; i++) {
        whole_tick(&f, 1 + i, 100 + i, 101 * S + (int64_t)i * 100 * MS);
    }
    join(&f);
    assert_int_equal(f.result.shown, 40);
    assert_int_equal(f.result.joined, 40);
    assert_int_equal(misses(&f), 0);
    assert_int_equal(f.result.rows, 40);
    assert_int_equal(f.result.rows_never_shown + f.result.rows_outside, 0);
    assert_int_equal(f.result.connections, 1);
    static const struct {
        tg__glass_stage stage;
        int64_t ms;
    } alone[] = {{TG__GLASS_HANDLER, 1},  {TG__GLASS_SEQUENCING, 2},  {TG__GLASS_CONFLATION, 3},
                 {TG__GLASS_ENCODE, 4},   {TG__GLASS_WRITE, 5},       {TG__GLASS_DECODE, 6},
                 {TG__GLASS_COMMIT, 1},   {TG__GLASS_WAIT, 8},        {TG__GLASS_DRAW, 9},
                 {TG__GLASS_PRESENT, 10}, {TG__GLASS_IN_GATEWAY, 15}, {TG__GLASS_IN_TERMINAL, 34}};
    for (size_t i = 0; i < sizeof alone / sizeof alone[0]; i++) {
        assert_value(&f, alone[i].stage, alone[i].ms * MS, 0);
    }
    /* Over two clocks, and so with their error: 2 ms, and 100 ppm of up to five seconds. */
    assert_value(&f, TG__GLASS_NETWORK, 11 * MS, 2 * MS + 600 * US);
    assert_value(&f, TG__GLASS_WHOLE, 55 * MS, 2 * MS + 600 * US);
    tear_down(&f);
}

static void clocks_that_are_shifted_are_found_and_told(void **state)
{
    (void)state;
    static fixture f;
    set_up(&f);
    begin_session(&f);
    whole_tick(&f, 1, 100, 101 * S);
    join(&f);
    const tg__clock_offset clocks = f.result.clocks_first;
    assert_in_range(clocks.uncertainty_ns, 2 * MS, 2 * MS + 200 * US);
    assert_in_range(clocks.ns - GATEWAY_AHEAD + clocks.uncertainty_ns, 0,
                    2 * (uint64_t)clocks.uncertainty_ns);
    assert_in_range(f.result.walls_apart_ns - WALL_AHEAD + clocks.uncertainty_ns, 0,
                    2 * (uint64_t)clocks.uncertainty_ns);
    assert_int_equal(f.tick_count, 1);
    assert_int_equal(f.ticks[0].clocks.ns, clocks.ns);
    tg_histogram_summary rtt;
    tg_histogram_summary_get(f.result.rtt, &rtt);
    assert_int_equal(rtt.max, 4 * MS);
    tear_down(&f);
}

static void what_finds_no_partner_is_counted_by_its_reason(void **state)
{
    (void)state;
    static fixture f;
    set_up(&f);
    begin_session(&f);
    slot(&f, 2, "ORION", "DOGE-USD"); /* not in the gateway's record */
    whole_tick(&f, 1, 100, 101 * S);
    const version unknown = {0, 1, 1};
    const version snapshot = {17, 2, 90};
    const version later = {17, 2, 200};
    /* A snapshot brought it, and a frame tells it once more. */
    const version restated = {17, 2, 95};
    const int64_t restated_ns = 101 * S + 80 * MS + GATEWAY_AHEAD;
    row(&f, restated, restated_ns, restated_ns, restated_ns + MS);
    frame(&f, 2, restated_ns, restated_ns + MS);
    written(&f, 4, restated_ns + MS, restated_ns + MS);
    shows(&f, 2, 1, restated, 101 * S + 70 * MS, 101 * S + 71 * MS);
    shows(&f, 2, 2, unknown, 101 * S + 70 * MS, 101 * S + 71 * MS);
    shows(&f, 2, 1, snapshot, 101 * S + 70 * MS, 101 * S + 71 * MS);
    shows(&f, 2, 1, snapshot, 90 * S, 90 * S + 1);
    set_time(&f, 102 * S);
    handed(&f, 2, 102 * S, 102 * S, 102 * S);
    /* The gateway's row that no pass showed, and one after the terminal's last record. */
    const int64_t g = 102 * S + GATEWAY_AHEAD;
    for (uint64_t i = 0; i < 2; i++) {
        const version passed_by = {17, 2, 101 + i};
        const int64_t at_ns = i == 0 ? g : g + 9 * S;
        row(&f, passed_by, at_ns, at_ns, at_ns + MS);
        frame(&f, 3 + i, at_ns, at_ns + MS);
        written(&f, 4, at_ns + MS, at_ns + 2 * MS);
    }
    set_time(&f, 104 * S);
    shows(&f, 3, 1, later, 130 * S, 130 * S);
    handed(&f, 3, 104 * S, 104 * S, 104 * S);
    shows(&f, 4, 1, later, 104 * S, 104 * S); /* and no pass */
    join(&f);
    assert_int_equal(f.result.shown, 7);
    assert_int_equal(f.result.joined, 1);
    assert_int_equal(f.result.misses[TG__GLASS_MISS_INSTRUMENT], 1);
    assert_int_equal(f.result.misses[TG__GLASS_MISS_SNAPSHOT], 2);
    assert_int_equal(f.result.misses[TG__GLASS_MISS_BEFORE], 1);
    assert_int_equal(f.result.misses[TG__GLASS_MISS_AFTER], 1);
    assert_int_equal(f.result.misses[TG__GLASS_MISS_PASS], 1);
    assert_int_equal(f.result.misses[TG__GLASS_MISS_OLD], 0);
    assert_int_equal(f.result.rows, 4);
    assert_int_equal(f.result.rows_never_shown, 2);
    assert_int_equal(f.result.rows_outside, 1);
    tear_down(&f);
}

/* More rows than are kept lie between a row and the pass that shows it. */
static void a_row_that_waits_too_long_is_forgotten_and_told(void **state)
{
    (void)state;
    enum {
        MANY = TG__GLASS_ROWS + 1000,
        OF_A_FRAME = 1000
    };
    static fixture f;
    set_up(&f);
    begin_session(&f);
    const version early = {17, 2, 1};
    int64_t g = 101 * S + GATEWAY_AHEAD;
    row(&f, early, g, g, g + US);
    frame(&f, 1, g, g + US);
    written(&f, 4, g + US, g + 2 * US);
    for (uint64_t i = 0; i < MANY; i++) {
        const version v = {16, 2, 1 + i};
        row(&f, v, g, g, g + MS);
        if (i % OF_A_FRAME == OF_A_FRAME - 1) {
            frame(&f, 2 + i, g, g + MS);
            written(&f, 4, g + MS, g + 2 * MS);
            g += 10 * MS;
            assert_int_equal(tg_recorder_poll(f.gateway, NULL), TG_OK);
        }
    }
    set_time(&f, 110 * S);
    shows(&f, 1, 1, early, 101 * S + MS, 101 * S + MS);
    const version newest = {16, 2, MANY / OF_A_FRAME * OF_A_FRAME};
    slot(&f, 2, "ORION", "ETH-USD");
    shows(&f, 1, 2, newest, 109 * S, 109 * S);
    handed(&f, 1, 110 * S, 110 * S, 110 * S);
    join(&f);
    assert_int_equal(f.result.joined, 1);
    assert_int_equal(f.result.misses[TG__GLASS_MISS_OLD], 1);
    assert_int_equal(misses(&f), 1);
    assert_int_equal(f.result.rows, MANY / OF_A_FRAME * OF_A_FRAME + 1);
    assert_int_equal(f.result.rows_never_shown, f.result.rows - 1);
    tear_down(&f);
}

/* Files may say anything: nothing overflows, and nothing is lost count of. */
static void impossible_times_and_numbers_are_survived(void **state)
{
    (void)state;
    static const int64_t extremes[] = {INT64_MIN, -1, 0, 1, INT64_MAX};
    enum {
        EXTREMES = sizeof extremes / sizeof extremes[0]
    };
    static fixture f;
    set_up(&f);
    begin_session(&f);
    slot(&f, SIZE_MAX, "", "");
    instrument(&f, UINT32_MAX, "", "");
    slot(&f, 3, "", "");
    uint64_t pass = 1;
    for (int a = 0; a < EXTREMES; a++) {
        for (int b = 0; b < EXTREMES; b++) {
            const version v = {17, (uint32_t)a, (uint64_t)b};
            const version other = {UINT32_MAX, UINT32_MAX, UINT64_MAX};
            echo(&f, pass, extremes[a], extremes[b]);
            echo_seen(&f, 4, pass, extremes[(a + b) % EXTREMES]);
            row(&f, v, extremes[a], extremes[b], extremes[a]);
            row(&f, other, extremes[b], extremes[a], extremes[a]);
            frame(&f, pass, extremes[b], extremes[a]);
            written(&f, 4, extremes[a], extremes[b]);
            visible(&f, extremes[a], extremes[b]);
            shows(&f, pass, 1, v, extremes[a], extremes[b]);
            shows(&f, pass, 3, other, extremes[b], extremes[a]);
            shows(&f, UINT64_MAX - pass, SIZE_MAX, v, extremes[a], extremes[b]);
            handed(&f, pass++, extremes[a], extremes[b], extremes[a]);
        }
    }
    f.tick_count = 0;
    join(&f);
    assert_int_equal(f.result.shown, 3 * EXTREMES * EXTREMES);
    assert_int_equal(f.result.joined + misses(&f), f.result.shown);
    tear_down(&f);
}

static void what_does_not_belong_together_is_refused(void **state)
{
    (void)state;
    static fixture f;
    set_up(&f);
    begin_session(&f);
    handed(&f, 1, 1, 1, 1);
    end_records(&f);
    assert_int_equal(tg__glass_join(&f.files[1], &f.files[0], NULL, NULL, &f.result),
                     TG_ERR_FORMAT);
    tg__glass_result_deinit(&f.result);
    assert_int_equal(tg__glass_join(&f.files[0], &f.files[0], NULL, NULL, &f.result),
                     TG_ERR_SYNTAX);
    tear_down(&f);

    set_up(&f);
    instrument(&f, 17, "ORION", "BTC-USD");
    echo_seen(&f, 4, 98, 100 * S);
    echo(&f, 99, 100 * S, 100 * S + 4 * MS);
    handed(&f, 1, 1, 1, 1);
    end_records(&f);
    assert_int_equal(tg__glass_join(&f.files[0], &f.files[1], NULL, NULL, &f.result),
                     TG_ERR_NOT_FOUND);
    tear_down(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_stage_is_what_was_recorded_of_it),
        cmocka_unit_test(clocks_that_are_shifted_are_found_and_told),
        cmocka_unit_test(what_finds_no_partner_is_counted_by_its_reason),
        cmocka_unit_test(a_row_that_waits_too_long_is_forgotten_and_told),
        cmocka_unit_test(impossible_times_and_numbers_are_survived),
        cmocka_unit_test(what_does_not_belong_together_is_refused),
    };
    return cmocka_run_group_tests_name("recorder.glass_join", tests, NULL, NULL);
}
