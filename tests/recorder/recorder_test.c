#include "tg_cmocka.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <tickglass/recorder.h>

#include "bytes.h"
#include "recorder_fixture.h"
#include "seeded_random.h"

static uint64_t count_records(const char *path, uint32_t site)
{
    reading r;
    reading_open(&r, path);
    tg__log_record record;
    uint64_t count = 0;
    while (tg__log_merge_next(&r.merge, &record) == TG_OK) {
        count += site == 0 ? record.site->id >= TG__SITE_FIRST_OF_USER : record.site->id == site;
    }
    reading_close(&r);
    return count;
}

static void open_refuses_impossible_options(void **state)
{
    (void)state;
    fixture f;
    fixture_make(&f);
    tg_recorder *recorder = NULL;
    const tg_recorder_options good = f.opt;
    assert_int_equal(tg_recorder_open(NULL, &recorder), TG_ERR_INVALID_ARGUMENT);
    assert_int_equal(tg_recorder_open(&good, NULL), TG_ERR_INVALID_ARGUMENT);
    tg_recorder_options bad = good;
    bad.path = NULL;
    assert_int_equal(tg_recorder_open(&bad, &recorder), TG_ERR_INVALID_ARGUMENT);
    bad = good;
    bad.ring_size = 300000; /* not a power of two */
    assert_int_equal(tg_recorder_open(&bad, &recorder), TG_ERR_INVALID_ARGUMENT);
    bad.ring_size = 1 << 17;
    assert_int_equal(tg_recorder_open(&bad, &recorder), TG_ERR_INVALID_ARGUMENT);
    bad = good;
    bad.threads_max = 4097;
    assert_int_equal(tg_recorder_open(&bad, &recorder), TG_ERR_INVALID_ARGUMENT);
    bad = good;
    bad.overflow[TG_RECORD_INFO] = (tg_overflow)9;
    assert_int_equal(tg_recorder_open(&bad, &recorder), TG_ERR_INVALID_ARGUMENT);
    assert_null(recorder);
    assert_int_equal(scratch_count(&f.dir, ".rings"), 0);
    fixture_end(&f);
}

static void open_never_overwrites_a_file(void **state)
{
    (void)state;
    fixture f;
    fixture_make(&f);
    const int fd = open(f.path, O_WRONLY | O_CREAT, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "mine", 4), 4);
    assert_int_equal(close(fd), 0);
    errno = 0;
    assert_int_equal(tg_recorder_open(&f.opt, &f.recorder), TG_ERR_IO);
    assert_int_equal(errno, EEXIST);
    struct stat facts;
    assert_int_equal(stat(f.path, &facts), 0);
    assert_int_equal(facts.st_size, 4);
    assert_int_equal(scratch_count(&f.dir, ".rings"), 0);
    fixture_end(&f);
}

static void close_removes_the_rings_and_ends_the_file(void **state)
{
    (void)state;
    fixture f;
    fixture_make(&f);
    fixture_open(&f);
    assert_int_equal(scratch_count(&f.dir, ".rings"), 1);
    TG_RECORD(f.recorder, TG_RECORD_INFO, "one");
    tg_recorder_close(f.recorder);
    assert_int_equal(scratch_count(&f.dir, ".rings"), 0);
    reading r;
    reading_open(&r, f.path);
    assert_true(r.file.ended);
    reading_close(&r);
    assert_int_equal(count_records(f.path, 0), 1);
    tg_recorder_close(NULL);
    fixture_end(&f);
}

static void a_null_recorder_and_a_level_that_is_off_evaluate_nothing(void **state)
{
    (void)state;
    fixture f;
    fixture_make(&f);
    fixture_open(&f);
    tg_recorder *none = NULL;
    int evaluated = 0;
    TG_RECORD(none, TG_RECORD_ERROR, "%d", ++evaluated);
    TG_RECORD(f.recorder, TG_RECORD_DETAIL, "%d", ++evaluated);
    assert_int_equal(evaluated, 0);
    TG_RECORD(f.recorder, TG_RECORD_INFO, "%d", ++evaluated);
    assert_int_equal(evaluated, 1);
    tg_recorder_close(f.recorder);
    assert_int_equal(count_records(f.path, 0), 1);
    fixture_end(&f);
}

