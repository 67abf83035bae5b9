#include <tickglass/internal/store_writer.h>

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

#include "store_state.h"

/* Hands out aligned pieces of one block; with base NULL it only adds up sizes. */
typedef struct layout {
    char *base;
    size_t size;
    tg__store_part part; /* that the next pieces belong to */
    size_t part_size[TG__STORE_PART_COUNT];
} layout;

static void *piece(layout *at, size_t count, size_t size)
{
    const size_t offset = at->size;
    const size_t bytes = (count * size + TG__CACHE_LINE - 1) / TG__CACHE_LINE * TG__CACHE_LINE;
    at->size += bytes;
    at->part_size[at->part] += bytes;
    return at->base == NULL ? NULL : at->base + offset;
}

static uint32_t power_of_two_over(uint32_t row_max)
{
    uint32_t count = 16;
    while (count <= row_max) {
        count *= 2;
    }
    return count;
}

/* Two full dictionaries: every entry may change between one publication and the next. */
static uint32_t entry_count_for(uint32_t row_max)
{
    return 2 * row_max;
}

/* What entries share. Currencies, and tables of bands other than a single one from the least price
 * on: a market's rules have a handful for each class of instruments, at the few exponents that
 * these have. */
static uint16_t share_count_for(uint32_t row_max)
{
    return (uint16_t)(64 + row_max / 16);
}

/* Rings and 0, which is none; 0 without history. */
static size_t history_rings(const tg__store_options *options)
{
    return options->history_points > 0 ? (size_t)options->history_instruments + 1 : 0;
}

static void lay_out_version(layout *at, tg_view *version, const tg__store_options *options)
{
    const uint32_t row_max = options->instruments_max;
    const size_t rings = history_rings(options);
    const size_t rows = (size_t)row_max + 1;                 /* row 0 is none */
    const uint32_t buckets = power_of_two_over(row_max / 3); /* three rows in each, at most */
    version->row_max = row_max;
    version->bucket_mask = buckets - 1;
    at->part = TG__STORE_VERSIONS;
    version->plane = piece(at, rows, sizeof *version->plane);
    version->tag = piece(at, rows, sizeof *version->tag);
    version->known = piece(at, rows, sizeof *version->known);
    version->venue = piece(at, TG_VENUE_MAX, sizeof *version->venue);
    version->venue_name = piece(at, TG_VENUE_MAX, sizeof *version->venue_name);
    version->links = piece(at, rows, sizeof *version->links);
    version->id_bucket = piece(at, buckets, sizeof *version->id_bucket);
    version->name_bucket = piece(at, buckets, sizeof *version->name_bucket);
    at->part = TG__STORE_BOOKS;
    version->book = piece(at, TG__BOOK_MAX + 1, sizeof *version->book);
    version->book_row = piece(at, TG__BOOK_MAX + 1, sizeof *version->book_row);
    at->part = TG__STORE_HISTORY;
    version->history_of = piece(at, rings > 0 ? rows : 0, sizeof *version->history_of);
    version->open = piece(at, rings, sizeof *version->open);
}

static void lay_out_dictionary(layout *at, tg__entry_pool *pool, uint32_t row_max)
{
    at->part = TG__STORE_DICTIONARY;
    pool->capacity = entry_count_for(row_max);
    pool->tail_capacity = (uint16_t)row_max; /* one dictionary of long symbols */
    pool->bands.capacity = share_count_for(row_max);
    pool->currencies.capacity = share_count_for(row_max);
    pool->entry = piece(at, (size_t)pool->capacity + 1, sizeof *pool->entry);
    pool->tail = piece(at, (size_t)pool->tail_capacity + 1, sizeof *pool->tail);
    pool->bands.table = piece(at, (size_t)pool->bands.capacity + 1, sizeof *pool->bands.table);
    pool->currencies.name =
        piece(at, (size_t)pool->currencies.capacity + 1, sizeof *pool->currencies.name);
}

static void lay_out_accounts(layout *at, tg_store *store, size_t rows)
{
    at->part = TG__STORE_ACCOUNTS;
    store->ledger = piece(at, rows, sizeof *store->ledger);
    store->losses = piece(at, rows, sizeof *store->losses);
    store->refusals = piece(at, rows, sizeof *store->refusals);
    store->venue_refusals = piece(at, TG_VENUE_MAX, sizeof *store->venue_refusals);
}

