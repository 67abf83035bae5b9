#include "setting_value.h"

#include <string.h>

#include "tg_cmocka.h"

#define PIN "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

static void what_is_in_range_is_taken(void **state)
{
    (void)state;
    static const struct {
        setting_kind kind;
        const char *text;
    } cases[] = {
        {SETTING_KIND_ENDPOINTS, "wss://a"},
        {SETTING_KIND_ENDPOINTS, "wss://a, wss://b wss://c"},
        {SETTING_KIND_ENDPOINTS, "ws+unix:/run/x"},
        {SETTING_KIND_FILE, "x"},
        {SETTING_KIND_COMMAND, "x y"},
        {SETTING_KIND_PROXY, "environment"},
        {SETTING_KIND_PROXY, "none"},
        {SETTING_KIND_PROXY, "http://p:1"},
        {SETTING_KIND_PINS, PIN},
        {SETTING_KIND_PINS, PIN ", AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="},
        {SETTING_KIND_SYMBOLS, "*"},
        {SETTING_KIND_SYMBOLS, "V:A,V:B"},
        {SETTING_KIND_SYMBOLS, "@nowhere"},
        {SETTING_KIND_PALETTE, "red-up"},
        {SETTING_KIND_SIZE, "1x16384"},
        {SETTING_KIND_FONT_SIZE, "96"},
        {SETTING_KIND_RENDERER, "surface"},
        {SETTING_KIND_RENDERER, "gpu"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char why[200] = "";
        if (!setting_value_check(cases[i].kind, cases[i].text, why, sizeof why)) {
            fail_msg("\"%s\": %s", cases[i].text, why);
        }
    }
}

static void what_is_out_of_range_is_refused_without_being_told(void **state)
{
    (void)state;
    static const struct {
        setting_kind kind;
        const char *text;
    } cases[] = {
        {SETTING_KIND_ENDPOINTS, ""},
        {SETTING_KIND_ENDPOINTS, "https://canary"},
        {SETTING_KIND_ENDPOINTS, "wss://u:canary@h"},
        {SETTING_KIND_ENDPOINTS, "wss://a wss://a wss://a wss://a wss://a wss://a wss://a wss://a "
                                 "wss://canary"},
        {SETTING_KIND_FILE, ""},
        {SETTING_KIND_COMMAND, ""},
        {SETTING_KIND_PROXY, "canary:1"},
        {SETTING_KIND_PROXY, "socks5://canary:1"},
        {SETTING_KIND_PINS, "sha256/canary="},
        {SETTING_KIND_PINS, "sha256/canary-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="},
        {SETTING_KIND_SYMBOLS, ""},
        {SETTING_KIND_SYMBOLS, "@"},
        {SETTING_KIND_PALETTE, "canary"},
        {SETTING_KIND_SIZE, "12800"},
        {SETTING_KIND_SIZE, "0x1"},
        {SETTING_KIND_RENDERER, "opengl"},
        {SETTING_KIND_RENDERER, "GPU"},
        {SETTING_KIND_FONT_SIZE, "5"},
        {SETTING_KIND_FONT_SIZE, "97"},
        {SETTING_KIND_FONT_SIZE, "1 4"},
        {SETTING_KIND_FONT_SIZE, "99999999999999999999"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char why[200] = "";
        if (setting_value_check(cases[i].kind, cases[i].text, why, sizeof why)) {
            fail_msg("\"%s\" was taken", cases[i].text);
        }
        assert_null(strstr(why, "canary"));
        if (cases[i].kind != SETTING_KIND_SYMBOLS) {
            assert_non_null(
                strstr(why, cases[i].kind == SETTING_KIND_PALETTE ? "known" : "expected"));
        }
    }
    char why[200] = "";
    assert_false(setting_value_check(SETTING_KIND_SYMBOLS, "V:A,nonsense", why, sizeof why));
    assert_non_null(strstr(why, "item 2"));
}

static void what_is_shown_holds_no_secret(void **state)
{
    (void)state;
    static const struct {
        setting_kind kind;
        const char *text;
        const char *shown;
    } cases[] = {
        {SETTING_KIND_ENDPOINTS, "wss://a wss://b/?k=canary", "wss://a, wss://b/?***"},
        {SETTING_KIND_PROXY, "http://u:canary@p:1", "http://***@p:1"},
        {SETTING_KIND_COMMAND, "get-token", "get-token"},
        {SETTING_KIND_COMMAND, "/usr/bin/get-token --key canary", "/usr/bin/get-token ***"},
        {SETTING_KIND_COMMAND, "KEY=canary get-token", "***"},
        {SETTING_KIND_COMMAND, "'canary' x", "***"},
        {SETTING_KIND_COMMAND, "cat<canary", "***"},
        {SETTING_KIND_FILE, "a file", "a file"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char shown[SETTING_SHOWN_SIZE];
        setting_value_show(cases[i].kind, cases[i].text, shown);
        assert_string_equal(shown, cases[i].shown);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_in_range_is_taken),
        cmocka_unit_test(what_is_out_of_range_is_refused_without_being_told),
        cmocka_unit_test(what_is_shown_holds_no_secret),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
