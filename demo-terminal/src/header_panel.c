#include "header_panel.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <tickglass/time_text.h>

static const char clears[] = "Esc clears";
static const char hints[] =
    "type to filter   \xE2\x86\x91\xE2\x86\x93 move   Enter open   Tab focus   F1 help";
static const char bullet[] = "\xE2\x97\x8F ";

/* Writes on from where the last text ended. */
typedef struct line_pen {
    tg_grid *grid;
    const tg_palette *palette;
    uint16_t row;
    uint16_t at;
    bool full; /* something had no room: nothing follows it */
} line_pen;

static void write_in(line_pen *pen, uint32_t colour, uint32_t marks, const char *text)
{
    const tg_style style = {colour, pen->palette->bar, marks};
    pen->at = (uint16_t)(pen->at + tg_grid_put(pen->grid, pen->row, pen->at, style, text));
}

static void skip(line_pen *pen, uint16_t cells)
{
    pen->at = (uint16_t)(pen->at + cells);
}

static line_pen begin_line(tg_grid *grid, const tg_palette *palette, uint16_t row)
{
    const tg_style style = {palette->text, palette->bar, 0};
    tg_grid_fill(grid, (tg_span){row, 0, tg_grid_columns(grid)}, style);
    const line_pen pen = {grid, palette, row, 1, false};
    return pen;
}

/* A label with its number is shown whole or not at all: a cut number is another number. */
static bool has_room(line_pen *pen, uint32_t cells)
{
    if (pen->at + cells > tg_grid_columns(pen->grid)) {
        pen->full = true;
    }
    return !pen->full;
}

/* "gaps 0": the value keeps width cells, so that what follows stands still. */
static void write_count(line_pen *pen, const char *label, uint64_t value, uint16_t width, bool bad)
{
    char text[24];
    (void)snprintf(text, sizeof text, "%" PRIu64, value);
    if (!has_room(pen, tg_text_columns(label) + 1u + tg_text_columns(text))) {
        return;
    }
    write_in(pen, pen->palette->label, 0, label);
    skip(pen, 1);
    const uint16_t start = pen->at;
    write_in(pen, bad ? pen->palette->bad : pen->palette->text, bad ? TG_CELL_BOLD : 0u, text);
    if (pen->at < start + width) {
        pen->at = (uint16_t)(start + width);
    }
    skip(pen, 2);
}

state_look header_state_look(const tg_palette *palette, const header_view *view)
{
    state_look look = {palette->warning, ""};
    const char *name = tg_session_state_name(view->state);
    switch (view->state) {
    case TG_SESSION_LIVE:
        if (view->suspect_count > 0) {
            (void)snprintf(look.text, sizeof look.text, "%s, %zu NOT CURRENT", name,
                           view->suspect_count);
            return look;
        }
        look.colour = palette->good;
        break;
    case TG_SESSION_WAITING:
        look.colour = palette->bad;
        (void)snprintf(look.text, sizeof look.text,
                       "DISCONNECTED, next attempt in %" PRId64 ".%" PRId64 " s",
                       view->wait_ms / 1000, view->wait_ms / 100 % 10);
        return look;
    case TG_SESSION_IDLE:
        look.colour = palette->bad;
        break;
    case TG_SESSION_CONNECTING:
    case TG_SESSION_JOINING:
    case TG_SESSION_RESYNCING:
        break;
    }
    (void)snprintf(look.text, sizeof look.text, "%s", name);
    return look;
}

static void draw_identity(tg_grid *grid, const tg_palette *palette, const header_view *view)
{
    line_pen pen = begin_line(grid, palette, 0);
    write_in(&pen, palette->text, TG_CELL_BOLD, "tickglass");
    skip(&pen, 1);
    write_in(&pen, palette->faint, 0, view->version);
    skip(&pen, 3);
    const state_look look = header_state_look(palette, view);
    write_in(&pen, look.colour, 0, bullet);
    write_in(&pen, look.colour, TG_CELL_BOLD, look.text);
    skip(&pen, 3);
    write_in(&pen, palette->label, 0, view->endpoint);
    char utc[TG_TIME_TEXT_SIZE];
    if (tg_utc_text(view->utc_ns, utc, sizeof utc) == TG_OK) {
        const uint16_t columns = tg_grid_columns(grid);
        const uint16_t width = (uint16_t)(tg_text_columns(utc) + 1);
        if (pen.at + width < columns) {
            pen.at = (uint16_t)(columns - width);
            write_in(&pen, palette->text, 0, utc);
        }
    }
}

static void draw_counters(tg_grid *grid, const tg_palette *palette, const header_view *view)
{
    line_pen pen = begin_line(grid, palette, 1);
    write_count(&pen, "gaps", view->client.gaps, 3, view->client.gaps > 0);
    write_count(&pen, "resyncs", view->client.resyncs, 3, false);
    write_count(&pen, "reconnects", view->client.reconnects, 3, false);
    write_count(&pen, "drawn regressions", view->drawn_regressions, 2, view->drawn_regressions > 0);
    if (view->has_tape) {
        write_count(&pen, "drawn unknown", view->drawn_unknown, 2, view->drawn_unknown > 0);
    }
    write_count(&pen, "rejected regressions",
                view->store.rejected_regression + view->store.rejected_epoch, 6, false);
    write_count(&pen, "frames/s", view->frames_per_s, 3, false);
    write_count(&pen, "draws/s", view->passes_per_s, 3, false);
    write_count(&pen, "integrity faults", view->store.integrity_faults, 1,
                view->store.integrity_faults > 0);
}

