#include "tg_cmocka.h"

#include <string.h>

#include <tickglass/err.h>

static const tg_err all_errors[] = {
#define TG_ERR_AS_VALUE(name, number, class_, text) name,
    TG_ERR_TABLE(TG_ERR_AS_VALUE)
#undef TG_ERR_AS_VALUE
};
#define ERROR_COUNT (sizeof all_errors / sizeof all_errors[0])

static void numbers_and_texts_are_unique(void **state)
{
    (void)state;
    for (size_t i = 0; i < ERROR_COUNT; i++) {
        for (size_t k = i + 1; k < ERROR_COUNT; k++) {
            assert_int_not_equal(all_errors[i], all_errors[k]);
            assert_string_not_equal(tg_err_name(all_errors[i]), tg_err_name(all_errors[k]));
            assert_string_not_equal(tg_err_text(all_errors[i]), tg_err_text(all_errors[k]));
        }
    }
}

static void texts_are_single_clauses_without_a_full_stop(void **state)
{
    (void)state;
    for (size_t i = 0; i < ERROR_COUNT; i++) {
        const char *text = tg_err_text(all_errors[i]);
        assert_true(strlen(text) > 0);
        assert_true(text[strlen(text) - 1] != '.');
    }
}

static void unknown_numbers_are_reported_as_bugs(void **state)
{
    (void)state;
    const tg_err unknown = (tg_err)9999;
    assert_string_equal(tg_err_name(unknown), "TG_ERR_?");
    assert_int_equal(tg_err_class_of(unknown), TG_ERR_CLASS_BUG);
    assert_string_equal(tg_err_text(unknown), "unknown error number");
}

static void classes_come_from_the_table(void **state)
{
    (void)state;
    assert_int_equal(tg_err_class_of(TG_ERR_TRUNCATED), TG_ERR_CLASS_PEER);
    assert_int_equal(tg_err_class_of(TG_ERR_NO_MEMORY), TG_ERR_CLASS_RESOURCE);
    assert_int_equal(tg_err_class_of(TG_ERR_CLOSED), TG_ERR_CLASS_REOPEN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_and_texts_are_unique),
        cmocka_unit_test(texts_are_single_clauses_without_a_full_stop),
        cmocka_unit_test(unknown_numbers_are_reported_as_bugs),
        cmocka_unit_test(classes_come_from_the_table),
    };
    return cmocka_run_group_tests_name("base.err", tests, NULL, NULL);
}
