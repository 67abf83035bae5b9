#include "trade_list.h"

#include "tg_cmocka.h"

#define S INT64_C(1000000000)

static trade_list list;
static tg_row row;
static tg_instrument instrument;
static uint64_t lost;

static void begin(int64_t price)
{
    trade_list_reset(&list);
    instrument = (tg_instrument){.price_exponent = -2, .quantity_exponent = -3};
    row = (tg_row){.quality = TG_QUALITY_LIVE};
    row.image.epoch = 1;
    row.image.seq = 100;
    row.image.present = TG_FIELD_BIT(TG_FIELD_LAST_PRICE) | TG_FIELD_BIT(TG_FIELD_LAST_QUANTITY) |
                        TG_FIELD_BIT(TG_FIELD_TS_EXCHANGE);
    row.image.value[TG_FIELD_LAST_PRICE] = price;
    row.image.value[TG_FIELD_LAST_QUANTITY] = 1;
    lost = 0;
}

static void take(int64_t utc_s)
{
    const trade_sample sample = {&instrument, &row, lost, utc_s * S};
    trade_list_take(&list, &sample);
}

static void trade(uint64_t ticks, int64_t price, int64_t quantity)
{
    row.image.seq += ticks;
    row.image.value[TG_FIELD_LAST_PRICE] = price;
    row.image.value[TG_FIELD_LAST_QUANTITY] = quantity;
    row.image.value[TG_FIELD_TS_EXCHANGE] = (int64_t)row.image.seq * S;
    take(5000);
}

static void expect_trade(size_t index, int64_t price, int direction, uint64_t ticks)
{
    const trade_entry *entry = trade_list_entry(&list, index);
    assert_int_equal(entry->kind, TRADE_SEEN);
    assert_int_equal(entry->price, price);
    assert_int_equal(entry->direction, direction);
    assert_int_equal(entry->ticks, ticks);
}

static void the_trade_before_the_list_began_is_not_listed(void **state)
{
    (void)state;
    begin(500);
    take(10);
    take(11);
    assert_int_equal(list.count, 1);
    assert_int_equal(trade_list_entry(&list, 0)->kind, TRADE_LIST_BEGINS);
    assert_int_equal(trade_list_entry(&list, 0)->utc_ns, 10 * S);
}

static void trades_are_listed_with_time_direction_and_what_was_not_shown(void **state)
{
    (void)state;
    begin(500);
    take(10);
    trade(1, 501, 7);
    trade(1, 501, 7); /* a tick of the quote: no field of a trade changed */
    trade(4, 499, 7); /* three ticks in between */
    trade(1, 499, 8);
    assert_int_equal(list.count, 4);
    expect_trade(2, 501, 1, 0);
    expect_trade(1, 499, -1, 3);
    expect_trade(0, 499, 0, 0);
    assert_int_equal(trade_list_entry(&list, 0)->utc_ns, 107 * S);
    assert_int_equal(trade_list_entry(&list, 0)->quantity, 8);
    assert_int_equal(list.not_shown, 3);
    row.image.present &= ~TG_FIELD_BIT(TG_FIELD_TS_EXCHANGE);
    trade(1, 498, 8);
    assert_false(trade_list_entry(&list, 0)->has_time);
}

static void equal_trades_are_told_apart_by_the_volume(void **state)
{
    (void)state;
    begin(500);
    row.image.present |= TG_FIELD_BIT(TG_FIELD_VOLUME);
    row.image.value[TG_FIELD_VOLUME] = 1000;
    take(10);
    row.image.value[TG_FIELD_VOLUME] = 1001;
    trade(1, 500, 1);
    expect_trade(0, 500, 0, 0);
}

static void lost_ticks_are_a_line(void **state)
{
    (void)state;
    begin(500);
    take(10);
    lost = 41;
    trade(42, 501, 7);
    assert_int_equal(list.count, 3);
    assert_int_equal(trade_list_entry(&list, 1)->kind, TRADE_TICKS_LOST);
    assert_int_equal(trade_list_entry(&list, 1)->ticks, 41);
    expect_trade(0, 501, 1, 0);
    lost = 0; /* a row reached back to them */
    trade(1, 502, 7);
    assert_int_equal(list.count, 4);
    assert_int_equal(list.not_shown, 41);
}

static void a_time_without_good_data_is_one_line_with_its_end(void **state)
{
    (void)state;
    begin(500);
    take(10);
    row.quality = TG_QUALITY_STALE;
    take(20);
    row.quality = TG_QUALITY_DISCONNECTED;
    take(21);
    assert_int_equal(list.count, 2);
    const trade_entry *entry = trade_list_entry(&list, 0);
    assert_int_equal(entry->kind, TRADE_NOT_CURRENT);
    assert_int_equal(entry->quality, TG_QUALITY_DISCONNECTED);
    assert_int_equal(entry->utc_ns, 20 * S);
    assert_false(entry->over);
    /* The row that ends it stands after it, not in it. */
    row.quality = TG_QUALITY_LIVE;
    trade(3, 505, 7);
    assert_int_equal(list.count, 3);
    expect_trade(0, 505, 1, 2);
    entry = trade_list_entry(&list, 1);
    assert_true(entry->over);
    assert_int_equal(entry->end_utc_ns, 5000 * S);
}

static void another_sequence_or_scale_is_never_compared(void **state)
{
    (void)state;
    begin(500);
    take(10);
    trade(1, 501, 7);
    row.image.epoch = 2;
    row.image.seq = 3;
    row.image.value[TG_FIELD_LAST_PRICE] = 900;
    take(30);
    assert_int_equal(trade_list_entry(&list, 0)->kind, TRADE_NEW_SEQUENCE);
    assert_int_equal(list.count, 3);
    trade(1, 901, 7);
    expect_trade(0, 901, 1, 0);
    row.image.seq = 1; /* the same epoch of another lineage */
    take(31);
    assert_int_equal(trade_list_entry(&list, 0)->kind, TRADE_NEW_SEQUENCE);
    assert_int_equal(list.count, 5);
    instrument.price_exponent = -3;
    trade(1, 9010, 7);
    assert_int_equal(list.count, 1);
    assert_int_equal(trade_list_entry(&list, 0)->kind, TRADE_LIST_BEGINS);
}

static void the_oldest_entries_go_and_are_counted(void **state)
{
    (void)state;
    begin(500);
    take(10);
    for (int i = 0; i < TRADE_LIST_SIZE + 9; i++) {
        trade(1, 501 + i, 7);
    }
    assert_int_equal(list.count, TRADE_LIST_SIZE);
    assert_int_equal(list.dropped, 10);
    expect_trade(0, 501 + TRADE_LIST_SIZE + 8, 1, 0);
    expect_trade(TRADE_LIST_SIZE - 1, 501 + 9, 1, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_trade_before_the_list_began_is_not_listed),
        cmocka_unit_test(trades_are_listed_with_time_direction_and_what_was_not_shown),
        cmocka_unit_test(equal_trades_are_told_apart_by_the_volume),
        cmocka_unit_test(lost_ticks_are_a_line),
        cmocka_unit_test(a_time_without_good_data_is_one_line_with_its_end),
        cmocka_unit_test(another_sequence_or_scale_is_never_compared),
        cmocka_unit_test(the_oldest_entries_go_and_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
