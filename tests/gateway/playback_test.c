#include "tg_cmocka.h"

#include <stdio.h>
#include <string.h>

#include "playback.h"
#include "scratch_folder.h"
#include "tape_line.h"

#define MS INT64_C(1000000)

typedef struct fixture {
    scratch_folder folder;
    tg__state_dir dir;
    tg__epoch_store epochs;
    tg__directory directory;
    tg__sequencer sequencer;
    tg__hub *hub;
    tg__playback playback;
    tg__moment now;
    tg__cause cause;
} fixture;

static void never_wake(void *ctx, tg__peer *peer)
{
    (void)ctx;
    (void)peer;
    fail();
}

static void open_playback(fixture *f, const char *tape, uint32_t speed_milli, unsigned feeds)
{
    memset(f, 0, sizeof *f);
    scratch_folder_open(&f->folder);
    scratch_write(&f->folder, "tape.csv", tape, strlen(tape));
    assert_int_equal(tg__state_dir_open(&f->dir, f->folder.path, &f->cause), TG_OK);
    assert_int_equal(tg__epoch_store_open(&f->epochs, &f->dir, &f->cause), TG_OK);
    tg__directory_init(&f->directory);
    assert_int_equal(tg__tape_open(scratch_path(&f->folder, "tape.csv"), false, &f->directory,
                                   &f->playback.source.tape, &f->cause),
                     TG_OK);
    assert_int_equal(tg__directory_seal(&f->directory), TG_OK);
    uint32_t epoch = 0;
    assert_int_equal(tg__epoch_store_next(&f->epochs, &epoch, &f->cause), TG_OK);
    assert_int_equal(tg__sequencer_init(&f->sequencer, &f->directory, epoch, 1000), TG_OK);
    const tg__hub_options options = {.directory = &f->directory,
                                     .time_resolution_ns = 1000,
                                     .frame_interval_ms = 40,
                                     .boundaries_per_frame = 1,
                                     .heartbeat_interval_ms = 1000,
                                     .limits = {64, 8, TG__MESSAGE_SIZE_MAX, 100},
                                     .wake = never_wake};
    assert_int_equal(tg__hub_open(&options, &f->hub), TG_OK);
    f->playback.sequencer = &f->sequencer;
    f->playback.hub = f->hub;
    f->playback.epochs = &f->epochs;
    tg__rebase_init(&f->playback.rebase, speed_milli, false);
    assert_int_equal(tg__feed_init(&f->playback.feed, feeds, 6 * MS, 9 * MS, 3), TG_OK);
    f->now.mono_ns = 1000 * MS;
    f->now.utc_ns = INT64_C(1800000000000000000);
}

static void close_playback(fixture *f)
{
    tg__source_close(&f->playback.source);
    tg__feed_deinit(&f->playback.feed);
    tg__hub_close(f->hub);
    tg__sequencer_deinit(&f->sequencer);
    tg__directory_deinit(&f->directory);
    tg__state_dir_close(&f->dir);
    scratch_folder_close(&f->folder);
}

static void run(fixture *f, uint32_t budget)
{
    assert_int_equal(tg__playback_run(&f->playback, f->now, budget, &f->cause), TG_OK);
}

static const tg_image *image(const fixture *f, tg_instrument_id id)
{
    const tg__route route = f->sequencer.routes[id];
    return &f->sequencer.lanes[route.lane].instruments[route.index].image;
}

static const char three_ticks[] = TG__TAPE_HEADER "\n"
                                                  "1000000,V,S,bid,10,1,1\n"
                                                  "3000000,V,S,bid,11,1,2\n"
                                                  "3000000,V,S,ask,12,1,2\n"
                                                  "9000000,V,S,bid,13,1,3\n";

static void rows_come_when_they_are_due(void **state)
{
    (void)state;
    fixture f;
    open_playback(&f, three_ticks, 500, 1);
    run(&f, 100);
    assert_int_equal(f.playback.rows, 1);
    assert_int_equal(tg__playback_next_mono_ns(&f.playback, f.now), f.now.mono_ns + 4 * MS);
    f.now.mono_ns += 4 * MS - 1;
    run(&f, 100);
    assert_int_equal(f.playback.rows, 1);
    f.now.mono_ns += 1;
    run(&f, 100);
    assert_int_equal(f.playback.rows, 3);
    assert_int_equal(image(&f, 0)->value[TG_FIELD_TS_EXCHANGE], f.now.utc_ns + 4 * MS);
    f.now.mono_ns += 12 * MS;
    run(&f, 100);
    assert_true(f.playback.ended);
    assert_true(tg__playback_next_mono_ns(&f.playback, f.now) == INT64_MAX);
    close_playback(&f);
}

