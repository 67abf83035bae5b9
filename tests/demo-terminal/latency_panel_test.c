#include "latency_panel.h"

#include <tickglass/plot_cell.h>

#include "picture_fixture.h"

#define S   INT64_C(1000000000)
#define MS  INT64_C(1000000)
#define US  INT64_C(1000)
#define UTC (INT64_C(1723161300) * S) /* 2024-08-08 23:55:00, at monotonic 0 */

static uint64_t random_state;

static int64_t random_below(int64_t limit)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int64_t)((random_state >> 24) % (uint64_t)limit);
}

/* Most around the middle, some much longer. */
static int64_t duration(int64_t middle)
{
    int64_t ns = middle / 2 + random_below(middle);
    if (random_below(50) == 0) {
        ns += random_below(middle * 4);
    }
    return random_below(2000) == 0 ? ns + random_below(middle * 40) : ns;
}

typedef struct fixture {
    picture_fixture picture;
    stage_windows *windows;
    process_stalls *stalls;
    latency_span *span;
    tg_histogram *decode; /* all of it, as the client counts */
    int64_t now_ns;
    latency_view view;
} fixture;

static fixture begin(int columns, int rows)
{
    fixture f = {.picture = picture_open_cells(columns, rows, NULL)};
    random_state = 3;
    assert_int_equal(stage_windows_open(STAGE_WINDOWS_BYTES, 0, &f.windows), TG_OK);
    assert_int_equal(process_stalls_open(&f.stalls), TG_OK);
    assert_int_equal(latency_span_open(&f.span), TG_OK);
    assert_int_equal(tg_histogram_open(NULL, &f.decode), TG_OK);
    return f;
}

static void end(fixture *f)
{
    latency_span_close(f->span);
    tg_histogram_close(f->decode);
    process_stalls_close(f->stalls);
    stage_windows_close(f->windows);
    picture_close(&f->picture);
}

static void play_window(fixture *f, int64_t w)
{
    const int64_t load = w % 90 > 60 ? 6 : 1; /* a busy quarter now and then */
    for (int i = 0; i < 1500; i++) {
        const int64_t wait = duration(4 * MS * load);
        const int64_t draw = duration(300 * US);
        const int64_t present = duration(90 * US);
        stage_windows_record(f->windows, LATENCY_WAIT, wait);
        stage_windows_record(f->windows, LATENCY_DRAW, draw);
        stage_windows_record(f->windows, LATENCY_PRESENT, present);
        stage_windows_record(f->windows, LATENCY_RECEIVED_TO_HANDED,
                             wait + draw + present + 30 * US);
        stage_windows_record(f->windows, LATENCY_EXCHANGE_TO_HANDED,
                             wait + draw + present + duration(12 * MS) - 9000 * US);
        if (i % 6 == 0) {
            tg_histogram_record(f->decode, duration(20 * US));
        }
    }
    assert_int_equal(stage_windows_take_total(f->windows, LATENCY_DECODE, f->decode), TG_OK);
    f->now_ns = (w + 1) * STAGE_WINDOW_NS;
    if (w % 90 == 70) {
        process_stalls_pass(f->stalls, f->now_ns - 3 * S, f->now_ns - 3 * S + 31200 * US);
    }
    if (w % 60 == 20) {
        process_stalls_wake(f->stalls, f->now_ns - 2 * S, f->now_ns - 2 * S + 12 * MS);
    }
    process_sample sample = {.minor_faults = (uint64_t)(w * 40 + (w > 130 ? 900 : 0)),
                             .major_faults = w > 200 ? 3u : 0u,
                             .involuntary_switches = (uint64_t)w * 7,
                             .run_wait_ns = w * 300 * US + (w > 100 ? 34 * MS : 0),
                             .run_wait_known = true};
    process_stalls_take(f->stalls, &sample, f->now_ns - 1 * S);
    const stall_tally tally = process_stalls_end_tally(f->stalls);
    stage_windows_end(f->windows, f->now_ns, UTC + f->now_ns, &tally);
}

static void look(fixture *f)
{
    while (latency_span_step(f->span, f->windows, 100)) {
    }
    f->view = (latency_view){
        .windows = f->windows,
        .stalls = f->stalls,
        .sum = latency_span_sum(f->span),
        .choice = latency_span_choice(f->span, f->windows),
        .current = latency_span_is_current(f->span, f->windows),
        .clock = {true, 1300 * US},
        .rtt_ns = 823 * US,
        .rtt_mono_ns = f->now_ns - 4 * S,
        .now_mono_ns = f->now_ns,
    };
}

static void draw(fixture *f, panel_area area, bool focused)
{
    const tg_style blank = {f->picture.palette->text, f->picture.palette->background, 0};
    tg_grid_clear(f->picture.grid, blank);
    latency_panel_draw(f->picture.grid, f->picture.palette, area, focused, &f->view);
}

static void an_hour_in_a_wide_panel_looks_as_it_did(void **state)
{
    (void)state;
    fixture f = begin(96, 30);
    for (int64_t w = 0; w < STAGE_WINDOWS_MAX; w++) {
        play_window(&f, w);
    }
    latency_span_move(f.span, f.windows, SPAN_NARROWER);
    for (int i = 0; i < 25; i++) {
        latency_span_move(f.span, f.windows, SPAN_PAGE_EARLIER);
    }
    look(&f);
    draw(&f, (panel_area){0, 0, 96, 30}, true);
    picture_expect_golden(&f.picture, "latency");
    assert_non_null(strstr(picture_row(&f.picture, 0), "40 s, 00:37:"));
    end(&f);
}

