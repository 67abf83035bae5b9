#include "connection_panel.h"

#include <inttypes.h>
#include <stdio.h>

#include <tickglass/time_text.h>

#define MARGIN      2
#define LABEL_WIDTH 12

/* A panel that is being drawn: two columns of labels with values. */
typedef struct connection_pen {
    panel_pen panel;
    uint16_t column_width;
} connection_pen;

static void put(const connection_pen *pen, uint16_t row, unsigned column, const char *label,
                uint32_t colour, const char *text)
{
    const uint16_t at = (uint16_t)(MARGIN + column * pen->column_width);
    const uint16_t width = cells_left(pen->column_width, LABEL_WIDTH + 2);
    panel_label(&pen->panel, panel_span(&pen->panel, row, at, LABEL_WIDTH),
                pen->panel.palette->label, label);
    const tg_span span = panel_span(&pen->panel, row, (uint16_t)(at + LABEL_WIDTH + 1), width);
    /* Numbers are in it: whole or not at all. */
    if (tg_text_columns(text) <= span.width) {
        panel_label(&pen->panel, span, colour, text);
    } else {
        panel_number(&pen->panel, span, colour, text);
    }
}

static void put_count(const connection_pen *pen, uint16_t row, unsigned column, const char *label,
                      uint64_t count, bool bad)
{
    char text[24];
    (void)snprintf(text, sizeof text, "%" PRIu64, count);
    const tg_palette *palette = pen->panel.palette;
    put(pen, row, column, label, bad && count > 0 ? palette->bad : palette->text, text);
}

/* Over the whole width; what has no room is left out. */
static void put_line(const connection_pen *pen, uint16_t row, const char *label, const char *text)
{
    const uint16_t at = MARGIN + LABEL_WIDTH + 1;
    const tg_span span = panel_span(&pen->panel, row, at, pen->panel.area.width);
    panel_label(&pen->panel, panel_span(&pen->panel, row, MARGIN, LABEL_WIDTH),
                pen->panel.palette->label, label);
    panel_label(&pen->panel, span, pen->panel.palette->text, text);
}

/* Labelled as the bound that it is: the network's share of the way here is not measured. */
static void put_distance(const connection_pen *pen, uint16_t row, const header_view *view,
                         int64_t now_mono_ns)
{
    char text[128] = "not measured yet";
    char half[TG_TIME_TEXT_SIZE];
    char age[TG_TIME_TEXT_SIZE];
    if (view->client.rtt_ns >= 0 &&
        tg_duration_text((view->client.rtt_ns + 1) / 2, half, sizeof half) == TG_OK &&
        tg_age_text(now_mono_ns - view->client.rtt_mono_ns, age, sizeof age) == TG_OK) {
        (void)snprintf(text, sizeof text, "%s, an upper bound, measured %s ago", half, age);
    }
    put_line(pen, row, "RTT/2", text);
}

static void put_attempt(const connection_pen *pen, uint16_t row, const header_view *view)
{
    char text[64] = "\xE2\x80\x93";
    if (view->state == TG_SESSION_WAITING) {
        (void)snprintf(text, sizeof text, "in %" PRId64 ".%" PRId64 " s", view->wait_ms / 1000,
                       view->wait_ms / 100 % 10);
    }
    put(pen, row, 1, "next attempt", pen->panel.palette->text, text);
}

/* lane ticks = received + conflated + lost + superseded */
static void put_ledger(const connection_pen *pen, uint16_t row, const tg_store_counters *store)
{
    put_count(pen, row, 0, "lane ticks", store->lane_ticks, false);
    put_count(pen, row, 1, "= received", store->received, false);
    put_count(pen, (uint16_t)(row + 1), 0, "+ conflated", store->conflated, false);
    put_count(pen, (uint16_t)(row + 1), 1, "+ lost", store->lost, true);
    put_count(pen, (uint16_t)(row + 2), 0, "+ superseded", store->superseded, false);
}

/* As many sessions as attempts: none failed. */
static void put_sessions(const connection_pen *pen, uint16_t row, const header_view *view)
{
    char text[64];
    (void)snprintf(text, sizeof text, "%" PRIu64 " of %" PRIu64 " attempts", view->client.connects,
                   view->client.attempts);
    put(pen, row, 0, "sessions", pen->panel.palette->text, text);
}

void connection_panel_draw(tg_grid *grid, const tg_palette *palette, panel_area area, bool focused,
                           const header_view *view, int64_t now_mono_ns)
{
    const state_look look = header_state_look(palette, view);
    const panel_title title = {"F7", "connection", look.text, look.colour, focused};
    connection_pen pen = {panel_begin(grid, palette, area, &title), 0};
    pen.column_width = (uint16_t)(cells_left(area.width, MARGIN) / 2u);
    put_line(&pen, 1, "endpoint", view->endpoint);
    put_distance(&pen, 2, view, now_mono_ns);
    put_sessions(&pen, 3, view);
    put_attempt(&pen, 3, view);
    put_count(&pen, 4, 0, "gaps", view->client.gaps, true);
    put_count(&pen, 4, 1, "resyncs", view->client.resyncs, false);
    put_count(&pen, 5, 0, "rejected old",
              view->store.rejected_regression + view->store.rejected_epoch, false);
    put_count(&pen, 5, 1, "late frames", view->client.frames_late, true);
    put_ledger(&pen, 6, &view->store);
}