static void rows_of_one_time_are_never_cut_apart(void **state)
{
    (void)state;
    fixture f;
    open_playback(&f, three_ticks, 0, 1);
    run(&f, 2); /* the budget ends between bid and ask of one tick */
    assert_int_equal(f.playback.rows, 3);
    assert_int_equal(image(&f, 0)->seq, 2);
    assert_int_equal(image(&f, 0)->value[TG_FIELD_ASK_PRICE], 12);
    close_playback(&f);
}

static void a_second_handler_brings_every_row_again_and_changes_nothing(void **state)
{
    (void)state;
    fixture f;
    open_playback(&f, three_ticks, 1000, 2);
    for (unsigned i = 0; i < 40; i++) {
        run(&f, 100);
        f.now.mono_ns += MS;
    }
    assert_true(f.playback.ended);
    const tg__venue_counts *counts = &f.sequencer.venues[0];
    assert_int_equal(counts->admitted, 4);
    assert_int_equal(counts->duplicates + counts->regressions, 4);
    assert_true(counts->regressions >= 1); /* the first two ticks come after the third's twin */
    assert_int_equal(image(&f, 0)->seq, 3);
    assert_int_equal(image(&f, 0)->value[TG_FIELD_BID_PRICE], 13);
    close_playback(&f);
}

static void going_round_raises_the_epoch_and_seq_goes_on(void **state)
{
    (void)state;
    fixture f;
    open_playback(&f, three_ticks, 1000, 2);
    f.playback.loop = true;
    uint32_t last_epoch = 0;
    int64_t last_ts = 0;
    for (unsigned i = 0; i < 100; i++) {
        run(&f, 100);
        f.now.mono_ns += MS;
        f.now.utc_ns += MS;
        assert_true(image(&f, 0)->epoch >= last_epoch);
        assert_true(image(&f, 0)->value[TG_FIELD_TS_EXCHANGE] >= last_ts);
        last_epoch = image(&f, 0)->epoch;
        last_ts = image(&f, 0)->value[TG_FIELD_TS_EXCHANGE];
    }
    assert_false(f.playback.ended);
    assert_true(f.playback.rounds >= 4);
    assert_int_equal(last_epoch, f.playback.rounds);
    assert_int_equal(f.sequencer.venues[0].admitted, f.playback.rows);
    assert_true(image(&f, 0)->seq > 9);
    close_playback(&f);
}

static void a_tape_without_rows_ends_even_in_a_loop(void **state)
{
    (void)state;
    fixture f;
    open_playback(&f, TG__TAPE_HEADER "\n", 1000, 1);
    f.playback.loop = true;
    run(&f, 100);
    assert_true(f.playback.ended);
    close_playback(&f);
}

static void a_tape_that_changes_while_it_plays_is_an_error(void **state)
{
    (void)state;
    fixture f;
    open_playback(&f, three_ticks, 1000, 1);
    f.playback.loop = true;
    const char other[] = TG__TAPE_HEADER "\n1,V,OTHER,bid,1,1,1\n";
    run(&f, 100);
    scratch_write(&f.folder, "tape.csv", other, strlen(other));
    f.now.mono_ns += 100 * MS;
    assert_int_equal(tg__playback_run(&f.playback, f.now, 100, &f.cause), TG_ERR_TAPE);
    assert_non_null(strstr(f.cause.text, "tape.csv:2: the file was changed"));
    close_playback(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_come_when_they_are_due),
        cmocka_unit_test(rows_of_one_time_are_never_cut_apart),
        cmocka_unit_test(a_second_handler_brings_every_row_again_and_changes_nothing),
        cmocka_unit_test(going_round_raises_the_epoch_and_seq_goes_on),
        cmocka_unit_test(a_tape_without_rows_ends_even_in_a_loop),
        cmocka_unit_test(a_tape_that_changes_while_it_plays_is_an_error),
    };
    return cmocka_run_group_tests_name("gateway.playback", tests, NULL, NULL);
}
