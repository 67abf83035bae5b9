#include "list_pane_state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "list_memory.h"
#include "quality_look.h"
#include "row_text.h"
#include "shown_version.h"
#include "watchlist_export.h"

#define TEXT_SIZE 128

tg_err list_pane_resize(list_pane *self, uint16_t grid_rows)
{
    shown_row *shown = calloc(grid_rows, sizeof *shown);
    size_t *visible = calloc(grid_rows, sizeof *visible);
    size_t *before = calloc(grid_rows, sizeof *before);
    if (shown == NULL || visible == NULL || before == NULL) {
        free(shown);
        free(visible);
        free(before);
        return TG_ERR_NO_MEMORY;
    }
    free(self->shown);
    free(self->visible);
    free(self->before);
    self->shown = shown;
    self->visible = visible;
    self->before = before;
    self->grid_rows = grid_rows;
    self->shown_count = 0;
    list_pane_forget(self);
    return TG_OK;
}

void list_pane_forget(list_pane *self)
{
    self->pass_number++; /* no row was on the screen in the pass before */
    self->written_count = 0;
    for (uint16_t i = 0; i < self->grid_rows; i++) {
        self->before[i] = FEED_NO_ROW;
    }
}

tg_err list_pane_open(const list_pane_parts *parts, uint16_t grid_rows, list_pane **out)
{
    *out = NULL;
    list_pane *self = calloc(1, sizeof *self);
    if (self == NULL) {
        return TG_ERR_NO_MEMORY;
    }
    self->parts = *parts;
    self->search.feed = parts->feed;
    self->cursor = COLUMN_SYMBOL;
    columns_init(&self->layout);
    self->keys = calloc(FEED_ROWS_MAX, sizeof *self->keys);
    tg_err err = self->keys != NULL ? list_view_open(FEED_ROWS_MAX, &self->list) : TG_ERR_NO_MEMORY;
    if (err == TG_OK) {
        err = list_pane_resize(self, grid_rows);
    }
    if (err != TG_OK) {
        list_pane_close(self);
        return err;
    }
    *out = self;
    return TG_OK;
}

void list_pane_close(list_pane *self)
{
    if (self != NULL) {
        list_view_close(self->list);
        free(self->shown);
        free(self->visible);
        free(self->before);
        free(self->keys);
        free(self);
    }
}

void list_pane_say(list_pane *self, bool bad, const char *what, const watch_row *row)
{
    (void)snprintf(self->notice, sizeof self->notice, "%s%s%s%s", row != NULL ? row->venue : "",
                   row != NULL ? ":" : "", row != NULL ? row->symbol : "", what);
    self->notice_is_bad = bad;
}

bool list_pane_take_notice(list_pane *self, char text[FEED_NOTICE_SIZE], bool *bad)
{
    const bool any = self->notice[0] != '\0';
    (void)snprintf(text, FEED_NOTICE_SIZE, "%s", self->notice);
    *bad = self->notice_is_bad;
    self->notice[0] = '\0';
    return any;
}

/* --- one pass --- */

watch_row *list_pane_row(list_pane *self, size_t index)
{
    return feed_row(self->parts.feed, index);
}

static watch_view look_up(const list_pane *self, const list_pane_pass *pass, size_t index,
                          row_copy *copy)
{
    return row_lookup(self->parts.feed, pass->view, feed_row(self->parts.feed, index),
                      pass->now_mono_ns, copy);
}

/* Asked for by somebody, so that its cost is his: a pass without it allocates and sorts nothing. */
static void make_order(list_pane *self, const list_pane_pass *pass)
{
    const row_sort by = list_view_sort(self->list);
    const size_t count = list_view_total(self->list);
    for (size_t i = 0; i < count; i++) {
        row_copy copy;
        const size_t index = list_view_unfiltered(self->list, i);
        const watch_view view = look_up(self, pass, index, &copy);
        self->keys[i] = row_sort_key(by, index, list_pane_row(self, index), &view);
    }
    list_view_order(self->list, self->keys, count);
    self->order_due = false;
    self->order_is_old = false;
}

/* Compares what the view has with what was drawn of this row. */
static void note_version(const list_pane *self, shown_row *shown, watch_row *watch,
                         int64_t now_mono_ns)
{
    const tg_image *image = &shown->copy.row.image;
    shown->version = tg_image_version(image);
    shown->fresh = !watch->drawn || tg_version_compare(watch->version, shown->version) != 0;
    if (!shown->fresh) {
        return;
    }
    /* In this one: the pass before was of this row alone. */
    shown->timed = watch->shown_pass + 1 >= self->pass_number;
    shown->times = (fresh_row){
        .received_mono_ns = shown->copy.row.received_mono_ns,
        .committed_mono_ns = shown->copy.row.committed_mono_ns,
        .ts_exchange_ns =
            tg_image_has(image, TG_FIELD_TS_EXCHANGE) ? image->value[TG_FIELD_TS_EXCHANGE] : 0,
        .first = !watch->drawn,
    };
    watch_row_take(watch, image, now_mono_ns);
}

