#include "moment.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tg_cmocka.h"

#define S   INT64_C(1000000000)
#define DAY (86400 * S)
/* 2026-12-01T10:31:07.25Z */
#define THEN INT64_C(1796121067250000000)

static const moment_span any = {INT64_MIN, INT64_MAX};
static const moment_span that_day = {THEN - 3600 * S, THEN + 3600 * S};

static void every_kind_of_time_is_understood(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t utc_ns;
    } cases[] = {
        {"2026-12-01T10:31:07.25Z", THEN},
        {"2026-12-01 10:31:07.25 UTC", THEN},
        {"2026-12-01T10:31:07.250000000UTC", THEN},
        {"2026-12-01T11:31:07.25+01:00", THEN},
        {"2026-12-02T00:01:07.25+1330", THEN},
        {"2026-11-30T23:31:07.25-11:00", THEN},
        {"2026-12-01T10:31:07Z", THEN - S / 4},
        {"2026-12-01T10:31:07.000000001Z", THEN - S / 4 + 1},
        {"1796121067250000000", THEN},
        {"10:31:07.25Z", THEN},
        {"10:31:07.25 UTC", THEN},
        {"11:31:07.25+01:00", THEN},
        {"00:01:07.25+1330", THEN}, /* of the day after, there */
        {"23:31:07.25-11:00", THEN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t utc_ns = 0;
        char why[200];
        if (moment_read(cases[i].text, that_day, &utc_ns, why, sizeof why) != TG_OK ||
            utc_ns != cases[i].utc_ns) {
            fail_msg("%s: %" PRId64 " %s", cases[i].text, utc_ns, why);
        }
    }
}

static void what_is_no_time_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"",
                                      "10:31",
                                      "now",
                                      "24:00:00Z",
                                      "10:60:00Z",
                                      "10:31:60Z",
                                      "10:31:07.Z",
                                      "2026-13-01T10:31:07Z",
                                      "2026-02-29T10:31:07Z",
                                      "2026-00-01T10:31:07Z",
                                      "2026-12-00T10:31:07Z",
                                      "2026-12-01",
                                      "1969-12-31T23:59:59Z",
                                      "2262-01-01T00:00:00Z",
                                      "9223372036854775808",
                                      "12345678901234567890123"};
    static const char *const no_zone[] = {"10:31:07",   "2026-12-01T10:31:07.25", "10:31:07 CET",
                                          "10:31:07+1", "10:31:07+01:00:00",      "10:31:07+15:00"};
    int64_t utc_ns = 0;
    char why[200];
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (moment_read(bad[i], any, &utc_ns, why, sizeof why) != TG_ERR_SYNTAX ||
            strstr(why, "not a time: ") != why) {
            fail_msg("\"%s\" was taken: %s", bad[i], why);
        }
    }
    for (size_t i = 0; i < sizeof no_zone / sizeof no_zone[0]; i++) {
        if (moment_read(no_zone[i], any, &utc_ns, why, sizeof why) != TG_ERR_SYNTAX ||
            strstr(why, "the zone is missing") != why) {
            fail_msg("\"%s\" was taken: %s", no_zone[i], why);
        }
    }
}

static void a_time_outside_is_answered_with_the_span(void **state)
{
    (void)state;
    static const char *const outside[] = {"2026-12-01T09:31:07.24Z", "2026-12-01T11:31:07.26Z",
                                          "2025-12-01T10:31:07Z", "12:00:00Z",
                                          "1796121067250000000000000"};
    int64_t utc_ns = 0;
    char why[200];
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(moment_read(outside[i], that_day, &utc_ns, why, sizeof why),
                         TG_ERR_NOT_FOUND);
        assert_string_equal(why,
                            "the record is of another time: from "
                            "2026-12-01T09:31:07.250000000Z to 2026-12-01T11:31:07.250000000Z");
    }
    const moment_span two_days = {THEN - DAY, THEN + DAY / 2};
    assert_int_equal(moment_read("10:31:07.25Z", two_days, &utc_ns, why, sizeof why),
                     TG_ERR_NOT_FOUND);
    assert_string_equal(why, "there are 2 days with that time: say which");
    assert_int_equal(moment_read("23:00:00Z", two_days, &utc_ns, why, sizeof why), TG_OK);
    assert_int_equal(utc_ns, THEN - DAY + (12 * 3600 + 28 * 60 + 52) * S + 3 * S / 4);
}

/* The C library's calendar agrees, and what is written is read again. */
static void text_and_time_belong_together(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < 20000; i++) {
        char text[MOMENT_TEXT_SIZE];
        char wanted[MOMENT_TEXT_SIZE];
        char why[200];
        int64_t utc_ns = 0;
        struct tm parts;
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const int64_t ns = (int64_t)(seed >> 1) % (INT64_C(9214646400) * S);
        const time_t seconds = (time_t)(ns / S);
        assert_non_null(gmtime_r(&seconds, &parts));
        (void)snprintf(wanted, sizeof wanted, "%04u-%02u-%02uT%02u:%02u:%02u.%09uZ",
                       (unsigned)(parts.tm_year + 1900) % 10000, (unsigned)(parts.tm_mon + 1) % 100,
                       (unsigned)parts.tm_mday % 100, (unsigned)parts.tm_hour % 100,
                       (unsigned)parts.tm_min % 100, (unsigned)parts.tm_sec % 100,
                       (unsigned)(ns % S));
        moment_text(ns, text);
        assert_string_equal(text, wanted);
        assert_int_equal(moment_read(text, any, &utc_ns, why, sizeof why), TG_OK);
        assert_int_equal(utc_ns, ns);
    }
    char text[MOMENT_TEXT_SIZE];
    moment_text(INT64_MIN, text);
    assert_string_equal(text, "1677-09-21T00:12:43.145224192Z");
    moment_text(INT64_MAX, text);
    assert_string_equal(text, "2262-04-11T23:47:16.854775807Z");
    moment_text(-1, text);
    assert_string_equal(text, "1969-12-31T23:59:59.999999999Z");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_time_is_understood),
        cmocka_unit_test(what_is_no_time_is_refused),
        cmocka_unit_test(a_time_outside_is_answered_with_the_span),
        cmocka_unit_test(text_and_time_belong_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
