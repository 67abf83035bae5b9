/* Every venue's reader, on frames of a few levels written for these tests. */
#include "tg_cmocka.h"

#include <stdio.h>
#include <string.h>

#include "capture_reader.h"

typedef struct scene {
    tg__capture_reader reader;
    tg__market_capture capture;
    const char *what;
} scene;

static scene s;

static int set_up(void **state)
{
    (void)state;
    memset(&s, 0, sizeof s);
    return tg__market_capture_init(&s.capture) == TG_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    tg__capture_reader_deinit(&s.reader);
    tg__market_capture_deinit(&s.capture);
    return 0;
}

static tg_err take(const char *line)
{
    return tg__capture_reader_take(&s.reader, &s.capture, line, strlen(line), &s.what);
}

/* The line's rows are these, as a tape has them, with a | behind each. */
static void gives(const char *line, const char *rows)
{
    char text[4096] = "";
    size_t at = 0;
    if (take(line) != TG_OK) {
        fail_msg("%s: %s", line, s.what);
    }
    for (size_t i = 0; i < s.capture.row_count; i++) {
        char row[TG__TAPE_LINE_SIZE];
        size_t size = 0;
        assert_int_equal(tg__tape_line_format(&s.capture.rows[i], row, &size), TG_OK);
        assert_true(at + size < sizeof text);
        memcpy(text + at, row, size);
        at += size;
        text[at - 1] = '|';
        text[at] = '\0';
    }
    assert_string_equal(text, rows);
}

static void refuses(const char *line, const char *what)
{
    assert_int_equal(take(line), TG_ERR_SYNTAX);
    assert_string_equal(s.what, what);
}

static uint64_t counted(const char *kind, tg__kind_use use)
{
    for (uint32_t i = 0; i < s.capture.kind_count; i++) {
        if (strcmp(s.capture.kinds[i].name, kind) == 0 && s.capture.kinds[i].use == use) {
            return s.capture.kinds[i].count;
        }
    }
    return 0;
}

#define SPOT_DEPTH(id_first, id_last, bids, asks)                                                  \
    "9 "                                                                                           \
    "{\"stream\":\"abcusd@depth@100ms\",\"data\":{\"e\":\"depthUpdate\",\"s\":\"ABCUSD\","         \
    "\"U\":" #id_first ",\"u\":" #id_last ",\"b\":" bids ",\"a\":" asks "}}"
#define SPOT_TICKER(id, bid, ask)                                                                  \
    "9 {\"stream\":\"abcusd@bookTicker\",\"data\":{\"u\":" #id ",\"s\":\"ABCUSD\",\"b\":\"" bid    \
    "\",\"B\":\"1\",\"a\":\"" ask "\",\"A\":\"2.0\"}}"
#define SNAPSHOT(id, bids, asks) "9 {\"lastUpdateId\":" #id ",\"bids\":" bids ",\"asks\":" asks "}"

static void binance_quotes_and_trades_have_the_venues_ids(void **state)
{
    (void)state;
    gives(SPOT_TICKER(11, "5.00", "6.00"),
          "9,BINANCE,ABCUSD,bid,5.00,1,11|9,BINANCE,ABCUSD,ask,6.00,2.0,11|");
    gives(SPOT_TICKER(12, "5.00", "6.10"), "9,BINANCE,ABCUSD,ask,6.10,2.0,12|");
    gives(SPOT_TICKER(13, "5.00", "6.10"), "");
    gives("10 {\"stream\":\"abcusd@trade\",\"data\":{\"e\":\"trade\",\"s\":\"ABCUSD\",\"t\":77,"
          "\"p\":\"5.50\",\"q\":\"0.25\",\"m\":true,\"M\":true}}",
          "10,BINANCE,ABCUSD,trade,5.50,0.25,77|");
    gives("11 {\"stream\":\"btcusd_perp@bookTicker\",\"data\":{\"u\":3,\"e\":\"bookTicker\",\"s\":"
          "\"BTCUSD_PERP\",\"b\":\"1\",\"B\":\"1\",\"a\":\"2\",\"A\":\"0\"}}",
          "11,BINANCE_COINM,BTCUSD_PERP,bid,1,1,3|11,BINANCE_COINM,BTCUSD_PERP,ask,2,0,3|");
    gives("12 {\"stream\":\"btcusdt_240927@trade\",\"data\":{\"s\":\"BTCUSDT_240927\",\"t\":1,"
          "\"p\":\"5\",\"q\":\"1\"}}",
          "12,BINANCE_USDM,BTCUSDT_240927,trade,5,1,1|");
}

