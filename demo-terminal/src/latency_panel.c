#include "latency_panel.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <tickglass/time_text.h>

#include "clock_text.h"
#include "latency_plots.h"
#include "time_axis.h"

#define MARGIN       2
#define HEADER_ROW   1
#define STAGES_ROW   2
#define TABLE_ROWS   (STAGES_ROW + LATENCY_STAGE_COUNT)
#define TEXT_ROWS    4
#define LINE_ROWS    8 /* of the time line, at least */
#define CURVE_ROWS   5 /* with caption and axis, at least */
#define WIDE         88
#define NAME_WIDE    21
#define NAME_NARROW  14
#define COUNT_WIDTH  9u
#define TIME_WIDTH   10
#define TIME_COLUMNS 4
#define LABEL_WIDTH  8
#define TEXT_SIZE    160
#define DASH         "\xE2\x80\x93"

/* How many of a row's values lie beyond its percentile on average: under one, it is a guess. */
static const uint64_t enough[TIME_COLUMNS] = {2, 100, 1000, 0};
static const char keys[] = "\xE2\x86\x90\xE2\x86\x92 when  + - length  e export";
static const char *const titles[TIME_COLUMNS] = {"p50", "p99", "p99.9", "max"};

typedef struct latency_pen {
    panel_pen panel;
    const latency_view *view;
    bool wide;
    uint16_t name_width;
    uint16_t plot_column;
    uint16_t plot_width;
    bool focused; /* its keys work */
} latency_pen;

static const char *name_of(const latency_pen *pen, latency_stage stage)
{
    if (!pen->wide && stage == LATENCY_RECEIVED_TO_HANDED) {
        return "recv\xE2\x86\x92hand off";
    }
    if (!pen->wide && stage == LATENCY_EXCHANGE_TO_HANDED) {
        return "exch\xE2\x86\x92hand off";
    }
    return latency_stage_label(stage);
}

/* "40 s to 23:59:30 UTC": of what is added up, not of what was chosen meanwhile. */
static void write_note(const latency_view *view, char *note, size_t size)
{
    const span_sum *sum = view->sum;
    if (sum == NULL) {
        (void)snprintf(note, size, "no window yet");
        return;
    }
    char from[CLOCK_TEXT_SIZE];
    char to[CLOCK_TEXT_SIZE];
    clock_text(sum->from_utc_ns, false, from);
    clock_text(sum->to_utc_ns, false, to);
    const int64_t s = (sum->to_mono_ns - sum->from_mono_ns + 500000000) / 1000000000;
    (void)snprintf(note, size, "%s%" PRId64 " s, %s" DASH "%s UTC",
                   !view->current         ? "adding up; "
                   : view->choice.follows ? "newest "
                                          : "",
                   s, from, to);
}

static uint16_t time_column(const latency_pen *pen, size_t index)
{
    return (uint16_t)(MARGIN + pen->name_width + (pen->wide ? COUNT_WIDTH : 0u) +
                      index * TIME_WIDTH);
}

static void draw_header(const latency_pen *pen)
{
    const tg_palette *palette = pen->panel.palette;
    panel_label(&pen->panel, panel_span(&pen->panel, HEADER_ROW, MARGIN, pen->name_width),
                palette->label, "stage");
    if (pen->wide) {
        panel_number(
            &pen->panel,
            panel_span(&pen->panel, HEADER_ROW, (uint16_t)(MARGIN + pen->name_width), COUNT_WIDTH),
            palette->label, "values");
    }
    for (size_t i = 0; i < TIME_COLUMNS; i++) {
        panel_number(&pen->panel,
                     panel_span(&pen->panel, HEADER_ROW, time_column(pen, i), TIME_WIDTH),
                     palette->label, titles[i]);
    }
    const tg_span axis = panel_span(&pen->panel, HEADER_ROW, pen->plot_column, pen->plot_width);
    if (axis.width >= 8) {
        const tg_style style = panel_style(&pen->panel, palette->label);
        tg_grid_put_label(pen->panel.grid, (tg_span){axis.row, axis.column, 4}, TG_ALIGN_LEFT,
                          style, "1\xC2\xB5s");
        tg_grid_put_label(pen->panel.grid,
                          (tg_span){axis.row, (uint16_t)(axis.column + axis.width - 4), 4},
                          TG_ALIGN_RIGHT, style, "60s");
    }
}

