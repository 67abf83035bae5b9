#include "diagnosis.h"

#include <string.h>

#include "tg_cmocka.h"

static void expect_print(const diagnosis *found, const char *expected)
{
    char text[4096];
    FILE *to = tmpfile();
    assert_non_null(to);
    diagnosis_print(found, to);
    rewind(to);
    text[fread(text, 1, sizeof text - 1, to)] = '\0';
    (void)fclose(to);
    assert_string_equal(text, expected);
}

static void every_stage_has_its_line(void **state)
{
    (void)state;
    diagnosis found;
    memset(&found, 0, sizeof found);
    diagnosis_pass(&found, STAGE_DNS, 1250000, "%s", "10.0.0.1");
    diagnosis_skip(&found, STAGE_PROXY, "none");
    diagnosis_pass(&found, STAGE_TCP, 0, "10.0.0.1 port %d", 443);
    diagnosis_pass(&found, STAGE_TLS, DIAGNOSIS_NO_TIME, "not timed");
    diagnosis_fail(&found, STAGE_UPGRADE, INT64_C(12345678900), "the moon", "HTTP %d", 404);
    expect_print(&found, "  DNS         ok             1.2 ms  10.0.0.1\n"
                         "  proxy       not used               none\n"
                         "  TCP         ok             0.0 ms  10.0.0.1 port 443\n"
                         "  token       not reached\n"
                         "  TLS         ok                     not timed\n"
                         "  upgrade     FAILED     12345.6 ms  HTTP 404\n"
                         "              look at: the moon\n"
                         "  WELCOME     not reached\n"
                         "  first tick  not reached\n");
}

static void the_first_failure_decides_the_exit_code(void **state)
{
    (void)state;
    diagnosis found;
    memset(&found, 0, sizeof found);
    assert_int_equal(diagnosis_exit_code(&found), 0);
    for (int i = STAGE_COUNT - 1; i >= 0; i--) {
        diagnosis_fail(&found, (diagnosis_stage)i, 0, NULL, "wrong");
        assert_int_equal(diagnosis_exit_code(&found), 10 + i);
        assert_true(strlen(found.stages[i].advice) > 20);
    }
    diagnosis_pass(&found, STAGE_DNS, 0, "right");
    assert_int_equal(diagnosis_exit_code(&found), 11);
}

/* They stand in --help and in the manual. */
static void the_exit_codes_stay_what_they_are(void **state)
{
    (void)state;
    assert_int_equal(STAGE_DNS, 0);
    assert_int_equal(STAGE_PROXY, 1);
    assert_int_equal(STAGE_TCP, 2);
    assert_int_equal(STAGE_TOKEN, 3);
    assert_int_equal(STAGE_TLS, 4);
    assert_int_equal(STAGE_UPGRADE, 5);
    assert_int_equal(STAGE_WELCOME, 6);
    assert_int_equal(STAGE_FIRST_TICK, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_stage_has_its_line),
        cmocka_unit_test(the_first_failure_decides_the_exit_code),
        cmocka_unit_test(the_exit_codes_stay_what_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
