/* Whole DBN files: the reader and the records (dbn_record). */
#include "tg_cmocka.h"

#include <stdio.h>
#include <string.h>

#include "dbn_builder.h"
#include "dbn_reader.h"
#include "scratch_folder.h"

static scratch_folder folder;
static dbn_builder builder;
static tg__dbn_reader reader;
static tg__market_capture capture;
static tg__cause cause;

static int set_up(void **state)
{
    (void)state;
    scratch_folder_open(&folder);
    memset(&reader, 0, sizeof reader);
    return tg__market_capture_init(&capture) == TG_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    tg__dbn_reader_deinit(&reader);
    tg__market_capture_deinit(&capture);
    scratch_folder_close(&folder);
    return 0;
}

static tg_err open_built(void)
{
    static char path[256];
    scratch_write(&folder, "file.dbn", builder.bytes, builder.size);
    (void)snprintf(path, sizeof path, "%s", scratch_path(&folder, "file.dbn"));
    return tg__dbn_reader_init(&reader, path, &cause);
}

/* The next record's rows, with a | behind each. */
static void next_gives(const char *rows)
{
    char text[2048] = "";
    size_t at = 0;
    if (tg__dbn_reader_next(&reader, &capture, &cause) != TG_OK) {
        fail_msg("%s", cause.text);
    }
    for (size_t i = 0; i < capture.row_count; i++) {
        size_t size = 0;
        assert_true(at + TG__TAPE_LINE_SIZE < sizeof text);
        assert_int_equal(tg__tape_line_format(&capture.rows[i], text + at, &size), TG_OK);
        at += size;
        text[at - 1] = '|';
    }
    assert_string_equal(text, rows);
}

static void next_refuses(tg_err err, const char *tail)
{
    assert_int_equal(tg__dbn_reader_next(&reader, &capture, &cause), err);
    const size_t length = strlen(cause.text);
    if (length < strlen(tail) || strcmp(cause.text + length - strlen(tail), tail) != 0) {
        fail_msg("%s", cause.text);
    }
}

static void ends(void)
{
    assert_int_equal(tg__dbn_reader_next(&reader, &capture, &cause), TG_ERR_NOT_FOUND);
    assert_int_equal(tg__dbn_reader_next(&reader, &capture, &cause), TG_ERR_NOT_FOUND);
}

#define PRICE(units, nanos) ((units)*INT64_C(1000000000) + (nanos))

static void trades_have_the_digits_that_they_need(void **state)
{
    (void)state;
    for (int version = 1; version <= 3; version++) {
        dbn_put_header(&builder, version, "ESH1");
        dbn_put_trade(&builder, 48, 0x00, PRICE(3720, 250000000), 5, 'T', DBN_TS_RECV);
        dbn_put_trade(&builder, 48, 0x00, -PRICE(37, 630000001), 5, 'T', UINT64_MAX);
        assert_int_equal(open_built(), TG_OK);
        next_gives("1609160400000000000,XTST.TEST,ESH1,trade,3720.25,5,|");
        next_gives("1609160399999999999,XTST.TEST,ESH1,trade,-37.630000001,5,|");
        ends();
        tg__dbn_reader_deinit(&reader);
    }
}

static void a_trade_stands_behind_the_levels_before_it(void **state)
{
    (void)state;
    dbn_put_header(&builder, 2, "ESH1");
    dbn_put_trade(&builder, 80, 0x01, PRICE(1, 0), 5, 'A', DBN_TS_RECV);
    dbn_put_level(&builder, PRICE(10, 0), PRICE(11, 500000000), 3, 4);
    dbn_put_trade(&builder, 80, 0x01, PRICE(11, 500000000), 2, 'T', DBN_TS_RECV);
    dbn_put_level(&builder, PRICE(10, 0), TG__DBN_UNDEFINED, 3, 0);
    dbn_put_trade(&builder, 368, 0x0a, PRICE(1, 0), 5, 'C', DBN_TS_RECV);
    dbn_put_level(&builder, PRICE(9, 0), PRICE(12, 0), 1, 1);
    dbn_put_zeros(&builder, 288);
    assert_int_equal(open_built(), TG_OK);
    next_gives("1609160400000000000,XTST.TEST,ESH1,bid,10,3,|"
               "1609160400000000000,XTST.TEST,ESH1,ask,11.5,4,|");
    next_gives("1609160400000000000,XTST.TEST,ESH1,ask,0,0,|"
               "1609160400000000000,XTST.TEST,ESH1,trade,11.5,2,|");
    next_gives("1609160400000000000,XTST.TEST,ESH1,bid,9,1,|"
               "1609160400000000000,XTST.TEST,ESH1,ask,12,1,|");
    ends();
}

