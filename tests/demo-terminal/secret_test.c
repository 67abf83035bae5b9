#include "secret.h"

#include "text_file.h"

static void the_first_line_is_taken_without_blanks_around_it(void **state)
{
    (void)state;
    static const char *const texts[] = {"token", "token\n", " \ttoken \r\nanother\n", "token\n\n"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char secret[SECRET_SIZE];
        char why[200] = "";
        const text_file file = text_file_write(texts[i], strlen(texts[i]));
        assert_int_equal(secret_read(file.path, secret, why, sizeof why), TG_OK);
        assert_string_equal(secret, "token");
        text_file_remove(&file);
        /* Nothing of what stood behind it is left. */
        for (size_t k = 5; k < SECRET_SIZE; k++) {
            assert_int_equal(secret[k], 0);
        }
    }
}

static void what_cannot_be_a_secret_is_refused_without_being_told(void **state)
{
    (void)state;
    static char long_line[SECRET_SIZE + 10];
    memset(long_line, 'q', sizeof long_line - 1);
    char secret[SECRET_SIZE];
    char why[300] = "";
    text_file file = text_file_write("  \nlater", 8);
    assert_int_equal(secret_read(file.path, secret, why, sizeof why), TG_ERR_SYNTAX);
    assert_non_null(strstr(why, file.path));
    assert_null(strstr(why, "later"));
    text_file_remove(&file);
    file = text_file_write(long_line, sizeof long_line - 1);
    assert_int_equal(secret_read(file.path, secret, why, sizeof why), TG_ERR_SYNTAX);
    assert_non_null(strstr(why, "too long"));
    assert_null(strstr(why, "qqq"));
    assert_int_equal(secret[0], 0);
    text_file_remove(&file);
    assert_int_equal(secret_read("nowhere/secret", secret, why, sizeof why), TG_ERR_IO);
    assert_string_equal(why, "nowhere/secret: No such file or directory");
}

static void wiping_leaves_zeros(void **state)
{
    (void)state;
    char secret[8] = "secret!";
    secret_wipe(secret, sizeof secret);
    for (size_t i = 0; i < sizeof secret; i++) {
        assert_int_equal(secret[i], 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_line_is_taken_without_blanks_around_it),
        cmocka_unit_test(what_cannot_be_a_secret_is_refused_without_being_told),
        cmocka_unit_test(wiping_leaves_zeros),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
