#include "tg_cmocka.h"

#include "market_fixture.h"

typedef struct fixture {
    tg_store *store;
    tg_reader *reader;
} fixture;

static int open_fixture(void **state)
{
    static fixture at;
    at.store = store_of(4, 2);
    at.reader = reader_of(at.store);
    tg__store_restart(at.store, 11, 1);
    name_venue(at.store, 0, "XCME");
    name_venue(at.store, 1, "XEUR");
    tg__store_set_link(at.store, TG__LINK_UP, 0);
    *state = &at;
    return 0;
}

static int close_fixture(void **state)
{
    fixture *at = *state;
    tg_reader_close(at->reader);
    tg__store_close(at->store);
    return 0;
}

static const tg_view *publish(fixture *at)
{
    tg__store_publish(at->store, S);
    return tg_reader_pin(at->reader);
}

static void entries_out_of_range_are_refused(void **state)
{
    fixture *at = *state;
    tg_instrument bad[7];
    for (size_t i = 0; i < 7; i++) {
        bad[i] = instrument_of(1, 0, "ESZ6");
    }
    bad[0].id = TG_INSTRUMENT_NONE;
    bad[1].venue = TG_VENUE_MAX;
    bad[2].price_exponent = TG_DECIMAL_EXPONENT_MAX + 1;
    bad[3].quantity_exponent = TG_DECIMAL_EXPONENT_MIN - 1;
    bad[4].symbol[0] = '\0';
    memset(bad[5].symbol, 'x', sizeof bad[5].symbol);
    bad[6].band_count = TG_TICK_BAND_MAX + 1;
    for (size_t i = 0; i < 7; i++) {
        assert_int_equal(tg__store_define_instrument(at->store, &bad[i]), TG_ERR_INVALID_ARGUMENT);
    }
    assert_int_equal(tg__store_define_instrument(at->store, NULL), TG_ERR_INVALID_ARGUMENT);
    tg_venue nameless = {.id = 3};
    assert_int_equal(tg__store_define_venue(at->store, &nameless), TG_ERR_INVALID_ARGUMENT);
    assert_int_equal(tg_view_count(publish(at)), 0);
}

static void what_is_not_known_cannot_be_changed(void **state)
{
    fixture *at = *state;
    const tg_instrument entry = instrument_of(9, 0, "ESZ6");
    assert_int_equal(tg__store_rename(at->store, 9, "X"), TG_ERR_NOT_FOUND);
    assert_int_equal(tg__store_remove(at->store, 9), TG_ERR_NOT_FOUND);
    assert_int_equal(tg__store_rescale(at->store, &entry), TG_ERR_NOT_FOUND);
}

static void an_id_keeps_its_meaning_within_a_generation(void **state)
{
    fixture *at = *state;
    define(at->store, 1, "ESZ6");
    define(at->store, 1, "ESZ6"); /* restated */
    const tg_instrument other_symbol = instrument_of(1, 0, "NQZ6");
    const tg_instrument other_venue = instrument_of(1, 1, "ESZ6");
    assert_int_equal(tg__store_define_instrument(at->store, &other_symbol), TG_ERR_ID_REUSED);
    assert_int_equal(tg__store_define_instrument(at->store, &other_venue), TG_ERR_ID_REUSED);
    assert_int_equal(tg__store_rescale(at->store, &other_symbol), TG_ERR_ID_REUSED);
    assert_int_equal(tg__store_remove(at->store, 1), TG_OK);
    const tg_instrument same = instrument_of(1, 0, "ESZ6");
    assert_int_equal(tg__store_define_instrument(at->store, &same), TG_ERR_ID_REUSED);
    tg__store_restart(at->store, 11, 2);
    assert_int_equal(tg__store_define_instrument(at->store, &other_symbol), TG_OK);
}

