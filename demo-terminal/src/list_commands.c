#include "list_pane_state.h"

#include <stdio.h>
#include <string.h>

size_t list_pane_selected(const list_pane *self)
{
    const size_t index = list_view_selected(self->list);
    return index == LIST_VIEW_NO_ROW ? FEED_NO_ROW : index;
}

void list_pane_select(list_pane *self, size_t index)
{
    list_view_take(self->list, list_pane_row(self, 0), feed_row_count(self->parts.feed),
                   feed_list_number(self->parts.feed));
    list_view_select(self->list, index);
}

void list_pane_confirm(list_pane *self, size_t index)
{
    (void)price_alerts_confirm(&self->alerts, index);
}

static void sort_by(list_pane *self, column_id column)
{
    row_sort by = list_view_sort(self->list);
    by.descending = by.column == column && !by.descending;
    by.column = column;
    list_view_set_sort(self->list, by);
    self->order_due = true;
    self->settling = false;
}

static void take_column_away(list_pane *self)
{
    if (!column_may_be_off(self->cursor)) {
        list_pane_say(self, false, "symbol, quality and age are always shown", NULL);
        return;
    }
    self->layout.off[self->cursor] = true;
    columns_fit(&self->layout, self->layout.total);
    self->cursor = columns_next(&self->layout, self->cursor, false);
}

static void show_all_columns(list_pane *self)
{
    memset(self->layout.off, 0, sizeof self->layout.off);
    columns_fit(&self->layout, self->layout.total);
    for (int c = 0; c < COLUMN_COUNT; c++) {
        if (!self->layout.shown[c]) {
            list_pane_say(self, false, "some have no room in this window", NULL);
        }
    }
}

/* Removed names are kept from run to run: no more of them than the file takes. */
static bool may_remove(list_pane *self)
{
    size_t count = 0;
    for (size_t i = 0; i < feed_row_count(self->parts.feed); i++) {
        count += list_pane_row(self, i)->refused ? 1 : 0;
    }
    return count < SAVED_NAMES_MAX;
}

static void remove_row(list_pane *self, size_t index)
{
    if (index >= feed_row_count(self->parts.feed) || !list_pane_row(self, index)->listed) {
        return;
    }
    if (!may_remove(self)) {
        list_pane_say(self, true, "256 were taken away already: take them out of the symbols",
                      NULL);
        return;
    }
    /* The next one in the list is selected, not the first. */
    const size_t place = list_view_place(self->list, index);
    (void)feed_remove(self->parts.feed, index);
    (void)price_alerts_remove(&self->alerts, index);
    list_view_take(self->list, list_pane_row(self, 0), feed_row_count(self->parts.feed),
                   feed_list_number(self->parts.feed));
    const size_t count = list_view_count(self->list);
    if (place != LIST_VIEW_NO_ROW && count > 0 && self->mode != MODE_SEARCH) {
        list_view_select(self->list, list_view_at(self->list, place < count ? place : count - 1));
    }
    list_pane_say(self, false, " taken away; Ctrl-F finds it again", list_pane_row(self, index));
}

static void add_found(list_pane *self)
{
    const search_result *result = search_box_selected(&self->search);
    size_t index = 0;
    size_t added = 0;
    if (result == NULL) {
        return;
    }
    for (size_t i = 0; i < feed_row_count(self->parts.feed); i++) {
        added += list_pane_row(self, i)->listed && !list_pane_row(self, i)->given ? 1 : 0;
    }
    if (added >= SAVED_NAMES_MAX) {
        list_pane_say(self, true, "256 were added already: put them into the symbols", NULL);
        return;
    }
    const tg_err err = feed_add(self->parts.feed, result->venue, result->symbol, &index);
    if (err == TG_ERR_FULL) {
        list_pane_say(self, true, "the watchlist has no room for more names in this run", NULL);
        return;
    }
    list_pane_select(self, index);
    list_pane_say(self, false, err == TG_OK ? " added" : " is in the watchlist",
                  list_pane_row(self, index));
}

