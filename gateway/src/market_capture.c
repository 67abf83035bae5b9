#include "market_capture.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>
#include <tickglass/internal/dictionary.h>

tg_err tg__market_capture_init(tg__market_capture *capture)
{
    *capture = (tg__market_capture){.json = tg__json_open()};
    TG_ENSURE(capture->json != NULL, TG_ERR_NO_MEMORY);
    return TG_OK;
}

void tg__market_capture_deinit(tg__market_capture *capture)
{
    for (uint32_t i = 0; i < capture->market_count; i++) {
        tg__book_deinit(&capture->markets[i]->book);
        tg__order_book_deinit(&capture->markets[i]->orders);
        tg__depth_sync_deinit(&capture->markets[i]->depth);
        tg__top_ring_deinit(&capture->markets[i]->tops);
        free(capture->markets[i]);
    }
    free(capture->markets);
    free(capture->rows);
    tg__json_close(capture->json);
    *capture = (tg__market_capture){.json = NULL};
}

tg_err tg__frame_fault(tg__market_capture *capture, const char *what)
{
    capture->what = what;
    return TG_ERR_SYNTAX;
}

void tg__market_capture_count(tg__market_capture *capture, tg__span kind, tg__kind_use use)
{
    char name[sizeof capture->kinds[0].name];
    const size_t length = kind.length < sizeof name ? kind.length : sizeof name - 1;
    const bool printable = length > 0 && tg__text_is_valid(kind.at, length, length);
    (void)snprintf(name, sizeof name, "%.*s", printable ? (int)length : 1,
                   printable ? kind.at : "?");
    uint32_t i = 0;
    while (i < capture->kind_count &&
           (capture->kinds[i].use != use || strcmp(capture->kinds[i].name, name) != 0)) {
        i++;
    }
    if (i == TG__KINDS_MAX) {
        i = TG__KINDS_MAX - 1;
        (void)snprintf(capture->kinds[i].name, sizeof name, "others");
        capture->kinds[i].use = TG__KIND_UNKNOWN;
    } else if (i == capture->kind_count) {
        memcpy(capture->kinds[i].name, name, sizeof name);
        capture->kinds[i].use = use;
        capture->kinds[i].count = 0;
        capture->kind_count++;
    }
    capture->kinds[i].count++;
}

static tg_err add_market(tg__market_capture *capture, tg__market **out)
{
    TG_ENSURE(capture->market_count < TG__MARKETS_MAX, TG_ERR_FULL);
    if (capture->market_count == capture->market_capacity) {
        const uint32_t capacity = capture->market_capacity == 0 ? 64 : capture->market_capacity * 2;
        tg__market **grown = realloc(capture->markets, capacity * sizeof(tg__market *));
        TG_ENSURE(grown != NULL, TG_ERR_NO_MEMORY);
        capture->markets = grown;
        capture->market_capacity = capacity;
    }
    *out = calloc(1, sizeof **out);
    TG_ENSURE(*out != NULL, TG_ERR_NO_MEMORY);
    capture->markets[capture->market_count++] = *out;
    return TG_OK;
}

/* FNV-1a */
static tg__market **chain_of(tg__market_capture *capture, const char *symbol)
{
    uint32_t hash = 2166136261u;
    for (const char *at = symbol; *at != '\0'; at++) {
        hash = (hash ^ (uint8_t)*at) * 16777619u;
    }
    return &capture->chains[hash % TG__MARKET_CHAINS];
}

tg_err tg__market_named(tg__market_capture *capture, const char *venue, const char *symbol,
                        tg__market **out)
{
    tg__market **chain = chain_of(capture, symbol);
    for (*out = *chain; *out != NULL; *out = (*out)->chained) {
        if (strcmp((*out)->symbol, symbol) == 0 && strcmp((*out)->venue, venue) == 0) {
            return TG_OK;
        }
    }
    if (strlen(symbol) >= sizeof(*out)->symbol || strlen(venue) >= sizeof(*out)->venue ||
        strchr(symbol, ',') != NULL) { /* a tape's fields are parted by commas */
        return tg__frame_fault(capture, "the symbol cannot stand on a tape");
    }
    capture->what = "there is no memory or room for another instrument";
    TG_TRY(add_market(capture, out));
    memcpy((*out)->symbol, symbol, strlen(symbol) + 1);
    memcpy((*out)->venue, venue, strlen(venue) + 1);
    (*out)->chained = *chain;
    *chain = *out;
    return TG_OK;
}

tg_err tg__market_of(tg__market_capture *capture, const char *venue, tg__json_at symbol,
                     tg__market **out)
{
    char name[TG_SYMBOL_SIZE];
    if (!tg__json_copy(capture->json, symbol, name, sizeof name)) {
        return tg__frame_fault(capture, "the symbol is missing, empty, too long or not plain text");
    }
    return tg__market_named(capture, venue, name, out);
}

