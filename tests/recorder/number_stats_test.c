#include "tg_cmocka.h"

#include <string.h>

#include <tickglass/record_inline.h>

#include "number_stats.h"
#include "seeded_random.h"

enum {
    WORDS = 5000
};

static tg__log_argument of_word(uint8_t type, uint64_t word)
{
    const tg__log_argument argument = {.type = type, .word = word};
    return argument;
}

static void assert_near(double got, double expected)
{
    const double error = got - expected;
    const double allowed = (expected < 0 ? -expected : expected) / 500 + 1e-9;
    assert_true(error <= allowed && error >= -allowed);
}

static void many_words_at_once_count_as_one_by_one(void **state)
{
    (void)state;
    static const uint8_t types[] = {TG__TYPE_I32, TG__TYPE_U32, TG__TYPE_I64, TG__TYPE_U64,
                                    TG__TYPE_F64};
    static uint64_t words[WORDS];
    seeded_random random = random_start("words", 11);
    for (size_t t = 0; t < sizeof types; t++) {
        /* First small ones, then of any size: negative, or beyond what percentiles hold. */
        for (int any = 0; any < 2; any++) {
            for (size_t i = 0; i < WORDS; i++) {
                const double value = (double)random_below(&random, 1000) - 500;
                words[i] = random_any_size(&random, any == 0 ? 30 : 64);
                if (types[t] == TG__TYPE_F64) {
                    memcpy(&words[i], &value, sizeof value);
                }
            }
            tg__number_stats single = {0};
            tg__number_stats many = {0};
            for (size_t i = 0; i < WORDS; i++) {
                const tg__log_argument argument = of_word(types[t], words[i]);
                assert_int_equal(tg__number_stats_add(&single, &argument), TG_OK);
            }
            for (size_t from = 0; from < WORDS; from += 500) {
                assert_int_equal(tg__number_stats_add_words(&many, types[t], words + from, 500),
                                 TG_OK);
            }
            assert_int_equal(tg__number_stats_add_words(&many, types[t], words, 0), TG_OK);
            assert_int_equal(many.count, single.count);
            assert_true(many.min <= single.min && many.min >= single.min);
            assert_true(many.max <= single.max && many.max >= single.max);
            assert_near(many.sum, single.sum);
            for (int percent = 0; types[t] != TG__TYPE_F64 && percent <= 100; percent += 5) {
                const double a = tg__number_stats_percentile(&many, percent);
                const double b = tg__number_stats_percentile(&single, percent);
                assert_true(a <= b && a >= b);
            }
            tg__number_stats_deinit(&single);
            tg__number_stats_deinit(&many);
        }
    }
}

/* The sum of four is over 64 bits; of two it just is not. */
static void sums_of_large_words_do_not_wrap(void **state)
{
    (void)state;
    static const uint64_t words[] = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
    for (size_t count = 1; count <= 4; count++) {
        tg__number_stats stats = {0};
        assert_int_equal(tg__number_stats_add_words(&stats, TG__TYPE_U64, words, count), TG_OK);
        assert_near(stats.sum, (double)count * (double)INT64_MAX);
        tg__number_stats_deinit(&stats);
    }
}

static void negative_values_lie_below_all_others(void **state)
{
    (void)state;
    tg__number_stats stats = {0};
    for (int64_t value = -50; value < 50; value++) {
        const tg__log_argument argument = of_word(TG__TYPE_I64, (uint64_t)value);
        assert_int_equal(tg__number_stats_add(&stats, &argument), TG_OK);
    }
    assert_near(tg__number_stats_percentile(&stats, 1), -50);
    assert_near(tg__number_stats_percentile(&stats, 50), -1);
    assert_near(tg__number_stats_percentile(&stats, 90), 39);
    assert_near(stats.sum, -50);
    tg__number_stats_deinit(&stats);
}

static void parts_merge_to_the_whole(void **state)
{
    (void)state;
    seeded_random random = random_start("parts", 12);
    tg__number_stats whole = {0};
    tg__number_stats parts[3] = {{0}};
    tg__number_stats merged = {0};
    for (int i = 0; i < WORDS; i++) {
        const tg__log_argument argument =
            of_word(TG__TYPE_I64, random_any_size(&random, 40) - (UINT64_C(1) << 30));
        assert_int_equal(tg__number_stats_add(&whole, &argument), TG_OK);
        assert_int_equal(tg__number_stats_add(&parts[random_below(&random, 3)], &argument), TG_OK);
    }
    tg__number_stats nothing = {0};
    assert_int_equal(tg__number_stats_merge(&merged, &nothing), TG_OK);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(tg__number_stats_merge(&merged, &parts[i]), TG_OK);
        tg__number_stats_deinit(&parts[i]);
    }
    assert_int_equal(merged.count, whole.count);
    assert_near(merged.sum, whole.sum);
    assert_near(merged.min, whole.min);
    assert_near(merged.max, whole.max);
    for (int percent = 0; percent <= 100; percent++) {
        const double a = tg__number_stats_percentile(&merged, percent);
        const double b = tg__number_stats_percentile(&whole, percent);
        assert_true(a <= b && a >= b);
    }
    tg__number_stats_deinit(&merged);
    tg__number_stats_deinit(&whole);
}

static void decimals_of_several_exponents_have_a_range_but_no_percentiles(void **state)
{
    (void)state;
    tg__number_stats stats = {0};
    tg__log_argument price = of_word(TG__TYPE_DECIMAL, 18425);
    price.exponent = -2;
    assert_int_equal(tg__number_stats_add(&stats, &price), TG_OK);
    assert_true(tg__number_stats_has_percentiles(&stats, TG__TYPE_DECIMAL));
    assert_near(tg__number_stats_percentile(&stats, 50), 184.25);

    tg__number_stats finer = {0};
    price.exponent = -3;
    assert_int_equal(tg__number_stats_add(&finer, &price), TG_OK);
    assert_int_equal(tg__number_stats_merge(&stats, &finer), TG_OK);
    assert_false(tg__number_stats_has_percentiles(&stats, TG__TYPE_DECIMAL));
    assert_near(stats.min, 18.425);
    assert_near(stats.max, 184.25);
    tg__number_stats_deinit(&stats);
    tg__number_stats_deinit(&finer);
}

static void of_texts_the_length_counts(void **state)
{
    (void)state;
    tg__number_stats stats = {0};
    for (uint32_t size = 0; size <= 10; size++) {
        const tg__log_argument text = {.type = TG__TYPE_TEXT, .bytes = "0123456789", .size = size};
        assert_int_equal(tg__number_stats_add(&stats, &text), TG_OK);
    }
    assert_near(stats.max, 10);
    assert_near(tg__number_stats_percentile(&stats, 50), 5);
    tg__number_stats_deinit(&stats);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_words_at_once_count_as_one_by_one),
        cmocka_unit_test(sums_of_large_words_do_not_wrap),
        cmocka_unit_test(negative_values_lie_below_all_others),
        cmocka_unit_test(parts_merge_to_the_whole),
        cmocka_unit_test(decimals_of_several_exponents_have_a_range_but_no_percentiles),
        cmocka_unit_test(of_texts_the_length_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
