#include "tg_cmocka.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>

#include <tickglass/recorder.h>

#include "../child_process.h"
#include "dictionary.h"
#include "rings_read.h"
#include "scratch_dir.h"

#define THREADS   3u
#define RING_SIZE (1u << 18)

static tg_err open_recorder(const char *path, const char *rings_dir, tg_recorder **out)
{
    tg_recorder_options opt;
    tg_recorder_options_init(&opt);
    opt.path = path;
    opt.rings_dir = rings_dir;
    opt.ring_size = RING_SIZE;
    opt.threads_max = THREADS;
    return tg_recorder_open(&opt, out);
}

/* The only one in the folder. */
static const char *find_rings(const scratch_dir *dir, char *out, size_t size)
{
    out[0] = '\0';
    DIR *entries = opendir(dir->path);
    assert_non_null(entries);
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        if (strstr(entry->d_name, ".rings") != NULL) {
            assert_string_equal(out, "");
            (void)scratch_name(dir, entry->d_name, out, size);
        }
    }
    (void)closedir(entries);
    assert_string_not_equal(out, "");
    return out;
}

static void one_who_records_is_seen_and_where_to(void **state)
{
    (void)state;
    const scratch_dir dir = scratch_make();
    char path[1024];
    char rings[1024];
    tg_recorder *recorder = NULL;
    assert_int_equal(
        open_recorder(scratch_name(&dir, "a.tgrec", path, sizeof path), dir.path, &recorder),
        TG_OK);
    tg__rings_image image;
    for (int again = 0; again < 2; again++) { /* looking takes nothing from who records */
        assert_int_equal(tg__rings_image_open(find_rings(&dir, rings, sizeof rings), &image),
                         TG_OK);
        assert_true(image.running);
        assert_int_equal(image.header->threads_max, THREADS);
        assert_int_equal(image.header->pid, getpid());
        assert_string_equal(image.header->record_path, path);
        tg__rings_image_close(&image);
        tg__rings_image_close(&image);
    }
    tg_recorder_close(recorder);
    assert_int_equal(tg__rings_image_open(rings, &image), TG_ERR_IO);
    assert_int_equal(errno, ENOENT);
    scratch_remove(&dir);
}

static void a_path_is_noted_with_the_folder_that_it_was_meant_from(void **state)
{
    (void)state;
    const scratch_dir dir = scratch_make();
    const int before = open(".", O_RDONLY | O_DIRECTORY);
    assert_true(before >= 0 && chdir(dir.path) == 0);
    char here[1024];
    char expected[1100];
    char rings[1024];
    assert_non_null(getcwd(here, sizeof here)); /* TMPDIR may lead through a link */
    (void)snprintf(expected, sizeof expected, "%s/b.tgrec", here);
    tg_recorder *recorder = NULL;
    assert_int_equal(open_recorder("b.tgrec", dir.path, &recorder), TG_OK);
    assert_true(fchdir(before) == 0);
    (void)close(before);
    tg__rings_image image;
    assert_int_equal(tg__rings_image_open(find_rings(&dir, rings, sizeof rings), &image), TG_OK);
    assert_string_equal(image.header->record_path, expected);
    tg__rings_image_close(&image);
    tg_recorder_close(recorder);
    scratch_remove(&dir);
}

