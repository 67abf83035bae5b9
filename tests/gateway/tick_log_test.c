#include "tg_cmocka.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "scratch_folder.h"
#include "tick_log.h"

#define LINEAGE UINT64_C(0x1122334455667788)

typedef struct fixture {
    scratch_folder folder;
    tg__tick_log *log;
    tg__cause cause;
} fixture;

static void open_log(fixture *f)
{
    memset(f, 0, sizeof *f);
    scratch_folder_open(&f->folder);
    assert_int_equal(
        tg__tick_log_open(scratch_path(&f->folder, "ticks"), LINEAGE, 400, &f->log, &f->cause),
        TG_OK);
}

static void close_log(fixture *f)
{
    tg__tick_log_close(f->log);
    scratch_folder_close(&f->folder);
}

static void add(fixture *f, tg_instrument_id id, uint32_t epoch, uint64_t seq, int64_t ts_ns)
{
    const tg_image image = {.epoch = epoch, .seq = seq};
    tg__tick_log_add(f->log, id, &image, ts_ns, ts_ns + 7);
}

/* The file's bytes; fails the test if there are more than capacity. */
static size_t content(const fixture *f, uint8_t *out, size_t capacity)
{
    FILE *file = fopen(scratch_path(&f->folder, "ticks"), "rb");
    assert_non_null(file);
    const size_t size = fread(out, 1, capacity, file);
    assert_true(size < capacity);
    assert_int_equal(fclose(file), 0);
    return size;
}

static void a_record_has_the_documented_bytes(void **state)
{
    (void)state;
    static const uint8_t expected[] = {
        'T',  'G',  'T',  'I',  'C',  'K',  'S',  '1',  /* magic */
        32,   0,    0,    0,                            /* record size */
        0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, /* lineage */
        0x2c, 0x01, 0,    0,    0x04, 0x03, 0x02, 0x01, /* 300, flags, epoch */
        0x0d, 0x0c, 0x0b, 0x0a, 0,    0,    0,    0,    /* seq */
        0x2e, 0xfb, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, /* -1234 */
        0x35, 0xfb, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, /* -1227 */
    };
    fixture f;
    uint8_t bytes[256];
    open_log(&f);
    assert_int_equal(content(&f, bytes, sizeof bytes), TG__TICK_LOG_HEADER_SIZE);
    add(&f, 300, 0x01020304, 0x0a0b0c0d, -1234);
    tg__tick_log_flush(f.log);
    assert_int_equal(content(&f, bytes, sizeof bytes), sizeof expected);
    assert_memory_equal(bytes, expected, sizeof expected);
    close_log(&f);
}

static void a_version_has_one_record_however_many_rows_it_took(void **state)
{
    (void)state;
    fixture f;
    uint8_t bytes[256];
    open_log(&f);
    add(&f, 1, 1, 1, 100);
    add(&f, 1, 1, 1, 100); /* the other side of a quote */
    add(&f, 2, 1, 1, 100);
    add(&f, 1, 2, 1, 100); /* a new epoch is a new version */
    add(&f, 1, 2, 2, 100);
    tg__tick_log_flush(f.log);
    assert_int_equal(content(&f, bytes, sizeof bytes),
                     TG__TICK_LOG_HEADER_SIZE + 4 * TG__TICK_LOG_RECORD_SIZE);
    close_log(&f);
}

static void a_full_buffer_is_written_and_nothing_is_lost(void **state)
{
    (void)state;
    fixture f;
    static uint8_t bytes[512 * 1024];
    const uint64_t count = 3 * TG__TICK_LOG_BUFFER_SIZE / TG__TICK_LOG_RECORD_SIZE + 5;
    open_log(&f);
    for (uint64_t seq = 1; seq <= count; seq++) {
        add(&f, 9, 1, seq, (int64_t)seq);
    }
    assert_int_equal(content(&f, bytes, sizeof bytes),
                     TG__TICK_LOG_HEADER_SIZE + 3 * TG__TICK_LOG_BUFFER_SIZE);
    tg__tick_log_close(f.log);
    f.log = NULL;
    assert_int_equal(content(&f, bytes, sizeof bytes),
                     TG__TICK_LOG_HEADER_SIZE + count * TG__TICK_LOG_RECORD_SIZE);
    for (uint64_t seq = 1; seq <= count; seq++) {
        const uint8_t *record =
            bytes + TG__TICK_LOG_HEADER_SIZE + (seq - 1) * TG__TICK_LOG_RECORD_SIZE;
        assert_int_equal(record[8] | record[9] << 8, seq);
    }
    close_log(&f);
}

static void a_file_that_cannot_be_made_is_named(void **state)
{
    (void)state;
    tg__cause cause;
    tg__tick_log *log = NULL;
    assert_int_equal(tg__tick_log_open("/nonexistent/ticks", 1, 1, &log, &cause), TG_ERR_IO);
    assert_null(log);
    assert_non_null(strstr(cause.text, "/nonexistent/ticks: cannot be written"));
}

static void a_full_disk_ends_the_journal_and_nothing_else(void **state)
{
    (void)state;
    fixture f;
    uint8_t bytes[256];
    struct rlimit before;
    open_log(&f);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    const struct rlimit little = {TG__TICK_LOG_HEADER_SIZE + TG__TICK_LOG_RECORD_SIZE + 5,
                                  before.rlim_max};
    assert_true(signal(SIGXFSZ, SIG_IGN) != SIG_ERR); /* a write then fails with EFBIG */
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
    add(&f, 1, 1, 1, 100);
    add(&f, 1, 1, 2, 100);
    tg__tick_log_flush(f.log);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    add(&f, 1, 1, 3, 100);
    tg__tick_log_flush(f.log);
    assert_int_equal(content(&f, bytes, sizeof bytes), little.rlim_cur);
    close_log(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_has_the_documented_bytes),
        cmocka_unit_test(a_version_has_one_record_however_many_rows_it_took),
        cmocka_unit_test(a_full_buffer_is_written_and_nothing_is_lost),
        cmocka_unit_test(a_file_that_cannot_be_made_is_named),
        cmocka_unit_test(a_full_disk_ends_the_journal_and_nothing_else),
    };
    return cmocka_run_group_tests_name("gateway.tick_log", tests, NULL, NULL);
}
