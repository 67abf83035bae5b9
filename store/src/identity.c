/*
 * What ids mean: dictionary events of one generation, and the change of generation or lineage.
 *
 * A row belongs to a (venue, symbol) and outlives its id: over a restart it becomes an orphan that
 * keeps version and values, and the instrument's next definition finds it again. So a price cannot
 * go backwards by a change of dictionary either.
 */
#include <tickglass/internal/store_writer.h>

#include <string.h>

#include <tickglass/internal/control_flow.h>

#include "store_state.h"

static bool is_text(const char *text, size_t size)
{
    return text[0] != '\0' && memchr(text, '\0', size) != NULL;
}

static bool is_exponent(int8_t exponent)
{
    return exponent >= TG_DECIMAL_EXPONENT_MIN && exponent <= TG_DECIMAL_EXPONENT_MAX;
}

static bool is_entry(const tg_instrument *instrument)
{
    return instrument != NULL && instrument->id != TG_INSTRUMENT_NONE &&
           instrument->venue < TG_VENUE_MAX && instrument->band_count <= TG_TICK_BAND_MAX &&
           is_exponent(instrument->price_exponent) && is_exponent(instrument->quantity_exponent) &&
           is_text(instrument->symbol, sizeof instrument->symbol) &&
           memchr(instrument->currency, '\0', sizeof instrument->currency) != NULL;
}

static bool is_tombstone(const tg_store *store, tg_instrument_id id)
{
    return (store->tombstones[id / 64] >> (id % 64) & 1) != 0;
}

static const tg__entry *entry_of(const tg_store *store, uint16_t row)
{
    return tg__table_entry(store->pending, row);
}

static bool is_named(const tg_store *store, uint16_t row, const char *symbol)
{
    return tg__entry_is_named(&store->pool, entry_of(store, row), symbol);
}

static bool says(const tg_store *store, uint16_t row, const tg_instrument *instrument)
{
    return tg__entry_equal(&store->pool, entry_of(store, row), instrument);
}

static bool same_scale(const tg__entry *a, const tg_instrument *b)
{
    return a->price_exponent == b->price_exponent && a->quantity_exponent == b->quantity_exponent;
}

/* A name's place, with a reference; versions that nobody reads give theirs up if none is free. 0:
 * still none. */
static uint16_t take_venue_name(tg_store *store, const char *name)
{
    const uint16_t taken = tg__name_take(&store->venue_names, name);
    if (taken != 0) {
        return taken;
    }
    tg__versions_refresh(store);
    return tg__name_take(&store->venue_names, name);
}

static void set_orphan_venue(tg_store *store, uint16_t row, uint16_t venue_name)
{
    tg__name_refer(&store->venue_names, venue_name);
    tg__name_release(&store->venue_names, store->orphan_venue[row]);
    store->orphan_venue[row] = venue_name;
}

/* Row gets entry (0: none) and, if known, its id. */
static void identify(tg_store *store, uint16_t row, uint32_t entry, bool known)
{
    tg__table_identify(store->pending, row, entry, known);
    store->ledger[row].usual = 0;
    tg__row_touch(store, row);
    store->identity_stamp = store->pending->number;
}

static void list_known(tg_store *store, uint16_t row)
{
    tg_view *pending = store->pending;
    store->position[row] = (uint16_t)pending->count;
    pending->known[pending->count++] = row;
}

static void unlist_known(tg_store *store, uint16_t row)
{
    tg_view *pending = store->pending;
    const uint16_t position = store->position[row];
    const uint16_t last = pending->known[--pending->count];
    pending->known[position] = last;
    store->position[last] = position;
    tg__row_touch(store, last); /* versions that catch up must see it move */
}

/* Take row out of the view: no id any more, values and version stay. */
static void hide(tg_store *store, uint16_t row)
{
    unlist_known(store, row);
    identify(store, row, store->pending->tag[row].entry, false);
}

/* Forget a row that has no id. */
static void forget(tg_store *store, uint16_t row)
{
    tg__book_free(store, row);
    tg__history_drop(store, row);
    tg__refusals_clear(&store->refusals[row]);
    identify(store, row, 0, false);
    *tg__row_renew(store, row) = (tg__cell){.changed_in = 0};
    store->ledger[row].epoch = 0;
    store->ledger[row].lineage = 0;
    store->ledger[row].epoch_min = 0;
    store->position[row] = 0;
    set_orphan_venue(store, row, 0);
    tg__ledger_clear(store, row);
    tg__row_flag(store, row, 0, UINT8_MAX);
    tg__free_rows_give(store->free_rows, row);
}

/* Row of the orphan with this identity; 0: none. */
static uint16_t find_orphan(const tg_store *store, uint16_t venue_name, const char *symbol)
{
    if (venue_name == 0 || store->orphan_count == 0) {
        return 0;
    }
    for (uint16_t row = tg__table_name_chain(store->pending, symbol); row != 0;
         row = store->pending->links[row].next_by_name) {
        if (!tg__table_has(store->pending, row, TG__ROW_KNOWN) &&
            store->orphan_venue[row] == venue_name && is_named(store, row, symbol)) {
            return row;
        }
    }
    return 0;
}

