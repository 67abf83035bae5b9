/*
 * Combined streams of spot, USD-margined and coin-margined futures: bookTicker, depth differences,
 * trades; the REST depth snapshot. Best bid and ask come from bookTicker where there is one.
 */
#include "venue_format.h"

#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

/* Coin-margined symbols are the only ones quoted in USD behind an underscore: ETHUSD_PERP. */
static const char *venue_of(const tg__market_capture *capture, tg__json_at symbol, bool futures)
{
    const tg__span text = tg__json_text(capture->json, symbol);
    const char *mark = text.at == NULL ? NULL : memchr(text.at, '_', text.length);
    if (mark != NULL && mark - text.at >= 3 && memcmp(mark - 3, "USD", 3) == 0) {
        return "BINANCE_COINM";
    }
    return futures ? "BINANCE_USDM" : "BINANCE";
}

static tg_err market_of(tg__market_capture *capture, tg__json_at data, bool futures,
                        tg__market **out)
{
    const tg__json_at symbol = tg__json_member(capture->json, data, "s");
    return tg__market_of(capture, venue_of(capture, symbol, futures), symbol, out);
}

static bool has(const tg__market_capture *capture, tg__json_at data, const char *name)
{
    return tg__json_member(capture->json, data, name) != TG__JSON_NONE;
}

static void compare(tg__market_capture *capture, const tg__market *market, const tg__top *top)
{
    tg__count_comparison(capture, market, tg__top_is_of(top, &market->book), "bookTicker", top->id);
}

/* Once the book has reached an id: the venue's own word on it may have come before. */
static tg_err book_reached(tg__market_capture *capture, tg__market *market)
{
    const tg__top *top = tg__top_ring_find(&market->tops, market->depth.last_id);
    if (top != NULL) {
        compare(capture, market, top);
    }
    return tg__emit_top(capture, market, (tg__exchange_id){true, market->depth.last_id});
}

static tg_err take_book_ticker(tg__market_capture *capture, tg__json_at data)
{
    const tg__json *json = capture->json;
    tg__market *market = NULL;
    tg__top top;
    TG_TRY(market_of(capture, data, has(capture, data, "e"), &market));
    if (!tg__json_u64(json, tg__json_member(json, data, "u"), &top.id)) {
        return tg__frame_fault(capture, "bookTicker has no u");
    }
    TG_TRY(tg__read_level(capture, tg__json_member(json, data, "b"),
                          tg__json_member(json, data, "B"), &top.sides[TG__BOOK_BID]));
    TG_TRY(tg__read_level(capture, tg__json_member(json, data, "a"),
                          tg__json_member(json, data, "A"), &top.sides[TG__BOOK_ASK]));
    market->has_quotes = true;
    capture->what = "there is no memory for its ticker";
    TG_TRY(tg__top_ring_add(&market->tops, &top));
    if (market->book_is_live && market->depth.last_id == top.id) {
        compare(capture, market, &top);
    }
    const tg__exchange_id id = {true, top.id};
    TG_TRY(tg__emit_side(capture, market, TG__BOOK_BID, &top.sides[TG__BOOK_BID], id));
    return tg__emit_side(capture, market, TG__BOOK_ASK, &top.sides[TG__BOOK_ASK], id);
}

static tg_err apply_depth(tg__market_capture *capture, tg__market *market, tg__json_at data)
{
    const tg__json *json = capture->json;
    tg_err err = tg__apply_levels(capture, market, TG__BOOK_BID, tg__json_member(json, data, "b"));
    if (err == TG_OK) {
        err = tg__apply_levels(capture, market, TG__BOOK_ASK, tg__json_member(json, data, "a"));
    }
    if (err != TG_OK) {
        tg__lose_book(capture, market);
        return err;
    }
    return book_reached(capture, market);
}

/* text: of the frame that holds data, for when it has to wait. */
static tg_err take_depth(tg__market_capture *capture, tg__json_at data, tg__span text)
{
    const tg__json *json = capture->json;
    tg__market *market = NULL;
    uint64_t first = 0;
    uint64_t last = 0;
    uint64_t previous = 0;
    const tg__json_at pu = tg__json_member(json, data, "pu");
    TG_TRY(market_of(capture, data, pu != TG__JSON_NONE, &market));
    if (!tg__json_u64(json, tg__json_member(json, data, "U"), &first) ||
        !tg__json_u64(json, tg__json_member(json, data, "u"), &last) || first == 0 ||
        last < first || (pu != TG__JSON_NONE && !tg__json_u64(json, pu, &previous))) {
        return tg__frame_fault(capture, "depthUpdate has no valid U, u and pu");
    }
    /* Spot: ids are contiguous. Futures: they are not, pu names the one before. */
    const uint64_t from = pu != TG__JSON_NONE ? previous : first - 1;
    switch (tg__depth_sync_judge(&market->depth, from, last)) {
    case TG__DEPTH_OLD:
        return TG_OK;
    case TG__DEPTH_APPLY:
        return apply_depth(capture, market, data);
    case TG__DEPTH_GAP:
        tg__lose_book(capture, market);
        break;
    case TG__DEPTH_HOLD:
        break;
    }
    capture->what = "there is no memory to keep it until the snapshot";
    return tg__depth_sync_hold(&market->depth, text.at, text.length);
}

