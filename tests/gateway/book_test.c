#include "tg_cmocka.h"

#include <stdlib.h>
#include <string.h>

#include "book.h"

static tg__book book;

static int set_up(void **state)
{
    (void)state;
    book = (tg__book){.sides = {{NULL, 0, 0}, {NULL, 0, 0}}};
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    tg__book_deinit(&book);
    return 0;
}

static tg_decimal decimal(const char *text)
{
    tg_decimal value;
    assert_int_equal(tg_decimal_parse(text, strlen(text), &value), TG_OK);
    return value;
}

static void set(tg__book_side side, const char *price, const char *quantity)
{
    assert_int_equal(tg__book_set(&book, side, decimal(price), decimal(quantity)), TG_OK);
}

static void expect(tg__book_side side, size_t rank, const char *price, const char *quantity)
{
    char text[TG_DECIMAL_TEXT_SIZE];
    const tg__book_level *level = tg__book_at(&book, side, rank);
    assert_non_null(level);
    assert_int_equal(tg_decimal_format(level->price, text, sizeof text), TG_OK);
    assert_string_equal(text, price);
    assert_int_equal(tg_decimal_format(level->quantity, text, sizeof text), TG_OK);
    assert_string_equal(text, quantity);
}

static void the_best_level_stands_first(void **state)
{
    (void)state;
    set(TG__BOOK_BID, "3.39", "1");
    set(TG__BOOK_BID, "3.4", "2");
    set(TG__BOOK_BID, "3.395", "3.50");
    set(TG__BOOK_ASK, "3.5", "4");
    set(TG__BOOK_ASK, "3.41", "5");
    expect(TG__BOOK_BID, 0, "3.4", "2");
    expect(TG__BOOK_BID, 1, "3.395", "3.50");
    expect(TG__BOOK_BID, 2, "3.39", "1");
    expect(TG__BOOK_ASK, 0, "3.41", "5");
    assert_null(tg__book_at(&book, TG__BOOK_ASK, 2));
}

static void a_price_is_one_level_however_it_is_written(void **state)
{
    (void)state;
    set(TG__BOOK_BID, "3.4", "2");
    set(TG__BOOK_BID, "3.400", "7.0");
    assert_null(tg__book_at(&book, TG__BOOK_BID, 1));
    expect(TG__BOOK_BID, 0, "3.400", "7.0"); /* the text that came last */
    set(TG__BOOK_BID, "3.40", "0.000");
    assert_null(tg__book_at(&book, TG__BOOK_BID, 0));
    set(TG__BOOK_BID, "3.40", "0");
}

static void decimals_compare_exactly(void **state)
{
    (void)state;
    assert_true(tg__decimal_compare(decimal("9223372036854775807"), decimal("0.5")) > 0);
    assert_true(tg__decimal_compare(decimal("-9223372036854775807"), decimal("0.5")) < 0);
    assert_true(tg__decimal_compare(decimal("0.5"), decimal("9223372036854775807")) < 0);
    assert_true(
        tg__decimal_compare(decimal("9223372036854775807"), decimal("0.000000000000000001")) > 0);
    assert_int_equal(tg__decimal_compare(decimal("-37.60"), decimal("-37.6")), 0);
    assert_true(tg__decimal_compare(decimal("-37.63"), decimal("-37.6")) < 0);
    assert_int_equal(tg__decimal_compare(decimal("0"), decimal("0.000")), 0);
}

static void truncation_keeps_the_best(void **state)
{
    (void)state;
    set(TG__BOOK_BID, "1", "1");
    set(TG__BOOK_BID, "2", "1");
    set(TG__BOOK_BID, "3", "1");
    set(TG__BOOK_ASK, "4", "1");
    tg__book_truncate(&book, 2);
    expect(TG__BOOK_BID, 1, "2", "1");
    assert_null(tg__book_at(&book, TG__BOOK_BID, 2));
    expect(TG__BOOK_ASK, 0, "4", "1");
}

static void the_number_of_levels_is_bounded(void **state)
{
    (void)state;
    const tg_decimal one = {1, 0};
    for (int64_t i = 0; i < TG__BOOK_LEVELS_MAX; i++) {
        assert_int_equal(tg__book_set(&book, TG__BOOK_ASK, (tg_decimal){i, -2}, one), TG_OK);
    }
    assert_int_equal(tg__book_set(&book, TG__BOOK_ASK, (tg_decimal){-1, 0}, one), TG_ERR_FULL);
    assert_int_equal(tg__book_set(&book, TG__BOOK_ASK, (tg_decimal){0, 0}, (tg_decimal){2, 0}),
                     TG_OK); /* one that is there */
    set(TG__BOOK_ASK, "0", "0");
    set(TG__BOOK_ASK, "-1", "1");
}

/* Against the plainest book: a table of quantities by price. */
static void random_changes_give_the_same_book_as_a_table(void **state)
{
    (void)state;
    enum {
        PRICES = 50
    };
    int64_t table[2][PRICES] = {{0}};
    uint32_t random = 20240808; /* the seed */
    for (int step = 0; step < 20000; step++) {
        random = random * 1664525u + 1013904223u;
        const int side = (int)(random >> 31);
        const int price = (int)((random >> 8) % PRICES);
        const int64_t quantity = (random >> 20) % 3;
        table[side][price] = quantity;
        assert_int_equal(tg__book_set(&book, (tg__book_side)side, (tg_decimal){price, -1},
                                      (tg_decimal){quantity, 0}),
                         TG_OK);
        size_t rank = 0;
        for (int i = 0; i < PRICES; i++) {
            const int at = side == TG__BOOK_ASK ? i : PRICES - 1 - i;
            if (table[side][at] != 0) {
                const tg__book_level *level = tg__book_at(&book, (tg__book_side)side, rank++);
                assert_non_null(level);
                assert_int_equal(level->price.mantissa, at);
                assert_int_equal(level->quantity.mantissa, table[side][at]);
            }
        }
        assert_null(tg__book_at(&book, (tg__book_side)side, rank));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_best_level_stands_first, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_price_is_one_level_however_it_is_written, set_up,
                                        tear_down),
        cmocka_unit_test(decimals_compare_exactly),
        cmocka_unit_test_setup_teardown(truncation_keeps_the_best, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_number_of_levels_is_bounded, set_up, tear_down),
        cmocka_unit_test_setup_teardown(random_changes_give_the_same_book_as_a_table, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
