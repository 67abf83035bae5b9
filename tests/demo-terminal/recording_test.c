/*
 * What the terminal recorded, read back: every version that the glass check saw drawn stands in the
 * file before it, and nothing else was on the glass.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <tickglass/internal/hlog.h>

#include "../gateway/scratch_folder.h"
#include "histogram_snapshot.h"
#include "record_reader.h"
#include "terminal_run.h"

#define SLOTS      64
#define PASSES_MAX 4096

static scratch_folder folder;

typedef struct version {
    int64_t epoch;
    int64_t seq;
} version;

#define LISTS_MAX 64

/* The watchlist as it stood on the glass: the last character of each symbol, and how it was asked
 * for at that time. */
typedef struct glass_list {
    char rows[SLOTS];
    char sort[32];
    char filter[32];
    int64_t descending;
    int64_t letters_px;
} glass_list;

/* What the file says. */
typedef struct recording {
    char name[SLOTS]; /* of a slot: the last character of its symbol */
    glass_list now;
    glass_list list[LISTS_MAX]; /* one after the other */
    version shown[SLOTS];
    bool is_shown[SLOTS];
    bool is_named[SLOTS];
    int64_t handed_mono_ns[PASSES_MAX]; /* of a pass, from 1; 0: not in the file */
    uint64_t passes;
    uint64_t messages;
    uint64_t versions;
    uint64_t checked;
    uint64_t refused; /* by the glass check */
    uint64_t foreign; /* checked, and another version than the file had for the glass */
    uint64_t regressions;
    uint64_t unordered; /* received, committed, handed over: not in this order */
    size_t lists;
    tg_histogram *received_to_handed; /* all of its windows */
} recording;

static void take_shown(recording *r, const tg_record_entry *record)
{
    const size_t slot = (size_t)record_number(record, 1);
    const version is = {record_number(record, 2), record_number(record, 3)};
    const int64_t received = record_number(record, 4);
    const int64_t committed = record_number(record, 5);
    const int64_t pass = record_number(record, 0);
    assert_true(slot < SLOTS && pass > 0 && pass < PASSES_MAX);
    assert_true(r->is_named[slot]);
    const version *was = &r->shown[slot];
    if (r->is_shown[slot] &&
        (is.epoch < was->epoch || (is.epoch == was->epoch && is.seq <= was->seq))) {
        r->regressions++;
    }
    if (!(received <= committed && committed <= r->handed_mono_ns[pass])) {
        r->unordered++;
    }
    r->shown[slot] = is;
    r->is_shown[slot] = true;
    r->versions++;
}

static void take_checked(recording *r, const tg_record_entry *record)
{
    const size_t slot = (size_t)record_number(record, 1);
    assert_true(slot < SLOTS);
    const version *is = &r->shown[slot];
    const bool same = r->is_shown[slot] && is->epoch == record_number(record, 2) &&
                      is->seq == record_number(record, 3);
    r->checked++;
    r->foreign += same ? 0 : 1;
    r->refused += record_number(record, 4) != 0 ? 1 : 0;
}

/* What is said of a pass comes after its hand-off, and before the next one. */
static void end_pass(recording *r)
{
    if (r->lists == 0 || memcmp(&r->list[r->lists - 1], &r->now, sizeof r->now) != 0) {
        assert_true(r->lists < LISTS_MAX);
        r->list[r->lists++] = r->now;
    }
}

static void take_pass(recording *r, const tg_record_entry *record)
{
    const int64_t pass = record_number(record, 0);
    assert_int_equal(pass, r->passes + 1); /* none is missing */
    r->passes++;
    assert_true(record_number(record, 3) <= record_number(record, 4)); /* pinned, drawn, handed */
    assert_true(record_number(record, 4) <= record_number(record, 5));
    r->handed_mono_ns[pass] = record_number(record, 5);
    end_pass(r);
}

