#include "latency_mouse.h"

#include "latency_panel.h"
#include "picture_fixture.h"

#define S       INT64_C(1000000000)
#define MS      INT64_C(1000000)
#define COLUMNS 96
#define ROWS    30

/* Not in the corner: cells of the grid are not those of the panel. */
static const panel_area area = {3, 7, COLUMNS - 7, ROWS - 3};

typedef struct fixture {
    picture_fixture picture;
    stage_windows *windows;
    process_stalls *stalls;
    latency_span *span;
    latency_view view;
} fixture;

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
        .rtt_ns = -1,
    };
}

static fixture begin(int64_t count)
{
    fixture f = {.picture = picture_open_cells(COLUMNS, ROWS, NULL)};
    assert_int_equal(stage_windows_open(STAGE_WINDOWS_BYTES, 0, &f.windows), TG_OK);
    assert_int_equal(process_stalls_open(&f.stalls), TG_OK);
    assert_int_equal(latency_span_open(&f.span), TG_OK);
    const stall_tally tally = {0};
    for (int64_t w = 0; w < count; w++) {
        stage_windows_record(f.windows, LATENCY_RECEIVED_TO_HANDED, (1 + w % 5) * MS);
        stage_windows_end(f.windows, (w + 1) * STAGE_WINDOW_NS, (w + 1) * STAGE_WINDOW_NS, &tally);
    }
    look(&f);
    return f;
}

static void end(fixture *f)
{
    latency_span_close(f->span);
    process_stalls_close(f->stalls);
    stage_windows_close(f->windows);
    picture_close(&f->picture);
}

static void draw(fixture *f)
{
    const tg_style blank = {f->picture.palette->text, f->picture.palette->background, 0};
    look(f);
    tg_grid_clear(f->picture.grid, blank);
    latency_panel_draw(f->picture.grid, f->picture.palette, area, true, &f->view);
}

static uint16_t row_with(fixture *f, const char *text)
{
    uint16_t row = 0;
    while (row < ROWS && strstr(picture_row(&f->picture, row), text) == NULL) {
        row++;
    }
    assert_true(row < ROWS);
    return row;
}

static bool is_marked(fixture *f, uint16_t row, uint16_t column)
{
    tg_grid_forget(f->picture.grid);
    const tg_cell *cell = &tg_grid_damage(f->picture.grid)->cells[(size_t)row * COLUMNS + column];
    return (cell->marks & TG_CELL_PLOT) != 0 && cell->foreground == f->picture.palette->up;
}

/* What is drawn as chosen afterwards is where it was clicked. */
static void a_click_on_the_time_line_chooses_what_stands_there(void **state)
{
    (void)state;
    static const int64_t counts[] = {STAGE_WINDOWS_MAX, 100, 7};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        fixture f = begin(counts[i]);
        latency_span_move(f.span, f.windows, SPAN_NARROWER);
        draw(&f);
        const uint16_t chosen = row_with(&f, "chosen");
        size_t clicked = 0;
        for (uint16_t column = 0; column < COLUMNS; column++) {
            size_t index = 0;
            if (!latency_panel_window_at(area, &f.view, (uint16_t)(chosen + 1), column, &index)) {
                continue;
            }
            latency_mouse_click(f.span, area, &f.view, (uint16_t)(chosen + 1), column);
            const span_choice choice = latency_span_choice(f.span, f.windows);
            assert_true(index >= choice.first && index - choice.first < choice.count);
            draw(&f);
            if (!is_marked(&f, chosen, column)) {
                fail_msg("%d windows: a click at column %u chose windows %zu to %zu",
                         (int)counts[i], column, choice.first, choice.first + choice.count - 1);
            }
            clicked++;
        }
        assert_true(clicked > 0);
        end(&f);
    }
}

static void a_click_on_a_stage_chooses_it(void **state)
{
    (void)state;
    fixture f = begin(20);
    for (int stage = 0; stage < LATENCY_STAGE_COUNT; stage++) {
        draw(&f);
        const uint16_t row = row_with(&f, latency_stage_label((latency_stage)stage));
        latency_mouse_click(f.span, area, &f.view, row, area.column + 5);
        assert_int_equal(latency_span_choice(f.span, f.windows).stage, stage);
    }
    end(&f);
}

static void the_wheel_makes_the_span_shorter_around_what_is_under_it(void **state)
{
    (void)state;
    fixture f = begin(STAGE_WINDOWS_MAX);
    draw(&f);
    const uint16_t line = (uint16_t)(row_with(&f, "chosen") + 1);
    const size_t before = latency_span_choice(f.span, f.windows).wanted;
    assert_true(latency_mouse_wheel(f.span, area, &f.view, line, 50, -1));
    const span_choice wider = latency_span_choice(f.span, f.windows);
    assert_true(wider.wanted > before);
    size_t index = 0;
    assert_true(latency_panel_window_at(area, &f.view, line, 50, &index));
    assert_true(index > wider.first && index < wider.first + wider.count - 1);
    assert_false(wider.follows);
    /* Elsewhere in the panel the end of the span stays. */
    latency_span_move(f.span, f.windows, SPAN_NEWEST);
    assert_true(latency_mouse_wheel(f.span, area, &f.view, area.row, area.column, 2));
    const span_choice narrower = latency_span_choice(f.span, f.windows);
    assert_int_equal(narrower.wanted, before);
    assert_true(narrower.follows);
    end(&f);
}

static void outside_of_the_panel_nothing_happens(void **state)
{
    (void)state;
    fixture f = begin(20);
    const span_choice before = latency_span_choice(f.span, f.windows);
    for (uint16_t row = 0; row < ROWS + 2; row++) {
        for (uint16_t column = 0; column < COLUMNS + 2; column++) {
            const bool inside = row >= area.row && row < area.row + area.height &&
                                column >= area.column && column < area.column + area.width;
            if (!inside) {
                latency_mouse_click(f.span, area, &f.view, row, column);
                assert_false(latency_mouse_wheel(f.span, area, &f.view, row, column, 1));
            }
        }
    }
    /* One that is not shown has no cells. */
    const panel_area none = {0, 0, 0, 0};
    latency_mouse_click(f.span, none, &f.view, 2, 0);
    assert_false(latency_mouse_wheel(f.span, none, &f.view, 0, 0, 1));
    const span_choice after = latency_span_choice(f.span, f.windows);
    assert_int_equal(after.first, before.first);
    assert_int_equal(after.wanted, before.wanted);
    assert_int_equal(after.stage, before.stage);
    assert_true(after.follows);
    end(&f);
}

static void without_a_window_there_is_no_time_to_choose(void **state)
{
    (void)state;
    fixture f = begin(0);
    for (uint16_t row = 0; row < ROWS; row++) {
        size_t index = 0;
        assert_false(latency_panel_window_at(area, &f.view, row, 40, &index));
        latency_mouse_click(f.span, area, &f.view, row, 40);
    }
    assert_int_equal(latency_span_choice(f.span, f.windows).count, 0);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_click_on_the_time_line_chooses_what_stands_there),
        cmocka_unit_test(a_click_on_a_stage_chooses_it),
        cmocka_unit_test(the_wheel_makes_the_span_shorter_around_what_is_under_it),
        cmocka_unit_test(outside_of_the_panel_nothing_happens),
        cmocka_unit_test(without_a_window_there_is_no_time_to_choose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
