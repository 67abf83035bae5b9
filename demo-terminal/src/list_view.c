#include "list_view.h"

#include <stdlib.h>
#include <string.h>

#include "row_filter.h"

struct list_view {
    size_t capacity;
    size_t *all; /* indices of the listed rows in their order */
    size_t all_count;
    size_t *shown; /* those that the filter leaves */
    size_t shown_count;
    size_t *place; /* of each index in shown, or LIST_VIEW_NO_ROW */
    bool *known;   /* index stands in all */
    const watch_row *rows;
    uint64_t number;
    bool taken;
    text_line filter;
    row_sort sort;
    size_t selected; /* an index: the instrument stays selected wherever its row goes */
    size_t top;
    size_t height;
};

tg_err list_view_open(size_t capacity, list_view **out)
{
    *out = NULL;
    list_view *self = calloc(1, sizeof *self);
    if (self == NULL) {
        return TG_ERR_NO_MEMORY;
    }
    self->capacity = capacity;
    self->all = calloc(capacity + 1, sizeof *self->all);
    self->shown = calloc(capacity + 1, sizeof *self->shown);
    self->place = calloc(capacity + 1, sizeof *self->place);
    self->known = calloc(capacity + 1, sizeof *self->known);
    self->sort.column = ROW_SORT_NONE;
    self->selected = LIST_VIEW_NO_ROW;
    if (self->all == NULL || self->shown == NULL || self->place == NULL || self->known == NULL) {
        list_view_close(self);
        return TG_ERR_NO_MEMORY;
    }
    *out = self;
    return TG_OK;
}

void list_view_close(list_view *self)
{
    if (self != NULL) {
        free(self->all);
        free(self->shown);
        free(self->place);
        free(self->known);
        free(self);
    }
}

/* --- rows --- */

static size_t limited(size_t value, size_t most)
{
    return value < most ? value : most;
}

static void keep_selection(list_view *self)
{
    const size_t at = list_view_place(self, self->selected);
    if (self->shown_count > 0 && at == LIST_VIEW_NO_ROW) {
        self->selected = self->shown[limited(self->top, self->shown_count - 1)];
    }
}

static void keep_on_screen(list_view *self)
{
    const size_t at = list_view_place(self, self->selected);
    const size_t last_top = self->shown_count > self->height ? self->shown_count - self->height : 0;
    if (at != LIST_VIEW_NO_ROW && at < self->top) {
        self->top = at;
    }
    if (at != LIST_VIEW_NO_ROW && self->height > 0 && at >= self->top + self->height) {
        self->top = at - self->height + 1;
    }
    self->top = limited(self->top, last_top);
}

static void leave_out(list_view *self)
{
    for (size_t i = 0; i < self->shown_count; i++) {
        self->place[self->shown[i]] = LIST_VIEW_NO_ROW;
    }
    self->shown_count = 0;
    for (size_t i = 0; i < self->all_count; i++) {
        const size_t index = self->all[i];
        self->place[index] = LIST_VIEW_NO_ROW;
        if (row_filter_fits(self->filter.text, self->rows[index].venue, self->rows[index].symbol)) {
            self->place[index] = self->shown_count;
            self->shown[self->shown_count++] = index;
        }
    }
    keep_selection(self);
    keep_on_screen(self);
}

void list_view_take(list_view *self, const watch_row *rows, size_t count, uint64_t number)
{
    if (self->taken && number == self->number && rows == self->rows) {
        return;
    }
    self->taken = true;
    self->number = number;
    self->rows = rows;
    size_t kept = 0;
    for (size_t i = 0; i < self->all_count; i++) {
        const size_t index = self->all[i];
        self->known[index] = index < count && rows[index].listed;
        self->place[index] = LIST_VIEW_NO_ROW;
        if (self->known[index]) {
            self->all[kept++] = index;
        }
    }
    for (size_t index = 0; index < count && index < self->capacity; index++) {
        if (rows[index].listed && !self->known[index]) {
            self->known[index] = true;
            self->all[kept++] = index;
        }
    }
    self->all_count = kept;
    self->shown_count = 0; /* its places are gone with the rows */
    leave_out(self);
}

