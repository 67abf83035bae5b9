#include "tg_cmocka.h"

#include <inttypes.h>
#include <pthread.h>
#include <string.h>

#include <tickglass/recorder.h>

#include "bytes.h"
#include "log_merge.h"
#include "scratch_dir.h"
#include "seeded_random.h"

enum {
    FILES = 4,
    THREADS_A_FILE = 300,
    RINGS = 8,
    EACH = 30
};

#define START_NS INT64_C(1000000000000)

typedef struct share {
    tg_recorder *recorder;
    uint32_t number;
} share;

/* Stamps are given, so that threads that run one after the other lie side by side in time. Pairs of
 * records have one stamp, and every fiftieth thread writes large records behind small ones. */
static void *record_share(void *arg)
{
    static const char letters[3000] = {0};
    const share *s = arg;
    for (uint32_t i = 0; i < EACH; i++) {
        const int64_t stamp = START_NS + ((int64_t)(i / 2) * FILES * THREADS_A_FILE + s->number);
        const bool is_large = s->number % 50 == 0 && i % 3 == 2;
        const size_t size = is_large ? (i * 997u) % sizeof letters : i % 3;
        TG_RECORD_AT(s->recorder, TG_RECORD_INFO, stamp, "thread %u number %u %p", s->number, i,
                     tg_blob_of(letters, size));
    }
    return NULL;
}

static void make_file(const char *path, const char *rings_dir, uint32_t first)
{
    tg_recorder_options opt;
    tg_recorder_options_init(&opt);
    opt.path = path;
    opt.rings_dir = rings_dir;
    opt.ring_size = 1 << 18;
    opt.threads_max = 2 * RINGS;
    opt.overflow[TG_RECORD_INFO] = TG_OVERFLOW_WAIT;
    share s = {NULL, first};
    assert_int_equal(tg_recorder_open(&opt, &s.recorder), TG_OK);
    for (uint32_t i = 0; i < THREADS_A_FILE; i++, s.number++) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, record_share, &s), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
        if (i % RINGS == RINGS - 1) { /* the rings of those that have ended serve the next */
            assert_int_equal(tg_recorder_flush(s.recorder, 60000), TG_OK);
        }
    }
    tg_recorder_close(s.recorder);
}

static void very_many_threads_of_several_files_come_in_the_order_of_their_times(void **state)
{
    (void)state;
    static tg__log_file files[FILES];
    static uint32_t next[FILES * THREADS_A_FILE];
    const scratch_dir dir = scratch_make();
    char paths[FILES][1024];
    size_t threads = 0;
    for (uint32_t f = 0; f < FILES; f++) {
        char name[16];
        (void)snprintf(name, sizeof name, "%u.tgrec", (unsigned)f);
        make_file(scratch_name(&dir, name, paths[f], sizeof paths[f]), dir.path,
                  f * THREADS_A_FILE);
        assert_int_equal(tg__log_file_open(paths[f], &files[f]), TG_OK);
        threads += files[f].thread_count;
        /* One relation of monotonic time to UTC for all: each file's own differs by nanoseconds. */
        for (size_t a = 0; a < files[f].times.count; a++) {
            files[f].times.anchors[a].utc_ns = files[f].times.anchors[a].mono_ns;
        }
    }
    assert_int_equal(threads, FILES * THREADS_A_FILE);
    tg__log_merge merge;
    tg__log_record record;
    assert_int_equal(tg__log_merge_open(files, FILES, &merge), TG_OK);
    int64_t last_ns = INT64_MIN;
    uint64_t count = 0;
    while (tg__log_merge_next(&merge, &record) == TG_OK) {
        const uint32_t number = tg__get_u32(record.arguments);
        assert_true(record.mono_ns >= last_ns);
        assert_true(number < FILES * THREADS_A_FILE);
        assert_int_equal(tg__get_u32(record.arguments + 4), next[number]);
        next[number]++;
        last_ns = record.mono_ns;
        count++;
    }
    assert_int_equal(count, FILES * THREADS_A_FILE * EACH);
    assert_int_equal(merge.late_count, 0);
    tg__log_merge_close(&merge);
    for (int f = 0; f < FILES; f++) {
        assert_int_equal(files[f].problem_count, 0);
        tg__log_file_close(&files[f]);
    }
    scratch_remove(&dir);
}

/* Records of a thread with their own step in time, some of them late by a few. */
typedef struct pace {
    tg_recorder *recorder;
    uint32_t thread;
    uint32_t count;
    int64_t step_ns;
    seeded_random *random; /* NULL: every stamp ascends */
} pace;