static void put_definition(int version, int64_t tick_size, const char *symbol)
{
    const size_t size = version == 1 ? 360 : version == 2 ? 400 : 520;
    const size_t symbol_at = version == 3 ? 238 : 200;
    dbn_put_record_header(&builder, size, 0x13);
    dbn_put_u64(&builder, DBN_TS_RECV);
    dbn_put_u64(&builder, (uint64_t)tick_size);
    dbn_put_zeros(&builder, symbol_at - 32);
    dbn_put(&builder, symbol, strlen(symbol));
    dbn_put_zeros(&builder, size - symbol_at - strlen(symbol));
}

static void a_definition_names_and_gives_the_tick_size(void **state)
{
    (void)state;
    for (int version = 1; version <= 3; version++) {
        dbn_put_header_of(&builder, version, "none", "none", 1, 1);
        put_definition(version, 10000000, "BRN FMJ0024!");
        dbn_put_trade(&builder, 48, 0x00, PRICE(77, 600000000), 1, 'T', DBN_TS_RECV);
        assert_int_equal(open_built(), TG_OK);
        next_gives("");
        next_gives("1609160400000000000,XTST.TEST,BRN FMJ0024!,trade,77.60,1,|");
        tg__dbn_reader_deinit(&reader);
    }
}

static void a_mapping_record_names_the_instrument_from_there_on(void **state)
{
    (void)state;
    for (int version = 1; version <= 2; version++) {
        const size_t symbol_at = version == 1 ? 38 : 89;
        const size_t size = version == 1 ? 80 : 176;
        dbn_put_header_of(&builder, version, "none", "none", 1, 1);
        dbn_put_trade(&builder, 48, 0x00, PRICE(7, 0), 1, 'T', DBN_TS_RECV);
        dbn_put_record_header(&builder, size, 0x16);
        dbn_put_zeros(&builder, symbol_at - 16);
        dbn_put(&builder, "CLM1", 4);
        dbn_put_zeros(&builder, size - symbol_at - 4);
        dbn_put_trade(&builder, 48, 0x00, PRICE(7, 0), 1, 'T', DBN_TS_RECV);
        assert_int_equal(open_built(), TG_OK);
        next_gives("1609160400000000000,XTST.TEST,42,trade,7,1,|");
        next_gives("");
        next_gives("1609160400000000000,XTST.TEST,CLM1,trade,7,1,|");
        tg__dbn_reader_deinit(&reader);
    }
}

static void records_with_a_send_time_behind_are_read(void **state)
{
    (void)state;
    dbn_put_header(&builder, 2, "ESH1");
    builder.bytes[8 + 44] = 1; /* ts_out */
    dbn_put_trade(&builder, 56, 0x00, PRICE(7, 0), 1, 'T', DBN_TS_RECV);
    dbn_put_u64(&builder, DBN_TS_RECV + 5);
    dbn_put_trade(&builder, 56, 0x00, PRICE(8, 0), 1, 'T', DBN_TS_RECV);
    dbn_put_u64(&builder, DBN_TS_RECV + 6);
    assert_int_equal(open_built(), TG_OK);
    next_gives("1609160400000000000,XTST.TEST,ESH1,trade,7,1,|");
    next_gives("1609160400000000000,XTST.TEST,ESH1,trade,8,1,|");
    ends();
}

