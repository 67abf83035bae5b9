/* Bybit linear: orderBookL2_25 (snapshot, then delete, update, insert), with cross_seq for an id,
 * and trade. */
#include "venue_format.h"

#include <string.h>

#include <tickglass/internal/control_flow.h>

#define VENUE "BYBIT"

/* {"price","symbol","id","side","size"}; a deleted one has no size. */
static tg_err apply_entry(tg__market_capture *capture, tg__json_at entry, bool deleted,
                          tg__market **out)
{
    const tg__json *json = capture->json;
    const tg__span side = tg__json_text(json, tg__json_member(json, entry, "side"));
    tg__book_level level;
    const tg__json_at price = tg__json_member(json, entry, "price");
    TG_TRY(tg__read_level(capture, price, deleted ? price : tg__json_member(json, entry, "size"),
                          &level));
    TG_TRY(tg__market_of(capture, VENUE, tg__json_member(json, entry, "symbol"), out));
    if (!tg__span_is(side, "Buy") && !tg__span_is(side, "Sell")) {
        return tg__frame_fault(capture, "a level is neither Buy nor Sell");
    }
    if (deleted) {
        level.quantity = (tg_decimal){0, 0};
    }
    capture->what = "the book has more than 65536 levels on one side";
    return tg__book_set(&(*out)->book, tg__span_is(side, "Buy") ? TG__BOOK_BID : TG__BOOK_ASK,
                        level.price, level.quantity);
}

static tg_err apply_entries(tg__market_capture *capture, tg__json_at entries, bool deleted,
                            tg__market **market)
{
    const tg__json *json = capture->json;
    for (tg__json_at at = tg__json_first(json, entries); at != TG__JSON_NONE;
         at = tg__json_next(json, entries, at)) {
        TG_TRY(apply_entry(capture, at, deleted, market));
    }
    return TG_OK;
}

/* The symbol behind the last point of the topic: "orderBookL2_25.BCHUSDT". */
static tg_err market_of_topic(tg__market_capture *capture, tg__json_at message, tg__market **out)
{
    char topic[2 * TG_SYMBOL_SIZE];
    if (!tg__json_copy(capture->json, tg__json_member(capture->json, message, "topic"), topic,
                       sizeof topic)) {
        return tg__frame_fault(capture, "the topic is too long or not plain text");
    }
    const char *point = strrchr(topic, '.');
    if (point == NULL) {
        return tg__frame_fault(capture, "the topic names no symbol");
    }
    return tg__market_named(capture, VENUE, point + 1, out);
}

static tg_err apply(tg__market_capture *capture, tg__market *market, tg__json_at message,
                    bool is_snapshot)
{
    const tg__json *json = capture->json;
    const tg__json_at data = tg__json_member(json, message, "data");
    tg__market *named = market;
    if (is_snapshot) {
        const tg__json_at levels = tg__json_member(json, data, "order_book");
        TG_TRY(apply_entries(capture, levels != TG__JSON_NONE ? levels : data, false, &named));
    } else {
        TG_TRY(apply_entries(capture, tg__json_member(json, data, "delete"), true, &named));
        TG_TRY(apply_entries(capture, tg__json_member(json, data, "update"), false, &named));
        TG_TRY(apply_entries(capture, tg__json_member(json, data, "insert"), false, &named));
    }
    return named == market
               ? TG_OK
               : tg__frame_fault(capture, "a level is of another symbol than the topic");
}

static tg_err take_book(tg__market_capture *capture, tg__json_at message)
{
    const tg__json *json = capture->json;
    const bool is_snapshot =
        tg__span_is(tg__json_text(json, tg__json_member(json, message, "type")), "snapshot");
    tg__market *market = NULL;
    TG_TRY(market_of_topic(capture, message, &market));
    if (is_snapshot) {
        tg__book_clear(&market->book);
        market->book_is_live = true;
    } else if (!market->book_is_live) {
        return TG_OK; /* waits for the next snapshot */
    }
    const tg_err err = apply(capture, market, message, is_snapshot);
    if (err != TG_OK) {
        tg__lose_book(capture, market);
        return err;
    }
    tg__exchange_id id = {false, 0};
    id.has = tg__json_u64(capture->json, tg__json_member(capture->json, message, "cross_seq"),
                          &id.value);
    return tg__emit_top(capture, market, id);
}

static tg_err take_trades(tg__market_capture *capture, tg__json_at message)
{
    const tg__json *json = capture->json;
    const tg__json_at data = tg__json_member(json, message, "data");
    for (tg__json_at at = tg__json_first(json, data); at != TG__JSON_NONE;
         at = tg__json_next(json, data, at)) {
        tg__market *market = NULL;
        tg__book_level trade;
        TG_TRY(tg__market_of(capture, VENUE, tg__json_member(json, at, "symbol"), &market));
        TG_TRY(tg__read_level(capture, tg__json_member(json, at, "price"),
                              tg__json_member(json, at, "size"), &trade));
        TG_TRY(tg__emit_trade(capture, market, trade.price, trade.quantity, tg__no_id));
    }
    return TG_OK;
}

static tg_err take_frame(tg__market_capture *capture, tg__span text)
{
    static const tg__message_kind kinds[] = {
        {"orderBookL2_25", take_book},
        {"orderBook_200", take_book},
        {"trade", take_trades},
        {"instrument_info", NULL},
        {"success", NULL},
        {NULL, NULL},
    };
    static const char success[] = "success";
    (void)text;
    const tg__json *json = capture->json;
    tg__span kind = tg__json_text(json, tg__json_member(json, TG__JSON_ROOT, "topic"));
    const char *point = kind.at == NULL ? NULL : memchr(kind.at, '.', kind.length);
    if (point != NULL) {
        kind.length = (size_t)(point - kind.at);
    } else if (tg__json_member(json, TG__JSON_ROOT, success) != TG__JSON_NONE) {
        kind = (tg__span){success, sizeof success - 1};
    }
    return tg__take_message(capture, kinds, kind, TG__JSON_ROOT);
}

const tg__venue_format tg__bybit_format = {"bybit", "bybit.com", take_frame};