static void lay_out_history(layout *at, tg_store *store, const tg__store_options *options)
{
    tg__history *history = &store->history;
    tg__quality_watch *watch = &store->watch;
    const size_t rows = (size_t)options->instruments_max + 1;
    const size_t rings = history_rings(options);
    const size_t used = rings > 0 ? rings - 1 : 0;
    at->part = TG__STORE_HISTORY;
    watch->records = piece(at, tg__watch_words(options->transitions_max), sizeof *watch->records);
    watch->marked = piece(at, options->transitions_max > 0 ? rows : 0, sizeof *watch->marked);
    history->ring = piece(at, rings, sizeof *history->ring);
    history->records =
        piece(at, used * tg__history_words(options->history_points), sizeof *history->records);
    history->until_mono_ns = piece(at, rings, sizeof *history->until_mono_ns);
    history->row_of = piece(at, rings, sizeof *history->row_of);
    history->free = piece(at, rings, sizeof *history->free);
}

/* Fills store's pointers, or with at->base NULL only at's sizes. */
static void lay_out(layout *at, tg_store *store, const tg__store_options *options)
{
    const size_t rows = (size_t)options->instruments_max + 1;
    const uint32_t version_count = options->readers_max + 2;
    at->part = TG__STORE_REST;
    (void)piece(at, 1, sizeof *store);
    store->pins.slots = piece(at, options->readers_max, sizeof *store->pins.slots);
    store->readers = piece(at, options->readers_max, sizeof *store->readers);
    store->versions = piece(at, version_count, sizeof *store->versions);
    /* A walk that goes round it looks at every row, which costs no more than the walk did. */
    store->log.mask = power_of_two_over(options->instruments_max) / 2 - 1;
    store->log.entry = piece(at, (size_t)store->log.mask + 1, sizeof *store->log.entry);
    store->free_rows = piece(at, rows, sizeof *store->free_rows);
    store->position = piece(at, rows, sizeof *store->position);
    store->orphan_venue = piece(at, rows, sizeof *store->orphan_venue);
    store->venue_names.capacity = TG__VENUE_NAMES_MAX;
    store->venue_names.name = piece(at, TG__VENUE_NAMES_MAX + 1, sizeof *store->venue_names.name);
    store->tombstones = piece(at, (TG_INSTRUMENT_MAX + 64) / 64, sizeof *store->tombstones);
    lay_out_dictionary(at, &store->pool, options->instruments_max);
    lay_out_accounts(at, store, rows);
    lay_out_history(at, store, options);
    tg_view counted;
    /* Planes lie apart: those that are never needed are never touched. */
    at->part = TG__STORE_CELLS;
    store->cells = piece(at, rows * version_count, sizeof *store->cells);
    for (uint32_t i = 0; i < version_count; i++) {
        lay_out_version(at, at->base == NULL ? &counted : &store->versions[i], options);
    }
}

