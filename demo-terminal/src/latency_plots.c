#include "latency_plots.h"

#include <string.h>

#include "clock_text.h"
#include "time_axis.h"

#define COLUMNS_MAX ((size_t)PLOT_AREA_WIDTH_MAX * TG_PLOT_COLUMNS)
#define NS_PER_MIN  INT64_C(60000000000)
/* The curve ends at 99.999 %. */
#define CURVE_NINES 5
/* Of a window's ten seconds, that its owner waited for a processor: a hundredth. */
#define QUEUE_SHARE_NS (STAGE_WINDOW_NS / 100)

typedef struct plot_columns {
    size_t count;
    plot_range range[COLUMNS_MAX];
} plot_columns;

static void clear(plot_columns *columns, const plot_area *area)
{
    columns->count = plot_area_columns(area);
    for (size_t i = 0; i < columns->count; i++) {
        columns->range[i] = PLOT_RANGE_NONE;
    }
}

/* Makes a column's bar reach from top to bottom as well. */
static void widen(plot_range *range, uint32_t top, uint32_t bottom)
{
    if (range->top > range->bottom) {
        *range = (plot_range){top, bottom};
        return;
    }
    range->top = top < range->top ? top : range->top;
    range->bottom = bottom > range->bottom ? bottom : range->bottom;
}

/* From the top down, as levels are counted. */
static uint32_t level_of(const plot_area *area, int64_t low_ns, int64_t high_ns, int64_t ns)
{
    const time_axis axis = {low_ns, high_ns, plot_area_levels(area)};
    return axis.step_count - 1 - time_axis_step(&axis, ns);
}

static uint64_t highest(const uint64_t bin[LATENCY_BINS])
{
    uint64_t most = 0;
    for (size_t i = 0; i < LATENCY_BINS; i++) {
        most = bin[i] > most ? bin[i] : most;
    }
    return most;
}

void latency_plot_distribution(const plot_area *area, const uint64_t bin[LATENCY_BINS],
                               uint32_t colour)
{
    const uint64_t most = highest(bin);
    if (most == 0 || area->width == 0 || area->width > PLOT_AREA_WIDTH_MAX || area->rows == 0) {
        return;
    }
    plot_columns columns;
    clear(&columns, area);
    const uint32_t levels = plot_area_levels(area);
    const time_axis axis = {LATENCY_PLOT_LOW_NS, LATENCY_PLOT_HIGH_NS, (uint32_t)columns.count};
    for (size_t i = 0; i < LATENCY_BINS; i++) {
        if (bin[i] == 0) {
            continue;
        }
        const uint32_t first = time_axis_step(&axis, latency_bin_lowest_ns(i));
        const uint32_t behind = time_axis_step(&axis, latency_bin_lowest_ns(i + 1));
        /* What came at all is seen. */
        const uint32_t height = (uint32_t)((double)bin[i] / (double)most * (levels - 1)) + 1;
        for (uint32_t at = first; at == first || at < behind; at++) {
            widen(&columns.range[at], levels - height, levels - 1);
        }
    }
    plot_area_draw_all(area, columns.range, colour);
}

/* Decades on the left of a plot, with a line each. */
static void draw_decades(const plot_area *area, int64_t low_ns, int64_t high_ns)
{
    const panel_pen *pen = area->pen;
    uint32_t last_row = UINT32_MAX;
    for (int64_t ns = low_ns; ns <= high_ns; ns *= 10) {
        char text[TIME_AXIS_TEXT_SIZE];
        time_axis_decade_text(ns, text);
        const uint32_t level = level_of(area, low_ns, high_ns, ns);
        const uint32_t row = level / TG_PLOT_LEVELS;
        plot_area_line(area, level, pen->palette->faint);
        if (row == last_row) {
            continue; /* its text would stand where another one does */
        }
        last_row = row;
        const tg_span span =
            panel_span(pen, (uint16_t)(area->row + row),
                       (uint16_t)(area->column - LATENCY_LABEL_WIDTH), LATENCY_LABEL_WIDTH - 1);
        if (span.width > 0) {
            tg_grid_put_label(pen->grid, span, TG_ALIGN_RIGHT,
                              panel_style(pen, pen->palette->label), text);
        }
    }
}

/* How far to the right the part of count that is left beyond stands: 0 at all of it. */
static uint32_t nines_column(const plot_columns *columns, uint64_t count, uint64_t left)
{
    const int32_t whole =
        CURVE_NINES * (time_axis_position(10000000000) - time_axis_position(1000000000));
    const int32_t at = time_axis_position((int64_t)count) - time_axis_position((int64_t)left);
    const uint64_t column = (uint64_t)(at > 0 ? at : 0) * columns->count / (uint64_t)whole;
    return column < columns->count ? (uint32_t)column : (uint32_t)columns->count - 1;
}

