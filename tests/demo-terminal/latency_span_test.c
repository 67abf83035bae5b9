#include "latency_span.h"

#include "latency_keys.h"
#include "tg_cmocka.h"

#define S INT64_C(1000000000)

static const stall_tally one_pass = {.slow_passes = 1, .longest_pass_ns = 20000000};

/* Window w has w + 1 values of (w + 1) ms. */
static void add_windows(stage_windows *windows, uint64_t from, uint64_t count)
{
    for (uint64_t w = from; w < from + count; w++) {
        for (uint64_t i = 0; i <= w; i++) {
            stage_windows_record(windows, LATENCY_RECEIVED_TO_HANDED, (int64_t)(w + 1) * 1000000);
        }
        stage_windows_end(windows, (int64_t)(w + 1) * STAGE_WINDOW_NS,
                          (int64_t)(w + 1) * STAGE_WINDOW_NS + 1000 * S, &one_pass);
    }
}

static void add_up(latency_span *span, const stage_windows *windows)
{
    for (int steps = 0; latency_span_step(span, windows, 5); steps++) {
        assert_true(steps < 100);
    }
    assert_true(latency_span_is_current(span, windows));
}

typedef struct fixture {
    stage_windows *windows;
    latency_span *span;
} fixture;

static fixture begin(uint64_t count)
{
    fixture f;
    assert_int_equal(stage_windows_open(STAGE_WINDOWS_BYTES, 0, &f.windows), TG_OK);
    assert_int_equal(latency_span_open(&f.span), TG_OK);
    add_windows(f.windows, 0, count);
    return f;
}

static void end(fixture *f)
{
    latency_span_close(f->span);
    stage_windows_close(f->windows);
}

/* The sum of windows first to first + count - 1 by number. */
static void expect_sum(fixture *f, uint64_t first, uint64_t count)
{
    add_up(f->span, f->windows);
    const span_sum *sum = latency_span_sum(f->span);
    assert_non_null(sum);
    uint64_t values = 0;
    for (uint64_t w = first; w < first + count; w++) {
        values += w + 1;
    }
    const stage_figures *of = &sum->of[LATENCY_RECEIVED_TO_HANDED];
    assert_int_equal(of->count, values);
    assert_int_equal(of->max_ns, (int64_t)(first + count) * 1000000);
    assert_int_equal(sum->from_mono_ns, (int64_t)first * STAGE_WINDOW_NS);
    assert_int_equal(sum->to_mono_ns, (int64_t)(first + count) * STAGE_WINDOW_NS);
    assert_int_equal(sum->to_utc_ns, sum->to_mono_ns + 1000 * S);
    assert_int_equal(sum->from_utc_ns, sum->from_mono_ns + 1000 * S);
    assert_int_equal(sum->stalls.slow_passes, count);
    uint64_t in_bins = 0;
    for (size_t i = 0; i < LATENCY_BINS; i++) {
        in_bins += sum->bin[LATENCY_RECEIVED_TO_HANDED][i];
    }
    assert_int_equal(in_bins, values);
}

static void it_follows_the_newest_until_it_is_moved(void **state)
{
    (void)state;
    fixture f = begin(20);
    assert_null(latency_span_sum(f.span));
    assert_false(latency_span_is_current(f.span, f.windows));
    expect_sum(&f, 14, 6);
    add_windows(f.windows, 20, 1);
    assert_false(latency_span_is_current(f.span, f.windows));
    /* What is not the newest yet says of which time it is. */
    assert_int_equal(latency_span_sum(f.span)->to_mono_ns, 20 * STAGE_WINDOW_NS);
    expect_sum(&f, 15, 6);
    latency_span_move(f.span, f.windows, SPAN_EARLIER);
    expect_sum(&f, 14, 6);
    add_windows(f.windows, 21, 3);
    expect_sum(&f, 14, 6);
    latency_span_move(f.span, f.windows, SPAN_PAGE_EARLIER);
    expect_sum(&f, 8, 6);
    latency_span_move(f.span, f.windows, SPAN_OLDEST);
    expect_sum(&f, 0, 6);
    latency_span_move(f.span, f.windows, SPAN_EARLIER);
    expect_sum(&f, 0, 6);
    latency_span_move(f.span, f.windows, SPAN_PAGE_LATER);
    expect_sum(&f, 6, 6);
    latency_span_move(f.span, f.windows, SPAN_NEWEST);
    assert_true(latency_span_choice(f.span, f.windows).follows);
    expect_sum(&f, 18, 6);
    end(&f);
}

