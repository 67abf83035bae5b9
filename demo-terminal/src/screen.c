#include "screen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/cell_grid.h>
#include <tickglass/clock.h>
#include <tickglass/version.h>

#include "columns.h"
#include "desk.h"
#include "drawn_text.h"
#include "header_panel.h"
#include "help_panel.h"
#include "instrument_view.h"
#include "panel_glass.h"
#include "quality_look.h"
#include "watchlist_panel.h"

#define NS_PER_S  INT64_C(1000000000)
#define NS_PER_MS INT64_C(1000000)
/* Ages, the clock and rates are looked at this often when nothing arrives. */
#define SLOW_NS (500 * NS_PER_MS)

#define TITLE_ROW HEADER_ROWS
#define LIST_ROW  (TITLE_ROW + 1)
#define TEXT_SIZE 128

/* Windows of histograms that are added up after one pass: a millisecond of busy ones. */
#define WINDOWS_PER_PASS 4

/* A row of the watchlist that stands on the screen in this pass. */
typedef struct shown_row {
    size_t index; /* in the feed */
    bool fresh;   /* a version that was not drawn before */
    bool timed; /* the row stood on the screen when that version came: drawing it took that long */
    tg_version version;
    fresh_row times;
    tg_row row;               /* view.row points here */
    tg_instrument instrument; /* and view.instrument here */
    watch_view view;
} shown_row;

struct screen {
    screen_parts parts;
    tg_clock clock;
    tg_reader *reader;
    tg_grid *grid;
    drawn_text *drawn;
    column_layout layout;
    shown_row *shown; /* as many as the grid has rows */
    size_t shown_count;
    size_t top;      /* first row shown */
    size_t seen_top; /* rows that the pass before had on the screen */
    size_t seen_count;
    size_t selected;
    desk *desk;
    size_t opened; /* row of the feed that the panels show, or FEED_NO_ROW */
    instrument_view instrument;
    tg_row opened_row; /* instrument.seen points to these two */
    tg_instrument opened_instrument;
    bool help;
    char notice[FEED_NOTICE_SIZE]; /* ours, while feed_notice is still the one it followed */
    char followed[FEED_NOTICE_SIZE];
    bool notice_is_bad;
    header_view header;
    int64_t slow_mono_ns; /* when the header's numbers were made */
    uint64_t slow_frames;
    uint64_t slow_passes;
    int64_t next_change_mono_ns;
    int64_t pinned_mono_ns; /* when the pass began */
    uint64_t view_number;
    screen_counts counts;
};

static tg_err fit_rows(screen *self)
{
    shown_row *shown = calloc(tg_window_rows(self->parts.window), sizeof *shown);
    if (shown == NULL) {
        return TG_ERR_NO_MEMORY;
    }
    free(self->shown);
    self->shown = shown;
    self->shown_count = 0;
    return TG_OK;
}

static uint16_t side(uint16_t cells)
{
    return cells < TG_GRID_SIDE_MAX ? cells : TG_GRID_SIDE_MAX;
}

tg_err screen_open(const screen_parts *parts, screen **out)
{
    *out = NULL;
    screen *self = calloc(1, sizeof *self);
    if (self == NULL) {
        return TG_ERR_NO_MEMORY;
    }
    self->parts = *parts;
    self->clock = tg_clock_system();
    self->header.version = TG_VERSION_STRING;
    self->header.endpoint = parts->endpoint;
    self->header.has_tape = parts->has_tape;
    self->opened = FEED_NO_ROW;
    columns_init(&self->layout);
    tg_err err = tg_reader_open(tg_client_store(feed_client(parts->feed)), &self->reader);
    if (err == TG_OK) {
        err = tg_grid_open(side(tg_window_columns(parts->window)),
                           side(tg_window_rows(parts->window)), &self->grid);
    }
    if (err == TG_OK) {
        err = drawn_text_open(&self->drawn);
    }
    if (err == TG_OK) {
        err = desk_open(&self->desk);
    }
    if (err == TG_OK) {
        err = instrument_view_open(&self->instrument, FEED_HISTORY_POINTS);
    }
    if (err == TG_OK) {
        err = fit_rows(self);
    }
    if (err != TG_OK) {
        screen_close(self);
        return err;
    }
    *out = self;
    return TG_OK;
}

