#include "reconnect_spread.h"

#define MS_PER_S UINT64_C(1000)

void tg__reconnect_spread_init(tg__reconnect_spread *spread, uint32_t per_second)
{
    *spread = (tg__reconnect_spread){.per_second = per_second, .next_mono_ns = INT64_MIN};
}

uint32_t tg__reconnect_spread_ms(const tg__reconnect_spread *spread, uint32_t connections)
{
    if (spread->per_second == 0) {
        return 0;
    }
    const uint64_t ms =
        (connections * MS_PER_S + spread->per_second - 1) / spread->per_second; /* rounded up */
    return ms < UINT32_MAX ? (uint32_t)ms : UINT32_MAX;
}

bool tg__reconnect_spread_is_due(tg__reconnect_spread *spread, uint32_t connections,
                                 int64_t mono_ns)
{
    if (mono_ns < spread->next_mono_ns) {
        return false;
    }
    const uint32_t ms = tg__reconnect_spread_ms(spread, connections);
    const uint64_t high = ms > spread->told_ms ? ms : spread->told_ms;
    const uint64_t low = ms < spread->told_ms ? ms : spread->told_ms;
    if (high < TG__RECONNECT_SPREAD_LEAST_MS || 2 * high < 3 * low) {
        return false;
    }
    spread->told_ms = ms;
    spread->next_mono_ns = mono_ns + TG__RECONNECT_SPREAD_GAP_NS;
    return true;
}
