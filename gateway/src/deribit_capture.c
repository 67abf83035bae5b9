/* Deribit: book (snapshot, change; change_id continues prev_change_id) and trades. */
#include "venue_format.h"

#include <string.h>

#include <tickglass/internal/control_flow.h>

#define VENUE "DERIBIT"

/* [["new" | "change" | "delete", price, amount]...]; the amount of a deleted one is 0. */
static tg_err apply_side(tg__market_capture *capture, tg__market *market, tg__book_side side,
                         tg__json_at levels)
{
    const tg__json *json = capture->json;
    if (!tg__json_is_array(json, levels)) {
        return tg__frame_fault(capture, "a side of the book is not a list of levels");
    }
    for (tg__json_at at = tg__json_first(json, levels); at != TG__JSON_NONE;
         at = tg__json_next(json, levels, at)) {
        tg__book_level level;
        TG_TRY(tg__read_level(capture, tg__json_element(json, at, 1), tg__json_element(json, at, 2),
                              &level));
        if (tg__span_is(tg__json_text(json, tg__json_element(json, at, 0)), "delete")) {
            level.quantity = (tg_decimal){0, 0};
        }
        capture->what = "the book has more than 65536 levels on one side";
        TG_TRY(tg__book_set(&market->book, side, level.price, level.quantity));
    }
    return TG_OK;
}

static tg_err apply(tg__market_capture *capture, tg__market *market, tg__json_at data)
{
    const tg__json *json = capture->json;
    TG_TRY(apply_side(capture, market, TG__BOOK_BID, tg__json_member(json, data, "bids")));
    return apply_side(capture, market, TG__BOOK_ASK, tg__json_member(json, data, "asks"));
}

/* Whether the levels of this message belong into the book now. */
static tg_err follow_ids(tg__market_capture *capture, tg__market *market, tg__json_at data,
                         bool *apply_now)
{
    const tg__json *json = capture->json;
    uint64_t id = 0;
    uint64_t previous = 0;
    const tg__span type = tg__json_text(json, tg__json_member(json, data, "type"));
    if (!tg__json_u64(json, tg__json_member(json, data, "change_id"), &id)) {
        return tg__frame_fault(capture, "book has no change_id");
    }
    if (tg__span_is(type, "snapshot")) {
        tg__book_clear(&market->book);
        market->book_is_live = true;
        tg__depth_sync_snapshot(&market->depth, id);
        *apply_now = true;
        return TG_OK;
    }
    if (!tg__json_u64(json, tg__json_member(json, data, "prev_change_id"), &previous)) {
        return tg__frame_fault(capture, "a change of the book has no prev_change_id");
    }
    const tg__depth_verdict verdict = tg__depth_sync_judge(&market->depth, previous, id);
    if (verdict == TG__DEPTH_GAP) {
        tg__lose_book(capture, market); /* its snapshots come by the socket, never late */
    }
    *apply_now = verdict == TG__DEPTH_APPLY;
    return TG_OK;
}

static tg_err take_book(tg__market_capture *capture, tg__json_at data)
{
    tg__market *market = NULL;
    bool apply_now = false;
    TG_TRY(tg__market_of(capture, VENUE, tg__json_member(capture->json, data, "instrument_name"),
                         &market));
    tg_err err = follow_ids(capture, market, data, &apply_now);
    if (err == TG_OK && apply_now) {
        err = apply(capture, market, data);
    }
    if (err != TG_OK) {
        tg__lose_book(capture, market);
        return err;
    }
    return tg__emit_top(capture, market, (tg__exchange_id){true, market->depth.last_id});
}

static tg_err take_trades(tg__market_capture *capture, tg__json_at data)
{
    const tg__json *json = capture->json;
    for (tg__json_at at = tg__json_first(json, data); at != TG__JSON_NONE;
         at = tg__json_next(json, data, at)) {
        tg__market *market = NULL;
        tg__book_level trade;
        tg__exchange_id id = {false, 0};
        TG_TRY(
            tg__market_of(capture, VENUE, tg__json_member(json, at, "instrument_name"), &market));
        TG_TRY(tg__read_level(capture, tg__json_member(json, at, "price"),
                              tg__json_member(json, at, "amount"), &trade));
        id.has = tg__json_u64(json, tg__json_member(json, at, "trade_seq"), &id.value);
        TG_TRY(tg__emit_trade(capture, market, trade.price, trade.quantity, id));
    }
    return TG_OK;
}

static tg_err take_frame(tg__market_capture *capture, tg__span text)
{
    static const tg__message_kind kinds[] = {
        {"book", take_book}, {"trades", take_trades}, {"ticker", NULL}, {"result", NULL},
        {NULL, NULL},
    };
    static const char result[] = "result";
    (void)text;
    const tg__json *json = capture->json;
    const tg__json_at params = tg__json_member(json, TG__JSON_ROOT, "params");
    tg__span kind = tg__json_text(json, tg__json_member(json, params, "channel"));
    const char *point = kind.at == NULL ? NULL : memchr(kind.at, '.', kind.length);
    if (point != NULL) {
        kind.length = (size_t)(point - kind.at);
    } else if (tg__json_member(json, TG__JSON_ROOT, result) != TG__JSON_NONE) {
        kind = (tg__span){result, sizeof result - 1};
    }
    return tg__take_message(capture, kinds, kind, tg__json_member(json, params, "data"));
}

const tg__venue_format tg__deribit_format = {"deribit", "deribit.com", take_frame};