void screen_close(screen *self)
{
    if (self == NULL) {
        return;
    }
    tg_reader_close(self->reader);
    tg_grid_close(self->grid);
    drawn_text_close(self->drawn);
    desk_close(self->desk);
    instrument_view_close(&self->instrument);
    free(self->shown);
    free(self);
}

tg_err screen_refit(screen *self)
{
    const uint16_t columns = side(tg_window_columns(self->parts.window));
    const uint16_t rows = side(tg_window_rows(self->parts.window));
    self->seen_count = 0; /* it may have been out of sight for long */
    if (columns == tg_grid_columns(self->grid) && rows == tg_grid_rows(self->grid)) {
        tg_grid_forget(self->grid);
        return TG_OK;
    }
    const tg_err err = tg_grid_resize(self->grid, columns, rows);
    return err == TG_OK ? fit_rows(self) : err;
}

static size_t list_height(const screen *self)
{
    const size_t rows = tg_grid_rows(self->grid);
    return rows > LIST_ROW + 1 ? rows - LIST_ROW - 1 : 0;
}

/* Keeps selection and first row inside the list and the selection on the screen. */
static void keep_in_view(screen *self)
{
    const size_t count = feed_row_count(self->parts.feed);
    const size_t height = list_height(self);
    if (self->selected >= count) {
        self->selected = count > 0 ? count - 1 : 0;
    }
    if (self->selected < self->top) {
        self->top = self->selected;
    }
    if (height > 0 && self->selected >= self->top + height) {
        self->top = self->selected - height + 1;
    }
    const size_t last_top = count > height ? count - height : 0;
    if (self->top > last_top) {
        self->top = last_top;
    }
}

static void move_selection(screen *self, screen_move move)
{
    const size_t page = list_height(self) > 1 ? list_height(self) - 1 : 1;
    const size_t at = self->selected;
    switch (move) {
    case MOVE_UP:
        self->selected = at > 0 ? at - 1 : 0;
        break;
    case MOVE_DOWN:
        self->selected = at + 1;
        break;
    case MOVE_PAGE_UP:
        self->selected = at > page ? at - page : 0;
        self->top = self->top > page ? self->top - page : 0;
        break;
    case MOVE_PAGE_DOWN:
        self->selected = at + page;
        self->top += page;
        break;
    case MOVE_FIRST:
        self->selected = 0;
        break;
    case MOVE_LAST:
        self->selected = feed_row_count(self->parts.feed);
        break;
    }
    keep_in_view(self);
}

void screen_select_row(screen *self, size_t index)
{
    self->selected = index;
    keep_in_view(self);
}

size_t screen_selected_row(const screen *self)
{
    return self->selected;
}

/* So many rows up. */
static int rows_of(const screen *self, screen_move move)
{
    const int page = (int)(list_height(self) / 2);
    switch (move) {
    case MOVE_UP:
        return 1;
    case MOVE_DOWN:
        return -1;
    case MOVE_PAGE_UP:
        return page;
    case MOVE_PAGE_DOWN:
        return -page;
    case MOVE_FIRST:
        return TG_GRID_SIDE_MAX;
    case MOVE_LAST:
        return -TG_GRID_SIDE_MAX;
    }
    return 0;
}

void screen_move_in_focus(screen *self, screen_move move)
{
    if (!desk_move(self->desk, rows_of(self, move))) {
        move_selection(self, move);
    }
}

void screen_focus_next(screen *self, bool backwards)
{
    desk_focus_next(self->desk, backwards);
}

static void open_row(screen *self, size_t index)
{
    if (index < feed_row_count(self->parts.feed) && index != self->opened) {
        self->opened = index;
        desk_reset(self->desk);
    }
}

void screen_open_selected(screen *self)
{
    open_row(self, self->selected);
    desk_focus_panels(self->desk);
}

bool screen_go_back(screen *self)
{
    const bool anything = self->help || !desk_focus_is_list(self->desk);
    if (!self->help) {
        desk_focus_list(self->desk);
    }
    self->help = false;
    return anything;
}

void screen_recentre(screen *self)
{
    desk_recentre(self->desk);
}

void screen_toggle_panel(screen *self, panel_id panel)
{
    if (!desk_toggle(self->desk, panel)) {
        screen_notice(self, "no room for that panel in this window", false);
    }
}

