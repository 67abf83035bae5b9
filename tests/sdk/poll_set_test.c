#include "tg_cmocka.h"

#include <poll.h>
#include <stdbool.h>
#include <unistd.h>

#include "poll_set.h"

static bool is_readable(const tg__poll_set *set)
{
    struct pollfd event = {set->epoll_fd, POLLIN, 0};
    return poll(&event, 1, 0) == 1;
}

static void a_fresh_set_is_readable_once(void **state)
{
    (void)state;
    tg__poll_set set;
    tg__poll_set_init(&set);
    assert_int_equal(tg__poll_set_open(&set), TG_OK);
    assert_int_equal(tg__poll_set_open(&set), TG_OK);
    assert_true(is_readable(&set));
    tg__poll_set_drain(&set);
    assert_false(is_readable(&set));
    tg__poll_set_close(&set);
    tg__poll_set_close(&set);
}

static void waking_makes_it_readable_until_it_is_drained(void **state)
{
    (void)state;
    tg__poll_set set;
    tg__poll_set_init(&set);
    tg__poll_set_wake(&set); /* not open: nothing happens */
    assert_int_equal(tg__poll_set_open(&set), TG_OK);
    tg__poll_set_drain(&set);
    for (int i = 0; i < 3; i++) {
        tg__poll_set_wake(&set);
    }
    assert_true(is_readable(&set));
    tg__poll_set_drain(&set);
    assert_false(is_readable(&set));
    tg__poll_set_close(&set);
}

static void it_follows_what_a_descriptor_waits_for(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    tg__poll_set set;
    tg__poll_set_init(&set);
    tg__poll_set_put(&set, ends[0], POLLIN); /* not open: nothing happens */
    assert_int_equal(tg__poll_set_open(&set), TG_OK);
    tg__poll_set_drain(&set);
    tg__poll_set_put(&set, ends[0], POLLIN);
    tg__poll_set_put(&set, ends[1], 0);
    assert_false(is_readable(&set));
    tg__poll_set_put(&set, ends[1], POLLOUT);
    assert_true(is_readable(&set));
    tg__poll_set_put(&set, ends[1], 0);
    assert_false(is_readable(&set));
    assert_int_equal(write(ends[1], "x", 1), 1);
    assert_true(is_readable(&set));
    tg__poll_set_drop(&set, ends[0]);
    tg__poll_set_drop(&set, ends[0]);
    assert_false(is_readable(&set));
    tg__poll_set_close(&set);
    (void)close(ends[0]);
    (void)close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fresh_set_is_readable_once),
        cmocka_unit_test(waking_makes_it_readable_until_it_is_drained),
        cmocka_unit_test(it_follows_what_a_descriptor_waits_for),
    };
    return cmocka_run_group_tests_name("sdk.poll_set", tests, NULL, NULL);
}
