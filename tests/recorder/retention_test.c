#include "tg_cmocka.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <tickglass/recorder.h>

#include "bytes.h"
#include "log_merge.h"
#include "recover.h"
#include "scratch_dir.h"

/* A recorder that begins another file with every round. */
typedef struct rotating {
    scratch_dir dir;
    char path[1024];
    char name[1100];
    tg_recorder_options opt;
    tg_recorder *recorder;
    uint64_t number; /* of the next record */
} rotating;

static void rotating_make(rotating *r)
{
    memset(r, 0, sizeof *r);
    r->dir = scratch_make();
    (void)scratch_name(&r->dir, "kept.tgrec", r->path, sizeof r->path);
    tg_recorder_options_init(&r->opt);
    r->opt.path = r->path;
    r->opt.rings_dir = r->dir.path;
    r->opt.ring_size = 1 << 18;
    r->opt.threads_max = 2;
    r->opt.host_driven = true;
    r->opt.rotate_bytes = 1;
}

static void record_one(rotating *r)
{
    TG_RECORD(r->recorder, TG_RECORD_INFO, "number %" PRIu64, r->number++);
}

static void rotate(rotating *r)
{
    record_one(r);
    assert_int_equal(tg_recorder_poll(r->recorder, NULL), TG_OK);
}

static const char *name_of(rotating *r, uint32_t suffix)
{
    (void)(suffix == 0 ? snprintf(r->name, sizeof r->name, "%s", r->path)
                       : snprintf(r->name, sizeof r->name, "%s.%u", r->path, (unsigned)suffix));
    return r->name;
}

static bool is_there(rotating *r, uint32_t suffix)
{
    return access(name_of(r, suffix), F_OK) == 0;
}

static uint32_t files_removed(const rotating *r)
{
    tg_recorder_counters counters = {.struct_size = sizeof counters};
    assert_int_equal(tg_recorder_counters_get(r->recorder, &counters), TG_OK);
    return counters.files_removed;
}

static void write_file(const char *path, const char *text)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    assert_int_equal(close(fd), 0);
}

static void without_a_limit_every_file_stays(void **state)
{
    (void)state;
    rotating r;
    rotating_make(&r);
    assert_int_equal(tg_recorder_open(&r.opt, &r.recorder), TG_OK);
    for (uint32_t i = 1; i <= 20; i++) {
        rotate(&r);
    }
    assert_int_equal(files_removed(&r), 0);
    for (uint32_t i = 0; i <= 20; i++) {
        assert_true(is_there(&r, i));
    }
    tg_recorder_close(r.recorder);
    scratch_remove(&r.dir);
}

static void the_oldest_ended_files_are_deleted_and_the_number_is_recorded(void **state)
{
    (void)state;
    rotating r;
    rotating_make(&r);
    r.opt.keep_files = 3;
    assert_int_equal(tg_recorder_open(&r.opt, &r.recorder), TG_OK);
    for (uint32_t i = 1; i <= 10; i++) {
        rotate(&r);
        /* i is the current one; three before it have been ended and stay. */
        assert_int_equal(files_removed(&r), i > 3 ? i - 3 : 0);
        for (uint32_t suffix = 0; suffix <= i; suffix++) {
            assert_int_equal(is_there(&r, suffix), suffix + 3 >= i);
        }
    }
    tg_recorder_close(r.recorder);
    uint64_t told = 0;
    for (uint32_t suffix = 8; is_there(&r, suffix); suffix++) { /* closing began another */
        tg__log_file file;
        assert_int_equal(tg__log_file_open(name_of(&r, suffix), &file), TG_OK);
        assert_true(file.ended);
        assert_int_equal(file.problem_count, 0);
        for (size_t i = 0; i < file.note_count; i++) {
            told += file.notes[i].kind == TG__NOTE_REMOVED ? file.notes[i].count : 0;
        }
        tg__log_file_close(&file);
    }
    assert_int_equal(told, 4); /* one at the beginning of each */
    scratch_remove(&r.dir);
}

static void bytes_are_a_limit_too(void **state)
{
    (void)state;
    rotating r;
    rotating_make(&r);
    assert_int_equal(tg_recorder_open(&r.opt, &r.recorder), TG_OK);
    rotate(&r);
    rotate(&r);
    struct stat facts;
    assert_int_equal(stat(name_of(&r, 1), &facts), 0);
    tg_recorder_close(r.recorder);
    scratch_remove(&r.dir);

    rotating_make(&r);
    r.opt.keep_bytes = (uint64_t)facts.st_size * 4;
    assert_int_equal(tg_recorder_open(&r.opt, &r.recorder), TG_OK);
    for (int i = 0; i < 12; i++) {
        rotate(&r);
        uint64_t sum = 0;
        for (uint32_t suffix = 0; suffix <= (uint32_t)i; suffix++) {
            sum += stat(name_of(&r, suffix), &facts) == 0 ? (uint64_t)facts.st_size : 0;
        }
        assert_true(sum <= r.opt.keep_bytes);
    }
    assert_true(files_removed(&r) >= 4);
    assert_true(files_removed(&r) <= 10);
    tg_recorder_close(r.recorder);
    scratch_remove(&r.dir);
}