void screen_toggle_help(screen *self)
{
    self->help = !self->help;
}

bool screen_latency_has_focus(const screen *self)
{
    return !self->help && desk_focus(self->desk) == PANEL_LATENCY;
}

void screen_notice(screen *self, const char *text, bool bad)
{
    (void)snprintf(self->notice, sizeof self->notice, "%s", text);
    (void)snprintf(self->followed, sizeof self->followed, "%s", feed_notice(self->parts.feed));
    self->notice_is_bad = bad;
}

screen_counts screen_counts_get(const screen *self)
{
    return self->counts;
}

/* Why a row shows nothing. */
static const char *word_of(const tg_client *client, const watch_row *watch, tg_instrument_id *id)
{
    if (watch->sub.v == 0) {
        return "waiting";
    }
    const tg_err err = tg_client_subscription(client, watch->sub, id);
    if (err == TG_OK) {
        return "no data yet";
    }
    if (err == TG_ERR_NOT_FOUND) {
        return "no such name";
    }
    if (err == TG_ERR_NOT_ENTITLED) {
        return "not entitled";
    }
    return err == TG_ERR_LIMIT ? "over limit" : "waiting";
}

/* Looks a row up in the pinned view. The result points to row and instrument. */
static watch_view look_up(const screen *self, const tg_view *view, const watch_row *watch,
                          int64_t now_mono_ns, tg_row *row, tg_instrument *instrument)
{
    watch_view out = {.venue = watch->venue, .symbol = watch->symbol};
    tg_instrument_id id = TG_INSTRUMENT_NONE;
    out.word = word_of(feed_client(self->parts.feed), watch, &id);
    if (id == TG_INSTRUMENT_NONE) {
        return out;
    }
    if (tg_view_instrument(view, id, instrument) != TG_OK ||
        tg_view_row(view, id, now_mono_ns, row) != TG_OK) {
        return out;
    }
    out.instrument = instrument;
    /* The names that belong to the values, not those that were asked for. */
    out.venue = tg_view_venue_name(view, instrument->venue);
    out.symbol = instrument->symbol;
    if (row->quality != TG_QUALITY_UNKNOWN) {
        out.row = row;
        out.word = tg_quality_name(row->quality);
    }
    return out;
}

/* Compares what the view has with what was drawn of this row. */
static void note_version(const screen *self, shown_row *shown, watch_row *watch,
                         int64_t now_mono_ns)
{
    const tg_image *image = &shown->row.image;
    shown->version = tg_image_version(image);
    shown->fresh = !watch->drawn || tg_version_compare(watch->version, shown->version) != 0;
    if (!shown->fresh) {
        return;
    }
    shown->timed =
        shown->index >= self->seen_top && shown->index < self->seen_top + self->seen_count;
    shown->times = (fresh_row){
        .received_mono_ns = shown->row.received_mono_ns,
        .committed_mono_ns = shown->row.committed_mono_ns,
        .ts_exchange_ns =
            tg_image_has(image, TG_FIELD_TS_EXCHANGE) ? image->value[TG_FIELD_TS_EXCHANGE] : 0,
        .first = !watch->drawn,
    };
    watch_row_take(watch, image, now_mono_ns);
}

/* Takes from the view what the list will show. */
static void collect_rows(screen *self, const tg_view *view, int64_t now_mono_ns)
{
    const size_t count = feed_row_count(self->parts.feed);
    const size_t height = list_height(self);
    keep_in_view(self);
    self->shown_count = 0;
    size_t suspect = 0;
    for (size_t i = 0; i < height && self->top + i < count; i++) {
        shown_row *shown = &self->shown[self->shown_count++];
        shown->index = self->top + i;
        shown->fresh = false;
        watch_row *watch = feed_row(self->parts.feed, shown->index);
        shown->view = look_up(self, view, watch, now_mono_ns, &shown->row, &shown->instrument);
        shown->view.selected = shown->index == self->selected;
        if (shown->view.row != NULL) {
            note_version(self, shown, watch, now_mono_ns);
            suspect += quality_is_suspect(shown->row.quality) ? 1 : 0;
        }
    }
    if (suspect > self->header.suspect_count) {
        self->header.suspect_count = suspect;
    }
}

