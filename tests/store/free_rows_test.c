#include "tg_cmocka.h"

#include "free_rows.h"

enum {
    rows = 5
};

static void expect_order(const tg__order *order, const char *expected)
{
    for (uint16_t row = 0;; expected++) {
        const uint16_t next = order[row].older;
        assert_int_equal(next, *expected == '\0' ? 0 : *expected - '0');
        assert_int_equal(order[next].newer, row);
        if (next == 0) {
            return;
        }
        row = next;
    }
}

static void any_row_can_be_taken_until_none_is_left(void **state)
{
    (void)state;
    tg__order order[rows + 1];
    tg__free_rows_init(order, rows);
    expect_order(order, "12345");
    tg__free_rows_take(order, 3);
    tg__free_rows_take(order, 1);
    tg__free_rows_take(order, 5);
    expect_order(order, "24");
    tg__free_rows_take(order, 2);
    tg__free_rows_take(order, 4);
    expect_order(order, "");
    assert_int_equal(tg__free_rows_first(order), 0);
}

static void a_row_given_back_is_the_next_one(void **state)
{
    (void)state;
    tg__order order[rows + 1];
    tg__free_rows_init(order, rows);
    for (uint16_t row = 1; row <= rows; row++) {
        tg__free_rows_take(order, row);
    }
    tg__free_rows_give(order, 4);
    tg__free_rows_give(order, 2);
    expect_order(order, "24");
    assert_int_equal(tg__free_rows_first(order), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_row_can_be_taken_until_none_is_left),
        cmocka_unit_test(a_row_given_back_is_the_next_one),
    };
    return cmocka_run_group_tests_name("store.free_rows", tests, NULL, NULL);
}
