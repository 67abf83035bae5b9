#include "tg_cmocka.h"

#include "backlog.h"

#define MS INT64_C(1000000)

static void what_is_acknowledged_in_time_is_never_old(void **state)
{
    (void)state;
    tg__backlog backlog = {false, 0, 0};
    for (int64_t ms = 0; ms < 60000; ms += 40) {
        /* Always three messages under way: acknowledged after 120 ms. */
        assert_false(tg__backlog_is_old(&backlog, ms < 120 ? 0 : 900, ms * MS));
        tg__backlog_add(&backlog, 300);
    }
}

static void bytes_that_nobody_acknowledges_are_old_after_a_second(void **state)
{
    (void)state;
    tg__backlog backlog = {false, 0, 0};
    size_t waiting = 0;
    int64_t ms = 0;
    while (!tg__backlog_is_old(&backlog, waiting, ms * MS)) {
        tg__backlog_add(&backlog, 300);
        waiting += 330; /* with what TLS adds */
        ms += 40;
        assert_true(ms < 1200);
    }
    assert_true(ms > 1000);
    /* As long as something of it waits, and no longer. */
    assert_true(tg__backlog_is_old(&backlog, 8000, 99000 * MS));
    assert_false(tg__backlog_is_old(&backlog, 0, 99040 * MS));
    tg__backlog_add(&backlog, 300);
    assert_false(tg__backlog_is_old(&backlog, 330, 99080 * MS));
    assert_false(tg__backlog_is_old(&backlog, 330, 99500 * MS));
    assert_true(tg__backlog_is_old(&backlog, 330, 100090 * MS));
}

/* 32 KiB in a kernel are two minutes of small frames on a line of 300 bytes a second. */
static void a_line_that_is_slower_than_the_frames_is_noticed(void **state)
{
    (void)state;
    tg__backlog backlog = {false, 0, 0};
    size_t given = 0;
    size_t acknowledged = 0;
    size_t most = 0;
    for (int64_t ms = 0; ms < 60000; ms += 40) {
        acknowledged += acknowledged + 12 <= given ? 12 : given - acknowledged;
        if (!tg__backlog_is_old(&backlog, given - acknowledged, ms * MS)) {
            tg__backlog_add(&backlog, 60);
            given += 60;
        }
        most = given - acknowledged > most ? given - acknowledged : most;
    }
    assert_true(most < 300 * 10); /* ten seconds, instead of what the buffer could hold */
    assert_true(acknowledged > 300 * 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_acknowledged_in_time_is_never_old),
        cmocka_unit_test(bytes_that_nobody_acknowledges_are_old_after_a_second),
        cmocka_unit_test(a_line_that_is_slower_than_the_frames_is_noticed),
    };
    return cmocka_run_group_tests_name("gateway.backlog", tests, NULL, NULL);
}
