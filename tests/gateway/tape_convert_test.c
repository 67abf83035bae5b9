#include "tg_cmocka.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scratch_folder.h"
#include "tape.h"
#include "tape_convert.h"
#include "tape_line.h"

#define HEADER TG__TAPE_HEADER "\n"

static scratch_folder folder;
static tg__tape_options options;
static tg__cause cause;
static char paths[4][256];
static char log_text[8192];

static int set_up(void **state)
{
    (void)state;
    scratch_folder_open(&folder);
    memset(&options, 0, sizeof options);
    options.errors_max = 100;
    (void)snprintf(paths[0], sizeof paths[0], "%s", scratch_path(&folder, "out.csv"));
    options.out = paths[0];
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    scratch_folder_close(&folder);
    return 0;
}

static void add_input(const char *name, const char *text)
{
    char *path = paths[1 + options.input_count];
    scratch_write(&folder, name, text, strlen(text));
    (void)snprintf(path, sizeof paths[0], "%s", scratch_path(&folder, name));
    options.inputs[options.input_count++] = path;
}

static FILE *open_log(void)
{
    FILE *log = fopen(scratch_path(&folder, "log"), "wb");
    assert_non_null(log);
    return log;
}

static void close_log(FILE *log)
{
    assert_int_equal(fclose(log), 0);
    scratch_read(&folder, "log", log_text, sizeof log_text);
}

static tg_err convert(void)
{
    FILE *log = open_log();
    const tg_err err = tg__tape_convert(&options, log, &cause);
    close_log(log);
    return err;
}

static void expect_output(const char *expected)
{
    char text[4096];
    scratch_read(&folder, "out.csv", text, sizeof text);
    assert_string_equal(text, expected);
    assert_int_equal(access(scratch_path(&folder, "out.csv.part"), F_OK), -1);
}

#define TRADE(ts, symbol, id)                                                                      \
#ts " {\"stream\":\"x@trade\",\"data\":{\"s\":\"" symbol "\",\"t\":" #id                       \
        ",\"p\":\"5.0\",\"q\":\"1\",\"M\":true}}\n"

static void inputs_are_merged_by_time(void **state)
{
    (void)state;
    add_input("a", TRADE(1, "A", 1) TRADE(4, "A", 2) TRADE(4, "A", 3) TRADE(9, "A", 4));
    add_input("b", TRADE(2, "B", 1) TRADE(4, "B", 2));
    add_input("c", "");
    assert_int_equal(convert(), TG_OK);
    expect_output(HEADER "1,BINANCE,A,trade,5.0,1,1\n2,BINANCE,B,trade,5.0,1,1\n"
                         "4,BINANCE,A,trade,5.0,1,2\n4,BINANCE,A,trade,5.0,1,3\n"
                         "4,BINANCE,B,trade,5.0,1,2\n9,BINANCE,A,trade,5.0,1,4\n");
    assert_non_null(strstr(log_text, "6 rows, 0 bad records skipped"));
}

static void a_clock_that_stepped_back_does_not_take_the_tape_along(void **state)
{
    (void)state;
    add_input("a", TRADE(5, "A", 1) TRADE(3, "A", 2) TRADE(6, "A", 3));
    assert_int_equal(convert(), TG_OK);
    expect_output(HEADER "5,BINANCE,A,trade,5.0,1,1\n5,BINANCE,A,trade,5.0,1,2\n"
                         "6,BINANCE,A,trade,5.0,1,3\n");
    assert_non_null(strstr(log_text, "1 rows were moved forward"));
}

static void bad_records_are_named_skipped_and_counted_up_to_the_limit(void **state)
{
    (void)state;
    char expected[512];
    add_input("a", TRADE(1, "A", 1) "2 {\"stream\n\n" TRADE(3, "A", 2) "x\n");
    options.errors_max = 2;
    assert_int_equal(convert(), TG_OK);
    expect_output(HEADER "1,BINANCE,A,trade,5.0,1,1\n3,BINANCE,A,trade,5.0,1,2\n");
    (void)snprintf(expected, sizeof expected, "%s:2: the frame is not JSON: skipped\n", paths[1]);
    assert_non_null(strstr(log_text, expected));
    assert_non_null(strstr(log_text, "2 rows, 2 bad records skipped"));
    options.errors_max = 1;
    assert_int_equal(convert(), TG_ERR_TAPE);
    (void)snprintf(expected, sizeof expected,
                   "%s:5: the address is not followed by <->, <- or -> (bad record 2, allowed: 1)",
                   paths[1]);
    assert_string_equal(cause.text, expected);
}

static void a_run_that_fails_leaves_what_was_there(void **state)
{
    (void)state;
    add_input("a", TRADE(1, "A", 1) "2 {\"stream\n");
    options.errors_max = 0;
    assert_int_equal(convert(), TG_ERR_TAPE);
    assert_int_equal(access(paths[0], F_OK), -1);
    scratch_write(&folder, "out.csv", "before", 6);
    assert_int_equal(convert(), TG_ERR_TAPE);
    expect_output("before");
    options.out = "/nowhere/out.csv";
    assert_int_equal(convert(), TG_ERR_IO);
    assert_non_null(strstr(cause.text, "/nowhere/out.csv: cannot be written"));
    options.inputs[0] = "/nowhere/in";
    assert_int_equal(convert(), TG_ERR_IO);
    assert_non_null(strstr(cause.text, "/nowhere/in: cannot be opened"));
}

