/*
 * bench_store [--json]: what the store costs. Cases are measured in turn, a slice each round, and
 * the median of the rounds is reported, so that a busy machine disturbs all of them alike. With
 * --json only lines of JSON go to standard output.
 */
#define _DEFAULT_SOURCE /* mincore */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "desk.h"
#include "samples.h"
#ifdef BENCH_WITH_GLIB
#include "hash_table.h"
#endif

enum {
    desk_instruments = 2400,
    rounds = 31,
    frames_a_round = 4000,
    reads_a_round = 2000,
    gets_a_round = 60000,
    hot_rows = 16,
    changes_a_round = 400,
    frames_until_live = 600,
    busy_frame_us = 200 /* 40 rows each: 200,000 ticks a second */
};

static bool json;

static void report(const char *bench, const char *key, const char *name, const char *unit,
                   double value)
{
    const int places = strcmp(unit, "bytes") == 0 ? 0 : 1;
    if (json) {
        printf("{\"bench\":\"%s\",\"%s\":\"%s\",\"%s\":%.*f}\n", bench, key, name, unit, places,
               value);
    } else {
        printf("%-18s %-28s %12.*f %s\n", bench, name, places, value, unit);
    }
}

/* ---- admit -------------------------------------------------------------------------------- */

typedef struct viewer {
    tg_reader *reader;
    tg_instrument_id ids[visible_rows];
    tg_row rows[visible_rows];
} viewer;

static void viewer_open(viewer *by, const desk *at)
{
    if (tg_reader_open(at->store, &by->reader) != TG_OK) {
        (void)fprintf(stderr, "bench_store: no reader\n");
        exit(1);
    }
    desk_visible(at, by->ids);
}

static void viewer_read(viewer *by)
{
    const tg_view *view = tg_reader_pin(by->reader);
    const int64_t now_mono_ns = tg_view_published_mono_ns(view);
    for (unsigned i = 0; i < visible_rows; i++) {
        if (tg_view_row(view, by->ids[i], now_mono_ns, &by->rows[i]) != TG_OK) {
            abort();
        }
    }
    tg_reader_unpin(by->reader);
}

static void draw_view(void *ctx)
{
    viewer_read(ctx);
}

static double admit_store(desk *at)
{
    static ticks_frame frame;
    int64_t spent_ns = 0;
    for (unsigned i = 0; i < frames_a_round; i++) {
        desk_next_frame(at, &frame);
        const int64_t start_ns = now_ns();
        desk_admit(at->store, &frame, start_ns);
        spent_ns += now_ns() - start_ns;
    }
    return (double)spent_ns / frames_a_round / frame_rows;
}

#ifdef BENCH_WITH_GLIB

typedef struct table_viewer {
    hash_table *table;
    tg_instrument_id ids[visible_rows];
    tg_row rows[visible_rows];
} table_viewer;

static void draw_table(void *ctx)
{
    table_viewer *by = ctx;
    hash_table_read(by->table, by->ids, visible_rows, by->rows);
}

static double admit_table(desk *at, hash_table *table)
{
    static ticks_frame frame;
    int64_t spent_ns = 0;
    for (unsigned i = 0; i < frames_a_round; i++) {
        desk_next_frame(at, &frame);
        const int64_t start_ns = now_ns();
        hash_table_admit(table, &frame, start_ns);
        spent_ns += now_ns() - start_ns;
    }
    return (double)spent_ns / frames_a_round / frame_rows;
}

typedef struct rival {
    hash_table *table;
    table_viewer viewer[readers_max];
    drawing draws;
    samples ns;
} rival;

static void rival_open(rival *it, const desk *at, hash_table_key key)
{
    it->table = hash_table_open(at->instruments, key);
    it->draws.draw = draw_table;
    for (unsigned i = 0; i < readers_max; i++) {
        it->viewer[i].table = it->table;
        desk_visible(at, it->viewer[i].ids);
        it->draws.ctx[i] = &it->viewer[i];
    }
}

static void rival_round(rival *it, desk *at)
{
    drawing_start(&it->draws);
    samples_add(&it->ns, admit_table(at, it->table));
    drawing_stop(&it->draws);
}

#endif