static void the_limit_of_instruments_has_its_own_error(void **state)
{
    fixture *at = *state;
    static const char *const symbols[] = {"A", "B", "C", "D"};
    for (tg_instrument_id i = 0; i < 4; i++) {
        define(at->store, (tg_instrument_id)(i * 16), symbols[i]); /* one hash chain */
    }
    const tg_instrument fifth = instrument_of(5, 0, "E");
    assert_int_equal(tg__store_define_instrument(at->store, &fifth), TG_ERR_INSTRUMENTS);
    assert_int_equal(tg__store_remove(at->store, 16), TG_OK);
    assert_int_equal(tg__store_define_instrument(at->store, &fifth), TG_OK);
    const tg_view *view = publish(at);
    assert_int_equal(tg_view_count(view), 4);
    unsigned seen = 0;
    for (size_t i = 0; i < 4; i++) {
        seen += tg_view_id(view, i);
    }
    assert_int_equal(seen, 0 + 32 + 48 + 5);
    assert_int_equal(tg_view_id(view, 4), TG_INSTRUMENT_NONE);
}

static void instruments_are_found_by_venue_and_symbol(void **state)
{
    fixture *at = *state;
    const tg_instrument two = instrument_of(2, 1, "BTC/USD");
    define(at->store, 1, "BTC/USD");
    define(at->store, 3, "日経225");
    assert_int_equal(tg__store_define_instrument(at->store, &two), TG_OK);
    const tg_view *view = publish(at);
    tg_instrument_id id = TG_INSTRUMENT_NONE;
    assert_int_equal(tg_view_find(view, "XEUR", "BTC/USD", &id), TG_OK);
    assert_int_equal(id, 2);
    assert_int_equal(tg_view_find(view, "XCME", "BTC/USD", &id), TG_OK);
    assert_int_equal(id, 1);
    assert_int_equal(tg_view_find(view, "XCME", "日経225", &id), TG_OK);
    assert_int_equal(id, 3);
    assert_int_equal(tg_view_find(view, "XTKS", "日経225", &id), TG_ERR_NOT_FOUND);
    assert_int_equal(tg_view_find(view, "XCME", "ETH/USD", &id), TG_ERR_NOT_FOUND);
    assert_int_equal(tg_view_find(view, NULL, "ETH/USD", &id), TG_ERR_INVALID_ARGUMENT);
    assert_string_equal(tg_view_venue_name(view, 1), "XEUR");
    assert_string_equal(tg_view_venue_name(view, 2), "?");
    assert_string_equal(tg_view_venue_name(view, 255), "?");
}

static void a_renamed_instrument_keeps_its_values_and_loses_its_old_name(void **state)
{
    fixture *at = *state;
    define(at->store, 1, "FB");
    assert_int_equal(admit_at(at->store, 1, quote(1, 5, 300), S), TG__ADMITTED);
    (void)publish(at);
    char longest[TG_SYMBOL_SIZE + 1];
    memset(longest, 'x', TG_SYMBOL_SIZE);
    longest[TG_SYMBOL_SIZE] = '\0';
    assert_int_equal(tg__store_rename(at->store, 1, longest), TG_ERR_INVALID_ARGUMENT);
    assert_int_equal(tg__store_rename(at->store, 1, ""), TG_ERR_INVALID_ARGUMENT);
    assert_int_equal(tg__store_rename(at->store, 1, "META"), TG_OK);
    const tg_view *view = publish(at);
    tg_instrument_id id = 0;
    assert_int_equal(tg_view_find(view, "XCME", "FB", &id), TG_ERR_NOT_FOUND);
    assert_int_equal(tg_view_find(view, "XCME", "META", &id), TG_OK);
    assert_int_equal(id, 1);
    assert_int_equal(row_at(view, 1, S).image.seq, 5);
    assert_int_equal(tg_view_count(view), 1);
}

