#include "feed.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

#include "prng.h"

/* One row of the source may come from each handler, with all its copies. */
#define HEAP_MAX                                                                                   \
    (TG__FEED_DELAYED_MAX + TG__FEED_HELD_MAX + TG__FEED_HANDLERS * (TG__FEED_COPIES_MAX + 1))
#define NEVER_NS INT64_MAX

tg_err tg__feed_init(tg__feed *feed, unsigned handler_count, int64_t skew_min_ns,
                     int64_t skew_max_ns, uint64_t seed)
{
    memset(feed, 0, sizeof *feed);
    TG_ENSURE(handler_count >= 1 && handler_count <= TG__FEED_HANDLERS && skew_min_ns >= 0 &&
                  skew_min_ns <= skew_max_ns,
              TG_ERR_INVALID_ARGUMENT);
    feed->seed = seed;
    feed->skew_min_ns = skew_min_ns;
    feed->skew_max_ns = skew_max_ns;
    feed->handler_count = handler_count;
    for (unsigned venue = 0; venue < TG_VENUE_MAX; venue++) {
        for (unsigned handler = 0; handler < handler_count; handler++) {
            feed->venues[venue].handlers[handler].up = true;
            feed->venues[venue].handlers[handler].up_since_ns = INT64_MIN;
            feed->venues[venue].handlers[handler].last_ns = INT64_MIN;
            feed->venues[venue].handlers[handler].last_without_id_ns = INT64_MIN;
        }
        feed->venues[venue].take_over_ns = NEVER_NS;
    }
    /* Memory that no row ever reaches is never touched. */
    feed->heap = calloc(HEAP_MAX, sizeof *feed->heap);
    TG_ENSURE(feed->heap != NULL, TG_ERR_NO_MEMORY);
    return TG_OK;
}

void tg__feed_deinit(tg__feed *feed)
{
    free(feed->heap);
    feed->heap = NULL;
    feed->count = 0;
}

bool tg__feed_is_full(const tg__feed *feed)
{
    return feed->count - feed->held >= TG__FEED_DELAYED_MAX;
}

/* ---- the heap ---- */

static bool is_before(const tg__fed_row *a, const tg__fed_row *b)
{
    return a->due_ns != b->due_ns ? a->due_ns < b->due_ns : a->order < b->order;
}

