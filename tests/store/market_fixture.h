/* Small makers of instruments and images for the store's tests. */
#ifndef TG_MARKET_FIXTURE_H
#define TG_MARKET_FIXTURE_H

#include <stdio.h>
#include <string.h>

#include <tickglass/internal/store_writer.h>

#define MS INT64_C(1000000)
#define S  INT64_C(1000000000)

static inline tg_store *store_with(tg__store_options options)
{
    tg_store *store = NULL;
    assert_int_equal(tg__store_open(&options, &store), TG_OK);
    return store;
}

static inline tg_store *store_of(uint32_t instruments_max, uint32_t readers_max)
{
    return store_with(
        (tg__store_options){.instruments_max = instruments_max, .readers_max = readers_max});
}

static inline tg_instrument instrument_of(tg_instrument_id id, tg_venue_id venue,
                                          const char *symbol)
{
    tg_instrument instrument = {
        .id = id,
        .venue = venue,
        .asset_class = TG_ASSET_SPOT,
        .price_exponent = -2,
        .quantity_exponent = -3,
        .band_count = 1,
        .epoch = 1,
        .multiplier = {1, 0},
        .band = {{0, 1}},
    };
    (void)snprintf(instrument.symbol, sizeof instrument.symbol, "%s", symbol);
    (void)snprintf(instrument.currency, sizeof instrument.currency, "USD");
    return instrument;
}

static inline void define(tg_store *store, tg_instrument_id id, const char *symbol)
{
    const tg_instrument instrument = instrument_of(id, 0, symbol);
    assert_int_equal(tg__store_define_instrument(store, &instrument), TG_OK);
}

static inline void name_venue(tg_store *store, tg_venue_id id, const char *name)
{
    tg_venue venue = {.id = id};
    (void)snprintf(venue.name, sizeof venue.name, "%s", name);
    assert_int_equal(tg__store_define_venue(store, &venue), TG_OK);
}

/* Bid at price, ask one above. */
static inline tg_image quote(uint32_t epoch, uint64_t seq, int64_t price)
{
    tg_image image = {.seq = seq, .epoch = epoch};
    image.present = TG_FIELD_BIT(TG_FIELD_BID_PRICE) | TG_FIELD_BIT(TG_FIELD_ASK_PRICE);
    image.value[TG_FIELD_BID_PRICE] = price;
    image.value[TG_FIELD_ASK_PRICE] = price + 1;
    return image;
}

static inline void set_field(tg_image *image, tg_field field, int64_t value)
{
    image->present |= TG_FIELD_BIT(field);
    image->value[field] = value;
}

static inline tg__admission admit_at(tg_store *store, tg_instrument_id id, tg_image image,
                                     int64_t now_mono_ns)
{
    const tg__arrival arrival = {now_mono_ns, now_mono_ns + 5, now_mono_ns + 1000};
    return tg__store_admit(store, id, &image, 1, &arrival);
}

static inline tg_store_counters counters_of(const tg_store *store)
{
    tg_store_counters counters = {.struct_size = sizeof counters};
    assert_int_equal(tg_store_counters_get(store, &counters), TG_OK);
    return counters;
}

static inline tg_reader *reader_of(tg_store *store)
{
    tg_reader *reader = NULL;
    assert_int_equal(tg_reader_open(store, &reader), TG_OK);
    return reader;
}

static inline tg_instrument entry_at(const tg_view *view, tg_instrument_id id)
{
    tg_instrument entry;
    assert_int_equal(tg_view_instrument(view, id, &entry), TG_OK);
    return entry;
}

static inline bool is_known(const tg_view *view, tg_instrument_id id)
{
    tg_instrument entry;
    return tg_view_instrument(view, id, &entry) == TG_OK;
}

static inline tg_row row_at(const tg_view *view, tg_instrument_id id, int64_t now_mono_ns)
{
    tg_row row;
    assert_int_equal(tg_view_row(view, id, now_mono_ns, &row), TG_OK);
    return row;
}

#endif
