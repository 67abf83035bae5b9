#include "snapshot.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tg_cmocka.h"

#define S INT64_C(1000000000)

/* Sleeps until the writer's thread wakes the window. */
static void expect_result(snapshot *shot, tg_window *window, const char *part, bool expect_bad)
{
    char text[160] = "";
    bool bad = !expect_bad;
    tg_input input;
    while (!snapshot_take_result(shot, text, sizeof text, &bad)) {
        const tg_err err = tg_window_wait(window, 60 * S, &input);
        assert_int_equal(err, TG_OK);
    }
    assert_int_equal(bad, expect_bad);
    assert_non_null(strstr(text, part));
    assert_false(snapshot_take_result(shot, text, sizeof text, &bad));
}

static void a_picture_is_written_beside_the_owner_one_at_a_time(void **state)
{
    (void)state;
    tg_window_options opt;
    tg_window_options_init(&opt);
    opt.headless = true;
    opt.width_px = 400;
    opt.height_px = 300;
    tg_window *window = NULL;
    snapshot *shot = NULL;
    assert_int_equal(tg_window_open(&opt, &window, NULL, 0), TG_OK);
    assert_int_equal(snapshot_open(&shot), TG_OK);
    assert_int_equal(snapshot_start(shot, window, "snapshot_test.png"), TG_OK);
    assert_int_equal(snapshot_start(shot, window, "snapshot_test.png"), TG_ERR_FULL);
    expect_result(shot, window, "written: snapshot_test.png", false);
    assert_int_equal(unlink("snapshot_test.png"), 0);
    assert_int_equal(snapshot_start(shot, window, "nowhere/a.png"), TG_OK);
    expect_result(shot, window, "nowhere/a.png: No such file", true);
    char long_path[100];
    memset(long_path, 'x', sizeof long_path - 1);
    long_path[sizeof long_path - 1] = '\0';
    assert_int_equal(snapshot_start(shot, window, long_path), TG_ERR_INVALID_ARGUMENT);
    /* Closing waits for one that was begun. */
    assert_int_equal(snapshot_start(shot, window, "snapshot_test.png"), TG_OK);
    snapshot_close(shot);
    snapshot_close(NULL);
    assert_int_equal(unlink("snapshot_test.png"), 0);
    tg_window_close(window);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_picture_is_written_beside_the_owner_one_at_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
