#include "time_map.h"

#include <stdlib.h>

#include <tickglass/internal/control_flow.h>

#define STEP_NS INT64_C(1000000) /* drift within a second is far below 1 ms */

void tg__time_map_deinit(tg__time_map *map)
{
    free(map->anchors);
    map->anchors = NULL;
    map->count = 0;
    map->capacity = 0;
}

tg_err tg__time_map_add(tg__time_map *map, const tg__anchor *anchor)
{
    if (map->count != 0) {
        const tg__anchor *last = &map->anchors[map->count - 1];
        TG_ENSURE(anchor->stamp > last->stamp && anchor->mono_ns > last->mono_ns, TG_ERR_STATE);
    }
    if (map->count == map->capacity) {
        const size_t capacity = map->capacity == 0 ? 64 : map->capacity * 2;
        tg__anchor *larger = realloc(map->anchors, capacity * sizeof *larger);
        TG_ENSURE(larger != NULL, TG_ERR_NO_MEMORY);
        map->anchors = larger;
        map->capacity = capacity;
    }
    map->anchors[map->count++] = *anchor;
    return TG_OK;
}

/* from + by, held inside the range: stamps in a damaged file may be anything. */
static int64_t add_held(int64_t from, double by)
{
    const double sum = (double)from + by;
    if (sum > 9.2e18 || sum < -9.2e18 || by > 9.2e18 || by < -9.2e18) {
        return sum < 0 ? INT64_MIN : INT64_MAX;
    }
    return (int64_t)((uint64_t)from + (uint64_t)(int64_t)by);
}

/* to - from; wraps where the true difference is over 64 bits, which only damage can bring about. */
static double difference(int64_t from, int64_t to)
{
    return (double)(int64_t)((uint64_t)to - (uint64_t)from);
}

static double distance(uint64_t from, uint64_t to)
{
    return to >= from ? (double)(to - from) : -(double)(from - to);
}

/* The segment whose first anchor is the last one not after the stamp; the outer ones reach out. */
static size_t find_by_stamp(tg__time_map *map, uint64_t stamp)
{
    size_t at = map->segment < map->count - 1 ? map->segment : 0;
    if (stamp < map->anchors[at].stamp) {
        size_t low = 0;
        size_t high = at;
        while (high - low > 1) {
            const size_t middle = (low + high) / 2;
            if (stamp < map->anchors[middle].stamp) {
                high = middle;
            } else {
                low = middle;
            }
        }
        at = low;
    }
    while (at + 2 < map->count && stamp >= map->anchors[at + 1].stamp) {
        at++;
    }
    map->segment = at;
    return at;
}

int64_t tg__time_map_mono(tg__time_map *map, uint64_t stamp)
{
    if (map->clock_kind != TG__CLOCK_CYCLES || map->count == 0) {
        return (int64_t)stamp;
    }
    if (map->count == 1) { /* no rate to be had: say nanoseconds */
        return add_held(map->anchors[0].mono_ns, distance(map->anchors[0].stamp, stamp));
    }
    const size_t segment = find_by_stamp(map, stamp);
    const tg__anchor *a = &map->anchors[segment];
    if (map->rated != segment + 1) { /* a division for each record would be most of what it costs */
        map->rate = difference(a[0].mono_ns, a[1].mono_ns) / (double)(a[1].stamp - a[0].stamp);
        map->rated = segment + 1;
    }
    return add_held(a->mono_ns, distance(a->stamp, stamp) * map->rate);
}

/* The last anchor not after the time, or the first. */
static size_t find_by_mono(const tg__time_map *map, int64_t mono_ns)
{
    const tg__anchor *anchors = map->anchors;
    const size_t near = map->segment < map->count ? map->segment : 0;
    if (mono_ns >= anchors[near].mono_ns &&
        (near + 1 == map->count || mono_ns < anchors[near + 1].mono_ns)) {
        return near;
    }
    size_t low = 0;
    size_t high = map->count;
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        if (mono_ns < anchors[middle].mono_ns) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return low;
}

int64_t tg__time_map_utc(const tg__time_map *map, int64_t mono_ns)
{
    if (map->count == 0) {
        return mono_ns;
    }
    const size_t at = find_by_mono(map, mono_ns);
    const tg__anchor *a = &map->anchors[at];
    const double since = distance((uint64_t)a->mono_ns, (uint64_t)mono_ns);
    double drift = 0;
    if (at + 1 < map->count) {
        const double mono = difference(a[0].mono_ns, a[1].mono_ns);
        const double change = difference(a[0].utc_ns, a[1].utc_ns) - mono;
        if (change < (double)STEP_NS && change > -(double)STEP_NS) {
            drift = change * since / mono;
        }
    }
    return add_held(a->utc_ns, since + drift);
}

int64_t tg__time_map_utc_step(const tg__time_map *map)
{
    double largest = 0;
    for (size_t i = 1; i < map->count; i++) {
        const tg__anchor *a = &map->anchors[i - 1];
        const double change =
            difference(a[0].utc_ns, a[1].utc_ns) - difference(a[0].boot_ns, a[1].boot_ns);
        if (change * change > largest * largest) {
            largest = change;
        }
    }
    return add_held(0, largest);
}

int64_t tg__time_map_suspended(const tg__time_map *map)
{
    if (map->count < 2) {
        return 0;
    }
    const tg__anchor *first = &map->anchors[0];
    const tg__anchor *last = &map->anchors[map->count - 1];
    return add_held(0, difference(first->boot_ns, last->boot_ns) -
                           difference(first->mono_ns, last->mono_ns));
}
