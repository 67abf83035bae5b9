#include <tickglass/recorder.h>

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <tickglass/internal/control_flow.h>

#include "producer.h"
#include "recorder_state.h"
#include "registry.h"

#define RING_SIZE_DEFAULT (UINT32_C(1) << 20)
#define RING_SIZE_MIN     (UINT32_C(1) << 18) /* four of the largest records */
#define RING_SIZE_MAX     (UINT32_C(1) << 30)
#define THREADS_DEFAULT   64u
#define THREADS_MAX       4096u
#define IDLE_US_DEFAULT   2000u
#define BUSY_SHARE        16u /* of a ring that fills between two rounds */
#define IDLE_US_MAX       1000000u
#define IDLE_FIRST_US     50u
#define REFUSED_PAUSE_US  20000u
#define CACHE_LINE        64u
#define CLOSE_ATTEMPTS    50

void tg_recorder_options_init(tg_recorder_options *opt)
{
    memset(opt, 0, sizeof *opt);
    opt->struct_size = sizeof *opt;
}

static void pause_us(uint32_t us)
{
    const struct timespec pause = {(time_t)(us / 1000000u), (long)(us % 1000000u) * 1000};
    (void)nanosleep(&pause, NULL); /* woken early: one round more */
}

static bool tail_is_zero(const void *opt, size_t known, size_t size)
{
    const unsigned char *bytes = opt;
    for (size_t i = known; i < size; i++) {
        if (bytes[i] != 0) {
            return false;
        }
    }
    return true;
}

static tg_err resolve_options(const tg_recorder_options *opt, tg_recorder_options *out)
{
    TG_ENSURE(opt != NULL && opt->struct_size >= sizeof opt->struct_size, TG_ERR_INVALID_ARGUMENT);
    tg_recorder_options_init(out);
    if (opt->struct_size > sizeof *out) {
        TG_ENSURE(tail_is_zero(opt, sizeof *out, opt->struct_size), TG_ERR_UNSUPPORTED);
    }
    memcpy(out, opt, opt->struct_size < sizeof *out ? opt->struct_size : sizeof *out);
    out->ring_size = out->ring_size == 0 ? RING_SIZE_DEFAULT : out->ring_size;
    out->threads_max = out->threads_max == 0 ? THREADS_DEFAULT : out->threads_max;
    out->idle_us = out->idle_us == 0 ? IDLE_US_DEFAULT : out->idle_us;
    out->level = out->level == 0 ? TG_RECORD_INFO : out->level;
    TG_ENSURE(out->path != NULL && out->path[0] != '\0', TG_ERR_INVALID_ARGUMENT);
    TG_ENSURE((out->ring_size & (out->ring_size - 1)) == 0 && out->ring_size >= RING_SIZE_MIN &&
                  out->ring_size <= RING_SIZE_MAX,
              TG_ERR_INVALID_ARGUMENT);
    TG_ENSURE(out->threads_max <= THREADS_MAX && out->idle_us <= IDLE_US_MAX,
              TG_ERR_INVALID_ARGUMENT);
    TG_ENSURE((int)out->level >= TG_RECORD_ERROR && (int)out->level <= TG_RECORD_DETAIL,
              TG_ERR_INVALID_ARGUMENT);
    for (int i = 0; i < TG_RECORD_LEVEL_COUNT; i++) {
        TG_ENSURE((int)out->overflow[i] >= TG_OVERFLOW_DEFAULT &&
                      (int)out->overflow[i] <= TG_OVERFLOW_OVERWRITE,
                  TG_ERR_INVALID_ARGUMENT);
    }
    return TG_OK;
}

/* Not a secret: it only has to differ from that of any other recorder on this machine. */
static uint64_t make_id(const void *own)
{
    const tg_clock system = tg_clock_system();
    uint64_t mixed = (uint64_t)tg_clock_utc_ns(&system) ^ ((uint64_t)getpid() << 44) ^
                     ((uint64_t)(uintptr_t)own << 8);
    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ (mixed >> 31);
}

