#include <tickglass/record_reader.h>

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>

#include "recorder_fixture.h"

#define UTC_NS INT64_C(1700000000000000000) /* at monotonic 0 of the test's clock */

static _Atomic int64_t now_ns;

static int64_t test_mono_ns(void *ctx)
{
    (void)ctx;
    return atomic_load(&now_ns);
}

static int64_t test_utc_ns(void *ctx)
{
    (void)ctx;
    return UTC_NS + atomic_load(&now_ns);
}

/* A clock that stands until it is moved. */
static void begin_at(fixture *f, int64_t ns)
{
    static const tg_clock clock = {.mono_ns = test_mono_ns, .utc_ns = test_utc_ns};
    atomic_store(&now_ns, ns);
    fixture_make(f);
    f->opt.clock = &clock;
}

static void open_at(fixture *f, int64_t ns)
{
    begin_at(f, ns);
    fixture_open(f);
}

static tg_record_reader *open_one(const char *path)
{
    tg_record_reader *reader = NULL;
    char why[256];
    assert_int_equal(tg_record_reader_open(&path, 1, &reader, why, sizeof why), TG_OK);
    return reader;
}

static bool is_text(tg_text text, const char *wanted)
{
    return text.size == strlen(wanted) && memcmp(text.bytes, wanted, text.size) == 0;
}

static void arguments_come_back_as_they_were_given(void **state)
{
    (void)state;
    fixture f;
    open_at(&f, 5000);
    assert_int_equal(tg_recorder_prepare_thread(f.recorder, "glass"), TG_OK);
    TG_RECORD(f.recorder, TG_RECORD_WARNING, "all %d %u %" PRId64 " %" PRIu64 " %g %f %s %s %p", -7,
              8u, INT64_MIN, UINT64_MAX, -0.5, tg_decimal_of(-12500, -2), "abc",
              tg_text_of("a\0b", 3), tg_blob_of("\xff\0", 2));
    atomic_store(&now_ns, 6000);
    TG_RECORD_AT(f.recorder, TG_RECORD_INFO, 5500, "none");
    tg_recorder_close(f.recorder);
    tg_record_reader *reader = open_one(f.path);
    tg_record_entry entry;
    assert_int_equal(tg_record_reader_next(reader, &entry), TG_OK);
    assert_int_equal(entry.mono_ns, 5000);
    assert_int_equal(entry.utc_ns, UTC_NS + 5000);
    assert_int_equal(entry.level, TG_RECORD_WARNING);
    assert_int_equal(entry.path, 0);
    assert_string_equal(entry.thread_name, "glass");
    assert_true(is_text(entry.format, "all %d %u %" PRId64 " %" PRIu64 " %g %f %s %s %p"));
    assert_non_null(strstr(entry.file.bytes, "record_reader_test.c"));
    assert_int_equal(entry.argument_count, 9);
    const tg_record_argument *is = entry.arguments;
    assert_int_equal(is[0].type, TG_RECORD_ARGUMENT_SIGNED);
    assert_int_equal(is[0].as.i, -7);
    assert_int_equal(is[1].type, TG_RECORD_ARGUMENT_UNSIGNED);
    assert_int_equal(is[1].as.u, 8);
    assert_true(is[2].as.i == INT64_MIN && is[3].as.u == UINT64_MAX);
    assert_int_equal(is[4].type, TG_RECORD_ARGUMENT_DOUBLE);
    assert_true(is[4].as.f == -0.5);
    assert_int_equal(is[5].type, TG_RECORD_ARGUMENT_PRICE);
    assert_true(is[5].as.price.mantissa == -12500 && is[5].as.price.exponent == -2);
    assert_true(is_text(is[6].as.text, "abc"));
    assert_int_equal(is[7].type, TG_RECORD_ARGUMENT_TEXT);
    assert_true(is[7].as.text.size == 3 && memcmp(is[7].as.text.bytes, "a\0b", 3) == 0);
    assert_int_equal(is[8].type, TG_RECORD_ARGUMENT_BLOB);
    assert_true(is[8].as.blob.size == 2 && memcmp(is[8].as.blob.bytes, "\xff\0", 2) == 0);
    assert_int_equal(tg_record_reader_next(reader, &entry), TG_OK);
    assert_int_equal(entry.mono_ns, 5500);
    assert_int_equal(entry.argument_count, 0);
    assert_int_equal(tg_record_reader_next(reader, &entry), TG_ERR_NOT_FOUND);
    assert_int_equal(tg_record_reader_next(reader, &entry), TG_ERR_NOT_FOUND);
    assert_int_equal(tg_record_reader_problem_count(reader), 0);
    assert_true(tg_record_reader_ended(reader, 0));
    assert_false(tg_record_reader_ended(reader, 1));
    tg_record_reader_close(reader);
    fixture_end(&f);
}