/* What the view has of a row, and whether that is news on the screen. True: it may be old. */
static bool collect_row(list_pane *self, const list_pane_pass *pass, shown_row *shown)
{
    watch_row *watch = list_pane_row(self, shown->index);
    const price_alert *alert = price_alerts_find(&self->alerts, shown->index);
    shown->fresh = false;
    shown->timed = false;
    shown->view = look_up(self, pass, shown->index, &shown->copy);
    shown->view.selected = shown->index == list_view_selected(self->list);
    shown->view.alarmed = alert != NULL && alert->crossed;
    if (shown->view.row == NULL) {
        return false;
    }
    note_version(self, shown, watch, pass->now_mono_ns);
    return quality_is_suspect(shown->copy.row.quality);
}

/* Takes from the view what the list will show. */
static size_t collect_rows(list_pane *self, const list_pane_pass *pass)
{
    const size_t top = list_view_top(self->list);
    size_t suspect = 0;
    self->shown_count = 0;
    for (size_t i = 0; i < self->area.height && top + i < list_view_count(self->list); i++) {
        shown_row *shown = &self->shown[self->shown_count];
        shown->index = list_view_at(self->list, top + i);
        self->visible[self->shown_count++] = shown->index;
        shown->moved = self->before[i] != shown->index;
        self->before[i] = shown->index;
        suspect += collect_row(self, pass, shown) ? 1 : 0;
        list_pane_row(self, shown->index)->shown_pass = self->pass_number;
    }
    return suspect;
}

/* Writes the row unless its cells are there already. Returns when one of its flashes fades. */
static int64_t write_row(list_pane *self, const list_pane_pass *pass, size_t place)
{
    shown_row *shown = &self->shown[place];
    const watch_row *watch = list_pane_row(self, shown->index);
    row_look look;
    row_look_of(watch, &shown->view, pass->now_mono_ns, &look);
    if (place >= self->written_count || !row_look_equal(&look, &shown->look)) {
        watchlist_draw_row(pass->grid, (uint16_t)(self->area.row + place), &self->layout,
                           pass->palette, watch, &shown->view, pass->now_mono_ns);
        shown->look = look;
    }
    return watch_row_next_phase_mono_ns(watch, pass->now_mono_ns);
}

static int64_t write_rows(list_pane *self, const list_pane_pass *pass)
{
    int64_t next_mono_ns = INT64_MAX;
    for (size_t i = 0; i < self->shown_count; i++) {
        const int64_t phase_ns = write_row(self, pass, i);
        next_mono_ns = phase_ns < next_mono_ns ? phase_ns : next_mono_ns;
    }
    return next_mono_ns;
}

/* Where there were rows that are gone, without anything having been cleared. */
static void blank_rows(const list_pane *self, const list_pane_pass *pass, size_t from, size_t end)
{
    const tg_style blank = {pass->palette->text, pass->palette->background, 0};
    for (size_t i = from; i < end; i++) {
        const tg_span row = {(uint16_t)(self->area.row + i), 0, pass->width};
        tg_grid_fill(pass->grid, row, blank);
    }
}

/* Writes the list, again if a column turned out too narrow: nobody sees the first try. */
static int64_t write_list(list_pane *self, const list_pane_pass *pass, size_t *suspect_count)
{
    const size_t suspect = collect_rows(self, pass);
    *suspect_count = suspect > *suspect_count ? suspect : *suspect_count;
    int64_t next_mono_ns = write_rows(self, pass);
    if (self->layout.grew) {
        columns_fit(&self->layout, self->layout.total);
        blank_rows(self, pass, self->shown_count, self->written_count);
        self->written_count = 0;
        next_mono_ns = write_rows(self, pass);
    }
    blank_rows(self, pass, self->shown_count, self->written_count);
    self->written_count = self->shown_count;
    const row_sort by = list_view_sort(self->list);
    const watchlist_titles titles = {.focused = pass->focused,
                                     .cursor = self->cursor,
                                     .sorted = by.column,
                                     .descending = by.descending,
                                     .order_is_old = self->order_is_old};
    watchlist_draw_titles(pass->grid, self->title_row, &self->layout, pass->palette, &titles);
    return next_mono_ns;
}

