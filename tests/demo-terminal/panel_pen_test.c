#include "panel_pen.h"

#include "picture_fixture.h"

static const panel_title title = {"F4", "ladder", "note", 0xffffff, true};

static void a_span_never_leaves_the_area(void **state)
{
    (void)state;
    const panel_pen pen = {NULL, NULL, {5, 10, 20, 4}};
    for (uint16_t row = 0; row < 8; row++) {
        for (uint16_t column = 0; column < 30; column++) {
            for (uint16_t width = 0; width < 30; width++) {
                const tg_span span = panel_span(&pen, row, column, width);
                assert_true(span.width == 0 || (span.row < 9 && span.column + span.width <= 30));
                assert_true(span.width <= width);
            }
        }
    }
    assert_int_equal(panel_span(&pen, 3, 19, 5).width, 1);
    assert_int_equal(panel_span(&pen, 4, 0, 5).width, 0);
}

static void the_focus_is_seen_in_the_title(void **state)
{
    (void)state;
    picture_fixture f = picture_open_cells(40, 6, NULL);
    const panel_area area = {1, 2, 30, 4};
    (void)panel_begin(f.grid, f.palette, area, &title);
    assert_string_equal(picture_row(&f, 1), "\xE2\x96\xB8 ladder F4              note");
    panel_title other = title;
    other.focused = false;
    (void)panel_begin(f.grid, f.palette, area, &other);
    assert_string_equal(picture_row(&f, 1), "ladder F4              note");
    assert_false(picture_shows_colour(&f, f.palette->text));
    other.note = "! STALE 12m34s from"; /* the key gives way */
    (void)panel_begin(f.grid, f.palette, area, &other);
    assert_string_equal(picture_row(&f, 1), "ladder  ! STALE 12m34s from");
    picture_close(&f);
}

static void what_is_to_say_is_wrapped_at_blanks(void **state)
{
    (void)state;
    picture_fixture f = picture_open_cells(24, 6, NULL);
    const panel_pen pen = panel_begin(f.grid, f.palette, (panel_area){0, 0, 24, 6}, &title);
    panel_say(&pen, 2, f.palette->label, "Enter opens the selected instrument here.");
    assert_string_equal(picture_row(&f, 2), "Enter opens the");
    assert_string_equal(picture_row(&f, 3), "selected instrument");
    assert_string_equal(picture_row(&f, 4), "here.");
    panel_say(&pen, 5, f.palette->label, "Donaudampfschifffahrtsgesellschaft und mehr");
    assert_string_equal(picture_row(&f, 5), "Donaudampfschifffah\xE2\x80\xA6");
    picture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_span_never_leaves_the_area),
        cmocka_unit_test(the_focus_is_seen_in_the_title),
        cmocka_unit_test(what_is_to_say_is_wrapped_at_blanks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
