#include "columns.h"

#include <string.h>

#include "tg_cmocka.h"

static uint32_t end_of(const column_layout *layout, int column)
{
    return layout->start[column] + layout->width[column] +
           (column_has_arrow((column_id)column) ? 1u : 0u);
}

/* Columns stand side by side, at least one cell apart. */
static void expect_no_overlap(const column_layout *layout)
{
    uint32_t free_from = 0;
    for (int c = 0; c < COLUMN_COUNT; c++) {
        if (layout->shown[c]) {
            assert_true(layout->start[c] > free_from || free_from == 0);
            free_from = end_of(layout, c);
        }
    }
}

static void all_columns_fit_a_wide_grid_and_never_overlap(void **state)
{
    (void)state;
    column_layout layout;
    columns_init(&layout);
    for (uint16_t total = 400; total > 0; total--) {
        columns_fit(&layout, total);
        expect_no_overlap(&layout);
        if (total >= 160) {
            for (int c = 0; c < COLUMN_COUNT; c++) {
                assert_true(layout.shown[c]);
            }
        }
        if (total >= 90) {
            assert_true(end_of(&layout, COLUMN_AGE) <= total);
        }
    }
}

static void what_matters_least_goes_first_and_quality_and_age_stay(void **state)
{
    (void)state;
    column_layout layout;
    columns_init(&layout);
    static const column_id order[] = {COLUMN_CHANGE, COLUMN_ASK_SIZE, COLUMN_BID_SIZE,
                                      COLUMN_PERCENT, COLUMN_VENUE};
    size_t gone = 0;
    for (uint16_t total = 200; total > 0; total--) {
        columns_fit(&layout, total);
        while (gone < 5 && !layout.shown[order[gone]]) {
            gone++;
        }
        for (size_t i = 0; i < 5; i++) {
            assert_int_equal(layout.shown[order[i]], i >= gone);
        }
        assert_true(layout.shown[COLUMN_SYMBOL] && layout.shown[COLUMN_BID] &&
                    layout.shown[COLUMN_ASK] && layout.shown[COLUMN_LAST] &&
                    layout.shown[COLUMN_QUALITY] && layout.shown[COLUMN_AGE]);
    }
    assert_int_equal(gone, 5);
}

static void widths_grow_to_their_bound_and_never_shrink(void **state)
{
    (void)state;
    column_layout layout;
    columns_init(&layout);
    columns_fit(&layout, 160);
    const uint16_t before = layout.width[COLUMN_BID];
    columns_want(&layout, COLUMN_BID, before);
    assert_false(layout.grew);
    columns_want(&layout, COLUMN_BID, (uint16_t)(before + 3));
    assert_true(layout.grew);
    columns_fit(&layout, 160);
    assert_false(layout.grew);
    columns_want(&layout, COLUMN_BID, 1);
    assert_false(layout.grew);
    assert_int_equal(layout.width[COLUMN_BID], before + 3);
    columns_want(&layout, COLUMN_SYMBOL, 60000);
    columns_fit(&layout, 160);
    assert_int_equal(layout.width[COLUMN_SYMBOL], 40);
    columns_want(&layout, COLUMN_SYMBOL, 60000);
    assert_false(layout.grew);
}

static void the_layouts_edge_makes_a_column_narrower(void **state)
{
    (void)state;
    column_layout layout;
    columns_init(&layout);
    columns_fit(&layout, 200);
    const tg_span whole = columns_span(&layout, COLUMN_AGE, 7);
    assert_int_equal(whole.row, 7);
    assert_int_equal(whole.column, layout.start[COLUMN_AGE]);
    assert_int_equal(whole.width, layout.width[COLUMN_AGE]);
    columns_fit(&layout, 40);
    for (int c = 0; c < COLUMN_COUNT; c++) {
        if (layout.shown[c]) {
            const tg_span span = columns_span(&layout, (column_id)c, 0);
            assert_true(span.width == 0 || span.column + span.width <= 40);
        }
    }
    assert_int_equal(columns_span(&layout, COLUMN_AGE, 0).width, 0);
}

