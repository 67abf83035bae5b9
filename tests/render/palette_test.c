#include <tickglass/palette.h>

#include "tg_cmocka.h"

static void the_default_palette_is_blue_and_orange(void **state)
{
    (void)state;
    const tg_palette *palette = NULL;
    assert_int_equal(tg_palette_find(NULL, &palette), TG_OK);
    assert_string_equal(palette->name, "blue-orange");
    assert_true((palette->up & 0xff) > (palette->up >> 16));
    assert_true((palette->down >> 16) > (palette->down & 0xff));
}

static void palettes_are_found_by_name_only(void **state)
{
    (void)state;
    const tg_palette *green = NULL;
    const tg_palette *red = NULL;
    assert_int_equal(tg_palette_find("green-red", &green), TG_OK);
    assert_int_equal(tg_palette_find("red-up", &red), TG_OK);
    assert_int_equal(green->up, red->down);
    assert_int_equal(tg_palette_find("purple", &red), TG_ERR_NOT_FOUND);
    assert_null(red);
    assert_int_equal(tg_palette_find(NULL, NULL), TG_ERR_INVALID_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_default_palette_is_blue_and_orange),
        cmocka_unit_test(palettes_are_found_by_name_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
