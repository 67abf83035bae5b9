#include "skewed_pair.h"

#include <string.h>

#include "tg_cmocka.h"

#include "prng.h"
#include "sim_universe.h"

#define LATE_MAX 65536u

typedef struct late_tick {
    int64_t due_ns;
    uint64_t id;
    size_t domain;
} late_tick;

typedef struct pair {
    uint64_t newest[2 * TG__SIM_INSTRUMENTS]; /* id that was brought, by domain */
    late_tick late[LATE_MAX];
    size_t count;
    skewed_pair_counts counts;
} pair;

/* Few are under way at a time: a search through all of them is enough. */
static void bring_late(pair *p, int64_t now_ns)
{
    for (size_t i = 0; i < p->count;) {
        const late_tick *late = &p->late[i];
        if (late->due_ns > now_ns) {
            i++;
            continue;
        }
        if (p->newest[late->domain] > late->id) {
            p->counts.out_of_order++;
        } else {
            p->newest[late->domain] = late->id;
        }
        p->late[i] = p->late[--p->count];
    }
}

skewed_pair_counts skewed_pair_play(tg__sim *sim, int64_t end_ns, uint32_t lost_ppm,
                                    int64_t skew_min_ns, int64_t skew_max_ns, uint64_t seed)
{
    static pair p;
    memset(&p, 0, sizeof p);
    tg__prng prng = {seed};
    tg__row row;
    tg__row before = {.ts_ns = -1};
    bool lost = false;
    for (tg__sim_next(sim, &row); row.ts_ns < end_ns; tg__sim_next(sim, &row)) {
        if (!row.has_id) {
            continue;
        }
        const size_t domain = 2u * row.instrument + (row.kind == TG__ROW_TRADE);
        const bool same_tick = row.ts_ns == before.ts_ns && row.instrument == before.instrument &&
                               row.kind != TG__ROW_TRADE && before.kind == TG__ROW_BID;
        bring_late(&p, row.ts_ns);
        if (!same_tick) {
            p.counts.ticks++;
            lost = tg__prng_below(&prng, 1000000) < lost_ppm;
            p.counts.lost += lost;
        }
        if (lost && !same_tick) {
            const uint32_t range_us = (uint32_t)((skew_max_ns - skew_min_ns) / 1000) + 1;
            const int64_t skew_ns =
                skew_min_ns + (int64_t)tg__prng_below(&prng, range_us) * INT64_C(1000);
            assert_true(p.count < LATE_MAX);
            const late_tick late = {row.ts_ns + skew_ns, row.exchange_id, domain};
            p.late[p.count++] = late;
        } else if (!lost) {
            p.newest[domain] = row.exchange_id;
        }
        before = row;
    }
    return p.counts;
}