/* A stage's window; each of them fits into one piece here. */
static void take_window(recording *r, const tg_record_entry *record)
{
    static const char name[] = "terminal_received_to_handed";
    const record_argument is = record_argument_of(record, 0);
    if (is.size != sizeof name - 1 || memcmp(is.bytes, name, is.size) != 0) {
        return;
    }
    assert_int_equal(record_number(record, 4), 1);
    const record_argument counts = record_argument_of(record, 5);
    tg_histogram *window = NULL;
    assert_int_equal(tg__histogram_from_stream(counts.bytes, counts.size, &window), TG_OK);
    assert_int_equal(tg_histogram_add(r->received_to_handed, window), TG_OK);
    tg_histogram_close(window);
}

static void copy_text(const tg_record_entry *record, unsigned index, char *out, size_t size)
{
    const record_argument text = record_argument_of(record, index);
    assert_true(text.size < size);
    memcpy(out, text.bytes, text.size);
    out[text.size] = '\0';
}

/* Names are known once the rows have values, and lists may come before: slots are kept as they are
 * until the end. */
static void take_list(recording *r, const tg_record_entry *record)
{
    const record_argument slots = record_argument_of(record, 0);
    assert_true(slots.size % 2 == 0 && slots.size / 2 < SLOTS);
    memset(r->now.rows, 0, sizeof r->now.rows);
    for (size_t i = 0; i < slots.size / 2; i++) {
        uint16_t slot = 0;
        memcpy(&slot, slots.bytes + 2 * i, sizeof slot);
        assert_true(slot < SLOTS);
        r->now.rows[i] = (char)(slot + 1);
    }
}

static void take_order(recording *r, const tg_record_entry *record)
{
    memset(r->now.sort, 0, sizeof r->now.sort);
    memset(r->now.filter, 0, sizeof r->now.filter);
    copy_text(record, 0, r->now.sort, sizeof r->now.sort);
    r->now.descending = record_number(record, 1);
    copy_text(record, 6, r->now.filter, sizeof r->now.filter);
}

static void take_name(recording *r, const tg_record_entry *record)
{
    const size_t slot = (size_t)record_number(record, 0);
    const record_argument symbol = record_argument_of(record, 2);
    assert_true(slot < SLOTS && symbol.size > 0);
    r->is_named[slot] = true;
    r->name[slot] = (char)symbol.bytes[symbol.size - 1];
}

static void name_lists(recording *r)
{
    for (size_t i = 0; i < r->lists; i++) {
        for (char *row = r->list[i].rows; *row != '\0'; row++) {
            *row = r->name[(size_t)*row - 1];
        }
    }
}

static uint64_t value_count(const tg_histogram *histogram)
{
    tg_histogram_summary summary;
    tg_histogram_summary_get(histogram, &summary);
    return summary.count;
}

/* What the log that was written at the end has of the same stage. */
static uint64_t count_in_log(const char *path)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    static char line[200000];
    uint64_t count = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "Tag=terminal_received_to_handed,", 32) == 0) {
            const char *counts = strrchr(line, ',') + 1;
            tg_histogram *window = NULL;
            assert_int_equal(tg__hlog_decode(counts, strcspn(counts, "\n"), &window), TG_OK);
            count += value_count(window);
            tg_histogram_close(window);
        }
    }
    (void)fclose(file);
    return count;
}

