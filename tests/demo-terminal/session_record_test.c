#include "session_record.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "../gateway/scratch_folder.h"
#include "record_reader.h"

#define SLOTS 64

static atomic_int woken;

static void wake(void *ctx)
{
    (void)ctx;
    (void)atomic_fetch_add(&woken, 1);
}

typedef struct fixture {
    scratch_folder folder;
    session_record *record;
} fixture;

static fixture begin(void)
{
    fixture f;
    scratch_folder_open(&f.folder);
    assert_int_equal(session_record_open(SLOTS, wake, NULL, &f.record), TG_OK);
    return f;
}

static void end(fixture *f)
{
    char why[400];
    assert_int_equal(session_record_close(f->record, why, sizeof why), TG_OK);
    scratch_folder_close(&f->folder);
}

/* The result of what runs beside. */
static bool result_of(session_record *record, char *text, size_t size)
{
    bool bad = false;
    while (!session_record_take_result(record, text, size, &bad)) {
        (void)sched_yield();
    }
    return !bad;
}

static void show(session_record *record, uint64_t pass, size_t slot, uint64_t seq)
{
    const shown_version shown = {.slot = slot,
                                 .venue = "TEST",
                                 .symbol = "A",
                                 .version = {1, seq},
                                 .received_mono_ns = (int64_t)seq};
    session_record_row(record, pass, &shown);
}

/* Cells that the pass drew, another one each time. */
static void draw(session_record *record, uint64_t pass, const pass_stamps *stamps)
{
    static const tg_style plain = {0xffffff, 0, 0};
    const char text[] = {(char)('0' + pass), '\0'};
    tg_grid *grid = NULL;
    assert_int_equal(tg_grid_open(2, 1, &grid), TG_OK);
    (void)tg_grid_damage(grid);
    (void)tg_grid_put(grid, 0, 1, plain, text);
    const drawn_pass drawn = {pass, tg_grid_damage(grid), grid, {100, 20, 14}};
    session_record_drew(record, &drawn, stamps);
    tg_grid_close(grid);
}

static size_t count_of(const char *path, const char *part)
{
    record_reader reader;
    tg_record_entry record;
    size_t count = 0;
    record_reader_open(&reader, path);
    while (record_reader_next(&reader, &record)) {
        count += record_contains(&record, part) ? 1 : 0;
    }
    assert_true(record_reader_ended(&reader));
    record_reader_close(&reader);
    return count;
}

static const ui_state some_ui = {.columns = 160,
                                 .rows = 37,
                                 .width_px = 1280,
                                 .height_px = 720,
                                 .palette = "blue-orange",
                                 .opened = UINT32_MAX,
                                 .panels = 15,
                                 .list = {.sort = "", .filter = "", .typed = ""}};