/* Delta 8..9 arrives before the snapshot of 7 and is newer: without it the bid would stay 5. */
static void binance_differences_newer_than_the_snapshot_count_though_they_come_before(void **state)
{
    (void)state;
    gives(SPOT_DEPTH(4, 6, "[[\"4.9\",\"3\"]]", "[]"), "");
    gives(SPOT_DEPTH(7, 9, "[[\"5.0\",\"0\"],[\"4.8\",\"2\"]]", "[]"), "");
    gives(SNAPSHOT(7, "[[\"5.0\",\"1\"],[\"4.5\",\"1\"]]", "[[\"6.0\",\"1\"]]"),
          "9,BINANCE,ABCUSD,bid,5.0,1,7|9,BINANCE,ABCUSD,ask,6.0,1,7|"
          "9,BINANCE,ABCUSD,bid,4.8,2,9|");
    gives(SPOT_DEPTH(10, 10, "[]", "[[\"5.9\",\"1\"]]"), "9,BINANCE,ABCUSD,ask,5.9,1,10|");
    assert_int_equal(s.capture.books_lost, 0);
}

static void binance_books_are_compared_with_the_ticker_of_the_same_id(void **state)
{
    (void)state;
    assert_int_equal(take(SPOT_DEPTH(1, 1, "[]", "[]")), TG_OK);
    assert_int_equal(take(SNAPSHOT(7, "[[\"5.0\",\"1\"]]", "[[\"6.0\",\"2\"]]")), TG_OK);
    gives(SPOT_TICKER(7, "5.00", "6.00"), "");
    assert_int_equal(s.capture.compared, 1); /* the book was there first */
    assert_int_equal(take(SPOT_TICKER(9, "5.00", "6.50")), TG_OK);
    gives(SPOT_DEPTH(8, 9, "[]", "[[\"6.0\",\"0\"],[\"6.5\",\"2\"]]"), ""); /* the ticker was */
    assert_int_equal(s.capture.compared, 2);
    assert_int_equal(s.capture.different, 0);
    assert_int_equal(take(SPOT_TICKER(10, "5.00", "6.50")), TG_OK);
    gives(SPOT_DEPTH(10, 10, "[[\"5.0\",\"1.5\"]]", "[]"), "");
    assert_int_equal(s.capture.compared, 3);
    assert_int_equal(s.capture.different, 1);
    assert_string_equal(s.capture.difference,
                        "BINANCE:ABCUSD: the book differs from the venue's bookTicker 10");
}

static void binance_a_gap_ends_the_book_until_the_next_snapshot(void **state)
{
    (void)state;
    assert_int_equal(take(SPOT_DEPTH(1, 1, "[]", "[]")), TG_OK);
    assert_int_equal(take(SNAPSHOT(7, "[[\"5.0\",\"1\"]]", "[[\"6.0\",\"2\"]]")), TG_OK);
    gives(SPOT_DEPTH(9, 9, "[[\"5.5\",\"1\"]]", "[]"), ""); /* 8 is missing */
    assert_int_equal(s.capture.books_lost, 1);
    gives(SPOT_DEPTH(10, 10, "[[\"5.6\",\"1\"]]", "[]"), "");
    gives(SNAPSHOT(9, "[[\"5.5\",\"1\"]]", "[[\"6.0\",\"2\"]]"),
          "9,BINANCE,ABCUSD,bid,5.5,1,9|9,BINANCE,ABCUSD,bid,5.6,1,10|");
}