static void remove_found(list_pane *self)
{
    const search_result *result = search_box_selected(&self->search);
    if (result != NULL) {
        remove_row(self, feed_find(self->parts.feed, result->venue, result->symbol));
    }
}

static void open_line(list_pane *self, pane_mode mode)
{
    self->mode = mode;
    text_line_clear(&self->line);
    search_box_clear(&self->search);
}

static void open_alert(list_pane *self)
{
    const size_t selected = list_pane_selected(self);
    if (selected == FEED_NO_ROW) {
        list_pane_say(self, false, "no row is selected", NULL);
        return;
    }
    open_line(self, MODE_ALERT);
    self->line_row = selected;
    (void)snprintf(self->line_label, sizeof self->line_label, "alert when %s reaches",
                   list_pane_row(self, selected)->symbol);
    const price_alert *alert = price_alerts_find(&self->alerts, selected);
    char text[TG_DECIMAL_TEXT_SIZE];
    if (alert != NULL && tg_decimal_format(alert->price, text, sizeof text) == TG_OK) {
        (void)text_line_add(&self->line, text);
    }
}

static void set_alert(list_pane *self)
{
    tg_decimal price;
    const watch_row *row = list_pane_row(self, self->line_row);
    if (self->line.length == 0) {
        list_pane_say(self, false,
                      price_alerts_remove(&self->alerts, self->line_row)
                          ? ": nothing is waited for any more"
                          : ": no price, no alert",
                      row);
        self->mode = MODE_LIST;
        return;
    }
    if (tg_decimal_parse(self->line.text, self->line.length, &price) != TG_OK) {
        list_pane_say(self, true, "a price is digits with a point: 99.5, -37.63", NULL);
        return; /* the line stays, to be corrected */
    }
    if (price_alerts_set(&self->alerts, self->line_row, price) != TG_OK) {
        list_pane_say(self, true, "256 prices are waited for already", NULL);
        return;
    }
    self->mode = MODE_LIST;
    char what[TEXT_LINE_SIZE + 32];
    (void)snprintf(what, sizeof what, ": waits for %s", self->line.text);
    list_pane_say(self, false, what, row);
}

/* What lies over the list, or waits for a price, must not let keys through to what is under it. */
static bool is_out_of_reach(const list_pane *self, list_action action)
{
    switch (self->mode) {
    case MODE_LIST:
        break;
    case MODE_SEARCH:
        return action != LIST_SEARCH && action != LIST_REMOVE;
    case MODE_ALERT:
        return action == LIST_REMOVE;
    }
    return false;
}

void list_pane_do(list_pane *self, list_action action)
{
    if (is_out_of_reach(self, action)) {
        return;
    }
    self->settling = false; /* whoever does something has an order before his eyes */
    switch (action) {
    case LIST_COLUMN_LEFT:
    case LIST_COLUMN_RIGHT:
        self->cursor = columns_next(&self->layout, self->cursor, action == LIST_COLUMN_LEFT);
        break;
    case LIST_SORT:
        sort_by(self, self->cursor);
        break;
    case LIST_SORT_AGAIN:
        self->order_due = true;
        break;
    case LIST_SORT_NONE:
        list_view_set_sort(self->list, (row_sort){ROW_SORT_NONE, false});
        self->order_due = true;
        break;
    case LIST_COLUMN_OFF:
        take_column_away(self);
        break;
    case LIST_COLUMNS_ALL:
        show_all_columns(self);
        break;
    case LIST_SEARCH:
        open_line(self, MODE_SEARCH);
        break;
    case LIST_ALERT:
        open_alert(self);
        break;
    case LIST_REMOVE:
        if (self->mode == MODE_SEARCH) {
            remove_found(self);
        } else {
            remove_row(self, list_pane_selected(self));
        }
        break;
    case LIST_COPY_CELL:
        self->copy_cell_due = true;
        break;
    case LIST_COPY_ROW:
        self->copy_row_due = true;
        break;
    case LIST_EXPORT:
        self->export_due = true;
        break;
    }
}

