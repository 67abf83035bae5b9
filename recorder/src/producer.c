/*
 * The recording side off the hot path: taking a ring, and what happens when it is full.
 *
 * tail is stored by the producer alone, head by the writer alone, except that with
 * TG_OVERFLOW_OVERWRITE the producer may move head over its oldest records. Both then use compare
 * and swap, and the writer sets head's lowest bit while it reads, so that the producer never writes
 * under its eyes. An old value errs on the safe side for both: there is more room, or more to read,
 * than seen.
 */
#include "producer.h"

#include <sched.h>
#include <string.h>
#include <time.h>

#include <tickglass/internal/control_flow.h>

#include "dictionary.h"
#include "registry.h"

#define HEAD_BUSY        UINT64_C(1)
#define MARKER_ARGUMENTS 32u
#define MARKER_SIZE      (TG__RECORD_HEADER + MARKER_ARGUMENTS)
#define RING_BITS        13 /* 1 + number of a ring, at most 4,096 */
#define WAIT_YIELDS      64
#define WAIT_NS          50000

static tg__ring_control *control_of(const tg_recorder *recorder, const tg__producer *producer)
{
    return &recorder->rings.controls[producer - recorder->producers];
}

uint64_t tg__thread_token(void)
{
    /* The address of a thread's own variable is its own as long as it runs. */
    return (uint64_t)(uintptr_t)&tg_record_thread;
}

