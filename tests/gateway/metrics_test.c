#include "tg_cmocka.h"

#include <string.h>

#include "hub_fixture.h"
#include "metrics.h"

#define MS INT64_C(1000000)
#define S  INT64_C(1000000000)

typedef struct fixture {
    int64_t mono_ns;
    int64_t utc_ns;
    int64_t step_ns; /* that every reading of the clock takes */
    tg__metrics *metrics;
} fixture;

static int64_t read_mono(void *ctx)
{
    fixture *f = ctx;
    f->mono_ns += f->step_ns;
    return f->mono_ns;
}

static int64_t read_utc(void *ctx)
{
    const fixture *f = ctx;
    return f->utc_ns;
}

static void open_metrics(fixture *f)
{
    memset(f, 0, sizeof *f);
    f->mono_ns = 100 * S;
    f->utc_ns = 1800000000 * S;
    const tg_clock clock = {read_mono, read_utc, f, NULL};
    assert_int_equal(tg__metrics_open(&clock, 100, NULL, &f->metrics), TG_OK);
}

/* The stage has count values of the current interval, all of them about value. */
static void check(const fixture *f, tg__stage stage, uint64_t count, int64_t value)
{
    tg_histogram_summary summary;
    tg_histogram_summary_get(f->metrics->current[stage], &summary);
    assert_int_equal(summary.count, count);
    assert_int_equal(summary.negative + summary.over, 0);
    if (count > 0) {
        assert_int_equal(summary.min, value);
        assert_int_equal(summary.max, value);
    }
}

/* The group's frame of one row: begins now and is queued to its last member 2 ms later. */
static void send_row(fixture *f, tg_instrument_id id, uint64_t base, uint64_t boundary)
{
    const tg__update update = {.id = id};
    const tg__frame frame = {.base = base, .boundary = boundary, .count = 1};
    tg__metrics_frame_begin(f->metrics);
    f->mono_ns += 2 * MS;
    assert_int_equal(tg__metrics_frame_end(f->metrics, &frame, &update), f->mono_ns);
}

static void a_row_counts_from_when_it_was_due_to_when_it_was_taken(void **state)
{
    (void)state;
    fixture f;
    open_metrics(&f);
    tg__metrics_row(f.metrics, 7, 1, f.mono_ns, 3 * MS);
    tg__metrics_row(f.metrics, 8, 1, f.mono_ns, 3 * MS);
    check(&f, TG__STAGE_HANDLER, 2, 3 * MS);
    tg__metrics_row(f.metrics, 8, 1, f.mono_ns, -1); /* nothing is due at full speed */
    check(&f, TG__STAGE_HANDLER, 2, 3 * MS);
    tg__metrics_close(f.metrics);
}

static void every_row_of_a_turn_waits_for_its_end(void **state)
{
    (void)state;
    fixture f;
    open_metrics(&f);
    tg__metrics_turn_end(f.metrics, f.mono_ns); /* a turn without rows */
    check(&f, TG__STAGE_SEQUENCING, 0, 0);
    for (tg_instrument_id id = 0; id < 5; id++) {
        tg__metrics_row(f.metrics, id, 1, f.mono_ns, 0);
    }
    f.mono_ns += MS;
    tg__metrics_turn_end(f.metrics, f.mono_ns);
    check(&f, TG__STAGE_SEQUENCING, 5, MS);
    tg__metrics_turn_end(f.metrics, f.mono_ns + MS);
    check(&f, TG__STAGE_SEQUENCING, 5, MS);
    tg__metrics_close(f.metrics);
}

static void the_oldest_covered_tick_is_what_a_row_waited_for(void **state)
{
    (void)state;
    fixture f;
    open_metrics(&f);
    const int64_t start_ns = f.mono_ns;
    tg__metrics_row(f.metrics, 7, 11, start_ns, 0);
    tg__metrics_row(f.metrics, 7, 11, start_ns + 5 * MS, 0); /* not the first of its boundary */
    tg__metrics_row(f.metrics, 7, 13, start_ns + 22 * MS, 0);
    f.mono_ns = start_ns + 30 * MS;
    send_row(&f, 7, 10, 13);
    check(&f, TG__STAGE_CONFLATION, 1, 30 * MS);
    check(&f, TG__STAGE_ENCODE, 1, 2 * MS);
    tg__metrics_close(f.metrics);
}