/* One record of any site, as the test wants it back. */
typedef struct expected_record {
    int site;
    int64_t numbers[4];
    double real;
    size_t text_size;
    size_t blob_size;
    unsigned char seed;
} expected_record;

static void fill(unsigned char *bytes, size_t size, unsigned char seed)
{
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (unsigned char)(seed + i * 7);
    }
}

static unsigned char long_bytes[TG_RECORD_BYTES_MAX];

static void record_expected(tg_recorder *recorder, const expected_record *e)
{
    switch (e->site) {
    case 0:
        TG_RECORD(recorder, TG_RECORD_INFO, "static");
        break;
    case 1:
        TG_RECORD(recorder, TG_RECORD_INFO, "%u %" PRId64 " %" PRId64 " %" PRIu64,
                  (uint32_t)e->numbers[0], e->numbers[1], e->numbers[2], (uint64_t)e->numbers[3]);
        break;
    case 2:
        TG_RECORD(recorder, TG_RECORD_WARNING, "%d at %f with %f", (int32_t)e->numbers[0], e->real,
                  tg_decimal_of(e->numbers[1], (int8_t)e->numbers[2]));
        break;
    case 3:
        fill(long_bytes, e->text_size, e->seed);
        TG_RECORD(recorder, TG_RECORD_ERROR, "%s and %" PRId64,
                  tg_text_of((const char *)long_bytes, e->text_size), e->numbers[0]);
        break;
    default:
        fill(long_bytes, e->blob_size, e->seed);
        TG_RECORD_AT(recorder, TG_RECORD_INFO, e->numbers[0], "%p of %zu",
                     tg_blob_of(long_bytes, e->blob_size), e->blob_size);
        break;
    }
}

static void check_bytes(const unsigned char *at, size_t size, unsigned char seed)
{
    assert_int_equal(tg__get_u32(at), size);
    fill(long_bytes, size, seed);
    assert_memory_equal(at + 4, long_bytes, size);
}

static void compare_record(const tg__log_record *record, const expected_record *e)
{
    const unsigned char *at = record->arguments;
    double real;
    switch (e->site) {
    case 0:
        assert_int_equal(record->arguments_size, 0);
        break;
    case 1:
        assert_int_equal(tg__get_u32(at), (uint32_t)e->numbers[0]);
        assert_int_equal(tg__get_u64(at + 4), (uint64_t)e->numbers[1]);
        assert_int_equal(tg__get_u64(at + 12), (uint64_t)e->numbers[2]);
        assert_int_equal(tg__get_u64(at + 20), (uint64_t)e->numbers[3]);
        break;
    case 2:
        assert_int_equal((int32_t)tg__get_u32(at), (int32_t)e->numbers[0]);
        memcpy(&real, at + 4, sizeof real);
        assert_memory_equal(&real, &e->real, sizeof real);
        assert_int_equal(tg__get_u64(at + 12), (uint64_t)e->numbers[1]);
        assert_int_equal((int8_t)at[20], (int8_t)e->numbers[2]);
        break;
    case 3:
        check_bytes(at, e->text_size, e->seed);
        assert_int_equal(tg__get_u64(at + 4 + e->text_size), (uint64_t)e->numbers[0]);
        break;
    default:
        check_bytes(at, e->blob_size, e->seed);
        assert_int_equal(record->mono_ns, e->numbers[0]);
        assert_int_equal(tg__get_u64(at + 4 + e->blob_size), e->blob_size);
        break;
    }
}

static expected_record random_record(seeded_random *random, int64_t mono_ns)
{
    expected_record e;
    memset(&e, 0, sizeof e);
    e.site = (int)random_below(random, 5);
    for (int i = 0; i < 4; i++) {
        e.numbers[i] = (int64_t)random_any_size(random, 64);
        e.numbers[i] = random_below(random, 2) == 0 ? e.numbers[i] : -e.numbers[i];
    }
    e.real = (double)(int64_t)random_u64(random) / 1024;
    e.text_size = (size_t)random_any_size(random, 9);
    e.blob_size = (size_t)random_any_size(random, random_below(random, 50) == 0 ? 16 : 9);
    e.seed = (unsigned char)random_u64(random);
    if (e.site == 4) {
        e.numbers[0] = mono_ns;
    }
    return e;
}