static void write_rows(screen *self, int64_t now_mono_ns)
{
    for (size_t i = 0; i < self->shown_count; i++) {
        const watch_row *watch = feed_row(self->parts.feed, self->shown[i].index);
        watchlist_draw_row(self->grid, (uint16_t)(LIST_ROW + i), &self->layout, self->parts.palette,
                           watch, &self->shown[i].view, now_mono_ns);
        const int64_t phase_ns = watch_row_next_phase_mono_ns(watch, now_mono_ns);
        if (phase_ns < self->next_change_mono_ns) {
            self->next_change_mono_ns = phase_ns;
        }
    }
}

/* Writes the list, again if a column turned out too narrow: nobody sees the first try. */
static void write_list(screen *self, const tg_view *view, int64_t now_mono_ns)
{
    collect_rows(self, view, now_mono_ns);
    write_rows(self, now_mono_ns);
    if (self->layout.grew) {
        columns_fit(&self->layout, self->layout.total);
        write_rows(self, now_mono_ns);
    }
    watchlist_draw_titles(self->grid, TITLE_ROW, &self->layout, self->parts.palette,
                          desk_focus_is_list(self->desk));
}

/* Where the first row has no panels beside it, they wait until they are asked for. */
static void open_first_row(screen *self)
{
    if (self->opened == FEED_NO_ROW && layout_is_wide(tg_grid_columns(self->grid))) {
        open_row(self, 0);
    }
}

/* Takes from the view what the panels will show, seen or not: trades go on behind the help. */
static void collect_instrument(screen *self, const tg_view *view, int64_t now_mono_ns)
{
    instrument_view_clear(&self->instrument);
    open_first_row(self);
    feed_follow(self->parts.feed, desk_wants_instrument(self->desk) ? self->opened : FEED_NO_ROW);
    if (self->opened == FEED_NO_ROW) {
        return;
    }
    const watch_view seen = look_up(self, view, feed_row(self->parts.feed, self->opened),
                                    now_mono_ns, &self->opened_row, &self->opened_instrument);
    instrument_view_read(&self->instrument, view, &seen, now_mono_ns,
                         tg_clock_utc_ns(&self->clock));
    const priority_follow *priority = feed_priority(self->parts.feed);
    self->instrument.priority = priority_follow_text(priority);
    self->instrument.priority_given = priority->state == PRIORITY_GIVEN;
    desk_take(self->desk, &self->instrument);
}

static latency_view view_of_latency(const screen *self, int64_t now_mono_ns)
{
    latency *of = self->parts.latency;
    const latency_view view = {
        .windows = latency_windows(of),
        .stalls = latency_stalls(of),
        .sum = latency_span_sum(latency_chosen(of)),
        .choice = latency_span_choice(latency_chosen(of), latency_windows(of)),
        .current = latency_span_is_current(latency_chosen(of), latency_windows(of)),
        .clock = latency_clock_error(of),
        .rtt_ns = self->header.client.rtt_ns,
        .rtt_mono_ns = self->header.client.rtt_mono_ns,
        .now_mono_ns = now_mono_ns,
    };
    return view;
}

static void write_panels(screen *self, int64_t now_mono_ns)
{
    const latency_view latencies = view_of_latency(self, now_mono_ns);
    const desk_scene scene = {
        .instrument = &self->instrument,
        .header = &self->header,
        .log = feed_log(self->parts.feed),
        .latency = &latencies,
        .now_mono_ns = now_mono_ns,
    };
    desk_draw(self->desk, self->grid, self->parts.palette, &scene);
}

static void fit_desk(screen *self)
{
    const uint16_t rows = tg_grid_rows(self->grid);
    desk_fit(self->desk, tg_grid_columns(self->grid), TITLE_ROW,
             rows > TITLE_ROW + 1 ? (uint16_t)(rows - TITLE_ROW - 1) : 0);
    const uint16_t width = desk_layout(self->desk)->list_width;
    if (width > 0 && width != self->layout.total) {
        columns_fit(&self->layout, width);
    }
}

/* Rows that nobody sees count for the state in the header, too. */
static void count_all_rows(screen *self, const tg_view *view, int64_t now_mono_ns)
{
    self->counts.rows_with_data = 0;
    self->header.suspect_count = 0;
    for (size_t i = 0; i < feed_row_count(self->parts.feed); i++) {
        tg_row row;
        tg_instrument instrument;
        const watch_view shown =
            look_up(self, view, feed_row(self->parts.feed, i), now_mono_ns, &row, &instrument);
        if (shown.row != NULL) {
            self->counts.rows_with_data++;
            self->header.suspect_count += quality_is_suspect(row.quality) ? 1 : 0;
        }
    }
}

