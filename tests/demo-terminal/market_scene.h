/* One instrument in a store of its own, as the panels see it. */
#ifndef TG_MARKET_SCENE_H
#define TG_MARKET_SCENE_H

#include <stdio.h>
#include <string.h>

#include <tickglass/internal/store_writer.h>

#include "instrument_view.h"
#include "tg_cmocka.h"

#define S         INT64_C(1000000000)
#define MS        INT64_C(1000000)
#define SCENE_UTC (INT64_C(1723161300) * S) /* 2024-08-08 23:55:00, at monotonic 0 */

#define SCENE_POINTS 1800

typedef struct market_scene {
    tg_store *store;
    tg_reader *reader;
    tg_instrument instrument;
    tg_image image;
    tg_row row;
    tg_instrument seen; /* as the view has it */
    watch_row watch;
    instrument_view shown;
} market_scene;

static inline tg_instrument scene_future(void)
{
    tg_instrument instrument = {
        .id = 3,
        .asset_class = TG_ASSET_PERPETUAL,
        .price_exponent = -1,
        .quantity_exponent = -3,
        .band_count = 1,
        .epoch = 1,
        .cadence_ms = 10000,
        .multiplier = {1, 0},
        .band = {{INT64_MIN, 1}},
    };
    (void)snprintf(instrument.symbol, sizeof instrument.symbol, "BTCUSDT");
    (void)snprintf(instrument.currency, sizeof instrument.currency, "USDT");
    return instrument;
}

static inline void scene_field(market_scene *scene, tg_field field, int64_t value)
{
    scene->image.present |= TG_FIELD_BIT(field);
    scene->image.value[field] = value;
}

static inline void scene_open(market_scene *scene, tg_instrument instrument)
{
    memset(scene, 0, sizeof *scene);
    const tg__store_options options = {.instruments_max = 8,
                                       .readers_max = 1,
                                       .history_points = SCENE_POINTS,
                                       .history_instruments = 8,
                                       .history_step_ms = 500};
    assert_int_equal(tg__store_open(&options, &scene->store), TG_OK);
    assert_int_equal(tg_reader_open(scene->store, &scene->reader), TG_OK);
    const tg_venue venue = {.id = 0, .name = "BINANCE_USDM"};
    assert_int_equal(tg__store_define_venue(scene->store, &venue), TG_OK);
    assert_int_equal(tg__store_define_instrument(scene->store, &instrument), TG_OK);
    tg__store_set_link(scene->store, TG__LINK_UP, 0);
    assert_int_equal(instrument_view_open(&scene->shown, SCENE_POINTS), TG_OK);
    instrument_view_clear(&scene->shown);
    scene->instrument = instrument;
    scene->image.epoch = 1;
}

static inline void scene_close(market_scene *scene)
{
    instrument_view_close(&scene->shown);
    tg_reader_close(scene->reader);
    tg__store_close(scene->store);
}

/* Hands the image over as a tick that stands for so many. */
static inline void scene_admit(market_scene *scene, uint64_t covered, int64_t now_mono_ns)
{
    const tg__arrival arrival = {now_mono_ns, now_mono_ns, SCENE_UTC + now_mono_ns};
    scene->image.seq += covered;
    scene_field(scene, TG_FIELD_TS_EXCHANGE, SCENE_UTC + now_mono_ns);
    tg__store_channel_alive(scene->store, now_mono_ns);
    assert_int_equal(
        tg__store_admit(scene->store, scene->instrument.id, &scene->image, covered, &arrival),
        TG__ADMITTED);
}

static inline void scene_quote(market_scene *scene, int64_t bid, int64_t ask, int64_t bid_size,
                               int64_t ask_size)
{
    scene_field(scene, TG_FIELD_BID_PRICE, bid);
    scene_field(scene, TG_FIELD_ASK_PRICE, ask);
    scene_field(scene, TG_FIELD_BID_QUANTITY, bid_size);
    scene_field(scene, TG_FIELD_ASK_QUANTITY, ask_size);
}

static inline void scene_trade(market_scene *scene, int64_t price, int64_t size)
{
    scene_field(scene, TG_FIELD_LAST_PRICE, price);
    scene_field(scene, TG_FIELD_LAST_QUANTITY, size);
}

static inline void scene_book(market_scene *scene, const tg_book *book, int64_t now_mono_ns)
{
    const tg__arrival arrival = {now_mono_ns, now_mono_ns, SCENE_UTC + now_mono_ns};
    const tg_version version = {1, scene->image.seq};
    tg__admission admission = TG__REFUSED_UNKNOWN;
    assert_int_equal(tg__store_admit_book(scene->store, scene->instrument.id, version, book,
                                          &arrival, &admission),
                     TG_OK);
    assert_int_equal(admission, TG__ADMITTED);
}

/* Ten levels on each side of the best ones. */
static inline tg_book scene_deep_book(int64_t bid, int64_t ask)
{
    tg_book book = {.bid_count = TG_BOOK_DEPTH_MAX, .ask_count = TG_BOOK_DEPTH_MAX};
    for (int i = 0; i < TG_BOOK_DEPTH_MAX; i++) {
        book.bid[i] = (tg_level){bid - i, 3097 + 911 * ((i * 7 + 3) % 11)};
        book.ask[i] = (tg_level){ask + i, 1240 + 873 * ((i * 5 + 2) % 11)};
    }
    return book;
}

/* Publishes and pins, and reads all of it. */
static inline instrument_view *scene_look(market_scene *scene, int64_t now_mono_ns)
{
    tg__store_publish(scene->store, now_mono_ns);
    const tg_view *view = tg_reader_pin(scene->reader);
    watch_view seen = {.venue = "BINANCE_USDM", .symbol = scene->instrument.symbol, .word = "?"};
    assert_int_equal(tg_view_instrument(view, scene->instrument.id, &scene->seen), TG_OK);
    seen.instrument = &scene->seen;
    assert_int_equal(tg_view_row(view, scene->instrument.id, now_mono_ns, &scene->row), TG_OK);
    if (scene->row.quality != TG_QUALITY_UNKNOWN) {
        seen.row = &scene->row;
        seen.word = tg_quality_name(scene->row.quality);
        watch_row_take(&scene->watch, &scene->row.image, now_mono_ns);
    }
    instrument_view_read(&scene->shown, view, &seen, now_mono_ns, SCENE_UTC + now_mono_ns);
    scene->shown.watch = &scene->watch;
    scene->shown.priority = "every tick as it comes";
    scene->shown.priority_given = true;
    return &scene->shown;
}

/* Day's values, and a quote and a trade. */
static inline void scene_begin(market_scene *scene)
{
    scene_open(scene, scene_future());
    scene_field(scene, TG_FIELD_OPEN, 608000);
    scene_field(scene, TG_FIELD_HIGH, 621110);
    scene_field(scene, TG_FIELD_LOW, 604440);
    scene_field(scene, TG_FIELD_PREVIOUS_CLOSE, 605502);
    scene_field(scene, TG_FIELD_VOLUME, 184211530);
    scene_quote(scene, 618130, 618131, 3097, 12450);
    scene_trade(scene, 618130, 250);
    scene_admit(scene, 1, 1 * S);
}

#endif