static int64_t given_ns(void *ctx)
{
    int64_t *now = ctx;
    return (*now)++;
}

static void what_is_written_is_read_in_order_and_unchanged(void **state)
{
    (void)state;
    enum {
        RECORDS = 20000
    };
    seeded_random random = random_start("write and read", 11);
    int64_t now = 1000;
    const tg_clock clock = {given_ns, given_ns, &now, NULL};
    static expected_record expected[RECORDS];
    fixture f;
    fixture_make(&f);
    host_driven(&f);
    f.opt.clock = &clock;
    fixture_open(&f);
    for (int i = 0; i < RECORDS; i++) {
        expected[i] = random_record(&random, now);
        record_expected(f.recorder, &expected[i]);
        if (i % 3 == 0) {
            uint64_t moved = 0;
            assert_int_equal(tg_recorder_poll(f.recorder, &moved), TG_OK);
        }
    }
    tg_recorder_counters counters = {.struct_size = sizeof counters};
    assert_int_equal(tg_recorder_counters_get(f.recorder, &counters), TG_OK);
    assert_int_equal(counters.dropped, 0);
    tg_recorder_close(f.recorder);

    reading r;
    reading_open(&r, f.path);
    tg__log_record record;
    for (int i = 0; i < RECORDS; i++) {
        assert_int_equal(tg__log_merge_next(&r.merge, &record), TG_OK);
        compare_record(&record, &expected[i]);
    }
    assert_int_equal(tg__log_merge_next(&r.merge, &record), TG_ERR_NOT_FOUND);
    assert_int_equal(r.merge.late_count, 0);
    reading_close(&r);
    fixture_end(&f);
}

static void a_blob_of_64_kib_is_kept_and_a_larger_record_is_refused(void **state)
{
    (void)state;
    fixture f;
    fixture_make(&f);
    host_driven(&f);
    fixture_open(&f);
    static unsigned char huge[TG_RECORD_BYTES_MAX + 1];
    for (int i = 0; i < 100; i++) {
        TG_RECORD(f.recorder, TG_RECORD_INFO, "%p", tg_blob_of(huge, 65536));
        assert_int_equal(tg_recorder_poll(f.recorder, NULL), TG_OK);
    }
    TG_RECORD(f.recorder, TG_RECORD_INFO, "%p", tg_blob_of(huge, sizeof huge));
    TG_RECORD(f.recorder, TG_RECORD_INFO, "after");
    tg_recorder_counters counters = {.struct_size = sizeof counters};
    assert_int_equal(tg_recorder_counters_get(f.recorder, &counters), TG_OK);
    assert_int_equal(counters.dropped, 1);
    tg_recorder_close(f.recorder);
    assert_int_equal(count_records(f.path, 0), 101);
    assert_int_equal(count_records(f.path, TG__SITE_DROPPED), 1);
    fixture_end(&f);
}

/* Sum of the counts in all notes of a kind. A busy machine adds some on slow writes. */
static uint64_t noted(const tg__log_file *file, uint32_t kind)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < file->note_count; i++) {
        sum += file->notes[i].kind == kind ? file->notes[i].count : 0;
    }
    return sum;
}

/* Sum of the counts in all markers of a kind. */
static uint64_t marked(const char *path, uint32_t site)
{
    reading r;
    reading_open(&r, path);
    tg__log_record record;
    uint64_t sum = 0;
    while (tg__log_merge_next(&r.merge, &record) == TG_OK) {
        if (record.site->id == site) {
            sum += tg__get_u64(record.arguments);
            assert_int_equal(sum, tg__get_u64(record.arguments + 8));
        }
    }
    sum += noted(&r.file, site == TG__SITE_DROPPED ? TG__NOTE_DROPPED : TG__NOTE_OVERWRITTEN);
    reading_close(&r);
    return sum;
}