static void an_output_that_ends_with_xz_is_compressed(void **state)
{
    (void)state;
    char path[256];
    tg__directory directory;
    tg__tape *tape = NULL;
    tg__row row;
    (void)snprintf(path, sizeof path, "%s", scratch_path(&folder, "out.csv.xz"));
    options.out = path;
    add_input("a", TRADE(1, "A", 1) TRADE(2, "A", 2));
    assert_int_equal(convert(), TG_OK);
    char bytes[4096];
    scratch_read(&folder, "out.csv.xz", bytes, sizeof bytes);
    assert_memory_equal(bytes + 1, "7zXZ", 4);
    tg__directory_init(&directory);
    assert_int_equal(tg__tape_open(path, false, &directory, &tape, &cause), TG_OK);
    assert_int_equal(tg__tape_next(tape, &row, &cause), TG_OK);
    assert_int_equal(tg__tape_next(tape, &row, &cause), TG_OK);
    assert_int_equal(row.exchange_id, 2);
    assert_int_equal(tg__tape_next(tape, &row, &cause), TG_ERR_NOT_FOUND);
    tg__tape_close(tape);
    tg__directory_deinit(&directory);
}

static void progress_is_written_when_it_is_asked_for(void **state)
{
    (void)state;
    add_input("a", TRADE(1, "A", 1));
    options.progress = true;
    assert_int_equal(convert(), TG_OK);
    assert_non_null(strstr(log_text, "\r100 % read\n"));
}

/* Two inputs, of which the first ends half-way: 50 % of both, then on to the end of the other. */
static void progress_rises_with_what_was_read_of_all_inputs(void **state)
{
    (void)state;
    enum {
        LINES = 20000,
        LINE_SIZE = 128
    };
    static char text[LINES * LINE_SIZE];
    for (unsigned file = 0; file < 2; file++) {
        size_t size = 0;
        for (unsigned i = 0; i < LINES; i++) {
            size += (size_t)snprintf(text + size, LINE_SIZE,
                                     "%u {\"stream\":\"x@trade\",\"data\":{\"s\":\"A\",\"t\":%u,"
                                     "\"p\":\"5.0\",\"q\":\"1\",\"M\":true}}\n",
                                     file * LINES + i + 1, i + 1);
        }
        add_input(file == 0 ? "a" : "b", text);
    }
    options.progress = true;
    assert_int_equal(convert(), TG_OK);
    long last = -1;
    unsigned told = 0;
    unsigned of_the_first = 0;
    for (const char *at = strchr(log_text, '\r'); at != NULL; at = strchr(at + 1, '\r')) {
        char *end = NULL;
        const long percent = strtol(at + 1, &end, 10);
        assert_int_equal(strncmp(end, " % read", 7), 0);
        assert_true(percent > last);
        last = percent;
        told++;
        of_the_first += percent < 50;
    }
    assert_int_equal(last, 100);
    assert_true(of_the_first >= 5);
    assert_true(told - of_the_first >= 5);
}

#define DEPTH_AND_SNAPSHOT                                                                         \
    "1 {\"stream\":\"a@depth\",\"data\":{\"s\":\"A\",\"U\":1,\"u\":1,\"b\":[],\"a\":[]}}\n"        \
    "2 {\"lastUpdateId\":7,\"bids\":[[\"5\",\"1\"]],\"asks\":[[\"6\",\"1\"]]}\n"
#define TICKER(bid)                                                                                \
    "3 {\"stream\":\"a@bookTicker\",\"data\":{\"u\":7,\"s\":\"A\",\"b\":\"" bid                    \
    "\",\"B\":\"1\",\"a\":\"6\",\"A\":\"1\"}}\n"

static void check_counts_equal_and_different_books(void **state)
{
    (void)state;
    char text[4096];
    uint64_t different = 99;
    add_input("good", DEPTH_AND_SNAPSHOT TICKER("5.0"));
    add_input("bad", DEPTH_AND_SNAPSHOT TICKER("5.1"));
    FILE *out = fopen(scratch_path(&folder, "found"), "wb");
    FILE *log = open_log();
    assert_non_null(out);
    assert_int_equal(tg__tape_check(&options, out, log, &different, &cause), TG_OK);
    close_log(log);
    assert_int_equal(fclose(out), 0);
    scratch_read(&folder, "found", text, sizeof text);
    assert_int_equal(different, 1);
    assert_non_null(strstr(text, "good: 1 compared, 1 equal, 0 different\n"));
    assert_non_null(strstr(text, "bad: line 3: BINANCE:A: the book differs from the venue's "
                                 "bookTicker 7\n"));
    assert_non_null(strstr(text, "bad: 1 compared, 0 equal, 1 different\n"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(inputs_are_merged_by_time),
        TEST(a_clock_that_stepped_back_does_not_take_the_tape_along),
        TEST(bad_records_are_named_skipped_and_counted_up_to_the_limit),
        TEST(a_run_that_fails_leaves_what_was_there),
        TEST(an_output_that_ends_with_xz_is_compressed),
        TEST(progress_is_written_when_it_is_asked_for),
        TEST(progress_rises_with_what_was_read_of_all_inputs),
        TEST(check_counts_equal_and_different_books),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