static void what_is_unknown_is_skipped_and_counted(void **state)
{
    (void)state;
    dbn_put_header(&builder, 3, "ESH1");
    dbn_put_record_header(&builder, 20, 0x77);
    dbn_put_zeros(&builder, 4);
    dbn_put_record_header(&builder, 56, 0x20);
    dbn_put_zeros(&builder, 40);
    dbn_put_trade(&builder, 48, 0x00, PRICE(7, 0), 1, 'T', DBN_TS_RECV);
    assert_int_equal(open_built(), TG_OK);
    next_gives("");
    next_gives("");
    next_gives("1609160400000000000,XTST.TEST,ESH1,trade,7,1,|");
    assert_string_equal(capture.kinds[0].name, "0x77");
    assert_int_equal(capture.kinds[0].use, TG__KIND_UNKNOWN);
    assert_string_equal(capture.kinds[1].name, "ohlcv-1s");
    assert_int_equal(capture.kinds[1].use, TG__KIND_UNUSED);
}

static void a_bad_record_is_named_and_the_next_one_is_read(void **state)
{
    (void)state;
    char expected[128];
    dbn_put_header(&builder, 2, "ESH1");
    const size_t first = builder.size;
    dbn_put_trade(&builder, 48, 0x00, TG__DBN_UNDEFINED, 1, 'T', DBN_TS_RECV);
    dbn_put_record_header(&builder, 16, 0x00);
    dbn_put_trade(&builder, 48, 0x00, PRICE(7, 0), 1, 'T', DBN_TS_RECV);
    dbn_put_trade(&builder, 48, 0x00, PRICE(7, 0), 1, 'T', DBN_TS_RECV);
    builder.size -= 5;
    assert_int_equal(open_built(), TG_OK);
    (void)snprintf(expected, sizeof expected,
                   "file.dbn: record 1 at byte %zu: the trade has no price", first);
    next_refuses(TG_ERR_SYNTAX, expected);
    next_refuses(TG_ERR_SYNTAX, ": the record is shorter than its kind");
    next_gives("1609160400000000000,XTST.TEST,ESH1,trade,7,1,|");
    next_refuses(TG_ERR_SYNTAX, ": the file ends inside of it");
    ends();
}

static void a_length_that_cannot_be_ends_the_reading(void **state)
{
    (void)state;
    dbn_put_header(&builder, 2, "ESH1");
    dbn_put_u8(&builder, 3);
    dbn_put_zeros(&builder, 100);
    assert_int_equal(open_built(), TG_OK);
    next_refuses(TG_ERR_TAPE, ": its length is shorter than a header");
    ends();
}

static void a_header_that_is_cut_or_promises_more_is_refused(void **state)
{
    (void)state;
    dbn_put_header(&builder, 2, "ESH1");
    builder.size = 60;
    assert_int_equal(open_built(), TG_ERR_TAPE);
    assert_non_null(strstr(cause.text, "file.dbn: its header ends too early"));
    dbn_put_header(&builder, 2, "ESH1");
    dbn_set_u32(&builder, 4, 60u << 20);
    assert_int_equal(open_built(), TG_ERR_TAPE);
    builder.size = 2;
    assert_int_equal(open_built(), TG_ERR_TAPE);
    assert_non_null(strstr(cause.text, "file.dbn: it is not a DBN file"));
}

static void put_order(uint64_t id, int64_t price, uint32_t size, uint8_t flags, char action,
                      char side)
{
    dbn_put_record_header(&builder, 56, 0xa0);
    dbn_put_u64(&builder, id);
    dbn_put_u64(&builder, (uint64_t)price);
    dbn_put_u32(&builder, size);
    dbn_put_u8(&builder, flags);
    dbn_put_u8(&builder, 0);
    dbn_put_u8(&builder, (uint8_t)action);
    dbn_put_u8(&builder, (uint8_t)side);
    dbn_put_u64(&builder, DBN_TS_RECV);
    dbn_put_u64(&builder, 0);
}

