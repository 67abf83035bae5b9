#include "tg_cmocka.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "epoch_store.h"
#include "scratch_folder.h"

typedef struct fixture {
    scratch_folder folder;
    tg__state_dir dir;
    tg__cause cause;
} fixture;

static int set_up(void **state)
{
    static fixture f;
    scratch_folder_open(&f.folder);
    assert_int_equal(tg__state_dir_open(&f.dir, f.folder.path, &f.cause), TG_OK);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    tg__state_dir_close(&f->dir);
    scratch_folder_close(&f->folder);
    return 0;
}

static void no_epoch_is_given_twice_over_restarts(void **state)
{
    fixture *f = *state;
    uint32_t last = 0;
    uint64_t lineage = 0;
    for (unsigned start = 0; start < 5; start++) {
        tg__epoch_store store;
        assert_int_equal(tg__epoch_store_open(&store, &f->dir, &f->cause), TG_OK);
        assert_true(start == 0 || store.lineage == lineage);
        lineage = store.lineage;
        for (unsigned i = 0; i < 3; i++) {
            uint32_t epoch = 0;
            assert_int_equal(tg__epoch_store_next(&store, &epoch, &f->cause), TG_OK);
            assert_true(epoch > last);
            last = epoch;
        }
    }
    assert_int_equal(last, 15);
}

static void an_epoch_that_cannot_be_written_is_not_given(void **state)
{
    fixture *f = *state;
    tg__epoch_store store;
    uint32_t epoch = 77;
    assert_int_equal(tg__epoch_store_open(&store, &f->dir, &f->cause), TG_OK);
    (void)snprintf(store.path, sizeof store.path, "%s/missing/epochs", f->folder.path);
    assert_int_equal(tg__epoch_store_next(&store, &epoch, &f->cause), TG_ERR_IO);
    assert_int_equal(epoch, 77);
    assert_non_null(strstr(f->cause.text, "missing/epochs.new: cannot be made"));
}

static void every_damaged_byte_is_noticed(void **state)
{
    fixture *f = *state;
    tg__epoch_store store;
    uint32_t epoch = 0;
    char text[256];
    assert_int_equal(tg__epoch_store_open(&store, &f->dir, &f->cause), TG_OK);
    assert_int_equal(tg__epoch_store_next(&store, &epoch, &f->cause), TG_OK);
    scratch_read(&f->folder, "epochs", text, sizeof text);
    const size_t size = strlen(text);
    for (size_t i = 0; i < size; i++) {
        char damaged[256];
        memcpy(damaged, text, size);
        damaged[i] = (char)(damaged[i] ^ 1);
        scratch_write(&f->folder, "epochs", damaged, size);
        assert_int_equal(tg__epoch_store_open(&store, &f->dir, &f->cause), TG_ERR_EPOCH_STORE);
        scratch_write(&f->folder, "epochs", text, i);
        assert_int_equal(tg__epoch_store_open(&store, &f->dir, &f->cause), TG_ERR_EPOCH_STORE);
    }
    scratch_write(&f->folder, "epochs", text, size);
    assert_int_equal(tg__epoch_store_open(&store, &f->dir, &f->cause), TG_OK);
    assert_int_equal(store.next_epoch, 2);
}

static void a_folder_belongs_to_one_gateway(void **state)
{
    fixture *f = *state;
    (void)fflush(NULL);
    const pid_t child = fork(); /* the lock is a process's: only another one is refused */
    if (child == 0) {
        tg__state_dir second;
        tg__cause cause = {""};
        const tg_err err = tg__state_dir_open(&second, f->folder.path, &cause);
        _exit(err == TG_ERR_STATE && strstr(cause.text, "another gateway") != NULL ? 0 : 1);
    }
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void missing_folders_are_made_for_the_owner_alone(void **state)
{
    fixture *f = *state;
    tg__state_dir deep;
    struct stat info;
    assert_int_equal(tg__state_dir_open(&deep, scratch_path(&f->folder, "a/b/c"), &f->cause),
                     TG_OK);
    assert_int_equal(stat(scratch_path(&f->folder, "a/b/c"), &info), 0);
    assert_int_equal(info.st_mode & 0777, 0700);
    tg__state_dir_close(&deep);
    scratch_write(&f->folder, "file", "x", 1);
    assert_int_equal(tg__state_dir_open(&deep, scratch_path(&f->folder, "file/inside"), &f->cause),
                     TG_ERR_IO);
    assert_non_null(strstr(f->cause.text, "file/inside: cannot be made: Not a directory"));
}

static void a_file_is_replaced_whole_with_its_mode(void **state)
{
    fixture *f = *state;
    struct stat info;
    char text[16];
    scratch_write(&f->folder, "secret", "old content", 11);
    scratch_write(&f->folder, "secret.new", "left by a crash", 15);
    assert_int_equal(tg__file_write(scratch_path(&f->folder, "secret"), "new", 3, 0600, &f->cause),
                     TG_OK);
    scratch_read(&f->folder, "secret", text, sizeof text);
    assert_string_equal(text, "new");
    assert_int_equal(stat(scratch_path(&f->folder, "secret"), &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    assert_int_equal(access(scratch_path(&f->folder, "secret.new"), F_OK), -1);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(no_epoch_is_given_twice_over_restarts),
        CASE(an_epoch_that_cannot_be_written_is_not_given),
        CASE(every_damaged_byte_is_noticed),
        CASE(a_folder_belongs_to_one_gateway),
        CASE(missing_folders_are_made_for_the_owner_alone),
        CASE(a_file_is_replaced_whole_with_its_mode),
    };
    return cmocka_run_group_tests_name("gateway.epoch_store", tests, NULL, NULL);
}
