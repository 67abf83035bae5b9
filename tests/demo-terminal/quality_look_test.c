#include "quality_look.h"

#include "tg_cmocka.h"

static void what_may_be_old_is_never_in_the_good_colour(void **state)
{
    (void)state;
    static const char *const names[] = {"blue-orange", "green-red", "red-up"};
    for (size_t p = 0; p < sizeof names / sizeof names[0]; p++) {
        const tg_palette *palette = NULL;
        assert_int_equal(tg_palette_find(names[p], &palette), TG_OK);
        for (int q = TG_QUALITY_LIVE; q <= TG_QUALITY_UNKNOWN; q++) {
            const bool good = quality_colour(palette, (tg_quality)q) == palette->good;
            assert_int_equal(good, q == TG_QUALITY_LIVE);
            assert_int_equal(quality_is_suspect((tg_quality)q), q > TG_QUALITY_HALTED);
        }
        /* A quality that this terminal does not know yet is none to rely on. */
        assert_true(quality_is_suspect((tg_quality)99));
        assert_int_equal(quality_colour(palette, (tg_quality)99), palette->bad);
    }
}

static void a_note_has_the_age_and_marks_what_may_be_old(void **state)
{
    (void)state;
    char text[QUALITY_NOTE_SIZE];
    quality_note(TG_QUALITY_LIVE, 5, text);
    assert_string_equal(text, "LIVE <1s");
    quality_note(TG_QUALITY_STALE, INT64_C(754000000000), text);
    assert_string_equal(text, "! STALE 12m34s");
    quality_note(TG_QUALITY_UNKNOWN, -1, text);
    assert_string_equal(text, "! UNKNOWN \xE2\x80\x93");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_may_be_old_is_never_in_the_good_colour),
        cmocka_unit_test(a_note_has_the_age_and_marks_what_may_be_old),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