static void a_new_scale_drops_the_values_and_refuses_older_epochs(void **state)
{
    fixture *at = *state;
    define(at->store, 1, "RELIANCE");
    assert_int_equal(admit_at(at->store, 1, quote(3, 50, 300000), S), TG__ADMITTED);
    const uint64_t before = tg_view_number(publish(at));
    tg_instrument scaled = instrument_of(1, 0, "RELIANCE");
    scaled.price_exponent = -4;
    assert_int_equal(tg__store_rescale(at->store, &scaled), TG_ERR_INTEGRITY); /* still epoch 1 */
    scaled.epoch = 4;
    assert_int_equal(tg__store_rescale(at->store, &scaled), TG_OK);
    assert_int_equal(tg__store_rescale(at->store, &scaled), TG_OK); /* restated */
    const tg_view *view = publish(at);
    tg_row row = row_at(view, 1, S);
    tg_instrument_id changed = 0;
    assert_int_equal(row.quality, TG_QUALITY_UNKNOWN);
    assert_int_equal(row.image.present, 0);
    assert_int_equal(row.image.seq, 0);
    assert_int_equal(row.age_ns, -1);
    assert_int_equal(tg_view_changed(view, before, &changed, 1), 1);
    assert_int_equal(entry_at(view, 1).price_exponent, -4);
    assert_int_equal(admit_at(at->store, 1, quote(3, 51, 300100), S), TG__REFUSED_EPOCH);
    assert_int_equal(admit_at(at->store, 1, quote(4, 1, 30010000), S), TG__ADMITTED);
    row = row_at(publish(at), 1, S);
    assert_int_equal(row.image.value[TG_FIELD_BID_PRICE], 30010000);
    assert_int_equal(row.quality, TG_QUALITY_LIVE);
}

static void new_tick_sizes_alone_keep_the_values(void **state)
{
    fixture *at = *state;
    define(at->store, 1, "A");
    assert_int_equal(admit_at(at->store, 1, quote(1, 1, 300), S), TG__ADMITTED);
    tg_instrument finer = instrument_of(1, 0, "A");
    finer.band[0].tick_size = 5;
    finer.epoch = 2;
    assert_int_equal(tg__store_rescale(at->store, &finer), TG_OK);
    const tg_view *view = publish(at);
    assert_int_equal(row_at(view, 1, S).image.value[TG_FIELD_BID_PRICE], 300);
    assert_int_equal(entry_at(view, 1).band[0].tick_size, 5);
}

static void an_entry_restated_at_another_scale_keeps_the_version_as_a_floor(void **state)
{
    fixture *at = *state;
    define(at->store, 1, "A");
    assert_int_equal(admit_at(at->store, 1, quote(9, 100, 300), S), TG__ADMITTED);
    tg_instrument other = instrument_of(1, 0, "A");
    other.price_exponent = -3;
    assert_int_equal(tg__store_define_instrument(at->store, &other), TG_OK);
    assert_int_equal(admit_at(at->store, 1, quote(9, 99, 2990), S), TG__REFUSED_REGRESSION);
    assert_int_equal(admit_at(at->store, 1, quote(9, 100, 3000), S), TG__ADMITTED);
    assert_int_equal(row_at(publish(at), 1, S).image.value[TG_FIELD_BID_PRICE], 3000);
}

static void a_restart_hides_every_id_until_it_is_defined_again(void **state)
{
    fixture *at = *state;
    define(at->store, 1, "A");
    assert_int_equal(admit_at(at->store, 1, quote(1, 10, 300), S), TG__ADMITTED);
    const tg_view *before = publish(at);
    tg__store_restart(at->store, 11, 1); /* nothing new: nothing happens */
    assert_int_equal(tg_view_count(publish(at)), 1);
    tg__store_restart(at->store, 11, 2);
    const tg_view *view = publish(at);
    tg_row row;
    assert_int_equal(tg_view_row(view, 1, S, &row), TG_ERR_NOT_FOUND);
    assert_int_equal(tg_view_count(view), 0);
    assert_string_equal(tg_view_venue_name(view, 0), "?");
    assert_int_equal(admit_at(at->store, 1, quote(1, 11, 301), S), TG__REFUSED_UNKNOWN);
    (void)before;
}