static void a_full_ring_drops_the_newest_and_says_exactly_how_many(void **state)
{
    (void)state;
    const uint64_t calls = 50000;
    fixture f;
    fixture_make(&f);
    host_driven(&f);
    fixture_open(&f);
    for (uint64_t i = 0; i < calls; i++) {
        TG_RECORD(f.recorder, TG_RECORD_INFO, "number %" PRIu64, i);
        if (i % 20000 == 0) {
            assert_int_equal(tg_recorder_poll(f.recorder, NULL), TG_OK);
        }
    }
    tg_recorder_counters counters = {.struct_size = sizeof counters};
    assert_int_equal(tg_recorder_counters_get(f.recorder, &counters), TG_OK);
    assert_true(counters.dropped > 0);
    tg_recorder_close(f.recorder);
    const uint64_t kept = count_records(f.path, 0);
    assert_int_equal(kept + counters.dropped, calls);
    assert_int_equal(marked(f.path, TG__SITE_DROPPED), counters.dropped);
    fixture_end(&f);
}

static void a_host_that_polls_itself_drops_instead_of_waiting_for_ever(void **state)
{
    (void)state;
    const uint64_t calls = 20000;
    fixture f;
    fixture_make(&f);
    host_driven(&f);
    f.opt.overflow[TG_RECORD_INFO] = TG_OVERFLOW_WAIT;
    fixture_open(&f);
    for (int round = 0; round < 2; round++) { /* before the first poll, and after it */
        for (uint64_t i = 0; i < calls; i++) {
            TG_RECORD(f.recorder, TG_RECORD_INFO, "number %" PRIu64, i);
        }
        assert_int_equal(tg_recorder_poll(f.recorder, NULL), TG_OK);
    }
    tg_recorder_counters counters = {.struct_size = sizeof counters};
    assert_int_equal(tg_recorder_counters_get(f.recorder, &counters), TG_OK);
    assert_true(counters.dropped > 0);
    tg_recorder_close(f.recorder);
    assert_int_equal(count_records(f.path, 0) + counters.dropped, 2 * calls);
    fixture_end(&f);
}

static void a_flight_recorder_keeps_the_newest(void **state)
{
    (void)state;
    const uint64_t calls = 50000;
    fixture f;
    fixture_make(&f);
    host_driven(&f);
    f.opt.overflow[TG_RECORD_INFO] = TG_OVERFLOW_OVERWRITE;
    fixture_open(&f);
    for (uint64_t i = 0; i < calls; i++) {
        TG_RECORD(f.recorder, TG_RECORD_INFO, "number %" PRIu64, i);
        if (i == 30000) {
            assert_int_equal(tg_recorder_poll(f.recorder, NULL), TG_OK);
        }
    }
    tg_recorder_counters counters = {.struct_size = sizeof counters};
    assert_int_equal(tg_recorder_counters_get(f.recorder, &counters), TG_OK);
    assert_int_equal(counters.dropped, 0);
    assert_true(counters.overwritten > 0);
    tg_recorder_close(f.recorder);

    reading r;
    reading_open(&r, f.path);
    tg__log_record record;
    uint64_t last = 0;
    while (tg__log_merge_next(&r.merge, &record) == TG_OK) {
        if (record.site->id >= TG__SITE_FIRST_OF_USER) {
            const uint64_t number = tg__get_u64(record.arguments);
            assert_true(last == 0 || number > last);
            last = number;
        }
    }
    assert_int_equal(last, calls - 1);
    reading_close(&r);
    fixture_end(&f);
}

typedef struct worker {
    tg_recorder *recorder;
    uint32_t number;
    uint32_t count;
} worker;

static void *work(void *arg)
{
    const worker *w = arg;
    for (uint32_t i = 0; i < w->count; i++) {
        TG_RECORD(w->recorder, TG_RECORD_INFO, "worker %u number %u", w->number, i);
    }
    return NULL;
}