static void read_recording(const char *path, recording *r)
{
    record_reader reader;
    tg_record_entry record;
    memset(r, 0, sizeof *r);
    assert_int_equal(tg_histogram_open(NULL, &r->received_to_handed), TG_OK);
    record_reader_open(&reader, path);
    while (record_reader_next(&reader, &record)) {
        if (record_contains(&record, " is %s:%s")) {
            take_name(r, &record);
        } else if (record_contains(&record, " shows slot ")) {
            take_shown(r, &record);
        } else if (record_contains(&record, " checked slot ")) {
            take_checked(r, &record);
        } else if (record_contains(&record, " handed off view ")) {
            take_pass(r, &record);
        } else if (record_contains(&record, "message ")) {
            r->messages++;
        } else if (record_contains(&record, "list shows slots")) {
            take_list(r, &record);
        } else if (record_contains(&record, "list sorted by ")) {
            take_order(r, &record);
        } else if (record_contains(&record, " cells letters ")) {
            r->now.letters_px = record_number(&record, 4);
        } else if (record_contains(&record, "histogram %s ")) {
            take_window(r, &record);
        }
    }
    assert_true(record_reader_ended(&reader));
    record_reader_close(&reader);
    end_pass(r);
    name_lists(r);
}

static uint32_t random_below(uint32_t limit)
{
    static uint64_t state = 99;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((state >> 33) % limit);
}

/* Four instruments that quote and trade for four seconds. */
static const char *write_tape(void)
{
    static char text[400000];
    size_t length = (size_t)snprintf(text, sizeof text,
                                     "ts_ns,venue,symbol,kind,price_decimal_text,"
                                     "qty_decimal_text,exchange_seq\n");
    int64_t bid[4] = {1000000, 2000000, -37000, 500};
    uint64_t quote_id = 1000;
    for (int64_t ms = 0; ms < 4000; ms += 4) {
        const unsigned i = random_below(4);
        const int64_t ts_ns = INT64_C(1700000000000000000) + ms * 1000000;
        bid[i] += (int64_t)random_below(7) - 3;
        quote_id += 1 + random_below(3);
        length += (size_t)snprintf(text + length, sizeof text - length,
                                   "%" PRId64 ",TEST,INS%u,bid,%" PRId64 ",%u,%" PRIu64 "\n"
                                   "%" PRId64 ",TEST,INS%u,ask,%" PRId64 ",%u,%" PRIu64 "\n",
                                   ts_ns, i, bid[i], 1 + random_below(900), quote_id, ts_ns, i,
                                   bid[i] + 2, 1 + random_below(900), quote_id);
    }
    scratch_write(&folder, "tape.csv", text, length);
    return scratch_path(&folder, "tape.csv");
}

static void versions_in_the_file_are_those_that_were_seen_drawn(void **state)
{
    (void)state;
    char tape[160];
    char record[160];
    char report[160];
    char log[160];
    (void)snprintf(tape, sizeof tape, "%s", write_tape());
    (void)snprintf(record, sizeof record, "%s", scratch_path(&folder, "glass.tgrec"));
    (void)snprintf(report, sizeof report, "%s", scratch_path(&folder, "report.json"));
    (void)snprintf(log, sizeof log, "%s", scratch_path(&folder, "glass.hlog"));
    const char *const play[] = {"--tape", tape, "--hold-until-subscribed", NULL};
    gateway_process gateway;
    assert_true(gateway_process_start(&gateway, TG_TEST_GATEWAY, play));
    const char *const more[] = {"--seconds",    "5",  "--report",      report, "--record", record,
                                "--check-tape", tape, "--export-hlog", log,    NULL};
    assert_int_equal(run_terminal(&gateway, more), 0);
    (void)gateway_process_stop(&gateway);
    static recording r;
    read_recording(record, &r);
    assert_true(r.versions > 100);
    assert_int_equal(r.foreign, 0);
    assert_int_equal(r.regressions, 0);
    assert_int_equal(r.refused, 0);
    assert_int_equal(r.unordered, 0);
    /* As many as the check says that it has judged, and as many passes as were drawn. */
    assert_int_equal(r.checked, report_count(report, "drawn_judged_by_tape") +
                                    report_count(report, "drawn_judged_by_version") +
                                    report_count(report, "drawn_not_judged"));
    assert_int_equal(r.passes, report_count(report, "passes"));
    assert_true(r.messages >= report_count(report, "messages")); /* they come until the end */
    assert_true(r.lists > 0);
    /* The same windows in both files, and as many values as the run's own histogram has. */
    const uint64_t values = value_count(r.received_to_handed);
    assert_true(values > 100);
    assert_int_equal(values, count_in_log(log));
    assert_int_equal(values, report_value_count(report, "handoff_us"));
    tg_histogram_close(r.received_to_handed);
    /* Neither is overwritten by the next run. */
    assert_int_equal(run_terminal(&gateway, more), 4);
}