static void draw_stage(const latency_pen *pen, latency_stage stage)
{
    const tg_palette *palette = pen->panel.palette;
    const span_sum *sum = pen->view->sum;
    const uint16_t row = (uint16_t)(STAGES_ROW + stage);
    const bool chosen = pen->view->choice.stage == stage;
    if (chosen) {
        panel_label(&pen->panel, panel_span(&pen->panel, row, MARGIN - 1, 1), palette->up,
                    "\xE2\x96\xB8");
    }
    panel_label(&pen->panel, panel_span(&pen->panel, row, MARGIN, pen->name_width),
                chosen ? palette->up : palette->text, name_of(pen, stage));
    const stage_figures *of = sum != NULL ? &sum->of[stage] : NULL;
    char text[TIME_AXIS_TEXT_SIZE];
    if (pen->wide && of != NULL) {
        (void)snprintf(text, sizeof text, "%" PRIu64, of->count);
        panel_number(
            &pen->panel,
            panel_span(&pen->panel, row, (uint16_t)(MARGIN + pen->name_width), COUNT_WIDTH),
            palette->text, text);
    }
    for (size_t i = 0; i < TIME_COLUMNS; i++) {
        const tg_span span = panel_span(&pen->panel, row, time_column(pen, i), TIME_WIDTH);
        if (of == NULL || of->count == 0) {
            panel_number(&pen->panel, span, palette->faint, DASH);
            continue;
        }
        const int64_t ns[TIME_COLUMNS] = {of->p50_ns, of->p99_ns, of->p999_ns, of->max_ns};
        time_axis_duration_text(ns[i], text);
        panel_number(&pen->panel, span, of->count < enough[i] ? palette->faint : palette->text,
                     text);
    }
    if (of != NULL && row < pen->panel.area.height) {
        const plot_area area = {&pen->panel, row, pen->plot_column, pen->plot_width, 1};
        latency_plot_distribution(&area, sum->bin[stage], chosen ? palette->up : palette->label);
    }
}

static void put_line(const latency_pen *pen, uint16_t row, const char *label, const char *text)
{
    const uint16_t at = MARGIN + LABEL_WIDTH;
    panel_label(&pen->panel, panel_span(&pen->panel, row, MARGIN, LABEL_WIDTH),
                pen->panel.palette->label, label);
    const tg_span span = panel_span(&pen->panel, row, at, cells_left(pen->panel.area.width, at));
    /* Numbers are in it: whole or not at all. */
    if (tg_text_columns(text) <= span.width) {
        panel_label(&pen->panel, span, pen->panel.palette->text, text);
    } else {
        panel_number(&pen->panel, span, pen->panel.palette->text, text);
    }
}

/* What the network and the clocks leave open. */
static void draw_bounds(const latency_pen *pen, uint16_t row)
{
    const latency_view *view = pen->view;
    char text[TEXT_SIZE] = "not measured yet";
    char half[TIME_AXIS_TEXT_SIZE];
    char age[TG_TIME_TEXT_SIZE];
    if (view->rtt_ns >= 0 &&
        tg_age_text(view->now_mono_ns - view->rtt_mono_ns, age, sizeof age) == TG_OK) {
        time_axis_duration_text((view->rtt_ns + 1) / 2, half);
        (void)snprintf(text, sizeof text, "%s, an upper bound, measured %s ago", half, age);
    }
    put_line(pen, row, "RTT/2", text);
    if (view->clock.known) {
        time_axis_duration_text(view->clock.bound_ns, half);
        (void)snprintf(text, sizeof text,
                       pen->wide ? "exchange \xE2\x86\x92 handed off is one way: this clock "
                                   "\xC2\xB1%s, the exchange's unknown"
                                 : "this one \xC2\xB1%s, the exchange's unknown",
                       half);
    } else {
        (void)snprintf(text, sizeof text, "%s",
                       pen->wide ? "exchange \xE2\x86\x92 handed off is one way: error of this "
                                   "clock and the exchange's unknown"
                                 : "error of this one and the exchange's unknown");
    }
    put_line(pen, (uint16_t)(row + 1), "clocks", text);
}