enum {
    THREADS = 3,
    RECORDS = 20000
};

/* One thread's records, a microsecond apart, from its number on. */
static void *record_some(void *arg)
{
    static atomic_int number;
    tg_recorder *recorder = arg;
    const int mine = atomic_fetch_add(&number, 1) % THREADS;
    for (int i = 0; i < RECORDS; i++) {
        TG_RECORD_AT(recorder, TG_RECORD_INFO, (i * THREADS + mine) * INT64_C(1000) + 1000,
                     "thread %d record %d", mine, i);
    }
    return NULL;
}

static void record_threads(fixture *f)
{
    begin_at(f, 0);
    f->opt.overflow[TG_RECORD_INFO] = TG_OVERFLOW_WAIT;
    fixture_open(f);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, record_some, f->recorder), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    atomic_store(&now_ns, (THREADS * RECORDS + 2) * INT64_C(1000));
    tg_recorder_close(f->recorder);
}

/* The next records are those from the k-th of all on. */
static void expect_from(tg_record_reader *reader, int64_t k, int64_t count)
{
    tg_record_entry entry;
    for (int64_t i = k; i < k + count && i < THREADS * RECORDS; i++) {
        assert_int_equal(tg_record_reader_next(reader, &entry), TG_OK);
        assert_int_equal(entry.mono_ns, i * 1000 + 1000);
        assert_int_equal(entry.arguments[0].as.i, i % THREADS);
        assert_int_equal(entry.arguments[1].as.i, i / THREADS);
    }
    if (k + count >= THREADS * RECORDS) {
        assert_int_equal(tg_record_reader_next(reader, &entry), TG_ERR_NOT_FOUND);
    }
}

static void threads_are_merged_and_any_time_can_be_sought(void **state)
{
    (void)state;
    fixture f;
    record_threads(&f);
    tg_record_reader *reader = open_one(f.path);
    int64_t first_ns = 0;
    int64_t last_ns = 0;
    expect_from(reader, 0, THREADS * RECORDS);
    assert_int_equal(tg_record_reader_late_count(reader), 0);
    assert_int_equal(tg_record_reader_span(reader, &first_ns, &last_ns), TG_OK);
    assert_int_equal(first_ns, UTC_NS + 1000);
    assert_int_equal(last_ns, UTC_NS + THREADS * RECORDS * INT64_C(1000));
    uint64_t seed = 3;
    for (int i = 0; i < 200; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1;
        const int64_t k = (int64_t)((seed >> 33) % (THREADS * RECORDS));
        /* Exactly that time, or a little before it. */
        const int64_t before_ns = (int64_t)((seed >> 20) % 1000);
        assert_int_equal(tg_record_reader_seek(reader, UTC_NS + k * 1000 + 1000 - before_ns),
                         TG_OK);
        expect_from(reader, k, 50);
    }
    assert_int_equal(tg_record_reader_seek(reader, last_ns + 1), TG_OK);
    tg_record_entry entry;
    assert_int_equal(tg_record_reader_next(reader, &entry), TG_ERR_NOT_FOUND);
    assert_int_equal(tg_record_reader_seek(reader, INT64_MIN), TG_OK);
    expect_from(reader, 0, THREADS * RECORDS);
    tg_record_reader_close(reader);
    fixture_end(&f);
}

static void files_are_merged_and_each_record_says_of_which_it_is(void **state)
{
    (void)state;
    fixture f[2];
    tg_record_reader *reader = NULL;
    tg_record_entry entry;
    for (int i = 0; i < 2; i++) {
        open_at(&f[i], 0);
        for (int64_t k = 1; k <= 4; k++) {
            TG_RECORD_AT(f[i].recorder, TG_RECORD_INFO, k * 100 + i, "file %d", i);
        }
        tg_recorder_close(f[i].recorder);
    }
    const char *const paths[] = {f[0].path, f[1].path};
    assert_int_equal(tg_record_reader_open(paths, 2, &reader, NULL, 0), TG_OK);
    for (int64_t k = 1; k <= 4; k++) {
        for (int i = 0; i < 2; i++) {
            assert_int_equal(tg_record_reader_next(reader, &entry), TG_OK);
            assert_int_equal(entry.path, i);
            assert_int_equal(entry.arguments[0].as.i, i);
            assert_int_equal(entry.mono_ns, k * 100 + i);
        }
    }
    assert_int_equal(tg_record_reader_next(reader, &entry), TG_ERR_NOT_FOUND);
    tg_record_reader_close(reader);
    fixture_end(&f[0]);
    fixture_end(&f[1]);
}