static void draw_percents(const plot_area *area, const plot_columns *columns)
{
    static const struct {
        const char *text;
        uint64_t of;
    } marks[] = {{"0", 1}, {"90", 10}, {"99", 100}, {"99.9", 1000}, {"99.99 %", 10000}};
    const panel_pen *pen = area->pen;
    uint16_t free_from = 0;
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        const uint16_t at = (uint16_t)(nines_column(columns, marks[i].of, 1) / TG_PLOT_COLUMNS);
        const uint16_t width = tg_text_columns(marks[i].text);
        if (at >= free_from && at + width <= area->width) {
            panel_label(pen,
                        panel_span(pen, (uint16_t)(area->row + area->rows),
                                   (uint16_t)(area->column + at), width),
                        pen->palette->label, marks[i].text);
            free_from = (uint16_t)(at + width + 1);
        }
    }
}

void latency_plot_curve(const plot_area *area, const span_sum *sum, latency_stage stage)
{
    const stage_figures *figures = &sum->of[stage];
    if (figures->count == 0 || area->width == 0 || area->width > PLOT_AREA_WIDTH_MAX ||
        area->rows == 0) {
        return;
    }
    plot_columns columns;
    clear(&columns, area);
    const int64_t low_ns = time_axis_decade_below(figures->p50_ns / 10);
    const int64_t high_ns = time_axis_decade_above(figures->max_ns);
    draw_decades(area, low_ns, high_ns > low_ns ? high_ns : low_ns * 10);
    draw_percents(area, &columns);
    uint64_t left = figures->count;
    uint32_t from = 0;
    uint32_t level_before = plot_area_levels(area) - 1;
    for (size_t i = 0; i < LATENCY_BINS && left > 0; i++) {
        if (sum->bin[stage][i] == 0) {
            continue;
        }
        left -= sum->bin[stage][i] < left ? sum->bin[stage][i] : left;
        int64_t ns = latency_bin_lowest_ns(i + 1);
        ns = ns < figures->max_ns ? ns : figures->max_ns;
        const uint32_t level = level_of(area, low_ns, high_ns > low_ns ? high_ns : low_ns * 10, ns);
        const uint32_t to = nines_column(&columns, figures->count, left > 0 ? left : 1);
        widen(&columns.range[from], level, level_before);
        for (uint32_t at = from; at <= to; at++) {
            widen(&columns.range[at], level,
                  level + 2 < plot_area_levels(area) ? level + 2 : level);
        }
        from = to;
        level_before = level;
    }
    plot_area_draw_all(area, columns.range, area->pen->palette->text);
}

/* The time line's way from times to columns. */
typedef struct time_line {
    const latency_view *view;
    plot_area plot;
    int64_t from_mono_ns;
    int64_t to_mono_ns;
    int64_t to_utc_ns;
    int64_t low_ns;
    int64_t high_ns;
} time_line;

/* Five minutes, a quarter, half an hour, an hour: the least that all of it fits in. */
static int64_t line_length_ns(int64_t kept_ns)
{
    static const int64_t minutes[] = {5, 15, 30};
    for (size_t i = 0; i < sizeof minutes / sizeof minutes[0]; i++) {
        if (kept_ns <= minutes[i] * NS_PER_MIN) {
            return minutes[i] * NS_PER_MIN;
        }
    }
    /* A window that was late makes it a little longer. */
    return kept_ns > 60 * NS_PER_MIN ? kept_ns : 60 * NS_PER_MIN;
}

static void fit_line(time_line *line)
{
    const stage_windows *windows = line->view->windows;
    const latency_stage stage = line->view->choice.stage;
    const size_t count = stage_windows_count(windows);
    const stage_window *newest = stage_windows_at(windows, count - 1);
    line->to_mono_ns = newest->to_mono_ns;
    line->to_utc_ns = newest->to_utc_ns;
    line->from_mono_ns =
        line->to_mono_ns -
        line_length_ns(line->to_mono_ns - stage_windows_at(windows, 0)->from_mono_ns);
    int64_t least = INT64_MAX;
    int64_t most = 0;
    for (size_t i = 0; i < count; i++) {
        const window_figures *of = &stage_windows_at(windows, i)->of[stage];
        if (of->count > 0) {
            least = of->p99_ns < least ? of->p99_ns : least;
            most = of->p99_ns > most ? of->p99_ns : most;
        }
    }
    line->low_ns = time_axis_decade_below(least == INT64_MAX ? 0 : least - 1);
    line->high_ns = time_axis_decade_above(most);
    if (line->high_ns <= line->low_ns) {
        line->high_ns = line->low_ns * 10;
    }
}