size_t list_view_total(const list_view *self)
{
    return self->all_count;
}

size_t list_view_count(const list_view *self)
{
    return self->shown_count;
}

size_t list_view_at(const list_view *self, size_t place)
{
    return self->shown[place];
}

size_t list_view_place(const list_view *self, size_t index)
{
    return index < self->capacity && self->known[index] ? self->place[index] : LIST_VIEW_NO_ROW;
}

/* --- filter --- */

const char *list_view_filter(const list_view *self)
{
    return self->filter.text;
}

bool list_view_type(list_view *self, const char *text)
{
    /* A blank in front of the first word would be a filter that nobody sees. */
    if ((self->filter.length == 0 && text[0] == ' ') || !text_line_add(&self->filter, text)) {
        return false;
    }
    leave_out(self);
    return true;
}

bool list_view_rub_out(list_view *self)
{
    const bool any = text_line_rub_out(&self->filter);
    if (any) {
        leave_out(self);
    }
    return any;
}

bool list_view_clear_filter(list_view *self)
{
    const bool any = self->filter.length > 0;
    text_line_clear(&self->filter);
    if (any) {
        leave_out(self);
    }
    return any;
}

/* --- order --- */

row_sort list_view_sort(const list_view *self)
{
    return self->sort;
}

void list_view_set_sort(list_view *self, row_sort sort)
{
    self->sort = sort;
}

size_t list_view_unfiltered(const list_view *self, size_t place)
{
    return self->all[place];
}

static int compare(const void *a, const void *b)
{
    return row_key_compare(a, b);
}

void list_view_order(list_view *self, row_key *keys, size_t count)
{
    /* No two keys are equal, so that it does not matter that qsort() is not stable. */
    qsort(keys, count, sizeof *keys, compare);
    for (size_t i = 0; i < count && i < self->all_count; i++) {
        self->all[i] = keys[i].index;
    }
    leave_out(self);
}

/* --- selection and screen --- */

size_t list_view_selected(const list_view *self)
{
    return list_view_place(self, self->selected) != LIST_VIEW_NO_ROW ? self->selected
                                                                     : LIST_VIEW_NO_ROW;
}

void list_view_select(list_view *self, size_t index)
{
    if (list_view_place(self, index) != LIST_VIEW_NO_ROW) {
        self->selected = index;
        keep_on_screen(self);
    }
}

static size_t moved(size_t from, int rows_down, size_t last)
{
    if (rows_down < 0) {
        const size_t up = (size_t) - (int64_t)rows_down;
        return from > up ? from - up : 0;
    }
    return limited(from + (size_t)rows_down, last);
}

void list_view_move(list_view *self, int rows_down)
{
    const size_t at = list_view_place(self, self->selected);
    if (self->shown_count > 0 && at != LIST_VIEW_NO_ROW) {
        self->selected = self->shown[moved(at, rows_down, self->shown_count - 1)];
        keep_on_screen(self);
    }
}

void list_view_fit(list_view *self, size_t height)
{
    self->height = height;
    keep_on_screen(self);
}

size_t list_view_top(const list_view *self)
{
    return self->top;
}

void list_view_scroll(list_view *self, int rows_down)
{
    const size_t at = list_view_place(self, self->selected);
    const size_t last_top = self->shown_count > self->height ? self->shown_count - self->height : 0;
    self->top = moved(self->top, rows_down, last_top);
    if (at == LIST_VIEW_NO_ROW || self->height == 0) {
        return;
    }
    const size_t first = self->top;
    const size_t last = limited(first + self->height, self->shown_count) - 1;
    self->selected = self->shown[at < first ? first : limited(at, last)];
}