static void what_does_not_change_is_said_once_in_each_file(void **state)
{
    (void)state;
    fixture f = begin();
    char text[800];
    const char *paths[] = {scratch_path(&f.folder, "one.tgrec"),
                           scratch_path(&f.folder, "two.tgrec")};
    show(f.record, 1, 0, 1); /* nobody records */
    assert_int_equal(session_record_stop(f.record), TG_ERR_STATE);
    for (int file = 0; file < 2; file++) {
        assert_int_equal(session_record_start(f.record, paths[file]), TG_OK);
        assert_int_equal(session_record_start(f.record, paths[file]), TG_ERR_FULL);
        assert_null(session_record_path(f.record)); /* not before it is told */
        assert_true(result_of(f.record, text, sizeof text));
        assert_string_equal(session_record_path(f.record), paths[file]);
        assert_int_equal(session_record_start(f.record, "other"), TG_ERR_STATE);
        static const uint16_t slots[] = {4, 2, 9};
        ui_state ui = some_ui;
        for (uint64_t pass = 1; pass <= 5; pass++) {
            ui.list.selected = pass < 4 ? 3 : 4;
            session_record_ui(f.record, &ui);
            session_record_list(f.record, slots, pass < 3 ? 3 : 2);
            show(f.record, pass, 4, 10 + pass / 2); /* 10 11 11 12 12 */
            show(f.record, pass, 2, 7);
            show(f.record, pass, SLOTS, 7); /* there is no such slot */
            session_record_glass(f.record, pass, 4, (tg_version){1, 10 + pass / 2}, 0);
            session_record_depth(f.record, pass, 4, (tg_version){1, 8}, 0);
            const pass_stamps stamps = {.handed_mono_ns = (int64_t)pass};
            draw(f.record, pass, &stamps);
            session_record_pass(f.record, pass, 100 + pass, 12, &stamps);
        }
        const tg_clock clock = tg_clock_system();
        session_record_published(f.record, 8, &clock); /* no message brought it */
        session_record_message(f.record, "abc", 3, 5);
        session_record_published(f.record, 9, &clock);
        session_record_published(f.record, 10, &clock); /* nor that */
        const echo_times echo = {77, 1, 2};
        session_record_echo(f.record, &echo);
        session_record_screenshot(f.record, 5, "five.png");
        assert_int_equal(session_record_stop(f.record), TG_OK);
        assert_null(session_record_path(f.record));
        show(f.record, 6, 4, 99);
        session_record_screenshot(f.record, 6, "late.png");
        assert_true(result_of(f.record, text, sizeof text));
        assert_int_equal(count_of(paths[file], " shows slot "), 3 + 1);
        assert_int_equal(count_of(paths[file], "slot %zu is "), 2);
        assert_int_equal(count_of(paths[file], "list shows slots"), 2);
        assert_int_equal(count_of(paths[file], "list from"), 2);
        assert_int_equal(count_of(paths[file], "list sorted by"), 2);
        assert_int_equal(count_of(paths[file], " handed off view "), 5);
        assert_int_equal(count_of(paths[file], " checked slot "), 5);
        assert_int_equal(count_of(paths[file], " checked depth of slot "), 5);
        assert_int_equal(count_of(paths[file], SESSION_RECORD_DREW), 5);
        assert_int_equal(count_of(paths[file], SESSION_RECORD_FORM), 1); /* the first is whole */
        assert_int_equal(count_of(paths[file], " stands in the picture "), 1);
        assert_int_equal(count_of(paths[file], "message "), 1);
        assert_int_equal(count_of(paths[file], "visible_mono_ns"), 1);
        assert_int_equal(count_of(paths[file], "echo %"), 1);
    }
    end(&f);
}

static void a_file_that_exists_is_told_and_kept(void **state)
{
    (void)state;
    fixture f = begin();
    scratch_write(&f.folder, "mine.tgrec", "precious", 8);
    char text[800];
    const char *path = scratch_path(&f.folder, "mine.tgrec");
    assert_int_equal(session_record_start_now(f.record, path), TG_ERR_IO);
    assert_int_equal(errno, EEXIST);
    assert_int_equal(session_record_start(f.record, path), TG_OK);
    assert_false(result_of(f.record, text, sizeof text));
    assert_non_null(strstr(text, "mine.tgrec: File exists"));
    assert_null(session_record_path(f.record));
    char kept[32];
    scratch_read(&f.folder, "mine.tgrec", kept, sizeof kept);
    assert_string_equal(kept, "precious");
    end(&f);
}

/* As large as they come: in pieces, none of which the ring refuses. */
static void a_message_of_a_mebibyte_is_recorded_whole(void **state)
{
    (void)state;
    fixture f = begin();
    const char *path = scratch_path(&f.folder, "large.tgrec");
    const size_t size = (size_t)1 << 20;
    unsigned char *message = malloc(size);
    assert_non_null(message);
    for (size_t i = 0; i < size; i++) {
        message[i] = (unsigned char)(i * 31 + i / 255);
    }
    char text[800];
    assert_int_equal(session_record_start_now(f.record, path), TG_OK);
    session_record_message(f.record, message, size, 5);
    assert_int_equal(session_record_stop(f.record), TG_OK);
    assert_true(result_of(f.record, text, sizeof text));
    record_reader reader;
    tg_record_entry record;
    size_t at = 0;
    record_reader_open(&reader, path);
    while (record_reader_next(&reader, &record)) {
        const record_argument piece = record_argument_of(&record, 2);
        assert_int_equal(record_number(&record, 0), size);
        assert_int_equal(record_number(&record, 1), at);
        assert_memory_equal(piece.bytes, message + at, piece.size);
        at += piece.size;
    }
    assert_int_equal(at, size);
    record_reader_close(&reader);
    free(message);
    end(&f);
}