#define COINM_DEPTH(id_previous, id_first, id_last, bids)                                          \
    "9 {\"stream\":\"ethusd_perp@depth@0ms\",\"data\":{\"e\":\"depthUpdate\",\"s\":"               \
    "\"ETHUSD_PERP\",\"pu\":" #id_previous ",\"U\":" #id_first ",\"u\":" #id_last ",\"b\":" bids   \
    ",\"a\":[]}}"

static void binance_futures_continue_by_the_id_before(void **state)
{
    (void)state;
    gives(COINM_DEPTH(3, 5, 8, "[[\"2\",\"7\"]]"), "");
    gives("9 {\"lastUpdateId\":6,\"symbol\":\"ETHUSD_PERP\",\"bids\":[[\"1\",\"1\"]],\"asks\":[]}",
          "9,BINANCE_COINM,ETHUSD_PERP,bid,1,1,6|9,BINANCE_COINM,ETHUSD_PERP,ask,0,0,6|"
          "9,BINANCE_COINM,ETHUSD_PERP,bid,2,7,8|");
    gives(COINM_DEPTH(8, 12, 14, "[[\"3\",\"1\"]]"), /* ids 9 to 11 were of other instruments */
          "9,BINANCE_COINM,ETHUSD_PERP,bid,3,1,14|");
    gives(COINM_DEPTH(15, 16, 17, "[[\"4\",\"1\"]]"), "");
    assert_int_equal(s.capture.books_lost, 1);
}

static void bad_frames_say_why_and_leave_no_half_book(void **state)
{
    (void)state;
    refuses("9 {\"stream\":", "the frame is not JSON");
    refuses(SNAPSHOT(7, "[]", "[]"),
            "the snapshot names no symbol and the capture has not exactly one so far");
    assert_int_equal(take(SPOT_DEPTH(1, 1, "[]", "[]")), TG_OK);
    assert_int_equal(take(SNAPSHOT(7, "[[\"5.0\",\"1\"]]", "[]")), TG_OK);
    refuses(SPOT_DEPTH(8, 8, "[[\"5.5\",\"1\"],[\"x\",\"1\"]]", "[]"),
            "a price is missing or not a decimal number of 64 bits");
    assert_int_equal(s.capture.books_lost, 1);
    refuses(SPOT_DEPTH(9, 8, "[]", "[]"), "depthUpdate has no valid U, u and pu");
    refuses(SPOT_TICKER(13, "5", "-"), "a price is missing or not a decimal number of 64 bits");
    refuses("9 {\"stream\":\"x@trade\",\"data\":{\"s\":\"A,B\",\"t\":1,\"p\":\"5\",\"q\":\"1\"}}",
            "the symbol cannot stand on a tape");
    refuses("9 {\"stream\":\"x@trade\",\"data\":{\"s\":\"AB\",\"t\":1,\"p\":\"5\",\"q\":\"-1\"}}",
            "a quantity is missing, negative or not a decimal of 64 bits");
    gives("9 {\"stream\":\"x@somethingNew\",\"data\":{}}", "");
    assert_int_equal(counted("somethingNew", TG__KIND_UNKNOWN), 1);
    gives("9 {\"data\":{}}", ""); /* of no stream */
    gives("9 {\"stream\":\"\"}", "");
    assert_int_equal(counted("?", TG__KIND_UNKNOWN), 2);
}

static void a_capture_of_no_known_venue_is_refused(void **state)
{
    (void)state;
    assert_int_equal(take("wss://nowhere.example <-> 1.0"), TG_ERR_TAPE);
    assert_string_equal(s.what, "no venue is known by this line: say --from");
}