static void twenty_minutes_in_a_narrow_panel_look_as_they_did(void **state)
{
    (void)state;
    fixture f = begin(64, LATENCY_PANEL_ROWS);
    for (int64_t w = 0; w < 140; w++) {
        play_window(&f, w);
    }
    latency_span_move(f.span, f.windows, SPAN_STAGE_AFTER);
    look(&f);
    draw(&f, (panel_area){0, 0, 64, LATENCY_PANEL_ROWS}, false);
    picture_expect_golden(&f.picture, "latency_narrow");
    assert_non_null(strstr(picture_row(&f.picture, 0), "newest 60 s"));
    assert_non_null(strstr(picture_row(&f.picture, 9), "an upper bound, measured 4s ago"));
    assert_non_null(strstr(picture_row(&f.picture, 10), "\xC2\xB1"
                                                        "1.30 ms"));
    assert_non_null(strstr(picture_row(&f.picture, 11), "slow 0 "));
    assert_non_null(strstr(picture_row(&f.picture, 13), "negative"));
    end(&f);
}

/* The numbers are those of the chosen windows, not of all and not of others. */
static void numbers_are_those_of_the_chosen_windows(void **state)
{
    (void)state;
    fixture f = begin(96, 30);
    for (int64_t w = 0; w < 12; w++) {
        for (int i = 0; i < 2000; i++) {
            stage_windows_record(f.windows, LATENCY_DRAW, (w + 1) * 10 * MS);
        }
        const stall_tally tally = {.slow_passes = (uint64_t)w};
        f.now_ns = (w + 1) * STAGE_WINDOW_NS;
        stage_windows_end(f.windows, f.now_ns, UTC + f.now_ns, &tally);
    }
    latency_span_move(f.span, f.windows, SPAN_NARROWER);
    latency_span_move(f.span, f.windows, SPAN_NARROWER);
    latency_span_move(f.span, f.windows, SPAN_OLDEST);
    latency_span_move(f.span, f.windows, SPAN_LATER);
    look(&f); /* windows 1 and 2: 20 and 30 ms */
    draw(&f, (panel_area){0, 0, 96, 30}, true);
    const char *row = picture_row(&f.picture, 2 + LATENCY_DRAW);
    assert_non_null(strstr(row, "4000  20.00 ms  30.00 ms  30.00 ms  30.00 ms"));
    assert_non_null(strstr(picture_row(&f.picture, 11), "3 slow passes"));
    assert_non_null(strstr(picture_row(&f.picture, 0), "20 s, 23:55:10\xE2\x80\x93"
                                                       "23:55:30 UTC"));
    end(&f);
}

/* A percentile that few values stand behind is faint; none is a dash. */
static void few_values_are_faint_and_none_is_a_dash(void **state)
{
    (void)state;
    fixture f = begin(96, 30);
    for (int i = 0; i < 500; i++) {
        stage_windows_record(f.windows, LATENCY_DRAW, 2 * MS);
    }
    const stall_tally tally = {0};
    f.now_ns = STAGE_WINDOW_NS;
    stage_windows_end(f.windows, f.now_ns, UTC + f.now_ns, &tally);
    look(&f);
    draw(&f, (panel_area){0, 0, 96, 30}, false);
    tg_grid_forget(f.picture.grid);
    const tg_draw_list *list = tg_grid_damage(f.picture.grid);
    const size_t row = (size_t)(2 + LATENCY_DRAW) * list->columns;
    assert_int_equal(list->cells[row + 50].foreground, f.picture.palette->text);  /* p99 */
    assert_int_equal(list->cells[row + 60].foreground, f.picture.palette->faint); /* p99.9 */
    assert_non_null(strstr(picture_row(&f.picture, 2 + LATENCY_WAIT), "\xE2\x80\x93"));
    end(&f);
}

static void nothing_yet_and_every_size_are_no_trouble(void **state)
{
    (void)state;
    fixture f = begin(120, 40);
    look(&f);
    f.view.rtt_ns = -1;
    f.view.clock.known = false;
    draw(&f, (panel_area){0, 0, 120, 40}, false);
    assert_non_null(strstr(picture_row(&f.picture, 0), "no window yet"));
    assert_non_null(strstr(picture_row(&f.picture, 9), "not measured yet"));
    assert_non_null(strstr(picture_row(&f.picture, 10), "unknown"));
    for (int64_t w = 0; w < 40; w++) {
        play_window(&f, w);
    }
    look(&f);
    for (uint16_t width = 0; width < 120; width += 9) {
        for (uint16_t height = 0; height < 40; height += 3) {
            draw(&f, (panel_area){0, 0, width, height}, true);
            tg_grid_forget(f.picture.grid);
            const tg_draw_list *list = tg_grid_damage(f.picture.grid);
            for (size_t i = 0; i < list->cell_count; i++) {
                const bool inside = i % 120 < width && i / 120 < height;
                assert_true(inside || (list->cells[i].text[0] == '\0' &&
                                       (list->cells[i].marks & TG_CELL_PLOT) == 0));
            }
        }
    }
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_hour_in_a_wide_panel_looks_as_it_did),
        cmocka_unit_test(twenty_minutes_in_a_narrow_panel_look_as_they_did),
        cmocka_unit_test(numbers_are_those_of_the_chosen_windows),
        cmocka_unit_test(few_values_are_faint_and_none_is_a_dash),
        cmocka_unit_test(nothing_yet_and_every_size_are_no_trouble),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
