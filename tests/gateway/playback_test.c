#include "tg_cmocka.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "playback_fixture.h"
#include "tape_line.h"

static const char three_ticks[] = TG__TAPE_HEADER "\n"
                                                  "1000000,V,S,bid,10,1,1\n"
                                                  "3000000,V,S,bid,11,1,2\n"
                                                  "3000000,V,S,ask,12,1,2\n"
                                                  "9000000,V,S,bid,13,1,3\n";

static void rows_come_when_they_are_due(void **state)
{
    (void)state;
    playback_fixture f;
    playback_fixture_open(&f, three_ticks, 500, 1);
    playback_fixture_run(&f, 100);
    assert_int_equal(f.playback.rows, 1);
    assert_int_equal(tg__playback_next_mono_ns(&f.playback, f.now), f.now.mono_ns + 4 * MS);
    f.now.mono_ns += 4 * MS - 1;
    playback_fixture_run(&f, 100);
    assert_int_equal(f.playback.rows, 1);
    f.now.mono_ns += 1;
    playback_fixture_run(&f, 100);
    assert_int_equal(f.playback.rows, 3);
    assert_int_equal(playback_fixture_image(&f, 0)->value[TG_FIELD_TS_EXCHANGE],
                     f.now.utc_ns + 4 * MS);
    f.now.mono_ns += 12 * MS;
    playback_fixture_run(&f, 100);
    assert_true(f.playback.ended);
    assert_true(tg__playback_next_mono_ns(&f.playback, f.now) == INT64_MAX);
    playback_fixture_close(&f);
}

static void rows_of_one_time_are_never_cut_apart(void **state)
{
    (void)state;
    playback_fixture f;
    playback_fixture_open(&f, three_ticks, 0, 1);
    playback_fixture_run(&f, 2); /* the budget ends between bid and ask of one tick */
    assert_int_equal(f.playback.rows, 3);
    assert_int_equal(playback_fixture_image(&f, 0)->seq, 2);
    assert_int_equal(playback_fixture_image(&f, 0)->value[TG_FIELD_ASK_PRICE], 12);
    playback_fixture_close(&f);
}

static void a_second_handler_brings_every_row_again_and_changes_nothing(void **state)
{
    (void)state;
    playback_fixture f;
    playback_fixture_open(&f, three_ticks, 1000, 2);
    for (unsigned i = 0; i < 40; i++) {
        playback_fixture_run(&f, 100);
        f.now.mono_ns += MS;
    }
    assert_true(f.playback.ended);
    const tg__venue_counts *counts = &f.sequencer.venues[0];
    assert_int_equal(counts->admitted, 4);
    assert_int_equal(counts->duplicates + counts->regressions, 4);
    assert_int_equal(counts->regressions, 0); /* B brings nothing that A had not */
    assert_int_equal(playback_fixture_image(&f, 0)->seq, 3);
    assert_int_equal(playback_fixture_image(&f, 0)->value[TG_FIELD_BID_PRICE], 13);
    playback_fixture_close(&f);
}

/* The journal's record of that number, as far as this test looks at it. */
static void check_record(const playback_fixture *f, unsigned number, uint64_t seq, int64_t ts_ns,
                         int64_t admitted_ns)
{
    uint8_t record[TG__TICK_LOG_RECORD_SIZE];
    FILE *file = fopen(scratch_path(&f->folder, "ticks"), "rb");
    assert_non_null(file);
    const long offset = (long)(TG__TICK_LOG_HEADER_SIZE + number * sizeof record);
    assert_int_equal(fseek(file, offset, SEEK_SET), 0);
    assert_int_equal(fread(record, 1, sizeof record, file), sizeof record);
    assert_int_equal(fclose(file), 0);
    uint64_t words[3] = {0, 0, 0}; /* seq, exchange time, admission */
    for (unsigned i = 0; i < 24; i++) {
        words[i / 8] |= (uint64_t)record[8 + i] << (8 * (i % 8));
    }
    assert_int_equal(words[0], seq);
    assert_int_equal((int64_t)words[1], ts_ns);
    assert_int_equal((int64_t)words[2], admitted_ns);
}

