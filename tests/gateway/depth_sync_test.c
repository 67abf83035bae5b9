#include "tg_cmocka.h"

#include <stdlib.h>
#include <string.h>

#include "depth_sync.h"

static void a_difference_is_judged_by_the_ids_that_it_covers(void **state)
{
    (void)state;
    tg__depth_sync sync = {.has_snapshot = false};
    assert_int_equal(tg__depth_sync_judge(&sync, 5, 10), TG__DEPTH_HOLD);
    tg__depth_sync_snapshot(&sync, 20);
    assert_int_equal(tg__depth_sync_judge(&sync, 10, 15), TG__DEPTH_OLD);
    assert_int_equal(tg__depth_sync_judge(&sync, 15, 20), TG__DEPTH_OLD);
    assert_int_equal(tg__depth_sync_judge(&sync, 15, 25), TG__DEPTH_APPLY); /* reaches over it */
    assert_int_equal(sync.last_id, 25);
    assert_int_equal(tg__depth_sync_judge(&sync, 25, 26), TG__DEPTH_APPLY);
    assert_int_equal(tg__depth_sync_judge(&sync, 25, 26), TG__DEPTH_OLD);
    assert_int_equal(tg__depth_sync_judge(&sync, 27, 30), TG__DEPTH_GAP);
    assert_int_equal(tg__depth_sync_judge(&sync, 26, 27), TG__DEPTH_HOLD);
    tg__depth_sync_snapshot(&sync, 30);
    assert_int_equal(tg__depth_sync_judge(&sync, 30, 31), TG__DEPTH_APPLY);
    tg__depth_sync_lose(&sync);
    assert_int_equal(tg__depth_sync_judge(&sync, 31, 32), TG__DEPTH_HOLD);
    tg__depth_sync_deinit(&sync);
}

static void held_frames_come_back_in_order(void **state)
{
    (void)state;
    tg__depth_sync sync = {.has_snapshot = false};
    tg__held_frame frame;
    assert_false(tg__depth_sync_take(&sync, &frame));
    assert_int_equal(tg__depth_sync_hold(&sync, "first", 5), TG_OK);
    assert_int_equal(tg__depth_sync_hold(&sync, "second", 6), TG_OK);
    assert_true(tg__depth_sync_take(&sync, &frame));
    assert_string_equal(frame.text, "first");
    assert_int_equal(frame.length, 5);
    free(frame.text);
    tg__depth_sync_deinit(&sync); /* with one inside */
    tg__depth_sync_deinit(&sync);
}

static void when_full_the_oldest_is_dropped(void **state)
{
    (void)state;
    tg__depth_sync sync = {.has_snapshot = false};
    tg__held_frame frame;
    for (unsigned i = 0; i < TG__DEPTH_HELD_MAX + 3; i++) {
        const char text[2] = {(char)('a' + i % 26), '\0'};
        assert_int_equal(tg__depth_sync_hold(&sync, text, 1), TG_OK);
    }
    assert_int_equal(sync.held_count, TG__DEPTH_HELD_MAX);
    assert_true(tg__depth_sync_take(&sync, &frame));
    assert_string_equal(frame.text, "d");
    free(frame.text);
    tg__depth_sync_deinit(&sync);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_difference_is_judged_by_the_ids_that_it_covers),
        cmocka_unit_test(held_frames_come_back_in_order),
        cmocka_unit_test(when_full_the_oldest_is_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
