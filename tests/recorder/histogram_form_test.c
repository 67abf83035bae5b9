#include <tickglass/histogram_form.h>

#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/hlog.h>

#include "histogram_slots.h"
#include "seeded_random.h"
#include "tg_cmocka.h"

static tg_histogram *open_default(void)
{
    tg_histogram *histogram = NULL;
    assert_int_equal(tg_histogram_open(NULL, &histogram), TG_OK);
    return histogram;
}

static void assert_same_counts(const tg_histogram *a, const tg_histogram *b)
{
    for (uint32_t slot = 0; slot < tg__histogram_slot_count(a); slot++) {
        assert_int_equal(tg__histogram_slot_get(a, slot), tg__histogram_slot_get(b, slot));
    }
}

static void assert_same(const tg_histogram *a, const tg_histogram *b)
{
    tg_histogram_summary left;
    tg_histogram_summary right;
    tg_histogram_summary_get(a, &left);
    tg_histogram_summary_get(b, &right);
    assert_memory_equal(&left, &right, sizeof left);
    assert_same_counts(a, b);
}

static void record_some(tg_histogram *histogram, seeded_random *random, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        const int64_t value = (int64_t)random_any_size(random, 37);
        tg_histogram_record(histogram, random_below(random, 50) == 0 ? -value : value);
    }
}

static unsigned char *pack(const tg_histogram *histogram, size_t *size)
{
    assert_int_equal(tg_histogram_pack(histogram, NULL, 0, size), TG_ERR_BUFFER_TOO_SMALL);
    unsigned char *bytes = malloc(*size);
    assert_non_null(bytes);
    assert_int_equal(tg_histogram_pack(histogram, bytes, *size, size), TG_OK);
    return bytes;
}

static void packed_windows_add_up_to_what_was_recorded_in_all_of_them(void **state)
{
    (void)state;
    seeded_random random = random_start("windows", 31);
    tg_histogram *all = open_default();
    tg_histogram *window = open_default();
    tg_histogram *sum = open_default();
    for (int w = 0; w < 60; w++) {
        tg_histogram_reset(window);
        const uint64_t count = random_below(&random, 3) == 0 ? 0 : 700;
        seeded_random again = random;
        record_some(window, &random, count);
        record_some(all, &again, count);
        size_t size = 0;
        unsigned char *bytes = pack(window, &size);
        assert_int_equal(tg_histogram_add_packed(sum, bytes, size), TG_OK);
        free(bytes);
    }
    assert_same(sum, all);
    tg_histogram_close(all);
    tg_histogram_close(window);
    tg_histogram_close(sum);
}

static void the_difference_of_two_copies_is_what_came_between_them(void **state)
{
    (void)state;
    seeded_random random = random_start("difference", 32);
    tg_histogram *growing = open_default();
    tg_histogram *earlier = open_default();
    tg_histogram *window = open_default();
    tg_histogram *got = open_default();
    for (int w = 0; w < 40; w++) {
        tg_histogram_reset(earlier);
        tg_histogram_reset(window);
        tg_histogram_reset(got);
        assert_int_equal(tg_histogram_add(earlier, growing), TG_OK);
        seeded_random again = random;
        const uint64_t count = (uint64_t)w * 17;
        record_some(window, &random, count);
        record_some(growing, &again, count);
        assert_int_equal(tg_histogram_add_difference(got, growing, earlier), TG_OK);
        assert_same_counts(got, window);
        tg_histogram_summary wanted;
        tg_histogram_summary is;
        tg_histogram_summary_get(window, &wanted);
        tg_histogram_summary_get(got, &is);
        assert_int_equal(is.count, wanted.count);
        assert_int_equal(is.negative, wanted.negative);
        assert_int_equal(is.over, wanted.over);
        assert_true(is.max >= wanted.max && is.max <= wanted.max + wanted.max / 1000 + 1024);
        assert_true(is.min <= wanted.min && is.min >= wanted.min - wanted.min / 1000 - 1024);
        /* A percentile ends at the maximum, which is only that of its counter here. */
        const int64_t p99 = tg_histogram_percentile(window, 99);
        const int64_t got_p99 = tg_histogram_percentile(got, 99);
        assert_true(got_p99 >= p99 && got_p99 <= p99 + p99 / 1000 + 1024);
    }
    tg_histogram_close(growing);
    tg_histogram_close(earlier);
    tg_histogram_close(window);
    tg_histogram_close(got);
}

