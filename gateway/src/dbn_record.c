#include "dbn_record.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

/*
 * Header: length in words u8, kind u8, publisher u16, instrument u32, ts_event u64.
 * Trades and price levels: price i64 at 16, size u32 at 24, action, side, flags, depth from 28,
 * ts_recv u64 at 32, ts_in_delta i32, sequence u32, then levels of 32 bytes from 48.
 * Orders: id u64 at 16, price i64, size u32, flags, channel, action, side, ts_recv u64 at 40.
 */
enum {
    AT_KIND = 1,
    AT_INSTRUMENT = 4,
    AT_TS_EVENT = 8,
    AT_PRICE = 16,
    AT_SIZE = 24,
    AT_ACTION = 28,
    AT_TS_RECV = 32,
    AT_LEVELS = 48,
    TRADE_SIZE = 48,
    MBO_SIZE = 56,
    AT_ORDER_ID = 16,
    AT_ORDER_PRICE = 24,
    AT_ORDER_SIZE = 32,
    AT_ORDER_FLAGS = 36,
    AT_ORDER_ACTION = 38,
    AT_ORDER_SIDE = 39,
    AT_ORDER_TS_RECV = 40,
    FLAG_LAST = 0x80, /* of what one event at the venue became */
    FLAG_TOP = 0x40,  /* of feeds that are not by order */
    AT_MAPPED_V1 = 38,
    AT_MAPPED = 89,
    AT_TICK_SIZE = 24,
    AT_RAW_SYMBOL = 200,
    AT_RAW_SYMBOL_V3 = 238
};

typedef struct dbn_record {
    const uint8_t *bytes;
    size_t size;
    tg__market_capture *capture;
    tg__dbn_metadata *metadata;
} dbn_record;

typedef struct record_kind {
    uint8_t number;
    const char *name;
    size_t size_min;
    tg_err (*take)(const dbn_record *record); /* NULL: known and of no use for a tape */
} record_kind;

