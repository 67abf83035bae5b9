#include "tg_cmocka.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/hlog.h>

#include "histogram_slots.h"
#include "seeded_random.h"

static tg_histogram *open_with(int64_t lowest, int64_t highest, int digits)
{
    tg_histogram_options opt;
    tg_histogram_options_init(&opt);
    opt.lowest = lowest;
    opt.highest = highest;
    opt.significant_digits = digits;
    tg_histogram *histogram = NULL;
    assert_int_equal(tg_histogram_open(&opt, &histogram), TG_OK);
    return histogram;
}

static tg_histogram *encode_and_decode(const tg_histogram *from)
{
    tg__text_buffer text = {NULL, 0, 0, false};
    assert_int_equal(tg__hlog_encode(from, &text), TG_OK);
    tg_histogram *again = NULL;
    assert_int_equal(tg__hlog_decode(text.bytes, text.size, &again), TG_OK);
    tg__text_buffer_deinit(&text);
    return again;
}

static void every_count_survives_the_exchange_form(void **state)
{
    (void)state;
    seeded_random random = random_start("hlog", 31);
    for (int digits = 1; digits <= 4; digits++) {
        tg_histogram *histogram = open_with(1, INT64_C(60000000000), digits);
        for (int i = 0; i < 3000; i++) {
            const uint32_t slot =
                (uint32_t)random_below(&random, tg__histogram_slot_count(histogram));
            tg__histogram_slot_add(histogram, slot, random_any_size(&random, 50));
        }
        tg_histogram *again = encode_and_decode(histogram);
        const uint32_t slots = tg__histogram_slot_count(histogram);
        assert_int_equal(tg__histogram_slot_count(again), slots);
        for (uint32_t slot = 0; slot < slots; slot++) {
            assert_int_equal(tg__histogram_slot_get(again, slot),
                             tg__histogram_slot_get(histogram, slot));
        }
        tg_histogram_close(again);
        tg_histogram_close(histogram);
    }
}

static void a_coarser_lowest_value_keeps_counts_and_precision(void **state)
{
    (void)state;
    seeded_random random = random_start("coarse", 32);
    tg_histogram *histogram = open_with(1000, INT64_C(60000000000), 3);
    for (int i = 0; i < 50000; i++) {
        tg_histogram_record(histogram, (int64_t)random_any_size(&random, 35));
    }
    tg_histogram *again = encode_and_decode(histogram);
    tg_histogram_summary before;
    tg_histogram_summary after;
    tg_histogram_summary_get(histogram, &before);
    tg_histogram_summary_get(again, &after);
    assert_int_equal(after.count, before.count);
    const double asked[] = {1, 50, 99, 99.9};
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
        const int64_t exact = tg_histogram_percentile(histogram, asked[i]);
        const int64_t got = tg_histogram_percentile(again, asked[i]);
        assert_true(got <= exact && exact - got <= (exact / 1000 > 1024 ? exact / 1000 : 1024));
    }
    tg_histogram_close(again);
    tg_histogram_close(histogram);
}

static void an_empty_histogram_stays_empty(void **state)
{
    (void)state;
    tg_histogram *histogram = open_with(1000, INT64_C(60000000000), 3);
    tg_histogram *again = encode_and_decode(histogram);
    tg_histogram_summary summary;
    tg_histogram_summary_get(again, &summary);
    assert_int_equal(summary.count, 0);
    tg_histogram_close(again);
    tg_histogram_close(histogram);
}

static void another_program_s_log_reads_with_its_own_figures(void **state)
{
    (void)state;
    /* Written by hdr-histogram-js 3.0.1, which said: 100,000 values, p50 2,478,079, p99.9
     * 4,993,023. */
    FILE *file = fopen(GOLDEN_DIR "/hdr_histogram_js.hlog", "r");
    assert_non_null(file);
    static char line[16384];
    while (fgets(line, sizeof line, file) != NULL && strncmp(line, "Tag=js,", 7) != 0) {
    }
    assert_int_equal(fclose(file), 0);
    line[strcspn(line, "\r\n")] = '\0';
    const char *text = strrchr(line, ',');
    assert_non_null(text);
    tg_histogram *histogram = NULL;
    assert_int_equal(tg__hlog_decode(text + 1, strlen(text + 1), &histogram), TG_OK);
    tg_histogram_summary summary;
    tg_histogram_summary_get(histogram, &summary);
    assert_int_equal(summary.count, 100000);
    assert_int_equal(tg_histogram_percentile(histogram, 50), 2478079);
    assert_int_equal(tg_histogram_percentile(histogram, 99.9), 4993023);
    tg_histogram_close(histogram);
}

static void damaged_text_is_refused_or_at_least_bounded(void **state)
{
    (void)state;
    seeded_random random = random_start("damaged", 33);
    tg_histogram *histogram = open_with(1, 1000000, 2);
    for (int i = 0; i < 500; i++) {
        tg_histogram_record(histogram, (int64_t)random_below(&random, 1000000));
    }
    tg__text_buffer text = {NULL, 0, 0, false};
    assert_int_equal(tg__hlog_encode(histogram, &text), TG_OK);
    tg_histogram *again = NULL;
    for (size_t shorter = 0; shorter < text.size; shorter++) {
        assert_int_not_equal(tg__hlog_decode(text.bytes, shorter, &again), TG_OK);
        assert_null(again);
    }
    for (int round = 0; round < 1000; round++) {
        const size_t at = (size_t)random_below(&random, text.size);
        const char kept = text.bytes[at];
        text.bytes[at] = (char)random_u64(&random);
        if (tg__hlog_decode(text.bytes, text.size, &again) == TG_OK) {
            tg_histogram_close(again); /* the same character, or unused bits of the last one */
        }
        text.bytes[at] = kept;
    }
    tg__text_buffer_deinit(&text);
    tg_histogram_close(histogram);
}