static void a_group_that_stands_later_covers_less(void **state)
{
    (void)state;
    fixture f;
    open_metrics(&f);
    const int64_t start_ns = f.mono_ns;
    tg__metrics_row(f.metrics, 7, 11, start_ns, 0);
    tg__metrics_row(f.metrics, 7, 13, start_ns + 22 * MS, 0);
    tg__metrics_row(f.metrics, 7, 14, start_ns + 29 * MS, 0); /* after the cut */
    f.mono_ns = start_ns + 30 * MS;
    send_row(&f, 7, 12, 13);
    check(&f, TG__STAGE_CONFLATION, 1, 8 * MS);
    tg__metrics_close(f.metrics);
}

static void a_wait_that_is_not_known_is_not_made_up(void **state)
{
    (void)state;
    fixture f;
    open_metrics(&f);
    tg__metrics_row(f.metrics, 7, 3, f.mono_ns, 0);
    send_row(&f, 7, 3, 4);
    send_row(&f, 8, 0, 4);
    check(&f, TG__STAGE_CONFLATION, 0, 0);
    check(&f, TG__STAGE_ENCODE, 2, 2 * MS);
    tg__metrics_close(f.metrics);
}

static void only_frames_that_were_queued_count_as_written(void **state)
{
    (void)state;
    fixture f;
    open_metrics(&f);
    tg__metrics_written(f.metrics, 1, 0);
    check(&f, TG__STAGE_WRITE, 0, 0);
    tg__metrics_written(f.metrics, 1, f.mono_ns - 4 * MS);
    check(&f, TG__STAGE_WRITE, 1, 4 * MS);
    tg__metrics_close(f.metrics);
}

/* A boundary for each stage, as the loop calls it. */
static void rotate(fixture *f)
{
    for (unsigned i = 0; i < TG__STAGE_COUNT; i++) {
        tg__metrics_rotate(f->metrics);
    }
}

static void an_interval_ends_after_ten_seconds_and_the_sums_go_on(void **state)
{
    (void)state;
    fixture f;
    open_metrics(&f);
    const tg__stage_quantiles *quantiles = &f.metrics->quantiles[TG__STAGE_HANDLER];
    tg__metrics_row(f.metrics, 7, 1, f.mono_ns, 3 * MS);
    f.mono_ns += 10 * S - 1;
    rotate(&f);
    assert_false(quantiles->known);
    check(&f, TG__STAGE_HANDLER, 1, 3 * MS);
    f.mono_ns += 1;
    rotate(&f);
    check(&f, TG__STAGE_HANDLER, 0, 0);
    assert_true(quantiles->known);
    assert_int_equal(quantiles->p50_ns, 3 * MS);
    assert_int_equal(quantiles->p999_ns, 3 * MS);
    assert_false(f.metrics->quantiles[TG__STAGE_WRITE].known);
    tg__metrics_row(f.metrics, 7, 1, f.mono_ns, MS);
    f.mono_ns += 10 * S;
    rotate(&f);
    assert_int_equal(quantiles->p99_ns, MS);
    assert_int_equal(f.metrics->totals[TG__STAGE_HANDLER].count, 2);
    assert_int_equal(f.metrics->totals[TG__STAGE_HANDLER].sum_ns, 4 * MS);
    f.mono_ns += 10 * S;
    rotate(&f);
    assert_false(quantiles->known); /* a quiet interval has none */
    tg__metrics_close(f.metrics);
}

static void a_boundary_publishes_one_stage_and_none_is_lost(void **state)
{
    (void)state;
    fixture f;
    open_metrics(&f);
    tg__metrics_row(f.metrics, 7, 1, f.mono_ns, 3 * MS);
    tg__metrics_written(f.metrics, 1, f.mono_ns - MS);
    f.mono_ns += 10 * S;
    tg__metrics_rotate(f.metrics);
    assert_true(f.metrics->quantiles[TG__STAGE_HANDLER].known);
    assert_false(f.metrics->quantiles[TG__STAGE_WRITE].known);
    f.mono_ns += 10 * S; /* the machine was away: the next interval is over, too */
    tg__metrics_rotate(f.metrics);
    assert_true(f.metrics->quantiles[TG__STAGE_WRITE].known);
    assert_false(f.metrics->quantiles[TG__STAGE_HANDLER].known);
    tg__metrics_close(f.metrics);
}

