#include "list_memory.h"

#include <stdio.h>
#include <string.h>

/* False: there is no room for all of them. */
static bool restore_alerts(const list_memory *memory, const saved_state *from)
{
    bool all = true;
    for (size_t i = 0; i < from->alert_of.count; i++) {
        size_t index = 0;
        all = feed_reserve(memory->feed, from->alert_of.name[i].venue,
                           from->alert_of.name[i].symbol, &index) == TG_OK &&
              price_alerts_set(memory->alerts, index, from->alert_price[i]) == TG_OK && all;
    }
    return all;
}

static bool restore_names(const list_memory *memory, const saved_state *from)
{
    bool all = true;
    size_t index = 0;
    for (size_t i = 0; i < from->removed.count; i++) {
        const saved_name *name = &from->removed.name[i];
        if (feed_reserve(memory->feed, name->venue, name->symbol, &index) == TG_OK) {
            (void)feed_remove(memory->feed, index);
        } else {
            all = false;
        }
    }
    for (size_t i = 0; i < from->added.count; i++) {
        const saved_name *name = &from->added.name[i];
        all = feed_add(memory->feed, name->venue, name->symbol, &index) != TG_ERR_FULL && all;
    }
    return all;
}

bool list_memory_restore(const list_memory *memory, const saved_state *from)
{
    const bool names = restore_names(memory, from);
    const bool alerts = restore_alerts(memory, from);
    memcpy(memory->layout->off, from->column_off, sizeof memory->layout->off);
    if (from->sort[0] != '\0') {
        const row_sort by = {column_find(from->sort, strlen(from->sort)), from->descending};
        list_view_set_sort(memory->list, by);
    }
    list_view_take(memory->list, feed_row(memory->feed, 0), feed_row_count(memory->feed),
                   feed_list_number(memory->feed));
    (void)list_view_type(memory->list, from->filter);
    return names && alerts;
}

void list_memory_save(const list_memory *memory, saved_state *to)
{
    const row_sort by = list_view_sort(memory->list);
    if (by.column != ROW_SORT_NONE) {
        (void)snprintf(to->sort, sizeof to->sort, "%s", column_name(by.column));
        to->descending = by.descending;
    }
    memcpy(to->column_off, memory->layout->off, sizeof to->column_off);
    (void)snprintf(to->filter, sizeof to->filter, "%s", list_view_filter(memory->list));
    for (size_t i = 0; i < feed_row_count(memory->feed); i++) {
        const watch_row *row = feed_row(memory->feed, i);
        if (row->listed && !row->given) {
            (void)saved_names_add(&to->added, row->venue, row->symbol);
        }
        if (row->refused) {
            (void)saved_names_add(&to->removed, row->venue, row->symbol);
        }
    }
    for (size_t i = 0; i < memory->alerts->count; i++) {
        const watch_row *row = feed_row(memory->feed, memory->alerts->alert[i].index);
        to->alert_price[i] = memory->alerts->alert[i].price;
        (void)saved_names_add(&to->alert_of, row->venue, row->symbol);
    }
}