#define LAST 0x80

static void orders_make_a_book_that_is_shown_behind_each_event(void **state)
{
    (void)state;
    dbn_put_header(&builder, 2, "ESH1");
    put_order(1, PRICE(10, 0), 9, LAST, 'C', 'B'); /* there before the file begins */
    put_order(0, TG__DBN_UNDEFINED, 0, 0, 'R', 'N');
    put_order(1, PRICE(10, 0), 5, 0, 'A', 'B');
    put_order(2, PRICE(10, 0), 3, 0, 'A', 'B');
    put_order(3, PRICE(11, 250000000), 2, LAST, 'A', 'A');
    put_order(9, PRICE(10, 0), 6, 0, 'T', 'A'); /* eats the first and a part of the second */
    put_order(1, PRICE(10, 0), 5, 0, 'F', 'B');
    put_order(1, PRICE(10, 0), 5, 0, 'C', 'B');
    put_order(2, PRICE(10, 0), 1, LAST, 'C', 'B');
    put_order(2, PRICE(9, 500000000), 4, LAST, 'M', 'B');
    put_order(3, PRICE(11, 250000000), 2, LAST, 'C', 'A');
    assert_int_equal(open_built(), TG_OK);
    next_gives("");
    next_gives("");
    next_gives("");
    next_gives("");
    next_gives("1609160400000000000,XTST.TEST,ESH1,bid,10,8,|"
               "1609160400000000000,XTST.TEST,ESH1,ask,11.25,2,|");
    next_gives("1609160400000000000,XTST.TEST,ESH1,trade,10,6,|");
    next_gives("");
    next_gives("");
    next_gives("1609160400000000000,XTST.TEST,ESH1,bid,10,2,|");
    next_gives("1609160400000000000,XTST.TEST,ESH1,bid,9.5,4,|");
    next_gives("1609160400000000000,XTST.TEST,ESH1,ask,0,0,|");
    ends();
}

static void a_cancel_of_an_unknown_order_ends_the_book_until_a_clear(void **state)
{
    (void)state;
    dbn_put_header(&builder, 2, "ESH1");
    put_order(0, TG__DBN_UNDEFINED, 0, LAST, 'R', 'N');
    put_order(7, PRICE(10, 0), 5, LAST, 'C', 'B');
    put_order(1, PRICE(10, 0), 5, LAST, 'A', 'B');
    put_order(0, TG__DBN_UNDEFINED, 0, 0, 'R', 'N');
    put_order(1, PRICE(10, 0), 5, LAST, 'A', 'B');
    put_order(2, PRICE(10, 0), 5, LAST, 'A', 'N');
    assert_int_equal(open_built(), TG_OK);
    next_gives("1609160400000000000,XTST.TEST,ESH1,bid,0,0,|"
               "1609160400000000000,XTST.TEST,ESH1,ask,0,0,|");
    next_refuses(TG_ERR_SYNTAX, ": it cancels an order that does not rest");
    assert_int_equal(capture.books_lost, 1);
    next_gives("");
    next_gives("");
    next_gives("1609160400000000000,XTST.TEST,ESH1,bid,10,5,|");
    next_refuses(TG_ERR_SYNTAX, ": the order has no side or no price");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(trades_have_the_digits_that_they_need),
        TEST(a_trade_stands_behind_the_levels_before_it),
        TEST(a_definition_names_and_gives_the_tick_size),
        TEST(a_mapping_record_names_the_instrument_from_there_on),
        TEST(orders_make_a_book_that_is_shown_behind_each_event),
        TEST(a_cancel_of_an_unknown_order_ends_the_book_until_a_clear),
        TEST(records_with_a_send_time_behind_are_read),
        TEST(what_is_unknown_is_skipped_and_counted),
        TEST(a_bad_record_is_named_and_the_next_one_is_read),
        TEST(a_length_that_cannot_be_ends_the_reading),
        TEST(a_header_that_is_cut_or_promises_more_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