static void okex_checksums_are_of_the_venues_own_text(void **state)
{
    (void)state;
    gives("wss://real.okex.com:8443/ws/v3 <-> 1.0", "");
    gives(
        "1.5: {\"table\":\"spot/depth_l2_tbt\",\"action\":\"partial\",\"data\":[{\"instrument_id\":"
        "\"A-B\",\"bids\":[[\"1.50\",\"3\",\"0\",\"1\"],[\"1.49\",\"2\",\"0\",\"1\"]],\"asks\":[["
        "\"1.51\",\"4\",\"0\",\"1\"]],\"checksum\":1715346393}]}",
        "1500000000,OKEX,A-B,bid,1.50,3,|1500000000,OKEX,A-B,ask,1.51,4,|");
    gives(
        "1.6: {\"table\":\"spot/depth_l2_tbt\",\"action\":\"update\",\"data\":[{\"instrument_id\":"
        "\"A-B\",\"bids\":[],\"asks\":[[\"1.510\",\"7\",\"0\",\"1\"]],\"checksum\":1132147703}]}",
        "1600000000,OKEX,A-B,ask,1.510,7,|");
    assert_int_equal(s.capture.compared, 2);
    assert_int_equal(s.capture.different, 0);
    assert_int_equal(
        take("1.6: {\"table\":\"spot/depth_l2_tbt\",\"action\":\"update\",\"data\":[{"
             "\"instrument_id\":\"A-B\",\"bids\":[],\"asks\":[[\"1.51\",\"7\"]],\"checksum\":"
             "1132147703}]}"),
        TG_OK);
    assert_int_equal(s.capture.different, 1); /* the same number in another text */
    gives("1.7: {\"table\":\"option/trade\",\"data\":[{\"trade_id\":\"30\",\"price\":\"0.011\","
          "\"qty\":\"7\",\"instrument_id\":\"A-C\"}]}",
          "1700000000,OKEX,A-C,trade,0.011,7,30|");
    assert_int_equal(counted("socket opened", TG__KIND_UNUSED), 1);
}

static void kraken_checksums_leave_out_points_and_zeros(void **state)
{
    (void)state;
    gives("wss://ws.kraken.com <-> 1.0", "");
    gives("2.0: [7,{\"as\":[[\"0.05000\",\"0.00000500\",\"1.0\"]],\"bs\":[[\"0.04990\","
          "\"1.20000000\",\"1.0\"]]},\"book-2\",\"A/B\"]",
          "2000000000,KRAKEN,A/B,bid,0.04990,1.20000000,|"
          "2000000000,KRAKEN,A/B,ask,0.05000,0.00000500,|");
    gives("2.1: [7,{\"b\":[[\"0.04980\",\"3.00000000\",\"1.0\"]],\"c\":\"1987556201\"},\"book-2\","
          "\"A/B\"]",
          "");
    gives("2.2: [7,{\"a\":[[\"0.05010\",\"2.00000000\",\"1.0\"]]},{\"b\":[[\"0.04990\","
          "\"0.00000000\",\"1.0\"]],\"c\":\"391874244\"},\"book-2\",\"A/B\"]",
          "2200000000,KRAKEN,A/B,bid,0.04980,3.00000000,|");
    assert_int_equal(s.capture.compared, 2);
    assert_int_equal(s.capture.different, 0);
    gives("2.3: [7,{\"a\":[[\"0.04999\",\"1\",\"1.0\"]],\"c\":\"1\"},\"book-2\",\"A/B\"]",
          "2300000000,KRAKEN,A/B,ask,0.04999,1,|");
    assert_int_equal(s.capture.different, 1);
    /* The third ask has left the subscribed depth: once the best two go, nothing stands there. */
    gives("2.4: [7,{\"a\":[[\"0.04999\",\"0\",\"1.0\"],[\"0.05000\",\"0\",\"1.0\"]]},\"book-2\","
          "\"A/B\"]",
          "2400000000,KRAKEN,A/B,ask,0,0,|");
    gives("3.0: [9,[[\"5.1\",\"2.0\",\"1.0\",\"b\",\"l\",\"\"]],\"trade\",\"A/B\"]",
          "3000000000,KRAKEN,A/B,trade,5.1,2.0,|");
    gives("3.1: {\"event\":\"heartbeat\"}", "");
    assert_int_equal(counted("heartbeat", TG__KIND_UNUSED), 1);
    refuses("3.2: [7,5,\"book-2\",\"A/B\"]", "book has no object with levels");
    refuses("3.3: [7,{\"b\":[]},\"book-\",\"A/B\"]",
            "the channel's name does not end with its depth");
}

