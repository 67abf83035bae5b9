#include "tg_cmocka.h"

#include <string.h>

#include <tickglass/internal/control.h>

static tg_err decode(const char *text, uint32_t *ms)
{
    return tg__close_reason_decode(text, strlen(text), ms);
}

static void a_delay_comes_back(void **state)
{
    (void)state;
    static const uint32_t delays[] = {0, 1840, UINT32_MAX};
    for (size_t i = 0; i < 3; i++) {
        char text[TG__CLOSE_REASON_MAX];
        size_t size = 0;
        uint32_t ms = 1;
        assert_int_equal(tg__close_reason_encode(delays[i], text, sizeof text, &size), TG_OK);
        assert_int_equal(tg__close_reason_decode(text, size, &ms), TG_OK);
        assert_int_equal(ms, delays[i]);
    }
}

static void a_delay_is_found_among_other_members(void **state)
{
    (void)state;
    uint32_t ms = 0;
    assert_int_equal(decode(" { \"why\" : \"a \\\"deploy\\\"\", \"n\":[1,{\"x\":null}],"
                            "\"reconnect_after_ms\" : 12 , \"z\":-1.5e3}\n",
                            &ms),
                     TG_OK);
    assert_int_equal(ms, 12);
    assert_int_equal(decode("{\"reconnect_after_ms\":99999999999999999999}", &ms), TG_OK);
    assert_int_equal(ms, UINT32_MAX);
}

static void text_without_a_delay_is_told_apart_from_broken_text(void **state)
{
    (void)state;
    uint32_t ms = 77;
    assert_int_equal(decode("{}", &ms), TG_ERR_NOT_FOUND);
    assert_int_equal(decode("{\"a\":{\"reconnect_after_ms\":5}}", &ms), TG_ERR_NOT_FOUND);
    static const char *const broken[] = {"",
                                         "going away",
                                         "{",
                                         "{\"reconnect_after_ms\"}",
                                         "{\"reconnect_after_ms\":}",
                                         "{\"reconnect_after_ms\":-5}",
                                         "{\"reconnect_after_ms\":1.5}",
                                         "{\"reconnect_after_ms\":\"5\"}",
                                         "{\"reconnect_after_ms\":05}",
                                         "{\"reconnect_after_ms\":5",
                                         "{\"reconnect_after_ms\":5}}",
                                         "{\"a\":[1,2}",
                                         "{\"a\":[[[[[[[[[1]]]]]]]]]}",
                                         "{\"a\":\"\\",
                                         "{\"a\":1,}",
                                         "[5]"};
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        if (decode(broken[i], &ms) != TG_ERR_SYNTAX) {
            fail_msg("accepted: %s", broken[i]);
        }
    }
    assert_int_equal(ms, 77);
    char long_text[TG__CLOSE_REASON_MAX + 2];
    memset(long_text, ' ', sizeof long_text);
    memcpy(long_text, "{}", 2);
    assert_int_equal(tg__close_reason_decode(long_text, TG__CLOSE_REASON_MAX + 1, &ms),
                     TG_ERR_SYNTAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_delay_comes_back),
        cmocka_unit_test(a_delay_is_found_among_other_members),
        cmocka_unit_test(text_without_a_delay_is_told_apart_from_broken_text),
    };
    return cmocka_run_group_tests_name("codec.close_reason", tests, NULL, NULL);
}
