#include "tg_cmocka.h"

#include <string.h>

#include "tape_line.h"

static tg_err parse(const char *text, tg__tape_line *out, const char **what)
{
    return tg__tape_line_parse(text, strlen(text), out, what);
}

static void a_bad_field_is_named(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", "7 fields"},
        {"1,V,S,bid,1,1", "7 fields"},
        {"1,V,S,bid,1,1,1,1", "7 fields"},
        {",V,S,bid,1,1,1", "ts_ns"},
        {"-1,V,S,bid,1,1,1", "ts_ns"},
        {"1.5,V,S,bid,1,1,1", "ts_ns"},
        {"9223372036854775808,V,S,bid,1,1,1", "ts_ns"},
        {"1,,S,bid,1,1,1", "venue"},
        {"1,VVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVV,S,bid,1,1,1", "venue"},
        {"1,\xff,S,bid,1,1,1", "venue"},
        {"1,V,,bid,1,1,1", "symbol"},
        {"1,V,a\x01,bid,1,1,1", "symbol"},
        {"1,V,\xe6\x9d,bid,1,1,1", "symbol"},
        {"1,V,S,Bid,1,1,1", "kind"},
        {"1,V,S,,1,1,1", "kind"},
        {"1,V,S,bid,1e5,1,1", "price_decimal_text is not"},
        {"1,V,S,bid,,1,1", "price_decimal_text is not"},
        {"1,V,S,bid,0.1234567890123456789,1,1", "price_decimal_text has too many"},
        {"1,V,S,bid,1,x,1", "qty_decimal_text is not"},
        {"1,V,S,bid,1,99999999999999999999,1", "qty_decimal_text has too many"},
        {"1,V,S,bid,1,-1,1", "qty_decimal_text is negative"},
        {"1,V,S,bid,1,1,-1", "exchange_seq"},
        {"1,V,S,bid,1,1,18446744073709551616", "exchange_seq"},
        {"1,V,S,bid,1,1,1 ", "exchange_seq"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tg__tape_line line;
        const char *what = NULL;
        assert_int_equal(parse(cases[i][0], &line, &what), TG_ERR_TAPE);
        assert_non_null(what);
        assert_non_null(strstr(what, cases[i][1]));
    }
}

static void every_field_is_read(void **state)
{
    (void)state;
    tg__tape_line line;
    const char *what = NULL;
    assert_int_equal(parse("1723161300002264751,龍門,東京電力,trade,-37.63,0.00100000,"
                           "18446744073709551615",
                           &line, &what),
                     TG_OK);
    assert_int_equal(line.ts_ns, INT64_C(1723161300002264751));
    assert_string_equal(line.venue, "龍門");
    assert_string_equal(line.symbol, "東京電力");
    assert_int_equal(line.kind, TG__ROW_TRADE);
    assert_int_equal(line.price.mantissa, -3763);
    assert_int_equal(line.price.exponent, -2);
    assert_int_equal(line.quantity.mantissa, 100000);
    assert_int_equal(line.quantity.exponent, -8);
    assert_true(line.has_id);
    assert_true(line.exchange_id == UINT64_MAX);
}

static void an_empty_id_is_no_id(void **state)
{
    (void)state;
    tg__tape_line line;
    const char *what = NULL;
    assert_int_equal(parse("0,V,S,ask,9999999997.00000,7,", &line, &what), TG_OK);
    assert_false(line.has_id);
    assert_int_equal(line.kind, TG__ROW_ASK);
    assert_int_equal(line.price.mantissa, INT64_C(999999999700000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bad_field_is_named),
        cmocka_unit_test(every_field_is_read),
        cmocka_unit_test(an_empty_id_is_no_id),
    };
    return cmocka_run_group_tests_name("gateway.tape_line", tests, NULL, NULL);
}