static uint32_t rate(uint64_t count, int64_t span_ns)
{
    return span_ns > 0 ? (uint32_t)((count * NS_PER_S + (uint64_t)span_ns / 2) / (uint64_t)span_ns)
                       : 0;
}

static void refresh_header(screen *self, const tg_view *view, int64_t now_mono_ns)
{
    header_view *header = &self->header;
    const tg_client *client = feed_client(self->parts.feed);
    header->client.struct_size = sizeof header->client;
    header->store.struct_size = sizeof header->store;
    /* They fail for a wrong size only. */
    (void)!tg_client_counters_get(client, &header->client);
    (void)!tg_store_counters_get(tg_client_store(feed_client(self->parts.feed)), &header->store);
    const int64_t span_ns = now_mono_ns - self->slow_mono_ns;
    if (self->slow_mono_ns != 0) {
        header->frames_per_s = rate(header->client.frames - self->slow_frames, span_ns);
        header->passes_per_s = rate(self->counts.passes - self->slow_passes, span_ns);
    }
    self->slow_mono_ns = now_mono_ns;
    self->slow_frames = header->client.frames;
    self->slow_passes = self->counts.passes;
    header->received_to_handed =
        glass_times_recent(self->parts.times, SPAN_RECEIVED_TO_HANDED, now_mono_ns);
    header->exchange_to_handed =
        glass_times_recent(self->parts.times, SPAN_EXCHANGE_TO_HANDED, now_mono_ns);
    count_all_rows(self, view, now_mono_ns);
}

static void write_footer(screen *self)
{
    const bool ours =
        self->notice[0] != '\0' && strcmp(self->followed, feed_notice(self->parts.feed)) == 0;
    const footer_view footer = {
        .first_row = self->top,
        .shown_count = self->shown_count,
        .row_count = feed_row_count(self->parts.feed),
        .notice = ours ? self->notice : feed_notice(self->parts.feed),
        .notice_is_bad = ours ? self->notice_is_bad : feed_notice_is_bad(self->parts.feed),
        .recording = session_record_path(self->parts.record),
    };
    footer_draw(self->grid, self->parts.palette, &footer);
}

static void write_cells(screen *self, const tg_view *view, int64_t now_mono_ns)
{
    const tg_palette *palette = self->parts.palette;
    self->next_change_mono_ns = now_mono_ns + SLOW_NS;
    const tg_style blank = {palette->text, palette->background, 0};
    tg_grid_clear(self->grid, blank);
    fit_desk(self);
    collect_instrument(self, view, now_mono_ns);
    self->header.state = tg_client_state(feed_client(self->parts.feed));
    self->header.wait_ms = feed_wait_ms(self->parts.feed, now_mono_ns);
    self->shown_count = 0;
    if (self->help) {
        help_draw(self->grid, TITLE_ROW, (uint16_t)(list_height(self) + 1), palette);
    } else {
        if (desk_layout(self->desk)->list_width > 0) {
            write_list(self, view, now_mono_ns);
        }
        feed_set_visible(self->parts.feed, self->top, self->shown_count);
        write_panels(self, now_mono_ns);
    }
    self->header.utc_ns = tg_clock_utc_ns(&self->clock);
    const glass_counts glass = glass_check_counts(self->parts.check);
    self->header.drawn_regressions = glass.regressions;
    self->header.drawn_unknown = glass.unknown;
    header_draw(self->grid, palette, &self->header);
    write_footer(self);
}

static void record_verdict(const screen *self, size_t slot, tg_version version,
                           glass_verdict verdict)
{
    session_record_glass(self->parts.record, self->counts.passes, slot, version, (int)verdict);
}

static uint64_t judged_count(const screen *self)
{
    const glass_counts counts = glass_check_counts(self->parts.check);
    return counts.judged_by_tape + counts.judged_by_version + counts.not_judged;
}

