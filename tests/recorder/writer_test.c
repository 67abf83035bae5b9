#include "tg_cmocka.h"

#include <inttypes.h>
#include <signal.h>
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

static void a_full_disk_loses_nothing_and_is_told_when_it_clears(void **state)
{
    (void)state;
    const paths p = paths_make();
    assert_int_equal(in_child(&p, true), 0);
    assert_int_equal(scratch_count(&p.dir, ".rings"), 0);
    count_to(p.file, 2500);
    tg__log_file file;
    assert_int_equal(tg__log_file_open(p.file, &file), TG_OK);
    assert_int_equal(file.note_count, 1);
    assert_int_equal(file.notes[0].kind, TG__NOTE_STALL);
    assert_true(file.notes[0].count >= 2);
    assert_true(file.notes[0].error != 0);
    assert_true(file.notes[0].to_mono_ns >= file.notes[0].from_mono_ns);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_disk_loses_nothing_and_is_told_when_it_clears),
        cmocka_unit_test(a_disk_that_stays_full_leaves_the_rest_in_the_rings),
    };
    return cmocka_run_group_tests_name("recorder.writer", tests, NULL, NULL);
}