static uint32_t column_of(const time_line *line, int64_t mono_ns)
{
    const uint32_t columns = plot_area_columns(&line->plot);
    if (mono_ns <= line->from_mono_ns) {
        return 0;
    }
    const double part =
        (double)(mono_ns - line->from_mono_ns) / (double)(line->to_mono_ns - line->from_mono_ns);
    const uint32_t column = (uint32_t)(part * columns);
    return column < columns ? column : columns - 1;
}

/* The columns of a window: at least one, and none of the next one's. */
typedef struct column_range {
    uint32_t first;
    uint32_t last;
} column_range;

static column_range columns_of(const time_line *line, const stage_window *window)
{
    const uint32_t first = column_of(line, window->from_mono_ns);
    const uint32_t behind = column_of(line, window->to_mono_ns);
    const bool is_last = window->to_mono_ns == line->to_mono_ns;
    column_range columns = {first, is_last || behind == first ? behind : behind - 1};
    return columns;
}

static void draw_windows(const time_line *line)
{
    plot_columns columns;
    plot_columns chosen;
    plot_area mark = line->plot;
    mark.row = (uint16_t)(line->plot.row - 1);
    mark.rows = 1;
    clear(&columns, &line->plot);
    clear(&chosen, &mark);
    const latency_view *view = line->view;
    const tg_palette *palette = line->plot.pen->palette;
    const uint32_t bottom = plot_area_levels(&line->plot) - 1;
    for (size_t i = 0; i < stage_windows_count(view->windows); i++) {
        const stage_window *window = stage_windows_at(view->windows, i);
        const window_figures *of = &window->of[view->choice.stage];
        const column_range range = columns_of(line, window);
        const bool is_chosen =
            i >= view->choice.first && i - view->choice.first < view->choice.count;
        for (uint32_t at = range.first; at <= range.last; at++) {
            if (of->count > 0) {
                widen(&columns.range[at],
                      level_of(&line->plot, line->low_ns, line->high_ns, of->p99_ns), bottom);
            }
            if (is_chosen) {
                chosen.range[at] = (plot_range){TG_PLOT_LEVELS / 2, TG_PLOT_LEVELS * 3 / 4};
            }
        }
    }
    plot_area_draw_all(&mark, chosen.range, palette->up);
    for (uint16_t cell = 0; cell < line->plot.width; cell++) {
        bool any = false;
        for (size_t i = 0; i < TG_PLOT_COLUMNS; i++) {
            const plot_range *range = &chosen.range[(size_t)cell * TG_PLOT_COLUMNS + i];
            any = any || range->top <= range->bottom;
        }
        plot_area_draw(&line->plot, cell, &columns.range[(size_t)cell * TG_PLOT_COLUMNS],
                       any ? palette->up : palette->label);
    }
}

/* In which of the three rows a stall stands. */
static int row_of(stall_kind kind)
{
    switch (kind) {
    case STALL_SLOW_PASS:
    case STALL_LATE_WAKE:
        return 0;
    case STALL_RUN_WAIT:
        return 1;
    case STALL_MAJOR_FAULTS:
    case STALL_MINOR_FAULTS_BURST:
        return 2;
    }
    return 0;
}

/* Half as high over the windows that had any: in a bad hour the list of single ones is short. */
static void mark_windows(const time_line *line, plot_columns marks[3])
{
    for (size_t i = 0; i < stage_windows_count(line->view->windows); i++) {
        const stage_window *window = stage_windows_at(line->view->windows, i);
        const stall_tally *stalls = &window->stalls;
        const column_range range = columns_of(line, window);
        const bool any[3] = {stalls->slow_passes + stalls->late_wakes > 0,
                             stalls->run_wait_ns >= QUEUE_SHARE_NS, stalls->major_faults > 0};
        for (int k = 0; k < 3; k++) {
            for (uint32_t at = range.first; any[k] && at <= range.last; at++) {
                widen(&marks[k].range[at], TG_PLOT_LEVELS / 2, TG_PLOT_LEVELS * 7 / 8);
            }
        }
    }
}