static void write_search(list_pane *self, const list_pane_pass *pass)
{
    blank_rows(self, pass, 0, self->area.height); /* an answer may be shorter than the one before */
    const panel_area area = {self->title_row, 0, pass->width, (uint16_t)(self->area.height + 1)};
    search_box_draw(&self->search, pass->grid, pass->palette, area, pass->focused);
}

/* Every price that is waited for is looked at in every view, on the screen or not. */
static void take_alerts(list_pane *self, const list_pane_pass *pass)
{
    for (size_t i = 0; i < self->alerts.count; i++) {
        const size_t index = self->alerts.alert[i].index;
        row_copy copy;
        const watch_view view = look_up(self, pass, index, &copy);
        tg_field field = TG_FIELD_LAST_PRICE;
        if (view.row == NULL || view.instrument == NULL || quality_is_suspect(copy.row.quality)) {
            continue;
        }
        if (!tg_image_has(&copy.row.image, field)) {
            field = TG_FIELD_BID_PRICE; /* a market without trades */
        }
        const tg_decimal price = {copy.row.image.value[field], view.instrument->price_exponent};
        if (tg_image_has(&copy.row.image, field) &&
            price_alerts_take(&self->alerts, index, price)) {
            char text[TG_DECIMAL_TEXT_SIZE] = "";
            char what[TG_DECIMAL_TEXT_SIZE + 32];
            (void)!tg_decimal_format(self->alerts.alert[i].price, text, sizeof text);
            (void)snprintf(what, sizeof what, " has %s %s",
                           self->alerts.alert[i].upwards ? "\xE2\x96\xB2 risen to"
                                                         : "\xE2\x96\xBC fallen to",
                           text);
            list_pane_say(self, true, what, list_pane_row(self, index));
        }
    }
}

static void copy_to_clipboard(list_pane *self, const list_pane_pass *pass)
{
    const size_t selected = list_view_selected(self->list);
    char cell[ROW_TEXT_CELL_SIZE];
    char text[ROW_TEXT_SIZE];
    row_copy copy;
    if (selected == LIST_VIEW_NO_ROW) {
        list_pane_say(self, false, "no row is selected", NULL);
        return;
    }
    const watch_view view = look_up(self, pass, selected, &copy);
    if (self->copy_row_due) {
        row_text_tsv(&self->layout, &view, text);
    } else {
        row_text_cell(self->cursor, &view, cell);
        (void)snprintf(text, sizeof text, "%s", cell);
    }
    if (tg_window_copy(self->parts.window, text) == TG_OK) {
        char what[64];
        (void)snprintf(what, sizeof what, ": %s copied",
                       self->copy_row_due ? "row" : column_title(self->cursor));
        list_pane_say(self, false, what, list_pane_row(self, selected));
    } else {
        list_pane_say(self, true, "the clipboard cannot be used", NULL);
    }
}

static void export_rows(list_pane *self, const list_pane_pass *pass)
{
    watchlist_export *to = NULL;
    char path[WATCHLIST_EXPORT_PATH_SIZE];
    char text[FEED_NOTICE_SIZE];
    tg_err err = watchlist_export_open(list_view_count(self->list), &to);
    for (size_t i = 0; err == TG_OK && i < list_view_count(self->list); i++) {
        row_copy copy;
        const watch_view view = look_up(self, pass, list_view_at(self->list, i), &copy);
        watchlist_export_add(to, &view, pass->now_utc_ns);
    }
    if (err == TG_OK) {
        watchlist_export_path(pass->now_utc_ns, path);
        /* Some kilobytes into a new file, because a key was pressed: not worth a thread. */
        err = watchlist_export_write(to, path);
    }
    if (err == TG_OK) {
        (void)snprintf(text, sizeof text, "written: %s, %zu rows", path,
                       list_view_count(self->list));
    } else {
        (void)snprintf(text, sizeof text, "not exported: %s",
                       err == TG_ERR_IO ? strerror(errno) : tg_err_text(err));
    }
    watchlist_export_close(to);
    list_pane_say(self, err != TG_OK, text, NULL);
}

static void do_what_is_due(list_pane *self, const list_pane_pass *pass)
{
    if (self->order_due) {
        make_order(self, pass);
    }
    if (self->copy_cell_due || self->copy_row_due) {
        copy_to_clipboard(self, pass);
    }
    if (self->export_due) {
        export_rows(self, pass);
    }
    self->copy_cell_due = false;
    self->copy_row_due = false;
    self->export_due = false;
}

