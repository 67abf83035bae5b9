#include "tg_cmocka.h"

#include <errno.h>
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

/*
 * What the store has asked of the disk since the last look, in order: the linker leads its calls
 * here. f: a file is synced, d: a folder, r: a file is renamed.
 */
typedef struct disk {
    char calls[32];
    size_t count;
    size_t synced_size; /* of the file */
    char renamed_to[TG__PATH_SIZE];
    char fails; /* this one fails; 0: none */
} disk;

static disk asked;

int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);

static void note(char call)
{
    if (asked.count + 1 < sizeof asked.calls) {
        asked.calls[asked.count++] = call;
    }
}

int __wrap_fsync(int fd)
{
    struct stat info;
    assert_int_equal(fstat(fd, &info), 0);
    const char call = S_ISDIR(info.st_mode) ? 'd' : 'f';
    note(call);
    if (call == 'f') {
        asked.synced_size = (size_t)info.st_size;
    }
    if (asked.fails == call) {
        errno = EIO;
        return -1;
    }
    return __real_fsync(fd);
}

int __wrap_rename(const char *from, const char *to)
{
    note('r');
    (void)snprintf(asked.renamed_to, sizeof asked.renamed_to, "%s", to);
    return __real_rename(from, to);
}

static void forget_disk(char fails)
{
    memset(&asked, 0, sizeof asked);
    asked.fails = fails;
}

static int set_up(void **state)
{
    static fixture f;
    forget_disk(0);
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

/* The file's bytes, then its name, then the folder that has the name; only then the epoch. */
static void an_epoch_is_on_the_disk_before_it_is_given(void **state)
{
    fixture *f = *state;
    tg__epoch_store store;
    uint32_t epoch = 0;
    char text[256];
    assert_int_equal(tg__epoch_store_open(&store, &f->dir, &f->cause), TG_OK);
    forget_disk(0);
    assert_int_equal(tg__epoch_store_next(&store, &epoch, &f->cause), TG_OK);
    assert_string_equal(asked.calls, "frd");
    assert_string_equal(asked.renamed_to, store.path);
    scratch_read(&f->folder, "epochs", text, sizeof text);
    assert_int_equal(asked.synced_size, strlen(text)); /* all of it was there already */
}

static void without_the_disk_no_epoch_is_given(void **state)
{
    fixture *f = *state;
    tg__epoch_store store;
    tg__epoch_store again;
    uint32_t epoch = 77;
    assert_int_equal(tg__epoch_store_open(&store, &f->dir, &f->cause), TG_OK);
    forget_disk('f');
    assert_int_equal(tg__epoch_store_next(&store, &epoch, &f->cause), TG_ERR_IO);
    assert_string_equal(asked.calls, "f"); /* what may not be there gets no name */
    assert_non_null(strstr(f->cause.text, "epochs.new: cannot be written to the disk"));
    forget_disk('d');
    assert_int_equal(tg__epoch_store_next(&store, &epoch, &f->cause), TG_ERR_IO);
    assert_string_equal(asked.calls, "frd");
    assert_int_equal(epoch, 77);
    forget_disk(0);
    assert_int_equal(tg__epoch_store_next(&store, &epoch, &f->cause), TG_OK);
    assert_int_equal(epoch, 1); /* nobody has got it */
    assert_int_equal(tg__epoch_store_open(&again, &f->dir, &f->cause), TG_OK);
    assert_int_equal(again.next_epoch, 2);
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
        CASE(an_epoch_is_on_the_disk_before_it_is_given),
        CASE(without_the_disk_no_epoch_is_given),
        CASE(every_damaged_byte_is_noticed),
        CASE(a_folder_belongs_to_one_gateway),
        CASE(missing_folders_are_made_for_the_owner_alone),
        CASE(a_file_is_replaced_whole_with_its_mode),
    };
    return cmocka_run_group_tests_name("gateway.epoch_store", tests, NULL, NULL);
}
