/* What happens when a ring is full; that nothing is lost without being counted: recorder_test.c. */
#include "producer.h"

#include <inttypes.h>

#include "bytes.h"
#include "recorder_fixture.h"

/* On the recorder's clock, whichever the lost records were stamped by: a marker's time, and the
 * span that it tells. */
static void assert_markers_are_of_now(const char *path, uint32_t site, int64_t from_ns,
                                      int64_t to_ns)
{
    reading r;
    reading_open(&r, path);
    tg__log_record record;
    int count = 0;
    while (tg__log_merge_next(&r.merge, &record) == TG_OK) {
        if (record.site->id != site) {
            continue;
        }
        const uint64_t first = tg__get_u64(record.arguments + 16);
        const uint64_t last = tg__get_u64(record.arguments + 24);
        assert_true(first <= last && last <= record.stamp);
        assert_true(tg__time_map_mono(&r.file.times, first) >= from_ns);
        assert_true(record.mono_ns >= from_ns && record.mono_ns <= to_ns);
        count++;
    }
    assert_true(count > 0);
    reading_close(&r);
}

static void a_marker_tells_the_span_of_what_was_lost(void **state)
{
    (void)state;
    static const tg_overflow policies[] = {TG_OVERFLOW_DROP_NEWEST, TG_OVERFLOW_OVERWRITE};
    static const uint32_t sites[] = {TG__SITE_DROPPED, TG__SITE_OVERWRITTEN};
    const tg_clock system = tg_clock_system();
    for (int i = 0; i < 4; i++) {
        fixture f;
        fixture_make(&f);
        host_driven(&f);
        f.opt.overflow[TG_RECORD_INFO] = policies[i / 2];
        fixture_open(&f);
        const int64_t slack_ns = 1000000; /* what converting a stamp may be off by */
        const int64_t from_ns = tg_clock_mono_ns(&system) - slack_ns;
        for (int64_t n = 0; n < 30000; n++) {
            if (i % 2 == 0) {
                TG_RECORD(f.recorder, TG_RECORD_INFO, "number %" PRId64, n);
            } else {
                TG_RECORD_AT(f.recorder, TG_RECORD_INFO, n, "at %" PRId64, n);
            }
        }
        assert_int_equal(tg_recorder_poll(f.recorder, NULL), TG_OK);
        TG_RECORD_AT(f.recorder, TG_RECORD_INFO, 1, "the next one brings the marker");
        tg_recorder_close(f.recorder);
        assert_markers_are_of_now(f.path, sites[i / 2], from_ns,
                                  tg_clock_mono_ns(&system) + slack_ns);
        fixture_end(&f);
    }
}

static void each_level_has_a_policy_of_its_own(void **state)
{
    (void)state;
    fixture f;
    fixture_make(&f);
    host_driven(&f);
    f.opt.level = TG_RECORD_DETAIL;
    f.opt.overflow[TG_RECORD_ERROR] = TG_OVERFLOW_OVERWRITE;
    f.opt.overflow[TG_RECORD_DETAIL] = TG_OVERFLOW_DROP_NEWEST;
    fixture_open(&f);
    const uint64_t calls = 20000; /* far more than the ring holds */
    for (uint64_t i = 0; i < calls; i++) {
        TG_RECORD(f.recorder, TG_RECORD_DETAIL, "detail %" PRIu64, i);
    }
    tg_recorder_counters counters = {.struct_size = sizeof counters};
    assert_int_equal(tg_recorder_counters_get(f.recorder, &counters), TG_OK);
    assert_true(counters.dropped > 0 && counters.overwritten == 0);
    const uint64_t dropped = counters.dropped;
    for (uint64_t i = 0; i < 100; i++) {
        TG_RECORD(f.recorder, TG_RECORD_ERROR, "error %" PRIu64, i);
    }
    assert_int_equal(tg_recorder_counters_get(f.recorder, &counters), TG_OK);
    assert_true(counters.dropped == dropped && counters.overwritten > 0);
    tg_recorder_close(f.recorder);
    reading r;
    reading_open(&r, f.path);
    tg__log_record record;
    uint64_t errors = 0;
    uint64_t details = 0;
    while (tg__log_merge_next(&r.merge, &record) == TG_OK) {
        errors += record.site->level == TG_RECORD_ERROR;
        details += record.site->level == TG_RECORD_DETAIL;
    }
    reading_close(&r);
    assert_int_equal(errors, 100);
    assert_int_equal(details, calls - dropped - counters.overwritten);
    fixture_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_marker_tells_the_span_of_what_was_lost),
        cmocka_unit_test(each_level_has_a_policy_of_its_own),
    };
    return cmocka_run_group_tests_name("recorder.producer", tests, NULL, NULL);
}