static void within_a_lineage_a_row_goes_on_under_its_new_id(void **state)
{
    fixture *at = *state;
    define(at->store, 1, "A");
    assert_int_equal(admit_at(at->store, 1, quote(1, 10, 300), S), TG__ADMITTED);
    (void)publish(at);
    tg__store_restart(at->store, 11, 2);
    name_venue(at->store, 5, "XCME"); /* venue ids change as well */
    tg_instrument again = instrument_of(77, 5, "A");
    assert_int_equal(tg__store_define_instrument(at->store, &again), TG_OK);
    tg_row row = row_at(publish(at), 77, S);
    assert_int_equal(row.image.seq, 10);
    assert_int_equal(row.quality, TG_QUALITY_STALE);
    assert_int_equal(admit_at(at->store, 77, quote(1, 9, 299), S), TG__REFUSED_REGRESSION);
    assert_int_equal(admit_at(at->store, 77, quote(1, 10, 300), S), TG__CONFIRMED);
    row = row_at(publish(at), 77, S);
    assert_int_equal(row.quality, TG_QUALITY_LIVE);
    assert_false(row.history_restarted);
}

static void another_venue_with_the_same_symbol_is_another_instrument(void **state)
{
    fixture *at = *state;
    define(at->store, 1, "A");
    assert_int_equal(admit_at(at->store, 1, quote(1, 10, 300), S), TG__ADMITTED);
    tg__store_restart(at->store, 11, 2);
    name_venue(at->store, 0, "XEUR");
    define(at->store, 1, "A");
    assert_int_equal(row_at(publish(at), 1, S).quality, TG_QUALITY_UNKNOWN);
}

static void another_lineage_is_taken_over_with_a_mark(void **state)
{
    fixture *at = *state;
    define(at->store, 1, "A");
    assert_int_equal(admit_at(at->store, 1, quote(8, 1000, 300), S), TG__ADMITTED);
    tg__store_restart(at->store, 12, 1);
    name_venue(at->store, 0, "XCME");
    define(at->store, 1, "A");
    tg_row row = row_at(publish(at), 1, S);
    assert_int_equal(row.quality, TG_QUALITY_STALE);
    assert_int_equal(row.image.seq, 1000);
    assert_false(row.history_restarted);
    assert_int_equal(admit_at(at->store, 1, quote(2, 5, 310), S), TG__ADMITTED);
    assert_int_equal(admit_at(at->store, 1, quote(2, 4, 309), S), TG__REFUSED_REGRESSION);
    row = row_at(publish(at), 1, S);
    assert_int_equal(row.quality, TG_QUALITY_LIVE);
    assert_true(row.history_restarted);
    assert_int_equal(counters_of(at->store).history_restarts, 1);
}

static void another_lineage_that_proves_its_age_needs_no_mark(void **state)
{
    fixture *at = *state;
    define(at->store, 1, "A");
    tg_image image = quote(8, 1000, 300);
    set_field(&image, TG_FIELD_TS_EXCHANGE, 5000);
    assert_int_equal(admit_at(at->store, 1, image, S), TG__ADMITTED);
    tg__store_restart(at->store, 12, 1);
    name_venue(at->store, 0, "XCME");
    define(at->store, 1, "A");
    image = quote(1, 1, 301);
    set_field(&image, TG_FIELD_TS_EXCHANGE, 5001);
    assert_int_equal(admit_at(at->store, 1, image, S), TG__ADMITTED);
    assert_false(row_at(publish(at), 1, S).history_restarted);
}

static void orphans_give_way_when_the_store_is_full(void **state)
{
    fixture *at = *state;
    static const char *const old_symbols[] = {"A", "B", "C", "D"};
    static const char *const new_symbols[] = {"E", "F", "G", "B"};
    for (tg_instrument_id i = 0; i < 4; i++) {
        define(at->store, i, old_symbols[i]);
        assert_int_equal(admit_at(at->store, i, quote(1, 10, 300), S), TG__ADMITTED);
    }
    (void)publish(at);
    tg__store_restart(at->store, 11, 2);
    name_venue(at->store, 0, "XCME");
    for (tg_instrument_id i = 0; i < 4; i++) {
        define(at->store, i, new_symbols[i]);
    }
    const tg_instrument fifth = instrument_of(5, 0, "H");
    assert_int_equal(tg__store_define_instrument(at->store, &fifth), TG_ERR_INSTRUMENTS);
    const tg_view *view = publish(at);
    assert_int_equal(tg_view_count(view), 4);
    for (tg_instrument_id i = 0; i < 4; i++) {
        assert_string_equal(entry_at(view, i).symbol, new_symbols[i]);
    }
    assert_int_equal(row_at(view, 0, S).quality, TG_QUALITY_UNKNOWN);
}

