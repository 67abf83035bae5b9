#include "tg_cmocka.h"

#include <stdbool.h>
#include <string.h>

#include "names.h"

static void open_names(names *n)
{
    why reason;
    assert_true(names_read(n, "A:1,A:2,A:3,A:4,A:5,A:6,A:7,A:8,A:9,A:10", &reason));
    assert_int_equal(n->count, 10);
    assert_string_equal(n->at[9].symbol, "10");
}

static void a_watchlist_never_holds_an_instrument_twice(void **state)
{
    (void)state;
    names n;
    splitmix random = {11};
    open_names(&n);
    for (uint32_t count = 1; count <= 10; count++) {
        uint32_t drawn[10];
        bool seen[10] = {false};
        names_draw(&n, &random, count, drawn);
        for (uint32_t i = 0; i < count; i++) {
            assert_in_range(drawn[i], 0, 9);
            assert_false(seen[drawn[i]]);
            seen[drawn[i]] = true;
        }
    }
    names_deinit(&n);
}

static void a_busy_instrument_is_drawn_by_its_weight(void **state)
{
    (void)state;
    names n;
    splitmix random = {12};
    unsigned first = 0;
    open_names(&n);
    n.at[3].weight = 9; /* of 18 in all: every second time */
    for (int i = 0; i < 10000; i++) {
        uint32_t drawn = 0;
        names_draw(&n, &random, 1, &drawn);
        first += drawn == 3;
    }
    assert_in_range(first, 4800, 5200);
    names_deinit(&n);
}

static void a_list_that_cannot_be_read_is_refused(void **state)
{
    (void)state;
    names n;
    why reason = {""};
    assert_false(names_read(&n, "A:1,B", &reason));
    assert_non_null(strstr(reason.text, "item 2"));
    assert_false(names_read(&n, "*", &reason));
    assert_non_null(strstr(reason.text, "no instrument"));
    names_deinit(&n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_watchlist_never_holds_an_instrument_twice),
        cmocka_unit_test(a_busy_instrument_is_drawn_by_its_weight),
        cmocka_unit_test(a_list_that_cannot_be_read_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