static void an_interval_is_a_line_whose_tag_nothing_can_end(void **state)
{
    (void)state;
    tg_histogram *histogram = open_with(1, INT64_C(60000000000), 3);
    tg_histogram_record(histogram, 1234567);
    tg__text_buffer text = {NULL, 0, 0, false};
    tg__hlog_add_header(&text, INT64_C(1800000000123000000));
    assert_int_equal(tg__hlog_add_interval(&text, "a b,c\"d", INT64_C(1800000000123000000),
                                           INT64_C(1800000010125000000), histogram),
                     TG_OK);
    tg__text_add(&text, "", 1);
    assert_non_null(strstr(text.bytes, "#[StartTime: 1800000000.123 (seconds since epoch)]\n"));
    const char *line = strstr(text.bytes, "\nTag=");
    assert_non_null(line);
    static const char expected[] = "\nTag=a_b_c_d,1800000000.123,10.002,1.235,";
    assert_memory_equal(line, expected, sizeof expected - 1);
    tg_histogram *again = NULL;
    const char *counts = line + sizeof expected - 1;
    assert_int_equal(tg__hlog_decode(counts, strcspn(counts, "\n"), &again), TG_OK);
    assert_int_equal(tg_histogram_count_between(again, 1233000, 1235000), 1);
    tg_histogram_close(again);
    tg_histogram_close(histogram);
    tg__text_buffer_deinit(&text);
}

static void a_stranger_s_text_goes_into_what_is_there_or_leaves_it_empty(void **state)
{
    (void)state;
    static unsigned char scratch[16384];
    tg_histogram *from = open_with(1, INT64_C(60000000000), 3);
    tg_histogram *into = open_with(1, INT64_C(60000000000), 3);
    tg_histogram *coarser = open_with(1, INT64_C(60000000000), 2);
    tg_histogram_summary summary;
    for (int64_t value = 1; value < 3000; value++) {
        tg_histogram_record(from, value * 1000);
    }
    tg__text_buffer text = {NULL, 0, 0, false};
    assert_int_equal(tg__hlog_encode(from, &text), TG_OK);
    const size_t packed = text.size / 4 * 3;
    const size_t plain = packed - 8 - 11;     /* heads of our own form, and its sum */
    for (int round = 0; round < 2; round++) { /* what was there before does not matter */
        assert_int_equal(
            tg__hlog_decode_into(text.bytes, text.size, scratch, sizeof scratch, 2999, into),
            TG_OK);
        tg_histogram_summary_get(into, &summary);
        assert_int_equal(summary.count, 2999);
        assert_int_equal(summary.min, 1000);
        assert_int_equal(tg_histogram_percentile(into, 50), tg_histogram_percentile(from, 50));
    }
    const struct {
        size_t text_size;
        size_t scratch_size;
        uint64_t count_max;
        tg_histogram *into;
        tg_err err;
    } bad[] = {
        {text.size, sizeof scratch, 2998, into, TG_ERR_COUNT_LIMIT},
        {text.size, sizeof scratch, 2999, coarser, TG_ERR_HISTOGRAM_RANGE},
        {text.size, packed + plain - 3, 2999, into, TG_ERR_CORRUPT},
        {text.size, packed - 1, 2999, into, TG_ERR_CORRUPT},
        {text.size - 1, sizeof scratch, 2999, into, TG_ERR_SYNTAX},
        {text.size - 4, sizeof scratch, 2999, into, TG_ERR_CORRUPT},
        {0, sizeof scratch, 2999, into, TG_ERR_CORRUPT},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        tg_histogram_record(bad[i].into, 5);
        assert_int_equal(tg__hlog_decode_into(text.bytes, bad[i].text_size, scratch,
                                              bad[i].scratch_size, bad[i].count_max, bad[i].into),
                         bad[i].err);
        tg_histogram_summary_get(bad[i].into, &summary);
        assert_int_equal(summary.count, 0);
    }
    tg__text_buffer_deinit(&text);
    tg_histogram_close(from);
    tg_histogram_close(into);
    tg_histogram_close(coarser);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_interval_is_a_line_whose_tag_nothing_can_end),
        cmocka_unit_test(every_count_survives_the_exchange_form),
        cmocka_unit_test(a_coarser_lowest_value_keeps_counts_and_precision),
        cmocka_unit_test(an_empty_histogram_stays_empty),
        cmocka_unit_test(another_program_s_log_reads_with_its_own_figures),
        cmocka_unit_test(damaged_text_is_refused_or_at_least_bounded),
        cmocka_unit_test(a_stranger_s_text_goes_into_what_is_there_or_leaves_it_empty),
    };
    return cmocka_run_group_tests_name("recorder.hlog", tests, NULL, NULL);
}
