#include "instrument_view.h"

#include "market_scene.h"

static void everything_comes_from_the_view_that_is_pinned(void **state)
{
    (void)state;
    market_scene scene;
    scene_begin(&scene);
    const tg_book book = scene_deep_book(618130, 618132);
    scene_book(&scene, &book, 1 * S);
    tg__store_publish(scene.store, 1 * S);
    const tg_view *pinned = tg_reader_pin(scene.reader);
    /* Newer ones, which this view does not have. */
    scene_trade(&scene, 700000, 1);
    scene_admit(&scene, 1, 2 * S);
    const tg_book newer = scene_deep_book(699990, 700000);
    scene_book(&scene, &newer, 2 * S);
    tg__store_publish(scene.store, 2 * S);
    tg_row row;
    tg_instrument instrument;
    assert_int_equal(tg_view_row(pinned, 3, 2 * S, &row), TG_OK);
    assert_int_equal(tg_view_instrument(pinned, 3, &instrument), TG_OK);
    const watch_view seen = {
        .venue = "V", .symbol = "S", .instrument = &instrument, .row = &row, .word = "LIVE"};
    instrument_view *shown = &scene.shown;
    instrument_view_read(shown, pinned, &seen, 2 * S, SCENE_UTC);
    int64_t value = 0;
    assert_true(instrument_view_value(shown, TG_FIELD_LAST_PRICE, &value));
    assert_int_equal(value, 618130);
    assert_true(shown->has_depth);
    assert_int_equal(shown->depth.book.bid[0].price, 618130);
    assert_true(shown->has_history);
    assert_int_equal(shown->history_count, 1);
    assert_int_equal(shown->history[0].last, 618130);
    assert_false(instrument_view_is_suspect(shown));
    scene_close(&scene);
}

static void what_is_not_there_is_not_shown(void **state)
{
    (void)state;
    market_scene scene;
    scene_open(&scene, scene_future());
    const instrument_view *shown = scene_look(&scene, 1 * S);
    int64_t value = 0;
    assert_true(shown->opened);
    assert_null(shown->seen.row);
    assert_true(instrument_view_is_suspect(shown));
    assert_false(instrument_view_value(shown, TG_FIELD_BID_PRICE, &value));
    assert_false(shown->has_depth);
    const watch_view unknown = {.venue = "V", .symbol = "TYPO", .word = "no such name"};
    instrument_view_read(&scene.shown, tg_reader_pin(scene.reader), &unknown, 1 * S, SCENE_UTC);
    assert_true(shown->opened);
    assert_false(shown->has_history);
    instrument_view_clear(&scene.shown);
    assert_false(shown->opened);
    assert_non_null(shown->history);
    scene_close(&scene);
}

/* Points that did not change are not read again: the history is the same all the same. */
static void history_is_whole_in_each_view(void **state)
{
    (void)state;
    static tg_history_point expected[SCENE_POINTS];
    market_scene scene;
    scene_begin(&scene);
    uint64_t random = 3;
    int64_t ms = 1000;
    for (int i = 0; i < 6000; i++) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        ms += (int64_t)((random >> 33) % 400);
        if ((random >> 50) % 4 != 0) {
            scene_trade(&scene, 618000 + (int64_t)((random >> 40) % 200), 1);
            scene_admit(&scene, 1, ms * MS);
        }
        if ((random >> 20) % 500 == 0) {
            instrument_view_clear(&scene.shown);
        }
        const instrument_view *shown = scene_look(&scene, ms * MS);
        size_t count = 0;
        const tg_view *view = tg_reader_pin(scene.reader);
        assert_int_equal(tg_view_history(view, scene.instrument.id, expected, SCENE_POINTS, &count),
                         TG_OK);
        assert_true(shown->has_history);
        assert_int_equal(shown->history_count, count);
        assert_memory_equal(shown->history, expected, count * sizeof expected[0]);
    }
    assert_int_equal(scene.shown.history_count, SCENE_POINTS); /* the oldest went, too */
    scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_comes_from_the_view_that_is_pinned),
        cmocka_unit_test(what_is_not_there_is_not_shown),
        cmocka_unit_test(history_is_whole_in_each_view),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
