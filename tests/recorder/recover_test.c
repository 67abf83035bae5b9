#include "tg_cmocka.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <tickglass/clock.h>
#include <tickglass/recorder.h>

#include "bytes.h"
#include "log_merge.h"
#include "recover.h"
#include "scratch_dir.h"
#include "seeded_random.h"

#define THREADS     3
#define PATH_SIZE   1024
#define DEADLINE_NS INT64_C(60000000000)

/* Outside the victim, so that it is there afterwards: how many calls of each thread had returned.
 */
typedef struct returned_calls {
    _Atomic uint64_t count[THREADS];
} returned_calls;

/* How a process ends, other than by kill -9: each inside a call. */
typedef enum death {
    DEATH_NONE,
    DEATH_ABORT,        /* abort() while an argument is evaluated */
    DEATH_EXIT,         /* likewise exit() */
    DEATH_EXIT_AT_ONCE, /* likewise _Exit(), without any handler */
    DEATH_FAULT_IN_ARGUMENT,
    DEATH_FAULT_IN_COPY, /* the record's place is taken and half written */
    DEATH_COUNT
} death;

typedef struct victim {
    tg_recorder *recorder;
    returned_calls *returned;
    uint32_t number;
    death death;         /* of the process, by this thread */
    uint64_t last_words; /* number of the call that it dies in */
    const char *hole;    /* a page that cannot be read */
} victim;

static returned_calls *map_returned(const scratch_dir *dir)
{
    char path[1024];
    const int fd = open(scratch_name(dir, "returned", path, sizeof path), O_RDWR | O_CREAT, 0600);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, sizeof(returned_calls)), 0);
    void *place = mmap(NULL, sizeof(returned_calls), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_true(place != MAP_FAILED);
    assert_int_equal(close(fd), 0);
    return place;
}

/* The value of an argument, if there is a next moment. */
static uint64_t die(const victim *v)
{
    switch (v->death) {
    case DEATH_ABORT:
        abort();
    case DEATH_EXIT:
        exit(7);
    case DEATH_EXIT_AT_ONCE:
        _Exit(7);
    case DEATH_FAULT_IN_ARGUMENT:
        return (unsigned char)*(const volatile char *)v->hole;
    case DEATH_NONE:
    case DEATH_FAULT_IN_COPY:
    case DEATH_COUNT:
        break;
    }
    return 0;
}

static void *record_for_ever(void *arg)
{
    const victim *v = arg;
    for (uint64_t i = 0;; i++) {
        if (v->death != DEATH_NONE && i == v->last_words) {
            TG_RECORD(v->recorder, TG_RECORD_INFO, "thread %u number %" PRIu64 " text %s",
                      v->number, i + die(v), tg_text_of(v->hole, 16));
        }
        TG_RECORD(v->recorder, TG_RECORD_INFO, "thread %u number %" PRIu64 " text %s", v->number, i,
                  tg_text_of("0123456789abcdef", i % 17));
        /* Release pairs with the acquire after the kill; the kernel orders the rest. */
        atomic_store_explicit(&v->returned->count[v->number], i + 1, memory_order_release);
    }
    return NULL;
}

/* Never returns. */
static void be_the_victim(const char *path, const char *dir, returned_calls *returned, death how,
                          uint64_t last_words)
{
    const int zero = open("/dev/zero", O_RDONLY);
    const void *hole = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE, zero, 0);
    if (hole == MAP_FAILED) {
        _exit(1);
    }
    /* Sanitizers catch these; here the process shall die as one without them. */
    (void)signal(SIGSEGV, SIG_DFL);
    (void)signal(SIGABRT, SIG_DFL);
    tg_recorder_options opt;
    tg_recorder_options_init(&opt);
    opt.path = path;
    opt.rings_dir = dir;
    opt.ring_size = 1 << 18;
    opt.threads_max = THREADS;
    opt.overflow[TG_RECORD_INFO] = TG_OVERFLOW_WAIT;
    tg_recorder *recorder = NULL;
    if (tg_recorder_open(&opt, &recorder) != TG_OK) {
        _exit(1);
    }
    static victim victims[THREADS];
    for (uint32_t i = 0; i < THREADS; i++) {
        pthread_t thread;
        victims[i] = (victim){recorder, returned, i, DEATH_NONE, 0, hole};
        if (i == 1) {
            victims[i].death = how;
            victims[i].last_words = last_words;
        }
        if (i + 1 < THREADS && pthread_create(&thread, NULL, record_for_ever, &victims[i]) != 0) {
            _exit(1);
        }
    }
    (void)record_for_ever(&victims[THREADS - 1]);
}

