/* Rows that stand still, whatever is typed, sorted, added and taken away. */
#include "list_view.h"

#include <stdio.h>
#include <string.h>

#include "tg_cmocka.h"

#define ROWS 12

static watch_row rows[ROWS];
static uint64_t number;

static list_view *open_list(size_t count)
{
    list_view *list = NULL;
    memset(rows, 0, sizeof rows);
    for (size_t i = 0; i < count; i++) {
        (void)snprintf(rows[i].venue, sizeof rows[i].venue, "%s", i % 2 == 0 ? "EVEN" : "ODD");
        (void)snprintf(rows[i].symbol, sizeof rows[i].symbol, "S%zu", i);
        rows[i].listed = true;
    }
    assert_int_equal(list_view_open(ROWS, &list), TG_OK);
    list_view_take(list, rows, count, ++number);
    list_view_fit(list, 5);
    return list;
}

static void expect(const list_view *list, const char *order)
{
    char text[64] = "";
    for (size_t i = 0; i < list_view_count(list); i++) {
        const size_t index = list_view_at(list, i);
        assert_int_equal(list_view_place(list, index), i);
        (void)snprintf(text + strlen(text), sizeof text - strlen(text), "%zx", index);
    }
    assert_string_equal(text, order);
}

/* By the value that each index has here. */
static void order_by(list_view *list, const int *values)
{
    row_key keys[ROWS];
    const size_t count = list_view_total(list);
    for (size_t i = 0; i < count; i++) {
        const size_t index = list_view_unfiltered(list, i);
        keys[i] = (row_key){.index = index, .present = true, .value = {values[index], 0}};
    }
    list_view_order(list, keys, count);
}

static void a_filter_leaves_out_and_never_moves(void **state)
{
    (void)state;
    static const int values[ROWS] = {5, 3, 9, 1, 7, 2};
    list_view *list = open_list(6);
    expect(list, "012345");
    order_by(list, values);
    expect(list, "351042");
    assert_true(list_view_type(list, "even"));
    expect(list, "042");
    assert_int_equal(list_view_total(list), 6);
    assert_true(list_view_type(list, " s4"));
    expect(list, "4");
    assert_true(list_view_type(list, "x"));
    expect(list, "");
    assert_int_equal(list_view_selected(list), LIST_VIEW_NO_ROW);
    assert_true(list_view_rub_out(list));
    expect(list, "4");
    assert_int_equal(list_view_selected(list), 4);
    assert_true(list_view_clear_filter(list));
    assert_false(list_view_clear_filter(list));
    expect(list, "351042");
    /* What was found stays selected. */
    assert_int_equal(list_view_selected(list), 4);
    assert_false(list_view_type(list, " "));
    list_view_close(list);
}

static void rows_that_come_stand_at_the_end_and_those_that_go_leave_no_hole(void **state)
{
    (void)state;
    static const int values[ROWS] = {5, 3, 9, 1, 7, 2};
    list_view *list = open_list(5);
    order_by(list, values);
    expect(list, "31042");
    (void)snprintf(rows[5].symbol, sizeof rows[5].symbol, "S5");
    rows[5].listed = true;
    list_view_take(list, rows, 6, number); /* the same number: nothing is looked at */
    expect(list, "31042");
    list_view_take(list, rows, 6, ++number);
    expect(list, "310425");
    rows[1].listed = false;
    list_view_take(list, rows, 6, ++number);
    expect(list, "30425");
    assert_int_equal(list_view_place(list, 1), LIST_VIEW_NO_ROW);
    rows[1].listed = true;
    list_view_take(list, rows, 6, ++number);
    expect(list, "304251");
    order_by(list, values);
    expect(list, "351042");
    list_view_close(list);
}

static void the_selection_is_an_instrument_not_a_place(void **state)
{
    (void)state;
    static const int values[ROWS] = {5, 3, 9, 1, 7, 2, 8, 4, 6, 0};
    list_view *list = open_list(10);
    list_view_select(list, 2);
    assert_int_equal(list_view_selected(list), 2);
    order_by(list, values);
    expect(list, "9351708462");
    assert_int_equal(list_view_selected(list), 2);
    /* It went to the end, and the screen with it. */
    assert_int_equal(list_view_top(list), 5);
    list_view_move(list, -1);
    assert_int_equal(list_view_selected(list), 6);
    list_view_move(list, -100);
    assert_int_equal(list_view_selected(list), 9);
    assert_int_equal(list_view_top(list), 0);
    list_view_move(list, 100);
    assert_int_equal(list_view_selected(list), 2);
    list_view_close(list);
}

static void the_wheel_moves_the_rows_and_takes_the_selection_along_only_at_the_edge(void **state)
{
    (void)state;
    list_view *list = open_list(10);
    list_view_select(list, 3);
    list_view_scroll(list, 2);
    assert_int_equal(list_view_top(list), 2);
    assert_int_equal(list_view_selected(list), 3);
    list_view_scroll(list, 100);
    assert_int_equal(list_view_top(list), 5);
    assert_int_equal(list_view_selected(list), 5);
    list_view_scroll(list, -100);
    assert_int_equal(list_view_top(list), 0);
    assert_int_equal(list_view_selected(list), 4);
    /* A window that grows shows what there is; one without a row does not end anything. */
    list_view_fit(list, 40);
    assert_int_equal(list_view_top(list), 0);
    list_view_fit(list, 0);
    list_view_scroll(list, 3);
    list_view_fit(list, 1);
    assert_int_equal(list_view_at(list, list_view_top(list)), list_view_selected(list));
    list_view_close(list);
    list = open_list(0);
    list_view_scroll(list, 3);
    list_view_move(list, 1);
    assert_int_equal(list_view_selected(list), LIST_VIEW_NO_ROW);
    list_view_close(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_filter_leaves_out_and_never_moves),
        cmocka_unit_test(rows_that_come_stand_at_the_end_and_those_that_go_leave_no_hole),
        cmocka_unit_test(the_selection_is_an_instrument_not_a_place),
        cmocka_unit_test(the_wheel_moves_the_rows_and_takes_the_selection_along_only_at_the_edge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