static void coinbase_books_and_matches_are_read(void **state)
{
    (void)state;
    gives("wss://ws-feed.pro.coinbase.com <-> 1.0", "");
    gives("2: {\"type\":\"l2update\",\"product_id\":\"A-B\",\"changes\":[[\"buy\",\"5\",\"1\"]]}",
          ""); /* before the snapshot */
    gives("3: {\"type\":\"snapshot\",\"product_id\":\"A-B\",\"bids\":[[\"5.00\",\"1\"]],\"asks\":[["
          "\"6.00\",\"2\"]]}",
          "3000000000,COINBASE,A-B,bid,5.00,1,|3000000000,COINBASE,A-B,ask,6.00,2,|");
    gives(
        "4: {\"type\":\"l2update\",\"product_id\":\"A-B\",\"changes\":[[\"sell\",\"5.50\",\"1\"],["
        "\"buy\",\"5.00\",\"0\"]]}",
        "4000000000,COINBASE,A-B,bid,0,0,|4000000000,COINBASE,A-B,ask,5.50,1,|");
    gives("5: {\"type\":\"match\",\"product_id\":\"A-B\",\"trade_id\":5,\"price\":\"5.1\",\"size\":"
          "\"7\"}",
          "5000000000,COINBASE,A-B,trade,5.1,7,5|");
    refuses(
        "6: {\"type\":\"l2update\",\"product_id\":\"A-B\",\"changes\":[[\"both\",\"5\",\"1\"]]}",
        "a change is neither buy nor sell");
}

static void bitmex_quotes_and_trades_are_read(void **state)
{
    (void)state;
    gives("wss://www.bitmex.com/realtime <-> 1.0", "");
    gives("2: "
          "{\"table\":\"quote\",\"action\":\"partial\",\"data\":[{\"symbol\":\"XBT\",\"bidSize\":5,"
          "\"bidPrice\":0.0001267,\"askPrice\":1e-3,\"askSize\":6}]}",
          "2000000000,BITMEX,XBT,bid,0.0001267,5,|2000000000,BITMEX,XBT,ask,0.001,6,|");
    gives("3: {\"table\":\"trade\",\"action\":\"partial\",\"data\":[{\"symbol\":\"XBT\",\"size\":1,"
          "\"price\":7}]}",
          "");
    gives("4: {\"table\":\"trade\",\"action\":\"insert\",\"data\":[{\"symbol\":\"XBT\",\"size\":1,"
          "\"price\":7}]}",
          "4000000000,BITMEX,XBT,trade,7,1,|");
}

