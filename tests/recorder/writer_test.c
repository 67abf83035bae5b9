/* Linked with --wrap=pwrite, so that a write can be held as a stalled disk holds it. */
#include "tg_cmocka.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <tickglass/recorder.h>

#include "bytes.h"
#include "log_merge.h"
#include "recover.h"
#include "scratch_dir.h"

#define LIMIT 20000u

typedef struct paths {
    scratch_dir dir;
    char file[1024];
    char out[1024];
} paths;

static paths paths_make(void)
{
    paths p;
    p.dir = scratch_make();
    (void)scratch_name(&p.dir, "full.tgrec", p.file, sizeof p.file);
    (void)scratch_name(&p.dir, "out.tgrec", p.out, sizeof p.out);
    return p;
}

static tg_recorder *open_recorder(const paths *p)
{
    tg_recorder_options opt;
    tg_recorder_options_init(&opt);
    opt.path = p->file;
    opt.rings_dir = p->dir.path;
    opt.ring_size = 1 << 18;
    opt.threads_max = 2;
    opt.host_driven = true;
    tg_recorder *recorder = NULL;
    return tg_recorder_open(&opt, &recorder) == TG_OK ? recorder : NULL;
}

/* A limit on the size of files stands for a full disk: writes beyond it are refused. The rings are
 * made before. */
static bool set_file_limit(rlim_t size)
{
    struct rlimit limit;
    (void)signal(SIGXFSZ, SIG_IGN);
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0) {
        return false;
    }
    limit.rlim_cur = size;
    return setrlimit(RLIMIT_FSIZE, &limit) == 0;
}

static void record_some(tg_recorder *recorder, uint64_t from, uint64_t to)
{
    for (uint64_t i = from; i < to; i++) {
        TG_RECORD(recorder, TG_RECORD_INFO, "number %" PRIu64 " of %s", i,
                  tg_text_of("0123456789abcdefghijklmnopqrstuvwxyz", 36));
    }
}

/* 0: as it should be. Runs in a child, for the limit holds for the whole process. */
static int fill_the_disk(const paths *p, bool clear_it)
{
    tg_recorder *recorder = open_recorder(p);
    if (recorder == NULL || tg_recorder_prepare_thread(recorder, NULL) != TG_OK ||
        !set_file_limit(LIMIT)) {
        return 1;
    }
    record_some(recorder, 0, 2000);
    uint64_t moved = 0;
    if (tg_recorder_poll(recorder, &moved) != TG_ERR_IO ||
        tg_recorder_poll(recorder, &moved) != TG_ERR_IO) {
        return 2;
    }
    char error[256];
    tg_recorder_last_error(recorder, error, sizeof error);
    if (strstr(error, p->file) == NULL || strstr(error, "offset") == NULL) {
        return 3;
    }
    record_some(recorder, 2000, 2500); /* the producer goes on meanwhile */
    if (clear_it && !set_file_limit(RLIM_INFINITY)) {
        return 4;
    }
    tg_recorder_close(recorder);
    return 0;
}

static int in_child(const paths *p, bool clear_it)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        _exit(fill_the_disk(p, clear_it));
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void count_to(const char *path, uint64_t expected)
{
    tg__log_file file;
    tg__log_merge merge;
    tg__log_record record;
    uint64_t next = 0;
    assert_int_equal(tg__log_file_open(path, &file), TG_OK);
    assert_int_equal(tg__log_merge_open(&file, 1, &merge), TG_OK);
    while (tg__log_merge_next(&merge, &record) == TG_OK) {
        assert_int_equal(tg__get_u64(record.arguments), next);
        next++;
    }
    assert_int_equal(next, expected);
    assert_int_equal(file.problem_count, 0);
    tg__log_merge_close(&merge);
    tg__log_file_close(&file);
}

/* The only note of a kind. */
static const tg__note *find_note(const tg__log_file *file, uint32_t kind)
{
    const tg__note *found = NULL;
    for (size_t i = 0; i < file->note_count; i++) {
        if (file->notes[i].kind == kind) {
            assert_null(found);
            found = &file->notes[i];
        }
    }
    assert_non_null(found);
    return found;
}