bool list_pane_type(list_pane *self, const char *text)
{
    self->settling = false;
    switch (self->mode) {
    case MODE_LIST:
        return list_view_type(self->list, text);
    case MODE_SEARCH:
        return search_box_type(&self->search, text);
    case MODE_ALERT:
        return text_line_add(&self->line, text);
    }
    return false;
}

bool list_pane_rub_out(list_pane *self)
{
    switch (self->mode) {
    case MODE_LIST:
        return list_view_rub_out(self->list);
    case MODE_SEARCH:
        return search_box_rub_out(&self->search);
    case MODE_ALERT:
        return text_line_rub_out(&self->line);
    }
    return false;
}

bool list_pane_is_typing(const list_pane *self)
{
    return self->mode != MODE_LIST || list_view_filter(self->list)[0] != '\0';
}

bool list_pane_enter(list_pane *self)
{
    switch (self->mode) {
    case MODE_LIST:
        return false;
    case MODE_SEARCH:
        add_found(self);
        break;
    case MODE_ALERT:
        set_alert(self);
        break;
    }
    return true;
}

bool list_pane_go_back(list_pane *self)
{
    if (self->mode != MODE_LIST) {
        open_line(self, MODE_LIST);
        return true;
    }
    return list_view_clear_filter(self->list) ||
           price_alerts_confirm(&self->alerts, list_view_selected(self->list));
}

static size_t moved(size_t from, int rows_down, size_t count)
{
    const size_t last = count > 0 ? count - 1 : 0;
    if (rows_down < 0) {
        const size_t up = (size_t) - (int64_t)rows_down;
        return from > up ? from - up : 0;
    }
    const size_t down = from + (size_t)rows_down;
    return down < last ? down : last;
}

void list_pane_move(list_pane *self, int rows_down)
{
    self->settling = false;
    if (self->mode == MODE_SEARCH) {
        search_box_move(&self->search, rows_down);
    } else {
        list_view_move(self->list, rows_down);
    }
}

void list_pane_page(list_pane *self, int pages_down)
{
    const int page = self->area.height > 1 ? self->area.height - 1 : 1;
    const size_t at = list_view_place(self->list, list_view_selected(self->list));
    if (self->mode == MODE_SEARCH || at == LIST_VIEW_NO_ROW) {
        list_pane_move(self, page * pages_down);
        return;
    }
    self->settling = false;
    /* The selection stays at its place on the screen where the list goes on. */
    list_view_scroll(self->list, page * pages_down);
    list_view_select(self->list, list_view_at(self->list, moved(at, page * pages_down,
                                                                list_view_count(self->list))));
}

void list_pane_scroll(list_pane *self, int rows_down)
{
    self->settling = false;
    if (self->mode == MODE_SEARCH) {
        list_pane_move(self, rows_down);
    } else {
        list_view_scroll(self->list, rows_down);
    }
}

bool list_pane_click(list_pane *self, uint16_t row, uint16_t column, unsigned clicks)
{
    self->settling = false;
    if (self->mode == MODE_SEARCH) {
        if (search_box_click(&self->search, row) && clicks >= 2) {
            add_found(self);
        }
        return false;
    }
    const column_id at = columns_at(&self->layout, column);
    if (at != COLUMN_COUNT) {
        self->cursor = at;
    }
    if (row == self->title_row) {
        if (at != COLUMN_COUNT) {
            sort_by(self, at);
        }
        return false;
    }
    if (row < self->area.row || row - self->area.row >= (int)self->shown_count) {
        return false;
    }
    const size_t index = self->shown[row - self->area.row].index;
    list_view_select(self->list, index);
    list_pane_confirm(self, index);
    return clicks >= 2;
}