static void threads_that_wait_lose_nothing(void **state)
{
    (void)state;
    enum {
        WORKERS = 6,
        EACH = 30000
    };
    fixture f;
    fixture_make(&f);
    f.opt.overflow[TG_RECORD_INFO] = TG_OVERFLOW_WAIT;
    fixture_open(&f);
    pthread_t threads[WORKERS];
    worker workers[WORKERS];
    for (uint32_t i = 0; i < WORKERS; i++) {
        workers[i] = (worker){f.recorder, i, EACH};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < WORKERS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    tg_recorder_close(f.recorder);

    uint32_t next[WORKERS] = {0};
    reading r;
    reading_open(&r, f.path);
    tg__log_record record;
    while (tg__log_merge_next(&r.merge, &record) == TG_OK) {
        const uint32_t number = tg__get_u32(record.arguments);
        assert_true(number < WORKERS);
        assert_int_equal(tg__get_u32(record.arguments + 4), next[number]);
        next[number]++;
    }
    for (int i = 0; i < WORKERS; i++) {
        assert_int_equal(next[i], EACH);
    }
    reading_close(&r);
    fixture_end(&f);
}

static void threads_that_drop_count_exactly(void **state)
{
    (void)state;
    enum {
        WORKERS = 8,
        EACH = 30000
    };
    fixture f;
    fixture_make(&f);
    fixture_open(&f);
    pthread_t threads[WORKERS];
    worker workers[WORKERS];
    for (uint32_t i = 0; i < WORKERS; i++) {
        workers[i] = (worker){f.recorder, i, EACH};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < WORKERS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    tg_recorder_counters counters = {.struct_size = sizeof counters};
    assert_int_equal(tg_recorder_counters_get(f.recorder, &counters), TG_OK);
    tg_recorder_close(f.recorder);
    assert_int_equal(count_records(f.path, 0) + counters.dropped, (uint64_t)WORKERS * EACH);

    /* The markers of each thread add up to what it dropped; what it did not tell, a note does. */
    uint64_t told = 0;
    reading r;
    reading_open(&r, f.path);
    tg__log_record record;
    while (tg__log_merge_next(&r.merge, &record) == TG_OK) {
        if (record.site->id == TG__SITE_DROPPED) {
            told += tg__get_u64(record.arguments);
            assert_true(tg__get_u64(record.arguments + 16) <= tg__get_u64(record.arguments + 24));
        }
    }
    told += noted(&r.file, TG__NOTE_DROPPED);
    reading_close(&r);
    assert_int_equal(told, counters.dropped);
    fixture_end(&f);
}

static void many_short_threads_merge_in_order(void **state)
{
    (void)state;
    enum {
        ROUNDS = 64,
        AT_ONCE = 8,
        EACH = 20
    };
    fixture f;
    fixture_make(&f);
    f.opt.overflow[TG_RECORD_INFO] = TG_OVERFLOW_WAIT;
    f.opt.threads_max = AT_ONCE * 2;
    fixture_open(&f);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        pthread_t threads[AT_ONCE];
        worker workers[AT_ONCE];
        for (uint32_t i = 0; i < AT_ONCE; i++) {
            workers[i] = (worker){f.recorder, round * AT_ONCE + i, EACH};
            assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
        }
        for (int i = 0; i < AT_ONCE; i++) {
            assert_int_equal(pthread_join(threads[i], NULL), 0);
        }
        assert_int_equal(tg_recorder_flush(f.recorder, 60000), TG_OK);
    }
    tg_recorder_counters counters = {.struct_size = sizeof counters};
    assert_int_equal(tg_recorder_counters_get(f.recorder, &counters), TG_OK);
    tg_recorder_close(f.recorder);
    reading r;
    reading_open(&r, f.path);
    assert_true(r.file.thread_count > AT_ONCE);
    tg__log_record record;
    int64_t last_ns = INT64_MIN;
    uint64_t count = 0;
    while (tg__log_merge_next(&r.merge, &record) == TG_OK) {
        assert_true(record.mono_ns >= last_ns);
        last_ns = record.mono_ns;
        count++;
    }
    assert_int_equal(r.merge.late_count, 0);
    assert_int_equal(count + counters.dropped, ROUNDS * AT_ONCE * EACH);
    reading_close(&r);
    fixture_end(&f);
}

static void threads_that_overwrite_account_for_every_record(void **state)
{
    (void)state;
    enum {
        WORKERS = 4,
        EACH = 60000
    };
    fixture f;
    fixture_make(&f);
    f.opt.overflow[TG_RECORD_INFO] = TG_OVERFLOW_OVERWRITE;
    fixture_open(&f);
    pthread_t threads[WORKERS];
    worker workers[WORKERS];
    for (uint32_t i = 0; i < WORKERS; i++) {
        workers[i] = (worker){f.recorder, i, EACH};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < WORKERS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    assert_int_equal(tg_recorder_flush(f.recorder, 60000), TG_OK);
    const uint64_t flushed = count_records(f.path, 0);
    tg_recorder_counters counters = {.struct_size = sizeof counters};
    assert_int_equal(tg_recorder_counters_get(f.recorder, &counters), TG_OK);
    tg_recorder_close(f.recorder);

    uint32_t next[WORKERS] = {0};
    uint64_t kept = 0;
    reading r;
    reading_open(&r, f.path);
    tg__log_record record;
    while (tg__log_merge_next(&r.merge, &record) == TG_OK) {
        if (record.site->id >= TG__SITE_FIRST_OF_USER) {
            const uint32_t number = tg__get_u32(record.arguments);
            assert_true(tg__get_u32(record.arguments + 4) >= next[number]);
            next[number] = tg__get_u32(record.arguments + 4) + 1;
            kept++;
        }
    }
    reading_close(&r);
    assert_int_equal(kept, flushed);
    /* Markers may be overwritten too, and count when they are. */
    assert_true(kept + counters.dropped + counters.overwritten >= (uint64_t)WORKERS * EACH);
    assert_true(kept <= (uint64_t)WORKERS * EACH);
    fixture_end(&f);
}

static void rings_of_threads_that_left_serve_new_ones(void **state)
{
    (void)state;
    enum {
        THREADS = 40
    };
    fixture f;
    fixture_make(&f);
    f.opt.threads_max = 2;
    fixture_open(&f);
    for (uint32_t i = 0; i < THREADS; i++) {
        worker w = {f.recorder, i, 10};
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, work, &w), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_int_equal(tg_recorder_flush(f.recorder, 20000), TG_OK);
        tg_recorder_counters counters = {.struct_size = sizeof counters, .threads = 1};
        while (counters.threads != 0) {
            assert_int_equal(tg_recorder_counters_get(f.recorder, &counters), TG_OK);
        }
    }
    tg_recorder_close(f.recorder);
    assert_int_equal(count_records(f.path, 0), THREADS * 10);
    fixture_end(&f);
}

static pthread_key_t late_key;
static tg_recorder *late_recorder;

static void record_late(void *value)
{
    TG_RECORD(late_recorder, TG_RECORD_INFO, "from a destructor");
    if (value != (void *)&late_key) {
        (void)pthread_setspecific(late_key, &late_key); /* and once more, after the ring has gone */
    }
}

static void *leave_late(void *arg)
{
    (void)arg;
    TG_RECORD(late_recorder, TG_RECORD_INFO, "from the thread");
    (void)pthread_setspecific(late_key, &late_recorder);
    return NULL;
}

static void a_thread_may_record_in_its_destructors(void **state)
{
    (void)state;
    fixture f;
    fixture_make(&f);
    fixture_open(&f);
    late_recorder = f.recorder;
    assert_int_equal(pthread_key_create(&late_key, record_late), 0);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, leave_late, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(pthread_key_delete(late_key), 0);
    tg_recorder_close(f.recorder);
    assert_int_equal(count_records(f.path, 0), 3);
    fixture_end(&f);
}

static void more_threads_than_rings_are_refused_and_counted(void **state)
{
    (void)state;
    fixture f;
    fixture_make(&f);
    f.opt.threads_max = 1;
    fixture_open(&f);
    assert_int_equal(tg_recorder_prepare_thread(f.recorder, "the only one"), TG_OK);
    worker w = {f.recorder, 0, 25};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, work, &w), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    tg_recorder_counters counters = {.struct_size = sizeof counters};
    assert_int_equal(tg_recorder_counters_get(f.recorder, &counters), TG_OK);
    assert_int_equal(counters.dropped, 25);
    tg_recorder_close(f.recorder);
    reading r;
    reading_open(&r, f.path);
    assert_int_equal(noted(&r.file, TG__NOTE_REFUSED), 25);
    assert_string_equal(tg__log_file_thread_name(&r.file, 1), "the only one");
    reading_close(&r);
    fixture_end(&f);
}