static tg_instrument with_bands(tg_instrument_id id, const char *symbol, int64_t step)
{
    tg_instrument entry = instrument_of(id, 0, symbol);
    entry.band_count = 2;
    entry.band[0] = (tg_tick_band){INT64_MIN, step};
    entry.band[1] = (tg_tick_band){1000, 2 * step};
    return entry;
}

/* Names of all venues, other ones in each generation. */
static tg_err name_all_venues(tg_store *store, unsigned generation)
{
    tg__store_restart(store, 11, generation); /* a new one only */
    tg_err err = TG_OK;
    for (unsigned id = 0; id < TG_VENUE_MAX && err == TG_OK; id++) {
        tg_venue venue = {.id = (tg_venue_id)id};
        (void)snprintf(venue.name, sizeof venue.name, "V%u-%u", id, generation);
        err = tg__store_define_venue(store, &venue);
    }
    return err;
}

static void names_of_venues_go_with_the_last_view_and_instrument_that_needs_them(void **state)
{
    fixture *at = *state;
    tg_reader *sleeper = reader_of(at->store);
    assert_int_equal(name_all_venues(at->store, 2), TG_OK);
    tg__store_publish(at->store, S);
    const tg_view *asleep = tg_reader_pin(sleeper);
    for (unsigned generation = 3; generation < 300; generation++) {
        tg__store_restart(at->store, 11, generation);
        char name[TG_VENUE_NAME_SIZE];
        for (tg_venue_id venue = 0; venue < 50; venue++) {
            (void)snprintf(name, sizeof name, "V%u-%u", (unsigned)venue, generation);
            name_venue(at->store, venue, name);
        }
        name_venue(at->store, 50, "XCME");
        const tg_instrument entry = instrument_of((tg_instrument_id)(generation % 4), 50, "A");
        assert_int_equal(tg__store_define_instrument(at->store, &entry), TG_OK);
        const tg_instrument fleeting = instrument_of((tg_instrument_id)(generation + 1) % 4,
                                                     (tg_venue_id)(generation % 50), "B");
        assert_int_equal(tg__store_define_instrument(at->store, &fleeting), TG_OK);
        (void)admit_at(at->store, entry.id, quote(1, 10, 300), S);
        const tg_view *view = publish(at);
        (void)snprintf(name, sizeof name, "V%u-%u", generation % 50, generation);
        assert_string_equal(tg_view_venue_name(view, fleeting.venue), name);
        assert_int_equal(row_at(view, entry.id, S).image.seq, 10); /* it goes on */
    }
    assert_string_equal(tg_view_venue_name(asleep, 254), "V254-2");
    tg_reader_close(sleeper);
}

static void more_names_of_venues_than_there_is_room_for_are_refused(void **state)
{
    fixture *at = *state;
    assert_int_equal(name_all_venues(at->store, 2), TG_OK);
    const tg_view *view = publish(at);
    assert_int_equal(name_all_venues(at->store, 3), TG_OK);
    tg__store_publish(at->store, S);
    assert_int_equal(name_all_venues(at->store, 4), TG_ERR_FULL);
    tg__store_publish(at->store, S);
    assert_string_equal(tg_view_venue_name(view, 7), "V7-2");
    view = publish(at);
    assert_string_equal(tg_view_venue_name(view, 1), "V1-4"); /* two had been left */
    assert_string_equal(tg_view_venue_name(view, 2), "?");
    assert_int_equal(name_all_venues(at->store, 5), TG_OK);
    assert_string_equal(tg_view_venue_name(publish(at), 254), "V254-5");
}