static void wait_for_calls(const returned_calls *returned, uint64_t wanted, pid_t child)
{
    const tg_clock system = tg_clock_system();
    const int64_t deadline = tg_clock_mono_ns(&system) + DEADLINE_NS;
    for (;;) {
        uint64_t sum = 0;
        for (int i = 0; i < THREADS; i++) {
            sum += atomic_load_explicit(&returned->count[i], memory_order_acquire);
        }
        if (sum >= wanted) {
            return;
        }
        assert_true(tg_clock_mono_ns(&system) < deadline);
        assert_int_equal(waitpid(child, NULL, WNOHANG), 0);
        (void)sched_yield();
    }
}

/* Reads a recovered file; every thread's numbers must ascend from 0 without a hole. */
static void read_back(const char *path, uint64_t read[THREADS])
{
    tg__log_file file;
    tg__log_merge merge;
    assert_int_equal(tg__log_file_open(path, &file), TG_OK);
    assert_int_equal(tg__log_merge_open(&file, 1, &merge), TG_OK);
    tg__log_record record;
    memset(read, 0, THREADS * sizeof *read);
    while (tg__log_merge_next(&merge, &record) == TG_OK) {
        const uint32_t number = tg__get_u32(record.arguments);
        assert_true(number < THREADS);
        assert_int_equal(tg__get_u64(record.arguments + 4), read[number]);
        read[number]++;
    }
    assert_int_equal(file.problem_count, 0);
    tg__log_merge_close(&merge);
    tg__log_file_close(&file);
}

/* Every record whose call had returned, and at most the one that was under way. */
static void recover_all(const char *path, const char *out, const returned_calls *returned)
{
    tg__log_file file;
    assert_int_equal(tg__log_file_open(path, &file), TG_OK);
    assert_false(file.ended);
    tg__recover_report report;
    assert_int_equal(tg__recover(&file, 1, NULL, out, &report), TG_OK);
    assert_false(report.no_rings);
    assert_string_equal(report.problem, "");
    tg__log_file_close(&file);
    uint64_t read[THREADS];
    read_back(out, read);
    for (int i = 0; i < THREADS; i++) {
        const uint64_t done = atomic_load_explicit(&returned->count[i], memory_order_acquire);
        assert_true(read[i] >= done);
        assert_true(read[i] <= done + 1); /* the call under way may have committed */
    }
}

static void no_record_of_a_returned_call_is_lost_by_kill_9(void **state)
{
    (void)state;
    seeded_random random = random_start("kill", 9);
    for (int trial = 0; trial < 20; trial++) {
        const scratch_dir dir = scratch_make();
        char path[1024];
        char out[1024];
        (void)scratch_name(&dir, "victim.tgrec", path, sizeof path);
        (void)scratch_name(&dir, "recovered.tgrec", out, sizeof out);
        returned_calls *returned = map_returned(&dir);
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            be_the_victim(path, dir.path, returned, DEATH_NONE, 0);
        }
        wait_for_calls(returned, 1 + random_any_size(&random, 19), child);
        assert_int_equal(kill(child, SIGKILL), 0);
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        recover_all(path, out, returned);
        assert_int_equal(munmap(returned, sizeof *returned), 0);
        scratch_remove(&dir);
    }
}

static void check_status(death how, int status)
{
    switch (how) {
    case DEATH_ABORT:
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), SIGABRT);
        break;
    case DEATH_FAULT_IN_ARGUMENT:
    case DEATH_FAULT_IN_COPY:
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), SIGSEGV);
        break;
    case DEATH_EXIT:
    case DEATH_EXIT_AT_ONCE:
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 7);
        break;
    case DEATH_NONE:
    case DEATH_COUNT:
        fail();
    }
}

