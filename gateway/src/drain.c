#include "drain.h"

#define NS_PER_MS INT64_C(1000000)

void tg__drain_start(tg__drain *drain, uint32_t connections, uint32_t percent, uint32_t interval_ms,
                     int64_t mono_ns)
{
    drain->started = true;
    drain->initial = connections;
    drain->step_size = (uint32_t)(((uint64_t)connections * percent + 99) / 100);
    drain->steps_left = connections == 0 ? 0 : (connections - 1) / drain->step_size + 1;
    drain->interval_ns = (int64_t)interval_ms * NS_PER_MS;
    drain->start_mono_ns = mono_ns;
    drain->next_mono_ns = mono_ns;
    drain->deadline_mono_ns = mono_ns + TG__DRAIN_ANSWER_NS;
}

uint32_t tg__drain_step(tg__drain *drain, int64_t mono_ns)
{
    if (drain->steps_left == 0 || mono_ns < drain->next_mono_ns) {
        return 0;
    }
    drain->steps_left--;
    /* From the plan, so that small delays do not add up; from now, where a step was missed. */
    drain->next_mono_ns += drain->interval_ns;
    if (drain->next_mono_ns <= mono_ns) {
        drain->next_mono_ns = mono_ns + drain->interval_ns;
    }
    drain->deadline_mono_ns = mono_ns + TG__DRAIN_ANSWER_NS;
    return drain->step_size;
}

bool tg__drain_is_late(const tg__drain *drain, int64_t mono_ns)
{
    return drain->steps_left == 0 && mono_ns >= drain->deadline_mono_ns;
}
