#include <tickglass/internal/store_writer.h>

#include <string.h>

#include "store_state.h"

static void catch_up_row(const tg_store *store, tg_view *to, const tg_view *from, uint16_t row,
                         uint64_t since)
{
    const uint8_t flags = from->tag[row].flags;
    const bool known = (flags & TG__ROW_KNOWN) != 0;
    if (to->hot[row].entry != from->hot[row].entry ||
        tg__table_has(to, row, TG__ROW_KNOWN) != known) {
        tg__table_identify(to, row, from->hot[row].entry, known);
    }
    if (from->changes.stamp[row] == 0) {
        tg__recency_remove(&to->changes, row);
    }
    to->hot[row] = from->hot[row];
    to->tag[row].flags = flags;
    if (store->ledger[row].cold_stamp > since) {
        to->cold[row] = from->cold[row];
    }
    if (known && store->known_stamp > since) {
        /* A place in the list that has another occupant now has one that was touched. */
        to->known[store->ledger[row].position] = row;
    }
}

/*
 * Make to, which nobody holds, equal to the pending or just published version from. Costs in
 * proportion to what changed since to was last up to date, apart from the axes.
 */
static void catch_up(const tg_store *store, tg_view *to, const tg_view *from)
{
    const uint64_t since = to->number;
    for (uint16_t row = tg__recency_front(&store->touched);
         row != 0 && store->touched.stamp[row] > since; row = store->touched.order[row].older) {
        catch_up_row(store, to, from, row, since);
    }
    uint16_t behind = 0;
    for (uint16_t row = tg__recency_front(&from->changes);
         row != 0 && from->changes.stamp[row] > since; row = from->changes.order[row].older) {
        tg__recency_place(&to->changes, behind, row, from->changes.stamp[row]);
        behind = row;
    }
    if (store->venue_stamp > since) {
        memcpy(to->venue, from->venue, TG_VENUE_MAX * sizeof *to->venue);
    }
    to->count = from->count;
    to->link = from->link;
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
    tg__pins_publish(&store->pins, (uint32_t)(published - store->versions));
    tg__tally_add(&store->tally.views_published, 1);

    /* Readers have it from here on; the rest prepares the next publication. */
    tg_view *next = find_free_version(store);
    catch_up(store, next, published);
    next->number = published->number + 1;
    store->pending = next;
}