static void *record_at_pace(void *arg)
{
    const pace *p = arg;
    for (uint32_t i = 0; i < p->count; i++) {
        const int64_t late = p->random != NULL ? (int64_t)random_below(p->random, 100) : 0;
        TG_RECORD_AT(p->recorder, TG_RECORD_INFO, START_NS + ((int64_t)i - late) * p->step_ns,
                     "thread %u number %u", p->thread, i);
    }
    return NULL;
}

typedef struct paced_file {
    scratch_dir dir;
    char path[1024];
    tg__log_file file;
} paced_file;

/* Each of the paces on a thread, one thread after the other. */
static void paced_open(paced_file *p, pace *paces, uint32_t count)
{
    tg_recorder_options opt;
    p->dir = scratch_make();
    tg_recorder_options_init(&opt);
    opt.path = scratch_name(&p->dir, "paced.tgrec", p->path, sizeof p->path);
    opt.rings_dir = p->dir.path;
    opt.ring_size = 1 << 18;
    opt.threads_max = count;
    opt.overflow[TG_RECORD_INFO] = TG_OVERFLOW_WAIT;
    tg_recorder *recorder = NULL;
    assert_int_equal(tg_recorder_open(&opt, &recorder), TG_OK);
    for (uint32_t i = 0; i < count; i++) {
        pthread_t thread;
        paces[i].recorder = recorder;
        paces[i].thread = i;
        assert_int_equal(pthread_create(&thread, NULL, record_at_pace, &paces[i]), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
    }
    tg_recorder_close(recorder);
    assert_int_equal(tg__log_file_open(p->path, &p->file), TG_OK);
}

static void paced_close(paced_file *p)
{
    assert_int_equal(p->file.problem_count, 0);
    tg__log_file_close(&p->file);
    scratch_remove(&p->dir);
}

/* A thread that alone fills slice after slice, while hundreds have a record now and then. */
static void a_busy_thread_among_many_quiet_ones_comes_in_order(void **state)
{
    (void)state;
    enum {
        QUIET = 299,
        BUSY = QUIET,
        BUSY_RECORDS = 60000
    };
    static pace paces[QUIET + 1];
    static uint32_t next[QUIET + 1];
    for (uint32_t i = 0; i < QUIET; i++) {
        paces[i] = (pace){NULL, i, 1 + i % 40, 1500 * (1 + (int64_t)i), NULL};
    }
    paces[BUSY] = (pace){NULL, BUSY, BUSY_RECORDS, 1, NULL};
    paced_file p;
    paced_open(&p, paces, QUIET + 1);
    tg__log_merge merge;
    tg__log_record record;
    assert_int_equal(tg__log_merge_open(&p.file, 1, &merge), TG_OK);
    int64_t last_ns = INT64_MIN;
    while (tg__log_merge_next(&merge, &record) == TG_OK) {
        const uint32_t thread = tg__get_u32(record.arguments);
        assert_true(record.mono_ns >= last_ns);
        assert_int_equal(record.mono_ns, START_NS + next[thread] * paces[thread].step_ns);
        assert_int_equal(tg__get_u32(record.arguments + 4), next[thread]);
        next[thread]++;
        last_ns = record.mono_ns;
    }
    for (uint32_t i = 0; i <= QUIET; i++) {
        assert_int_equal(next[i], paces[i].count);
    }
    assert_int_equal(merge.late_count, 0);
    /* The busy thread alone was read further ahead. */
    assert_true(merge.spare >= ((size_t)7 << 20));
    assert_true(merge.spare < ((size_t)8 << 20));
    tg__log_merge_close(&merge);
    paced_close(&p);
}

static void what_is_late_by_less_than_the_window_is_put_in_order(void **state)
{
    (void)state;
    seeded_random random = random_start("late", 21);
    static bool seen[20000];
    pace one = {NULL, 0, 20000, 10, &random};
    paced_file p;
    paced_open(&p, &one, 1);
    tg__log_merge merge;
    tg__log_record record;
    assert_int_equal(tg__log_merge_open(&p.file, 1, &merge), TG_OK);
    int64_t last_ns = INT64_MIN;
    uint32_t count = 0;
    while (tg__log_merge_next(&merge, &record) == TG_OK) {
        const uint32_t number = tg__get_u32(record.arguments + 4);
        assert_true(record.mono_ns >= last_ns);
        assert_true(number < one.count && !seen[number]);
        seen[number] = true;
        last_ns = record.mono_ns;
        count++;
    }
    assert_int_equal(count, one.count);
    assert_int_equal(merge.late_count, 0);
    tg__log_merge_close(&merge);
    paced_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(very_many_threads_of_several_files_come_in_the_order_of_their_times),
        cmocka_unit_test(a_busy_thread_among_many_quiet_ones_comes_in_order),
        cmocka_unit_test(what_is_late_by_less_than_the_window_is_put_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