static bool has_list(const recording *r, const glass_list *wanted)
{
    for (size_t i = 0; i < r->lists; i++) {
        const glass_list *list = &r->list[i];
        if (strcmp(list->rows, wanted->rows) == 0 && strcmp(list->sort, wanted->sort) == 0 &&
            strcmp(list->filter, wanted->filter) == 0 && list->descending == wanted->descending &&
            list->letters_px == wanted->letters_px) {
            return true;
        }
    }
    return false;
}

static void rows_in_the_file_stand_in_the_order_of_the_glass(void **state)
{
    (void)state;
    static const char script_text[] = "wait rows 4\n"
                                      "click 3 13\n"
                                      "key Ctrl-+\n"
                                      "click 3 13\n"
                                      "type 2\n"
                                      "wait text 1 of 4 instruments\n"
                                      "key Esc\n"
                                      "key Down\n"
                                      "key Delete\n"
                                      "wait text of 3\n"
                                      "key F1\n"
                                      "quit\n";
    /* Sorted by symbol, in letters of 14 pixels and then of 15. */
    static const glass_list wanted[] = {{"0123", "symbol", "", 0, 14},
                                        {"3210", "symbol", "", 1, 15},
                                        {"2", "symbol", "2", 1, 15},
                                        {"320", "symbol", "", 1, 15},
                                        {"", "symbol", "", 1, 15}};
    char tape[160];
    char script[160];
    char record[160];
    char report[160];
    (void)snprintf(tape, sizeof tape, "%s", write_tape());
    (void)snprintf(script, sizeof script, "%s", scratch_path(&folder, "order.script"));
    scratch_write(&folder, "order.script", script_text, sizeof script_text - 1);
    (void)snprintf(record, sizeof record, "%s", scratch_path(&folder, "order.tgrec"));
    (void)snprintf(report, sizeof report, "%s", scratch_path(&folder, "order.json"));
    const char *const play[] = {"--tape", tape, "--hold-until-subscribed", NULL};
    gateway_process gateway;
    assert_true(gateway_process_start(&gateway, TG_TEST_GATEWAY, play));
    const char *const more[] = {"--seconds", "60",   "--report",     report, "--record", record,
                                "--script",  script, "--check-tape", tape,   NULL};
    assert_int_equal(run_terminal(&gateway, more), 0);
    (void)gateway_process_stop(&gateway);
    static recording r;
    read_recording(record, &r);
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        if (!has_list(&r, &wanted[i])) {
            fail_msg("\"%s\" is not among %zu lists", wanted[i].rows, r.lists);
        }
    }
    assert_int_equal(r.foreign, 0);
    assert_int_equal(r.regressions, 0);
    assert_int_equal(r.refused, 0);
    assert_int_equal(r.unordered, 0);
    assert_int_equal(r.checked, report_count(report, "drawn_judged_by_tape") +
                                    report_count(report, "drawn_judged_by_version") +
                                    report_count(report, "drawn_not_judged"));
    assert_int_equal(r.passes, report_count(report, "passes"));
    tg_histogram_close(r.received_to_handed);
}

static int open_folder(void **state)
{
    (void)state;
    scratch_folder_open(&folder);
    return 0;
}

static int close_folder(void **state)
{
    (void)state;
    scratch_folder_close(&folder);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(versions_in_the_file_are_those_that_were_seen_drawn),
        cmocka_unit_test(rows_in_the_file_stand_in_the_order_of_the_glass),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
