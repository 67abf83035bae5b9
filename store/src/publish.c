#include <tickglass/internal/store_writer.h>

#include <string.h>

#include "stop_point.h"
#include "store_state.h"

/* All of row but its place among the changes, whose stamp lies in the hot part. */
static void catch_up_row(const tg_store *store, tg_view *to, const tg_view *from, uint16_t row,
                         uint64_t since)
{
    const uint8_t flags = from->tag[row].flags;
    const bool known = (flags & TG__ROW_KNOWN) != 0;
    const uint32_t entry = from->naming[row].entry;
    if (to->naming[row].entry != entry || tg__table_has(to, row, TG__ROW_KNOWN) != known) {
        tg__table_identify(to, row, entry, known);
    }
    TG__STOP_POINT("a row of the next version has its identity and not its values");
    to->hot[row] = from->hot[row];
    to->tag[row].flags = flags;
    if (store->ledger[row].cold_stamp > since) {
        to->cold[row] = from->cold[row];
    }
    if (store->history.ring_count > 0) {
        tg__history_catch_up(to, from, row);
    }
    if (known && store->known_stamp > since) {
        /* A place in the list that has another occupant now has one that was touched. */
        to->known[store->ledger[row].position] = row;
    }
}

/* The place must be left before the hot part, with the stamp, is overwritten. */
static void catch_up_changed(const tg_store *store, tg_view *to, const tg_view *from, uint16_t row,
                             uint16_t behind)
{
    tg__recency_remove(&to->changes, row);
    catch_up_row(store, to, from, row, to->number);
    TG__STOP_POINT("a row of the next version is in no list of changes");
    to->hot[row].changed_in = 0; /* not in the list, for the moment */
    tg__recency_place(&to->changes, behind, row, from->hot[row].changed_in);
}

static void catch_up_touched(const tg_store *store, tg_view *to, const tg_view *from, uint16_t row)
{
    if (from->hot[row].changed_in == 0) {
        tg__recency_remove(&to->changes, row);
    }
    catch_up_row(store, to, from, row, to->number);
}

/*
 * Make to, which nobody holds, equal to the pending or just published version from. Costs in
 * proportion to what changed since to was last up to date, apart from the axes. A row may come
 * twice, as changed and as touched: the second time changes nothing.
 */
static void catch_up(const tg_store *store, tg_view *to, const tg_view *from)
{
    const uint64_t since = to->number;
    uint16_t behind = 0;
    for (uint16_t row = tg__recency_front(&from->changes);
         row != 0 && tg__recency_stamp(&from->changes, row) > since;
         row = from->changes.order[row].older) {
        catch_up_changed(store, to, from, row, behind);
        behind = row;
    }
    for (uint16_t row = tg__recency_front(&store->touched);
         row != 0 && tg__recency_stamp(&store->touched, row) > since;
         row = store->touched.order[row].older) {
        catch_up_touched(store, to, from, row);
    }
    if (store->venue_stamp > since) {
        memcpy(to->venue, from->venue, TG_VENUE_MAX * sizeof *to->venue);
    }
    if (store->book_stamp > since) {
        tg__books_catch_up(store, to, from, since);
    }
    to->count = from->count;
    to->link = from->link;
    to->loss = from->loss;
}

void tg__versions_refresh(tg_store *store)
{
    bool held[TG__VERSIONS_MAX];
    tg__pins_held(&store->pins, held, store->version_count);
    for (uint32_t i = 0; i < store->version_count; i++) {
        tg_view *version = &store->versions[i];
        if (!held[i] && version != store->pending) {
            catch_up(store, version, store->pending);
            /* The pending version goes on changing under its number: those rows come again. */
            version->number = store->pending->number - 1;
        }
    }
}

/* Of the versions that nobody holds the newest: it lacks least, and is in the cache. */
static tg_view *find_free_version(tg_store *store)
{
    bool held[TG__VERSIONS_MAX];
    tg__pins_held(&store->pins, held, store->version_count);
    tg_view *newest = NULL;
    for (uint32_t i = 0; i < store->version_count; i++) {
        tg_view *version = &store->versions[i];
        if (!held[i] && (newest == NULL || version->number > newest->number)) {
            newest = version;
        }
    }
    return newest; /* one of readers + 2 is always free: pin.h */
}

void tg__store_publish(tg_store *store, int64_t now_mono_ns)
{
    tg_view *published = store->pending;
    published->published_mono_ns = now_mono_ns;
    TG__STOP_POINT("a view is whole and not published");
    tg__pins_publish(&store->pins, (uint32_t)(published - store->versions));
    tg__tally_add(&store->tally.views_published, 1);

    /* Readers have it from here on; the rest tells of it and prepares the next publication. */
    TG__STOP_POINT("a view is published and nothing told of it");
    tg__watch_published(store, published, now_mono_ns);
    tg_view *next = find_free_version(store);
    catch_up(store, next, published);
    TG__STOP_POINT("the next version is up to date and has its old number");
    next->number = published->number + 1;
    store->pending = next;
}
