#include "reach.h"

static void write_mark(uint64_t mark, uint8_t payload[TG__REACH_MARK_SIZE])
{
    for (unsigned i = 0; i < TG__REACH_MARK_SIZE; i++) {
        payload[i] = (uint8_t)(mark >> (8 * i));
    }
}

bool tg__reach_ping(tg__reach *reach, int64_t mono_ns, uint8_t payload[TG__REACH_MARK_SIZE])
{
    if (reach->waiting ||
        (reach->mark > 0 && mono_ns - reach->last_ping_mono_ns < TG__REACH_PING_NS)) {
        return false;
    }
    reach->mark++;
    reach->last_ping_mono_ns = mono_ns;
    reach->waiting = true;
    write_mark(reach->mark, payload);
    return true;
}

bool tg__reach_pong(tg__reach *reach, const uint8_t *payload, size_t size)
{
    uint8_t expected[TG__REACH_MARK_SIZE];
    write_mark(reach->mark, expected);
    bool equal = reach->waiting && size == sizeof expected;
    for (size_t i = 0; i < sizeof expected && equal; i++) {
        equal = payload[i] == expected[i];
    }
    if (equal) {
        reach->waiting = false;
    }
    return equal;
}

bool tg__reach_is_behind(const tg__reach *reach, int64_t mono_ns)
{
    return reach->waiting && mono_ns - reach->last_ping_mono_ns > TG__REACH_BEHIND_NS;
}
