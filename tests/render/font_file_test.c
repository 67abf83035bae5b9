#include "font_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tg_cmocka.h"

static void a_file_is_known_by_its_name_and_its_bytes(void **state)
{
    (void)state;
    char path[64] = "font_file_XXXXXX";
    char text[TG__FONT_FILE_TEXT_SIZE];
    char wanted[TG__FONT_FILE_TEXT_SIZE];
    char longer[80];
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, "123456789", 9), 9); /* RFC 3720's check value */
    assert_int_equal(close(file), 0);
    (void)snprintf(wanted, sizeof wanted, "%s 9 e3069283", path);
    assert_int_equal(tg__font_file_identify(path, text), TG_OK);
    assert_string_equal(text, wanted);
    (void)snprintf(longer, sizeof longer, "./%s", path); /* wherever it lies */
    assert_int_equal(tg__font_file_identify(longer, text), TG_OK);
    assert_string_equal(text, wanted);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(tg__font_file_identify(path, text), TG_ERR_IO);
    assert_string_equal(text, "");
    assert_int_equal(tg__font_file_identify(".", text), TG_ERR_IO);
    assert_int_equal(tg__font_file_identify(NULL, text), TG_OK);
    assert_string_equal(text, "-");
}

static void a_long_name_is_cut_off(void **state)
{
    (void)state;
    char path[128];
    char text[TG__FONT_FILE_TEXT_SIZE];
    (void)snprintf(path, sizeof path, "%0*d.ttf", 100, 7);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(tg__font_file_identify(path, text), TG_OK);
    assert_int_equal(strspn(text, "0"), 60);
    assert_string_equal(text + 60, " 0 00000000");
    assert_int_equal(unlink(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_known_by_its_name_and_its_bytes),
        cmocka_unit_test(a_long_name_is_cut_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