static void a_torn_or_damaged_file_gives_what_is_whole_and_says_where(void **state)
{
    (void)state;
    fixture f;
    record_threads(&f);
    FILE *file = fopen(f.path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const long size = ftell(file);
    assert_int_equal(fseek(file, size / 2, SEEK_SET), 0);
    assert_int_equal(fputs("damage", file) >= 0, 1);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(truncate(f.path, size - 60), 0); /* END and some of what is before it */
    tg_record_reader *reader = open_one(f.path);
    tg_record_problem problem;
    tg_record_entry entry;
    assert_int_equal(tg_record_reader_problem_count(reader), 2);
    assert_int_equal(tg_record_reader_problem(reader, 0, &problem), TG_OK);
    assert_int_equal(problem.err, TG_ERR_CORRUPT);
    assert_string_equal(problem.path, f.path);
    assert_in_range(size / 2, problem.offset, problem.offset + problem.size);
    assert_int_equal(tg_record_reader_problem(reader, 1, &problem), TG_OK);
    assert_int_equal(problem.err, TG_ERR_TORN);
    assert_int_equal(problem.offset + problem.size, size - 60);
    assert_int_equal(tg_record_reader_problem(reader, 2, &problem), TG_ERR_NOT_FOUND);
    assert_false(tg_record_reader_ended(reader, 0));
    int64_t count = 0;
    while (tg_record_reader_next(reader, &entry) == TG_OK) {
        count++;
    }
    assert_in_range(count, RECORDS, THREADS * RECORDS - 1);
    assert_int_equal(tg_record_reader_seek(reader, INT64_MIN), TG_OK);
    assert_int_equal(tg_record_reader_problem_count(reader), 2);
    tg_record_reader_close(reader);
    fixture_end(&f);
}

static void what_cannot_be_opened_is_named(void **state)
{
    (void)state;
    fixture f;
    tg_record_reader *reader = NULL;
    char why[1200];
    open_at(&f, 0);
    tg_recorder_close(f.recorder);
    char missing[1100];
    (void)snprintf(missing, sizeof missing, "%s.no", f.path);
    const char *const paths[] = {f.path, missing};
    assert_int_equal(tg_record_reader_open(paths, 2, &reader, why, sizeof why), TG_ERR_IO);
    assert_int_equal(errno, ENOENT);
    assert_null(reader);
    assert_non_null(strstr(why, missing));
    assert_non_null(strstr(why, "No such file"));
    FILE *file = fopen(missing, "wb");
    assert_non_null(file);
    for (int i = 0; i < 100; i++) {
        assert_true(fputs("not a record ", file) >= 0);
    }
    assert_int_equal(fclose(file), 0);
    assert_int_equal(tg_record_reader_open(paths, 2, &reader, why, sizeof why), TG_ERR_FORMAT);
    assert_non_null(strstr(why, "offset 0: the file is not a tickglass record"));
    assert_int_equal(tg_record_reader_open(paths, 0, &reader, why, sizeof why),
                     TG_ERR_INVALID_ARGUMENT);
    assert_int_equal(tg_record_reader_open(NULL, 1, &reader, why, sizeof why),
                     TG_ERR_INVALID_ARGUMENT);
    /* A record of nothing. */
    tg_record_entry entry;
    int64_t first_ns = 0;
    int64_t last_ns = 0;
    reader = open_one(f.path);
    assert_int_equal(tg_record_reader_next(reader, &entry), TG_ERR_NOT_FOUND);
    assert_int_equal(tg_record_reader_span(reader, &first_ns, &last_ns), TG_ERR_NOT_FOUND);
    assert_int_equal(tg_record_reader_next(NULL, &entry), TG_ERR_INVALID_ARGUMENT);
    assert_int_equal(tg_record_reader_next(reader, NULL), TG_ERR_INVALID_ARGUMENT);
    assert_int_equal(tg_record_reader_seek(NULL, 0), TG_ERR_INVALID_ARGUMENT);
    tg_record_reader_close(reader);
    tg_record_reader_close(NULL);
    fixture_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_come_back_as_they_were_given),
        cmocka_unit_test(threads_are_merged_and_any_time_can_be_sought),
        cmocka_unit_test(files_are_merged_and_each_record_says_of_which_it_is),
        cmocka_unit_test(a_torn_or_damaged_file_gives_what_is_whole_and_says_where),
        cmocka_unit_test(what_cannot_be_opened_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