static void draw_stalls(const time_line *line, uint16_t row)
{
    plot_columns marks[3];
    static const char *const labels[] = {"slow", "queue", "faults"};
    const panel_pen *pen = line->plot.pen;
    plot_area area = line->plot;
    area.rows = 1;
    for (int i = 0; i < 3; i++) {
        clear(&marks[i], &area);
    }
    mark_windows(line, marks);
    const process_stalls *stalls = line->view->stalls;
    for (size_t i = 0; i < process_stalls_count(stalls); i++) {
        const stall *at = process_stalls_at(stalls, i);
        if (at->mono_ns >= line->from_mono_ns && at->mono_ns <= line->to_mono_ns) {
            const bool small = at->kind == STALL_MINOR_FAULTS_BURST;
            widen(&marks[row_of(at->kind)].range[column_of(line, at->mono_ns)],
                  small ? TG_PLOT_LEVELS * 3 / 4 : TG_PLOT_LEVELS / 8, TG_PLOT_LEVELS * 7 / 8);
        }
    }
    for (uint16_t i = 0; i < 3; i++) {
        area.row = (uint16_t)(row + i);
        const tg_span label = panel_span(
            pen, area.row, (uint16_t)(area.column - LATENCY_LABEL_WIDTH), LATENCY_LABEL_WIDTH - 1);
        if (label.width > 0) {
            tg_grid_put_label(pen->grid, label, TG_ALIGN_RIGHT,
                              panel_style(pen, pen->palette->label), labels[i]);
        }
        plot_area_draw_all(&area, marks[i].range,
                           i == 2 ? pen->palette->warning : pen->palette->bad);
    }
}

static void draw_times(const time_line *line, uint16_t row)
{
    static const char what[] = "p99 of each 10 s";
    const panel_pen *pen = line->plot.pen;
    const int64_t length_ns = line->to_mono_ns - line->from_mono_ns;
    const int64_t utc_ns[] = {line->to_utc_ns - length_ns, line->to_utc_ns};
    const uint16_t half = (uint16_t)(line->plot.width / 2);
    for (uint16_t i = 0; i < 2; i++) {
        char text[CLOCK_TEXT_SIZE + 8];
        clock_text(utc_ns[i], false, text);
        (void)strcat(text, " UTC");
        const tg_span span =
            panel_span(pen, row, (uint16_t)(line->plot.column + (i == 0 ? 0 : half)),
                       i == 0 ? half : (uint16_t)(line->plot.width - half));
        if (tg_text_columns(text) <= span.width) {
            tg_grid_put_label(pen->grid, span, i == 0 ? TG_ALIGN_LEFT : TG_ALIGN_RIGHT,
                              panel_style(pen, pen->palette->label), text);
        }
    }
    if (line->plot.width >= sizeof what + 2 * 14) {
        const uint16_t at = (uint16_t)((line->plot.width - (sizeof what - 1)) / 2);
        panel_label(pen, panel_span(pen, row, (uint16_t)(line->plot.column + at), sizeof what - 1),
                    pen->palette->faint, what);
    }
}

/* False: there is no room, or nothing to show. */
static bool begin_line(time_line *line, const plot_area *area, const latency_view *view)
{
    if (area->width <= LATENCY_LABEL_WIDTH || area->rows <= LATENCY_LINE_EXTRA_ROWS ||
        area->width > PLOT_AREA_WIDTH_MAX || stage_windows_count(view->windows) == 0) {
        return false;
    }
    *line = (time_line){.view = view, .plot = *area};
    line->plot.row = (uint16_t)(area->row + 1);
    line->plot.column = (uint16_t)(area->column + LATENCY_LABEL_WIDTH);
    line->plot.width = (uint16_t)(area->width - LATENCY_LABEL_WIDTH);
    line->plot.rows = (uint16_t)(area->rows - LATENCY_LINE_EXTRA_ROWS);
    fit_line(line);
    return true;
}

bool latency_plot_window_at(const plot_area *area, const latency_view *view, uint16_t column,
                            size_t *index)
{
    time_line line;
    if (!begin_line(&line, area, view) || column < line.plot.column ||
        column - line.plot.column >= line.plot.width) {
        return false;
    }
    const uint32_t first = (uint32_t)(column - line.plot.column) * TG_PLOT_COLUMNS;
    /* From the newest back: where several share a cell, it is the last of them. */
    for (size_t i = stage_windows_count(view->windows); i > 0; i--) {
        const column_range range = columns_of(&line, stage_windows_at(view->windows, i - 1));
        if (range.first < first + TG_PLOT_COLUMNS && range.last >= first) {
            *index = i - 1;
            return true;
        }
    }
    return false;
}

void latency_plot_time_line(const plot_area *area, const latency_view *view)
{
    time_line line;
    if (!begin_line(&line, area, view)) {
        return;
    }
    const panel_pen *pen = area->pen;
    panel_label(pen, panel_span(pen, area->row, area->column, LATENCY_LABEL_WIDTH - 1),
                pen->palette->label, "chosen");
    draw_decades(&line.plot, line.low_ns, line.high_ns);
    draw_windows(&line);
    const uint16_t below = (uint16_t)(line.plot.row + line.plot.rows);
    draw_stalls(&line, below);
    draw_times(&line, (uint16_t)(below + 3));
}