uint64_t tg_record_stamp_read(const tg_recorder *recorder)
{
    if (recorder->hot.clock_kind == TG__CLOCK_GIVEN) {
        return (uint64_t)tg_clock_mono_ns(&recorder->clock);
    }
    struct timespec now = {0, 0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail */
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void tg_record_refuse(tg_recorder *recorder)
{
    /* Threads without a ring share this counter; they are off the hot path by definition. */
    (void)atomic_fetch_add_explicit(&recorder->refused, 1, memory_order_relaxed);
}

static void *key_value_of(uint64_t serial, uint32_t ring)
{
    return (void *)(uintptr_t)((serial << RING_BITS) | (ring + 1u));
}

void tg__producer_retire(void *key_value)
{
    const uint64_t value = (uint64_t)(uintptr_t)key_value;
    const uint32_t ring = (uint32_t)(value & ((1u << RING_BITS) - 1)) - 1u;
    const uint64_t serial = value >> RING_BITS;
    if (tg_record_thread.serial == serial) {
        /* A later destructor that records takes a ring anew, and this one runs again. */
        tg_record_thread.serial = 0;
        tg_record_thread.producer = NULL;
    }
    tg__registry_lock();
    tg_recorder *recorder = tg__registry_find(serial);
    /* In a forked child the ring is the parent's thread's, which goes on recording. */
    if (recorder != NULL && atomic_load_explicit(&recorder->forked, memory_order_relaxed) == 0) {
        /* Pairs with the writer's acquire: it frees the ring once it has read to the tail. */
        atomic_store_explicit(&recorder->rings.controls[ring].state, TG__RING_RETIRED,
                              memory_order_release);
    }
    tg__registry_unlock();
}

/* Locked. */
static tg_err take_ring(tg_recorder *recorder, uint32_t ring, const char *name)
{
    tg__ring_control *control = &recorder->rings.controls[ring];
    tg__producer *producer = &recorder->producers[ring];
    if (producer->data == NULL) {
        TG_TRY(tg__rings_touch(&recorder->rings, ring));
        producer->tail = &control->tail;
        producer->data = tg__rings_data(&recorder->rings, ring);
        producer->mask = recorder->rings.header->ring_size - 1u;
    }
    memset(control->name, 0, sizeof control->name);
    if (name != NULL) {
        strncpy(control->name, name, sizeof control->name - 1);
    }
    control->thread = ++recorder->thread_number;
    /* What the last owner lost, it has told or the writer has: begin with nothing untold. */
    atomic_store_explicit(&control->lost_first, 0, memory_order_relaxed);
    /* Pairs with the writer's acquire: name and number come with it. */
    atomic_store_explicit(&control->state, TG__RING_LIVE, memory_order_release);
    (void)atomic_fetch_add_explicit(&recorder->threads, 1, memory_order_relaxed);
    return TG_OK;
}

tg_err tg__producer_get(tg_recorder *recorder, const char *name, tg__producer **out)
{
    TG_ENSURE(atomic_load_explicit(&recorder->forked, memory_order_relaxed) == 0, TG_ERR_FORKED);
    const uint64_t value = (uint64_t)(uintptr_t)pthread_getspecific(recorder->key);
    uint32_t ring = (uint32_t)(value & ((1u << RING_BITS) - 1)) - 1u;
    if (value == 0) {
        const uint32_t count = recorder->rings.header->threads_max;
        TG_ENSURE(atomic_load_explicit(&recorder->threads, memory_order_relaxed) < count,
                  TG_ERR_FULL); /* spares a thread without a ring the lock */
        tg__registry_lock();
        tg_err err = TG_ERR_FULL;
        for (ring = 0; ring < count; ring++) {
            const tg__ring_control *control = &recorder->rings.controls[ring];
            /* Pairs with the writer's release: the ring is drained and its file part written. */
            if (atomic_load_explicit(&control->state, memory_order_acquire) == TG__RING_FREE) {
                err = take_ring(recorder, ring, name);
                break;
            }
        }
        tg__registry_unlock();
        TG_TRY(err);
        if (pthread_setspecific(recorder->key, key_value_of(recorder->hot.serial, ring)) != 0) {
            atomic_store_explicit(&recorder->rings.controls[ring].state, TG__RING_RETIRED,
                                  memory_order_release); /* as in tg__producer_retire */
            return TG_ERR_NO_MEMORY;
        }
    }
    *out = &recorder->producers[ring];
    tg_record_thread.serial = recorder->hot.serial;
    tg_record_thread.producer = *out;
    return TG_OK;
}

tg__producer *tg_record_producer_get(tg_recorder *recorder)
{
    tg__producer *producer = NULL;
    if (tg__producer_get(recorder, NULL, &producer) != TG_OK) {
        tg_record_refuse(recorder);
        return NULL;
    }
    return producer;
}

/* All of these counters have one writer, the ring's thread; readers need no order among them. */
static void add_relaxed(_Atomic uint64_t *counter, uint64_t by)
{
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + by,
                          memory_order_relaxed);
}

static void note_loss(tg__ring_control *control, uint64_t first, uint64_t last)
{
    const uint64_t from = atomic_load_explicit(&control->lost_first, memory_order_relaxed);
    const uint64_t to = atomic_load_explicit(&control->lost_last, memory_order_relaxed);
    /* The oldest that go are older than the newest that were dropped before. */
    if (from == 0 || first < from) {
        atomic_store_explicit(&control->lost_first, first == 0 ? 1 : first, memory_order_relaxed);
    }
    if (from == 0 || last > to) {
        atomic_store_explicit(&control->lost_last, last, memory_order_relaxed);
    }
}

static unsigned char *put_header(unsigned char *at, uint32_t size, uint32_t id, uint64_t stamp)
{
    const uint32_t head[2] = {size, id};
    memcpy(at, head, sizeof head);
    memcpy(at + 8, &stamp, sizeof stamp);
    return at + TG__RECORD_HEADER;
}

/* What a counter holds and no marker has told. `told` follows the marker's commit: killed between
 * the two, a loss is told twice rather than not at all. */
static void tell_loss(tg__producer *producer, uint32_t site, _Atomic uint64_t *counter,
                      _Atomic uint64_t *told, const uint64_t span_and_stamp[3])
{
    const uint64_t all = atomic_load_explicit(counter, memory_order_relaxed);
    const uint64_t before = atomic_load_explicit(told, memory_order_relaxed);
    if (all == before) {
        return;
    }
    const uint64_t words[] = {all - before, all, span_and_stamp[0], span_and_stamp[1]};
    unsigned char *at = producer->data + (producer->at & producer->mask);
    memcpy(put_header(at, MARKER_SIZE, site, span_and_stamp[2]), words, sizeof words);
    tg__record_commit(producer, MARKER_SIZE);
    atomic_store_explicit(told, all, memory_order_relaxed);
}

/* Write the markers that are due; the caller has made sure of the room for two. */
static void tell_losses(tg__ring_control *control, tg__producer *producer, uint64_t stamp)
{
    const uint64_t first = atomic_load_explicit(&control->lost_first, memory_order_relaxed);
    if (first == 0) {
        return;
    }
    const uint64_t span_and_stamp[] = {
        first, atomic_load_explicit(&control->lost_last, memory_order_relaxed), stamp};
    tell_loss(producer, TG__SITE_DROPPED, &control->dropped, &control->dropped_told,
              span_and_stamp);
    tell_loss(producer, TG__SITE_OVERWRITTEN, &control->overwritten, &control->overwritten_told,
              span_and_stamp);
    atomic_store_explicit(&control->lost_first, 0, memory_order_relaxed);
}

/* Fill the rest of the lap with a mark, so that no record wraps. The mark needs 8 bytes, which
 * there always are. */
static void pad_lap(tg__producer *producer, uint64_t lap_end)
{
    const uint32_t head[2] = {(uint32_t)(lap_end - producer->at), TG__RING_PAD};
    memcpy(producer->data + (producer->at & producer->mask), head, sizeof head);
    tg__record_commit(producer, (size_t)(lap_end - producer->at));
}

/* Give up the oldest records, at least an eighth of the ring. False if the writer holds them. */
static bool give_up_oldest(tg__ring_control *control, tg__producer *producer, uint64_t now)
{
    /* Acquire pairs with the writer's release of head: it has finished with what lies before. */
    uint64_t head = atomic_load_explicit(&control->head, memory_order_acquire);
    if ((head & HEAD_BUSY) != 0) {
        return false;
    }
    const uint64_t wanted = (producer->mask + 1) / 8;
    uint64_t at = head;
    uint64_t count = 0;
    uint64_t first = UINT64_MAX;
    uint64_t last = 0;
    while (at < producer->at && at - head < wanted) {
        uint32_t words[2];
        const unsigned char *record = producer->data + (at & producer->mask);
        memcpy(words, record, sizeof words);
        if (words[1] != TG__RING_PAD) {
            uint64_t stamp = now; /* a stamp of the caller's is of another clock */
            if ((words[1] & TG__SITE_STAMP_NS) == 0) {
                memcpy(&stamp, record + 8, sizeof stamp);
            }
            first = stamp < first ? stamp : first;
            last = stamp > last ? stamp : last;
            count++;
        }
        at += words[0];
    }
    /* Pairs with the writer's compare and swap: one of us gets these bytes. */
    if (!atomic_compare_exchange_strong_explicit(&control->head, &head, at, memory_order_acq_rel,
                                                 memory_order_relaxed)) {
        return true; /* the writer took them: there may be room now */
    }
    if (count != 0) { /* else only the end of a lap went */
        add_relaxed(&control->overwritten, count);
        note_loss(control, first, last);
    }
    return true;
}

/* False: the writer will not come, or is the caller. */
static bool wait_for_writer(tg_recorder *recorder, uint32_t turn)
{
    if (atomic_load_explicit(&recorder->closing, memory_order_relaxed) != 0 ||
        (recorder->host_driven &&
         atomic_load_explicit(&recorder->poller, memory_order_relaxed) == tg__thread_token())) {
        return false;
    }
    if (turn < WAIT_YIELDS) {
        (void)sched_yield();
    } else {
        const struct timespec pause = {0, WAIT_NS};
        (void)nanosleep(&pause, NULL);
    }
    return true;
}

unsigned char *tg_record_make_room(tg_recorder *recorder, tg__producer *producer,
                                   const tg__site *site, size_t size, uint64_t stamp, uint32_t flag)
{
    tg__ring_control *control = control_of(recorder, producer);
    /* Markers and what they say are of the recorder's clock: it is looked at where the caller
     * brought a stamp of another one. */
    const uint64_t now = flag == 0 ? stamp : tg__record_stamp(recorder);
    const uint64_t ring_size = producer->mask + 1;
    const tg_overflow policy = recorder->overflow[site->level];
    const bool possible = size <= TG_RECORD_BYTES_MAX + TG__RECORD_HEADER;
    for (uint32_t turn = 0; possible; turn++) {
        /* Acquire pairs with the writer's release: it has read what we are about to overwrite. */
        const uint64_t head =
            atomic_load_explicit(&control->head, memory_order_acquire) & ~HEAD_BUSY;
        const uint64_t free_end = head + ring_size;
        const uint64_t lap_end = (producer->at | producer->mask) + 1;
        const uint64_t untold = atomic_load_explicit(&control->lost_first, memory_order_relaxed);
        const size_t need = size + (untold != 0 ? (size_t)(2 * MARKER_SIZE) : 0);
        /* Release: `recover` must not take bytes for a record that we have begun to overwrite. */
        atomic_store_explicit(&control->claimed, free_end, memory_order_release);
        if (lap_end - producer->at < need && free_end >= lap_end + need) {
            pad_lap(producer, lap_end);
            continue;
        }
        producer->limit = free_end < lap_end ? free_end : lap_end;
        if (producer->limit - producer->at >= need) {
            tell_losses(control, producer, now);
            return producer->data + (producer->at & producer->mask);
        }
        if (policy == TG_OVERFLOW_OVERWRITE
                ? !give_up_oldest(control, producer, now)
                : policy != TG_OVERFLOW_WAIT || !wait_for_writer(recorder, turn)) {
            break;
        }
    }
    add_relaxed(&control->dropped, 1);
    note_loss(control, now, now);
    producer->limit = producer->at; /* the next call comes here too, and tells of it first */
    return NULL;
}