static void bybit_books_and_trades_are_read(void **state)
{
    (void)state;
    gives("wss://stream.bybit.com/realtime_public <-> 1.0", "");
    gives("2: {\"topic\":\"orderBookL2_25.AUSDT\",\"type\":\"snapshot\",\"data\":{\"order_book\":[{"
          "\"price\":\"7.1\",\"symbol\":\"AUSDT\",\"id\":\"1\",\"side\":\"Buy\",\"size\":2.5},{"
          "\"price\":\"7.2\",\"symbol\":\"AUSDT\",\"id\":\"2\",\"side\":\"Sell\",\"size\":3}]},"
          "\"cross_seq\":\"50\"}",
          "2000000000,BYBIT,AUSDT,bid,7.1,2.5,50|2000000000,BYBIT,AUSDT,ask,7.2,3,50|");
    gives("3: "
          "{\"topic\":\"orderBookL2_25.AUSDT\",\"type\":\"delta\",\"data\":{\"delete\":[{\"price\":"
          "\"7.1\",\"symbol\":\"AUSDT\",\"side\":\"Buy\"}],\"update\":[],\"insert\":[{\"price\":"
          "\"7.0\",\"symbol\":\"AUSDT\",\"side\":\"Buy\",\"size\":1}]},\"cross_seq\":\"51\"}",
          "3000000000,BYBIT,AUSDT,bid,7.0,1,51|");
    gives(
        "4: {\"topic\":\"trade.AUSDT\",\"data\":[{\"symbol\":\"AUSDT\",\"price\":\"7.15\",\"size\":"
        "0.1}]}",
        "4000000000,BYBIT,AUSDT,trade,7.15,0.1,|");
    refuses(
        "5: {\"topic\":\"orderBookL2_25.AUSDT\",\"type\":\"delta\",\"data\":{\"update\":[{\"price\""
        ":\"7.1\",\"symbol\":\"BUSDT\",\"side\":\"Buy\",\"size\":1}]}}",
        "a level is of another symbol than the topic");
}

#define DERIBIT_BOOK(inner)                                                                        \
    "{\"jsonrpc\":\"2.0\",\"method\":\"subscription\",\"params\":{\"channel\":\"book.A-C.raw\","   \
    "\"data\":{\"instrument_name\":\"A-C\"," inner "}}}"

static void deribit_books_continue_by_change_ids(void **state)
{
    (void)state;
    gives("wss://www.deribit.com/ws/api/v2 <-> 1.0", "");
    gives("2: " DERIBIT_BOOK("\"type\":\"snapshot\",\"change_id\":5,\"bids\":[[\"new\",0.083,5.0]],"
                             "\"asks\":[]"),
          "2000000000,DERIBIT,A-C,bid,0.083,5.0,5|2000000000,DERIBIT,A-C,ask,0,0,5|");
    gives("3: " DERIBIT_BOOK("\"type\":\"change\",\"prev_change_id\":5,\"change_id\":8,\"bids\":[["
                             "\"delete\",0.083,0.0]],\"asks\":[[\"new\",0.09,1.0]]"),
          "3000000000,DERIBIT,A-C,bid,0,0,8|3000000000,DERIBIT,A-C,ask,0.09,1.0,8|");
    gives(
        "4: " DERIBIT_BOOK("\"type\":\"change\",\"prev_change_id\":9,\"change_id\":10,\"bids\":[],"
                           "\"asks\":[[\"new\",0.08,1.0]]"),
        "");
    assert_int_equal(s.capture.books_lost, 1);
    gives("5: {\"params\":{\"channel\":\"trades.A-C.raw\",\"data\":[{\"instrument_name\":\"A-C\","
          "\"price\":0.085,\"amount\":2.0,\"trade_seq\":44}]}}",
          "5000000000,DERIBIT,A-C,trade,0.085,2.0,44|");
}

static void kraken_futures_books_continue_by_seq(void **state)
{
    (void)state;
    gives("wss://futures.kraken.com/ws/v1 <-> 1.0", "");
    gives("2: "
          "{\"feed\":\"book_snapshot\",\"product_id\":\"PI_A\",\"seq\":10,\"bids\":[{\"price\":5.5,"
          "\"qty\":10.0}],\"asks\":[{\"price\":6.0,\"qty\":1.0}]}",
          "2000000000,KRAKEN_FUT,PI_A,bid,5.5,10.0,10|2000000000,KRAKEN_FUT,PI_A,ask,6.0,1.0,10|");
    gives(
        "3: {\"feed\":\"book\",\"product_id\":\"PI_A\",\"side\":\"sell\",\"seq\":11,\"price\":5.9,"
        "\"qty\":2.0}",
        "3000000000,KRAKEN_FUT,PI_A,ask,5.9,2.0,11|");
    gives("4: {\"feed\":\"trade\",\"product_id\":\"PI_A\",\"seq\":3,\"qty\":262.0,\"price\":5.7}",
          "4000000000,KRAKEN_FUT,PI_A,trade,5.7,262.0,3|");
    gives(
        "5: {\"feed\":\"book\",\"product_id\":\"PI_A\",\"side\":\"sell\",\"seq\":13,\"price\":5.8,"
        "\"qty\":2.0}",
        "");
    assert_int_equal(s.capture.books_lost, 1);
    refuses("6: {\"feed\":\"book\",\"product_id\":\"PI_A\",\"side\":\"up\",\"seq\":14}",
            "book has no seq, or is neither buy nor sell");
}