static void draw_tally(const latency_pen *pen, uint16_t row)
{
    if (pen->view->sum == NULL) {
        return;
    }
    const stall_tally *stalls = &pen->view->sum->stalls;
    char text[TEXT_SIZE];
    char pass[TIME_AXIS_TEXT_SIZE];
    char late[TIME_AXIS_TEXT_SIZE];
    time_axis_duration_text(stalls->longest_pass_ns, pass);
    time_axis_duration_text(stalls->longest_late_ns, late);
    if (pen->wide) {
        (void)snprintf(text, sizeof text,
                       "%" PRIu64 " slow pass%s (\xE2\x89\xA4 %s), %" PRIu64
                       " late wake%s (\xE2\x89\xA4 %s)",
                       stalls->slow_passes, stalls->slow_passes == 1 ? "" : "es", pass,
                       stalls->late_wakes, stalls->late_wakes == 1 ? "" : "s", late);
    } else {
        (void)snprintf(text, sizeof text,
                       "slow %" PRIu64 " \xE2\x89\xA4 %s, late %" PRIu64 " \xE2\x89\xA4 %s",
                       stalls->slow_passes, pass, stalls->late_wakes, late);
    }
    put_line(pen, row, "stalls", text);
    (void)snprintf(late, sizeof late, "unknown");
    if (stalls->run_wait_known) {
        time_axis_duration_text(stalls->run_wait_ns, late);
    }
    const int length =
        snprintf(text, sizeof text, "run queue %s; faults %" PRIu64 " major, %" PRIu64 " minor",
                 late, stalls->major_faults, stalls->minor_faults);
    if (pen->wide && length > 0 && (size_t)length < sizeof text) {
        (void)snprintf(text + length, sizeof text - (size_t)length,
                       "; %" PRIu64 " involuntary switch%s", stalls->involuntary_switches,
                       stalls->involuntary_switches == 1 ? "" : "es");
    }
    put_line(pen, (uint16_t)(row + 1), "", text);
}

/* Whose curve it is, and what no percentile holds. */
static void draw_caption(const latency_pen *pen, uint16_t row)
{
    const tg_palette *palette = pen->panel.palette;
    const latency_stage stage = pen->view->choice.stage;
    const stage_figures *of = &pen->view->sum->of[stage];
    char text[TEXT_SIZE];
    const bool odd = of->negative + of->over > 0;
    (void)snprintf(text, sizeof text, "%s: %" PRIu64 " values", name_of(pen, stage), of->count);
    panel_label(&pen->panel,
                panel_span(&pen->panel, row, MARGIN, cells_left(pen->panel.area.width, MARGIN)),
                palette->label, text);
    uint16_t at = (uint16_t)(MARGIN + tg_text_columns(text));
    if (odd) {
        (void)snprintf(text, sizeof text,
                       "; not in it: %" PRIu64 " negative, %" PRIu64 " over 60 s", of->negative,
                       of->over);
        panel_label(&pen->panel,
                    panel_span(&pen->panel, row, at, cells_left(pen->panel.area.width, at)),
                    palette->warning, text);
        at = (uint16_t)(at + tg_text_columns(text));
    }
    const uint16_t keys_width = tg_text_columns(keys);
    if (pen->focused && at + keys_width + 2 < pen->panel.area.width) {
        const uint16_t column = (uint16_t)(pen->panel.area.width - keys_width - 1);
        panel_label(&pen->panel, panel_span(&pen->panel, row, column, keys_width), palette->faint,
                    keys);
    }
}

static void draw_curve(const latency_pen *pen, uint16_t row, uint16_t rows)
{
    if (pen->view->sum == NULL) {
        return;
    }
    const latency_stage stage = pen->view->choice.stage;
    const uint16_t left = MARGIN + LATENCY_LABEL_WIDTH;
    const uint16_t width = cells_left(pen->panel.area.width, left + MARGIN);
    draw_caption(pen, row);
    const uint16_t curve_width = pen->wide ? (uint16_t)(width * 3u / 5u) : width;
    const plot_area curve = {&pen->panel, (uint16_t)(row + 1), left, curve_width,
                             cells_left(rows, 2)};
    latency_plot_curve(&curve, pen->view->sum, stage);
    if (pen->wide) {
        const uint16_t at = (uint16_t)(left + curve_width + 2);
        const plot_area bars = {&pen->panel, (uint16_t)(row + 1), at,
                                cells_left(pen->panel.area.width, at + 1u), cells_left(rows, 2)};
        latency_plot_distribution(&bars, pen->view->sum->bin[stage], pen->panel.palette->text);
        const uint16_t below = (uint16_t)(row + rows - 1);
        panel_label(&pen->panel, panel_span(&pen->panel, below, at, 4), pen->panel.palette->label,
                    "1\xC2\xB5s");
        panel_number(&pen->panel,
                     panel_span(&pen->panel, below, (uint16_t)(at + bars.width - 4), 4),
                     pen->panel.palette->label, "60s");
    }
}