static void two_recorders_keep_their_records_apart(void **state)
{
    (void)state;
    fixture a;
    fixture b;
    fixture_make(&a);
    fixture_make(&b);
    fixture_open(&a);
    fixture_open(&b);
    for (int i = 0; i < 1000; i++) {
        tg_recorder *turn = i % 4 == 0 ? a.recorder : b.recorder;
        TG_RECORD(turn, TG_RECORD_INFO, "turn %d", i);
    }
    tg_recorder_close(a.recorder);
    TG_RECORD(b.recorder, TG_RECORD_INFO, "the other lives on");
    tg_recorder_close(b.recorder);
    assert_int_equal(count_records(a.path, 0), 250);
    assert_int_equal(count_records(b.path, 0), 751);
    fixture_end(&a);
    fixture_end(&b);
}

static void a_forked_child_leaves_the_parents_record_alone(void **state)
{
    (void)state;
    fixture f;
    fixture_make(&f);
    host_driven(&f);
    fixture_open(&f);
    TG_RECORD(f.recorder, TG_RECORD_INFO, "before");
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        TG_RECORD(f.recorder, TG_RECORD_INFO, "from the child");
        const bool refused = tg_recorder_prepare_thread(f.recorder, NULL) == TG_ERR_FORKED &&
                             tg_recorder_poll(f.recorder, NULL) == TG_ERR_FORKED &&
                             tg_recorder_flush(f.recorder, 1) == TG_ERR_FORKED;
        tg_recorder_close(f.recorder);
        tg_recorder_options own = f.opt;
        char path[1100];
        (void)snprintf(path, sizeof path, "%s.child", f.path);
        own.path = path;
        tg_recorder *recorder = NULL;
        const bool opened = tg_recorder_open(&own, &recorder) == TG_OK;
        TG_RECORD(recorder, TG_RECORD_INFO, "a recorder of its own");
        tg_recorder_close(recorder);
        _exit(refused && opened ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    TG_RECORD(f.recorder, TG_RECORD_INFO, "after");
    tg_recorder_close(f.recorder);
    assert_int_equal(count_records(f.path, 0), 2);
    char path[1100];
    (void)snprintf(path, sizeof path, "%s.child", f.path);
    assert_int_equal(count_records(path, 0), 1);
    fixture_end(&f);
}

static void rotation_starts_files_that_read_alone(void **state)
{
    (void)state;
    fixture f;
    fixture_make(&f);
    host_driven(&f);
    f.opt.rotate_bytes = 20000;
    fixture_open(&f);
    for (uint32_t i = 0; i < 20000; i++) {
        TG_RECORD(f.recorder, TG_RECORD_INFO, "rotated %u %u", i, i * UINT32_C(2654435761));
        if (i % 1000 == 0) {
            assert_int_equal(tg_recorder_poll(f.recorder, NULL), TG_OK);
        }
    }
    tg_recorder_counters counters = {.struct_size = sizeof counters};
    assert_int_equal(tg_recorder_counters_get(f.recorder, &counters), TG_OK);
    assert_true(counters.files >= 3);
    tg_recorder_close(f.recorder);
    /* Closing writes what is still in the rings, and may rotate once more: what is on disk says how
     * many there are. */
    uint64_t sum = count_records(f.path, 0);
    uint32_t files = 1;
    for (;; files++) {
        char path[1100];
        (void)snprintf(path, sizeof path, "%s.%u", f.path, files);
        if (access(path, F_OK) != 0) {
            break;
        }
        sum += count_records(path, 0);
        reading r; /* each has been ended in order, the one before too */
        reading_open(&r, path);
        assert_true(r.file.ended);
        assert_int_equal(r.file.info.file_number, files + 1);
        reading_close(&r);
    }
    assert_true(files >= counters.files);
    assert_int_equal(sum, 20000);
    fixture_end(&f);
}

static int64_t stepped_ns(void *ctx)
{
    return *(const int64_t *)ctx;
}

static void rotation_by_time_starts_a_file_when_the_last_is_old_enough(void **state)
{
    (void)state;
    fixture f;
    fixture_make(&f);
    host_driven(&f);
    int64_t now_ns = INT64_C(1000000000);
    const tg_clock clock = {stepped_ns, stepped_ns, &now_ns, NULL};
    f.opt.clock = &clock;
    f.opt.rotate_seconds = 60;
    fixture_open(&f);
    tg_recorder_counters counters = {.struct_size = sizeof counters};
    /* One record each half minute: two in a file, for a round looks at the age before it writes. */
    for (uint32_t i = 0; i < 8; i++) {
        TG_RECORD(f.recorder, TG_RECORD_INFO, "at %u", i);
        assert_int_equal(tg_recorder_poll(f.recorder, NULL), TG_OK);
        assert_int_equal(tg_recorder_counters_get(f.recorder, &counters), TG_OK);
        assert_int_equal(counters.files, 1 + i / 2);
        now_ns += INT64_C(30000000000);
    }
    tg_recorder_close(f.recorder);
    assert_int_equal(count_records(f.path, 0), 2);
    for (uint32_t i = 1; i < 4; i++) {
        char path[1100];
        (void)snprintf(path, sizeof path, "%s.%u", f.path, (unsigned)i);
        assert_int_equal(count_records(path, 0), 2);
    }
    fixture_end(&f);
}

static void records_with_older_stamps_are_put_in_order_or_told(void **state)
{
    (void)state;
    enum {
        RECORDS = 4000
    };
    fixture f;
    fixture_make(&f);
    host_driven(&f);
    fixture_open(&f);
    for (int64_t i = 1; i <= RECORDS; i++) {
        const int64_t stamp = i % 100 == 0 ? i - 50 : i; /* 50 late: within the window */
        TG_RECORD_AT(f.recorder, TG_RECORD_INFO, stamp, "at %" PRId64, stamp);
    }
    TG_RECORD_AT(f.recorder, TG_RECORD_INFO, RECORDS - 3000, "far too late");
    tg_recorder_close(f.recorder);
    reading r;
    reading_open(&r, f.path);
    tg__log_record record;
    int64_t last_ns = 0;
    uint64_t ascending = 0;
    while (tg__log_merge_next(&r.merge, &record) == TG_OK) {
        ascending += record.mono_ns >= last_ns;
        last_ns = record.mono_ns >= last_ns ? record.mono_ns : last_ns;
    }
    assert_int_equal(ascending, RECORDS);
    assert_int_equal(r.merge.late_count, 1);
    assert_true(r.merge.late_most_ns > 0);
    reading_close(&r);
    fixture_end(&f);
}

static void poll_and_thread_exclude_each_other(void **state)
{
    (void)state;
    fixture f;
    fixture_make(&f);
    fixture_open(&f);
    assert_int_equal(tg_recorder_poll(f.recorder, NULL), TG_ERR_STATE);
    TG_RECORD(f.recorder, TG_RECORD_INFO, "flushed");
    assert_int_equal(tg_recorder_flush(f.recorder, 20000), TG_OK);
    assert_int_equal(count_records(f.path, 0), 1); /* while it is open */
    tg_recorder_close(f.recorder);
    fixture_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_refuses_impossible_options),
        cmocka_unit_test(open_never_overwrites_a_file),
        cmocka_unit_test(close_removes_the_rings_and_ends_the_file),
        cmocka_unit_test(a_null_recorder_and_a_level_that_is_off_evaluate_nothing),
        cmocka_unit_test(what_is_written_is_read_in_order_and_unchanged),
        cmocka_unit_test(a_blob_of_64_kib_is_kept_and_a_larger_record_is_refused),
        cmocka_unit_test(a_full_ring_drops_the_newest_and_says_exactly_how_many),
        cmocka_unit_test(a_host_that_polls_itself_drops_instead_of_waiting_for_ever),
        cmocka_unit_test(a_flight_recorder_keeps_the_newest),
        cmocka_unit_test(threads_that_wait_lose_nothing),
        cmocka_unit_test(threads_that_drop_count_exactly),
        cmocka_unit_test(many_short_threads_merge_in_order),
        cmocka_unit_test(threads_that_overwrite_account_for_every_record),
        cmocka_unit_test(rings_of_threads_that_left_serve_new_ones),
        cmocka_unit_test(a_thread_may_record_in_its_destructors),
        cmocka_unit_test(more_threads_than_rings_are_refused_and_counted),
        cmocka_unit_test(two_recorders_keep_their_records_apart),
        cmocka_unit_test(a_forked_child_leaves_the_parents_record_alone),
        cmocka_unit_test(rotation_starts_files_that_read_alone),
        cmocka_unit_test(rotation_by_time_starts_a_file_when_the_last_is_old_enough),
        cmocka_unit_test(records_with_older_stamps_are_put_in_order_or_told),
        cmocka_unit_test(poll_and_thread_exclude_each_other),
    };
    return cmocka_run_group_tests_name("recorder.recorder", tests, NULL, NULL);
}