static void kinds_beyond_the_table_are_counted_together(void **state)
{
    (void)state;
    for (int i = 0; i < 200; i++) {
        char line[128];
        (void)snprintf(line, sizeof line, "9 {\"stream\":\"x@kind%d\",\"data\":{}}", i);
        assert_int_equal(take(line), TG_OK);
    }
    assert_int_equal(s.capture.kind_count, TG__KINDS_MAX);
    assert_int_equal(counted("others", TG__KIND_UNKNOWN), 200 - TG__KINDS_MAX + 1);
}

static void a_book_that_grows_beyond_its_limit_is_lost_with_a_clear_error(void **state)
{
    (void)state;
    char line[256];
    assert_int_equal(take("wss://ws-feed.pro.coinbase.com <-> 1.0"), TG_OK);
    assert_int_equal(
        take("3: {\"type\":\"snapshot\",\"product_id\":\"A-B\",\"bids\":[],\"asks\":[]}"), TG_OK);
    for (unsigned i = 1; i <= TG__BOOK_LEVELS_MAX + 1; i++) {
        (void)snprintf(line, sizeof line,
                       "4: {\"type\":\"l2update\",\"product_id\":\"A-B\",\"changes\":[[\"sell\","
                       "\"%u\",\"1\"]]}",
                       i);
        if (i <= TG__BOOK_LEVELS_MAX) {
            assert_int_equal(take(line), TG_OK);
        }
    }
    refuses(line, "the book has more than 65536 levels on one side");
    assert_int_equal(s.capture.books_lost, 1);
    gives(line, "");
}

static void instruments_are_kept_apart_however_many_there_are(void **state)
{
    (void)state;
    enum {
        COUNT = 10000 /* more than chains */
    };
    for (int i = 0; i < 2 * COUNT; i++) {
        char symbol[32];
        tg__market *market = NULL;
        (void)snprintf(symbol, sizeof symbol, "S%d", i % COUNT);
        assert_int_equal(tg__market_named(&s.capture, i % 2 == 0 ? "V" : "W", symbol, &market),
                         TG_OK);
        assert_string_equal(market->symbol, symbol);
        assert_string_equal(market->venue, i % 2 == 0 ? "V" : "W");
    }
    assert_int_equal(s.capture.market_count, COUNT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(binance_quotes_and_trades_have_the_venues_ids),
        TEST(binance_differences_newer_than_the_snapshot_count_though_they_come_before),
        TEST(binance_books_are_compared_with_the_ticker_of_the_same_id),
        TEST(binance_a_gap_ends_the_book_until_the_next_snapshot),
        TEST(binance_futures_continue_by_the_id_before),
        TEST(bad_frames_say_why_and_leave_no_half_book),
        TEST(a_capture_of_no_known_venue_is_refused),
        TEST(okex_checksums_are_of_the_venues_own_text),
        TEST(kraken_checksums_leave_out_points_and_zeros),
        TEST(coinbase_books_and_matches_are_read),
        TEST(bitmex_quotes_and_trades_are_read),
        TEST(bybit_books_and_trades_are_read),
        TEST(deribit_books_continue_by_change_ids),
        TEST(kraken_futures_books_continue_by_seq),
        TEST(a_book_that_grows_beyond_its_limit_is_lost_with_a_clear_error),
        TEST(instruments_are_kept_apart_however_many_there_are),
        TEST(kinds_beyond_the_table_are_counted_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