static void *run_writer(void *arg)
{
    tg_recorder *recorder = arg;
    uint32_t pause = recorder->idle_us;
    /* Relaxed: close joins this thread, which is the synchronisation. */
    while (atomic_load_explicit(&recorder->closing, memory_order_relaxed) == 0) {
        uint64_t moved = 0;
        if (tg__writer_round(recorder, &moved) != TG_OK) {
            pause_us(REFUSED_PAUSE_US);
            continue;
        }
        /* Nobody signals a record, for that would cost the recording thread more than all else. So
         * a ring that fills quickly shortens the pauses, and single records do not. */
        if (recorder->writer.fullest >= recorder->rings.header->ring_size / BUSY_SHARE) {
            pause = IDLE_FIRST_US;
            continue;
        }
        pause_us(pause);
        pause = pause * 2 < recorder->idle_us ? pause * 2 : recorder->idle_us;
    }
    return NULL;
}

/* With every signal blocked: the host's handlers run on the host's threads. */
static int start_thread(tg_recorder *recorder)
{
    sigset_t all;
    sigset_t before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    const int failure = pthread_create(&recorder->thread, NULL, run_writer, recorder);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failure;
}

static void free_memory(tg_recorder *recorder)
{
    free(recorder->producers);
    free(recorder);
}

static tg_err prepare(tg_recorder *made, const tg_recorder_options *opt)
{
    made->rings.fd = -1;
    made->writer.fd = -1;
    made->host_driven = opt->host_driven;
    made->idle_us = opt->idle_us;
    made->clock = opt->clock != NULL ? *opt->clock : tg_clock_system();
    made->hot.level = (uint32_t)opt->level;
    made->hot.clock_kind = opt->clock != NULL ? TG__CLOCK_GIVEN : tg__clock_kind_best();
    for (int i = 0; i < TG_RECORD_LEVEL_COUNT; i++) {
        made->overflow[i] =
            opt->overflow[i] == TG_OVERFLOW_DEFAULT ? TG_OVERFLOW_DROP_NEWEST : opt->overflow[i];
        made->overwrites = made->overwrites || opt->overflow[i] == TG_OVERFLOW_OVERWRITE;
    }
    const size_t producers_size = opt->threads_max * sizeof *made->producers;
    made->producers = aligned_alloc(CACHE_LINE, producers_size);
    TG_ENSURE(made->producers != NULL, TG_ERR_NO_MEMORY);
    memset(made->producers, 0, producers_size);
    const tg__rings_options rings = {opt->rings_dir, opt->path, make_id(made), opt->threads_max,
                                     opt->ring_size};
    TG_TRY(tg__rings_create(&rings, &made->rings));
    made->rings.header->clock_kind = made->hot.clock_kind;
    made->rings.header->overwrites = made->overwrites ? 1 : 0;
    made->rings.header->first_anchor = tg__anchor_take(made->hot.clock_kind, &made->clock);
    return TG_OK;
}

