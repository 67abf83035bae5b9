#include "grapheme.h"

#include <string.h>

#include "tg_cmocka.h"

#define REPLACEMENT "\xEF\xBF\xBD"

typedef struct grapheme_case {
    const char *text;
    size_t taken;
    unsigned columns;
    const char *grapheme;
} grapheme_case;

static void a_grapheme_is_taken_whole_and_measured(void **state)
{
    (void)state;
    static const grapheme_case cases[] = {
        {"", 0, 0, NULL},
        {"A1", 1, 1, "A"},
        {"\xE2\x96\xB2 x", 3, 1, "\xE2\x96\xB2"},           /* an arrow up */
        {"\xE5\x8E\x9F\xE6\xB2\xB9", 3, 2, "\xE5\x8E\x9F"}, /* a Chinese character */
        {"e\xCC\x81x", 3, 1, "e\xCC\x81"},                  /* e and an accent on it */
        {"\xFFx", 1, 1, REPLACEMENT},                       /* not UTF-8 */
        {"\xE2\x96", 1, 1, REPLACEMENT},                    /* cut off */
        {"\xC0\x80", 1, 1, REPLACEMENT},                    /* over-long NUL */
        {"\nx", 1, 1, REPLACEMENT},                         /* control */
        {"\xE2\x80\xAEx", 3, 1, REPLACEMENT},               /* right-to-left override */
        {"A\x1b[31m", 1, 1, "A"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char grapheme[TG_CELL_TEXT_SIZE];
        unsigned columns = 9;
        assert_int_equal(tg__grapheme_next(cases[i].text, grapheme, &columns), cases[i].taken);
        assert_int_equal(columns, cases[i].columns);
        if (cases[i].grapheme != NULL) {
            char filled[TG_CELL_TEXT_SIZE] = {0};
            memcpy(filled, cases[i].grapheme, strlen(cases[i].grapheme));
            assert_memory_equal(grapheme, filled, sizeof filled);
        }
    }
}

static void a_tower_of_accents_does_not_grow_past_its_cell(void **state)
{
    (void)state;
    char text[64] = "e";
    for (int i = 0; i < 20; i++) {
        strcat(text, "\xCC\x81");
    }
    char grapheme[TG_CELL_TEXT_SIZE];
    unsigned columns = 0;
    assert_int_equal(tg__grapheme_next(text, grapheme, &columns), strlen(text));
    assert_string_equal(grapheme, REPLACEMENT);
    assert_int_equal(columns, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_grapheme_is_taken_whole_and_measured),
        cmocka_unit_test(a_tower_of_accents_does_not_grow_past_its_cell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