static void an_orphan_that_gives_way_lets_go_of_its_venues_name(void **state)
{
    (void)state;
    tg_store *store = store_of(300, 1);
    char symbol[8];
    assert_int_equal(name_all_venues(store, 2), TG_OK);
    for (tg_instrument_id id = 0; id < 250; id++) {
        (void)snprintf(symbol, sizeof symbol, "O%u", (unsigned)id);
        const tg_instrument entry = instrument_of(id, (tg_venue_id)id, symbol);
        assert_int_equal(tg__store_define_instrument(store, &entry), TG_OK);
    }
    tg__store_publish(store, S);
    assert_int_equal(name_all_venues(store, 3), TG_OK);
    tg__store_publish(store, S);
    /* Those of two generations stay in use, the older one's by orphans alone. */
    tg_reader *reader = reader_of(store);
    (void)tg_reader_pin(reader);
    assert_int_equal(name_all_venues(store, 4), TG_ERR_FULL);
    for (tg_instrument_id id = 0; id < 300; id++) {
        (void)snprintf(symbol, sizeof symbol, "N%u", (unsigned)id);
        define(store, id, symbol);
    }
    tg__store_publish(store, S);
    assert_int_equal(name_all_venues(store, 4), TG_OK);
    tg_reader_close(reader);
    tg__store_close(store);
}

static void tables_of_price_bands_give_way_to_those_that_follow_them(void **state)
{
    fixture *at = *state;
    tg_reader *sleeper = reader_of(at->store);
    tg_instrument entry = with_bands(1, "A", 1);
    assert_int_equal(tg__store_define_instrument(at->store, &entry), TG_OK);
    tg__store_publish(at->store, S);
    const tg_view *asleep = tg_reader_pin(sleeper);
    for (int64_t step = 2; step < 300; step++) { /* one after another: each gives way to the next */
        entry = with_bands(1, "A", step);
        assert_int_equal(tg__store_define_instrument(at->store, &entry), TG_OK);
        assert_int_equal(entry_at(publish(at), 1).band[1].tick_size, 2 * step);
    }
    assert_int_equal(entry_at(asleep, 1).band[1].tick_size, 2);
    tg_reader_close(sleeper);
}

static void more_tables_of_price_bands_than_there_is_room_for_are_refused(void **state)
{
    (void)state;
    tg_store *store = store_of(160, 1);
    const tg_instrument_id tables = 64 + 160 / 16;
    tg_reader *reader = reader_of(store);
    for (tg_instrument_id id = 0; id < 160; id++) {
        char symbol[8];
        (void)snprintf(symbol, sizeof symbol, "S%u", (unsigned)id);
        const tg_instrument entry = with_bands(id, symbol, 1 + id);
        assert_int_equal(tg__store_define_instrument(store, &entry),
                         id < tables ? TG_OK : TG_ERR_FULL);
    }
    tg__store_publish(store, S);
    const tg_view *view = tg_reader_pin(reader);
    assert_int_equal(tg_view_count(view), tables);
    assert_int_equal(entry_at(view, tables - 1).band[1].tick_size, 2 * tables);
    /* One that is there, and the usual one. */
    tg_instrument entry = with_bands(100, "S100", 1);
    assert_int_equal(tg__store_define_instrument(store, &entry), TG_OK);
    entry = with_bands(101, "S101", 1000);
    entry.band_count = 1;
    assert_int_equal(tg__store_define_instrument(store, &entry), TG_OK);
    /* A place is free as soon as no view shows what it was for. */
    entry = with_bands(102, "S102", 1000);
    assert_int_equal(tg__store_remove(store, 5), TG_OK);
    assert_int_equal(tg__store_define_instrument(store, &entry), TG_ERR_FULL);
    tg__store_publish(store, S);
    assert_int_equal(tg__store_define_instrument(store, &entry), TG_ERR_FULL);
    assert_int_equal(entry_at(view, 5).band[1].tick_size, 12);
    tg_reader_unpin(reader);
    assert_int_equal(tg__store_define_instrument(store, &entry), TG_OK);
    tg__store_publish(store, S);
    assert_int_equal(entry_at(tg_reader_pin(reader), 102).band[1].tick_size, 2000);
    tg_reader_close(reader);
    tg__store_close(store);
}

