/* Coinbase Pro: snapshot, l2update, match. The book has no ids; trades have. */
#include "venue_format.h"

#include <tickglass/internal/control_flow.h>

#define VENUE "COINBASE"

static tg_err market_of(tg__market_capture *capture, tg__json_at message, tg__market **out)
{
    return tg__market_of(capture, VENUE, tg__json_member(capture->json, message, "product_id"),
                         out);
}

static tg_err finish(tg__market_capture *capture, tg__market *market, tg_err err)
{
    if (err != TG_OK) {
        tg__lose_book(capture, market);
        return err;
    }
    return tg__emit_top(capture, market, tg__no_id);
}

static tg_err take_snapshot(tg__market_capture *capture, tg__json_at message)
{
    const tg__json *json = capture->json;
    tg__market *market = NULL;
    TG_TRY(market_of(capture, message, &market));
    tg__book_clear(&market->book);
    market->book_is_live = true;
    tg_err err =
        tg__apply_levels(capture, market, TG__BOOK_BID, tg__json_member(json, message, "bids"));
    if (err == TG_OK) {
        err =
            tg__apply_levels(capture, market, TG__BOOK_ASK, tg__json_member(json, message, "asks"));
    }
    return finish(capture, market, err);
}

/* ["buy" or "sell", price, size] */
static tg_err apply_change(tg__market_capture *capture, tg__market *market, tg__json_at change)
{
    const tg__json *json = capture->json;
    const tg__span side = tg__json_text(json, tg__json_element(json, change, 0));
    tg__book_level level;
    TG_TRY(tg__read_level(capture, tg__json_element(json, change, 1),
                          tg__json_element(json, change, 2), &level));
    if (!tg__span_is(side, "buy") && !tg__span_is(side, "sell")) {
        return tg__frame_fault(capture, "a change is neither buy nor sell");
    }
    capture->what = "the book has more than 65536 levels on one side";
    return tg__book_set(&market->book, tg__span_is(side, "buy") ? TG__BOOK_BID : TG__BOOK_ASK,
                        level.price, level.quantity);
}

static tg_err take_update(tg__market_capture *capture, tg__json_at message)
{
    const tg__json *json = capture->json;
    tg__market *market = NULL;
    tg_err err = TG_OK;
    TG_TRY(market_of(capture, message, &market));
    const tg__json_at changes = tg__json_member(json, message, "changes");
    for (tg__json_at at = tg__json_first(json, changes);
         at != TG__JSON_NONE && err == TG_OK && market->book_is_live;
         at = tg__json_next(json, changes, at)) {
        err = apply_change(capture, market, at);
    }
    return finish(capture, market, err);
}

static tg_err take_match(tg__market_capture *capture, tg__json_at message)
{
    const tg__json *json = capture->json;
    tg__market *market = NULL;
    tg__book_level trade;
    tg__exchange_id id = {false, 0};
    TG_TRY(market_of(capture, message, &market));
    TG_TRY(tg__read_level(capture, tg__json_member(json, message, "price"),
                          tg__json_member(json, message, "size"), &trade));
    id.has = tg__json_u64(json, tg__json_member(json, message, "trade_id"), &id.value);
    return tg__emit_trade(capture, market, trade.price, trade.quantity, id);
}

static tg_err take_frame(tg__market_capture *capture, tg__span text)
{
    static const tg__message_kind kinds[] = {
        {"snapshot", take_snapshot},
        {"l2update", take_update},
        {"match", take_match},
        {"last_match", NULL}, /* history at the subscription */
        {"ticker", NULL},     /* without sizes */
        {"subscriptions", NULL},
        {"heartbeat", NULL},
        {NULL, NULL},
    };
    (void)text;
    const tg__json *json = capture->json;
    return tg__take_message(capture, kinds,
                            tg__json_text(json, tg__json_member(json, TG__JSON_ROOT, "type")),
                            TG__JSON_ROOT);
}

const tg__venue_format tg__coinbase_format = {"coinbase", "coinbase.com", take_frame};