static bool is_newer(const tg_store *store, uint16_t a, uint16_t b)
{
    const tg__ledger_row *of_a = &store->ledger[a];
    const tg__ledger_row *of_b = &store->ledger[b];
    return of_a->lineage == of_b->lineage &&
           tg_version_compare((tg_version){of_a->epoch, tg__ledger_seq(of_a)},
                              (tg_version){of_b->epoch, tg__ledger_seq(of_b)}) > 0;
}

static void forget_orphan(tg_store *store, uint16_t row)
{
    forget(store, row);
    store->orphan_count--;
}

/* Hide row, and remember whose it is. Of two with one identity the newer version stays. */
static void orphan(tg_store *store, uint16_t row)
{
    const tg_view *pending = store->pending;
    const tg__entry *entry = entry_of(store, row);
    const uint16_t venue_name = pending->venue_name[entry->venue];
    char symbol[TG_SYMBOL_SIZE];
    tg__entry_symbol(&store->pool, entry, symbol);
    const uint16_t former = find_orphan(store, venue_name, symbol);
    hide(store, row);
    set_orphan_venue(store, row, venue_name);
    store->orphan_count++;
    if (former != 0) {
        forget_orphan(store, is_newer(store, former, row) ? row : former);
    }
}

/* A place in the pool; versions that nobody reads give theirs up if it is full. 0: still full. */
static uint32_t take_entry(tg_store *store, const tg_instrument *instrument)
{
    const uint32_t entry = tg__entry_take(&store->pool, instrument);
    if (entry != 0) {
        return entry;
    }
    tg__versions_refresh(store);
    return tg__entry_take(&store->pool, instrument);
}

/* Give up the next orphan, going round the rows. There is one. */
static void evict_orphan(tg_store *store)
{
    for (;;) {
        store->orphan_hand =
            (uint16_t)(store->orphan_hand >= store->row_max ? 1 : store->orphan_hand + 1);
        const uint16_t row = store->orphan_hand;
        if (store->pending->tag[row].entry != 0 &&
            !tg__table_has(store->pending, row, TG__ROW_KNOWN)) {
            forget_orphan(store, row);
            return;
        }
    }
}

/* An empty row, the one where tg__table_row() looks first if it can be; 0: the store is full. */
static uint16_t take_row(tg_store *store, tg_instrument_id id)
{
    if (tg__free_rows_first(store->free_rows) == 0 && store->orphan_count > 0) {
        evict_orphan(store);
    }
    const uint32_t own = (uint32_t)id + 1;
    const bool is_own_free = own <= store->row_max && store->pending->tag[own].entry == 0;
    const uint16_t row = is_own_free ? (uint16_t)own : tg__free_rows_first(store->free_rows);
    if (row != 0) {
        tg__free_rows_take(store->free_rows, row);
    }
    return row;
}

/* The values have another scale: the version stays as a floor, nothing is shown. */
static void drop_values(tg_store *store, uint16_t row)
{
    tg__book_drop_values(store, row);
    tg__history_restart(store, row);
    if (tg__table_has(store->pending, row, TG__ROW_HAS_VALUE)) {
        tg__row_flag(store, row, 0, TG__ROW_HAS_VALUE | TG__ROW_RESTARTED);
        tg__row_change(store, row);
    }
}

/* Row's entry becomes instrument, under the same id or for an orphan under a new one. */
static tg_err set_entry(tg_store *store, uint16_t row, const tg_instrument *instrument)
{
    const bool known = tg__table_has(store->pending, row, TG__ROW_KNOWN);
    const bool same = says(store, row, instrument);
    if (known && same) {
        return TG_OK;
    }
    const uint32_t entry = same ? store->pending->tag[row].entry : take_entry(store, instrument);
    if (entry == 0) {
        if (known) {
            orphan(store, row); /* never a new price under an old name or scale: rather no row */
        }
        return TG_ERR_FULL;
    }
    if (!same_scale(entry_of(store, row), instrument)) {
        drop_values(store, row);
    }
    if (instrument->epoch > store->ledger[row].epoch_min) {
        store->ledger[row].epoch_min = instrument->epoch;
    }
    identify(store, row, entry, true);
    tg__watch_mark(store, row);
    return TG_OK;
}

static tg_err adopt(tg_store *store, uint16_t row, const tg_instrument *instrument)
{
    if (store->ledger[row].lineage != store->lineage) {
        store->ledger[row].epoch_min = 0; /* epochs of different lineages do not compare */
    }
    TG_TRY(set_entry(store, row, instrument));
    store->orphan_count--;
    set_orphan_venue(store, row, 0);
    list_known(store, row);
    if (tg__table_has(store->pending, row, TG__ROW_HAS_VALUE)) {
        tg__row_change(store, row); /* this id did not show it before */
    }
    return TG_OK;
}

