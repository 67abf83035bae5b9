#include "stage_record.h"

#include <stdio.h>
#include <string.h>

#include "../demo-terminal/record_reader.h"
#include "scratch_folder.h"

typedef struct fixture {
    scratch_folder folder;
    char path[160];
    tg__directory directory;
    tg__stage_record *record;
    tg__cause cause;
} fixture;

static void add(fixture *f, const char *venue, const char *symbol)
{
    tg_instrument instrument;
    tg_instrument_id id = 0;
    memset(&instrument, 0, sizeof instrument);
    (void)snprintf(instrument.symbol, sizeof instrument.symbol, "%s", symbol);
    assert_int_equal(tg__directory_venue(&f->directory, venue, &instrument.venue), TG_OK);
    assert_int_equal(tg__directory_add(&f->directory, &instrument, &id), TG_OK);
}

static void set_up(fixture *f)
{
    memset(f, 0, sizeof *f);
    scratch_folder_open(&f->folder);
    (void)snprintf(f->path, sizeof f->path, "%s", scratch_path(&f->folder, "stages.tgrec"));
    tg__directory_init(&f->directory);
    add(f, "ORION", "BTC-USD");
    add(f, "LYRA", "BTC-PERP");
    assert_int_equal(tg__stage_record_open(f->path, &f->directory, &f->record, &f->cause), TG_OK);
}

static void tear_down(fixture *f)
{
    tg__stage_record_close(f->record);
    tg__directory_deinit(&f->directory);
    scratch_folder_close(&f->folder);
}

static tg_image image_of(uint64_t seq)
{
    const tg_image image = {.epoch = 3, .seq = seq};
    return image;
}

/* The numbers of all records whose format has the part, one line each. */
static void assert_records(const fixture *f, const char *part, const char *expected)
{
    record_reader reader;
    tg_record_entry record;
    char lines[1024] = "";
    size_t size = 0;
    record_reader_open(&reader, f->path);
    while (record_reader_next(&reader, &record)) {
        if (!record_contains(&record, part)) {
            continue;
        }
        for (unsigned i = 0; i < record.argument_count; i++) {
            const record_argument argument = record_argument_of(&record, i);
            size += (size_t)(argument.bytes != NULL
                                 ? snprintf(lines + size, sizeof lines - size, " %.*s",
                                            (int)argument.size, (const char *)argument.bytes)
                                 : snprintf(lines + size, sizeof lines - size, " %lld",
                                            (long long)argument.number));
            assert_true(size < sizeof lines);
        }
        lines[size++] = '\n';
        lines[size] = '\0';
    }
    record_reader_close(&reader);
    assert_string_equal(lines, expected);
}

static void close_record(fixture *f)
{
    tg__stage_record_close(f->record);
    f->record = NULL;
}

static void a_frame_tells_when_its_ticks_were_due_and_taken(void **state)
{
    (void)state;
    fixture f;
    set_up(&f);
    tg_image image = image_of(10);
    tg__stage_record_tick(f.record, 0, &image, 1000, 40);
    image = image_of(20);
    tg__stage_record_tick(f.record, 1, &image, 1000, -1); /* nothing is due at full speed */
    tg__stage_record_turn(f.record, 1000, 1100);
    tg__update updates[3];
    memset(updates, 0, sizeof updates);
    updates[0].id = 0;
    updates[0].image = image_of(10);
    updates[1].id = 1;
    updates[1].image = image_of(20);
    const tg__frame frame = {.boundary = 7, .count = 2};
    tg__stage_record_frame(f.record, &frame, updates, 1200, 1300);
    /* Admitted after the boundary that the next frame is of. */
    image = image_of(11);
    tg__stage_record_tick(f.record, 0, &image, 1250, 0);
    const tg__frame next = {.boundary = 8, .count = 1};
    tg__stage_record_frame(f.record, &next, updates, 1400, 1500);
    tg__stage_record_written(f.record, 5, 1300, 1600);
    tg__stage_record_echo(f.record, 5, 99, 1700);
    close_record(&f);
    assert_records(&f, "instrument %u is", " 0 ORION BTC-USD\n 1 LYRA BTC-PERP\n");
    assert_records(&f, "row of",
                   " 0 3 10 960 1000 1100 1300\n"
                   " 1 3 20 0 1000 1100 1300\n"
                   " 0 3 10 0 0 0 1500\n");
    assert_records(&f, "frame to", " 7 1200 1300 2\n 8 1400 1500 1\n");
    assert_records(&f, "written_mono_ns", " 5 1300 1600\n");
    assert_records(&f, "seen_mono_ns", " 5 99 1700\n");
    tear_down(&f);
}

static void ticks_at_once_are_the_next_that_is_written_to_their_connection(void **state)
{
    (void)state;
    fixture f;
    set_up(&f);
    const tg_image image = image_of(10);
    tg__stage_record_tick(f.record, 0, &image, 1000, 40);
    tg__tick tick;
    memset(&tick, 0, sizeof tick);
    tick.update.image = image;
    int64_t queued_mono_ns = 0;
    assert_false(tg__stage_record_awaits(f.record, 5, &queued_mono_ns));
    tg__stage_record_ticks(f.record, 5, &tick, 1, 1100, 1150);
    assert_false(tg__stage_record_awaits(f.record, 6, &queued_mono_ns));
    assert_true(tg__stage_record_awaits(f.record, 5, &queued_mono_ns));
    assert_int_equal(queued_mono_ns, 1150);
    tg__stage_record_written(f.record, 5, queued_mono_ns, 1200);
    assert_false(tg__stage_record_awaits(f.record, 5, &queued_mono_ns));
    close_record(&f);
    assert_records(&f, "row of", " 0 3 10 960 1000 0 1150\n");
    assert_records(&f, "frame to", " 0 1100 1150 1\n");
    assert_records(&f, "written_mono_ns", " 5 1150 1200\n");
    tear_down(&f);
}

static void a_file_that_is_there_is_refused_by_name(void **state)
{
    (void)state;
    fixture f;
    set_up(&f);
    tg__stage_record *second = NULL;
    assert_int_equal(tg__stage_record_open(f.path, &f.directory, &second, &f.cause), TG_ERR_IO);
    assert_null(second);
    assert_non_null(strstr(f.cause.text, f.path));
    assert_non_null(strstr(f.cause.text, "exists"));
    tear_down(&f);
}

static void without_a_record_nothing_happens(void **state)
{
    (void)state;
    const tg_image image = image_of(1);
    const tg__frame frame = {.boundary = 1};
    int64_t queued_mono_ns = 0;
    tg__stage_record_tick(NULL, 0, &image, 1, 1);
    tg__stage_record_turn(NULL, 1, 2);
    tg__stage_record_frame(NULL, &frame, NULL, 1, 2);
    tg__stage_record_ticks(NULL, 1, NULL, 0, 1, 2);
    tg__stage_record_written(NULL, 1, 2, 3);
    tg__stage_record_echo(NULL, 1, 2, 3);
    assert_false(tg__stage_record_awaits(NULL, 1, &queued_mono_ns));
    tg__stage_record_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_tells_when_its_ticks_were_due_and_taken),
        cmocka_unit_test(ticks_at_once_are_the_next_that_is_written_to_their_connection),
        cmocka_unit_test(a_file_that_is_there_is_refused_by_name),
        cmocka_unit_test(without_a_record_nothing_happens),
    };
    return cmocka_run_group_tests_name("gateway.stage_record", tests, NULL, NULL);
}