int64_t list_pane_draw(list_pane *self, const list_pane_pass *pass, size_t *suspect_count)
{
    const uint16_t rows = tg_grid_rows(pass->grid);
    const uint16_t first = (uint16_t)(pass->title_row + 1);
    int64_t next_mono_ns = INT64_MAX;
    self->pass_number++;
    if (!pass->retained) {
        self->written_count = 0;
    }
    self->title_row = pass->title_row;
    self->area = (panel_area){first, 0, pass->width,
                              rows > first + 1 ? (uint16_t)(rows - first - 1) : (uint16_t)0};
    list_view_take(self->list, list_pane_row(self, 0), feed_row_count(self->parts.feed),
                   feed_list_number(self->parts.feed));
    list_view_fit(self->list, self->area.height);
    if (pass->width > 0 && pass->width != self->layout.total) {
        columns_fit(&self->layout, pass->width);
        self->written_count = 0;
    }
    do_what_is_due(self, pass);
    take_alerts(self, pass);
    self->shown_count = 0;
    if (pass->covered) {
        return next_mono_ns;
    }
    if (pass->width == 0) {
        self->written_count = 0; /* the panels have its place */
    } else if (self->mode == MODE_SEARCH) {
        self->written_count = 0;
        write_search(self, pass);
    } else {
        next_mono_ns = write_list(self, pass, suspect_count);
    }
    feed_set_visible(self->parts.feed, self->visible, self->shown_count);
    return next_mono_ns;
}

bool list_pane_draw_one(list_pane *self, const list_pane_pass *pass, size_t index,
                        int64_t *next_mono_ns)
{
    *next_mono_ns = INT64_MAX;
    take_alerts(self, pass);
    for (size_t i = 0; i < self->shown_count; i++) {
        shown_row *shown = &self->shown[i];
        shown->moved = false;
        if (shown->index != index) {
            shown->fresh = false;
            continue;
        }
        (void)collect_row(self, pass, shown);
        *next_mono_ns = write_row(self, pass, i);
    }
    /* Columns of another width, and what there is to say below, are the whole list's. */
    return !self->layout.grew && self->notice[0] == '\0';
}

/* Judges a row by the text that stands on the glass. */
static void check_row(const list_pane *self, const drawn_text *drawn, size_t place, uint64_t pass)
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
                columns_span(&self->layout, columns[i], (uint16_t)(self->area.row + place));
            drawn_text_get(drawn, span.row, span.column, span.width, text[i], TEXT_SIZE);
            shown[i] = text[i];
        }
    }
    const shown_row *row = &self->shown[place];
    const glass_row on_glass = {
        /* Where no column says it, the one that was meant: prices are judged all the same. */
        .venue = shown[0] != NULL ? shown[0] : row->view.venue,
        .symbol = shown[1],
        .bid_size = shown[2],
        .bid = shown[3],
        .ask = shown[4],
        .ask_size = shown[5],
        .last = shown[6],
        .epoch = row->version.epoch,
        .seq = row->version.seq};
    const glass_verdict verdict = glass_check_row(self->parts.check, row->index, &on_glass);
    session_record_glass(self->parts.record, pass, row->index, row->version, (int)verdict);
}

void list_pane_look(list_pane *self, const drawn_text *drawn, const tg_draw_list *list,
                    uint64_t pass)
{
    size_t run = 0;
    for (size_t i = 0; i < self->shown_count; i++) {
        const size_t row = self->area.row + i;
        while (run < list->run_count && list->runs[run].row < row) {
            run++;
        }
        /* Runs of one row lie from left to right: the first one tells. A row that came there and
         * looks like the one before is another one all the same. */
        const bool touched = run < list->run_count && list->runs[run].row == row &&
                             list->runs[run].column < self->layout.total;
        if ((touched || self->shown[i].moved) && self->shown[i].view.row != NULL) {
            check_row(self, drawn, i, pass);
        }
    }
}

void list_pane_note(list_pane *self, const pass_stamps *stamps)
{
    for (size_t i = 0; i < self->shown_count; i++) {
        const shown_row *shown = &self->shown[i];
        if (shown->fresh && shown->timed) {
            glass_times_record(self->parts.times, &shown->times, stamps);
            latency_row(self->parts.latency, &shown->times, stamps);
        }
    }
}

void list_pane_record(const list_pane *self, uint64_t pass)
{
    uint16_t slots[TG_GRID_SIDE_MAX];
    for (size_t i = 0; i < self->shown_count; i++) {
        slots[i] = (uint16_t)self->shown[i].index;
    }
    session_record_list(self->parts.record, slots, self->shown_count);
    for (size_t i = 0; i < self->shown_count; i++) {
        const size_t index = self->shown[i].index;
        if (self->shown[i].view.row != NULL) {
            const shown_version shown = shown_version_of(index, feed_row(self->parts.feed, index),
                                                         &self->shown[i].copy.row);
            session_record_row(self->parts.record, pass, &shown);
        }
    }
}