static int64_t i64_at(const dbn_record *record, size_t at)
{
    const uint64_t bits = tg__dbn_u64(record->bytes + at);
    int64_t value = 0;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Receive time at Databento, by which the files are sorted; the venue's where there is none. */
static tg_err set_time(const dbn_record *record, size_t at)
{
    uint64_t ts = tg__dbn_u64(record->bytes + at);
    if (ts > INT64_MAX || ts == 0) {
        ts = tg__dbn_u64(record->bytes + AT_TS_EVENT);
    }
    if (ts > INT64_MAX) {
        return tg__frame_fault(record->capture, "the record has no time");
    }
    record->capture->ts_ns = (int64_t)ts;
    return TG_OK;
}

static int decimals_of(int64_t value)
{
    int decimals = TG__DBN_PRICE_DIGITS;
    while (decimals > 0 && value % 10 == 0) {
        value /= 10;
        decimals--;
    }
    return decimals;
}

/* With the digits that it needs, at least those of the tick size. */
static tg_decimal decimal_of(int64_t value, int64_t tick_size)
{
    const int own = decimals_of(value);
    const int of_tick = tick_size == 0 ? 0 : decimals_of(tick_size);
    const int decimals = own > of_tick ? own : of_tick;
    for (int i = TG__DBN_PRICE_DIGITS; i > decimals; i--) {
        value /= 10;
    }
    return (tg_decimal){value, (int8_t)-decimals};
}

/* An instrument without a name is called by its id. */
static tg_err market_of(const dbn_record *record, tg__market **out, int64_t *tick_size)
{
    const uint32_t id = tg__dbn_u32(record->bytes + AT_INSTRUMENT);
    const tg__dbn_name *name = tg__dbn_metadata_find(record->metadata, id, record->capture->ts_ns);
    char number[16];
    (void)snprintf(number, sizeof number, "%" PRIu32, id);
    *tick_size = name != NULL ? name->tick_size : 0;
    return tg__market_named(record->capture, record->metadata->dataset,
                            name != NULL && name->name[0] != '\0' ? name->name : number, out);
}

static tg_err emit_level(const dbn_record *record, tg__market *market, tg__book_side side,
                         int64_t tick_size)
{
    const size_t shift = side == TG__BOOK_BID ? 0 : 1;
    const int64_t price = i64_at(record, AT_LEVELS + 8 * shift);
    const uint32_t size = tg__dbn_u32(record->bytes + AT_LEVELS + 16 + 4 * shift);
    tg__book_level level = {{0, 0}, {0, 0}};
    if (price != TG__DBN_UNDEFINED && size > 0) {
        level = (tg__book_level){decimal_of(price, tick_size), {size, 0}};
    }
    return tg__emit_side(record->capture, market, side, &level, tg__no_id);
}

static tg_err emit_trade(const dbn_record *record, tg__market *market, int64_t tick_size,
                         size_t price_at, size_t size_at)
{
    const int64_t price = i64_at(record, price_at);
    const uint32_t size = tg__dbn_u32(record->bytes + size_at);
    if (price == TG__DBN_UNDEFINED) {
        return tg__frame_fault(record->capture, "the trade has no price");
    }
    return tg__emit_trade(record->capture, market, decimal_of(price, tick_size),
                          (tg_decimal){size, 0}, tg__no_id);
}

/*
 * No ids: `sequence` numbers the venue's packets, and several records may come from one of them; a
 * gateway would take the second for a duplicate.
 */
static tg_err take_trade(const dbn_record *record)
{
    tg__market *market = NULL;
    int64_t tick_size = 0;
    TG_TRY(set_time(record, AT_TS_RECV));
    TG_TRY(market_of(record, &market, &tick_size));
    return emit_trade(record, market, tick_size, AT_PRICE, AT_SIZE);
}

/* The levels are those before the trade, if it is one. */
static tg_err take_levels(const dbn_record *record)
{
    tg__market *market = NULL;
    int64_t tick_size = 0;
    TG_TRY(set_time(record, AT_TS_RECV));
    TG_TRY(market_of(record, &market, &tick_size));
    TG_TRY(emit_level(record, market, TG__BOOK_BID, tick_size));
    TG_TRY(emit_level(record, market, TG__BOOK_ASK, tick_size));
    return record->bytes[AT_ACTION] == 'T'
               ? emit_trade(record, market, tick_size, AT_PRICE, AT_SIZE)
               : TG_OK;
}

/* The best of a side as the rows have it. */
static tg_err emit_best(const dbn_record *record, tg__market *market, tg__book_side side,
                        int64_t tick_size)
{
    const tg__book_level *best = tg__book_at(&market->book, side, 0);
    tg__book_level level = {{0, 0}, {0, 0}};
    if (best != NULL) {
        level = (tg__book_level){decimal_of(best->price.mantissa, tick_size), best->quantity};
    }
    return tg__emit_side(record->capture, market, side, &level, tg__no_id);
}

/*
 * Trades and fills change nothing: the cancels that follow them do. An order that is not known was
 * there before the file begins, or its place was lost: the book is none until the next clear.
 */
static tg_err change_book(const dbn_record *record, tg__market *market)
{
    const uint8_t action = record->bytes[AT_ORDER_ACTION];
    const uint8_t side = record->bytes[AT_ORDER_SIDE];
    const tg__order order = {
        .id = tg__dbn_u64(record->bytes + AT_ORDER_ID),
        .price = {i64_at(record, AT_ORDER_PRICE), -TG__DBN_PRICE_DIGITS},
        .size = tg__dbn_u32(record->bytes + AT_ORDER_SIZE),
        .side = side == 'B' ? TG__BOOK_BID : TG__BOOK_ASK,
    };
    if (action == 'R') {
        tg__order_book_clear(&market->orders, &market->book);
        market->book_is_live = true;
        return TG_OK;
    }
    if (!market->book_is_live || (action != 'A' && action != 'M' && action != 'C')) {
        return TG_OK;
    }
    if (action == 'C') {
        const tg_err err =
            tg__order_book_cancel(&market->orders, &market->book, order.id, order.size);
        return err == TG_ERR_NOT_FOUND
                   ? tg__frame_fault(record->capture, "it cancels an order that does not rest")
                   : err;
    }
    if ((side != 'B' && side != 'A') || order.price.mantissa == TG__DBN_UNDEFINED) {
        return tg__frame_fault(record->capture, "the order has no side or no price");
    }
    record->capture->what = "there is no room for another order";
    return tg__order_book_set(&market->orders, &market->book, &order);
}

/* The book is looked at behind the last record of an event only: between them it is half changed.
 */
static tg_err take_order(const dbn_record *record)
{
    tg__market *market = NULL;
    int64_t tick_size = 0;
    const uint8_t flags = record->bytes[AT_ORDER_FLAGS];
    TG_TRY(set_time(record, AT_ORDER_TS_RECV));
    TG_TRY(market_of(record, &market, &tick_size));
    if ((flags & FLAG_TOP) != 0) {
        return tg__frame_fault(record->capture, "it is of a feed that is not by order");
    }
    const tg_err err = change_book(record, market);
    if (err != TG_OK) {
        tg__lose_book(record->capture, market);
        return err;
    }
    if (record->bytes[AT_ORDER_ACTION] == 'T') {
        TG_TRY(emit_trade(record, market, tick_size, AT_ORDER_PRICE, AT_ORDER_SIZE));
    }
    if ((flags & FLAG_LAST) == 0 || !market->book_is_live) {
        return TG_OK;
    }
    TG_TRY(emit_best(record, market, TG__BOOK_BID, tick_size));
    return emit_best(record, market, TG__BOOK_ASK, tick_size);
}

static tg_err add_name(const dbn_record *record, size_t at, int64_t tick_size)
{
    const size_t symbol_size = record->metadata->symbol_size;
    tg__dbn_name name = {
        .instrument = tg__dbn_u32(record->bytes + AT_INSTRUMENT),
        .end_date = TG__DBN_DATE_END,
        .tick_size = tick_size,
    };
    if (record->size < at + symbol_size) {
        return tg__frame_fault(record->capture, "the record ends before its symbol does");
    }
    (void)snprintf(name.name, sizeof name.name, "%.*s", (int)symbol_size,
                   (const char *)record->bytes + at);
    record->capture->what = "there is no memory for its symbol";
    return tg__dbn_metadata_add(record->metadata, &name);
}

static tg_err take_definition(const dbn_record *record)
{
    const int64_t tick_size = i64_at(record, AT_TICK_SIZE);
    return add_name(record, record->metadata->version == 3 ? AT_RAW_SYMBOL_V3 : AT_RAW_SYMBOL,
                    tick_size == TG__DBN_UNDEFINED || tick_size < 0 ? 0 : tick_size);
}

static tg_err take_mapping(const dbn_record *record)
{
    return add_name(record, record->metadata->version == 1 ? AT_MAPPED_V1 : AT_MAPPED, 0);
}

static const record_kind kinds[] = {
    {0x00, "trades", TRADE_SIZE, take_trade},
    {0x01, "mbp-1 or tbbo", TRADE_SIZE + 32, take_levels},
    {0x0a, "mbp-10", TRADE_SIZE + 320, take_levels},
    {0x13, "definition", AT_RAW_SYMBOL, take_definition},
    {0x16, "symbol mapping", AT_MAPPED_V1, take_mapping},
    {0xa0, "mbo", MBO_SIZE, take_order},
    {0x12, "status", 16, NULL},
    {0x14, "imbalance", 16, NULL},
    {0x15, "error", 16, NULL},
    {0x17, "system", 16, NULL},
    {0x18, "statistics", 16, NULL},
    {0x20, "ohlcv-1s", 16, NULL},
    {0x21, "ohlcv-1m", 16, NULL},
    {0x22, "ohlcv-1h", 16, NULL},
    {0x23, "ohlcv-1d", 16, NULL},
};

static void count(tg__market_capture *capture, const char *name, tg__kind_use use)
{
    tg__market_capture_count(capture, (tg__span){name, strlen(name)}, use);
}

tg_err tg__dbn_record_take(tg__market_capture *capture, tg__dbn_metadata *metadata,
                           const uint8_t *record, size_t size)
{
    const dbn_record whole = {record, size, capture, metadata};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (kinds[i].number != record[AT_KIND]) {
            continue;
        }
        count(capture, kinds[i].name, kinds[i].take != NULL ? TG__KIND_USED : TG__KIND_UNUSED);
        if (size < kinds[i].size_min) {
            return tg__frame_fault(capture, "the record is shorter than its kind");
        }
        const tg_err err = kinds[i].take != NULL ? kinds[i].take(&whole) : TG_OK;
        return err == TG_ERR_FULL ? TG_ERR_SYNTAX : err; /* of this record only */
    }
    char name[16];
    (void)snprintf(name, sizeof name, "0x%02x", record[AT_KIND]);
    count(capture, name, TG__KIND_UNKNOWN);
    return TG_OK;
}