/* Its number may be another one's by then: here it is one that lives. */
static void the_dead_are_told_from_those_who_have_their_number(void **state)
{
    (void)state;
    const scratch_dir dir = scratch_make();
    char path[1024];
    char rings[1024];
    int ready[2];
    assert_int_equal(pipe(ready), 0);
    const pid_t parent = getpid();
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        child_ends_with_parent(parent);
        tg_recorder *recorder = NULL;
        (void)scratch_name(&dir, "c.tgrec", path, sizeof path);
        if (open_recorder(path, dir.path, &recorder) != TG_OK || write(ready[1], "!", 1) != 1) {
            _exit(1); /* which is the end of the pipe */
        }
        for (;;) {
            (void)pause();
        }
    }
    char byte;
    (void)close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    (void)close(ready[0]);
    tg__rings_image image;
    assert_int_equal(tg__rings_image_open(find_rings(&dir, rings, sizeof rings), &image), TG_OK);
    assert_true(image.running);
    tg__rings_image_close(&image);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    const int fd = open(rings, O_RDWR);
    const uint32_t living = (uint32_t)getpid();
    assert_int_equal(pwrite(fd, &living, sizeof living, offsetof(tg__rings_header, pid)),
                     sizeof living);
    (void)close(fd);
    assert_int_equal(tg__rings_image_open(rings, &image), TG_OK);
    assert_false(image.running);
    tg__rings_image_close(&image);
    scratch_remove(&dir);
}

typedef struct damage {
    size_t offset;
    uint64_t value;
    size_t size;
} damage;

static void what_is_damaged_is_refused(void **state)
{
    (void)state;
    const scratch_dir dir = scratch_make();
    char path[1024];
    char rings[1024];
    char copy[1024];
    tg_recorder *recorder = NULL;
    assert_int_equal(
        open_recorder(scratch_name(&dir, "d.tgrec", path, sizeof path), dir.path, &recorder),
        TG_OK);
    const int from = open(find_rings(&dir, rings, sizeof rings), O_RDONLY);
    static unsigned char
        bytes[TG__RINGS_HEADER_SIZE + TG__DICTIONARY_BYTES + THREADS * (RING_SIZE + 4096)];
    const ssize_t size = read(from, bytes, sizeof bytes);
    assert_true(size > 0 && (size_t)size < sizeof bytes);
    (void)close(from);
    tg_recorder_close(recorder);

    const damage damages[] = {
        {offsetof(tg__rings_header, recorder_id), 7,
         8}, /* no damage: whose it is says the record */
        {offsetof(tg__rings_header, magic), 1, 8},
        {offsetof(tg__rings_header, controls_offset), 64, 8},
        {offsetof(tg__rings_header, data_offset), UINT64_MAX, 8},
        {offsetof(tg__rings_header, data_offset), TG__RINGS_HEADER_SIZE, 8},
        {offsetof(tg__rings_header, threads_max), 0, 4},
        {offsetof(tg__rings_header, threads_max), THREADS + 1, 4},
        {offsetof(tg__rings_header, threads_max), UINT32_MAX, 4},
        {offsetof(tg__rings_header, ring_size), 0, 4},
        {offsetof(tg__rings_header, ring_size), 4097, 4},
        {offsetof(tg__rings_header, ring_size), UINT32_C(1) << 31, 4},
    };
    tg__rings_image image;
    (void)scratch_name(&dir, "copy.rings", copy, sizeof copy);
    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
        const int to = open(copy, O_RDWR | O_CREAT | O_TRUNC, 0600);
        assert_int_equal(write(to, bytes, (size_t)size), size);
        assert_int_equal(pwrite(to, &damages[i].value, damages[i].size, (off_t)damages[i].offset),
                         damages[i].size);
        (void)close(to);
        assert_int_equal(tg__rings_image_open(copy, &image), i == 0 ? TG_OK : TG_ERR_FORMAT);
        tg__rings_image_close(&image);
    }
    const off_t cuts[] = {0, 1, TG__RINGS_HEADER_SIZE, size - 1};
    for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {
        assert_int_equal(truncate(copy, size), 0);
        assert_int_equal(truncate(copy, cuts[i]), 0);
        assert_int_equal(tg__rings_image_open(copy, &image), TG_ERR_FORMAT);
    }
    assert_int_equal(tg__rings_image_open(dir.path, &image), TG_ERR_FORMAT);
    scratch_remove(&dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_who_records_is_seen_and_where_to),
        cmocka_unit_test(a_path_is_noted_with_the_folder_that_it_was_meant_from),
        cmocka_unit_test(the_dead_are_told_from_those_who_have_their_number),
        cmocka_unit_test(what_is_damaged_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