/* One name is taken before the recorder comes to it, another is replaced behind its back. */
static void a_file_of_somebody_else_is_never_touched(void **state)
{
    (void)state;
    rotating r;
    rotating_make(&r);
    r.opt.keep_files = 2;
    write_file(name_of(&r, 2), "not yours");
    assert_int_equal(tg_recorder_open(&r.opt, &r.recorder), TG_OK);
    rotate(&r); /* .1 */
    rotate(&r); /* .3, for .2 is taken */
    assert_true(is_there(&r, 3));
    assert_int_equal(unlink(name_of(&r, 1)), 0);
    write_file(name_of(&r, 1), "nor is this");
    for (int i = 0; i < 6; i++) {
        rotate(&r);
    }
    struct stat facts;
    assert_int_equal(stat(name_of(&r, 1), &facts), 0);
    assert_int_equal(facts.st_size, 11);
    assert_int_equal(stat(name_of(&r, 2), &facts), 0);
    assert_int_equal(facts.st_size, 9);
    assert_false(is_there(&r, 0));
    assert_false(is_there(&r, 3));
    assert_true(is_there(&r, 9));
    assert_true(is_there(&r, 7));
    assert_false(is_there(&r, 6));
    tg_recorder_close(r.recorder);
    scratch_remove(&r.dir);
}

static void *record_ten(void *arg)
{
    for (int i = 0; i < 10; i++) {
        record_one(arg);
    }
    return NULL;
}

/* Ten records of a thread that ends, files over them, one record that is in a ring only, the end.
 */
static void die_after_rotations(rotating *r)
{
    pthread_t thread;
    if (tg_recorder_open(&r->opt, &r->recorder) != TG_OK ||
        pthread_create(&thread, NULL, record_ten, r) != 0 || pthread_join(thread, NULL) != 0) {
        _exit(1);
    }
    for (int i = 0; i < 5; i++) {
        record_one(r);
        if (tg_recorder_poll(r->recorder, NULL) != TG_OK) {
            _exit(2);
        }
    }
    record_one(r);
    _exit(0);
}

static void recover_does_not_bring_back_what_only_deleted_files_had(void **state)
{
    (void)state;
    rotating r;
    rotating_make(&r);
    r.opt.keep_files = 1;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        die_after_rotations(&r);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    tg__log_file files[2];
    tg__recover_report report;
    char out[1024];
    (void)scratch_name(&r.dir, "out.tgrec", out, sizeof out);
    assert_false(is_there(&r, 3));
    assert_int_equal(tg__log_file_open(name_of(&r, 4), &files[0]), TG_OK);
    assert_int_equal(tg__log_file_open(name_of(&r, 5), &files[1]), TG_OK);
    assert_int_equal(tg__recover(files, 2, NULL, out, &report), TG_OK);
    assert_string_equal(report.problem, "");
    assert_int_equal(report.ring_records, 1);
    tg__log_file_close(&files[0]);
    tg__log_file_close(&files[1]);

    tg__log_file file;
    tg__log_merge merge;
    tg__log_record record;
    uint64_t next = 13; /* that of the fourth round */
    assert_int_equal(tg__log_file_open(out, &file), TG_OK);
    assert_int_equal(tg__log_merge_open(&file, 1, &merge), TG_OK);
    while (tg__log_merge_next(&merge, &record) == TG_OK) {
        assert_int_equal(tg__get_u64(record.arguments), next);
        next++;
    }
    assert_int_equal(next, 16);
    tg__log_merge_close(&merge);
    tg__log_file_close(&file);
    scratch_remove(&r.dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_limit_every_file_stays),
        cmocka_unit_test(the_oldest_ended_files_are_deleted_and_the_number_is_recorded),
        cmocka_unit_test(bytes_are_a_limit_too),
        cmocka_unit_test(a_file_of_somebody_else_is_never_touched),
        cmocka_unit_test(recover_does_not_bring_back_what_only_deleted_files_had),
    };
    return cmocka_run_group_tests_name("recorder.retention", tests, NULL, NULL);
}