static tg_err add(tg_store *store, const tg_instrument *instrument)
{
    const uint16_t row = take_row(store, instrument->id);
    TG_ENSURE(row != 0, TG_ERR_INSTRUMENTS);
    const uint32_t entry = take_entry(store, instrument);
    if (entry == 0) {
        forget(store, row);
        return TG_ERR_FULL;
    }
    store->ledger[row].lineage = store->lineage;
    store->ledger[row].epoch_min = instrument->epoch;
    identify(store, row, entry, true);
    list_known(store, row);
    tg__watch_begin(store, row);
    return TG_OK;
}

tg_err tg__store_define_venue(tg_store *store, const tg_venue *venue)
{
    TG_ENSURE(venue != NULL && venue->id < TG_VENUE_MAX && is_text(venue->name, sizeof venue->name),
              TG_ERR_INVALID_ARGUMENT);
    const uint16_t name = take_venue_name(store, venue->name);
    TG_ENSURE(name != 0, TG_ERR_FULL);
    if (name != store->pending->venue_name[venue->id]) {
        tg__table_name_venue(store->pending, venue->id, name);
        store->venue_stamp = store->pending->number;
    }
    tg__name_release(&store->venue_names, name);
    return TG_OK;
}

tg_err tg__store_define_instrument(tg_store *store, const tg_instrument *instrument)
{
    TG_ENSURE(is_entry(instrument), TG_ERR_INVALID_ARGUMENT);
    TG_ENSURE(!is_tombstone(store, instrument->id), TG_ERR_ID_REUSED);
    const uint16_t row = tg__table_row(store->pending, instrument->id);
    if (row != 0) {
        const tg__entry *entry = entry_of(store, row);
        TG_ENSURE(entry->venue == instrument->venue && is_named(store, row, instrument->symbol),
                  TG_ERR_ID_REUSED);
        return set_entry(store, row, instrument);
    }
    const uint16_t venue_name = store->pending->venue_name[instrument->venue];
    const uint16_t own = find_orphan(store, venue_name, instrument->symbol);
    return own != 0 ? adopt(store, own, instrument) : add(store, instrument);
}

bool tg__store_has(const tg_store *store, tg_instrument_id id, tg_venue_id venue)
{
    const uint16_t row = tg__table_row(store->pending, id);
    return row != 0 && entry_of(store, row)->venue == venue;
}

tg_err tg__store_rename(tg_store *store, tg_instrument_id id, const char *symbol)
{
    const size_t length = symbol == NULL ? 0 : strlen(symbol);
    TG_ENSURE(length > 0 && length < TG_SYMBOL_SIZE, TG_ERR_INVALID_ARGUMENT);
    const uint16_t row = tg__table_row(store->pending, id);
    TG_ENSURE(row != 0, TG_ERR_NOT_FOUND);
    tg_instrument renamed;
    tg__entry_read(&store->pool, entry_of(store, row), &renamed);
    memset(renamed.symbol, 0, sizeof renamed.symbol);
    memcpy(renamed.symbol, symbol, length);
    return set_entry(store, row, &renamed);
}

tg_err tg__store_remove(tg_store *store, tg_instrument_id id)
{
    const uint16_t row = tg__table_row(store->pending, id);
    TG_ENSURE(row != 0, TG_ERR_NOT_FOUND);
    store->tombstones[id / 64] |= UINT64_C(1) << (id % 64);
    hide(store, row);
    forget(store, row);
    return TG_OK;
}

tg_err tg__store_rescale(tg_store *store, const tg_instrument *instrument)
{
    TG_ENSURE(is_entry(instrument), TG_ERR_INVALID_ARGUMENT);
    const uint16_t row = tg__table_row(store->pending, instrument->id);
    TG_ENSURE(row != 0, TG_ERR_NOT_FOUND);
    const tg__entry *entry = entry_of(store, row);
    TG_ENSURE(entry->venue == instrument->venue && is_named(store, row, instrument->symbol),
              TG_ERR_ID_REUSED);
    TG_ENSURE(instrument->epoch > entry->epoch || says(store, row, instrument), TG_ERR_INTEGRITY);
    return set_entry(store, row, instrument);
}

void tg__store_restart(tg_store *store, uint64_t lineage, uint32_t generation)
{
    if (lineage == store->lineage && generation == store->generation) {
        return;
    }
    tg_view *pending = store->pending;
    while (pending->count > 0) {
        const uint16_t row = pending->known[pending->count - 1];
        tg__row_flag(store, row, 0, TG__ROW_NOT_ENTITLED);
        orphan(store, row);
    }
    memset(pending->venue, 0, TG_VENUE_MAX * sizeof *pending->venue);
    pending->loss.stale_venues = 0;
    pending->cadence_min_ns = INT64_MAX; /* no row is known */
    store->venue_stamp = pending->number;
    for (tg_venue_id venue = 0; venue < TG_VENUE_MAX; venue++) {
        tg__table_name_venue(pending, venue, 0);
        tg__refusals_clear(&store->venue_refusals[venue]);
    }
    memset(store->tombstones, 0, (TG_INSTRUMENT_MAX + 64) / 64 * sizeof *store->tombstones);
    pending->link.doubt_era = tg__era_begin(store);
    store->lineage = lineage;
    store->generation = generation;
}
