#include "row_filter.h"

#include "tg_cmocka.h"

static void every_word_stands_somewhere_in_the_name(void **state)
{
    (void)state;
    static const struct {
        const char *filter;
        bool fits;
    } cases[] = {
        {"", true},          {"btc", true},       {"BTC", true},          {"usdt", true},
        {"binance", true},   {"usd bin", true},   {"  btc  ", true},      {"btc eth", false},
        {"btcusdtx", false}, {"m:b", true},       {"usdm:btcusdt", true}, {"BTCUSDT:", false},
        {"b t c", true},     {"\xC3\xA4", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (row_filter_fits(cases[i].filter, "BINANCE_USDM", "BTCUSDT") != cases[i].fits) {
            fail_msg("\"%s\"", cases[i].filter);
        }
    }
}

static void letters_beyond_ascii_are_compared_as_they_are(void **state)
{
    (void)state;
    assert_true(row_filter_fits("\xE5\x8E\x9F", "INE", "\xE5\x8E\x9F\xE6\xB2\xB9"));
    assert_false(row_filter_fits("\xC3\xA4", "V", "\xC3\x84"));
    assert_true(row_filter_fits("\xC3\x84", "V", "\xC3\x84"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_word_stands_somewhere_in_the_name),
        cmocka_unit_test(letters_beyond_ascii_are_compared_as_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
