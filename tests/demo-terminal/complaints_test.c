#include "complaints.h"

#include <string.h>

#include "tg_cmocka.h"

static void lines_stand_in_their_order(void **state)
{
    (void)state;
    static complaints list;
    memset(&list, 0, sizeof list);
    complaints_add(&list, "%s:%d: wrong", "file", 3);
    complaints_add(&list, "second");
    assert_int_equal(list.count, 2);
    assert_string_equal(list.line[0], "file:3: wrong");
    assert_string_equal(list.line[1], "second");
}

static void what_does_not_fit_is_counted(void **state)
{
    (void)state;
    static complaints list;
    memset(&list, 0, sizeof list);
    for (int i = 0; i < COMPLAINTS_MAX + 3; i++) {
        complaints_add(&list, "%d", i);
    }
    assert_int_equal(list.count, COMPLAINTS_MAX);
    assert_int_equal(list.dropped, 3);
    assert_string_equal(list.line[COMPLAINTS_MAX - 1], "31");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_stand_in_their_order),
        cmocka_unit_test(what_does_not_fit_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
