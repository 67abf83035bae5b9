#include "naive_store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned naive_name_of(const char *symbol)
{
    const char *dash = strrchr(symbol, '-');
    return dash == NULL ? 0 : (unsigned)strtoul(dash + 1, NULL, 10);
}

void naive_open(naive_store *naive)
{
    memset(naive, 0, sizeof *naive);
    naive->now.doubt = TG_QUALITY_STALE;
    naive->now.number = 1;
    naive->published = naive->now;
    naive->published.number = 0;
}

void naive_name_venue(naive_store *naive, unsigned venue, const char *name)
{
    (void)snprintf(naive->now.venue_name[venue], TG_VENUE_NAME_SIZE, "%s", name);
}

static bool newer(tg_version a, tg_version b)
{
    return a.epoch > b.epoch || (a.epoch == b.epoch && a.seq > b.seq);
}

static bool same_instrument(const tg_instrument *a, const tg_instrument *b)
{
    return a->venue == b->venue && strcmp(a->symbol, b->symbol) == 0;
}

static void restate(naive_store *naive, naive_row *row, const tg_instrument *entry)
{
    if (row->entry.price_exponent != entry->price_exponent ||
        row->entry.quantity_exponent != entry->quantity_exponent) {
        row->changed_in = row->has_value ? naive->now.number : row->changed_in;
        row->has_value = false;
        row->restarted = false;
        row->depth.has_value = false;
    }
    row->entry = *entry;
    if (entry->epoch > row->epoch_min) {
        row->epoch_min = entry->epoch;
    }
}

tg_err naive_define(naive_store *naive, unsigned index, const tg_instrument *entry)
{
    naive_row *row = &naive->now.row[index];
    if (naive->removed[index]) {
        return TG_ERR_ID_REUSED;
    }
    if (row->known) {
        if (!same_instrument(&row->entry, entry)) {
            return TG_ERR_ID_REUSED;
        }
        restate(naive, row, entry);
        return TG_OK;
    }
    const unsigned venue = naive_name_of(naive->now.venue_name[entry->venue]);
    naive_row *orphan = &naive->orphan[venue][naive_name_of(entry->symbol)];
    if (orphan->known) {
        *row = *orphan;
        orphan->known = false;
        if (row->lineage != naive->lineage) {
            row->epoch_min = 0;
        }
        restate(naive, row, entry);
        row->venue_doubt = naive->venue_doubted[entry->venue];
        row->depth.venue_doubt = row->venue_doubt;
        if (row->has_value) {
            row->changed_in = naive->now.number;
        }
        return TG_OK;
    }
    *row = (naive_row){
        .known = true, .lineage = naive->lineage, .epoch_min = entry->epoch, .entry = *entry};
    return TG_OK;
}

tg_err naive_rename(naive_store *naive, unsigned index, const char *symbol)
{
    naive_row *row = &naive->now.row[index];
    if (!row->known) {
        return TG_ERR_NOT_FOUND;
    }
    (void)snprintf(row->entry.symbol, sizeof row->entry.symbol, "%s", symbol);
    return TG_OK;
}

tg_err naive_remove(naive_store *naive, unsigned index)
{
    if (!naive->now.row[index].known) {
        return TG_ERR_NOT_FOUND;
    }
    naive->now.row[index] = (naive_row){.known = false};
    naive->removed[index] = true;
    return TG_OK;
}

tg_err naive_rescale(naive_store *naive, unsigned index, const tg_instrument *entry)
{
    naive_row *row = &naive->now.row[index];
    if (!row->known) {
        return TG_ERR_NOT_FOUND;
    }
    if (!same_instrument(&row->entry, entry)) {
        return TG_ERR_ID_REUSED;
    }
    if (entry->epoch <= row->entry.epoch) {
        return TG_ERR_INTEGRITY;
    }
    restate(naive, row, entry);
    return TG_OK;
}

void naive_restart(naive_store *naive, uint64_t lineage, uint32_t generation)
{
    if (lineage == naive->lineage && generation == naive->generation) {
        return;
    }
    for (unsigned venue = 0; venue < naive_venues; venue++) {
        for (unsigned name = 0; name < naive_names; name++) {
            naive->orphan[venue][name].link_doubt = true;
            naive->orphan[venue][name].depth.link_doubt = true;
        }
    }
    for (unsigned i = 0; i < naive_rows; i++) {
        naive_row *row = &naive->now.row[i];
        if (row->known) {
            row->not_entitled = false;
            row->link_doubt = true;
            row->depth.link_doubt = true;
            const unsigned venue = naive_name_of(naive->now.venue_name[row->entry.venue]);
            naive_row *orphan = &naive->orphan[venue][naive_name_of(row->entry.symbol)];
            if (!orphan->known || orphan->lineage != row->lineage ||
                !newer(orphan->version, row->version)) {
                *orphan = *row;
            }
        }
        *row = (naive_row){.known = false};
        naive->removed[i] = false;
    }
    for (unsigned venue = 0; venue < naive_venues; venue++) {
        naive->now.venue_name[venue][0] = '\0';
        naive->now.venue_stale[venue] = false;
        naive->venue_doubted[venue] = false;
    }
    naive->lineage = lineage;
    naive->generation = generation;
}