static void the_journal_has_what_was_due_and_when_it_was_admitted(void **state)
{
    (void)state;
    playback_fixture f;
    playback_fixture_open(&f, three_ticks, 1000, 2);
    assert_int_equal(tg__tick_log_open(scratch_path(&f.folder, "ticks"), 1, f.directory.count,
                                       &f.playback.tick_log, &f.cause),
                     TG_OK);
    const int64_t start_ns = f.now.utc_ns;
    playback_fixture_run(&f, 100);
    f.now.mono_ns += 3 * MS; /* and the wall clock is set back meanwhile */
    f.now.utc_ns -= 1000 * MS;
    playback_fixture_run(&f, 100);
    for (unsigned i = 0; i < 40; i++) {
        f.now.mono_ns += MS;
        playback_fixture_run(&f, 100);
    }
    tg__tick_log_close(f.playback.tick_log);
    check_record(&f, 0, 1, start_ns, start_ns);
    check_record(&f, 1, 2, start_ns + 2 * MS, start_ns + 3 * MS);
    check_record(&f, 2, 3, start_ns + 8 * MS, start_ns + 8 * MS);
    struct stat about;
    assert_int_equal(stat(scratch_path(&f.folder, "ticks"), &about), 0);
    assert_int_equal(about.st_size, TG__TICK_LOG_HEADER_SIZE + 3 * TG__TICK_LOG_RECORD_SIZE);
    playback_fixture_close(&f);
}

static void going_round_raises_the_epoch_and_seq_goes_on(void **state)
{
    (void)state;
    playback_fixture f;
    playback_fixture_open(&f, three_ticks, 1000, 2);
    f.playback.loop = true;
    uint32_t last_epoch = 0;
    int64_t last_ts = 0;
    for (unsigned i = 0; i < 100; i++) {
        playback_fixture_run(&f, 100);
        f.now.mono_ns += MS;
        f.now.utc_ns += MS;
        assert_true(playback_fixture_image(&f, 0)->epoch >= last_epoch);
        assert_true(playback_fixture_image(&f, 0)->value[TG_FIELD_TS_EXCHANGE] >= last_ts);
        last_epoch = playback_fixture_image(&f, 0)->epoch;
        last_ts = playback_fixture_image(&f, 0)->value[TG_FIELD_TS_EXCHANGE];
    }
    assert_false(f.playback.ended);
    assert_true(f.playback.rounds >= 4);
    assert_int_equal(last_epoch, f.playback.rounds);
    assert_int_equal(f.sequencer.venues[0].admitted, f.playback.rows);
    assert_true(playback_fixture_image(&f, 0)->seq > 9);
    playback_fixture_close(&f);
}

static void what_a_frozen_handler_holds_does_not_outlive_the_round(void **state)
{
    (void)state;
    playback_fixture f;
    playback_fixture_open(&f, three_ticks, 1000, 1);
    f.playback.loop = true;
    playback_fixture_run(&f, 100);
    tg__feed_freeze(&f.playback.feed, 0, 0, true, f.now.mono_ns);
    f.now.mono_ns += 20 * MS;
    f.now.utc_ns += 20 * MS;
    playback_fixture_run(&f, 100);
    assert_int_equal(f.playback.rounds, 2);
    playback_fixture_run(&f, 100);
    tg__feed_freeze(&f.playback.feed, 0, 0, false, f.now.mono_ns);
    playback_fixture_run(&f, 100);
    assert_int_equal(playback_fixture_image(&f, 0)->seq, 2);
    assert_int_equal(playback_fixture_image(&f, 0)->value[TG_FIELD_BID_PRICE], 10);
    playback_fixture_close(&f);
}