/* Judges a row by the text that stands on the glass. */
static void check_row(screen *self, size_t position)
{
    static const column_id columns[] = {COLUMN_VENUE, COLUMN_SYMBOL,   COLUMN_BID_SIZE, COLUMN_BID,
                                        COLUMN_ASK,   COLUMN_ASK_SIZE, COLUMN_LAST};
    enum {
        COUNT = sizeof columns / sizeof columns[0]
    };
    char text[COUNT][TEXT_SIZE];
    const char *shown[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        shown[i] = NULL;
        if (self->layout.shown[columns[i]]) {
            const tg_span span =
                columns_span(&self->layout, columns[i], (uint16_t)(LIST_ROW + position));
            drawn_text_get(self->drawn, span.row, span.column, span.width, text[i], TEXT_SIZE);
            shown[i] = text[i];
        }
    }
    const shown_row *row = &self->shown[position];
    const glass_row drawn = {.venue = shown[0],
                             .symbol = shown[1],
                             .bid_size = shown[2],
                             .bid = shown[3],
                             .ask = shown[4],
                             .ask_size = shown[5],
                             .last = shown[6],
                             .epoch = row->version.epoch,
                             .seq = row->version.seq};
    record_verdict(self, row->index, row->version,
                   glass_check_row(self->parts.check, row->index, &drawn));
}

static void look_at_rows(screen *self, const tg_draw_list *list)
{
    size_t run = 0;
    for (size_t i = 0; i < self->shown_count; i++) {
        while (run < list->run_count && list->runs[run].row < LIST_ROW + i) {
            run++;
        }
        /* Runs of one row lie from left to right: the first one tells. */
        const bool touched = run < list->run_count && list->runs[run].row == LIST_ROW + i &&
                             list->runs[run].column < self->layout.total;
        if (touched && self->shown[i].view.row != NULL) {
            check_row(self, i);
        }
    }
}

static void look_at_glass(screen *self, const tg_draw_list *list)
{
    look_at_rows(self, list);
    const layout *places = desk_layout(self->desk);
    if (self->help || self->instrument.seen.row == NULL) {
        return;
    }
    const panel_source source = {
        .slot = self->opened,
        .venue = self->instrument.seen.venue,
        .symbol = self->instrument.seen.symbol,
        .version = tg_image_version(&self->opened_row.image),
    };
    if (panel_glass_is_touched(list, places->area[PANEL_QUOTE])) {
        record_verdict(self, self->opened, source.version,
                       panel_glass_check_quote(self->parts.check, self->drawn,
                                               places->area[PANEL_QUOTE], &source));
    }
    if (!self->instrument.has_depth && panel_glass_is_touched(list, places->area[PANEL_LADDER])) {
        const uint64_t judged = judged_count(self);
        const glass_verdict verdict = panel_glass_check_ladder(self->parts.check, self->drawn,
                                                               places->area[PANEL_LADDER], &source);
        if (judged_count(self) != judged) { /* off the axis there is nothing to judge */
            record_verdict(self, self->opened, source.version, verdict);
        }
    }
}

static void note_times(screen *self, const pass_stamps *stamps)
{
    for (size_t i = 0; i < self->shown_count; i++) {
        const shown_row *shown = &self->shown[i];
        if (shown->fresh && shown->timed) {
            glass_times_record(self->parts.times, &shown->times, stamps);
            latency_row(self->parts.latency, &shown->times, stamps);
        }
    }
}

static void record_version(screen *self, size_t index, const tg_row *row)
{
    const watch_row *watch = feed_row(self->parts.feed, index);
    const tg_image *image = &row->image;
    const shown_version shown = {
        .slot = index,
        .venue = watch->venue,
        .symbol = watch->symbol,
        .version = tg_image_version(image),
        .received_mono_ns = row->received_mono_ns,
        .committed_mono_ns = row->committed_mono_ns,
        .ts_exchange_ns =
            tg_image_has(image, TG_FIELD_TS_EXCHANGE) ? image->value[TG_FIELD_TS_EXCHANGE] : 0,
    };
    session_record_row(self->parts.record, self->counts.passes, &shown);
}

