#include "screen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/cell_grid.h>
#include <tickglass/clock.h>
#include <tickglass/version.h>

#include "desk.h"
#include "drawn_text.h"
#include "header_panel.h"
#include "help_panel.h"
#include "instrument_view.h"
#include "latency_mouse.h"
#include "list_pane.h"
#include "panel_glass.h"
#include "row_lookup.h"
#include "shown_version.h"

#define NS_PER_S  INT64_C(1000000000)
#define NS_PER_MS INT64_C(1000000)
/* Ages, the clock and rates are looked at this often when nothing arrives. */
#define SLOW_NS (500 * NS_PER_MS)

#define TITLE_ROW HEADER_ROWS

/* Windows of histograms that are added up after one pass: a millisecond of busy ones. */
#define WINDOWS_PER_PASS 4

struct screen {
    screen_parts parts;
    tg_clock clock;
    tg_reader *reader;
    tg_grid *grid;
    drawn_text *drawn;
    list_pane *list;
    desk *desk;
    size_t opened; /* row of the feed that the panels show, or FEED_NO_ROW */
    instrument_view instrument;
    row_copy opened_copy;          /* instrument.seen points here */
    unsigned help;                 /* 0: not shown; else its page from 1 */
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
    bool anew; /* the grid's cells are not those of a pass before: all are written */
    screen_counts counts;
};

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
    self->anew = true;
    self->opened = FEED_NO_ROW;
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
        const list_pane_parts list = {.window = parts->window,
                                      .feed = parts->feed,
                                      .record = parts->record,
                                      .check = parts->check,
                                      .times = parts->times,
                                      .latency = parts->latency};
        err = list_pane_open(&list, tg_grid_rows(self->grid), &self->list);
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
    list_pane_close(self->list);
    free(self);
}

void screen_write_anew(screen *self)
{
    self->anew = true;
}

tg_err screen_refit(screen *self)
{
    self->anew = true;
    const uint16_t columns = side(tg_window_columns(self->parts.window));
    const uint16_t rows = side(tg_window_rows(self->parts.window));
    list_pane_forget(self->list);
    if (columns == tg_grid_columns(self->grid) && rows == tg_grid_rows(self->grid)) {
        tg_grid_forget(self->grid);
        return TG_OK;
    }
    const tg_err err = tg_grid_resize(self->grid, columns, rows);
    return err == TG_OK ? list_pane_resize(self->list, rows) : err;
}

static void move_selection(screen *self, screen_move move)
{
    switch (move) {
    case MOVE_UP:
        list_pane_move(self->list, -1);
        break;
    case MOVE_DOWN:
        list_pane_move(self->list, 1);
        break;
    case MOVE_PAGE_UP:
        list_pane_page(self->list, -1);
        break;
    case MOVE_PAGE_DOWN:
        list_pane_page(self->list, 1);
        break;
    case MOVE_FIRST:
        list_pane_move(self->list, -FEED_ROWS_MAX);
        break;
    case MOVE_LAST:
        list_pane_move(self->list, FEED_ROWS_MAX);
        break;
    }
}

void screen_select_row(screen *self, size_t index)
{
    list_pane_select(self->list, index);
}

size_t screen_selected_row(const screen *self)
{
    return list_pane_selected(self->list);
}

/* So many rows up. */
static int rows_of(const screen *self, screen_move move)
{
    const int page = tg_grid_rows(self->grid) / 2;
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
        feed_hold(self->parts.feed, index);
        desk_reset(self->desk);
    }
}

static void open_selected(screen *self)
{
    list_pane_confirm(self->list, list_pane_selected(self->list));
    open_row(self, list_pane_selected(self->list));
    desk_focus_panels(self->desk);
}

void screen_open_selected(screen *self)
{
    if (!desk_focus_is_list(self->desk) || !list_pane_enter(self->list)) {
        open_selected(self);
    }
}

