#include "hex_box.h"

#include <string.h>

#include "tg_cmocka.h"

/* Compares an 8 x 13 cell with a drawing. */
static void expect_drawing(const uint8_t *coverage, const char *const lines[13])
{
    for (int y = 0; y < 13; y++) {
        for (int x = 0; x < 8; x++) {
            assert_int_equal(coverage[y * 8 + x], lines[y][x] == '#' ? 255 : 0);
        }
    }
}

static void four_digits_stand_in_two_columns(void **state)
{
    (void)state;
    uint8_t coverage[8 * 13] = {0};
    static const char *const lines[13] = {
        "........", "###.###.", "..#.#...", "###.##..", "#...#...", "###.#...", "........",
        "###.###.", "#.#.#.#.", "#.#.###.", "#.#.#.#.", "###.###.", "........",
    };
    tg__hex_box_cover(0x2f08, coverage, 8, 13, 0, 8);
    expect_drawing(coverage, lines);
}

static void both_halves_of_a_wide_one_make_the_whole(void **state)
{
    (void)state;
    uint8_t whole[16 * 24] = {0};
    uint8_t left[8 * 24] = {0};
    uint8_t right[8 * 24] = {0};
    tg__hex_box_cover(0x2008b, whole, 16, 24, 0, 16);
    tg__hex_box_cover(0x2008b, left, 8, 24, 0, 16);
    tg__hex_box_cover(0x2008b, right, 8, 24, 8, 16);
    int dots = 0;
    for (int y = 0; y < 24; y++) {
        assert_memory_equal(whole + y * 16, left + y * 8, 8);
        assert_memory_equal(whole + y * 16 + 8, right + y * 8, 8);
        for (int x = 0; x < 16; x++) {
            dots += whole[y * 16 + x] != 0;
        }
    }
    assert_true(dots > 40);
}

static void what_does_not_fit_is_cut_off(void **state)
{
    (void)state;
    uint8_t coverage[3 * 3 + 1] = {0};
    coverage[9] = 7;
    tg__hex_box_cover(0xffffffff, coverage, 3, 3, 0, 3);
    assert_int_equal(coverage[9], 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_digits_stand_in_two_columns),
        cmocka_unit_test(both_halves_of_a_wide_one_make_the_whole),
        cmocka_unit_test(what_does_not_fit_is_cut_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
