/*
 * Tick to glass over two programs: a real gateway and a real terminal record, and what they
 * recorded is joined tick by tick. Here both have one clock, so that what is told of it can be
 * judged, too.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../gateway/scratch_folder.h"
#include "glass_join.h"
#include "record_reader.h"
#include "terminal_run.h"

enum {
    SLOTS = 256,
    INSTRUMENTS = 8192,
    NAME_SIZE = 96
};

static scratch_folder folder;

typedef struct judge {
    char slots[SLOTS][NAME_SIZE];
    uint64_t shown[SLOTS];
    char instruments[INSTRUMENTS][NAME_SIZE];
    uint64_t joined[INSTRUMENTS];
    uint64_t ticks;
    uint64_t unordered; /* stages of one side, or what was received and what had been sent */
    uint64_t unknown;   /* a stage of it */
    uint64_t off;       /* clocks that are told to differ by more than their uncertainty */
} judge;

static bool ascend(const int64_t *times, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (times[i] < times[i - 1]) {
            return false;
        }
    }
    return true;
}

static void take_tick(void *ctx, const tg__glass_tick *tick)
{
    judge *j = ctx;
    const int64_t gateway[] = {tick->due_ns,   tick->taken_ns,  tick->ended_ns,
                               tick->begun_ns, tick->queued_ns, tick->written_ns};
    /* A pass may begin before the callback that tells of what it sees: visible_ns stands apart. */
    const int64_t terminal[] = {tick->received_ns, tick->decoded_ns, tick->pinned_ns,
                                tick->drawn_ns, tick->handed_ns};
    const tg__clock_offset clocks = tick->clocks;
    j->ticks++;
    j->unordered += !ascend(gateway, 6) || !ascend(terminal, 5) ||
                    tick->visible_ns < tick->decoded_ns ||
                    tick->received_ns + clocks.ns + clocks.uncertainty_ns < tick->queued_ns;
    j->unknown += gateway[0] == 0 || gateway[1] == 0 || gateway[2] == 0 || tick->visible_ns == 0;
    j->off += clocks.ns > clocks.uncertainty_ns || clocks.ns < -clocks.uncertainty_ns;
    assert_true(tick->instrument < INSTRUMENTS);
    j->joined[tick->instrument]++;
}

static void copy_name(const tg_record_entry *record, char *out)
{
    const record_argument venue = record_argument_of(record, 1);
    const record_argument symbol = record_argument_of(record, 2);
    (void)snprintf(out, NAME_SIZE, "%.*s:%.*s", (int)venue.size, (const char *)venue.bytes,
                   (int)symbol.size, (const char *)symbol.bytes);
}

static void read_names(judge *j, const char *path)
{
    record_reader reader;
    tg_record_entry record;
    record_reader_open(&reader, path);
    while (record_reader_next(&reader, &record)) {
        if (record_contains(&record, "slot %zu is ")) {
            copy_name(&record, j->slots[record_number(&record, 0)]);
        } else if (record_contains(&record, "instrument %u is ")) {
            copy_name(&record, j->instruments[record_number(&record, 0)]);
        } else if (record_contains(&record, " shows slot ")) {
            j->shown[record_number(&record, 1)]++;
        }
    }
    assert_true(record_reader_ended(&reader));
    record_reader_close(&reader);
}

static uint64_t joined_of(const judge *j, const char *name)
{
    for (size_t i = 0; i < INSTRUMENTS; i++) {
        if (strcmp(j->instruments[i], name) == 0) {
            return j->joined[i];
        }
    }
    return 0;
}

/* What came by a snapshot is counted, and on a busy machine there is more of that. */
static void all_but_snapshots_are_joined(const judge *j, uint64_t by_snapshot)
{
    uint64_t shown = 0;
    uint64_t joined = 0;
    for (size_t slot = 0; slot < SLOTS; slot++) {
        shown += j->shown[slot];
        joined += joined_of(j, j->slots[slot]);
    }
    if (joined + by_snapshot < shown || joined < shown / 2) {
        fail_msg("%" PRIu64 " shown, %" PRIu64 " joined, %" PRIu64 " by snapshots", shown, joined,
                 by_snapshot);
    }
}

static void every_tick_on_the_glass_is_followed_from_its_exchange_time(void **state)
{
    (void)state;
    static judge j;
    char gateway_record[160];
    char record[160];
    (void)snprintf(gateway_record, sizeof gateway_record, "%s",
                   scratch_path(&folder, "gateway.tgrec"));
    (void)snprintf(record, sizeof record, "%s", scratch_path(&folder, "terminal.tgrec"));
    const char *const play[] = {"--sim", "--record", gateway_record, NULL};
    gateway_process gateway;
    assert_true(gateway_process_start(&gateway, TG_TEST_GATEWAY, play));
    const char *const more[] = {"--seconds", "6", "--record", record, NULL};
    assert_int_equal(run_terminal(&gateway, more), 0);
    (void)gateway_process_stop(&gateway);

    tg__log_file files[2];
    tg__glass_result result;
    assert_int_equal(tg__log_file_open(gateway_record, &files[0]), TG_OK);
    assert_int_equal(tg__log_file_open(record, &files[1]), TG_OK);
    assert_int_equal(tg__glass_join(&files[0], &files[1], take_tick, &j, &result), TG_OK);
    read_names(&j, gateway_record);
    read_names(&j, record);
    assert_int_equal(result.joined, j.ticks);
    assert_true(j.ticks > 50);
    assert_int_equal(j.unordered, 0);
    assert_int_equal(j.unknown, 0);
    assert_int_equal(j.off, 0);
    assert_true(result.echoes >= 2);
    assert_int_equal(result.connections, 1);
    for (int i = 0; i < TG__GLASS_MISSES; i++) {
        assert_true(i == TG__GLASS_MISS_SNAPSHOT || result.misses[i] == 0);
    }
    all_but_snapshots_are_joined(&j, result.misses[TG__GLASS_MISS_SNAPSHOT]);
    tg__glass_result_deinit(&result);
    tg__log_file_close(&files[0]);
    tg__log_file_close(&files[1]);
}

int main(void)
{
    scratch_folder_open(&folder);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_tick_on_the_glass_is_followed_from_its_exchange_time),
    };
    const int failed =
        cmocka_run_group_tests_name("demo-terminal.tick_to_glass", tests, NULL, NULL);
    scratch_folder_close(&folder);
    return failed;
}
