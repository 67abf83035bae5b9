/* Linked with --wrap for the allocating functions, so that they can be counted and made to fail. */
#include "tg_cmocka.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

#include <tickglass/record_reader.h>
#include <tickglass/recorder.h>

#include "scratch_dir.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

static unsigned calls;
static unsigned failing_call; /* counted from 1; 0: none fails */

static bool fails(void)
{
    calls++;
    return calls == failing_call;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return fails() ? NULL : __real_realloc(old, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return fails() ? NULL : __real_aligned_alloc(alignment, size);
}

static tg_recorder_options make_options(const scratch_dir *dir, char *path, size_t size)
{
    tg_recorder_options opt;
    tg_recorder_options_init(&opt);
    opt.path = scratch_name(dir, "a.tgrec", path, size);
    opt.rings_dir = dir->path;
    opt.ring_size = 1 << 18;
    opt.threads_max = 4;
    opt.host_driven = true; /* else the writer's thread counts too */
    return opt;
}

static void open_fails_cleanly_at_every_allocation(void **state)
{
    (void)state;
    const scratch_dir dir = scratch_make();
    char path[1024];
    const tg_recorder_options opt = make_options(&dir, path, sizeof path);
    tg_recorder *recorder = NULL;
    unsigned failed = 0;
    for (unsigned n = 1;; n++) {
        calls = 0;
        failing_call = n;
        const tg_err err = tg_recorder_open(&opt, &recorder);
        failing_call = 0;
        if (err == TG_OK) {
            break;
        }
        assert_int_equal(err, TG_ERR_NO_MEMORY);
        assert_null(recorder);
        assert_int_equal(scratch_count(&dir, ".rings"), 0);
        assert_int_equal(scratch_count(&dir, ".tgrec"), 0); /* open may be tried again */
        failed++;
    }
    assert_true(failed >= 5);
    tg_recorder_close(recorder);
    tg_histogram *histogram = NULL;
    calls = 0;
    failing_call = 1;
    assert_int_equal(tg_histogram_open(NULL, &histogram), TG_ERR_NO_MEMORY);
    failing_call = 0;
    assert_null(histogram);
    scratch_remove(&dir);
}

static void record_everything(tg_recorder *recorder, const tg_histogram *histogram)
{
    for (uint64_t i = 0; i < 30000; i++) { /* over the ring's end several times, and some drops */
        TG_RECORD(recorder, TG_RECORD_INFO, "number %" PRIu64 " %s %f", i, "text",
                  tg_decimal_of(-3763, -2));
        if (i % 8000 == 0) {
            assert_int_equal(tg_recorder_poll(recorder, NULL), TG_OK);
        }
    }
    assert_int_equal(tg_recorder_poll(recorder, NULL), TG_OK);
    assert_int_equal(tg_recorder_histogram(recorder, "h", histogram, 0, 1), TG_OK);
    assert_int_equal(tg_recorder_poll(recorder, NULL), TG_OK);
}

static void nothing_allocates_after_open(void **state)
{
    (void)state;
    const scratch_dir dir = scratch_make();
    char path[1024];
    tg_recorder_options opt = make_options(&dir, path, sizeof path);
    opt.rotate_bytes = 100000;
    tg_recorder *recorder = NULL;
    tg_histogram *histogram = NULL;
    assert_int_equal(tg_recorder_open(&opt, &recorder), TG_OK);
    assert_int_equal(tg_histogram_open(NULL, &histogram), TG_OK);
    calls = 0;
    assert_int_equal(tg_recorder_prepare_thread(recorder, "main"), TG_OK);
    record_everything(recorder, histogram);
    for (int i = 0; i < 200000; i++) {
        tg_histogram_record(histogram, i);
        tg_histogram_record(histogram, 5000000); /* carries */
    }
    assert_int_equal(calls, 0);
    tg_recorder_close(recorder);
    tg_histogram_close(histogram);
    scratch_remove(&dir);
}

/* Opens and reads all; an error comes from whichever call the failing allocation lies in. */
static tg_err read_all(const char *path, uint64_t *records)
{
    tg_record_reader *reader = NULL;
    tg_record_entry entry;
    char why[64];
    *records = 0;
    tg_err err = tg_record_reader_open(&path, 1, &reader, why, sizeof why);
    if (err == TG_OK) {
        err = tg_record_reader_seek(reader, INT64_MIN);
    }
    while (err == TG_OK) {
        err = tg_record_reader_next(reader, &entry);
        *records += err == TG_OK ? 1 : 0;
    }
    if (err == TG_ERR_NO_MEMORY && reader != NULL) {
        /* What was short for a moment may be there again. */
        assert_int_equal(tg_record_reader_seek(reader, INT64_MIN), TG_OK);
        assert_int_equal(tg_record_reader_next(reader, &entry), TG_OK);
    }
    tg_record_reader_close(reader);
    return err;
}

static void reading_fails_cleanly_at_every_allocation(void **state)
{
    (void)state;
    const scratch_dir dir = scratch_make();
    char path[1024];
    const tg_recorder_options opt = make_options(&dir, path, sizeof path);
    tg_recorder *recorder = NULL;
    uint64_t records = 0;
    unsigned failed = 0;
    assert_int_equal(tg_recorder_open(&opt, &recorder), TG_OK);
    for (uint64_t i = 0; i < 3000; i++) {
        TG_RECORD(recorder, TG_RECORD_INFO, "number %" PRIu64 " %s", i, "text");
    }
    tg_recorder_close(recorder);
    for (unsigned n = 1;; n++) {
        calls = 0;
        failing_call = n;
        const tg_err err = read_all(path, &records);
        failing_call = 0;
        if (err == TG_ERR_NOT_FOUND) {
            break; /* the end */
        }
        assert_int_equal(err, TG_ERR_NO_MEMORY);
        failed++;
    }
    assert_true(failed >= 15);
    assert_int_equal(records, 3000);
    scratch_remove(&dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_fails_cleanly_at_every_allocation),
        cmocka_unit_test(nothing_allocates_after_open),
        cmocka_unit_test(reading_fails_cleanly_at_every_allocation),
    };
    return cmocka_run_group_tests_name("recorder.allocation", tests, NULL, NULL);
}
