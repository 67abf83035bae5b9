#include "feed.h"

#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

#include "prng.h"

tg_err tg__feed_init(tg__feed *feed, unsigned handler_count, int64_t skew_min_ns,
                     int64_t skew_max_ns, uint64_t seed)
{
    memset(feed, 0, sizeof *feed);
    TG_ENSURE(handler_count >= 1 && handler_count <= 2 && skew_min_ns >= 0 &&
                  skew_min_ns <= skew_max_ns,
              TG_ERR_INVALID_ARGUMENT);
    feed->seed = seed;
    feed->skew_min_ns = skew_min_ns;
    feed->skew_max_ns = skew_max_ns;
    if (handler_count == 2) {
        feed->heap = calloc(TG__FEED_DELAYED_MAX, sizeof *feed->heap);
        TG_ENSURE(feed->heap != NULL, TG_ERR_NO_MEMORY);
    }
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
    return feed->count == TG__FEED_DELAYED_MAX;
}

static bool is_before(const tg__delayed_row *a, const tg__delayed_row *b)
{
    return a->due_mono_ns != b->due_mono_ns ? a->due_mono_ns < b->due_mono_ns : a->order < b->order;
}

/* Equal for all rows of one tick: they have instrument, time, id and domain in common. */
static int64_t skew_of(const tg__feed *feed, const tg__row *row)
{
    uint64_t hash = tg__prng_mix(feed->seed ^ (uint64_t)row->ts_ns);
    hash = tg__prng_mix(hash ^ row->exchange_id);
    hash = tg__prng_mix(hash ^ row->instrument ^ (row->kind == TG__ROW_TRADE ? 0x10000u : 0u));
    const uint64_t range = (uint64_t)(feed->skew_max_ns - feed->skew_min_ns) + 1;
    return feed->skew_min_ns + (int64_t)(hash % range);
}

void tg__feed_delay(tg__feed *feed, const tg__row *row, int64_t mono_ns)
{
    if (feed->heap == NULL || !row->has_id || tg__feed_is_full(feed)) {
        return;
    }
    const tg__delayed_row added = {mono_ns + skew_of(feed, row), feed->next_order++, *row};
    size_t at = feed->count++;
    while (at > 0 && is_before(&added, &feed->heap[(at - 1) / 2])) {
        feed->heap[at] = feed->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    feed->heap[at] = added;
}

static void remove_first(tg__feed *feed)
{
    const tg__delayed_row moved = feed->heap[--feed->count];
    size_t at = 0;
    for (size_t child = 1; child < feed->count; child = at * 2 + 1) {
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

bool tg__feed_take(tg__feed *feed, int64_t mono_ns, tg__row *row)
{
    if (feed->count == 0 || feed->heap[0].due_mono_ns > mono_ns) {
        return false;
    }
    *row = feed->heap[0].row;
    remove_first(feed);
    return true;
}

int64_t tg__feed_next_mono_ns(const tg__feed *feed)
{
    return feed->count == 0 ? INT64_MAX : feed->heap[0].due_mono_ns;
}