static void a_full_disk_loses_nothing_and_is_told_when_it_clears(void **state)
{
    (void)state;
    const paths p = paths_make();
    assert_int_equal(in_child(&p, true), 0);
    assert_int_equal(scratch_count(&p.dir, ".rings"), 0);
    count_to(p.file, 2500);
    tg__log_file file;
    assert_int_equal(tg__log_file_open(p.file, &file), TG_OK);
    const tg__note *note = find_note(&file, TG__NOTE_STALL);
    assert_true(note->count >= 2);
    assert_true(note->error != 0);
    assert_true(note->to_mono_ns >= note->from_mono_ns);
    assert_int_equal(note->lost, 0);
    tg__log_file_close(&file);
    scratch_remove(&p.dir);
}

static void a_disk_that_stays_full_leaves_the_rest_in_the_rings(void **state)
{
    (void)state;
    const paths p = paths_make();
    assert_int_equal(in_child(&p, false), 0);
    assert_int_equal(scratch_count(&p.dir, ".rings"), 1);
    tg__log_file file;
    tg__recover_report report;
    assert_int_equal(tg__log_file_open(p.file, &file), TG_OK);
    assert_int_equal(tg__recover(&file, 1, NULL, p.out, &report), TG_OK);
    tg__log_file_close(&file);
    count_to(p.out, 2500);
    scratch_remove(&p.dir);
}

ssize_t __real_pwrite(int fd, const void *bytes, size_t size, off_t offset);
ssize_t __wrap_pwrite(int fd, const void *bytes, size_t size, off_t offset);

/* The disk: while it stalls, a write is held until it is released. */
static _Atomic bool stalls;
static sem_t held;
static sem_t released;
static bool refuses_new_files; /* of one thread only */

ssize_t __wrap_pwrite(int fd, const void *bytes, size_t size, off_t offset)
{
    if (atomic_load_explicit(&stalls, memory_order_acquire)) {
        (void)sem_post(&held);
        while (sem_wait(&released) != 0) {
        }
    }
    if (refuses_new_files && offset == 0) {
        errno = ENOSPC;
        return -1;
    }
    return __real_pwrite(fd, bytes, size, offset);
}

static _Atomic int64_t clock_ns;

static int64_t read_clock(void *ctx)
{
    (void)ctx;
    return atomic_load_explicit(&clock_ns, memory_order_relaxed);
}

#define CALLS    UINT64_C(30000) /* far more than a ring of 256 KiB holds */
#define STALL_NS INT64_C(5000000000)

typedef struct stalled {
    paths p;
    tg_recorder *recorder;
} stalled;

/* A recorder with a thread of its own, which sits in a write. */
static void stall(stalled *s, tg_overflow policy)
{
    static const tg_clock clock = {read_clock, read_clock, NULL, NULL};
    s->p = paths_make();
    atomic_store_explicit(&clock_ns, 1000, memory_order_relaxed);
    assert_int_equal(sem_init(&held, 0, 0), 0);
    assert_int_equal(sem_init(&released, 0, 0), 0);
    tg_recorder_options opt;
    tg_recorder_options_init(&opt);
    opt.path = s->p.file;
    opt.rings_dir = s->p.dir.path;
    opt.ring_size = 1 << 18;
    opt.threads_max = 2;
    opt.clock = &clock;
    opt.overflow[TG_RECORD_INFO] = policy;
    assert_int_equal(tg_recorder_open(&opt, &s->recorder), TG_OK);
    assert_int_equal(tg_recorder_prepare_thread(s->recorder, NULL), TG_OK);
    atomic_store_explicit(&stalls, true, memory_order_release);
    TG_RECORD(s->recorder, TG_RECORD_INFO, "number %" PRIu64, UINT64_C(0));
    while (sem_wait(&held) != 0) {
    }
}

static void clear(void)
{
    (void)atomic_fetch_add_explicit(&clock_ns, STALL_NS, memory_order_relaxed);
    atomic_store_explicit(&stalls, false, memory_order_release);
    assert_int_equal(sem_post(&released), 0);
}

