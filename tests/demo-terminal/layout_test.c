#include "layout.h"

#include <string.h>

#include "tg_cmocka.h"

static layout_wish wish_of(uint16_t columns, uint16_t rows)
{
    layout_wish wish = {.columns = columns, .first_row = 3, .row_count = rows};
    for (int i = 0; i < PANEL_COUNT; i++) {
        wish.panel[i] = i != PANEL_LATENCY;
    }
    return wish;
}

/* Inside of the body, and no two in one cell. */
static void expect_apart(const layout *l, const layout_wish *wish)
{
    static uint8_t taken[400][400];
    memset(taken, 0, sizeof taken);
    for (int i = 0; i < PANEL_COUNT; i++) {
        const panel_area *area = &l->area[i];
        for (uint32_t r = area->row; r < (uint32_t)area->row + area->height; r++) {
            assert_true(r >= wish->first_row);
            assert_true(r < (uint32_t)wish->first_row + wish->row_count);
            for (uint32_t c = area->column; c < (uint32_t)area->column + area->width; c++) {
                assert_true(c >= l->list_width && c < wish->columns);
                assert_int_equal(taken[r][c], 0);
                taken[r][c] = 1;
            }
        }
    }
}

static void panels_never_overlap_nor_leave_the_body(void **state)
{
    (void)state;
    for (uint16_t columns = 1; columns < 300; columns = (uint16_t)(columns + 7)) {
        for (uint16_t rows = 0; rows < 90; rows++) {
            for (unsigned bits = 0; bits < 1u << PANEL_COUNT; bits += 5) {
                layout_wish wish = wish_of(columns, rows);
                for (unsigned i = 0; i < PANEL_COUNT; i++) {
                    wish.panel[i] = (bits >> i & 1) != 0;
                }
                wish.panels_have_focus = bits % 2 != 0;
                const layout l = layout_fit(&wish);
                expect_apart(&l, &wish);
                for (unsigned i = 0; i < PANEL_COUNT; i++) {
                    assert_true(wish.panel[i] || l.area[i].height == 0);
                }
            }
        }
    }
}

static void a_wide_window_has_both_and_uses_all_of_its_height(void **state)
{
    (void)state;
    const layout_wish wish = wish_of(160, 60);
    const layout l = layout_fit(&wish);
    assert_int_equal(l.list_width, 95);
    assert_int_equal(l.area[PANEL_QUOTE].column, 96);
    assert_int_equal(l.area[PANEL_QUOTE].width, 64);
    assert_int_equal(l.area[PANEL_LADDER].row, l.area[PANEL_TRADES].row);
    assert_true(l.area[PANEL_TRADES].width > l.area[PANEL_LADDER].width);
    assert_int_equal(l.area[PANEL_LOG].row + l.area[PANEL_LOG].height, 63);
}

static void in_a_narrow_window_panels_take_the_lists_place_while_they_have_the_focus(void **state)
{
    (void)state;
    layout_wish wish = wish_of(100, 30);
    assert_false(layout_is_wide(100));
    layout l = layout_fit(&wish);
    assert_int_equal(l.list_width, 100);
    assert_int_equal(l.area[PANEL_QUOTE].height, 0);
    wish.panels_have_focus = true;
    l = layout_fit(&wish);
    assert_int_equal(l.list_width, 0);
    assert_int_equal(l.area[PANEL_QUOTE].width, 100);
    memset(wish.panel, 0, sizeof wish.panel);
    l = layout_fit(&wish);
    assert_int_equal(l.list_width, 100);
}

static void the_last_panels_give_way_where_the_height_ends(void **state)
{
    (void)state;
    layout_wish wish = wish_of(160, 17);
    layout l = layout_fit(&wish);
    assert_true(l.area[PANEL_QUOTE].height > 0 && l.area[PANEL_LADDER].height > 0);
    assert_int_equal(l.area[PANEL_CHART].height, 0);
    assert_int_equal(l.area[PANEL_LOG].height, 0);
    wish.row_count = 7;
    l = layout_fit(&wish);
    assert_int_equal(l.area[PANEL_QUOTE].height, 0);
    assert_int_equal(l.area[PANEL_LOG].height, 7); /* the only one that fits */
}

static void one_of_ladder_and_trades_has_the_width_alone(void **state)
{
    (void)state;
    layout_wish wish = wish_of(160, 40);
    wish.panel[PANEL_LADDER] = false;
    layout l = layout_fit(&wish);
    assert_int_equal(l.area[PANEL_TRADES].width, l.area[PANEL_QUOTE].width);
    assert_int_equal(l.area[PANEL_LADDER].height, 0);
    wish.panel[PANEL_LADDER] = true;
    wish.panel[PANEL_TRADES] = false;
    l = layout_fit(&wish);
    assert_int_equal(l.area[PANEL_LADDER].width, l.area[PANEL_QUOTE].width);
}

/* They were called up, the others were there before. */
static void latencies_go_first_and_stand_last(void **state)
{
    (void)state;
    layout_wish wish = wish_of(160, 34); /* 1280x720 */
    wish.panel[PANEL_LATENCY] = true;
    layout l = layout_fit(&wish);
    assert_int_equal(l.area[PANEL_LATENCY].height, 26);
    assert_int_equal(l.area[PANEL_QUOTE].height, 8);
    assert_int_equal(l.area[PANEL_LATENCY].row, l.area[PANEL_QUOTE].row + 8);
    assert_int_equal(l.area[PANEL_CHART].height, 0);
    wish = wish_of(240, 90);
    wish.panel[PANEL_LATENCY] = true;
    l = layout_fit(&wish);
    assert_true(l.area[PANEL_LATENCY].height > 26);
    assert_int_equal(l.area[PANEL_LATENCY].row, l.area[PANEL_LOG].row + l.area[PANEL_LOG].height);
    assert_int_equal(l.area[PANEL_LATENCY].row + l.area[PANEL_LATENCY].height, 93);
    wish.row_count = 14;
    l = layout_fit(&wish);
    assert_int_equal(l.area[PANEL_LATENCY].height, 14);
    wish.row_count = 11;
    l = layout_fit(&wish);
    assert_int_equal(l.area[PANEL_LATENCY].height, 0);
    assert_int_equal(l.area[PANEL_QUOTE].height, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(panels_never_overlap_nor_leave_the_body),
        cmocka_unit_test(a_wide_window_has_both_and_uses_all_of_its_height),
        cmocka_unit_test(in_a_narrow_window_panels_take_the_lists_place_while_they_have_the_focus),
        cmocka_unit_test(the_last_panels_give_way_where_the_height_ends),
        cmocka_unit_test(one_of_ladder_and_trades_has_the_width_alone),
        cmocka_unit_test(latencies_go_first_and_stand_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
