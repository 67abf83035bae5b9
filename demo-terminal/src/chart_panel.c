#include "chart_panel.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <tickglass/plot_cell.h>

#include "clock_text.h"
#include "ladder_axis.h"
#include "price_field.h"
#include "quality_look.h"

#define NS_PER_MS INT64_C(1000000)
#define NS_PER_S  INT64_C(1000000000)
/* Title above, times below. */
#define PLOT_ROW       1
#define LINES          2
#define MARGIN         1
#define LABEL_MIN      8
#define LABEL_MAX      24
#define ROWS_PER_LABEL 3
#define PLOT_ROWS_MAX  64
/* Of an instrument whose pace is not known: after this long nobody knows that the price holds. */
#define SILENCE_MIN_NS NS_PER_S

/* A chart that is being drawn. */
typedef struct chart_pen {
    panel_pen panel;
    const instrument_view *shown;
    const chart_columns *columns;
    tg_price_style style;
    uint16_t plot_width; /* cells */
    uint16_t plot_rows;
    uint16_t label_width;
    int64_t low; /* of the axis */
    int64_t high;
    uint8_t line_level[PLOT_ROWS_MAX]; /* of a price line in that row, or TG_PLOT_LEVELS */
    bool suspect;
} chart_pen;

static int64_t add_clamped(int64_t a, int64_t b)
{
    if (b > 0 && a > INT64_MAX - b) {
        return INT64_MAX;
    }
    return b < 0 && a < INT64_MIN - b ? INT64_MIN : a + b;
}

static uint64_t distance(int64_t from, int64_t to)
{
    return (uint64_t)to - (uint64_t)from;
}

static int64_t tick_at(const chart_pen *pen, int64_t price)
{
    int64_t above = 0;
    return ladder_price_above(pen->shown->seen.instrument, price, &above) ? above - price : 1;
}

/* A sixteenth of the range is free above and below, a tick at least. */
static void fit_axis(chart_pen *pen)
{
    const uint64_t range = distance(pen->columns->min, pen->columns->max);
    const int64_t share = (int64_t)(range / 16);
    const int64_t tick = tick_at(pen, pen->columns->min);
    const int64_t pad = share > tick ? share : tick;
    pen->low = add_clamped(pen->columns->min, -pad);
    pen->high = add_clamped(pen->columns->max, pad);
}

/* Levels are counted from the top of the plot down. */
static uint32_t level_of(const chart_pen *pen, int64_t price)
{
    const uint32_t last = (uint32_t)pen->plot_rows * TG_PLOT_LEVELS - 1;
    uint64_t range = distance(pen->low, pen->high);
    uint64_t down = distance(price, pen->high);
    while (range >> 44 != 0) { /* so that the product has room */
        range >>= 1;
        down >>= 1;
    }
    const uint64_t level = range > 0 ? down * last / range : last / 2;
    return level < last ? (uint32_t)level : last;
}

/* Ticks times 1, 2, 5, 10 …, so that not more than count lines fit into the axis; 0: none. */
static int64_t line_step(const chart_pen *pen, uint64_t count)
{
    static const int64_t factors[] = {2, 5, 10};
    const uint64_t range = distance(pen->low, pen->high);
    int64_t decade = tick_at(pen, pen->low);
    int64_t step = decade;
    for (size_t i = 0; count > 0 && range / (uint64_t)step > count; i++) {
        if (decade > INT64_MAX / 10) {
            return 0;
        }
        step = decade * factors[i % 3];
        decade = i % 3 == 2 ? step : decade;
    }
    return step;
}

static void draw_price_label(const chart_pen *pen, uint16_t row, int64_t price, bool is_last)
{
    char text[TG_PRICE_TEXT_SIZE];
    price_field_price(pen->style, price, text);
    const tg_palette *palette = pen->panel.palette;
    const tg_span span = panel_span(&pen->panel, (uint16_t)(PLOT_ROW + row),
                                    (uint16_t)(MARGIN + pen->plot_width + 1), pen->label_width);
    const tg_style style = {pen->suspect ? palette->stale
                            : is_last    ? palette->text
                                         : palette->label,
                            is_last ? palette->selected : palette->background,
                            is_last ? TG_CELL_BOLD : 0u};
    if (span.width > 0) {
        tg_grid_put_number(pen->panel.grid, span, style, text);
    }
}

