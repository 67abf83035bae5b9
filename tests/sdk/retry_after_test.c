#include "tg_cmocka.h"

#include "retry_after.h"

#define NOON_NS                                                                                    \
    (INT64_C(784111777) * 1000000000) /* 1994-11-06T08:49:37Z, the RFC's own example               \
                                       */

static void seconds_are_read(void **state)
{
    (void)state;
    uint32_t ms = 1;
    assert_int_equal(tg__retry_after_parse("0", NULL, 0, &ms), TG_OK);
    assert_int_equal(ms, 0);
    assert_int_equal(tg__retry_after_parse("120", NULL, 0, &ms), TG_OK);
    assert_int_equal(ms, 120000);
    assert_int_equal(tg__retry_after_parse("99999999999999999999999", NULL, 0, &ms), TG_OK);
    assert_int_equal(ms, UINT32_MAX);
}

static void a_date_counts_from_the_answers_own_date(void **state)
{
    (void)state;
    uint32_t ms = 1;
    assert_int_equal(tg__retry_after_parse("Sun, 06 Nov 1994 08:49:47 GMT",
                                           "Sun, 06 Nov 1994 08:49:37 GMT", 0, &ms),
                     TG_OK);
    assert_int_equal(ms, 10000);
    assert_int_equal(tg__retry_after_parse("Sun, 06 Nov 1994 08:49:47 GMT", NULL, NOON_NS, &ms),
                     TG_OK);
    assert_int_equal(ms, 10000);
    assert_int_equal(tg__retry_after_parse("Sun, 06 Nov 1994 08:49:47 GMT", "nonsense",
                                           NOON_NS + INT64_C(3600000000000), &ms),
                     TG_OK);
    assert_int_equal(ms, 0); /* gone by */
}

static void leap_days_and_centuries_count(void **state)
{
    (void)state;
    uint32_t ms = 0;
    assert_int_equal(tg__retry_after_parse("Fri, 01 Mar 2024 00:00:00 GMT",
                                           "Wed, 28 Feb 2024 23:59:59 GMT", 0, &ms),
                     TG_OK);
    assert_int_equal(ms, 86401000);
    assert_int_equal(tg__retry_after_parse("Mon, 01 Mar 2100 00:00:00 GMT",
                                           "Sun, 28 Feb 2100 23:59:59 GMT", 0, &ms),
                     TG_OK);
    assert_int_equal(ms, 1000);
}

static void other_text_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"",
                                      "-1",
                                      "1.5",
                                      "soon",
                                      " 1",
                                      "1 ",
                                      "Sun, 06 Nov 1994 08:49:37",
                                      "Sunday, 06-Nov-94 08:49:37 GMT",
                                      "Sun, 06 Nov 1994 25:49:37 GMT",
                                      "Sun, 00 Nov 1994 08:49:37 GMT",
                                      "Sun, 06 Nov 1994 08:49:37 GMT!"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        uint32_t ms = 0;
        if (tg__retry_after_parse(bad[i], NULL, 0, &ms) != TG_ERR_SYNTAX) {
            fail_msg("taken: %s", bad[i]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seconds_are_read),
        cmocka_unit_test(a_date_counts_from_the_answers_own_date),
        cmocka_unit_test(leap_days_and_centuries_count),
        cmocka_unit_test(other_text_is_refused),
    };
    return cmocka_run_group_tests_name("sdk.retry_after", tests, NULL, NULL);
}