/* Others record while one thread ends the process from inside a call. */
static void no_record_of_a_returned_call_is_lost_however_the_process_ends(void **state)
{
    (void)state;
    seeded_random random = random_start("death", 3);
    for (int trial = 0; trial < 4 * (DEATH_COUNT - 1); trial++) {
        const death how = (death)(1 + trial % (DEATH_COUNT - 1));
        const scratch_dir dir = scratch_make();
        char path[1024];
        char out[1024];
        (void)scratch_name(&dir, "victim.tgrec", path, sizeof path);
        (void)scratch_name(&dir, "recovered.tgrec", out, sizeof out);
        returned_calls *returned = map_returned(&dir);
        const uint64_t last_words = random_any_size(&random, 16);
        (void)fflush(NULL); /* exit() would write what this process has not yet */
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            be_the_victim(path, dir.path, returned, how, last_words);
        }
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        check_status(how, status);
        assert_int_equal(atomic_load_explicit(&returned->count[1], memory_order_acquire),
                         last_words);
        recover_all(path, out, returned);
        assert_int_equal(munmap(returned, sizeof *returned), 0);
        scratch_remove(&dir);
    }
}

/* A recorder of this process that is never polled, so that everything lies in the rings. */
static tg_recorder *open_unpolled(const scratch_dir *dir, const char *path)
{
    tg_recorder_options opt;
    tg_recorder_options_init(&opt);
    opt.path = path;
    opt.rings_dir = dir->path;
    opt.ring_size = 1 << 18;
    opt.threads_max = THREADS;
    opt.host_driven = true;
    tg_recorder *recorder = NULL;
    assert_int_equal(tg_recorder_open(&opt, &recorder), TG_OK);
    return recorder;
}

/* A record in a folder of its own, and where it can be recovered to. */
static tg_recorder *begin_unpolled(scratch_dir *dir, char path[PATH_SIZE], char out[PATH_SIZE])
{
    *dir = scratch_make();
    (void)scratch_name(dir, "a.tgrec", path, PATH_SIZE);
    (void)scratch_name(dir, "out.tgrec", out, PATH_SIZE);
    return open_unpolled(dir, path);
}

static void the_rings_of_another_record_are_refused(void **state)
{
    (void)state;
    const scratch_dir dir = scratch_make();
    const scratch_dir other_dir = scratch_make();
    char path[1024];
    char other_path[1024];
    char out[1024];
    char rings[2048] = "";
    (void)scratch_name(&dir, "a.tgrec", path, sizeof path);
    (void)scratch_name(&other_dir, "b.tgrec", other_path, sizeof other_path);
    (void)scratch_name(&dir, "out.tgrec", out, sizeof out);
    tg_recorder *recorder = open_unpolled(&dir, path);
    tg_recorder *other = open_unpolled(&other_dir, other_path);
    tg__log_file file;
    assert_int_equal(tg__log_file_open(other_path, &file), TG_OK);
    (void)snprintf(rings, sizeof rings, "%s", file.info.rings_path);
    tg__log_file_close(&file);

    assert_int_equal(tg__log_file_open(path, &file), TG_OK);
    tg__recover_report report;
    assert_int_equal(tg__recover(&file, 1, rings, out, &report), TG_ERR_FORMAT);
    assert_int_equal(access(out, F_OK), -1);
    assert_int_equal(tg__recover(&file, 1, path, out, &report), TG_ERR_FORMAT);
    (void)snprintf(rings, sizeof rings, "%s/none", dir.path);
    assert_int_equal(tg__recover(&file, 1, rings, out, &report), TG_ERR_IO);
    assert_int_equal(access(out, F_OK), -1);
    tg__log_file_close(&file);
    tg_recorder_close(recorder);
    tg_recorder_close(other);
    scratch_remove(&dir);
    scratch_remove(&other_dir);
}

static void rings_that_cannot_be_read_are_no_rings_that_are_gone(void **state)
{
    (void)state;
    scratch_dir dir;
    char path[PATH_SIZE];
    char out[PATH_SIZE];
    tg_recorder *recorder = begin_unpolled(&dir, path, out);
    tg__log_file file;
    tg__recover_report report;
    assert_int_equal(tg__log_file_open(path, &file), TG_OK);
    assert_int_equal(unlink(file.info.rings_path), 0);
    /* Refused to every user: a link that leads to itself. */
    assert_int_equal(symlink(file.info.rings_path, file.info.rings_path), 0);
    assert_int_equal(tg__recover(&file, 1, NULL, out, &report), TG_ERR_IO);
    assert_int_equal(errno, ELOOP);
    assert_true(report.no_rings);
    assert_string_equal(report.rings_path, file.info.rings_path);
    assert_int_equal(access(out, F_OK), -1);
    assert_int_equal(unlink(file.info.rings_path), 0);
    assert_int_equal(tg__recover(&file, 1, NULL, out, &report), TG_OK);
    assert_true(report.no_rings);
    tg__log_file_close(&file);
    tg_recorder_close(recorder);
    scratch_remove(&dir);
}

