#include "canvas.h"

#include <string.h>

#include "tg_cmocka.h"

#define OPAQUE 0xff000000u

static void blending_is_exact_at_both_ends_and_rounds_between(void **state)
{
    (void)state;
    assert_int_equal(tg__pixel_blend(0x123456, 0xfedcba, 0), OPAQUE | 0xfedcba);
    assert_int_equal(tg__pixel_blend(0x123456, 0xfedcba, 255), OPAQUE | 0x123456);
    assert_int_equal(tg__pixel_blend(0xffffff, 0x000000, 128), OPAQUE | 0x808080);
    assert_int_equal(tg__pixel_blend(0x000000, 0xffffff, 128), OPAQUE | 0x7f7f7f);
}

static void blits_and_fills_stay_inside_the_canvas(void **state)
{
    (void)state;
    /* A frame of one pixel around a 4 x 3 canvas must stay as it is. */
    uint32_t memory[5 * 6];
    memset(memory, 0x11, sizeof memory);
    tg__canvas canvas = {memory + 6 + 1, 4, 3, 6};
    const uint32_t tile[4] = {1, 2, 3, 4};
    tg__canvas_fill(&canvas, (tg__rect){-5, -5, 50, 50}, 0xabcdef);
    tg__canvas_blit(&canvas, -1, -1, tile, 2, 2);
    tg__canvas_blit(&canvas, 3, 2, tile, 2, 2);
    tg__canvas_blit(&canvas, 4, 0, tile, 2, 2);
    tg__canvas_blit(&canvas, 0, 3, tile, 2, 2);
    for (int y = 0; y < 5; y++) {
        for (int x = 0; x < 6; x++) {
            const uint32_t pixel = memory[y * 6 + x];
            if (y == 0 || y == 4 || x == 0 || x == 5) {
                assert_int_equal(pixel, 0x11111111);
            } else if (x == 1 && y == 1) {
                assert_int_equal(pixel, 4);
            } else if (x == 4 && y == 3) {
                assert_int_equal(pixel, 1);
            } else {
                assert_int_equal(pixel, OPAQUE | 0xabcdef);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blending_is_exact_at_both_ends_and_rounds_between),
        cmocka_unit_test(blits_and_fills_stay_inside_the_canvas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