static void superseded_entries_that_are_pinned_can_use_up_the_spare_ones(void **state)
{
    fixture *at = *state;
    tg_reader *sleeper = reader_of(at->store);
    static const char *const symbols[] = {"A", "B", "C", "D"};
    for (tg_instrument_id i = 0; i < 4; i++) {
        define(at->store, i, symbols[i]);
        assert_int_equal(admit_at(at->store, i, quote(1, 10, 300), S), TG__ADMITTED);
    }
    tg__store_publish(at->store, S);
    const tg_view *asleep = tg_reader_pin(sleeper);
    char symbol[8];
    for (uint8_t i = 0; i < 100; i++) { /* only the sleeper holds old entries: no shortage */
        (void)snprintf(symbol, sizeof symbol, "A%u", (unsigned)i);
        assert_int_equal(tg__store_rename(at->store, 0, symbol), TG_OK);
        (void)publish(at);
    }
    for (tg_instrument_id i = 1; i < 3; i++) {
        (void)snprintf(symbol, sizeof symbol, "X%u", (unsigned)i);
        assert_int_equal(tg__store_rename(at->store, i, symbol), TG_OK);
    }
    (void)publish(at);
    /* Held are the sleeper's four, the published four less the one that both have: one is left. */
    assert_int_equal(tg__store_rename(at->store, 1, "Y1"), TG_OK);
    assert_int_equal(tg__store_rename(at->store, 2, "Y2"), TG_ERR_FULL);
    const tg_view *view = publish(at);
    assert_false(is_known(view, 2)); /* not under its old name */
    assert_string_equal(entry_at(view, 1).symbol, "Y1");
    assert_string_equal(entry_at(asleep, 2).symbol, "C");
    tg_reader_unpin(sleeper);
    define(at->store, 2, "Y2");
    assert_string_equal(entry_at(publish(at), 2).symbol, "Y2");
    tg_reader_close(sleeper);
}

#define WITH_STORE(test) cmocka_unit_test_setup_teardown(test, open_fixture, close_fixture)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_STORE(entries_out_of_range_are_refused),
        WITH_STORE(what_is_not_known_cannot_be_changed),
        WITH_STORE(an_id_keeps_its_meaning_within_a_generation),
        WITH_STORE(the_limit_of_instruments_has_its_own_error),
        WITH_STORE(instruments_are_found_by_venue_and_symbol),
        WITH_STORE(a_renamed_instrument_keeps_its_values_and_loses_its_old_name),
        WITH_STORE(a_new_scale_drops_the_values_and_refuses_older_epochs),
        WITH_STORE(new_tick_sizes_alone_keep_the_values),
        WITH_STORE(an_entry_restated_at_another_scale_keeps_the_version_as_a_floor),
        WITH_STORE(a_restart_hides_every_id_until_it_is_defined_again),
        WITH_STORE(within_a_lineage_a_row_goes_on_under_its_new_id),
        WITH_STORE(another_venue_with_the_same_symbol_is_another_instrument),
        WITH_STORE(another_lineage_is_taken_over_with_a_mark),
        WITH_STORE(another_lineage_that_proves_its_age_needs_no_mark),
        WITH_STORE(orphans_give_way_when_the_store_is_full),
        WITH_STORE(names_of_venues_go_with_the_last_view_and_instrument_that_needs_them),
        WITH_STORE(more_names_of_venues_than_there_is_room_for_are_refused),
        cmocka_unit_test(an_orphan_that_gives_way_lets_go_of_its_venues_name),
        WITH_STORE(tables_of_price_bands_give_way_to_those_that_follow_them),
        cmocka_unit_test(more_tables_of_price_bands_than_there_is_room_for_are_refused),
        WITH_STORE(superseded_entries_that_are_pinned_can_use_up_the_spare_ones),
    };
    return cmocka_run_group_tests_name("store.identity", tests, NULL, NULL);
}