static void record_choice(screen *self)
{
    int width_px = 0;
    int height_px = 0;
    tg_window_size_px(self->parts.window, &width_px, &height_px);
    const ui_state state = {
        .columns = tg_grid_columns(self->grid),
        .rows = tg_grid_rows(self->grid),
        .width_px = (uint32_t)width_px,
        .height_px = (uint32_t)height_px,
        .palette = self->parts.palette->name,
        .first_row = (uint32_t)self->top,
        .selected = (uint32_t)self->selected,
        .opened = self->opened == FEED_NO_ROW ? UINT32_MAX : (uint32_t)self->opened,
        .panels = desk_panels(self->desk),
        .focus = (uint32_t)desk_focus(self->desk),
        .help = self->help ? 1 : 0,
    };
    session_record_ui(self->parts.record, &state);
    uint16_t slots[TG_GRID_SIDE_MAX];
    for (size_t i = 0; i < self->shown_count; i++) {
        slots[i] = (uint16_t)self->shown[i].index;
    }
    session_record_list(self->parts.record, slots, self->shown_count);
}

/* What a later tool needs to draw this pass again: versions, and what the user had chosen. */
static void record_pass(screen *self, const tg_draw_list *list, const pass_stamps *stamps)
{
    if (session_record_path(self->parts.record) == NULL) {
        return;
    }
    record_choice(self);
    for (size_t i = 0; i < self->shown_count; i++) {
        if (self->shown[i].view.row != NULL) {
            record_version(self, self->shown[i].index, &self->shown[i].row);
        }
    }
    if (!self->help && self->instrument.seen.row != NULL) {
        record_version(self, self->opened, &self->opened_row);
    }
    session_record_pass(self->parts.record, self->counts.passes, self->view_number,
                        list->cell_count, stamps);
}

static tg_err show(screen *self, const tg_draw_list *list)
{
    pass_stamps stamps = {.pinned_mono_ns = self->pinned_mono_ns};
    tg_err err = tg_window_draw(self->parts.window, list);
    stamps.drawn_mono_ns = tg_clock_mono_ns(&self->clock);
    if (err == TG_OK) {
        err = tg_window_present(self->parts.window);
    }
    stamps.handed_mono_ns = tg_clock_mono_ns(&self->clock);
    stamps.handed_utc_ns = tg_clock_utc_ns(&self->clock);
    if (err == TG_OK) {
        err = drawn_text_apply(self->drawn, list);
    }
    if (err != TG_OK) {
        return err;
    }
    self->counts.passes++;
    self->counts.cells_drawn += list->cell_count;
    note_times(self, &stamps);
    record_pass(self, list, &stamps);
    look_at_glass(self, list);
    return TG_OK;
}

/* A part at a time, and only for who looks at it. */
static void add_up_latencies(screen *self, int64_t now_mono_ns)
{
    latency *of = self->parts.latency;
    if (!self->help && desk_layout(self->desk)->area[PANEL_LATENCY].height > 0) {
        const bool pending = !latency_span_is_current(latency_chosen(of), latency_windows(of));
        (void)latency_span_step(latency_chosen(of), latency_windows(of), WINDOWS_PER_PASS);
        /* The rest, or what came out of it, with the next pass. */
        self->next_change_mono_ns = pending ? now_mono_ns : self->next_change_mono_ns;
    }
}

tg_err screen_pass(screen *self)
{
    const tg_view *view = tg_reader_pin(self->reader);
    const int64_t now_mono_ns = tg_clock_mono_ns(&self->clock);
    self->pinned_mono_ns = now_mono_ns;
    self->view_number = tg_view_number(view);
    write_cells(self, view, now_mono_ns);
    const tg_draw_list *list = tg_grid_damage(self->grid);
    const tg_err err = list->run_count > 0 ? show(self, list) : TG_OK;
    /* After the hand-off: the sums take longer than the pass, and no tick shall wait for them. */
    if (now_mono_ns - self->slow_mono_ns >= SLOW_NS) {
        refresh_header(self, view, now_mono_ns);
    }
    add_up_latencies(self, now_mono_ns);
    instrument_view_clear(&self->instrument); /* it points into the view */
    tg_reader_unpin(self->reader);
    self->seen_top = self->top;
    self->seen_count = self->shown_count;
    /* Once more than its stages need: what comes after the hand-off can hold up the next tick, too.
     */
    process_stalls_pass(latency_stalls(self->parts.latency), now_mono_ns,
                        tg_clock_mono_ns(&self->clock));
    return err;
}

int64_t screen_next_change_mono_ns(const screen *self)
{
    return self->next_change_mono_ns;
}
