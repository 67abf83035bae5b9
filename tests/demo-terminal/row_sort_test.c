#include "row_sort.h"

#include <stdlib.h>
#include <string.h>

#include "tg_cmocka.h"

static uint64_t random_state = 11;

static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((random_state >> 33) % limit);
}

static void decimals_are_compared_exactly_at_any_exponents(void **state)
{
    (void)state;
    static const tg_decimal ascending[] = {
        {INT64_MIN, 18},
        {INT64_MIN, 0},
        {-3770, -2},
        {-37699999999, -9},
        {-1, -18},
        {0, 5},
        {1, -18},
        {1, -11},
        {2, -11},
        {1, -10},
        {99, -2},
        {1, 0},
        {1000000001, -9},
        {INT64_C(9999999997), 0},
        {INT64_C(99999999970001), -4},
        {INT64_MAX, 0},
        {INT64_MAX, 1},
        {INT64_MAX, 18},
    };
    const int count = (int)(sizeof ascending / sizeof ascending[0]);
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < count; k++) {
            const int expected = i < k ? -1 : i > k;
            assert_int_equal(row_sort_compare_decimals(ascending[i], ascending[k]), expected);
        }
    }
    assert_int_equal(row_sort_compare_decimals((tg_decimal){50, -1}, (tg_decimal){5, 0}), 0);
    assert_int_equal(row_sort_compare_decimals((tg_decimal){0, -3}, (tg_decimal){0, 9}), 0);
    /* Doubles cannot tell these two apart. */
    assert_int_equal(
        row_sort_compare_decimals((tg_decimal){INT64_MAX, -9}, (tg_decimal){INT64_MAX - 1, -9}), 1);
}

typedef struct sample {
    tg_instrument instrument;
    tg_row row;
    watch_row watch;
    watch_view view;
} sample;

static sample make(const char *symbol, int8_t exponent, bool there, int64_t last, int64_t close)
{
    sample out = {0};
    (void)strcpy(out.instrument.symbol, symbol);
    (void)strcpy(out.watch.venue, "V");
    (void)strcpy(out.watch.symbol, symbol);
    out.instrument.price_exponent = exponent;
    if (there) {
        out.row.image.present =
            TG_FIELD_BIT(TG_FIELD_LAST_PRICE) | TG_FIELD_BIT(TG_FIELD_PREVIOUS_CLOSE);
        out.row.image.value[TG_FIELD_LAST_PRICE] = last;
        out.row.image.value[TG_FIELD_PREVIOUS_CLOSE] = close;
    }
    return out;
}

static row_key key_of(row_sort by, sample *from, size_t index)
{
    from->view = (watch_view){.venue = "V",
                              .symbol = from->instrument.symbol,
                              .instrument = &from->instrument,
                              .row = &from->row,
                              .word = ""};
    return row_sort_key(by, index, &from->watch, &from->view);
}

static int compare(const void *a, const void *b)
{
    return row_key_compare(a, b);
}

static void expect_order(row_sort by, sample *samples, size_t count, const char *expected)
{
    row_key keys[8];
    char order[8 + 1] = "";
    for (size_t i = 0; i < count; i++) {
        keys[i] = key_of(by, &samples[i], i);
    }
    qsort(keys, count, sizeof keys[0], compare);
    for (size_t i = 0; i < count; i++) {
        order[i] = samples[keys[i].index].instrument.symbol[0];
    }
    assert_string_equal(order, expected);
}

static void rows_without_a_value_stand_last_both_ways_and_equal_ones_in_their_order(void **state)
{
    (void)state;
    sample samples[] = {
        make("D", -2, true, 1000, 500),                                  /* 10.00, +100% */
        make("A", 0, true, 10, 20),                                      /* 10, -50% */
        make("N", 0, false, 0, 0),      make("C", -3, true, 9999, 9999), /* 9.999, 0% */
        make("B", -1, true, -5, 5),                                      /* -0.5, -200% */
    };
    expect_order((row_sort){COLUMN_LAST, false}, samples, 5, "BCDAN");
    expect_order((row_sort){COLUMN_LAST, true}, samples, 5, "DACBN");
    expect_order((row_sort){COLUMN_PERCENT, false}, samples, 5, "BACDN");
    expect_order((row_sort){COLUMN_PERCENT, true}, samples, 5, "DCABN");
    expect_order((row_sort){COLUMN_CHANGE, false}, samples, 5, "ABCDN");
    expect_order((row_sort){COLUMN_SYMBOL, false}, samples, 5, "ABCDN");
    expect_order((row_sort){COLUMN_SYMBOL, true}, samples, 5, "NDCBA");
    expect_order((row_sort){ROW_SORT_NONE, false}, samples, 5, "DANCB");
}

/* A comparison that is no order makes qsort() do anything. */
static void the_order_is_total(void **state)
{
    (void)state;
    row_key keys[40];
    for (size_t i = 0; i < 40; i++) {
        keys[i] = (row_key){.index = i, .present = random_below(5) > 0};
        keys[i].value.mantissa = (int64_t)random_below(9) - 4;
        keys[i].value.exponent = (int8_t)((int)random_below(5) - 2);
    }
    for (size_t a = 0; a < 40; a++) {
        for (size_t b = 0; b < 40; b++) {
            const int ab = row_key_compare(&keys[a], &keys[b]);
            assert_int_equal(ab, -row_key_compare(&keys[b], &keys[a]));
            assert_int_equal(ab == 0, a == b);
            for (size_t c = 0; c < 40 && ab < 0; c++) {
                if (row_key_compare(&keys[b], &keys[c]) < 0) {
                    assert_true(row_key_compare(&keys[a], &keys[c]) < 0);
                }
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decimals_are_compared_exactly_at_any_exponents),
        cmocka_unit_test(rows_without_a_value_stand_last_both_ways_and_equal_ones_in_their_order),
        cmocka_unit_test(the_order_is_total),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
