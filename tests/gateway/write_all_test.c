#include "tg_cmocka.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "write_all.h"

static void everything_is_written(void **state)
{
    (void)state;
    int ends[2];
    char out[64];
    assert_int_equal(pipe(ends), 0);
    assert_true(tg__write_all(ends[1], "hello", 5));
    assert_true(tg__write_all(ends[1], "", 0));
    assert_int_equal(read(ends[0], out, sizeof out), 5);
    assert_memory_equal(out, "hello", 5);
    (void)close(ends[0]);
    (void)close(ends[1]);
}

static void a_failure_is_told_with_its_errno(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    errno = 0;
    assert_false(tg__write_all(ends[0], "x", 1)); /* the end that only reads */
    assert_int_equal(errno, EBADF);
    (void)close(ends[0]);
    (void)close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_is_written),
        cmocka_unit_test(a_failure_is_told_with_its_errno),
    };
    return cmocka_run_group_tests_name("gateway.write_all", tests, NULL, NULL);
}
