#include "tg_cmocka.h"

#include <string.h>

#include "capture_line.h"

static tg_err parse(const char *text, tg__capture_line *out, const char **what)
{
    return tg__capture_line_parse(text, strlen(text), out, what);
}

static void both_forms_of_a_frame_are_read(void **state)
{
    (void)state;
    tg__capture_line line;
    const char *what = NULL;
    assert_int_equal(parse("1723161253937085768 {\"a\":1}", &line, &what), TG_OK);
    assert_int_equal(line.kind, TG__CAPTURE_FRAME);
    assert_int_equal(line.ts_ns, 1723161253937085768);
    assert_true(tg__span_is(line.frame, "{\"a\":1}"));
    assert_int_equal(parse("1618678133.2949052: {\"b\": 2}", &line, &what), TG_OK);
    assert_int_equal(line.kind, TG__CAPTURE_FRAME);
    assert_int_equal(line.ts_ns, 1618678133294905200);
    assert_true(tg__span_is(line.frame, "{\"b\": 2}"));
    assert_int_equal(parse("7: x", &line, &what), TG_OK);
    assert_int_equal(line.ts_ns, 7000000000);
}

static void what_is_not_from_the_venue_is_told_apart(void **state)
{
    (void)state;
    tg__capture_line line;
    const char *what = NULL;
    assert_int_equal(parse("", &line, &what), TG_OK);
    assert_int_equal(line.kind, TG__CAPTURE_EMPTY);
    assert_int_equal(parse("wss://host/path <-> 1618678132.38", &line, &what), TG_OK);
    assert_int_equal(line.kind, TG__CAPTURE_OPENED);
    assert_true(tg__span_is(line.url, "wss://host/path"));
    assert_int_equal(parse("wss://host <- 1.5: {\"op\":1}", &line, &what), TG_OK);
    assert_int_equal(line.kind, TG__CAPTURE_SENT);
    assert_int_equal(line.ts_ns, 1500000000);
    assert_true(tg__span_is(line.frame, "{\"op\":1}"));
    assert_int_equal(parse("https://host -> 1.5: {}", &line, &what), TG_OK);
    assert_int_equal(line.kind, TG__CAPTURE_REST);
}

static void anything_else_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "1723161253937085768", "17.5 {}",
        "1.1234567891: {}",    "1618678133.29:{}",
        "1618678133.29 {}",    "99999999999999999999 {}",
        "wss://host",          "wss://host - 1",
        "wss://host <-> x",    "wss://host <-> 1.5: {}",
        "wss://host <- 1.5",   "-1: {}",
        "9999999999999: {}",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        tg__capture_line line;
        const char *what = NULL;
        if (parse(bad[i], &line, &what) != TG_ERR_SYNTAX || what == NULL) {
            fail_msg("accepted: %s", bad[i]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_forms_of_a_frame_are_read),
        cmocka_unit_test(what_is_not_from_the_venue_is_told_apart),
        cmocka_unit_test(anything_else_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