static tg_err emit(tg__market_capture *capture, const tg__market *market, tg__row_kind kind,
                   const tg__book_level *level, tg__exchange_id id)
{
    if (capture->row_count == capture->row_capacity) {
        const size_t capacity = capture->row_capacity == 0 ? 64 : capture->row_capacity * 2;
        tg__tape_line *grown = realloc(capture->rows, capacity * sizeof *grown);
        capture->what = "there is no memory for its rows";
        TG_ENSURE(grown != NULL, TG_ERR_NO_MEMORY);
        capture->rows = grown;
        capture->row_capacity = capacity;
    }
    tg__tape_line *row = &capture->rows[capture->row_count++];
    *row = (tg__tape_line){
        .ts_ns = capture->ts_ns,
        .kind = kind,
        .price = level->price,
        .quantity = level->quantity,
        .has_id = id.has,
        .exchange_id = id.value,
    };
    memcpy(row->venue, market->venue, sizeof row->venue);
    memcpy(row->symbol, market->symbol, sizeof row->symbol);
    return TG_OK;
}

tg_err tg__emit_side(tg__market_capture *capture, tg__market *market, tg__book_side side,
                     const tg__book_level *level, tg__exchange_id id)
{
    tg__book_level *top = &market->top[side];
    if (market->shown[side] && tg__decimal_compare(top->price, level->price) == 0 &&
        tg__decimal_compare(top->quantity, level->quantity) == 0) {
        return TG_OK;
    }
    market->shown[side] = true;
    *top = *level;
    return emit(capture, market, side == TG__BOOK_BID ? TG__ROW_BID : TG__ROW_ASK, level, id);
}

tg_err tg__emit_top(tg__market_capture *capture, tg__market *market, tg__exchange_id id)
{
    static const tg__book_level empty = {{0, 0}, {0, 0}};
    for (int i = 0; i < 2 && market->book_is_live && !market->has_quotes; i++) {
        const tg__book_side side = (tg__book_side)i;
        const tg__book_level *best = tg__book_at(&market->book, side, 0);
        TG_TRY(tg__emit_side(capture, market, side, best != NULL ? best : &empty, id));
    }
    return TG_OK;
}

tg_err tg__emit_trade(tg__market_capture *capture, tg__market *market, tg_decimal price,
                      tg_decimal quantity, tg__exchange_id id)
{
    const tg__book_level level = {price, quantity};
    return emit(capture, market, TG__ROW_TRADE, &level, id);
}

tg_err tg__read_level(tg__market_capture *capture, tg__json_at price, tg__json_at quantity,
                      tg__book_level *out)
{
    if (!tg__json_decimal(capture->json, price, &out->price)) {
        return tg__frame_fault(capture, "a price is missing or not a decimal number of 64 bits");
    }
    if (!tg__json_decimal(capture->json, quantity, &out->quantity) || out->quantity.mantissa < 0) {
        return tg__frame_fault(capture,
                               "a quantity is missing, negative or not a decimal of 64 bits");
    }
    return TG_OK;
}

tg_err tg__apply_levels(tg__market_capture *capture, tg__market *market, tg__book_side side,
                        tg__json_at levels)
{
    const tg__json *json = capture->json;
    if (!tg__json_is_array(json, levels)) {
        return tg__frame_fault(capture, "a side of the book is not a list of levels");
    }
    for (tg__json_at at = tg__json_first(json, levels); at != TG__JSON_NONE;
         at = tg__json_next(json, levels, at)) {
        tg__book_level level;
        TG_TRY(tg__read_level(capture, tg__json_element(json, at, 0), tg__json_element(json, at, 1),
                              &level));
        capture->what = "the book has more than 65536 levels on one side";
        TG_TRY(tg__book_set(&market->book, side, level.price, level.quantity));
    }
    return TG_OK;
}

void tg__lose_book(tg__market_capture *capture, tg__market *market)
{
    if (market->book_is_live) {
        capture->books_lost++;
    }
    market->book_is_live = false;
    tg__order_book_clear(&market->orders, &market->book);
    tg__depth_sync_lose(&market->depth);
}

void tg__count_comparison(tg__market_capture *capture, const tg__market *market, bool equal,
                          const char *against, uint64_t id)
{
    capture->compared++;
    if (!equal) {
        capture->different++;
        (void)snprintf(capture->difference, sizeof capture->difference,
                       "%s:%s: the book differs from the venue's %s %" PRIu64, market->venue,
                       market->symbol, against, id);
    }
}