static void long_prices_cost_digits_before_the_age(void **state)
{
    (void)state;
    column_layout layout;
    columns_init(&layout);
    columns_want(&layout, COLUMN_BID, 21);
    columns_want(&layout, COLUMN_ASK, 24);
    columns_want(&layout, COLUMN_LAST, 12);
    assert_true(layout.grew);
    for (uint16_t total = 74; total < 200; total++) {
        columns_fit(&layout, total);
        assert_true(layout.shown[COLUMN_AGE]);
        assert_true(end_of(&layout, COLUMN_AGE) <= total);
        assert_true(layout.width[COLUMN_BID] >= 10 && layout.width[COLUMN_LAST] >= 10);
    }
    assert_int_equal(layout.width[COLUMN_ASK], 24); /* the wish was not forgotten */
    columns_fit(&layout, 90);
    columns_want(&layout, COLUMN_ASK, 24);
    assert_false(layout.grew);
}

static void columns_that_are_off_give_their_room_to_the_others(void **state)
{
    (void)state;
    column_layout layout;
    columns_init(&layout);
    columns_fit(&layout, 90);
    assert_false(layout.shown[COLUMN_CHANGE]);
    layout.off[COLUMN_BID] = true;
    layout.off[COLUMN_ASK] = true;
    layout.off[COLUMN_LAST] = true;
    columns_fit(&layout, 110);
    expect_no_overlap(&layout);
    assert_true(layout.shown[COLUMN_CHANGE] && layout.shown[COLUMN_VENUE]);
    assert_false(layout.shown[COLUMN_BID] || layout.shown[COLUMN_ASK] || layout.shown[COLUMN_LAST]);
    /* Only what says who and how old is left. */
    for (int c = 0; c < COLUMN_COUNT; c++) {
        layout.off[c] = column_may_be_off((column_id)c);
    }
    for (uint16_t total = 200; total > 0; total--) {
        columns_fit(&layout, total);
        assert_true(layout.shown[COLUMN_SYMBOL] && layout.shown[COLUMN_QUALITY] &&
                    layout.shown[COLUMN_AGE]);
    }
    memset(layout.off, 0, sizeof layout.off);
    columns_fit(&layout, 200);
    for (int c = 0; c < COLUMN_COUNT; c++) {
        assert_true(layout.shown[c]);
    }
}

static void every_cell_belongs_to_the_column_that_stands_there(void **state)
{
    (void)state;
    column_layout layout;
    columns_init(&layout);
    for (uint16_t total = 60; total < 200; total += 7) {
        columns_fit(&layout, total);
        for (uint16_t cell = 0; cell < total; cell++) {
            const column_id at = columns_at(&layout, cell);
            for (int c = 0; c < COLUMN_COUNT; c++) {
                const bool inside =
                    layout.shown[c] && cell >= layout.start[c] && cell < end_of(&layout, c);
                assert_int_equal(inside, at == (column_id)c);
            }
        }
    }
}

static void columns_follow_each_other_both_ways_without_those_that_are_not_shown(void **state)
{
    (void)state;
    column_layout layout;
    columns_init(&layout);
    layout.off[COLUMN_BID_SIZE] = true;
    columns_fit(&layout, 200);
    assert_int_equal(columns_next(&layout, COLUMN_SYMBOL, false), COLUMN_BID);
    assert_int_equal(columns_next(&layout, COLUMN_BID, true), COLUMN_SYMBOL);
    assert_int_equal(columns_next(&layout, COLUMN_AGE, false), COLUMN_VENUE);
    assert_int_equal(columns_next(&layout, COLUMN_VENUE, true), COLUMN_AGE);
    assert_int_equal(columns_next(&layout, COLUMN_BID_SIZE, false), COLUMN_BID);
}

static void columns_are_found_by_the_names_that_files_use(void **state)
{
    (void)state;
    for (int c = 0; c < COLUMN_COUNT; c++) {
        const char *name = column_name((column_id)c);
        assert_null(strchr(name, ' '));
        assert_int_equal(column_find(name, strlen(name)), c);
        assert_int_equal(column_find(name, strlen(name) - 1), COLUMN_COUNT);
    }
    assert_int_equal(column_find("", 0), COLUMN_COUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_columns_fit_a_wide_grid_and_never_overlap),
        cmocka_unit_test(what_matters_least_goes_first_and_quality_and_age_stay),
        cmocka_unit_test(widths_grow_to_their_bound_and_never_shrink),
        cmocka_unit_test(the_layouts_edge_makes_a_column_narrower),
        cmocka_unit_test(long_prices_cost_digits_before_the_age),
        cmocka_unit_test(columns_that_are_off_give_their_room_to_the_others),
        cmocka_unit_test(every_cell_belongs_to_the_column_that_stands_there),
        cmocka_unit_test(columns_follow_each_other_both_ways_without_those_that_are_not_shown),
        cmocka_unit_test(columns_are_found_by_the_names_that_files_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