bool screen_go_back(screen *self)
{
    const bool help = self->help > 0;
    self->help = 0;
    if (help) {
        return true;
    }
    if (!desk_focus_is_list(self->desk)) {
        desk_focus_list(self->desk);
        return true;
    }
    return list_pane_go_back(self->list);
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

static uint16_t help_rows(const screen *self)
{
    return cells_left(tg_grid_rows(self->grid), TITLE_ROW + 1);
}

void screen_toggle_help(screen *self)
{
    self->help = (self->help + 1) % (help_pages(help_rows(self)) + 1);
}

bool screen_latency_has_focus(const screen *self)
{
    return self->help == 0 && desk_focus(self->desk) == PANEL_LATENCY;
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

/* Where the first row has no panels beside it, they wait until they are asked for. */
static void open_first_row(screen *self)
{
    if (self->opened == FEED_NO_ROW && layout_is_wide(tg_grid_columns(self->grid))) {
        open_row(self, list_pane_selected(self->list));
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
    const watch_view seen =
        row_lookup(self->parts.feed, view, feed_row(self->parts.feed, self->opened), now_mono_ns,
                   &self->opened_copy);
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
        .retained = !self->anew,
    };
    desk_draw(self->desk, self->grid, self->parts.palette, &scene);
}

static void fit_desk(screen *self)
{
    const uint16_t rows = tg_grid_rows(self->grid);
    desk_fit(self->desk, tg_grid_columns(self->grid), TITLE_ROW,
             rows > TITLE_ROW + 1 ? (uint16_t)(rows - TITLE_ROW - 1) : 0);
}

static uint32_t rate(uint64_t count, int64_t span_ns)
{
    return span_ns > 0 ? (uint32_t)((count * NS_PER_S + (uint64_t)span_ns / 2) / (uint64_t)span_ns)
                       : 0;
}

/* What the watchlist has to say goes into the footer. */
static void tell_of_list(screen *self)
{
    char text[FEED_NOTICE_SIZE];
    bool bad = false;
    if (list_pane_take_notice(self->list, text, &bad)) {
        screen_notice(self, text, bad);
    }
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
    /* Rows that nobody sees count for the state in the header, too. */
    const list_pane_counts rows =
        list_pane_count(self->list, view, now_mono_ns, header->state == TG_SESSION_LIVE);
    self->counts.rows_with_data = rows.rows_with_data;
    header->suspect_count = rows.suspect;
    tell_of_list(self);
}

static void write_footer(screen *self)
{
    const char *theirs = feed_notice(self->parts.feed);
    /* That theirs has had its time takes nothing away from ours. */
    const bool ours =
        self->notice[0] != '\0' && (theirs[0] == '\0' || strcmp(self->followed, theirs) == 0);
    const list_pane_line line = list_pane_footer(self->list);
    const footer_view footer = {
        .first_row = line.first_row,
        .shown_count = line.shown_count,
        .row_count = line.row_count,
        .total = line.total,
        .line_label = line.label,
        .line = line.text,
        .notice = ours ? self->notice : theirs,
        .notice_is_bad = ours ? self->notice_is_bad : feed_notice_is_bad(self->parts.feed),
        .recording = session_record_path(self->parts.record),
    };
    footer_draw(self->grid, self->parts.palette, &footer);
}

static list_pane_pass pass_of_list(const screen *self, const tg_view *view, int64_t now_mono_ns)
{
    const list_pane_pass pass = {
        .grid = self->grid,
        .palette = self->parts.palette,
        .view = view,
        .now_mono_ns = now_mono_ns,
        .now_utc_ns = tg_clock_utc_ns(&self->clock),
        .title_row = TITLE_ROW,
        .width = desk_layout(self->desk)->list_width,
        .focused = desk_focus_is_list(self->desk),
        .covered = self->help > 0,
        .retained = !self->anew,
    };
    return pass;
}

static void change_at(screen *self, int64_t mono_ns)
{
    if (mono_ns < self->next_change_mono_ns) {
        self->next_change_mono_ns = mono_ns;
    }
}

static void write_list(screen *self, const tg_view *view, int64_t now_mono_ns)
{
    const list_pane_pass pass = pass_of_list(self, view, now_mono_ns);
    change_at(self, list_pane_draw(self->list, &pass, &self->header.suspect_count));
    tell_of_list(self);
}

static void write_cells(screen *self, const tg_view *view, int64_t now_mono_ns)
{
    const tg_palette *palette = self->parts.palette;
    self->next_change_mono_ns = now_mono_ns + SLOW_NS;
    if (self->anew) {
        const tg_style blank = {palette->text, palette->background, 0};
        tg_grid_clear(self->grid, blank);
    }
    fit_desk(self);
    collect_instrument(self, view, now_mono_ns);
    self->header.state = tg_client_state(feed_client(self->parts.feed));
    self->header.wait_ms = feed_wait_ms(self->parts.feed, now_mono_ns);
    write_list(self, view, now_mono_ns);
    if (self->help > 0) {
        help_draw(self->grid, TITLE_ROW, help_rows(self), palette, self->help - 1);
    } else {
        write_panels(self, now_mono_ns);
    }
    self->header.utc_ns = tg_clock_utc_ns(&self->clock);
    const glass_counts glass = glass_check_counts(self->parts.check);
    self->header.drawn_regressions = glass.regressions;
    self->header.drawn_unknown = glass.unknown;
    header_draw(self->grid, palette, &self->header);
    write_footer(self);
    self->anew = self->help > 0; /* pages of other lengths */
}

/* Of all rows, only the one that the panels show may have changed since the pass before. */
static bool only_opened_changed(const screen *self, const tg_view *view)
{
    tg_instrument_id id = TG_INSTRUMENT_NONE;
    const size_t count = tg_view_changed(view, self->view_number, &id, 1);
    return count == 0 || (count == 1 && id == self->opened_copy.instrument.id);
}

/* The cells of the instrument on the priority channel. False: they will not do. */
static bool write_priority_cells(screen *self, const tg_view *view, int64_t now_mono_ns)
{
    if (self->anew || self->opened == FEED_NO_ROW || !desk_wants_instrument(self->desk) ||
        !only_opened_changed(self, view)) {
        return false;
    }
    const list_pane_pass pass = pass_of_list(self, view, now_mono_ns);
    int64_t next_mono_ns = 0;
    if (!list_pane_draw_one(self->list, &pass, self->opened, &next_mono_ns)) {
        return false;
    }
    change_at(self, next_mono_ns);
    collect_instrument(self, view, now_mono_ns);
    const desk_scene scene = {.instrument = &self->instrument, .now_mono_ns = now_mono_ns};
    desk_draw_instrument(self->desk, self->grid, self->parts.palette, &scene);
    return true;
}

static void write_extent(screen *self, const tg_view *view, int64_t now_mono_ns,
                         pass_extent *extent)
{
    if (*extent != PASS_PRIORITY || !write_priority_cells(self, view, now_mono_ns)) {
        *extent = PASS_WHOLE;
        write_cells(self, view, now_mono_ns);
    }
    self->view_number = tg_view_number(view);
}

static void record_verdict(const screen *self, tg_version version, glass_verdict verdict)
{
    session_record_glass(self->parts.record, self->counts.passes, self->opened, version,
                         (int)verdict);
}

static uint64_t judged_count(const screen *self)
{
    const glass_counts counts = glass_check_counts(self->parts.check);
    return counts.judged_by_tape + counts.judged_by_version + counts.not_judged;
}

static void look_at_glass(screen *self, const tg_draw_list *list)
{
    list_pane_look(self->list, self->drawn, list, self->counts.passes);
    const layout *places = desk_layout(self->desk);
    if (self->help > 0 || self->instrument.seen.row == NULL) {
        return;
    }
    const panel_source source = {
        .slot = self->opened,
        .venue = self->instrument.seen.venue,
        .symbol = self->instrument.seen.symbol,
        .version = tg_image_version(&self->opened_copy.row.image),
    };
    if (panel_glass_is_touched(list, places->area[PANEL_QUOTE])) {
        record_verdict(self, source.version,
                       panel_glass_check_quote(self->parts.check, self->drawn,
                                               places->area[PANEL_QUOTE], &source));
    }
    if (!panel_glass_is_touched(list, places->area[PANEL_LADDER])) {
        return;
    }
    if (self->instrument.has_depth) {
        const panel_source book = {.slot = self->opened, .version = self->instrument.depth.version};
        const glass_verdict verdict = panel_glass_check_depth(self->parts.check, self->drawn,
                                                              places->area[PANEL_LADDER], &book);
        session_record_depth(self->parts.record, self->counts.passes, book.slot, book.version,
                             (int)verdict);
    } else {
        const uint64_t judged = judged_count(self);
        const glass_verdict verdict = panel_glass_check_ladder(self->parts.check, self->drawn,
                                                               places->area[PANEL_LADDER], &source);
        if (judged_count(self) != judged) { /* off the axis there is nothing to judge */
            record_verdict(self, source.version, verdict);
        }
    }
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
        .font_size_px = (uint32_t)tg_window_font_size(self->parts.window),
        .scale_percent = (uint32_t)tg_window_scale_percent(self->parts.window),
        .palette = self->parts.palette->name,
        .opened = self->opened == FEED_NO_ROW ? UINT32_MAX : (uint32_t)self->opened,
        .panels = desk_panels(self->desk),
        .focus = (uint32_t)desk_focus(self->desk),
        .help = self->help,
        .list = list_pane_choice(self->list),
    };
    session_record_ui(self->parts.record, &state);
}

/* What a tool needs to draw this pass again, and to say what it was: versions, and what the user
 * had chosen. */
static void record_pass(screen *self, const tg_draw_list *list, const pass_stamps *stamps)
{
    if (session_record_path(self->parts.record) == NULL) {
        return;
    }
    const drawn_pass drawn = {self->counts.passes, list, self->grid,
                              tg_window_picture_form(self->parts.window)};
    session_record_drew(self->parts.record, &drawn, stamps);
    record_choice(self);
    list_pane_record(self->list, self->counts.passes);
    if (self->help == 0 && self->instrument.seen.row != NULL) {
        const shown_version shown = shown_version_of(
            self->opened, feed_row(self->parts.feed, self->opened), &self->opened_copy.row);
        session_record_row(self->parts.record, self->counts.passes, &shown);
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
    list_pane_note(self->list, &stamps);
    record_pass(self, list, &stamps);
    look_at_glass(self, list);
    return TG_OK;
}

/* A part at a time, and only for who looks at it. */
static void add_up_latencies(screen *self, int64_t now_mono_ns)
{
    latency *of = self->parts.latency;
    if (self->help == 0 && desk_layout(self->desk)->area[PANEL_LATENCY].height > 0) {
        const bool pending = !latency_span_is_current(latency_chosen(of), latency_windows(of));
        (void)latency_span_step(latency_chosen(of), latency_windows(of), WINDOWS_PER_PASS);
        /* The rest, or what came out of it, with the next pass. */
        self->next_change_mono_ns = pending ? now_mono_ns : self->next_change_mono_ns;
    }
}

tg_err screen_pass(screen *self, pass_extent *extent)
{
    const tg_view *view = tg_reader_pin(self->reader);
    const int64_t now_mono_ns = tg_clock_mono_ns(&self->clock);
    self->pinned_mono_ns = now_mono_ns;
    write_extent(self, view, now_mono_ns, extent);
    const tg_draw_list *list = tg_grid_damage(self->grid);
    const tg_err err = list->run_count > 0 ? show(self, list) : TG_OK;
    /* After the hand-off: the sums take longer than the pass, and no tick shall wait for them. */
    if (now_mono_ns - self->slow_mono_ns >= SLOW_NS) {
        refresh_header(self, view, now_mono_ns);
    }
    add_up_latencies(self, now_mono_ns);
    instrument_view_clear(&self->instrument); /* it points into the view */
    tg_reader_unpin(self->reader);
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

void screen_list(screen *self, list_action action)
{
    const bool in_list = desk_focus_is_list(self->desk);
    /* Copying what a panel hides would copy something that nobody looks at. */
    if (self->help > 0 || (!in_list && action != LIST_SEARCH && action != LIST_EXPORT)) {
        return;
    }
    desk_focus_list(self->desk);
    list_pane_do(self->list, action);
    tell_of_list(self);
}

void screen_type(screen *self, const char *text)
{
    const bool blank = strcmp(text, " ") == 0;
    if (self->help > 0 || screen_latency_has_focus(self) ||
        (blank && !(desk_focus_is_list(self->desk) && screen_is_typing(self)))) {
        return; /* a blank by itself recentres the ladder */
    }
    desk_focus_list(self->desk);
    (void)list_pane_type(self->list, text);
}

void screen_rub_out(screen *self)
{
    if (self->help == 0 && desk_focus_is_list(self->desk)) {
        (void)list_pane_rub_out(self->list);
    }
}

bool screen_is_typing(const screen *self)
{
    return desk_focus_is_list(self->desk) && list_pane_is_typing(self->list);
}

/* True: the cell lies in the watchlist's part of the screen. */
static bool is_in_list(const screen *self, uint16_t row, uint16_t column)
{
    return row >= TITLE_ROW && row + 1 < tg_grid_rows(self->grid) &&
           column < desk_layout(self->desk)->list_width;
}

void screen_click(screen *self, uint16_t row, uint16_t column, unsigned clicks)
{
    if (self->help > 0) {
        return;
    }
    if (!is_in_list(self, row, column)) {
        const latency_view latencies = view_of_latency(self, tg_clock_mono_ns(&self->clock));
        (void)desk_focus_at(self->desk, row, column);
        latency_mouse_click(latency_chosen(self->parts.latency),
                            desk_layout(self->desk)->area[PANEL_LATENCY], &latencies, row, column);
        return;
    }
    desk_focus_list(self->desk);
    if (list_pane_click(self->list, row, column, clicks)) {
        open_selected(self);
    }
    tell_of_list(self);
}

void screen_wheel(screen *self, uint16_t row, uint16_t column, int rows_up)
{
    if (self->help > 0) {
        return;
    }
    const latency_view latencies = view_of_latency(self, tg_clock_mono_ns(&self->clock));
    if (is_in_list(self, row, column)) {
        list_pane_scroll(self->list, -rows_up);
    } else if (!latency_mouse_wheel(latency_chosen(self->parts.latency),
                                    desk_layout(self->desk)->area[PANEL_LATENCY], &latencies, row,
                                    column, rows_up)) {
        desk_scroll_at(self->desk, row, column, rows_up);
    }
}

void screen_restore(screen *self, const saved_state *from)
{
    if (from->has_panels) {
        desk_show_panels(self->desk, from->panel);
    }
    list_pane_restore(self->list, from);
    tell_of_list(self);
}

void screen_save(const screen *self, saved_state *to)
{
    const uint32_t panels = desk_panels(self->desk);
    to->has_panels = true;
    for (int i = 0; i < PANEL_COUNT; i++) {
        to->panel[i] = (panels >> i & 1u) != 0;
    }
    list_pane_save(self->list, to);
}

void screen_set_palette(screen *self, const tg_palette *palette)
{
    self->parts.palette = palette;
}

const tg_palette *screen_palette(const screen *self)
{
    return self->parts.palette;
}

bool screen_shows(const screen *self, const char *text)
{
    return drawn_text_holds(self->drawn, text);
}

tg_err screen_redraw(screen *self)
{
    tg_grid_forget(self->grid);
    const tg_err err = tg_window_draw(self->parts.window, tg_grid_damage(self->grid));
    return err == TG_OK ? tg_window_present(self->parts.window) : err;
}