static void draw_price_axis(chart_pen *pen)
{
    for (uint16_t i = 0; i < pen->plot_rows; i++) {
        pen->line_level[i] = TG_PLOT_LEVELS;
    }
    const int64_t step = line_step(pen, pen->plot_rows / ROWS_PER_LABEL);
    if (step <= 0) {
        return;
    }
    const int64_t over = pen->low % step;
    int64_t price = add_clamped(pen->low, over > 0 ? step - over : -over);
    while (price < pen->high) {
        const uint32_t level = level_of(pen, price);
        const uint16_t row = (uint16_t)(level / TG_PLOT_LEVELS);
        pen->line_level[row] = (uint8_t)(level % TG_PLOT_LEVELS);
        draw_price_label(pen, row, price, false);
        if (price > INT64_MAX - step) {
            break;
        }
        price += step;
    }
    int64_t last = 0;
    if (instrument_view_value(pen->shown, TG_FIELD_LAST_PRICE, &last) && last >= pen->low &&
        last <= pen->high) {
        draw_price_label(pen, (uint16_t)(level_of(pen, last) / TG_PLOT_LEVELS), last, true);
    }
}

/* A column's bar in levels of the whole plot; top below bottom: none. */
typedef struct plot_bar {
    uint32_t top;
    uint32_t bottom;
} plot_bar;

/* The part of it that lies in one row of cells. */
static tg_plot_bar bar_in_row(plot_bar bar, uint16_t row)
{
    const uint32_t first = (uint32_t)row * TG_PLOT_LEVELS;
    if (bar.top > bar.bottom || bar.bottom < first || bar.top >= first + TG_PLOT_LEVELS) {
        return TG_PLOT_BAR_NONE;
    }
    const uint32_t top = bar.top > first ? bar.top - first : 0;
    const uint32_t end = bar.bottom - first;
    const tg_plot_bar part = {(uint8_t)top,
                              (uint8_t)(end < TG_PLOT_LEVELS ? end : TG_PLOT_LEVELS - 1)};
    return part;
}

static void plot(const chart_pen *pen, uint16_t row, uint16_t cell, uint32_t colour,
                 const tg_plot_bar bars[TG_PLOT_COLUMNS])
{
    tg_grid_plot(pen->panel.grid, (uint16_t)(pen->panel.area.row + PLOT_ROW + row),
                 (uint16_t)(pen->panel.area.column + MARGIN + cell),
                 panel_style(&pen->panel, colour), bars);
}

/* Where there is no bar, the price line if one goes through. */
static void draw_empty(const chart_pen *pen, uint16_t row, uint16_t cell)
{
    tg_plot_bar bars[TG_PLOT_COLUMNS];
    const uint8_t level = pen->line_level[row];
    if (level == TG_PLOT_LEVELS) {
        return;
    }
    for (uint16_t i = 0; i < TG_PLOT_COLUMNS; i++) {
        bars[i] = TG_PLOT_BAR_NONE;
    }
    bars[0] = (tg_plot_bar){level, level};
    bars[TG_PLOT_COLUMNS / 2] = bars[0];
    plot(pen, row, cell, pen->panel.palette->faint, bars);
}

static void draw_bars(const chart_pen *pen, uint16_t row, uint16_t cell,
                      const plot_bar whole[TG_PLOT_COLUMNS])
{
    const tg_palette *palette = pen->panel.palette;
    tg_plot_bar bars[TG_PLOT_COLUMNS];
    bool any = false;
    for (uint16_t i = 0; i < TG_PLOT_COLUMNS; i++) {
        bars[i] = bar_in_row(whole[i], row);
        any = any || tg_plot_bar_is_drawn(bars[i]);
    }
    if (any) {
        plot(pen, row, cell, pen->suspect ? palette->stale : palette->text, bars);
    } else {
        draw_empty(pen, row, cell);
    }
}

/* All cells that stand over each other. */
static void draw_cells(const chart_pen *pen, uint16_t cell)
{
    plot_bar bars[TG_PLOT_COLUMNS];
    plot_bar all = {UINT32_MAX, 0};
    for (uint16_t i = 0; i < TG_PLOT_COLUMNS; i++) {
        const chart_column *column = &pen->columns->column[(size_t)cell * TG_PLOT_COLUMNS + i];
        bars[i] = (plot_bar){1, 0};
        if (column->any) {
            bars[i] = (plot_bar){level_of(pen, column->max), level_of(pen, column->min)};
            all.top = bars[i].top < all.top ? bars[i].top : all.top;
            all.bottom = bars[i].bottom > all.bottom ? bars[i].bottom : all.bottom;
        }
    }
    for (uint16_t row = 0; row < pen->plot_rows; row++) {
        if (row >= all.top / TG_PLOT_LEVELS && row <= all.bottom / TG_PLOT_LEVELS) {
            draw_bars(pen, row, cell, bars);
        } else {
            draw_empty(pen, row, cell);
        }
    }
}