tg_err tg__store_open(const tg__store_options *options, tg_store **out)
{
    TG_ENSURE(out != NULL, TG_ERR_INVALID_ARGUMENT);
    *out = NULL;
    TG_ENSURE(options != NULL && options->instruments_max >= 1 &&
                  options->instruments_max <= TG_INSTRUMENT_MAX && options->readers_max >= 1 &&
                  options->readers_max <= TG__VERSIONS_MAX - 2 &&
                  options->transitions_max <= TG__TRANSITIONS_MAX,
              TG_ERR_INVALID_ARGUMENT);
    TG_ENSURE(options->history_points == 0 ||
                  (options->history_points <= TG__HISTORY_POINTS_MAX &&
                   options->history_instruments >= 1 &&
                   options->history_instruments <= options->instruments_max &&
                   options->history_step_ms >= 1),
              TG_ERR_INVALID_ARGUMENT);

    tg_store measured;
    layout at = {.base = NULL};
    lay_out(&at, &measured, options);
    /* calloc leaves large blocks to the system's zero pages: versions that are never used stay out
     * of memory. It aligns less than a cache line, hence the slack. */
    const size_t block_size = at.size + TG__CACHE_LINE;
    void *block = calloc(1, block_size);
    TG_ENSURE(block != NULL, TG_ERR_NO_MEMORY);
    const uintptr_t misfit = (uintptr_t)block % TG__CACHE_LINE;
    at = (layout){.base = (char *)block + (misfit == 0 ? 0 : TG__CACHE_LINE - misfit)};
    tg_store *store = (void *)at.base;
    lay_out(&at, store, options);

    store->block = block;
    store->block_size = block_size;
    at.part_size[TG__STORE_REST] += TG__CACHE_LINE; /* the slack */
    memcpy(store->part_size, at.part_size, sizeof store->part_size);
    store->row_max = options->instruments_max;
    store->reader_count = options->readers_max;
    store->version_count = options->readers_max + 2;
    store->plane_cells[0] = store->cells;
    store->plane_cells[1] = store->cells + store->row_max + 1;
    store->era = TG__ERA_STEP;
    tg__history_init(&store->history, options);
    tg__watch_init(&store->watch, options->transitions_max);
    tg__free_rows_init(store->free_rows, (uint16_t)store->row_max);
    for (uint32_t i = 0; i < store->version_count; i++) {
        store->versions[i].loss.latest_era = store->era;
        store->versions[i].pool = &store->pool;
        store->versions[i].venue_names = &store->venue_names;
        store->versions[i].cells = store->cells;
        store->versions[i].log = &store->log;
        store->versions[i].refusals = store->refusals;
        store->versions[i].ledger = store->ledger;
        store->versions[i].losses = store->losses;
        store->versions[i].history = &store->history;
        store->versions[i].venue_refusals = store->venue_refusals;
        store->versions[i].link.doubt = TG_QUALITY_STALE;
    }
    for (uint32_t i = 0; i < store->reader_count; i++) {
        store->readers[i].store = store;
        store->readers[i].slot = &store->pins.slots[i];
        atomic_init(&store->readers[i].open, false);
    }
    tg__pins_init(&store->pins, store->pins.slots, store->reader_count, 0);
    store->pending = &store->versions[1];
    store->pending->number = 1;
    store->pending->cadence_min_ns = INT64_MAX;
    store->kept[0] = &store->versions[0];
    store->kept_count = 1;
    store->shown = store->kept[0]->plane;
    store->alone_ids = store->row_max;
    *out = store;
    return TG_OK;
}

void tg__store_close(tg_store *store)
{
    if (store != NULL) {
        free(store->block);
    }
}

size_t tg__store_memory_size(const tg_store *store)
{
    return store->block_size;
}

size_t tg__store_memory_part(const tg_store *store, tg__store_part part)
{
    return store->part_size[part];
}

static uint64_t tally_read(const _Atomic uint64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed); /* see tg__tally_add() */
}

tg_err tg_store_counters_get(const tg_store *store, tg_store_counters *out)
{
    TG_ENSURE(store != NULL && out != NULL, TG_ERR_INVALID_ARGUMENT);
    const size_t size = out->struct_size;
    TG_ENSURE(size >= sizeof out->struct_size, TG_ERR_INVALID_ARGUMENT);
    const tg__tally *tally = &store->tally;
    tg_ledger total;
    tg__ledger_total(tally, &total);
    const tg_store_counters all = {
        .struct_size = size,
        .admitted = tally_read(&tally->admitted),
        .covered_ticks = tally_read(&tally->covered_ticks),
        .confirmed = tally_read(&tally->confirmed),
        .rejected_regression = tally_read(&tally->rejected_regression),
        .rejected_epoch = tally_read(&tally->rejected_epoch),
        .integrity_faults = tally_read(&tally->integrity_faults),
        .views_published = tally_read(&tally->views_published),
        .history_restarts = tally_read(&tally->history_restarts),
        .depth_admitted = tally_read(&tally->depth_admitted),
        .depth_refused = tally_read(&tally->depth_refused),
        .transitions = tg__ring_written(&store->watch.log),
        .lane_ticks = total.lane_ticks,
        .received = total.received,
        .conflated = total.conflated,
        .lost = total.lost,
        .superseded = total.superseded,
        .repeated = total.repeated,
    };
    memcpy(out, &all, size < sizeof all ? size : sizeof all);
    return TG_OK;
}