static atomic_bool enough;

static void *receive(void *arg)
{
    session_record *record = arg;
    /* Large and without a pause: it is nearly always inside when the file is to end. */
    static const unsigned char message[32768];
    for (int64_t number = 0; !atomic_load(&enough); number++) {
        session_record_message(record, message, sizeof message, number);
    }
    return NULL;
}

/* Begun and ended under a network thread that never stops. */
static void it_begins_and_ends_while_messages_come(void **state)
{
    (void)state;
    fixture f = begin();
    pthread_t network;
    atomic_store(&enough, false);
    assert_int_equal(pthread_create(&network, NULL, receive, f.record), 0);
    char name[32];
    char text[800];
    for (int i = 0; i < 8; i++) {
        (void)snprintf(name, sizeof name, "%d.tgrec", i);
        assert_int_equal(session_record_start(f.record, scratch_path(&f.folder, name)), TG_OK);
        assert_true(result_of(f.record, text, sizeof text));
        for (int turn = 0; turn < 50; turn++) {
            (void)sched_yield();
        }
        assert_int_equal(session_record_stop(f.record), TG_OK);
        /* More came than the ring holds, perhaps: then that is what it says. */
        assert_true(result_of(f.record, text, sizeof text) ||
                    strstr(text, "records found no room") != NULL);
        (void)count_of(scratch_path(&f.folder, name), "message ");
    }
    atomic_store(&enough, true);
    (void)pthread_join(network, NULL);
    end(&f);
}

static bool set_file_limit(rlim_t size)
{
    struct rlimit limit;
    (void)signal(SIGXFSZ, SIG_IGN);
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0) {
        return false;
    }
    limit.rlim_cur = size;
    return setrlimit(RLIMIT_FSIZE, &limit) == 0;
}

/* A limit on the size of files stands for a full disk. */
static void a_full_disk_is_told_and_waits_for_nobody(void **state)
{
    (void)state;
    fixture f = begin();
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    char text[800] = "";
    const char *path = scratch_path(&f.folder, "full.tgrec");
    assert_int_equal(session_record_start_now(f.record, path), TG_OK);
    show(f.record, 0, 1, 1); /* makes the thread's ring, which is a file as well */
    assert_true(set_file_limit(20000));
    static unsigned char message[60000];
    bool bad = false;
    bool told = false;
    /* More than the ring holds: every call returns at once, or this would not end. */
    for (int i = 0; i < 200 || !told; i++) {
        session_record_message(f.record, message, sizeof message, i);
        told = session_record_take_result(f.record, text, sizeof text, &bad) || told;
    }
    assert_true(bad);
    assert_non_null(strstr(text, "recording: "));
    /* Losses and their reason are known to different threads: both are told in the end. */
    while (strstr(text, " 0 records lost") != NULL || strstr(text, strerror(EFBIG)) == NULL) {
        session_record_message(f.record, message, sizeof message, 0);
        (void)session_record_take_result(f.record, text, sizeof text, &bad);
    }
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    char why[400];
    assert_int_equal(session_record_close(f.record, why, sizeof why), TG_ERR_IO);
    assert_non_null(strstr(why, "records found no room"));
    scratch_folder_close(&f.folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_change_is_said_once_in_each_file),
        cmocka_unit_test(a_file_that_exists_is_told_and_kept),
        cmocka_unit_test(a_message_of_a_mebibyte_is_recorded_whole),
        cmocka_unit_test(it_begins_and_ends_while_messages_come),
        cmocka_unit_test(a_full_disk_is_told_and_waits_for_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