/* "p99.9 of any forty seconds". */
static void any_length_at_any_place_can_be_chosen(void **state)
{
    (void)state;
    fixture f = begin(30);
    latency_span_move(f.span, f.windows, SPAN_NARROWER);
    expect_sum(&f, 26, 4);
    for (uint64_t first = 25; first + 1 > 0 && first <= 25; first--) {
        latency_span_move(f.span, f.windows, SPAN_EARLIER);
        expect_sum(&f, first, 4);
    }
    for (int i = 0; i < 5; i++) {
        latency_span_move(f.span, f.windows, SPAN_NARROWER);
    }
    latency_span_move(f.span, f.windows, SPAN_OLDEST);
    expect_sum(&f, 0, 1);
    for (int i = 0; i < 20; i++) {
        latency_span_move(f.span, f.windows, SPAN_WIDER);
    }
    expect_sum(&f, 0, 30);
    assert_int_equal(latency_span_choice(f.span, f.windows).wanted, STAGE_WINDOWS_MAX);
    end(&f);
}

static void what_is_forgotten_moves_the_choice_along(void **state)
{
    (void)state;
    fixture f = begin(STAGE_WINDOWS_MAX);
    latency_span_move(f.span, f.windows, SPAN_OLDEST);
    expect_sum(&f, 0, 6);
    add_windows(f.windows, STAGE_WINDOWS_MAX, 3);
    expect_sum(&f, 3, 6);
    end(&f);
}

static void without_windows_there_is_no_sum_and_no_trouble(void **state)
{
    (void)state;
    fixture f = begin(0);
    for (int move = SPAN_EARLIER; move <= SPAN_STAGE_AFTER; move++) {
        latency_span_move(f.span, f.windows, (span_move)move);
        assert_false(latency_span_step(f.span, f.windows, 5));
        assert_int_equal(latency_span_choice(f.span, f.windows).count, 0);
    }
    assert_null(latency_span_sum(f.span));
    add_windows(f.windows, 0, 1);
    expect_sum(&f, 0, 1);
    end(&f);
}

static void bins_lie_side_by_side(void **state)
{
    (void)state;
    for (size_t i = 0; i < LATENCY_BINS; i++) {
        assert_true(latency_bin_lowest_ns(i) < latency_bin_lowest_ns(i + 1));
    }
    assert_int_equal(latency_bin_lowest_ns(1), 1024);
    assert_true(latency_bin_lowest_ns(LATENCY_BINS) > INT64_C(60000000000));
}

static void keys_mean_moves(void **state)
{
    (void)state;
    span_move move = SPAN_EARLIER;
    tg_input input = {.kind = TG_INPUT_KEY, .key = TG_KEY_PAGE_DOWN};
    assert_true(latency_key_move(&input, &move));
    assert_int_equal(move, SPAN_PAGE_LATER);
    input = (tg_input){.kind = TG_INPUT_KEY, .key = TG_KEY_CHARACTER, .character = '='};
    assert_true(latency_key_move(&input, &move));
    assert_int_equal(move, SPAN_WIDER);
    input.character = '-';
    assert_true(latency_key_move(&input, &move));
    assert_int_equal(move, SPAN_NARROWER);
    input.ctrl = true; /* that is the size of the letters, or somebody else's */
    assert_false(latency_key_move(&input, &move));
    input = (tg_input){.kind = TG_INPUT_KEY, .key = TG_KEY_CHARACTER, .character = 'e'};
    assert_false(latency_key_move(&input, &move));
    assert_true(latency_key_is_export(&input));
    input.alt = true;
    assert_false(latency_key_is_export(&input));
    input = (tg_input){.kind = TG_INPUT_KEY, .key = TG_KEY_TAB};
    assert_false(latency_key_move(&input, &move));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_follows_the_newest_until_it_is_moved),
        cmocka_unit_test(any_length_at_any_place_can_be_chosen),
        cmocka_unit_test(what_is_forgotten_moves_the_choice_along),
        cmocka_unit_test(without_windows_there_is_no_sum_and_no_trouble),
        cmocka_unit_test(bins_lie_side_by_side),
        cmocka_unit_test(keys_mean_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