tg_err tg_recorder_open(const tg_recorder_options *opt, tg_recorder **out)
{
    TG_ENSURE(out != NULL, TG_ERR_INVALID_ARGUMENT);
    *out = NULL;
    tg_recorder_options resolved;
    TG_TRY(resolve_options(opt, &resolved));
    _Static_assert(sizeof(tg__producer) == CACHE_LINE, "a producer fills a line of its own");
    tg_recorder *made =
        aligned_alloc(CACHE_LINE, (sizeof *made + CACHE_LINE - 1) & ~(size_t)(CACHE_LINE - 1));
    TG_ENSURE(made != NULL, TG_ERR_NO_MEMORY);
    memset(made, 0, sizeof *made);

    bool listed = false;
    bool keyed = false;
    bool file_made = false;
    int failure = 0;
    tg_err err = prepare(made, &resolved);
    if (err != TG_OK) {
        goto fail;
    }
    if (pthread_key_create(&made->key, tg__producer_retire) != 0) {
        err = TG_ERR_NO_MEMORY;
        goto fail;
    }
    keyed = true;
    /* Until somebody polls, take the opening thread for the one that will. */
    atomic_store_explicit(&made->poller, tg__thread_token(), memory_order_relaxed);
    tg__registry_lock();
    tg__registry_add(made);
    tg__registry_unlock();
    listed = true;
    err = tg__writer_init(made, &resolved);
    file_made = made->writer.fd >= 0;
    if (err != TG_OK) {
        goto fail;
    }
    if (!made->host_driven) {
        failure = start_thread(made);
        if (failure != 0) {
            err = TG_ERR_NO_MEMORY;
            goto fail;
        }
        made->thread_started = true;
    }
    *out = made;
    return TG_OK;

fail:
    failure = failure != 0 ? failure : errno;
    if (listed) {
        tg__registry_lock();
        tg__registry_remove(made);
        tg__registry_unlock();
    }
    if (keyed) {
        (void)pthread_key_delete(made->key);
    }
    tg__writer_deinit(made, file_made);
    tg__rings_close(&made->rings, 1);
    free_memory(made);
    errno = failure;
    return err;
}

/* Everything out of the rings and the file ended; false if the disk refuses too often. */
static bool finish(tg_recorder *recorder)
{
    uint64_t moved = 1;
    bool ended = false;
    for (int attempt = 0; attempt < CLOSE_ATTEMPTS && !ended;) {
        tg_err err = tg__writer_round(recorder, &moved);
        if (err == TG_OK && moved == 0) {
            err = tg__writer_end(recorder);
            ended = err == TG_OK;
        }
        if (err != TG_OK) {
            attempt++;
            pause_us(REFUSED_PAUSE_US);
        }
    }
    return ended;
}

void tg_recorder_close(tg_recorder *recorder)
{
    if (recorder == NULL) {
        return;
    }
    const bool own = atomic_load_explicit(&recorder->forked, memory_order_relaxed) == 0;
    bool finished = false;
    if (own) {
        atomic_store_explicit(&recorder->closing, 1, memory_order_relaxed);
        if (recorder->thread_started) {
            (void)pthread_join(recorder->thread, NULL);
        }
        finished = finish(recorder);
    }
    tg__registry_lock();
    tg__registry_remove(recorder); /* from here on leaving threads do not touch it */
    tg__registry_unlock();
    (void)pthread_key_delete(recorder->key);
    tg__writer_deinit(recorder, false);
    tg__rings_close(&recorder->rings, finished);
    free_memory(recorder);
}

tg_err tg_recorder_prepare_thread(tg_recorder *recorder, const char *name)
{
    TG_ENSURE(recorder != NULL, TG_ERR_INVALID_ARGUMENT);
    tg__producer *producer = NULL;
    return tg__producer_get(recorder, name, &producer);
}

tg_err tg_recorder_poll(tg_recorder *recorder, uint64_t *moved)
{
    TG_ENSURE(recorder != NULL, TG_ERR_INVALID_ARGUMENT);
    TG_ENSURE(recorder->host_driven, TG_ERR_STATE);
    TG_ENSURE(atomic_load_explicit(&recorder->forked, memory_order_relaxed) == 0, TG_ERR_FORKED);
    /* Only compared by the same thread with itself: no order needed. */
    atomic_store_explicit(&recorder->poller, tg__thread_token(), memory_order_relaxed);
    uint64_t count = 0;
    const tg_err err = tg__writer_round(recorder, &count);
    if (moved != NULL) {
        *moved = count;
    }
    return err;
}

/* True if the writer has given back every byte below the marks. */
static bool reached(const tg_recorder *recorder, const uint64_t *marks)
{
    for (uint32_t i = 0; i < recorder->rings.header->threads_max; i++) {
        /* Acquire pairs with the writer's release after its write. */
        if (atomic_load_explicit(&recorder->rings.controls[i].head, memory_order_acquire) <
            marks[i]) {
            return false;
        }
    }
    return true;
}