static tg_recorder_counters count_and_close(stalled *s)
{
    tg_recorder_counters counters = {.struct_size = sizeof counters};
    assert_int_equal(tg_recorder_flush(s->recorder, 60000), TG_OK);
    assert_int_equal(tg_recorder_counters_get(s->recorder, &counters), TG_OK);
    tg_recorder_close(s->recorder);
    assert_int_equal(sem_destroy(&held), 0);
    assert_int_equal(sem_destroy(&released), 0);
    return counters;
}

/* The records of a site, 0: those of the test. */
static uint64_t count_site(tg__log_file *file, uint32_t site, uint64_t *argument_sum)
{
    tg__log_merge merge;
    tg__log_record record;
    uint64_t count = 0;
    *argument_sum = 0;
    assert_int_equal(tg__log_merge_open(file, 1, &merge), TG_OK);
    while (tg__log_merge_next(&merge, &record) == TG_OK) {
        if (site == 0 ? record.site->id >= TG__SITE_FIRST_OF_USER : record.site->id == site) {
            *argument_sum += tg__get_u64(record.arguments);
            count++;
        }
    }
    tg__log_merge_close(&merge);
    return count;
}

static void a_stalled_disk_holds_nobody_up_and_is_told_when_it_clears(void **state)
{
    (void)state;
    stalled s;
    stall(&s, TG_OVERFLOW_DROP_NEWEST);
    for (uint64_t i = 1; i < CALLS; i++) { /* each returns, or this test does not end */
        TG_RECORD(s.recorder, TG_RECORD_INFO, "number %" PRIu64, i);
    }
    clear();
    assert_int_equal(tg_recorder_flush(s.recorder, 60000), TG_OK);
    TG_RECORD(s.recorder, TG_RECORD_INFO, "number %" PRIu64, UINT64_C(0));
    const tg_recorder_counters counters = count_and_close(&s);
    assert_true(counters.dropped > 0);
    assert_int_equal(counters.write_errors, 0);
    tg__log_file file;
    assert_int_equal(tg__log_file_open(s.p.file, &file), TG_OK);
    const tg__note *note = find_note(&file, TG__NOTE_SLOW);
    assert_int_equal(note->count, 1);
    assert_int_equal(note->to_mono_ns - note->from_mono_ns, STALL_NS);
    assert_int_equal(note->lost, counters.dropped);
    uint64_t sum = 0;
    assert_int_equal(count_site(&file, 0, &sum) + counters.dropped, CALLS + 1);
    assert_int_equal(count_site(&file, TG__SITE_DROPPED, &sum), 1);
    assert_int_equal(sum, counters.dropped);
    tg__log_file_close(&file);
    scratch_remove(&s.p.dir);
}

static void a_flight_recorder_goes_on_over_a_stalled_disk(void **state)
{
    (void)state;
    stalled s;
    stall(&s, TG_OVERFLOW_OVERWRITE);
    for (uint64_t i = 1; i < CALLS; i++) {
        TG_RECORD(s.recorder, TG_RECORD_INFO, "number %" PRIu64, i);
    }
    clear();
    const tg_recorder_counters counters = count_and_close(&s);
    assert_int_equal(counters.dropped, 0);
    assert_true(counters.overwritten > 0);
    tg__log_file file;
    assert_int_equal(tg__log_file_open(s.p.file, &file), TG_OK);
    const tg__note *note = find_note(&file, TG__NOTE_SLOW);
    assert_int_equal(note->to_mono_ns - note->from_mono_ns, STALL_NS);
    assert_int_equal(note->lost, counters.overwritten);
    tg__log_file_close(&file);
    scratch_remove(&s.p.dir);
}

static void *record_all(void *arg)
{
    for (uint64_t i = 1; i < CALLS; i++) {
        TG_RECORD(arg, TG_RECORD_INFO, "number %" PRIu64, i);
    }
    return NULL;
}

