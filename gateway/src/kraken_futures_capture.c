/* Kraken Futures: book_snapshot, book (one level a message, seq continues), trade. */
#include "venue_format.h"

#include <tickglass/internal/control_flow.h>

#define VENUE "KRAKEN_FUT"

static tg_err market_of(tg__market_capture *capture, tg__json_at message, tg__market **out)
{
    return tg__market_of(capture, VENUE, tg__json_member(capture->json, message, "product_id"),
                         out);
}

/* {"price","qty"} */
static tg_err apply_level(tg__market_capture *capture, tg__market *market, tg__book_side side,
                          tg__json_at entry)
{
    const tg__json *json = capture->json;
    tg__book_level level;
    TG_TRY(tg__read_level(capture, tg__json_member(json, entry, "price"),
                          tg__json_member(json, entry, "qty"), &level));
    capture->what = "the book has more than 65536 levels on one side";
    return tg__book_set(&market->book, side, level.price, level.quantity);
}

static tg_err apply_side(tg__market_capture *capture, tg__market *market, tg__book_side side,
                         tg__json_at levels)
{
    const tg__json *json = capture->json;
    if (!tg__json_is_array(json, levels)) {
        return tg__frame_fault(capture, "a side of the book is not a list of levels");
    }
    for (tg__json_at at = tg__json_first(json, levels); at != TG__JSON_NONE;
         at = tg__json_next(json, levels, at)) {
        TG_TRY(apply_level(capture, market, side, at));
    }
    return TG_OK;
}

static tg_err finish(tg__market_capture *capture, tg__market *market, tg_err err)
{
    if (err != TG_OK) {
        tg__lose_book(capture, market);
        return err;
    }
    return tg__emit_top(capture, market, (tg__exchange_id){true, market->depth.last_id});
}

static tg_err take_snapshot(tg__market_capture *capture, tg__json_at message)
{
    const tg__json *json = capture->json;
    tg__market *market = NULL;
    uint64_t seq = 0;
    TG_TRY(market_of(capture, message, &market));
    if (!tg__json_u64(json, tg__json_member(json, message, "seq"), &seq)) {
        return tg__frame_fault(capture, "book_snapshot has no seq");
    }
    tg__book_clear(&market->book);
    market->book_is_live = true;
    tg__depth_sync_snapshot(&market->depth, seq);
    tg_err err = apply_side(capture, market, TG__BOOK_BID, tg__json_member(json, message, "bids"));
    if (err == TG_OK) {
        err = apply_side(capture, market, TG__BOOK_ASK, tg__json_member(json, message, "asks"));
    }
    return finish(capture, market, err);
}

static tg_err take_update(tg__market_capture *capture, tg__json_at message)
{
    const tg__json *json = capture->json;
    tg__market *market = NULL;
    uint64_t seq = 0;
    TG_TRY(market_of(capture, message, &market));
    const tg__span side = tg__json_text(json, tg__json_member(json, message, "side"));
    if (!tg__json_u64(json, tg__json_member(json, message, "seq"), &seq) || seq == 0 ||
        (!tg__span_is(side, "buy") && !tg__span_is(side, "sell"))) {
        return finish(capture, market,
                      tg__frame_fault(capture, "book has no seq, or is neither buy nor sell"));
    }
    const tg__depth_verdict verdict = tg__depth_sync_judge(&market->depth, seq - 1, seq);
    tg_err err = TG_OK;
    if (verdict == TG__DEPTH_GAP) {
        tg__lose_book(capture, market);
    } else if (verdict == TG__DEPTH_APPLY) {
        err = apply_level(capture, market, tg__span_is(side, "buy") ? TG__BOOK_BID : TG__BOOK_ASK,
                          message);
    }
    return finish(capture, market, err);
}

static tg_err take_trade(tg__market_capture *capture, tg__json_at message)
{
    const tg__json *json = capture->json;
    tg__market *market = NULL;
    tg__book_level trade;
    tg__exchange_id id = {false, 0};
    TG_TRY(market_of(capture, message, &market));
    TG_TRY(tg__read_level(capture, tg__json_member(json, message, "price"),
                          tg__json_member(json, message, "qty"), &trade));
    id.has = tg__json_u64(json, tg__json_member(json, message, "seq"), &id.value);
    return tg__emit_trade(capture, market, trade.price, trade.quantity, id);
}

static tg_err take_frame(tg__market_capture *capture, tg__span text)
{
    static const tg__message_kind kinds[] = {
        {"book_snapshot", take_snapshot},
        {"book", take_update},
        {"trade", take_trade},
        {"trade_snapshot", NULL}, /* history at the subscription */
        {"ticker_lite", NULL},
        {"ticker", NULL},
        {"heartbeat", NULL},
        {"subscribed", NULL},
        {"info", NULL},
        {NULL, NULL},
    };
    (void)text;
    const tg__json *json = capture->json;
    const tg__json_at event = tg__json_member(json, TG__JSON_ROOT, "event");
    return tg__take_message(capture, kinds,
                            tg__json_text(json, event != TG__JSON_NONE
                                                    ? event
                                                    : tg__json_member(json, TG__JSON_ROOT, "feed")),
                            TG__JSON_ROOT);
}

const tg__venue_format tg__kraken_futures_format = {"kraken_futures", "futures.kraken.com",
                                                    take_frame};
