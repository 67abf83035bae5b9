#include "tg_cmocka.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include <tickglass/recorder.h>

#include "file_head.h"
#include "scratch_dir.h"

static void write_file(const char *path, const void *bytes, size_t size)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, size), size);
    assert_int_equal(close(fd), 0);
}

static void the_head_of_an_open_record_is_there_at_once(void **state)
{
    (void)state;
    const scratch_dir dir = scratch_make();
    char path[1024];
    tg_recorder_options opt;
    tg_recorder_options_init(&opt);
    opt.path = scratch_name(&dir, "a.tgrec", path, sizeof path);
    opt.rings_dir = dir.path;
    opt.host_driven = true;
    tg_recorder *recorder = NULL;
    assert_int_equal(tg_recorder_open(&opt, &recorder), TG_OK);
    tg__file_info info;
    assert_int_equal(tg__file_head_read(path, &info), TG_OK);
    assert_int_equal(info.file_number, 1);
    assert_int_equal(info.pid, getpid());
    assert_int_equal(strncmp(info.rings_path, dir.path, strlen(dir.path)), 0);
    tg_recorder_close(recorder);
    scratch_remove(&dir);
}

static void every_cut_of_a_head_is_refused(void **state)
{
    (void)state;
    const scratch_dir dir = scratch_make();
    char path[1024];
    unsigned char bytes[512] = {0};
    tg__file_info info = {.version = TG__FORMAT_VERSION, .file_number = 7, .recorder_id = 9};
    (void)scratch_name(&dir, "head", path, sizeof path);
    const tg__block block = {.kind = TG__BLOCK_FILE,
                             .payload_size =
                                 (uint32_t)tg__file_info_encode(&info, bytes + TG__BLOCK_HEADER)};
    const size_t size = tg__block_seal(&block, bytes);
    for (size_t cut = 0; cut < size; cut++) {
        write_file(path, bytes, cut);
        assert_int_equal(tg__file_head_read(path, &info), TG_ERR_FORMAT);
    }
    write_file(path, bytes, size);
    assert_int_equal(tg__file_head_read(path, &info), TG_OK);
    assert_int_equal(info.file_number, 7);
    assert_int_equal(info.recorder_id, 9);
    bytes[size - 1] ^= 1;
    write_file(path, bytes, size);
    assert_int_equal(tg__file_head_read(path, &info), TG_ERR_FORMAT);
    scratch_remove(&dir);
}

/* Each would block, or lead elsewhere. */
static void what_is_no_file_is_refused_without_waiting(void **state)
{
    (void)state;
    const scratch_dir dir = scratch_make();
    char path[1024];
    tg__file_info info;
    assert_int_equal(tg__file_head_read(scratch_name(&dir, "none", path, sizeof path), &info),
                     TG_ERR_IO);
    assert_int_equal(errno, ENOENT);
    (void)scratch_name(&dir, "pipe", path, sizeof path);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_not_equal(tg__file_head_read(path, &info), TG_OK);
    (void)scratch_name(&dir, "link", path, sizeof path);
    assert_int_equal(symlink("none", path), 0);
    assert_int_equal(tg__file_head_read(path, &info), TG_ERR_IO);
    assert_int_equal(tg__file_head_read(dir.path, &info), TG_ERR_IO);
    scratch_remove(&dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_head_of_an_open_record_is_there_at_once),
        cmocka_unit_test(every_cut_of_a_head_is_refused),
        cmocka_unit_test(what_is_no_file_is_refused_without_waiting),
    };
    return cmocka_run_group_tests_name("recorder.file_head", tests, NULL, NULL);
}