list_choice list_pane_choice(const list_pane *self)
{
    const row_sort by = list_view_sort(self->list);
    const size_t selected = list_view_selected(self->list);
    list_choice choice = {
        .first_row = (uint32_t)list_view_top(self->list),
        .selected = selected == LIST_VIEW_NO_ROW ? UINT32_MAX : (uint32_t)selected,
        .sort = by.column == ROW_SORT_NONE ? "" : column_name(by.column),
        .descending = by.descending ? 1 : 0,
        .order_is_old = self->order_is_old ? 1 : 0,
        .column = (uint32_t)self->cursor,
        .mode = (uint32_t)self->mode,
        .filter = list_view_filter(self->list),
        .typed = self->mode == MODE_SEARCH ? self->search.line.text : self->line.text,
    };
    for (int c = 0; c < COLUMN_COUNT; c++) {
        choice.columns |= self->layout.shown[c] ? UINT32_C(1) << c : 0;
    }
    return choice;
}

/* A row that was fine and is not any more, although the session is. */
static void tell_of_stale(list_pane *self, size_t count, size_t index, const char *word)
{
    char what[96];
    if (count == 1) {
        (void)snprintf(what, sizeof what, " is %s", word);
    } else {
        (void)snprintf(what, sizeof what, " is %s, and %zu more are not current", word, count - 1);
    }
    if (count > 0) {
        list_pane_say(self, true, what, list_pane_row(self, index));
    }
}

list_pane_counts list_pane_count(list_pane *self, const tg_view *view, int64_t now_mono_ns,
                                 bool live)
{
    const list_pane_pass pass = {.view = view, .now_mono_ns = now_mono_ns};
    const row_sort by = list_view_sort(self->list);
    list_pane_counts counts = {0, 0};
    size_t got_old = 0;
    size_t old_index = 0;
    const char *old_word = "";
    row_key before;
    bool in_order = true;
    for (size_t i = 0; i < list_view_total(self->list); i++) {
        row_copy copy;
        const size_t index = list_view_unfiltered(self->list, i);
        const watch_view shown = look_up(self, &pass, index, &copy);
        const bool suspect = shown.row != NULL && quality_is_suspect(copy.row.quality);
        watch_row *watch = list_pane_row(self, index);
        counts.rows_with_data += shown.row != NULL ? 1 : 0;
        counts.suspect += suspect ? 1 : 0;
        if (suspect && watch->was_current) {
            old_index = got_old == 0 ? index : old_index;
            old_word = got_old == 0 ? shown.word : old_word;
            got_old++;
        }
        watch->was_current = shown.row != NULL && !suspect;
        const row_key key = row_sort_key(by, index, watch, &shown);
        in_order = in_order && (i == 0 || row_key_compare(&before, &key) < 0);
        before = key;
    }
    if (live) {
        tell_of_stale(self, got_old, old_index, old_word);
    }
    self->order_is_old = by.column != ROW_SORT_NONE && !in_order;
    if (self->settling) {
        self->order_due = self->order_is_old;
        self->settling = counts.rows_with_data < list_view_total(self->list);
    }
    return counts;
}

list_pane_line list_pane_footer(const list_pane *self)
{
    list_pane_line line = {.first_row = list_view_top(self->list),
                           .shown_count = self->shown_count,
                           .row_count = list_view_count(self->list),
                           .total = list_view_total(self->list),
                           .text = ""};
    if (self->mode == MODE_ALERT) {
        line.label = self->line_label;
        line.text = self->line.text;
    } else if (list_view_filter(self->list)[0] != '\0') {
        line.label = "filter";
        line.text = list_view_filter(self->list);
    }
    return line;
}

/* --- from run to run --- */

static list_memory memory_of(list_pane *self)
{
    const list_memory memory = {self->parts.feed, self->list, &self->layout, &self->alerts};
    return memory;
}

void list_pane_restore(list_pane *self, const saved_state *from)
{
    const list_memory memory = memory_of(self);
    if (!list_memory_restore(&memory, from)) {
        list_pane_say(self, true, "the watchlist has no room for all that was saved", NULL);
    }
    self->settling = from->sort[0] != '\0';
    self->order_is_old = self->settling;
}

void list_pane_save(list_pane *self, saved_state *to)
{
    const list_memory memory = memory_of(self);
    list_memory_save(&memory, to);
}