static void take_over(naive_store *naive, naive_row *row, const tg_image *image)
{
    if (row->lineage != naive->lineage) {
        const uint32_t time = TG_FIELD_BIT(TG_FIELD_TS_EXCHANGE);
        const bool proved =
            (row->image.present & image->present & time) != 0 &&
            image->value[TG_FIELD_TS_EXCHANGE] > row->image.value[TG_FIELD_TS_EXCHANGE];
        row->restarted = row->has_value && !proved;
        naive->counters.history_restarts += row->restarted ? 1 : 0;
        row->lineage = naive->lineage;
    }
    row->version = tg_image_version(image);
    row->image = *image;
    row->has_value = true;
    row->changed_in = naive->now.number;
}

/* Of versions in one lineage; equal: what comes has the values that are held, if any are. */
static tg__admission judge(tg_version held, tg_version offered, bool has_value, bool equal)
{
    if (newer(offered, held)) {
        return TG__ADMITTED;
    }
    if (newer(held, offered)) {
        return offered.epoch < held.epoch ? TG__REFUSED_EPOCH : TG__REFUSED_REGRESSION;
    }
    if (!has_value) {
        return TG__ADMITTED;
    }
    return equal ? TG__CONFIRMED : TG__REFUSED_INTEGRITY;
}

tg__admission naive_admit(naive_store *naive, unsigned index, const tg_image *image,
                          uint64_t covered, const tg__arrival *arrival)
{
    naive_row *row = &naive->now.row[index];
    if (!row->known) {
        return TG__REFUSED_UNKNOWN;
    }
    const tg__admission admission =
        image->epoch < row->epoch_min ? TG__REFUSED_EPOCH
        : row->lineage != naive->lineage
            ? TG__ADMITTED
            : judge(row->version, tg_image_version(image), row->has_value,
                    tg_image_values_equal(&row->image, image));
    tg_store_counters *counters = &naive->counters;
    counters->confirmed += admission == TG__CONFIRMED ? 1 : 0;
    counters->rejected_regression += admission == TG__REFUSED_REGRESSION ? 1 : 0;
    counters->rejected_epoch += admission == TG__REFUSED_EPOCH ? 1 : 0;
    counters->integrity_faults += admission == TG__REFUSED_INTEGRITY ? 1 : 0;
    if (admission == TG__ADMITTED) {
        counters->admitted++;
        counters->covered_ticks += covered;
        take_over(naive, row, image);
        row->received_mono_ns = arrival->received_mono_ns;
        row->ts_gateway_ns = arrival->ts_gateway_ns;
    }
    if (admission == TG__ADMITTED || admission == TG__CONFIRMED) {
        row->proved_mono_ns = arrival->received_mono_ns;
        row->link_doubt = false;
        row->venue_doubt = false;
        row->contradicted = false;
    }
    row->contradicted = row->contradicted || admission == TG__REFUSED_INTEGRITY;
    return admission;
}

bool naive_books_equal(const tg_book *a, const tg_book *b)
{
    bool equal = a->bid_count == b->bid_count && a->ask_count == b->ask_count;
    for (unsigned i = 0; equal && i < a->bid_count; i++) {
        equal = a->bid[i].price == b->bid[i].price && a->bid[i].quantity == b->bid[i].quantity;
    }
    for (unsigned i = 0; equal && i < a->ask_count; i++) {
        equal = a->ask[i].price == b->ask[i].price && a->ask[i].quantity == b->ask[i].quantity;
    }
    return equal;
}

static unsigned places_taken(const naive_store *naive)
{
    unsigned count = 0;
    for (unsigned i = 0; i < naive_rows; i++) {
        count += naive->now.row[i].known && naive->now.row[i].depth.has_place ? 1 : 0;
    }
    for (unsigned i = 0; i < naive_venues * naive_names; i++) {
        const naive_row *orphan = &naive->orphan[i / naive_names][i % naive_names];
        count += orphan->known && orphan->depth.has_place ? 1 : 0;
    }
    return count;
}