static void bench_admit(void)
{
    static viewer viewers[readers_max];
    static samples store_ns;
    desk at;
    desk_open(&at, desk_instruments, readers_max);
    drawing views = {.draw = draw_view};
    for (unsigned i = 0; i < readers_max; i++) {
        viewer_open(&viewers[i], &at);
        views.ctx[i] = &viewers[i];
    }
#ifdef BENCH_WITH_GLIB
    static rival by_name;
    static rival by_id;
    rival_open(&by_name, &at, HASH_TABLE_BY_NAME);
    rival_open(&by_id, &at, HASH_TABLE_BY_ID);
#endif
    for (unsigned round = 0; round < rounds; round++) {
        drawing_start(&views);
        samples_add(&store_ns, admit_store(&at));
        drawing_stop(&views);
#ifdef BENCH_WITH_GLIB
        rival_round(&by_name, &at);
        rival_round(&by_id, &at);
#endif
    }
    report("store.admit", "impl", "tickglass", "ns_per_tick", samples_median(&store_ns));
#ifdef BENCH_WITH_GLIB
    report("store.admit", "impl", "ghashtable_rwlock", "ns_per_tick", samples_median(&by_name.ns));
    report("store.admit", "impl", "ghashtable_rwlock_by_id", "ns_per_tick",
           samples_median(&by_id.ns));
    hash_table_close(by_name.table);
    hash_table_close(by_id.table);
#else
    (void)fprintf(stderr, "bench_store: built without GLib: no comparison with a hash table\n");
#endif
    for (unsigned i = 0; i < readers_max; i++) {
        tg_reader_close(viewers[i].reader);
    }
    desk_close(&at);
}

/* ---- reading ------------------------------------------------------------------------------- */

typedef struct busy_writer {
    desk *at;
    pthread_t thread;
    _Atomic bool stop; /* relaxed: only ends the loop */
} busy_writer;

static void *admit_until_stopped(void *ctx)
{
    busy_writer *mine = ctx;
    static ticks_frame frame;
    const struct timespec pause = {0, busy_frame_us * 1000};
    int64_t due_ns = now_ns();
    while (!atomic_load_explicit(&mine->stop, memory_order_relaxed)) {
        for (; due_ns <= now_ns(); due_ns += busy_frame_us * 1000) {
            desk_next_frame(mine->at, &frame);
            desk_admit(mine->at->store, &frame, now_ns());
        }
        (void)nanosleep(&pause, NULL);
    }
    return NULL;
}

static double read_60(viewer *by)
{
    const int64_t start_ns = now_ns();
    for (unsigned i = 0; i < reads_a_round; i++) {
        viewer_read(by);
    }
    return (double)(now_ns() - start_ns) / reads_a_round;
}

static double copy_60(const tg_row *rows, viewer *by)
{
    const int64_t start_ns = now_ns();
    for (unsigned i = 0; i < reads_a_round; i++) {
        for (unsigned k = 0; k < visible_rows; k++) {
            memcpy(&by->rows[k], &rows[by->ids[k]], sizeof by->rows[k]);
        }
        /* The copy must happen each time: the address escapes to another file's function. */
        (void)tg_image_values_equal(&by->rows[0].image, &by->rows[1].image);
    }
    return (double)(now_ns() - start_ns) / reads_a_round;
}

/* As many ticks as make every row a live one: a row that has been quiet for hours is read, and
 * judged, on a longer way, and is no part of a market with 200,000 ticks a second. */
static void make_live(desk *at)
{
    static ticks_frame frame;
    for (unsigned i = 0; i < frames_until_live; i++) {
        desk_next_frame(at, &frame);
        desk_admit(at->store, &frame, now_ns());
    }
}

static void bench_pin_read(void)
{
    static viewer by;
    static samples idle_ns;
    static samples busy_ns;
    static samples copy_ns;
    desk at;
    desk_open(&at, desk_instruments, readers_max);
    viewer_open(&by, &at);
    tg_row *rows = calloc(desk_instruments, sizeof *rows);
    if (rows == NULL) {
        abort();
    }
    for (unsigned round = 0; round < rounds; round++) {
        make_live(&at);
        samples_add(&idle_ns, read_60(&by));
        samples_add(&copy_ns, copy_60(rows, &by));
        busy_writer writer = {.at = &at};
        atomic_init(&writer.stop, false);
        if (pthread_create(&writer.thread, NULL, admit_until_stopped, &writer) != 0) {
            abort();
        }
        samples_add(&busy_ns, read_60(&by));
        atomic_store_explicit(&writer.stop, true, memory_order_relaxed);
        (void)pthread_join(writer.thread, NULL);
    }
    report("store.pin_read60", "case", "idle", "ns", samples_median(&idle_ns));
    report("store.pin_read60", "case", "busy", "ns", samples_median(&busy_ns));
    report("store.pin_read60", "case", "plain_copy", "ns", samples_median(&copy_ns));
    free(rows);
    tg_reader_close(by.reader);
    desk_close(&at);
}