static void who_asked_to_wait_loses_nothing_to_a_stalled_disk(void **state)
{
    (void)state;
    stalled s;
    pthread_t thread;
    stall(&s, TG_OVERFLOW_WAIT);
    assert_int_equal(pthread_create(&thread, NULL, record_all, s.recorder), 0);
    clear();
    assert_int_equal(pthread_join(thread, NULL), 0);
    const tg_recorder_counters counters = count_and_close(&s);
    assert_int_equal(counters.dropped + counters.overwritten, 0);
    tg__log_file file;
    assert_int_equal(tg__log_file_open(s.p.file, &file), TG_OK);
    uint64_t sum = 0;
    assert_int_equal(count_site(&file, 0, &sum), CALLS);
    assert_int_equal(find_note(&file, TG__NOTE_SLOW)->lost, 0);
    tg__log_file_close(&file);
    scratch_remove(&s.p.dir);
}

/* Records until the file is as large; with an error it stays at the round that has it. */
static tg_err record_to_size(tg_recorder *recorder, uint64_t *number, uint64_t file_bytes)
{
    tg_recorder_counters counters = {.struct_size = sizeof counters};
    while (counters.file_bytes < file_bytes) {
        record_some(recorder, *number, *number + 10);
        *number += 10;
        const tg_err err = tg_recorder_poll(recorder, NULL);
        if (err != TG_OK) {
            return err;
        }
        assert_int_equal(tg_recorder_counters_get(recorder, &counters), TG_OK);
    }
    return TG_OK;
}

static void a_file_that_cannot_be_begun_is_no_reason_to_leave_the_one_that_there_is(void **state)
{
    (void)state;
    const paths p = paths_make();
    char next[1100];
    (void)snprintf(next, sizeof next, "%s.1", p.file);
    tg_recorder_options opt;
    tg_recorder_options_init(&opt);
    opt.path = p.file;
    opt.rings_dir = p.dir.path;
    opt.ring_size = 1 << 18;
    opt.host_driven = true;
    opt.rotate_bytes = LIMIT;
    tg_recorder *recorder = NULL;
    uint64_t number = 0;
    assert_int_equal(tg_recorder_open(&opt, &recorder), TG_OK);
    refuses_new_files = true;
    assert_int_equal(record_to_size(recorder, &number, 2 * LIMIT), TG_ERR_IO);
    assert_int_equal(access(next, F_OK), -1); /* nothing is left of the attempt */
    char error[256];
    tg_recorder_last_error(recorder, error, sizeof error);
    assert_non_null(strstr(error, "rotation of "));
    assert_non_null(strstr(error, ".1 "));
    refuses_new_files = false;
    assert_int_equal(record_to_size(recorder, &number, 3 * LIMIT), TG_OK);
    assert_int_equal(access(next, F_OK), 0);
    tg_recorder_close(recorder);

    tg__log_file files[2];
    uint64_t sum[2];
    assert_int_equal(tg__log_file_open(p.file, &files[0]), TG_OK);
    assert_int_equal(tg__log_file_open(next, &files[1]), TG_OK);
    assert_true(files[0].size >= 2 * (size_t)LIMIT);
    assert_true(files[0].ended);
    assert_true(find_note(&files[0], TG__NOTE_STALL)->error == ENOSPC);
    assert_int_equal(count_site(&files[0], 0, &sum[0]) + count_site(&files[1], 0, &sum[1]), number);
    assert_int_equal(sum[0] + sum[1], number * (number - 1) / 2);
    tg__log_file_close(&files[0]);
    tg__log_file_close(&files[1]);
    scratch_remove(&p.dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_disk_loses_nothing_and_is_told_when_it_clears),
        cmocka_unit_test(a_disk_that_stays_full_leaves_the_rest_in_the_rings),
        cmocka_unit_test(a_stalled_disk_holds_nobody_up_and_is_told_when_it_clears),
        cmocka_unit_test(a_flight_recorder_goes_on_over_a_stalled_disk),
        cmocka_unit_test(who_asked_to_wait_loses_nothing_to_a_stalled_disk),
        cmocka_unit_test(a_file_that_cannot_be_begun_is_no_reason_to_leave_the_one_that_there_is),
    };
    return cmocka_run_group_tests_name("recorder.writer", tests, NULL, NULL);
}