static void what_is_no_growth_or_another_shape_is_refused_untouched(void **state)
{
    (void)state;
    tg_histogram *a = open_default();
    tg_histogram *b = open_default();
    tg_histogram *into = open_default();
    tg_histogram *other = NULL;
    tg_histogram_options options;
    tg_histogram_options_init(&options);
    options.significant_digits = 2;
    assert_int_equal(tg_histogram_open(&options, &other), TG_OK);
    tg_histogram_record(a, 5000);
    tg_histogram_record(a, 7000);
    tg_histogram_record(b, 6000);
    assert_int_equal(tg_histogram_add_difference(into, a, b), TG_ERR_INVALID_ARGUMENT);
    assert_int_equal(tg_histogram_add_difference(into, a, other), TG_ERR_HISTOGRAM_RANGE);
    assert_int_equal(tg_histogram_add_difference(NULL, a, b), TG_ERR_INVALID_ARGUMENT);
    size_t size = 0;
    unsigned char *bytes = pack(a, &size);
    assert_int_equal(tg_histogram_add_packed(other, bytes, size), TG_ERR_HISTOGRAM_RANGE);
    for (size_t shorter = 0; shorter < 64; shorter++) {
        assert_int_equal(tg_histogram_add_packed(into, bytes, shorter), TG_ERR_CORRUPT);
    }
    /* The first count can be added, the second one is torn: neither is. */
    assert_int_equal(tg_histogram_add_packed(into, bytes, size - 1), TG_ERR_CORRUPT);
    tg_histogram *empty = open_default();
    assert_same(into, empty);
    tg_histogram_close(empty);
    free(bytes);
    tg_histogram_close(a);
    tg_histogram_close(b);
    tg_histogram_close(into);
    tg_histogram_close(other);
}

static void lines_of_a_log_have_points_in_every_locale_and_read_back(void **state)
{
    (void)state;
    (void)setlocale(LC_ALL, "de_DE.UTF-8"); /* where it is not installed this proves less */
    tg_histogram *histogram = open_default();
    seeded_random random = random_start("log", 33);
    record_some(histogram, &random, 500);
    char head[200];
    size_t needed = 0;
    assert_int_equal(tg_hlog_head(INT64_C(1723161300250000000), head, sizeof head, &needed), TG_OK);
    assert_int_equal(needed, strlen(head) + 1);
    assert_non_null(strstr(head, "#[StartTime: 1723161300.250 (seconds since epoch)]\n"));
    assert_int_equal(tg_hlog_head(0, head, 10, &needed), TG_ERR_BUFFER_TOO_SMALL);
    assert_string_equal(head, "");
    assert_int_equal(tg_hlog_interval("a b", INT64_C(1723161300250000000),
                                      INT64_C(1723161310249600000), histogram, NULL, 0, &needed),
                     TG_ERR_BUFFER_TOO_SMALL);
    char *line = malloc(needed);
    assert_non_null(line);
    assert_int_equal(tg_hlog_interval("a b", INT64_C(1723161300250000000),
                                      INT64_C(1723161310249600000), histogram, line, needed,
                                      &needed),
                     TG_OK);
    static const char start[] = "Tag=a_b,1723161300.250,10.000,";
    assert_memory_equal(line, start, sizeof start - 1);
    const char *counts = strrchr(line, ',') + 1;
    tg_histogram *again = NULL;
    assert_int_equal(tg__hlog_decode(counts, strcspn(counts, "\n"), &again), TG_OK);
    tg_histogram_summary summary;
    tg_histogram_summary_get(histogram, &summary);
    tg_histogram_summary read;
    tg_histogram_summary_get(again, &read);
    assert_int_equal(read.count, summary.count);
    tg_histogram_close(again);
    free(line);
    tg_histogram_close(histogram);
    (void)setlocale(LC_ALL, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packed_windows_add_up_to_what_was_recorded_in_all_of_them),
        cmocka_unit_test(the_difference_of_two_copies_is_what_came_between_them),
        cmocka_unit_test(what_is_no_growth_or_another_shape_is_refused_untouched),
        cmocka_unit_test(lines_of_a_log_have_points_in_every_locale_and_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