/* Rows from the panel's first; nothing of a part without rows is shown. */
typedef struct part {
    uint16_t row;
    uint16_t rows;
} part;

typedef struct parts {
    part text;
    part curve;
    part line;
} parts;

/* The table first; then what the rest of the rows has room for, the time line before the others. */
static parts fit_parts(uint16_t height)
{
    uint16_t rest = cells_left(height, TABLE_ROWS);
    const bool has_line = rest >= LINE_ROWS;
    rest = cells_left(rest, has_line ? LINE_ROWS : 0);
    const bool has_text = rest >= TEXT_ROWS;
    rest = cells_left(rest, has_text ? TEXT_ROWS : 0);
    const bool has_curve = rest >= CURVE_ROWS;
    rest = cells_left(rest, has_curve ? CURVE_ROWS : 0);
    parts fit = {.text = {TABLE_ROWS, has_text ? TEXT_ROWS : 0}};
    fit.curve.row = (uint16_t)(fit.text.row + fit.text.rows);
    fit.curve.rows = has_curve ? (uint16_t)(CURVE_ROWS + (has_line ? rest / 2 : rest)) : 0;
    fit.line.row = (uint16_t)(fit.curve.row + fit.curve.rows);
    fit.line.rows = has_line ? cells_left(height, fit.line.row) : 0;
    return fit;
}

static plot_area line_area(const panel_pen *pen, part line, uint16_t width)
{
    const plot_area area = {pen, line.row, MARGIN, cells_left(width, 2 * MARGIN), line.rows};
    return area;
}

static void draw_parts(const latency_pen *pen)
{
    const parts fit = fit_parts(pen->panel.area.height);
    if (fit.text.rows > 0) {
        draw_bounds(pen, fit.text.row);
        draw_tally(pen, (uint16_t)(fit.text.row + 2));
    }
    if (fit.curve.rows > 0) {
        draw_curve(pen, fit.curve.row, fit.curve.rows);
    }
    if (fit.line.rows > 0) {
        const plot_area area = line_area(&pen->panel, fit.line, pen->panel.area.width);
        latency_plot_time_line(&area, pen->view);
    }
}

bool latency_panel_stage_at(panel_area area, uint16_t row, latency_stage *stage)
{
    const int at = (int)row - area.row - STAGES_ROW;
    if (at < 0 || at >= LATENCY_STAGE_COUNT || row >= area.row + area.height) {
        return false;
    }
    *stage = (latency_stage)at;
    return true;
}

bool latency_panel_window_at(panel_area area, const latency_view *view, uint16_t row,
                             uint16_t column, size_t *index)
{
    const part line = fit_parts(area.height).line;
    const int at = (int)row - area.row;
    if (at < line.row || at >= line.row + line.rows || column < area.column) {
        return false;
    }
    const plot_area plot = line_area(NULL, line, area.width);
    return latency_plot_window_at(&plot, view, (uint16_t)(column - area.column), index);
}

void latency_panel_draw(tg_grid *grid, const tg_palette *palette, panel_area area, bool focused,
                        const latency_view *view)
{
    char note[TEXT_SIZE];
    write_note(view, note, sizeof note);
    const panel_title title = {"F10", "latency", note,
                               view->current ? palette->faint : palette->warning, focused};
    latency_pen pen = {.panel = panel_begin(grid, palette, area, &title), .view = view};
    pen.focused = focused;
    pen.wide = area.width >= WIDE;
    pen.name_width = pen.wide ? NAME_WIDE : NAME_NARROW;
    pen.plot_column = (uint16_t)(time_column(&pen, TIME_COLUMNS) + 2);
    pen.plot_width = cells_left(area.width, pen.plot_column + 1u);
    draw_header(&pen);
    for (int i = 0; i < LATENCY_STAGE_COUNT; i++) {
        draw_stage(&pen, (latency_stage)i);
    }
    draw_parts(&pen);
}
