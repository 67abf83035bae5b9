#include <tickglass/internal/store_writer.h>

#include <string.h>

#include "stop_point.h"
#include "store_state.h"

static void catch_up_row(const tg_store *store, tg_view *to, const tg_view *from, uint16_t row,
                         uint64_t since)
{
    if (store->identity_stamp > since) {
        const bool known = tg__table_has(from, row, TG__ROW_KNOWN);
        const uint32_t entry = from->tag[row].entry;
        if (to->tag[row].entry != entry || tg__table_has(to, row, TG__ROW_KNOWN) != known) {
            tg__table_identify(to, row, entry, known);
        }
        if (known) {
            /* A place in the list that has another occupant now has one that was touched. */
            to->known[store->position[row]] = row;
        }
    }
    TG__STOP_POINT("a row of the next version has its identity and not its values");
    to->plane[row] = from->plane[row];
    to->tag[row].flags = from->tag[row].flags;
    if (store->history.ring_count > 0) {
        tg__history_catch_up(to, from, row);
    }
}

/* Ticks of rows that had a value before, and nothing else. False: the log does not reach back. */
static bool catch_up_ticks(const tg__change_log *log, const tg_view *to, const tg_view *from,
                           uint64_t since)
{
    /* Out of the loop by hand: as far as the compiler knows, its stores may change them. */
    const tg__change_log at = *log;
    uint8_t *to_plane = to->plane;
    const uint8_t *from_plane = from->plane;
    for (uint32_t back = 0; back <= at.mask; back++) {
        const tg__change change = tg__log_get(&at, at.end, back);
        if (change.publication <= since) {
            return true;
        }
        to_plane[change.row] = from_plane[change.row];
    }
    return false;
}

static void catch_up_rows(const tg_store *store, tg_view *to, const tg_view *from, uint64_t since)
{
    const bool only_ticks = store->identity_stamp <= since && store->flags_stamp <= since &&
                            store->history.ring_count == 0;
    if (only_ticks && catch_up_ticks(&store->log, to, from, since)) {
        return;
    }
    for (uint32_t back = 0; back <= store->log.mask; back++) {
        const tg__change change = tg__log_get(&store->log, store->log.end, back);
        if (change.publication <= since) {
            return;
        }
        catch_up_row(store, to, from, change.row, since);
    }
    /* A reader has slept on it for so long that the log does not reach back. */
    for (uint32_t row = 1; row <= store->row_max; row++) {
        catch_up_row(store, to, from, (uint16_t)row, since);
    }
}

static void catch_up_venues(tg_view *to, const tg_view *from)
{
    memcpy(to->venue, from->venue, TG_VENUE_MAX * sizeof *to->venue);
    for (tg_venue_id venue = 0; venue < TG_VENUE_MAX; venue++) {
        tg__table_name_venue(to, venue, from->venue_name[venue]);
    }
}

/*
 * Make to, which nobody holds, equal to the pending or just published version from. Costs in
 * proportion to what changed since to was last up to date, apart from the axes.
 */
static void catch_up(const tg_store *store, tg_view *to, const tg_view *from)
{
    const uint64_t since = to->number;
    catch_up_rows(store, to, from, since);
    if (store->venue_stamp > since) {
        catch_up_venues(to, from);
    }
    if (store->book_stamp > since) {
        tg__books_catch_up(store, to, from, since);
    }
    to->count = from->count;
    to->cadence_min_ns = from->cadence_min_ns;
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

/*
 * Look once at who holds what: kept are from now on, until the next publication, all versions that
 * a reader holds or can come to hold. The result is the newest of the others: it lacks least, and
 * is in the cache. One of readers + 2 is always free: pin.h.
 */
static tg_view *find_free_version(tg_store *store, const tg_view *published)
{
    bool held[TG__VERSIONS_MAX];
    tg__pins_held(&store->pins, held, store->version_count);
    tg_view *newest = NULL;
    store->kept[0] = published;
    store->kept_count = 1;
    for (uint32_t i = 0; i < store->version_count; i++) {
        tg_view *version = &store->versions[i];
        if (!held[i] && (newest == NULL || version->number > newest->number)) {
            newest = version;
        }
        if (held[i] && version != published) {
            store->kept[store->kept_count++] = version;
        }
    }
    store->shown = published->plane;
    store->alone_ids = store->kept_count == 1 ? store->row_max : 0;
    return newest;
}

uint8_t tg__plane_free(const tg_store *store, uint16_t row)
{
    uint64_t taken[2] = {0, 0};
    for (uint32_t i = 0; i < store->kept_count; i++) {
        const uint8_t plane = store->kept[i]->plane[row];
        taken[plane / 64] |= UINT64_C(1) << plane % 64;
    }
    return (uint8_t)(taken[0] != UINT64_MAX ? __builtin_ctzll(~taken[0])
                                            : 64 + __builtin_ctzll(~taken[1]));
}

void tg__store_publish(tg_store *store, int64_t now_mono_ns)
{
    tg_view *published = store->pending;
    published->published_mono_ns = now_mono_ns;
    published->log_end = store->log.end;
    published->plain = tg__plain_of(&published->link, &published->loss);
    TG__STOP_POINT("a view is whole and not published");
    tg__pins_publish(&store->pins, (uint32_t)(published - store->versions));
    tg__tally_add(&store->tally.views_published, 1);

    /* Readers have it from here on; the rest tells of it and prepares the next publication. */
    TG__STOP_POINT("a view is published and nothing told of it");
    tg__watch_published(store, published, now_mono_ns);
    tg_view *next = find_free_version(store, published);
    catch_up(store, next, published);
    TG__STOP_POINT("the next version is up to date and has its old number");
    next->number = published->number + 1;
    store->pending = next;
}