static void add(tg__feed *feed, const tg__fed_row *added)
{
    size_t at = feed->count++;
    feed->held += added->is_held;
    while (at > 0 && is_before(added, &feed->heap[(at - 1) / 2])) {
        feed->heap[at] = feed->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    feed->heap[at] = *added;
}

static void sink(tg__feed *feed, size_t at, tg__fed_row moved)
{
    for (size_t child = at * 2 + 1; child < feed->count; child = at * 2 + 1) {
        if (child + 1 < feed->count && is_before(&feed->heap[child + 1], &feed->heap[child])) {
            child++;
        }
        if (!is_before(&feed->heap[child], &moved)) {
            break;
        }
        feed->heap[at] = feed->heap[child];
        at = child;
    }
    feed->heap[at] = moved;
}

static void remove_first(tg__feed *feed)
{
    feed->held -= feed->heap[0].is_held;
    feed->count--;
    if (feed->count > 0) {
        sink(feed, 0, feed->heap[feed->count]);
    }
}

/* Keeps the rows that choose() wants, which may give them another time. A fault's price, not a
 * row's: it passes over all that wait. */
static void sift(tg__feed *feed, bool (*choose)(void *ctx, tg__fed_row *waiting), void *ctx)
{
    size_t kept = 0;
    feed->held = 0;
    for (size_t i = 0; i < feed->count; i++) {
        if (choose(ctx, &feed->heap[i])) {
            feed->held += feed->heap[i].is_held;
            feed->heap[kept++] = feed->heap[i];
        }
    }
    feed->count = kept;
    for (size_t i = kept / 2; i-- > 0;) {
        sink(feed, i, feed->heap[i]);
    }
}

/* ---- rows ---- */

/* Equal for all rows of one tick: they have instrument, time, id and domain in common. */
static uint64_t draw(uint64_t seed, const tg__row *row)
{
    uint64_t hash = tg__prng_mix(seed ^ (uint64_t)row->ts_ns);
    hash = tg__prng_mix(hash ^ row->exchange_id);
    return tg__prng_mix(hash ^ row->instrument ^ (row->kind == TG__ROW_TRADE ? 0x10000u : 0u));
}

static int64_t skew_of(const tg__feed *feed, const tg__row *row)
{
    const uint64_t range = (uint64_t)(feed->skew_max_ns - feed->skew_min_ns) + 1;
    return feed->skew_min_ns + (int64_t)(draw(feed->seed, row) % range);
}

/* Draws of one handler, for one purpose. */
static uint64_t draw_own(const tg__feed *feed, tg_venue_id venue, unsigned handler,
                         uint64_t purpose, const tg__row *row)
{
    const uint64_t own = ((uint64_t)venue << 16) | (handler << 8) | purpose;
    return draw(feed->seed ^ tg__prng_mix(own + 1), row);
}

static bool is_lost(tg__feed *feed, tg_venue_id venue, unsigned handler, const tg__row *row)
{
    /* Without an id the twin, which is silent, could not bring it either. */
    const uint32_t usual_ppm = handler == 0 && row->has_id ? feed->late_ppm : 0;
    const uint32_t ppm = feed->venues[venue].handlers[handler].lose_ppm + usual_ppm;
    if (ppm == 0 || draw_own(feed, venue, handler, 1, row) % TG__FEED_PPM >= ppm) {
        return false;
    }
    feed->counts.lost++;
    return true;
}

/* How much later than the handler's stream this row comes. */
static int64_t jitter_of(const tg__feed *feed, const tg__fed_row *fed)
{
    const tg__handler *handler = &feed->venues[fed->venue].handlers[fed->handler];
    int64_t jitter_ns = fed->handler == 0 ? 0 : skew_of(feed, &fed->row);
    if (handler->reorder_ns > 0) {
        jitter_ns += (int64_t)(draw_own(feed, fed->venue, fed->handler, 2, &fed->row) %
                               ((uint64_t)handler->reorder_ns + 1));
    }
    return jitter_ns;
}

/* What the active one had still on its way when it died counts, too. */
static int64_t standby_hold_ns(const tg__feed *feed)
{
    return TG__FEED_DETECT_NS + feed->skew_max_ns;
}

/* When the handler has the row to bring. */
static int64_t arrival_of(const tg__feed *feed, tg__handler *handler, const tg__fed_row *fed)
{
    if (handler->last_ns < fed->received_ns + handler->delay_ns) {
        handler->last_ns = fed->received_ns + handler->delay_ns;
    }
    int64_t due_ns = handler->last_ns + jitter_of(feed, fed);
    if (!fed->row.has_id && handler->reorder_ns == 0) {
        /* Nothing could put them in order again: they only overtake each other on request. */
        due_ns = due_ns > handler->last_without_id_ns ? due_ns : handler->last_without_id_ns;
        handler->last_without_id_ns = due_ns;
    }
    return due_ns + (fed->is_silent ? standby_hold_ns(feed) : 0);
}

/* The row waits for its time. False: the faults hold back too much already, and it is dropped. */
static bool wait_for(tg__feed *feed, tg__fed_row *fed)
{
    const int64_t ordinary_ns = feed->skew_max_ns + (fed->is_silent ? standby_hold_ns(feed) : 0);
    fed->is_held = fed->due_ns - fed->received_ns > ordinary_ns;
    if (fed->is_held && feed->held >= TG__FEED_HELD_MAX) {
        feed->counts.dropped++;
        return false;
    }
    assert(feed->count < HEAP_MAX); /* the source has waited while it was full */
    fed->order = feed->next_order++;
    add(feed, fed);
    return true;
}

/* One handler gets the row. True: it brings it, or a fault lost it; *at_once counts. */
static bool receive(tg__feed *feed, tg__fed_row *fed, unsigned *at_once)
{
    tg__handler *handler = &feed->venues[fed->venue].handlers[fed->handler];
    if (!handler->up) {
        return false;
    }
    if (is_lost(feed, fed->venue, fed->handler, &fed->row)) {
        return true;
    }
    fed->is_silent = !fed->row.has_id && feed->venues[fed->venue].active != fed->handler;
    fed->due_ns = handler->frozen ? NEVER_NS : arrival_of(feed, handler, fed);
    bool brought = false;
    for (uint32_t i = 0; i <= handler->copies; i++) {
        if (fed->due_ns <= fed->received_ns) {
            brought = true;
            ++*at_once;
        } else {
            brought |= wait_for(feed, fed);
        }
    }
    return brought;
}

unsigned tg__feed_receive(tg__feed *feed, tg_venue_id venue, const tg__row *row, int64_t mono_ns)
{
    unsigned at_once = 0;
    bool brought = false;
    for (unsigned handler = 0; handler < feed->handler_count; handler++) {
        tg__fed_row fed = {
            .received_ns = mono_ns, .venue = venue, .handler = (uint8_t)handler, .row = *row};
        brought |= receive(feed, &fed, &at_once);
    }
    feed->venues[venue].missed |= !brought;
    return at_once;
}

bool tg__feed_take(tg__feed *feed, int64_t mono_ns, tg__row *row)
{
    while (feed->count > 0 && feed->heap[0].due_ns <= mono_ns) {
        const bool is_silent = feed->heap[0].is_silent;
        *row = feed->heap[0].row;
        remove_first(feed);
        if (!is_silent) {
            return true;
        }
    }
    return false;
}

int64_t tg__feed_next_mono_ns(const tg__feed *feed)
{
    return feed->count == 0 ? NEVER_NS : feed->heap[0].due_ns;
}

void tg__feed_clear(tg__feed *feed)
{
    feed->counts.dropped += feed->count;
    feed->count = 0;
    feed->held = 0;
}

/* ---- faults ---- */

typedef struct own_rows {
    tg_venue_id venue;
    uint8_t handler;
    int64_t mono_ns;
    int64_t hold_ns;   /* of a standby */
    int64_t oldest_ns; /* of those that count, when they were received */
    size_t room;       /* for rows that are to be held back */
    uint64_t count;    /* of rows that were dropped */
} own_rows;

static bool is_own(const own_rows *own, const tg__fed_row *waiting)
{
    return waiting->venue == own->venue && waiting->handler == own->handler;
}

static bool choose_others(void *ctx, tg__fed_row *waiting)
{
    own_rows *own = ctx;
    if (!is_own(own, waiting)) {
        return true;
    }
    own->count++;
    if (!waiting->is_silent && waiting->received_ns < own->oldest_ns) {
        own->oldest_ns = waiting->received_ns;
    }
    return false;
}

static bool hold_back(void *ctx, tg__fed_row *waiting)
{
    own_rows *own = ctx;
    if (!is_own(own, waiting)) {
        return true;
    }
    if (!waiting->is_held && own->room == 0) {
        own->count++;
        return false;
    }
    own->room -= !waiting->is_held;
    waiting->due_ns = NEVER_NS;
    waiting->is_held = true;
    return true;
}

static bool release(void *ctx, tg__fed_row *waiting)
{
    const own_rows *own = ctx;
    if (is_own(own, waiting)) {
        waiting->due_ns = own->mono_ns + (waiting->is_silent ? own->hold_ns : 0);
        waiting->is_held = false;
    }
    return true;
}

/* The venue's rows without ids: those of the handler come, those of its twin do not. */
static bool change_active(void *ctx, tg__fed_row *waiting)
{
    const own_rows *own = ctx;
    if (waiting->venue != own->venue || waiting->row.has_id) {
        return true;
    }
    if (waiting->handler != own->handler) {
        waiting->is_silent = true;
    } else if (waiting->is_silent) {
        waiting->is_silent = false;
        waiting->due_ns -= waiting->due_ns == NEVER_NS ? 0 : own->hold_ns;
    }
    return true;
}

void tg__feed_kill(tg__feed *feed, tg_venue_id venue, unsigned handler, int64_t mono_ns)
{
    tg__feed_venue *own_venue = &feed->venues[venue];
    tg__handler *killed = &own_venue->handlers[handler];
    const tg__handler *twin = &own_venue->handlers[1 - handler];
    if (!killed->up) {
        return;
    }
    own_rows own = {.venue = venue, .handler = (uint8_t)handler, .oldest_ns = NEVER_NS};
    feed->disturbed = true;
    sift(feed, choose_others, &own);
    feed->counts.dropped += own.count;
    /* Whatever dies with it, the twin has got, too, if it was up when that came; and not what a
     * standby held for the one that died before it. */
    if (!twin->up || twin->up_since_ns > own.oldest_ns || own_venue->take_over_ns != NEVER_NS) {
        own_venue->missed = true;
    }
    killed->up = false;
    killed->frozen = false;
    killed->gone_since_ns = mono_ns;
    if (own_venue->active == handler) {
        own_venue->take_over_ns = mono_ns + TG__FEED_DETECT_NS;
    }
}

void tg__feed_restart(tg__feed *feed, tg_venue_id venue, unsigned handler, int64_t mono_ns)
{
    tg__feed_venue *own_venue = &feed->venues[venue];
    tg__handler *started = &own_venue->handlers[handler];
    if (handler >= feed->handler_count) {
        return;
    }
    tg__feed_kill(feed, venue, handler, mono_ns);
    started->up = true;
    started->up_since_ns = mono_ns;
    started->last_ns = mono_ns;
    started->last_without_id_ns = mono_ns;
    if (own_venue->active == handler) {
        own_venue->take_over_ns = mono_ns; /* who comes anew tells that it was gone */
    }
}

void tg__feed_freeze(tg__feed *feed, tg_venue_id venue, unsigned handler, bool frozen,
                     int64_t mono_ns)
{
    tg__feed_venue *own_venue = &feed->venues[venue];
    tg__handler *own_handler = &own_venue->handlers[handler];
    own_rows own = {.venue = venue,
                    .handler = (uint8_t)handler,
                    .mono_ns = mono_ns,
                    .hold_ns = standby_hold_ns(feed),
                    .room = TG__FEED_HELD_MAX - feed->held};
    if (!own_handler->up || own_handler->frozen == frozen) {
        return;
    }
    feed->disturbed = true;
    own_handler->frozen = frozen;
    sift(feed, frozen ? hold_back : release, &own);
    feed->counts.dropped += own.count;
    own_venue->missed |= own.count > 0; /* the twin may have them; nobody looks so closely */
    if (frozen) {
        own_handler->gone_since_ns = mono_ns;
    } else {
        own_handler->last_ns = mono_ns;
    }
    if (own_venue->active == handler) {
        own_venue->take_over_ns = frozen ? mono_ns + TG__FEED_DETECT_NS : NEVER_NS;
    }
}

tg__handler *tg__feed_handler(tg__feed *feed, tg_venue_id venue, unsigned handler)
{
    feed->disturbed = true;
    return &feed->venues[venue].handlers[handler];
}

/* ---- what follows ---- */

static bool is_working(const tg__handler *handler)
{
    return handler->up && !handler->frozen;
}

bool tg__feed_take_over(tg__feed *feed, tg_venue_id venue, int64_t mono_ns)
{
    tg__feed_venue *own = &feed->venues[venue];
    const uint8_t standby = (uint8_t)(1 - own->active);
    if (own->take_over_ns > mono_ns) {
        return false;
    }
    const tg__handler *before = &own->handlers[own->active];
    if (!is_working(&own->handlers[standby])) {
        if (is_working(before)) {
            own->take_over_ns = NEVER_NS; /* there is nobody else */
        }
        return false;
    }
    /* Rows that the active one was slow to bring, the standby does not hold any more. */
    own->missed |= before->delay_ns + before->reorder_ns > 0;
    own_rows rows = {.venue = venue, .handler = standby, .hold_ns = standby_hold_ns(feed)};
    own->active = standby;
    own->take_over_ns = NEVER_NS;
    sift(feed, change_active, &rows);
    feed->counts.take_overs++;
    return true;
}

bool tg__feed_is_alive(const tg__feed *feed, tg_venue_id venue, int64_t mono_ns)
{
    for (unsigned i = 0; i < feed->handler_count; i++) {
        const tg__handler *handler = &feed->venues[venue].handlers[i];
        if (is_working(handler) || mono_ns - handler->gone_since_ns < TG__FEED_DETECT_NS) {
            return true;
        }
    }
    return false;
}

bool tg__feed_is_bringing(const tg__feed *feed, tg_venue_id venue)
{
    return is_working(&feed->venues[venue].handlers[0]) ||
           is_working(&feed->venues[venue].handlers[1]);
}

bool tg__feed_recover(tg__feed *feed, tg_venue_id venue)
{
    const bool missed = feed->venues[venue].missed;
    feed->venues[venue].missed = false;
    return missed;
}
