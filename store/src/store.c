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
} layout;

static void *piece(layout *at, size_t count, size_t size)
{
    const size_t offset = at->size;
    const size_t bytes = count * size;
    at->size += (bytes + TG__CACHE_LINE - 1) / TG__CACHE_LINE * TG__CACHE_LINE;
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
    const uint32_t buckets = power_of_two_over(row_max / 2); /* two rows in each, at most */
    version->row_max = row_max;
    version->bucket_mask = buckets - 1;
    version->plane = piece(at, rows, sizeof *version->plane);
    version->tag = piece(at, rows, sizeof *version->tag);
    version->known = piece(at, rows, sizeof *version->known);
    version->venue = piece(at, TG_VENUE_MAX, sizeof *version->venue);
    version->book = piece(at, TG__BOOK_MAX + 1, sizeof *version->book);
    version->book_of = piece(at, rows, sizeof *version->book_of);
    version->history_of = piece(at, rings > 0 ? rows : 0, sizeof *version->history_of);
    version->open = piece(at, rings, sizeof *version->open);
    version->naming = piece(at, rows, sizeof *version->naming);
    version->id_bucket = piece(at, buckets, sizeof *version->id_bucket);
    version->name_bucket = piece(at, buckets, sizeof *version->name_bucket);
}

static void lay_out_history(layout *at, tg__history *history, const tg__store_options *options)
{
    const size_t rings = history_rings(options);
    const size_t used = rings > 0 ? rings - 1 : 0;
    history->ring = piece(at, rings, sizeof *history->ring);
    history->records =
        piece(at, used * tg__history_words(options->history_points), sizeof *history->records);
    history->until_mono_ns = piece(at, rings, sizeof *history->until_mono_ns);
    history->row_of = piece(at, rings, sizeof *history->row_of);
    history->free = piece(at, rings, sizeof *history->free);
}

/* Fills store's pointers, or with at->base NULL only at->size. */
static void lay_out(layout *at, tg_store *store, const tg__store_options *options)
{
    const size_t rows = (size_t)options->instruments_max + 1;
    const size_t entries = (size_t)entry_count_for(options->instruments_max) + 1;
    const uint32_t version_count = options->readers_max + 2;
    (void)piece(at, 1, sizeof *store);
    store->pins.slots = piece(at, options->readers_max, sizeof *store->pins.slots);
    store->readers = piece(at, options->readers_max, sizeof *store->readers);
    store->versions = piece(at, version_count, sizeof *store->versions);
    store->pool.entry = piece(at, entries, sizeof *store->pool.entry);
    store->pool.use = piece(at, entries, sizeof *store->pool.use);
    store->log.mask = power_of_two_over(options->instruments_max) - 1;
    store->log.entry = piece(at, (size_t)store->log.mask + 1, sizeof *store->log.entry);
    store->free_rows = piece(at, rows, sizeof *store->free_rows);
    store->ledger = piece(at, rows, sizeof *store->ledger);
    store->position = piece(at, rows, sizeof *store->position);
    store->orphan_venue = piece(at, rows, sizeof *store->orphan_venue);
    store->venue_names = piece(at, TG__VENUE_NAMES_MAX, sizeof *store->venue_names);
    store->tombstones = piece(at, (TG_INSTRUMENT_MAX + 64) / 64, sizeof *store->tombstones);
    store->watch.records =
        piece(at, tg__watch_words(options->transitions_max), sizeof *store->watch.records);
    store->watch.marked =
        piece(at, options->transitions_max > 0 ? rows : 0, sizeof *store->watch.marked);
    lay_out_history(at, &store->history, options);
    store->losses = piece(at, rows, sizeof *store->losses);
    store->refusals = piece(at, rows, sizeof *store->refusals);
    store->venue_refusals = piece(at, TG_VENUE_MAX, sizeof *store->venue_refusals);
    tg_view counted;
    /* Planes lie apart: those that are never needed are never touched. */
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
    layout at = {NULL, 0};
    lay_out(&at, &measured, options);
    /* calloc leaves large blocks to the system's zero pages: versions that are never used stay out
     * of memory. It aligns less than a cache line, hence the slack. */
    const size_t block_size = at.size + TG__CACHE_LINE;
    void *block = calloc(1, block_size);
    TG_ENSURE(block != NULL, TG_ERR_NO_MEMORY);
    const uintptr_t misfit = (uintptr_t)block % TG__CACHE_LINE;
    at.base = (char *)block + (misfit == 0 ? 0 : TG__CACHE_LINE - misfit);
    at.size = 0;
    tg_store *store = (void *)at.base;
    lay_out(&at, store, options);

    store->block = block;
    store->block_size = block_size;
    store->row_max = options->instruments_max;
    store->reader_count = options->readers_max;
    store->version_count = options->readers_max + 2;
    store->pool.capacity = entry_count_for(options->instruments_max);
    store->plane_cells[0] = store->cells;
    store->plane_cells[1] = store->cells + store->row_max + 1;
    store->era = 1;
    tg__history_init(&store->history, options);
    tg__watch_init(&store->watch, options->transitions_max);
    tg__free_rows_init(store->free_rows, (uint16_t)store->row_max);
    for (uint32_t i = 0; i < store->version_count; i++) {
        store->versions[i].pool = &store->pool;
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
