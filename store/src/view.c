#include <tickglass/store.h>

#include <string.h>

#include <tickglass/internal/control_flow.h>

#include "table.h"

uint64_t tg_view_number(const tg_view *view)
{
    return view->number;
}

int64_t tg_view_published_mono_ns(const tg_view *view)
{
    return view->published_mono_ns;
}

size_t tg_view_count(const tg_view *view)
{
    return view->count;
}

tg_instrument_id tg_view_id(const tg_view *view, size_t index)
{
    return index < view->count ? tg__table_id(view, view->known[index]) : TG_INSTRUMENT_NONE;
}

/*
 * A row that is LIVE, with nothing else to say of it, as most are. Stores are what a read costs:
 * hence one copy, and constants. restrict: out is the caller's and not part of the view, which the
 * compiler cannot know.
 */
static inline void fill(const tg__cell *restrict cell, int64_t age_ns, tg_row *restrict out)
{
    memcpy(out, cell, TG__CELL_AS_ROW);
    out->committed_mono_ns = cell->received_mono_ns + cell->commit_delay_ns;
    out->age_ns = age_ns;
    _Static_assert(TG_QUALITY_LIVE == 0 && TG_QUALITY_CAUSE_NONE == 0, "as of the next line");
    memset(&out->quality, 0, sizeof *out - offsetof(tg_row, quality));
}

/* The row is not where its id says, or not plainly live. Apart, so that the usual case saves no
 * registers for it. */
__attribute__((noinline)) static tg_err read_with_care(const tg_view *view, tg_instrument_id id,
                                                       int64_t now_mono_ns, tg_row *out)
{
    const uint16_t row = tg__table_row(view, id);
    TG_ENSURE(row != 0, TG_ERR_NOT_FOUND);
    const tg__cell *cell = tg__table_cell(view, row);
    const tg__row_axis top = tg__table_top(view, row);
    const tg__verdict verdict = tg__table_quality(view, row, &top, now_mono_ns);
    if (!top.has_value) {
        /* What the cell holds is the floor of its version, and values of a scale that is gone. */
        *out = (tg_row){.quality = verdict.quality,
                        .cause = verdict.cause,
                        .changed_in = cell->changed_in,
                        .age_ns = -1};
        return TG_OK;
    }
    fill(cell, tg__age_ns(cell->proved_mono_ns, now_mono_ns), out);
    out->quality = verdict.quality;
    out->cause = verdict.cause;
    out->history_restarted = tg__table_has(view, row, TG__ROW_RESTARTED);
    if (tg__cell_is_crossed(&cell->image)) {
        const int64_t *value = cell->image.value;
        out->crossed = value[TG_FIELD_BID_PRICE] > value[TG_FIELD_ASK_PRICE];
        out->locked = !out->crossed;
    }
    return TG_OK;
}

tg_err tg_view_row(const tg_view *view, tg_instrument_id id, int64_t now_mono_ns, tg_row *out)
{
    const uint32_t own = (uint32_t)id + 1;
    if (own <= view->row_max) {
        const tg__cell *cell = tg__table_cell(view, own);
        const int64_t age_ns = tg__age_ns(cell->proved_mono_ns, now_mono_ns);
        if (tg__table_is_plain(view, cell, view->tag[own].flags, age_ns, now_mono_ns)) {
            fill(cell, age_ns, out);
            return TG_OK;
        }
    }
    return read_with_care(view, id, now_mono_ns, out);
}

tg_err tg_view_depth(const tg_view *view, tg_instrument_id id, int64_t now_mono_ns, tg_depth *out)
{
    const uint16_t row = tg__table_row(view, id);
    const uint8_t index = tg__table_book(view, row);
    TG_ENSURE(index != 0, TG_ERR_NOT_FOUND);
    const tg__book_row *held = &view->book[index];
    TG_ENSURE(held->has_value, TG_ERR_NOT_FOUND);
    const tg__row_axis depth = {
        .proved_mono_ns = held->proved_mono_ns,
        .proved_era = held->proved_era,
        .has_value = true,
        .contradicted = held->doubted,
    };
    out->book = held->book;
    out->version = held->version;
    out->quality = tg__table_quality(view, row, &depth, now_mono_ns).quality;
    out->age_ns = tg__age_ns(held->proved_mono_ns, now_mono_ns);
    out->changed_in = held->changed_in;
    return TG_OK;
}

tg_err tg_view_instrument(const tg_view *view, tg_instrument_id id, tg_instrument *out)
{
    const uint16_t row = tg__table_row(view, id);
    TG_ENSURE(row != 0, TG_ERR_NOT_FOUND);
    tg__entry_read(view->pool, tg__table_entry(view, row), out);
    return TG_OK;
}

const char *tg_view_venue_name(const tg_view *view, tg_venue_id venue)
{
    const uint16_t name = venue < TG_VENUE_MAX ? view->venue_name[venue] : 0;
    return name == 0 ? "?" : view->venue_names->name[name].text;
}

tg_err tg_view_find(const tg_view *view, const char *venue, const char *symbol,
                    tg_instrument_id *out)
{
    TG_ENSURE(venue != NULL && symbol != NULL, TG_ERR_INVALID_ARGUMENT);
    for (uint16_t row = tg__table_name_chain(view, symbol); row != 0;
         row = view->links[row].next_by_name) {
        const tg__entry *entry = tg__table_entry(view, row);
        if (tg__table_has(view, row, TG__ROW_KNOWN) &&
            tg__entry_is_named(view->pool, entry, symbol) &&
            strcmp(tg_view_venue_name(view, entry->venue), venue) == 0) {
            *out = entry->id;
            return TG_OK;
        }
    }
    return TG_ERR_NOT_FOUND;
}

/* What tg_view_changed() gives. */
typedef struct answer {
    tg_instrument_id *ids;
    size_t capacity;
    size_t count;
} answer;

static void tell(answer *to, const tg_view *view, uint16_t row)
{
    if (to->count < to->capacity) {
        to->ids[to->count] = tg__table_id(view, row);
    }
    to->count++;
}

/* False: the log does not reach back to since. */
static bool tell_from_log(answer *to, const tg_view *view, uint64_t since)
{
    for (uint32_t back = 0; back <= view->log->mask; back++) {
        const tg__change change = tg__log_get(view->log, view->log_end, back);
        if (change.publication <= since) {
            return true;
        }
        /* Of a row's entries the one that brought what the view shows; none if that is older. */
        if (tg__table_has(view, change.row, TG__ROW_KNOWN) &&
            tg__table_cell(view, change.row)->changed_in == change.publication) {
            tell(to, view, change.row);
        }
    }
    return false;
}

size_t tg_view_changed(const tg_view *view, uint64_t since, tg_instrument_id *ids, size_t capacity)
{
    answer told = {ids, capacity, 0};
    if (tell_from_log(&told, view, since)) {
        return told.count;
    }
    told.count = 0;
    for (uint32_t i = 0; i < view->count; i++) {
        if (tg__table_cell(view, view->known[i])->changed_in > since) {
            tell(&told, view, view->known[i]);
        }
    }
    return told.count;
}