static tg_err take_trade(tg__market_capture *capture, tg__json_at data)
{
    const tg__json *json = capture->json;
    tg__market *market = NULL;
    tg__book_level trade;
    tg__exchange_id id = {true, 0};
    /* Spot's trades have a member that is always true and that futures never had. */
    TG_TRY(market_of(capture, data, !has(capture, data, "M"), &market));
    if (!tg__json_u64(json, tg__json_member(json, data, "t"), &id.value)) {
        return tg__frame_fault(capture, "trade has no t");
    }
    TG_TRY(tg__read_level(capture, tg__json_member(json, data, "p"),
                          tg__json_member(json, data, "q"), &trade));
    return tg__emit_trade(capture, market, trade.price, trade.quantity, id);
}

/* The spot snapshot does not say of what: of the only instrument whose differences came. */
static tg_err snapshot_market(tg__market_capture *capture, tg__market **out)
{
    const tg__json *json = capture->json;
    const tg__json_at symbol = tg__json_member(json, TG__JSON_ROOT, "symbol");
    if (symbol != TG__JSON_NONE) {
        return tg__market_of(capture, venue_of(capture, symbol, true), symbol, out);
    }
    if (capture->market_count != 1) {
        return tg__frame_fault(capture, "the snapshot names no symbol and the capture has not "
                                        "exactly one so far");
    }
    *out = capture->markets[0];
    return TG_OK;
}

/* Those that came before the snapshot; each is judged by its ids like any other. */
static tg_err take_held(tg__market_capture *capture, tg__market *market)
{
    tg__held_frame held;
    size_t left = market->depth.held_count; /* one that has to wait again goes to the end */
    tg_err err = TG_OK;
    while (err == TG_OK && left-- > 0 && tg__depth_sync_take(&market->depth, &held)) {
        err = tg__json_parse(capture->json, held.text, held.length);
        if (err == TG_OK) {
            err = take_depth(capture, tg__json_member(capture->json, TG__JSON_ROOT, "data"),
                             (tg__span){held.text, held.length});
        }
        free(held.text);
    }
    return err;
}

static tg_err take_snapshot(tg__market_capture *capture)
{
    const tg__json *json = capture->json;
    tg__market *market = NULL;
    uint64_t id = 0;
    TG_TRY(snapshot_market(capture, &market));
    if (!tg__json_u64(json, tg__json_member(json, TG__JSON_ROOT, "lastUpdateId"), &id)) {
        return tg__frame_fault(capture, "lastUpdateId is not a number");
    }
    if (market->depth.has_snapshot && id <= market->depth.last_id) {
        return TG_OK; /* older than the book */
    }
    tg__book_clear(&market->book);
    tg_err err = tg__apply_levels(capture, market, TG__BOOK_BID,
                                  tg__json_member(json, TG__JSON_ROOT, "bids"));
    if (err == TG_OK) {
        err = tg__apply_levels(capture, market, TG__BOOK_ASK,
                               tg__json_member(json, TG__JSON_ROOT, "asks"));
    }
    if (err != TG_OK) {
        tg__lose_book(capture, market);
        return err;
    }
    market->book_is_live = true;
    tg__depth_sync_snapshot(&market->depth, id);
    TG_TRY(book_reached(capture, market));
    return take_held(capture, market);
}

/* "btcusdt@depth@100ms": what stands between the first two @. */
static tg__span kind_of(tg__span stream)
{
    const char *at = stream.at == NULL ? NULL : memchr(stream.at, '@', stream.length);
    if (at == NULL) {
        return stream;
    }
    const size_t left = stream.length - (size_t)(at + 1 - stream.at);
    const char *second = memchr(at + 1, '@', left);
    return (tg__span){at + 1, second != NULL ? (size_t)(second - at - 1) : left};
}

static tg_err take_frame(tg__market_capture *capture, tg__span text)
{
    static const tg__message_kind kinds[] = {
        {"bookTicker", take_book_ticker},
        {"trade", take_trade},
        {"aggTrade", NULL}, /* the same trades once more, joined */
        {"markPrice", NULL},
        {"ticker", NULL},
        {NULL, NULL},
    };
    static const char snapshot[] = "REST depth";
    const tg__json *json = capture->json;
    const tg__json_at data = tg__json_member(json, TG__JSON_ROOT, "data");
    const tg__span kind =
        kind_of(tg__json_text(json, tg__json_member(json, TG__JSON_ROOT, "stream")));
    if (has(capture, TG__JSON_ROOT, "lastUpdateId")) {
        tg__market_capture_count(capture, (tg__span){snapshot, sizeof snapshot - 1}, TG__KIND_USED);
        return take_snapshot(capture);
    }
    if (tg__span_is(kind, "depth")) {
        tg__market_capture_count(capture, kind, TG__KIND_USED);
        return take_depth(capture, data, text);
    }
    return tg__take_message(capture, kinds, kind, data);
}

const tg__venue_format tg__binance_format = {"binance", "binance.com", take_frame};
