#include "tg_cmocka.h"

#include <string.h>
#include <sys/stat.h>

#include "scratch_folder.h"
#include "secret_file.h"

static void it_is_a_line_of_digits_that_nobody_else_reads_and_another_each_time(void **state)
{
    (void)state;
    scratch_folder folder;
    tg__cause cause;
    struct stat status;
    char first[TG__SECRET_SIZE * 2 + 2];
    char second[TG__SECRET_SIZE * 2 + 2];
    scratch_folder_open(&folder);
    assert_int_equal(tg__secret_file_make(scratch_path(&folder, "key"), &cause), TG_OK);
    scratch_read(&folder, "key", first, sizeof first);
    assert_int_equal(strspn(first, "0123456789abcdef"), TG__SECRET_SIZE * 2);
    assert_string_equal(first + TG__SECRET_SIZE * 2, "\n");
    assert_int_equal(stat(scratch_path(&folder, "key"), &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    assert_int_equal(tg__secret_file_make(scratch_path(&folder, "key"), &cause), TG_OK);
    scratch_read(&folder, "key", second, sizeof second);
    assert_string_not_equal(first, second);
    scratch_folder_close(&folder);
}

static void a_folder_that_is_not_there_is_an_error_with_its_name(void **state)
{
    (void)state;
    tg__cause cause;
    assert_int_equal(tg__secret_file_make("/nowhere/at/all/key", &cause), TG_ERR_IO);
    assert_non_null(strstr(cause.text, "/nowhere/at/all/key"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_a_line_of_digits_that_nobody_else_reads_and_another_each_time),
        cmocka_unit_test(a_folder_that_is_not_there_is_an_error_with_its_name),
    };
    return cmocka_run_group_tests_name("gateway.secret_file", tests, NULL, NULL);
}