tg_err naive_admit_book(naive_store *naive, unsigned index, tg_version version, const tg_book *book,
                        const tg__arrival *arrival, tg__admission *admission)
{
    naive_row *row = &naive->now.row[index];
    *admission = TG__REFUSED_UNKNOWN;
    if (!row->known) {
        return TG_OK;
    }
    if (!row->depth.has_place) {
        if (places_taken(naive) == TG__BOOK_MAX) {
            return TG_ERR_FULL;
        }
        row->depth.has_place = true;
        row->depth.lineage = naive->lineage;
    }
    *admission = version.epoch < row->epoch_min ? TG__REFUSED_EPOCH
                 : row->depth.lineage != naive->lineage
                     ? TG__ADMITTED
                     : judge(row->depth.version, version, row->depth.has_value,
                             naive_books_equal(&row->depth.book, book));
    if (*admission == TG__ADMITTED) {
        row->depth.version = version;
        row->depth.book = *book;
        row->depth.has_value = true;
        row->depth.lineage = naive->lineage;
        row->depth.changed_in = naive->now.number;
        naive->counters.depth_admitted++;
    } else if (*admission != TG__CONFIRMED) {
        naive->counters.depth_refused++;
        row->depth.contradicted = row->depth.contradicted || *admission == TG__REFUSED_INTEGRITY;
        return TG_OK;
    }
    row->depth.proved_mono_ns = arrival->received_mono_ns;
    row->depth.link_doubt = false;
    row->depth.venue_doubt = false;
    row->depth.contradicted = false;
    return TG_OK;
}

void naive_set_link(naive_store *naive, tg__link_state link, int64_t now_mono_ns)
{
    const bool loss = link == TG__LINK_DOWN || link == TG__LINK_GAP ||
                      (link == TG__LINK_RESYNCING && naive->now.link == TG__LINK_UP);
    for (unsigned i = 0; i < naive_rows; i++) {
        naive_row *row = &naive->now.row[i];
        row->link_doubt = row->link_doubt || loss;
        row->depth.link_doubt = row->depth.link_doubt || loss;
    }
    naive->now.link = link;
    if (link == TG__LINK_UP) {
        naive->now.alive_mono_ns = now_mono_ns;
    } else {
        naive->now.doubt = link == TG__LINK_DOWN  ? TG_QUALITY_STALE
                           : link == TG__LINK_GAP ? TG_QUALITY_GAP
                                                  : TG_QUALITY_RESYNCING;
    }
}

void naive_set_venue_stale(naive_store *naive, unsigned venue, bool stale)
{
    if (naive->now.venue_stale[venue] == stale) {
        return;
    }
    naive->now.venue_stale[venue] = stale;
    naive->venue_doubted[venue] = true;
    for (unsigned i = 0; i < naive_rows; i++) {
        naive_row *row = &naive->now.row[i];
        row->venue_doubt = row->venue_doubt || row->entry.venue == venue;
        row->depth.venue_doubt = row->depth.venue_doubt || row->entry.venue == venue;
    }
}

void naive_publish(naive_store *naive, int64_t now_mono_ns)
{
    naive->now.published_mono_ns = now_mono_ns;
    naive->published = naive->now;
    naive->now.number++;
    naive->counters.views_published++;
}

static int64_t since(int64_t mono_ns, int64_t now_mono_ns)
{
    return now_mono_ns > mono_ns ? now_mono_ns - mono_ns : 0;
}

tg_quality naive_quality(const naive_view *view, const naive_row *row, int64_t now_mono_ns)
{
    if (view->link == TG__LINK_DOWN) {
        return TG_QUALITY_DISCONNECTED;
    }
    if (row->not_entitled || !row->has_value) {
        return row->not_entitled ? TG_QUALITY_NOT_ENTITLED : TG_QUALITY_UNKNOWN;
    }
    const int64_t silence = since(row->proved_mono_ns, now_mono_ns);
    const bool late = view->timeout_ns > 0 && silence > view->timeout_ns &&
                      since(view->alive_mono_ns, now_mono_ns) > view->timeout_ns;
    if (late || view->late || row->venue_doubt || view->venue_stale[row->entry.venue] ||
        (row->link_doubt && view->doubt == TG_QUALITY_STALE)) {
        return TG_QUALITY_STALE;
    }
    if (row->contradicted) {
        return TG_QUALITY_GAP; /* the worse of this and RESYNCING */
    }
    if (row->link_doubt) {
        return view->doubt;
    }
    if ((row->image.present & TG_FIELD_BIT(TG_FIELD_STATUS)) != 0 &&
        row->image.value[TG_FIELD_STATUS] == TG_TRADING_HALTED) {
        return TG_QUALITY_HALTED;
    }
    if (row->entry.delayed) {
        return TG_QUALITY_DELAYED;
    }
    const int64_t cadence_ns = (int64_t)row->entry.cadence_ms * INT64_C(1000000);
    return cadence_ns > 0 && silence > cadence_ns ? TG_QUALITY_QUIET : TG_QUALITY_LIVE;
}

tg_quality naive_depth_quality(const naive_view *view, const naive_row *row, int64_t now_mono_ns)
{
    naive_row depth = *row; /* the row, as far as it speaks of its depth too */
    depth.has_value = row->depth.has_value;
    depth.link_doubt = row->depth.link_doubt;
    depth.venue_doubt = row->depth.venue_doubt;
    depth.contradicted = row->depth.contradicted;
    depth.proved_mono_ns = row->depth.proved_mono_ns;
    return naive_quality(view, &depth, now_mono_ns);
}
