/*
 * OKEX v3: "<segment>/depth_l2_tbt" as partial and updates with a checksum, "<segment>/trade".
 * The checksum is the CRC-32 of "bid price:bid size:ask price:ask size:..." of the best 25 levels,
 * in the venue's own text; a side that is shorter is left out.
 */
#include "venue_format.h"

#include <stdio.h>
#include <string.h>

#include <zlib.h>

#include <tickglass/internal/control_flow.h>

#define VENUE           "OKEX"
#define CHECKSUM_LEVELS 25u

static uint32_t add_level(uint32_t crc, const tg__book_level *level, bool *first)
{
    char price[TG_DECIMAL_TEXT_SIZE];
    char quantity[TG_DECIMAL_TEXT_SIZE];
    char text[2 * TG_DECIMAL_TEXT_SIZE + 2];
    if (level == NULL || tg_decimal_format(level->price, price, sizeof price) != TG_OK ||
        tg_decimal_format(level->quantity, quantity, sizeof quantity) != TG_OK) {
        return crc;
    }
    const int size = snprintf(text, sizeof text, "%s%s:%s", *first ? "" : ":", price, quantity);
    *first = false;
    return (uint32_t)crc32(crc, (const Bytef *)text, (uInt)size);
}

static uint32_t checksum_of(const tg__book *book)
{
    uint32_t crc = 0;
    bool first = true;
    for (size_t rank = 0; rank < CHECKSUM_LEVELS; rank++) {
        crc = add_level(crc, tg__book_at(book, TG__BOOK_BID, rank), &first);
        crc = add_level(crc, tg__book_at(book, TG__BOOK_ASK, rank), &first);
    }
    return crc;
}

/* A signed 32-bit number; absent: nothing to compare. */
static tg_err compare(tg__market_capture *capture, const tg__market *market, tg__json_at checksum)
{
    tg_decimal told;
    if (checksum == TG__JSON_NONE) {
        return TG_OK;
    }
    if (!tg__json_decimal(capture->json, checksum, &told) || told.exponent != 0 ||
        told.mantissa < INT32_MIN || told.mantissa > INT32_MAX) {
        return tg__frame_fault(capture, "the checksum is not a signed number of 32 bits");
    }
    const uint32_t expected = (uint32_t)(int32_t)told.mantissa;
    tg__count_comparison(capture, market, checksum_of(&market->book) == expected, "checksum",
                         expected);
    return TG_OK;
}

static tg_err apply(tg__market_capture *capture, tg__market *market, tg__json_at entry)
{
    const tg__json *json = capture->json;
    TG_TRY(tg__apply_levels(capture, market, TG__BOOK_BID, tg__json_member(json, entry, "bids")));
    return tg__apply_levels(capture, market, TG__BOOK_ASK, tg__json_member(json, entry, "asks"));
}

static tg_err take_book(tg__market_capture *capture, tg__json_at entry, bool is_snapshot)
{
    const tg__json *json = capture->json;
    tg__market *market = NULL;
    TG_TRY(tg__market_of(capture, VENUE, tg__json_member(json, entry, "instrument_id"), &market));
    if (is_snapshot) {
        tg__book_clear(&market->book);
        market->book_is_live = true;
    } else if (!market->book_is_live) {
        return TG_OK; /* waits for the next partial */
    }
    const tg_err err = apply(capture, market, entry);
    if (err != TG_OK) {
        tg__lose_book(capture, market);
        return err;
    }
    TG_TRY(compare(capture, market, tg__json_member(json, entry, "checksum")));
    return tg__emit_top(capture, market, tg__no_id);
}

static tg_err take_depth(tg__market_capture *capture, tg__json_at message)
{
    const tg__json *json = capture->json;
    const tg__span action = tg__json_text(json, tg__json_member(json, message, "action"));
    const bool is_snapshot = tg__span_is(action, "partial");
    if (!is_snapshot && !tg__span_is(action, "update")) {
        return tg__frame_fault(capture, "action is neither partial nor update");
    }
    const tg__json_at data = tg__json_member(json, message, "data");
    for (tg__json_at at = tg__json_first(json, data); at != TG__JSON_NONE;
         at = tg__json_next(json, data, at)) {
        TG_TRY(take_book(capture, at, is_snapshot));
    }
    return TG_OK;
}

static tg_err take_trades(tg__market_capture *capture, tg__json_at message)
{
    const tg__json *json = capture->json;
    const tg__json_at data = tg__json_member(json, message, "data");
    for (tg__json_at at = tg__json_first(json, data); at != TG__JSON_NONE;
         at = tg__json_next(json, data, at)) {
        tg__market *market = NULL;
        tg__book_level trade;
        tg__exchange_id id = {false, 0};
        tg__json_at size = tg__json_member(json, at, "size");
        if (size == TG__JSON_NONE) {
            size = tg__json_member(json, at, "qty"); /* of options */
        }
        TG_TRY(tg__market_of(capture, VENUE, tg__json_member(json, at, "instrument_id"), &market));
        TG_TRY(tg__read_level(capture, tg__json_member(json, at, "price"), size, &trade));
        id.has = tg__json_u64(json, tg__json_member(json, at, "trade_id"), &id.value);
        TG_TRY(tg__emit_trade(capture, market, trade.price, trade.quantity, id));
    }
    return TG_OK;
}

/* "swap/trade" -> "trade". */
static tg__span behind_segment(tg__span table)
{
    const char *slash = table.at == NULL ? NULL : memchr(table.at, '/', table.length);
    if (slash == NULL) {
        return table;
    }
    return (tg__span){slash + 1, table.length - (size_t)(slash + 1 - table.at)};
}

static tg_err take_frame(tg__market_capture *capture, tg__span text)
{
    static const tg__message_kind kinds[] = {
        {"depth_l2_tbt", take_depth},
        {"depth", take_depth},
        {"trade", take_trades},
        {"ticker", NULL}, /* sparser than the book, without an id */
        {"subscribe", NULL},
        {"login", NULL},
        {NULL, NULL},
    };
    (void)text;
    const tg__json *json = capture->json;
    const tg__span table =
        behind_segment(tg__json_text(json, tg__json_member(json, TG__JSON_ROOT, "table")));
    return tg__take_message(
        capture, kinds,
        table.at != NULL ? table
                         : tg__json_text(json, tg__json_member(json, TG__JSON_ROOT, "event")),
        TG__JSON_ROOT);
}

const tg__venue_format tg__okex_format = {"okex", "okex.com", take_frame};
