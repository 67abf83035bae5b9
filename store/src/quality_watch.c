#include <tickglass/internal/store_writer.h>

#include "store_state.h"

enum {
    RECORD_WORDS = 2 /* time; id, from, to and both causes */
};

void tg__watch_init(tg__quality_watch *watch, uint32_t capacity)
{
    watch->shape = (tg__ring_shape){capacity, RECORD_WORDS};
}

size_t tg__watch_words(uint32_t capacity)
{
    return (size_t)capacity * RECORD_WORDS;
}

void tg__watch_begin(tg_store *store, uint16_t row)
{
    if (store->watch.shape.capacity > 0) {
        tg__told *told = &store->ledger[row].told;
        told->quality = TG_QUALITY_UNKNOWN;
        told->cause = TG_QUALITY_CAUSE_NO_VALUE;
        told->watched = TG__WATCHED_UNSETTLED;
        tg__watch_mark(store, row);
    }
}

void tg__watch_mark(tg_store *store, uint16_t row)
{
    tg__told *told = &store->ledger[row].told;
    if (store->watch.shape.capacity > 0 && !told->marked) {
        told->marked = true;
        store->watch.marked[store->watch.marked_count++] = row;
    }
}

static void tell(tg__quality_watch *watch, tg_instrument_id id, const tg__told *told,
                 tg__verdict now, int64_t now_mono_ns)
{
    const uint64_t record[RECORD_WORDS] = {
        (uint64_t)now_mono_ns,
        id | (uint64_t)told->quality << 16 | (uint64_t)now.quality << 24 |
            (uint64_t)told->cause << 32 | (uint64_t)now.cause << 40,
    };
    (void)tg__ring_put(&watch->log, &watch->shape, watch->records, record);
}

static tg__watched watched_as(tg_quality quality)
{
    if (quality == TG_QUALITY_HALTED) {
        return TG__WATCHED_HALTED;
    }
    return quality == TG_QUALITY_LIVE || quality == TG_QUALITY_DELAYED ? TG__WATCHED_TRADING
                                                                       : TG__WATCHED_UNSETTLED;
}

static void judge(tg_store *store, const tg_view *view, uint16_t row, int64_t now_mono_ns)
{
    if (!tg__table_has(view, row, TG__ROW_KNOWN)) {
        return;
    }
    tg__told *told = &store->ledger[row].told;
    const tg__row_axis top = tg__table_top(view, row);
    const tg__verdict verdict = tg__table_quality(view, row, &top, now_mono_ns);
    if (verdict.quality != (tg_quality)told->quality) {
        tell(&store->watch, tg__table_id(view, row), told, verdict, now_mono_ns);
    }
    told->quality = (uint8_t)verdict.quality;
    told->cause = (uint8_t)verdict.cause;
    told->watched = (uint8_t)watched_as(verdict.quality);
    if (told->watched != TG__WATCHED_TRADING) {
        store->ledger[row].usual = 0;
    }
}

void tg__watch_published(tg_store *store, const tg_view *view, int64_t now_mono_ns)
{
    tg__quality_watch *watch = &store->watch;
    if (watch->shape.capacity == 0) {
        return;
    }
    for (uint32_t i = 0; i < watch->marked_count; i++) {
        store->ledger[watch->marked[i]].told.marked = false;
        judge(store, view, watch->marked[i], now_mono_ns);
    }
    watch->marked_count = 0;
    if (watch->all) {
        watch->all = false;
        for (uint32_t i = 0; i < view->count; i++) {
            judge(store, view, view->known[i], now_mono_ns);
        }
    }
}

bool tg__store_is_watched(const tg_store *store)
{
    return store->watch.shape.capacity > 0;
}

void tg__store_sweep(tg_store *store, int64_t now_mono_ns)
{
    const tg_view *view = store->pending;
    tg__quality_watch *watch = &store->watch;
    if (watch->shape.capacity == 0) {
        return;
    }
    const uint32_t count = view->count < TG__SWEEP_ROWS ? view->count : TG__SWEEP_ROWS;
    for (uint32_t i = 0; i < count; i++) {
        watch->hand = watch->hand + 1 < view->count ? watch->hand + 1 : 0;
        judge(store, view, view->known[watch->hand], now_mono_ns);
    }
}

static tg_transition transition_of(uint64_t number, const uint64_t *record)
{
    return (tg_transition){
        .number = number,
        .mono_ns = (int64_t)record[0],
        .id = (tg_instrument_id)(record[1] & 0xffff),
        .from = (tg_quality)(record[1] >> 16 & 0xff),
        .to = (tg_quality)(record[1] >> 24 & 0xff),
        .cause_before = (tg_quality_cause)(record[1] >> 32 & 0xff),
        .cause = (tg_quality_cause)(record[1] >> 40 & 0xff),
    };
}

size_t tg_store_transitions(const tg_store *store, uint64_t since, tg_transition *out,
                            size_t capacity)
{
    const tg__quality_watch *watch = &store->watch;
    const uint64_t written = tg__ring_written(&watch->log);
    const uint64_t kept = watch->shape.capacity;
    uint64_t number = written > kept && since < written - kept ? written - kept : since;
    size_t count = 0;
    while (number < written && count < capacity) {
        number++;
        uint64_t record[RECORD_WORDS];
        if (tg__ring_copy(&watch->log, &watch->shape, watch->records, number, number, record) ==
            0) {
            out[count++] = transition_of(number, record);
        }
    }
    return count;
}
