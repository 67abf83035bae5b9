#include "clock_pair.h"

#define NEIGHBOURS 16u /* echoes on each side of a time: one of them had a short way */

/* Times come from files and may be anything: no overflow. */
static int64_t between(int64_t from_ns, int64_t to_ns)
{
    return (int64_t)((uint64_t)to_ns - (uint64_t)from_ns);
}

static int64_t round_trip_ns(const tg__echo *echo)
{
    return between(echo->sent_ns, echo->received_ns);
}

static tg__echo shorter_of(const tg__echo *one, const tg__echo *other)
{
    return round_trip_ns(other) < round_trip_ns(one) ? *other : *one;
}

static void halve(tg__clock_pair *pair)
{
    size_t kept = 0;
    for (size_t i = 0; i + 1 < pair->count; i += 2) {
        pair->echoes[kept++] = shorter_of(&pair->echoes[i], &pair->echoes[i + 1]);
    }
    pair->count = kept;
    pair->stride *= 2;
    pair->skipped = 0;
}

void tg__clock_pair_add(tg__clock_pair *pair, const tg__echo *echo)
{
    pair->stride = pair->stride == 0 ? 1 : pair->stride;
    if (round_trip_ns(echo) < 0 ||
        (pair->count != 0 && echo->received_ns <= pair->echoes[pair->count - 1].received_ns)) {
        return;
    }
    if (pair->count != 0 && pair->skipped + 1 < pair->stride) {
        pair->skipped++;
        tg__echo *last = &pair->echoes[pair->count - 1];
        *last = shorter_of(last, echo);
        return;
    }
    if (pair->count == TG__ECHOES_MAX) {
        halve(pair);
    }
    pair->skipped = 0;
    pair->echoes[pair->count] = *echo;
    pair->echoes[pair->count++].seen = false;
}

bool tg__clock_pair_seen(tg__clock_pair *pair, uint64_t cookie, int64_t seen_ns)
{
    for (size_t i = 0; i < pair->count; i++) {
        if (pair->echoes[i].cookie == cookie) {
            pair->echoes[i].seen = true;
            pair->echoes[i].seen_ns = seen_ns;
            return true;
        }
    }
    return false;
}

void tg__clock_pair_close(tg__clock_pair *pair)
{
    size_t kept = 0;
    for (size_t i = 0; i < pair->count; i++) {
        if (pair->echoes[i].seen) {
            pair->echoes[kept++] = pair->echoes[i];
        }
    }
    pair->count = kept;
}

/* The first echo that was received after the time, or their number. */
static size_t find_after(const tg__clock_pair *pair, int64_t near_ns)
{
    size_t low = 0;
    size_t high = pair->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (pair->echoes[middle].received_ns <= near_ns) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static int64_t drift_ns(int64_t from_ns, int64_t to_ns)
{
    const int64_t forth_ns = between(from_ns, to_ns);
    const int64_t apart_ns = forth_ns > 0 ? forth_ns : between(to_ns, from_ns);
    return apart_ns / 1000000 * TG__CLOCK_DRIFT_PPM +
           apart_ns % 1000000 * TG__CLOCK_DRIFT_PPM / 1000000;
}

/* What is known of the difference. */
typedef struct bounds {
    int64_t least_ns;
    int64_t most_ns;
} bounds;

static bounds bounds_of(const tg__echo *echo, int64_t near_ns)
{
    /* It was seen after it had been sent, and before the answer was there. */
    const bounds of = {
        between(drift_ns(echo->received_ns, near_ns), between(echo->received_ns, echo->seen_ns)),
        between(-drift_ns(echo->sent_ns, near_ns), between(echo->sent_ns, echo->seen_ns)),
    };
    return of;
}

static int64_t width_of(bounds of)
{
    return between(of.least_ns, of.most_ns);
}

static tg__clock_offset middle_of(bounds of)
{
    const int64_t half_ns = width_of(of) / 2;
    const tg__clock_offset offset = {between(-half_ns, of.least_ns), width_of(of) - half_ns};
    return offset;
}

tg__clock_offset tg__clock_pair_at(const tg__clock_pair *pair, int64_t near_ns)
{
    const size_t after = find_after(pair, near_ns);
    const size_t first = after > NEIGHBOURS ? after - NEIGHBOURS : 0;
    const size_t end = pair->count - after > NEIGHBOURS ? after + NEIGHBOURS : pair->count;
    bounds all = bounds_of(&pair->echoes[first], near_ns);
    bounds narrowest = all;
    for (size_t i = first + 1; i < end; i++) {
        const bounds one = bounds_of(&pair->echoes[i], near_ns);
        all.least_ns = one.least_ns > all.least_ns ? one.least_ns : all.least_ns;
        all.most_ns = one.most_ns < all.most_ns ? one.most_ns : all.most_ns;
        if (width_of(one) < width_of(narrowest)) {
            narrowest = one;
        }
    }
    /* Echoes that contradict each other: one clock has stepped, or they run further apart. */
    return middle_of(all.least_ns <= all.most_ns ? all : narrowest);
}

tg__clock_offset tg__clock_offset_after(tg__clock_offset offset, int64_t far_sent_ns,
                                        int64_t near_received_ns)
{
    bounds of = {between(offset.uncertainty_ns, offset.ns),
                 between(between(offset.uncertainty_ns, 0), offset.ns)};
    const int64_t least_ns = between(near_received_ns, far_sent_ns);
    if (least_ns <= of.least_ns || least_ns > of.most_ns) {
        return offset;
    }
    of.least_ns = least_ns;
    return middle_of(of);
}