static tg_err wait_for_marks(tg_recorder *recorder, const uint64_t *marks, uint32_t timeout_ms)
{
    const tg_clock system = tg_clock_system();
    const int64_t deadline = tg_clock_mono_ns(&system) + (int64_t)timeout_ms * 1000000;
    /* With overwriting, heads are ahead of the file: two more rounds, one of which may have been
     * under way, bring the file to them. Pairs with the writer's release at a round's end. */
    const uint64_t rounds = atomic_load_explicit(&recorder->writer.rounds, memory_order_acquire) +
                            (recorder->overwrites ? 2 : 0);
    while (!reached(recorder, marks) ||
           atomic_load_explicit(&recorder->writer.rounds, memory_order_acquire) < rounds) {
        if (recorder->host_driven) {
            TG_TRY(tg_recorder_poll(recorder, NULL));
            continue;
        }
        TG_ENSURE(tg_clock_mono_ns(&system) < deadline, TG_ERR_TIMEOUT);
        pause_us(IDLE_FIRST_US);
    }
    return TG_OK;
}

tg_err tg_recorder_flush(tg_recorder *recorder, uint32_t timeout_ms)
{
    TG_ENSURE(recorder != NULL, TG_ERR_INVALID_ARGUMENT);
    TG_ENSURE(atomic_load_explicit(&recorder->forked, memory_order_relaxed) == 0, TG_ERR_FORKED);
    const uint32_t count = recorder->rings.header->threads_max;
    uint64_t *marks = malloc(count * sizeof *marks);
    TG_ENSURE(marks != NULL, TG_ERR_NO_MEMORY);
    for (uint32_t i = 0; i < count; i++) {
        marks[i] = atomic_load_explicit(&recorder->rings.controls[i].tail, memory_order_acquire);
    }
    const tg_err err = wait_for_marks(recorder, marks, timeout_ms);
    free(marks);
    return err;
}

tg_err tg_recorder_counters_get(const tg_recorder *recorder, tg_recorder_counters *out)
{
    TG_ENSURE(recorder != NULL && out != NULL && out->struct_size >= sizeof out->struct_size,
              TG_ERR_INVALID_ARGUMENT);
    tg_recorder_counters now;
    memset(&now, 0, sizeof now);
    now.struct_size = out->struct_size;
    now.records = atomic_load_explicit(&recorder->writer.records, memory_order_relaxed);
    now.file_bytes = atomic_load_explicit(&recorder->writer.file_bytes, memory_order_relaxed);
    now.write_errors = atomic_load_explicit(&recorder->writer.write_errors, memory_order_relaxed);
    now.files = atomic_load_explicit(&recorder->writer.files, memory_order_relaxed);
    now.files_removed = atomic_load_explicit(&recorder->writer.files_removed, memory_order_relaxed);
    now.threads = atomic_load_explicit(&recorder->threads, memory_order_relaxed);
    now.dropped = atomic_load_explicit(&recorder->refused, memory_order_relaxed);
    for (uint32_t i = 0; i < recorder->rings.header->threads_max; i++) {
        const tg__ring_control *control = &recorder->rings.controls[i];
        now.dropped += atomic_load_explicit(&control->dropped, memory_order_relaxed);
        now.overwritten += atomic_load_explicit(&control->overwritten, memory_order_relaxed);
    }
    memcpy(out, &now, out->struct_size < sizeof now ? out->struct_size : sizeof now);
    return TG_OK;
}

void tg_recorder_last_error(const tg_recorder *recorder, char *buf, size_t size)
{
    if (size == 0) {
        return;
    }
    tg__registry_lock();
    const size_t length = strlen(recorder->writer.error);
    const size_t used = length < size ? length : size - 1;
    memcpy(buf, recorder->writer.error, used);
    buf[used] = '\0';
    tg__registry_unlock();
}