static void nothing_is_measured_where_nobody_asked(void **state)
{
    (void)state;
    const tg__frame frame = {.count = 0};
    tg__metrics_row(NULL, 7, 1, 5, 5);
    tg__metrics_turn_end(NULL, 5);
    tg__metrics_frame_begin(NULL);
    assert_int_equal(tg__metrics_frame_end(NULL, &frame, NULL), 0);
    tg__metrics_written(NULL, 1, 5);
    tg__metrics_rotate(NULL);
    tg__metrics_close(NULL);
}

/* ---- the hooks in the hub ---- */

/* Takes what waits for the client as its socket does; how many of it were measured frames. */
static unsigned write_all_of(fixture *f, hub_fixture *h, const hub_client *client)
{
    static uint8_t message[TG__MESSAGE_SIZE_MAX];
    size_t size = 0;
    unsigned frames = 0;
    while (tg__hub_next(h->hub, client->peer, h->now, message, sizeof message, &size) ==
           TG__NEXT_MESSAGE) {
        frames += client->peer->sent_queued_mono_ns != 0;
        tg__metrics_written(f->metrics, client->peer->number, client->peer->sent_queued_mono_ns);
    }
    return frames;
}

static void a_frame_is_encoded_once_and_written_to_each_member(void **state)
{
    (void)state;
    static const tg_instrument_id ids[] = {3, 5, 9};
    fixture f;
    hub_fixture h;
    hub_client clients[2];
    open_metrics(&f);
    hub_fixture_open(&h, 1);
    h.hub->options.metrics = f.metrics;
    for (unsigned i = 0; i < 2; i++) {
        hub_client_open(&clients[i], &h);
        hub_client_request(&clients[i], TG__KIND_SUBSCRIBE, TG__CHANNEL_CONFLATED, ids, 3);
        assert_int_equal(write_all_of(&f, &h, &clients[i]), 0); /* answers and snapshots */
    }
    for (unsigned i = 0; i < 2; i++) { /* two rows change, one of them twice */
        hub_fixture_tick(&h, 3, 100 + i);
        tg__metrics_row(f.metrics, 3, h.hub->table.boundary + 1, f.mono_ns, 0);
        f.mono_ns += MS;
    }
    hub_fixture_tick(&h, 9, 100);
    tg__metrics_row(f.metrics, 9, h.hub->table.boundary + 1, f.mono_ns - 2 * MS, 0);
    f.step_ns = MS; /* each reading of the clock from now on */
    hub_fixture_boundary(&h);
    check(&f, TG__STAGE_CONFLATION, 2, 3 * MS);
    check(&f, TG__STAGE_ENCODE, 2, MS);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(write_all_of(&f, &h, &clients[i]), 1);
    }
    tg_histogram_summary written;
    tg_histogram_summary_get(f.metrics->current[TG__STAGE_WRITE], &written);
    assert_int_equal(written.count, 2);
    assert_int_equal(written.min, MS);
    assert_int_equal(written.max, 2 * MS);
    for (unsigned i = 0; i < 2; i++) {
        hub_client_close(&clients[i]);
    }
    hub_fixture_close(&h);
    tg__metrics_close(f.metrics);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_counts_from_when_it_was_due_to_when_it_was_taken),
        cmocka_unit_test(every_row_of_a_turn_waits_for_its_end),
        cmocka_unit_test(the_oldest_covered_tick_is_what_a_row_waited_for),
        cmocka_unit_test(a_group_that_stands_later_covers_less),
        cmocka_unit_test(a_wait_that_is_not_known_is_not_made_up),
        cmocka_unit_test(only_frames_that_were_queued_count_as_written),
        cmocka_unit_test(an_interval_ends_after_ten_seconds_and_the_sums_go_on),
        cmocka_unit_test(a_boundary_publishes_one_stage_and_none_is_lost),
        cmocka_unit_test(nothing_is_measured_where_nobody_asked),
        cmocka_unit_test(a_frame_is_encoded_once_and_written_to_each_member),
    };
    return cmocka_run_group_tests_name("gateway.metrics", tests, NULL, NULL);
}
