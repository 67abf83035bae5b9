/*
 * A rule across all rows, names, books and histories of a store, which the writer keeps with each
 * publication; whoever finds it broken in a view has found a torn one.
 */
#ifndef TG_ROUNDS_H
#define TG_ROUNDS_H

#include "market_fixture.h"

enum {
    round_instruments = 24,
    round_points = 5
};

/*
 * Rule of a cut with round r in it: instrument i stands at seq r * round_instruments + i, its bid
 * is the round, its ask the sum of all other bids, its name carries r / 64, its scale too. Its last
 * price is the round, so its history has no hole; in odd rounds it is halted.
 */
static inline tg_image image_of_round(uint64_t round, unsigned i)
{
    tg_image image =
        quote(1 + (uint32_t)(round / 64), round * round_instruments + i, (int64_t)round);
    image.value[TG_FIELD_ASK_PRICE] = (int64_t)round * (round_instruments - 1);
    set_field(&image, TG_FIELD_HIGH, (int64_t)round * 3);
    set_field(&image, TG_FIELD_LAST_PRICE, (int64_t)round);
    set_field(&image, TG_FIELD_STATUS, round % 2 == 0 ? TG_TRADING_OPEN : TG_TRADING_HALTED);
    return image;
}

static inline void name_of_round(uint64_t round, unsigned i, char *symbol)
{
    (void)snprintf(symbol, TG_SYMBOL_SIZE, "S%u-%u", i, (unsigned)(round / 64));
}

static inline bool write_book(tg_store *store, unsigned i, uint64_t round,
                              const tg__arrival *arrival)
{
    const tg_book book = {.bid_count = 1, .bid = {{(int64_t)round, (int64_t)i}}};
    const tg_version version = {1, round};
    tg__admission admission = TG__REFUSED_UNKNOWN;
    return tg__store_admit_book(store, (tg_instrument_id)i, version, &book, arrival, &admission) ==
               TG_OK &&
           admission == TG__ADMITTED;
}

static inline bool write_round(tg_store *store, uint64_t round)
{
    const int64_t received = (int64_t)round * (MS / 3);
    const tg__arrival arrival = {received, received, (int64_t)round};
    for (unsigned i = 0; i < round_instruments; i++) {
        const tg_image image = image_of_round(round, i);
        char symbol[TG_SYMBOL_SIZE];
        name_of_round(round, i, symbol);
        if (round % 64 == 0 && tg__store_rename(store, (tg_instrument_id)i, symbol) != TG_OK) {
            return false;
        }
        if (tg__store_admit(store, (tg_instrument_id)i, &image, 1, &arrival) != TG__ADMITTED ||
            (i % 4 == 0 && !write_book(store, i, round, &arrival))) {
            return false;
        }
    }
    tg__store_publish(store, (int64_t)round);
    return true;
}

static inline const char *check_history(const tg_view *view, tg_instrument_id id, uint64_t round)
{
    tg_history_point point[round_points + 1];
    size_t count = 0;
    if (tg_view_history(view, id, point, round_points + 1, &count) != TG_OK || count == 0) {
        return "a history is missing";
    }
    for (size_t i = 0; i < count; i++) {
        if (point[i].last - point[i].first + 1 != (int64_t)point[i].rows ||
            point[i].max != point[i].last || point[i].min != point[i].first ||
            (i > 0 && point[i].first != point[i - 1].last + 1)) {
            return "a history is torn";
        }
    }
    return point[count - 1].last == (int64_t)round ? NULL : "a history is of another round";
}

/* What is told of qualities goes on from since without a hole that is not numbered. */
static inline const char *check_transitions(const tg_store *store, uint64_t *since)
{
    tg_transition told[16];
    const size_t count = tg_store_transitions(store, *since, told, 16);
    for (size_t i = 0; i < count; i++) {
        const bool to_halted = told[i].to == TG_QUALITY_HALTED;
        if (told[i].number <= *since || told[i].id >= round_instruments ||
            told[i].from == told[i].to || to_halted == (told[i].from == TG_QUALITY_HALTED)) {
            return "a transition is torn";
        }
        *since = told[i].number;
    }
    return NULL;
}

static inline tg_store *store_of_rounds(uint32_t readers)
{
    /* Room for every entry that each reader's view and the writer's may refer to. */
    const tg__store_options options = {.instruments_max = round_instruments * (readers + 2) / 2,
                                       .readers_max = readers,
                                       .transitions_max = 2 * round_instruments,
                                       .history_points = round_points,
                                       .history_instruments = round_instruments,
                                       .history_step_ms = 1};
    tg_store *store = store_with(options);
    name_venue(store, 0, "XCME");
    for (unsigned i = 0; i < round_instruments; i++) {
        char symbol[TG_SYMBOL_SIZE];
        name_of_round(0, i, symbol);
        define(store, (tg_instrument_id)i, symbol);
    }
    tg__store_set_link(store, TG__LINK_UP, 0);
    return store;
}

static inline const char *check_cut(const tg_view *view)
{
    int64_t sum = 0;
    uint64_t round = 0;
    tg_row row;
    for (unsigned i = 0; i < round_instruments; i++) {
        if (tg_view_row(view, (tg_instrument_id)i, INT64_MAX, &row) != TG_OK) {
            return "an instrument is missing";
        }
        round = i == 0 ? (uint64_t)row.image.value[TG_FIELD_BID_PRICE] : round;
        const tg_image expected = image_of_round(round, i);
        if (row.image.seq != expected.seq || row.image.epoch != expected.epoch ||
            !tg_image_values_equal(&row.image, &expected)) {
            return "rows come from different rounds";
        }
        sum += row.image.value[TG_FIELD_BID_PRICE];
        char symbol[TG_SYMBOL_SIZE];
        name_of_round(round, i, symbol);
        tg_instrument entry;
        tg_instrument_id found = TG_INSTRUMENT_NONE;
        if (tg_view_instrument(view, (tg_instrument_id)i, &entry) != TG_OK ||
            strcmp(entry.symbol, symbol) != 0 ||
            tg_view_find(view, "XCME", symbol, &found) != TG_OK || found != i) {
            return "a name comes from another round";
        }
        tg_depth depth;
        if (i % 4 == 0 && (tg_view_depth(view, (tg_instrument_id)i, 0, &depth) != TG_OK ||
                           depth.book.bid[0].price != (int64_t)round)) {
            return "a book comes from another round";
        }
        const char *broken = check_history(view, (tg_instrument_id)i, round);
        if (broken != NULL) {
            return broken;
        }
        if (row.changed_in != tg_view_number(view)) {
            return "a stamp comes from another view";
        }
    }
    if (sum != row.image.value[TG_FIELD_ASK_PRICE] + row.image.value[TG_FIELD_BID_PRICE]) {
        return "the sum over all rows is wrong";
    }
    if (tg_view_published_mono_ns(view) != (int64_t)round) {
        return "the time comes from another view";
    }
    const uint64_t number = tg_view_number(view);
    tg_instrument_id changed[round_instruments];
    return tg_view_changed(view, number - 1, changed, round_instruments) == round_instruments
               ? NULL
               : "the list of changes is wrong";
}

#endif
