/* BitMEX: quote and trade; the book (orderBookL2) adds nothing to the best bid and ask of quote. */
#include "venue_format.h"

#include <tickglass/internal/control_flow.h>

#define VENUE "BITMEX"

typedef tg_err (*take_entry)(tg__market_capture *capture, tg__market *market, tg__json_at entry);

static tg_err quote(tg__market_capture *capture, tg__market *market, tg__json_at entry)
{
    const tg__json *json = capture->json;
    tg__book_level bid;
    tg__book_level ask;
    TG_TRY(tg__read_level(capture, tg__json_member(json, entry, "bidPrice"),
                          tg__json_member(json, entry, "bidSize"), &bid));
    TG_TRY(tg__read_level(capture, tg__json_member(json, entry, "askPrice"),
                          tg__json_member(json, entry, "askSize"), &ask));
    TG_TRY(tg__emit_side(capture, market, TG__BOOK_BID, &bid, tg__no_id));
    return tg__emit_side(capture, market, TG__BOOK_ASK, &ask, tg__no_id);
}

static tg_err trade(tg__market_capture *capture, tg__market *market, tg__json_at entry)
{
    const tg__json *json = capture->json;
    tg__book_level told;
    TG_TRY(tg__read_level(capture, tg__json_member(json, entry, "price"),
                          tg__json_member(json, entry, "size"), &told));
    return tg__emit_trade(capture, market, told.price, told.quantity, tg__no_id);
}

static tg_err take_entries(tg__market_capture *capture, tg__json_at message, take_entry take)
{
    const tg__json *json = capture->json;
    const tg__json_at data = tg__json_member(json, message, "data");
    for (tg__json_at at = tg__json_first(json, data); at != TG__JSON_NONE;
         at = tg__json_next(json, data, at)) {
        tg__market *market = NULL;
        TG_TRY(tg__market_of(capture, VENUE, tg__json_member(json, at, "symbol"), &market));
        TG_TRY(take(capture, market, at));
    }
    return TG_OK;
}

static tg_err take_quotes(tg__market_capture *capture, tg__json_at message)
{
    return take_entries(capture, message, quote);
}

/* A partial is history: the last trade before the subscription. */
static tg_err take_trades(tg__market_capture *capture, tg__json_at message)
{
    const tg__json *json = capture->json;
    const tg__span action = tg__json_text(json, tg__json_member(json, message, "action"));
    return tg__span_is(action, "insert") ? take_entries(capture, message, trade) : TG_OK;
}

static tg_err take_frame(tg__market_capture *capture, tg__span text)
{
    static const tg__message_kind kinds[] = {
        {"quote", take_quotes}, {"trade", take_trades}, {"orderBookL2", NULL},
        {"subscribe", NULL},    {"info", NULL},         {NULL, NULL},
    };
    static const char subscribe[] = "subscribe";
    static const char info[] = "info";
    (void)text;
    const tg__json *json = capture->json;
    tg__span kind = tg__json_text(json, tg__json_member(json, TG__JSON_ROOT, "table"));
    if (tg__json_member(json, TG__JSON_ROOT, subscribe) != TG__JSON_NONE) {
        kind = (tg__span){subscribe, sizeof subscribe - 1};
    } else if (tg__json_member(json, TG__JSON_ROOT, info) != TG__JSON_NONE) {
        kind = (tg__span){info, sizeof info - 1};
    }
    return tg__take_message(capture, kinds, kind, TG__JSON_ROOT);
}

const tg__venue_format tg__bitmex_format = {"bitmex", "bitmex.com", take_frame};