static void a_handler_that_connects_is_told_nothing_of_an_earlier_round(void **state)
{
    (void)state;
    playback_fixture f;
    playback_fixture_open(&f, three_ticks, 1000, 1);
    f.playback.loop = true;
    while (f.playback.rounds < 2) {
        playback_fixture_run(&f, 100);
        f.now.mono_ns += MS;
        f.now.utc_ns += MS;
    }
    playback_fixture_run(&f, 100);
    assert_int_equal(playback_fixture_image(&f, 0)->seq, 4);
    tg__feed_restart(&f.playback.feed, 0, 0, f.now.mono_ns);
    playback_fixture_run(&f, 100);
    assert_int_equal(f.playback.raises, 1);
    assert_int_equal(playback_fixture_image(&f, 0)->seq, 4);
    assert_int_equal(playback_fixture_image(&f, 0)->value[TG_FIELD_BID_PRICE], 10);
    playback_fixture_close(&f);
}

static void a_playback_does_not_end_while_a_handler_holds_rows(void **state)
{
    (void)state;
    playback_fixture f;
    playback_fixture_open(&f, three_ticks, 1000, 1);
    playback_fixture_run(&f, 100);
    tg__feed_freeze(&f.playback.feed, 0, 0, true, f.now.mono_ns);
    f.now.mono_ns += 20 * MS;
    playback_fixture_run(&f, 100);
    assert_false(f.playback.ended);
    assert_true(tg__playback_next_mono_ns(&f.playback, f.now) == INT64_MAX);
    tg__feed_freeze(&f.playback.feed, 0, 0, false, f.now.mono_ns);
    playback_fixture_run(&f, 100);
    assert_true(f.playback.ended);
    assert_int_equal(playback_fixture_image(&f, 0)->value[TG_FIELD_BID_PRICE], 13);
    playback_fixture_close(&f);
}

static void a_tape_without_rows_ends_even_in_a_loop(void **state)
{
    (void)state;
    playback_fixture f;
    playback_fixture_open(&f, TG__TAPE_HEADER "\n", 1000, 1);
    f.playback.loop = true;
    playback_fixture_run(&f, 100);
    assert_true(f.playback.ended);
    playback_fixture_close(&f);
}

static void a_tape_that_changes_while_it_plays_is_an_error(void **state)
{
    (void)state;
    playback_fixture f;
    playback_fixture_open(&f, three_ticks, 1000, 1);
    f.playback.loop = true;
    const char other[] = TG__TAPE_HEADER "\n1,V,OTHER,bid,1,1,1\n";
    playback_fixture_run(&f, 100);
    scratch_write(&f.folder, "tape.csv", other, strlen(other));
    f.now.mono_ns += 100 * MS;
    assert_int_equal(tg__playback_run(&f.playback, f.now, 100, &f.cause), TG_ERR_TAPE);
    assert_non_null(strstr(f.cause.text, "tape.csv:2: the file was changed"));
    playback_fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_come_when_they_are_due),
        cmocka_unit_test(rows_of_one_time_are_never_cut_apart),
        cmocka_unit_test(a_second_handler_brings_every_row_again_and_changes_nothing),
        cmocka_unit_test(the_journal_has_what_was_due_and_when_it_was_admitted),
        cmocka_unit_test(going_round_raises_the_epoch_and_seq_goes_on),
        cmocka_unit_test(what_a_frozen_handler_holds_does_not_outlive_the_round),
        cmocka_unit_test(a_handler_that_connects_is_told_nothing_of_an_earlier_round),
        cmocka_unit_test(a_playback_does_not_end_while_a_handler_holds_rows),
        cmocka_unit_test(a_tape_without_rows_ends_even_in_a_loop),
        cmocka_unit_test(a_tape_that_changes_while_it_plays_is_an_error),
    };
    return cmocka_run_group_tests_name("gateway.playback", tests, NULL, NULL);
}