static void bench_get(void)
{
    static viewer by;
    static samples get_ns;
    static samples copy_ns;
    static tg_row rows[hot_rows];
    desk at;
    desk_open(&at, desk_instruments, readers_max);
    viewer_open(&by, &at);
    for (unsigned round = 0; round < rounds; round++) {
        const tg_view *view = tg_reader_pin(by.reader);
        /* As a screen reads: at the time of the view, when the rows are live. */
        const int64_t at_ns = tg_view_published_mono_ns(view);
        int64_t start_ns = now_ns();
        for (unsigned i = 0; i < gets_a_round; i += hot_rows) {
            for (unsigned k = 0; k < hot_rows; k++) {
                if (tg_view_row(view, (tg_instrument_id)k, at_ns, &by.rows[k]) != TG_OK) {
                    abort();
                }
            }
        }
        samples_add(&get_ns, (double)(now_ns() - start_ns) / gets_a_round);
        start_ns = now_ns();
        for (unsigned i = 0; i < gets_a_round; i += hot_rows) {
            for (unsigned k = 0; k < hot_rows; k++) {
                memcpy(&by.rows[k], &rows[k], sizeof rows[k]);
            }
            (void)tg_image_values_equal(&by.rows[0].image, &by.rows[1].image);
        }
        samples_add(&copy_ns, (double)(now_ns() - start_ns) / gets_a_round);
    }
    report("store.get", "case", "store", "ns", samples_median(&get_ns));
    report("store.get", "case", "plain_copy", "ns", samples_median(&copy_ns));
    tg_reader_close(by.reader);
    desk_close(&at);
}

static void bench_changed(void)
{
    static viewer by;
    static ticks_frame frame;
    static samples changed_ns;
    tg_instrument_id ids[frame_rows];
    desk at;
    desk_open(&at, TG_INSTRUMENT_MAX, 2);
    viewer_open(&by, &at);
    for (unsigned round = 0; round < rounds; round++) {
        int64_t spent_ns = 0;
        for (unsigned i = 0; i < changes_a_round; i++) {
            desk_next_frame(&at, &frame);
            desk_admit(at.store, &frame, 1);
            const int64_t start_ns = now_ns();
            const tg_view *view = tg_reader_pin(by.reader);
            const size_t count = tg_view_changed(view, tg_view_number(view) - 1, ids, frame_rows);
            spent_ns += now_ns() - start_ns;
            if (count != frame_rows) {
                abort();
            }
        }
        samples_add(&changed_ns, (double)spent_ns / changes_a_round);
    }
    report("store.changed", "case", "40_of_65535", "ns", samples_median(&changed_ns));
    report("store.memory", "case", "65535", "bytes", (double)tg__store_memory_size(at.store));
    tg_reader_close(by.reader);
    desk_close(&at);
}

/* Bytes of the pages that the store has touched so far. */
static double touched_bytes(const tg_store *store)
{
    static unsigned char resident[1 << 16];
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t begin = (uintptr_t)store & ~(page - 1);
    const size_t pages = ((uintptr_t)store + tg__store_memory_size(store) - begin) / page;
    size_t count = 0;
    if (pages > sizeof resident || mincore((void *)begin, pages * page, resident) != 0) {
        return 0;
    }
    for (size_t i = 0; i < pages; i++) {
        count += resident[i] & 1u;
    }
    return (double)(count * page);
}

/* What the bytes of 2,400 instruments are for. */
static void report_parts(const tg_store *store)
{
    static const char *const names[TG__STORE_PART_COUNT] = {
        [TG__STORE_CELLS] = "cells",       [TG__STORE_VERSIONS] = "versions",
        [TG__STORE_BOOKS] = "books",       [TG__STORE_DICTIONARY] = "dictionary",
        [TG__STORE_ACCOUNTS] = "accounts", [TG__STORE_HISTORY] = "history",
        [TG__STORE_REST] = "rest",
    };
    for (int part = 0; part < TG__STORE_PART_COUNT; part++) {
        report("store.memory_parts", "part", names[part], "bytes",
               (double)tg__store_memory_part(store, (tg__store_part)part));
    }
}

/* What is allocated is enough for every reader to sleep on another version; what is touched is what
 * readers need that draw and let go, one of them over a few publications at a time. */
static void bench_memory(void)
{
    static viewer viewers[readers_max];
    static ticks_frame frame;
    desk at;
    desk_open(&at, desk_instruments, readers_max);
    for (unsigned i = 0; i < readers_max; i++) {
        viewer_open(&viewers[i], &at);
    }
    for (unsigned i = 0; i < frames_a_round; i++) {
        desk_next_frame(&at, &frame);
        desk_admit(at.store, &frame, 1);
        viewer_read(&viewers[i % (readers_max - 1)]);
        if (i % 8 == 0) {
            (void)tg_reader_pin(viewers[readers_max - 1].reader);
        }
    }
    report("store.memory", "case", "2400", "bytes", (double)tg__store_memory_size(at.store));
    report("store.memory", "case", "2400_touched", "bytes", touched_bytes(at.store));
    report_parts(at.store);
    for (unsigned i = 0; i < readers_max; i++) {
        tg_reader_close(viewers[i].reader);
    }
    desk_close(&at);
}

int main(int argc, char **argv)
{
    json = argc == 2 && strcmp(argv[1], "--json") == 0;
    if (argc > 1 && !json) {
        (void)fprintf(stderr, "usage: bench_store [--json]\n");
        return 2;
    }
    bench_memory(); /* first: later the allocator hands out memory that was in use */
    bench_admit();
    bench_pin_read();
    bench_get();
    bench_changed();
    return 0;
}
