#include "tg_cmocka.h"

#include "playback_fixture.h"

#include <string.h>

static void count_wake(void *ctx, tg__peer *peer)
{
    playback_fixture *f = ctx;
    (void)peer;
    f->wakes++;
}

void playback_fixture_open(playback_fixture *f, const char *tape, uint32_t speed_milli,
                           unsigned feeds)
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
    assert_int_equal(tg__sequencer_init(&f->sequencer, &f->directory, epoch, PLAYBACK_RESOLUTION),
                     TG_OK);
    const tg__door_options door = {.bearer = &f->bearer, .directory = &f->directory};
    assert_int_equal(tg__door_open(&door, &f->door), TG_OK);
    const tg__hub_options options = {.directory = &f->directory,
                                     .door = f->door,
                                     .time_resolution_ns = PLAYBACK_RESOLUTION,
                                     .frame_interval_ms = 40,
                                     .boundaries_per_frame = 4,
                                     .heartbeat_interval_ms = 1000,
                                     .peers_max = 4,
                                     .limits = {64, 8, TG__MESSAGE_SIZE_MAX, 1000, 0},
                                     .wake = count_wake,
                                     .ctx = f};
    assert_int_equal(tg__hub_open(&options, &f->hub), TG_OK);
    f->playback.sequencer = &f->sequencer;
    f->playback.hub = f->hub;
    f->playback.epochs = &f->epochs;
    tg__rebase_init(&f->playback.rebase, speed_milli, false);
    assert_int_equal(tg__feed_init(&f->playback.feed, feeds, 6 * MS, 9 * MS, 3), TG_OK);
    assert_int_equal(tg__latest_rows_init(&f->playback.latest, f->directory.count), TG_OK);
    f->now.mono_ns = 1000 * MS;
    f->now.utc_ns = INT64_C(1800000000000000000);
}

void playback_fixture_close(playback_fixture *f)
{
    tg__source_close(&f->playback.source);
    tg__feed_deinit(&f->playback.feed);
    tg__latest_rows_deinit(&f->playback.latest);
    tg__hub_close(f->hub);
    tg__door_close(f->door);
    tg__sequencer_deinit(&f->sequencer);
    tg__directory_deinit(&f->directory);
    tg__state_dir_close(&f->dir);
    scratch_folder_close(&f->folder);
}

void playback_fixture_run(playback_fixture *f, uint32_t budget)
{
    assert_int_equal(tg__playback_run(&f->playback, f->now, budget, &f->cause), TG_OK);
}

const tg_image *playback_fixture_image(const playback_fixture *f, tg_instrument_id id)
{
    const tg__route route = f->sequencer.routes[id];
    return &f->sequencer.lanes[route.lane].instruments[route.index].image;
}
