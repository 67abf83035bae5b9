#include "tg_cmocka.h"

#include "recency.h"

enum {
    rows = 6
};

typedef struct fixture {
    uint64_t stamp[3 * (rows + 1)]; /* each the first of three words of a row */
    tg__order order[rows + 1];
    tg__recency list;
} fixture;

static fixture *emptied(fixture *at)
{
    *at = (fixture){.list = {.stride = 3}};
    at->list.stamp = at->stamp;
    at->list.order = at->order;
    return at;
}

static void expect_order(const tg__recency *list, const char *expected)
{
    uint16_t row = tg__recency_front(list);
    uint16_t newer = 0;
    for (; *expected != '\0'; expected++) {
        assert_int_equal(row, *expected - '0');
        assert_int_equal(list->order[row].newer, newer);
        newer = row;
        row = list->order[row].older;
    }
    assert_int_equal(row, 0);
    assert_int_equal(list->order[0].newer, newer);
}

static void the_last_raised_row_is_in_front(void **state)
{
    (void)state;
    fixture at;
    tg__recency *list = &emptied(&at)->list;
    expect_order(list, "");
    tg__recency_raise(list, 3, 1);
    tg__recency_raise(list, 1, 2);
    tg__recency_raise(list, 6, 3);
    expect_order(list, "613");
    tg__recency_raise(list, 3, 4);
    expect_order(list, "361");
    tg__recency_raise(list, 1, 5);
    expect_order(list, "136");
    assert_int_equal(at.stamp[3], 5);
}

static void a_second_raise_with_the_same_stamp_moves_nothing(void **state)
{
    (void)state;
    fixture at;
    tg__recency *list = &emptied(&at)->list;
    tg__recency_raise(list, 1, 7);
    tg__recency_raise(list, 2, 7);
    tg__recency_raise(list, 1, 7);
    expect_order(list, "21");
}

static void rows_are_placed_behind_others_and_taken_out(void **state)
{
    (void)state;
    fixture at;
    tg__recency *list = &emptied(&at)->list;
    tg__recency_place(list, 0, 1, 9);
    tg__recency_place(list, 1, 2, 8);
    tg__recency_place(list, 1, 3, 8);
    expect_order(list, "132");
    tg__recency_place(list, 3, 2, 8); /* where it is */
    expect_order(list, "132");
    tg__recency_remove(list, 3);
    tg__recency_remove(list, 3);
    expect_order(list, "12");
    assert_int_equal(tg__recency_stamp(list, 3), 0);
    tg__recency_remove(list, 1);
    tg__recency_remove(list, 2);
    expect_order(list, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_raised_row_is_in_front),
        cmocka_unit_test(a_second_raise_with_the_same_stamp_moves_nothing),
        cmocka_unit_test(rows_are_placed_behind_others_and_taken_out),
    };
    return cmocka_run_group_tests_name("store.recency", tests, NULL, NULL);
}