/* Where the plot begins and where it ends, with the zone. */
static void draw_time_axis(const chart_pen *pen)
{
    const int64_t now_utc_ns = pen->shown->now_utc_ns;
    const int64_t back_ns = pen->shown->now_mono_ns - pen->columns->begin_mono_ns;
    const uint16_t row = (uint16_t)(PLOT_ROW + pen->plot_rows);
    const int64_t times[] = {now_utc_ns - back_ns, now_utc_ns};
    for (size_t i = 0; i < 2; i++) {
        char clock[CLOCK_TEXT_SIZE];
        char text[CLOCK_TEXT_SIZE + 8];
        clock_text(times[i], false, clock);
        (void)snprintf(text, sizeof text, "%s UTC", clock);
        const tg_style style = {pen->panel.palette->label, pen->panel.palette->background, 0};
        const uint16_t half = (uint16_t)(pen->plot_width / 2);
        const tg_span span = panel_span(&pen->panel, row, (uint16_t)(MARGIN + (i == 0 ? 0 : half)),
                                        i == 0 ? half : (uint16_t)(pen->plot_width - half));
        if (tg_text_columns(text) <= span.width) {
            tg_grid_put_label(pen->panel.grid, span, i == 0 ? TG_ALIGN_LEFT : TG_ALIGN_RIGHT, style,
                              text);
        }
    }
}

static uint16_t label_width(const chart_pen *pen)
{
    char text[TG_PRICE_TEXT_SIZE];
    uint16_t width = LABEL_MIN;
    const int64_t prices[] = {pen->low, pen->high};
    for (size_t i = 0; i < 2; i++) {
        price_field_price(pen->style, prices[i], text);
        const uint16_t needed = tg_text_columns(text);
        width = needed > width ? needed : width;
    }
    return width < LABEL_MAX ? width : LABEL_MAX;
}

static size_t plot_columns(const chart_pen *pen)
{
    const uint16_t taken = (uint16_t)(2 * MARGIN + 1 + pen->label_width);
    const uint16_t cells = cells_left(pen->panel.area.width, taken);
    return (size_t)cells * TG_PLOT_COLUMNS;
}

/* How long a price holds on when nothing is heard. */
static int64_t silence_ns(const instrument_view *shown)
{
    const int64_t cadence_ns = shown->seen.instrument->cadence_ms * NS_PER_MS;
    return cadence_ns > SILENCE_MIN_NS ? cadence_ns : SILENCE_MIN_NS;
}

static void fill_columns(chart_pen *pen, chart_columns *columns, int64_t span_ns)
{
    const instrument_view *shown = pen->shown;
    const chart_window window = {
        .column_count = plot_columns(pen),
        .span_ns = span_ns,
        .now_mono_ns = shown->now_mono_ns,
        .silence_ns = silence_ns(shown),
        .current = !pen->suspect,
    };
    chart_columns_fill(columns, shown->history, shown->history_count, &window);
}

static void draw_plot(chart_pen *pen, chart_columns *columns, int64_t span_ns)
{
    pen->label_width = LABEL_MIN;
    fill_columns(pen, columns, span_ns);
    if (columns->any) {
        /* Prices decide how wide their labels are, and that how much of the time is left. */
        fit_axis(pen);
        pen->label_width = label_width(pen);
        if (pen->label_width != LABEL_MIN) {
            fill_columns(pen, columns, span_ns);
        }
    }
    if (!columns->any) {
        panel_say(&pen->panel, 2, pen->panel.palette->label, "No trade price in this time.");
        return;
    }
    pen->plot_width = (uint16_t)(columns->count / TG_PLOT_COLUMNS);
    draw_price_axis(pen);
    for (uint16_t cell = 0; cell < pen->plot_width; cell++) {
        draw_cells(pen, cell);
    }
    draw_time_axis(pen);
}

static bool has_points(const instrument_view *shown)
{
    return shown->opened && shown->seen.row != NULL && shown->has_history &&
           shown->history_count > 0;
}