/* Cells of "p50   0.41 ms": durations keep their place up to 9999.99 ms. */
#define DURATION_WIDTH 10u
#define DURATION_CELLS (3u + DURATION_WIDTH)

static void write_duration(line_pen *pen, const char *label, int64_t ns)
{
    char text[TG_TIME_TEXT_SIZE];
    if (tg_duration_text(ns, text, sizeof text) != TG_OK) {
        return;
    }
    write_in(pen, pen->palette->label, 0, label);
    const uint16_t width = tg_text_columns(text);
    skip(pen, width < DURATION_WIDTH ? (uint16_t)(DURATION_WIDTH - width) : 1);
    write_in(pen, pen->palette->text, 0, text);
    skip(pen, 2);
}

/* All three or none. */
static void write_times(line_pen *pen, const char *title, const recent_times *times)
{
    if (!has_room(pen, tg_text_columns(title) + 6u + 3 * DURATION_CELLS)) {
        return;
    }
    write_in(pen, pen->palette->label, 0, title);
    skip(pen, 2);
    if (times->count == 0) {
        write_in(pen, pen->palette->faint, 0, "no ticks");
        skip(pen, 3 * DURATION_CELLS + 6u - 8u);
        return;
    }
    write_duration(pen, "p50", times->p50_ns);
    write_duration(pen, "p99", times->p99_ns);
    write_duration(pen, "max", times->max_ns);
}

static void draw_times(tg_grid *grid, const tg_palette *palette, const header_view *view)
{
    line_pen pen = begin_line(grid, palette, 2);
    write_in(&pen, palette->label, 0, "last 10 s:");
    skip(&pen, 2);
    write_times(&pen, "received \xE2\x86\x92 handed off", &view->received_to_handed);
    skip(&pen, 2);
    write_times(&pen, "exchange \xE2\x86\x92 handed off", &view->exchange_to_handed);
}

void header_draw(tg_grid *grid, const tg_palette *palette, const header_view *view)
{
    draw_identity(grid, palette, view);
    draw_counters(grid, palette, view);
    draw_times(grid, palette, view);
}

/* What there is to say needs the room more than the keys do, and what went wrong all of it. */
static uint32_t notice_width(const footer_view *view)
{
    if (view->notice[0] == '\0') {
        return 0;
    }
    return view->notice_is_bad ? UINT16_MAX : tg_text_columns(view->notice) + 1u;
}

/* What is being typed, with the place where it goes on. */
static void write_line(line_pen *pen, const footer_view *view, uint16_t columns)
{
    write_in(pen, pen->palette->label, 0, view->line_label);
    skip(pen, 1);
    write_in(pen, pen->palette->text, TG_CELL_BOLD, view->line);
    write_in(pen, pen->palette->up, TG_CELL_BOLD, "\xE2\x96\x8F");
    skip(pen, 2);
    if (pen->at + tg_text_columns(clears) + 4u + notice_width(view) <= columns) {
        write_in(pen, pen->palette->faint, 0, clears);
    }
}

/* The file's name only where it takes the room of nothing else. */
static void write_recording(line_pen *pen, const footer_view *view, uint16_t columns)
{
    const char *slash = strrchr(view->recording, '/');
    const char *name = slash != NULL ? slash + 1 : view->recording;
    write_in(pen, pen->palette->bad, 0, bullet);
    write_in(pen, pen->palette->bad, TG_CELL_BOLD, "REC");
    if (view->line_label == NULL &&
        pen->at + tg_text_columns(name) + 4u + notice_width(view) <= columns) {
        skip(pen, 1);
        write_in(pen, pen->palette->text, 0, name);
    }
    skip(pen, 3);
}

void footer_draw(tg_grid *grid, const tg_palette *palette, const footer_view *view)
{
    line_pen pen = begin_line(grid, palette, (uint16_t)(tg_grid_rows(grid) - 1));
    char text[96];
    if (view->total > view->row_count) {
        (void)snprintf(text, sizeof text, "%zu of %zu instruments", view->row_count, view->total);
    } else if (view->row_count == 0) {
        (void)snprintf(text, sizeof text, "no instruments yet");
    } else if (view->shown_count == 0) {
        (void)snprintf(text, sizeof text, "%zu instruments", view->row_count);
    } else {
        (void)snprintf(text, sizeof text, "%zu\xE2\x80\x93%zu of %zu", view->first_row + 1,
                       view->first_row + view->shown_count, view->row_count);
    }
    write_in(&pen, palette->text, 0, text);
    skip(&pen, 3);
    if (view->recording != NULL) {
        write_recording(&pen, view, tg_grid_columns(grid));
    }
    if (view->line_label != NULL) {
        write_line(&pen, view, tg_grid_columns(grid));
    } else if (pen.at + tg_text_columns(hints) + 3u + notice_width(view) <= tg_grid_columns(grid)) {
        write_in(&pen, palette->faint, 0, hints);
    }
    skip(&pen, 3);
    const uint16_t columns = tg_grid_columns(grid);
    if (view->notice[0] != '\0' && pen.at + 2 < columns) {
        const tg_style style = {view->notice_is_bad ? palette->bad : palette->label, palette->bar,
                                0};
        const tg_span span = {pen.row, pen.at, (uint16_t)(columns - pen.at - 1)};
        tg_grid_put_label(grid, span, TG_ALIGN_RIGHT, style, view->notice);
    }
}
