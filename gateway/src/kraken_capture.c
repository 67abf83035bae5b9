/*
 * Kraken v1: [channel id, {...}, "book-1000", "XBT/USD"] with "as"/"bs" in snapshots, "a"/"b" and a
 * checksum "c" in updates, which may come as two objects; [.., [[price, volume, ..]..], "trade",
 * ..]. The checksum is the CRC-32 of price and volume of the best ten asks, then of the best ten
 * bids, each number without its point and its leading zeros.
 */
#include "venue_format.h"

#include <string.h>

#include <zlib.h>

#include <tickglass/internal/control_flow.h>

#define VENUE           "KRAKEN"
#define CHECKSUM_LEVELS 10u

static uint32_t add_number(uint32_t crc, tg_decimal value)
{
    char text[TG_DECIMAL_TEXT_SIZE];
    char digits[TG_DECIMAL_TEXT_SIZE];
    uInt size = 0;
    if (tg_decimal_format(value, text, sizeof text) != TG_OK) {
        return crc;
    }
    for (const char *at = text; *at != '\0'; at++) {
        if (*at != '.' && (*at != '0' || size > 0)) {
            digits[size++] = *at;
        }
    }
    return (uint32_t)crc32(crc, (const Bytef *)digits, size);
}

static uint32_t checksum_of(const tg__book *book)
{
    static const tg__book_side order[] = {TG__BOOK_ASK, TG__BOOK_BID};
    uint32_t crc = 0;
    for (size_t side = 0; side < 2; side++) {
        for (size_t rank = 0; rank < CHECKSUM_LEVELS; rank++) {
            const tg__book_level *level = tg__book_at(book, order[side], rank);
            if (level != NULL) {
                crc = add_number(crc, level->price);
                crc = add_number(crc, level->quantity);
            }
        }
    }
    return crc;
}

/* The side named `name`, if the object has it. */
static tg_err apply_side(tg__market_capture *capture, tg__market *market, tg__book_side side,
                         tg__json_at object, const char *name)
{
    const tg__json_at levels = tg__json_member(capture->json, object, name);
    return levels == TG__JSON_NONE ? TG_OK : tg__apply_levels(capture, market, side, levels);
}

static tg_err apply_object(tg__market_capture *capture, tg__market *market, tg__json_at object)
{
    const tg__json *json = capture->json;
    const tg__json_at asks = tg__json_member(json, object, "as");
    const tg__json_at bids = tg__json_member(json, object, "bs");
    if (asks != TG__JSON_NONE || bids != TG__JSON_NONE) {
        tg__book_clear(&market->book);
        market->book_is_live = true;
    } else if (!market->book_is_live) {
        return TG_OK; /* waits for the next snapshot */
    }
    TG_TRY(apply_side(capture, market, TG__BOOK_ASK, object, "as"));
    TG_TRY(apply_side(capture, market, TG__BOOK_BID, object, "bs"));
    TG_TRY(apply_side(capture, market, TG__BOOK_ASK, object, "a"));
    return apply_side(capture, market, TG__BOOK_BID, object, "b");
}

/* Of "book-1000"; levels that leave the subscribed depth are not told. */
static size_t depth_of(tg__span channel)
{
    size_t depth = 0;
    for (size_t i = strlen("book-"); i < channel.length; i++) {
        if (channel.at[i] < '0' || channel.at[i] > '9' || depth > TG__BOOK_LEVELS_MAX) {
            return 0;
        }
        depth = depth * 10 + (size_t)(channel.at[i] - '0');
    }
    return depth;
}

static tg_err compare(tg__market_capture *capture, const tg__market *market, tg__json_at checksum)
{
    uint64_t told = 0;
    if (checksum == TG__JSON_NONE || !market->book_is_live) {
        return TG_OK;
    }
    if (!tg__json_u64(capture->json, checksum, &told) || told > UINT32_MAX) {
        return tg__frame_fault(capture, "the checksum is not a number of 32 bits");
    }
    tg__count_comparison(capture, market, checksum_of(&market->book) == told, "checksum", told);
    return TG_OK;
}

/* Between the channel id and the two names at the end: one or two objects. */
static tg_err apply_objects(tg__market_capture *capture, tg__market *market, tg__json_at message,
                            tg__json_at *checksum)
{
    const tg__json *json = capture->json;
    for (uint32_t i = 1; i + 2 < tg__json_length(json, message); i++) {
        const tg__json_at object = tg__json_element(json, message, i);
        if (!tg__json_is_object(json, object)) {
            return tg__frame_fault(capture, "book has no object with levels");
        }
        TG_TRY(apply_object(capture, market, object));
        const tg__json_at told = tg__json_member(json, object, "c");
        *checksum = told != TG__JSON_NONE ? told : *checksum;
    }
    return TG_OK;
}

static tg__json_at name_at(const tg__json *json, tg__json_at message, uint32_t from_end)
{
    const uint32_t length = tg__json_length(json, message);
    return length < from_end ? TG__JSON_NONE : tg__json_element(json, message, length - from_end);
}

static tg_err take_book(tg__market_capture *capture, tg__json_at message)
{
    const tg__json *json = capture->json;
    tg__market *market = NULL;
    tg__json_at checksum = TG__JSON_NONE;
    const size_t depth = depth_of(tg__json_text(json, name_at(json, message, 2)));
    TG_TRY(tg__market_of(capture, VENUE, name_at(json, message, 1), &market));
    if (depth == 0) {
        return tg__frame_fault(capture, "the channel's name does not end with its depth");
    }
    const tg_err err = apply_objects(capture, market, message, &checksum);
    if (err != TG_OK) {
        tg__lose_book(capture, market);
        return err;
    }
    tg__book_truncate(&market->book, depth);
    TG_TRY(compare(capture, market, checksum));
    return tg__emit_top(capture, market, tg__no_id);
}

static tg_err take_trades(tg__market_capture *capture, tg__json_at message)
{
    const tg__json *json = capture->json;
    tg__market *market = NULL;
    const tg__json_at trades = tg__json_element(json, message, 1);
    TG_TRY(tg__market_of(capture, VENUE, name_at(json, message, 1), &market));
    for (tg__json_at at = tg__json_first(json, trades); at != TG__JSON_NONE;
         at = tg__json_next(json, trades, at)) {
        tg__book_level trade;
        TG_TRY(tg__read_level(capture, tg__json_element(json, at, 0), tg__json_element(json, at, 1),
                              &trade));
        TG_TRY(tg__emit_trade(capture, market, trade.price, trade.quantity, tg__no_id));
    }
    return TG_OK;
}

static tg_err take_frame(tg__market_capture *capture, tg__span text)
{
    static const tg__message_kind kinds[] = {
        {"book", take_book},    {"trade", take_trades}, {"ticker", NULL},
        {"spread", NULL},       {"heartbeat", NULL},    {"subscriptionStatus", NULL},
        {"systemStatus", NULL}, {"pong", NULL},         {NULL, NULL},
    };
    (void)text;
    const tg__json *json = capture->json;
    tg__span kind = tg__json_text(json, name_at(json, TG__JSON_ROOT, 2));
    const char *dash = kind.at == NULL ? NULL : memchr(kind.at, '-', kind.length);
    if (dash != NULL) {
        kind.length = (size_t)(dash - kind.at);
    }
    if (kind.at == NULL) {
        kind = tg__json_text(json, tg__json_member(json, TG__JSON_ROOT, "event"));
    }
    return tg__take_message(capture, kinds, kind, TG__JSON_ROOT);
}

const tg__venue_format tg__kraken_format = {"kraken", "ws.kraken.com", take_frame};