static int64_t span_of(const instrument_view *shown)
{
    return has_points(shown) ? chart_span_ns(shown->history[0].begin_mono_ns, shown->now_mono_ns)
                             : 0;
}

static void draw_chart(tg_grid *grid, const tg_palette *palette, panel_area area, bool focused,
                       const instrument_view *shown, chart_columns *columns)
{
    char note[QUALITY_NOTE_SIZE] = "";
    panel_title title = {"F6", "chart", note, palette->faint, focused};
    const tg_row *row = shown->opened ? shown->seen.row : NULL;
    const bool there = has_points(shown);
    const int64_t span_ns = span_of(shown);
    if (row != NULL && quality_is_suspect(row->quality)) {
        quality_note(row->quality, row->age_ns, note);
        title.note_colour = quality_colour(palette, row->quality);
    } else if (there) {
        (void)snprintf(note, sizeof note, "last price, %" PRId64 " min", span_ns / NS_PER_S / 60);
    }
    chart_pen pen = {
        .panel = panel_begin(grid, palette, area, &title),
        .shown = shown,
        .columns = columns,
        .plot_rows = cells_left(area.height, LINES),
        .suspect = instrument_view_is_suspect(shown),
    };
    pen.plot_rows = pen.plot_rows < PLOT_ROWS_MAX ? pen.plot_rows : PLOT_ROWS_MAX;
    if (row == NULL || pen.plot_rows == 0) {
        return;
    }
    if (!there) {
        panel_say(&pen.panel, 2, palette->label,
                  shown->has_history ? "No history yet."
                                     : "No history is kept of this instrument.");
        return;
    }
    pen.style = tg_price_style_of(shown->seen.instrument);
    draw_plot(&pen, columns, span_ns);
}

static void take_points(chart_look *look, const instrument_view *shown,
                        const chart_columns *columns)
{
    const tg_history_point *newest = &shown->history[shown->history_count - 1];
    const int64_t column_ns = columns->column_ns > 0 ? columns->column_ns : 1;
    look->history_count = shown->history_count;
    look->span_ns = span_of(shown);
    look->first_begin_mono_ns = shown->history[0].begin_mono_ns;
    look->last_begin_mono_ns = newest->begin_mono_ns;
    look->end_column = newest->end_mono_ns / column_ns;
    look->now_column = shown->now_mono_ns / column_ns;
    look->value[0] = newest->first;
    look->value[1] = newest->last;
    look->value[2] = newest->min;
    look->value[3] = newest->max;
    look->present = newest->present & TG_FIELD_BIT(TG_FIELD_LAST_PRICE);
    look->silent = shown->now_mono_ns - newest->end_mono_ns > silence_ns(shown);
    look->now_s = shown->now_utc_ns / NS_PER_S;
    look->begin_s = (shown->now_utc_ns - (shown->now_mono_ns - columns->begin_mono_ns)) / NS_PER_S;
}

/* columns: as they were filled last. While the look is the same, so are their edges. */
static chart_look look_of(const tg_palette *palette, panel_area area, bool focused,
                          const instrument_view *shown, const chart_columns *columns)
{
    chart_look look;
    memset(&look, 0, sizeof look); /* compared as bytes */
    look.palette = palette;
    look.area = area;
    look.focused = focused;
    look.there = shown->opened && shown->seen.row != NULL && shown->seen.instrument != NULL;
    if (!look.there) {
        return look;
    }
    const int64_t age_ns = shown->seen.row->age_ns;
    memcpy(&look.instrument, shown->seen.instrument, sizeof look.instrument);
    look.quality = shown->seen.row->quality;
    look.age_s = age_ns < 0 ? -1 : age_ns / NS_PER_S;
    look.has_history = shown->has_history;
    look.has_last_price = instrument_view_value(shown, TG_FIELD_LAST_PRICE, &look.last_price);
    if (has_points(shown)) {
        take_points(&look, shown, columns);
    }
    return look;
}

void chart_panel_draw(tg_grid *grid, const tg_palette *palette, panel_area area, bool focused,
                      const instrument_view *shown, chart_memory *memory)
{
    const chart_look look = look_of(palette, area, focused, shown, &memory->columns);
    if (memory->known && memcmp(&look, &memory->look, sizeof look) == 0) {
        return;
    }
    draw_chart(grid, palette, area, focused, shown, &memory->columns);
    memory->look = look_of(palette, area, focused, shown, &memory->columns);
    memory->known = true;
}
