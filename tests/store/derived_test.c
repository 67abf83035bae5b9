#include "tg_cmocka.h"

#include <inttypes.h>

#include <tickglass/derived.h>

static tg_image prices(int64_t bid, int64_t ask)
{
    tg_image image = {.present =
                          TG_FIELD_BIT(TG_FIELD_BID_PRICE) | TG_FIELD_BIT(TG_FIELD_ASK_PRICE)};
    image.value[TG_FIELD_BID_PRICE] = bid;
    image.value[TG_FIELD_ASK_PRICE] = ask;
    return image;
}

static tg_image traded(int64_t last, tg_field field, int64_t reference)
{
    tg_image image = {.present = TG_FIELD_BIT(TG_FIELD_LAST_PRICE) | TG_FIELD_BIT(field)};
    image.value[TG_FIELD_LAST_PRICE] = last;
    image.value[field] = reference;
    return image;
}

static void nulls_give_no_value(void **state)
{
    (void)state;
    int64_t value = 77;
    tg_decimal decimal = {77, 0};
    tg_image image = prices(5, 6);
    image.present = TG_FIELD_BIT(TG_FIELD_BID_PRICE);
    assert_int_equal(tg_derive_spread(&image, &value), TG_ERR_NOT_FOUND);
    assert_int_equal(tg_derive_mid(&image, 0, &decimal), TG_ERR_NOT_FOUND);
    assert_int_equal(tg_derive_change(&image, &value), TG_ERR_NOT_FOUND);
    image.present = TG_FIELD_BIT(TG_FIELD_PREVIOUS_CLOSE);
    assert_int_equal(tg_derive_change(&image, &value), TG_ERR_NOT_FOUND);
    assert_int_equal(tg_derive_change_percent(&image, 2, &decimal), TG_ERR_NOT_FOUND);
    image = traded(5, TG_FIELD_PREVIOUS_CLOSE, 0); /* nothing is a percentage of zero */
    assert_int_equal(tg_derive_change_percent(&image, 2, &decimal), TG_ERR_NOT_FOUND);
    assert_int_equal(tg_derive_change_percent(&image, 10, &decimal), TG_ERR_INVALID_ARGUMENT);
    assert_int_equal(value, 77);
    assert_int_equal(decimal.mantissa, 77);
}

static void what_does_not_fit_is_an_error(void **state)
{
    (void)state;
    int64_t value = 0;
    tg_decimal decimal;
    tg_image image = prices(INT64_MIN, 0);
    assert_int_equal(tg_derive_spread(&image, &value), TG_ERR_OVERFLOW);
    image = prices(INT64_MAX, -2);
    assert_int_equal(tg_derive_spread(&image, &value), TG_ERR_OVERFLOW);
    image = prices(INT64_MAX, INT64_MAX - 1);
    assert_int_equal(tg_derive_mid(&image, 0, &decimal), TG_ERR_OVERFLOW);
    image = prices(1, 2);
    assert_int_equal(tg_derive_mid(&image, TG_DECIMAL_EXPONENT_MIN, &decimal), TG_ERR_OVERFLOW);
    image = traded(INT64_MAX, TG_FIELD_PREVIOUS_CLOSE, 1);
    assert_int_equal(tg_derive_change_percent(&image, 2, &decimal), TG_ERR_OVERFLOW);
}

static void spreads_keep_their_sign(void **state)
{
    (void)state;
    static const int64_t table[][3] = {{100, 101, 1},
                                       {101, 100, -1},
                                       {-3763, -3760, 3},
                                       {-1, 1, 2},
                                       {INT64_MIN, INT64_MIN, 0},
                                       {INT64_MAX, INT64_MAX, 0},
                                       {0, INT64_MIN, INT64_MIN}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        const tg_image image = prices(table[i][0], table[i][1]);
        int64_t spread = 77;
        assert_int_equal(tg_derive_spread(&image, &spread), TG_OK);
        assert_int_equal(spread, table[i][2]);
    }
}

static void the_mid_takes_one_digit_more_only_when_it_must(void **state)
{
    (void)state;
    static const int64_t table[][4] = {{100, 102, 101, 0},
                                       {100, 101, 1005, -1},
                                       {-3, -2, -25, -1},
                                       {-3, -1, -2, 0},
                                       {-1, 2, 5, -1},
                                       {-2, 1, -5, -1},
                                       {-1, 1, 0, 0},
                                       {3, -1, 1, 0},
                                       {INT64_MAX, INT64_MAX, INT64_MAX, 0},
                                       {INT64_MIN, INT64_MIN, INT64_MIN, 0},
                                       {INT64_MIN, INT64_MAX, -5, -1}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        const tg_image image = prices(table[i][0], table[i][1]);
        tg_decimal mid = {77, 7};
        assert_int_equal(tg_derive_mid(&image, 0, &mid), TG_OK);
        assert_int_equal(mid.mantissa, table[i][2]);
        assert_int_equal(mid.exponent, table[i][3]);
    }
}

static void a_change_is_against_the_close_and_else_the_settlement(void **state)
{
    (void)state;
    tg_image image = traded(110, TG_FIELD_SETTLEMENT, 100);
    int64_t change = 0;
    assert_int_equal(tg_derive_change(&image, &change), TG_OK);
    assert_int_equal(change, 10);
    image.present |= TG_FIELD_BIT(TG_FIELD_PREVIOUS_CLOSE);
    image.value[TG_FIELD_PREVIOUS_CLOSE] = 120;
    assert_int_equal(tg_derive_change(&image, &change), TG_OK);
    assert_int_equal(change, -10);
}

static void percentages_round_halves_away_from_zero(void **state)
{
    (void)state;
    static const struct {
        int64_t last;
        int64_t reference;
        uint8_t digits;
        int64_t mantissa;
    } table[] = {
        {110, 100, 2, 1000},
        {90, 100, 2, -1000},
        {10001, 10000, 1, 0}, /* 0.01 % */
        {10005, 10000, 1, 1}, /* 0.05 % */
        {9995, 10000, 1, -1},
        {4, 3, 2, 3333},
        {5, 3, 2, 6667},
        {-3763, 1827, 2, -30597}, /* from 18.27 to -37.63 */
        {-50, -100, 0, 50},       /* up, though the price is negative */
        {0, INT64_MAX, 9, -100000000000},
        {INT64_MAX, INT64_MAX - 1, 9, 0},
        {INT64_MAX - 4, INT64_MAX, 9, 0},
        {0, INT64_MIN + 1, 3, 100000},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        const tg_image image = traded(table[i].last, TG_FIELD_PREVIOUS_CLOSE, table[i].reference);
        tg_decimal percent = {77, 7};
        assert_int_equal(tg_derive_change_percent(&image, table[i].digits, &percent), TG_OK);
        if (percent.mantissa != table[i].mantissa) {
            fail_msg("row %zu: %" PRId64, i, percent.mantissa);
        }
        assert_int_equal(percent.exponent, -(int)table[i].digits);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nulls_give_no_value),
        cmocka_unit_test(what_does_not_fit_is_an_error),
        cmocka_unit_test(spreads_keep_their_sign),
        cmocka_unit_test(the_mid_takes_one_digit_more_only_when_it_must),
        cmocka_unit_test(a_change_is_against_the_close_and_else_the_settlement),
        cmocka_unit_test(percentages_round_halves_away_from_zero),
    };
    return cmocka_run_group_tests_name("store.derived", tests, NULL, NULL);
}