static void a_damaged_ring_gives_what_is_whole_and_says_where_it_ends(void **state)
{
    (void)state;
    scratch_dir dir;
    char path[PATH_SIZE];
    char out[PATH_SIZE];
    tg_recorder *recorder = begin_unpolled(&dir, path, out);
    for (uint64_t i = 0; i < 100; i++) {
        TG_RECORD(recorder, TG_RECORD_INFO, "thread %u number %" PRIu64, 0u, i);
    }
    tg__log_file file;
    assert_int_equal(tg__log_file_open(path, &file), TG_OK);

    /* The 50th record's size, broken in a copy of the rings. */
    char rings[2048];
    (void)snprintf(rings, sizeof rings, "%s/copy", dir.path);
    const int from = open(file.info.rings_path, O_RDONLY);
    const int to = open(rings, O_RDWR | O_CREAT, 0600);
    assert_true(from >= 0 && to >= 0);
    struct stat facts;
    assert_int_equal(fstat(from, &facts), 0);
    assert_int_equal(ftruncate(to, facts.st_size), 0);
    const size_t size = (size_t)facts.st_size;
    const void *source = mmap(NULL, size, PROT_READ, MAP_SHARED, from, 0);
    unsigned char *copy = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, to, 0);
    assert_true(source != MAP_FAILED && copy != MAP_FAILED);
    memcpy(copy, source, size);
    tg__rings_header header;
    memcpy(&header, copy, sizeof header);
    const size_t record_size = 32; /* 16 + 4 + 8, rounded up */
    tg__put_u32(copy + header.data_offset + 49 * record_size, 5);
    assert_int_equal(munmap((void *)(uintptr_t)source, size), 0);
    assert_int_equal(munmap(copy, size), 0);
    assert_int_equal(close(from), 0);
    assert_int_equal(close(to), 0);

    tg__recover_report report;
    assert_int_equal(tg__recover(&file, 1, rings, out, &report), TG_OK);
    assert_int_equal(report.ring_records, 49);
    assert_non_null(strstr(report.problem, "position 1568"));
    tg__log_file_close(&file);
    uint64_t read[THREADS];
    read_back(out, read);
    assert_int_equal(read[0], 49);
    assert_int_equal(tg__log_file_open(path, &file), TG_OK);
    assert_int_equal(tg__recover(&file, 1, rings, out, &report), TG_ERR_IO); /* exists */
    tg__log_file_close(&file);
    tg_recorder_close(recorder);
    scratch_remove(&dir);
}

static void what_the_file_has_is_not_taken_from_the_rings_again(void **state)
{
    (void)state;
    scratch_dir dir;
    char path[PATH_SIZE];
    char out[PATH_SIZE];
    tg_recorder *recorder = begin_unpolled(&dir, path, out);
    for (uint64_t i = 0; i < 1000; i++) {
        TG_RECORD(recorder, TG_RECORD_INFO, "thread %u number %" PRIu64, 0u, i);
        if (i == 600) {
            assert_int_equal(tg_recorder_poll(recorder, NULL), TG_OK);
        }
    }
    tg__log_file file;
    tg__recover_report report;
    assert_int_equal(tg__log_file_open(path, &file), TG_OK);
    assert_int_equal(tg__recover(&file, 1, NULL, out, &report), TG_OK);
    assert_true(report.running);
    assert_int_equal(report.ring_records, 399);
    tg__log_file_close(&file);
    uint64_t read[THREADS];
    read_back(out, read);
    assert_int_equal(read[0], 1000);
    tg_recorder_close(recorder);
    scratch_remove(&dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_record_of_a_returned_call_is_lost_by_kill_9),
        cmocka_unit_test(no_record_of_a_returned_call_is_lost_however_the_process_ends),
        cmocka_unit_test(the_rings_of_another_record_are_refused),
        cmocka_unit_test(rings_that_cannot_be_read_are_no_rings_that_are_gone),
        cmocka_unit_test(a_damaged_ring_gives_what_is_whole_and_says_where_it_ends),
        cmocka_unit_test(what_the_file_has_is_not_taken_from_the_rings_again),
    };
    return cmocka_run_group_tests_name("recorder.recover", tests, NULL, NULL);
}
