#include "clock_watch.h"

#include <stddef.h>

/* A difference of two clocks lies between these, as they cannot be read at the same moment. */
typedef struct bounds {
    int64_t low_ns;
    int64_t high_ns;
} bounds;

/* boottime over mono, and utc over boottime. */
typedef struct reading {
    bounds ahead;
    bounds utc;
} reading;

static int64_t boottime_of(const tg_clock *clock, int64_t mono_ns)
{
    return clock->boottime_ns != NULL ? clock->boottime_ns(clock->ctx) : mono_ns;
}

void tg__clock_watch_init(tg__clock_watch *watch, const tg_clock *clock)
{
    *watch = (tg__clock_watch){.clock = *clock};
}

/* How far value was left behind, or ahead, by all of the bounds; 0: it lies between them. */
static int64_t beyond(const bounds *now, int64_t value)
{
    return now->low_ns > value    ? now->low_ns - value
           : now->high_ns < value ? now->high_ns - value
                                  : 0;
}

static bool is_step(int64_t stepped_ns, int64_t since_ns)
{
    const int64_t most_ns = TG__STEP_LEAST_NS + since_ns / TG__SLEW_PART;
    return stepped_ns > most_ns || stepped_ns < -most_ns;
}

/* Each clock read between two looks at another: what the thread lost in between widens the bounds
 * instead of looking like a jump. */
static reading read_with_care(const tg_clock *clock)
{
    const int64_t mono_ns = tg_clock_mono_ns(clock);
    const int64_t boottime_ns = boottime_of(clock, mono_ns);
    const int64_t mono_after_ns = tg_clock_mono_ns(clock);
    const int64_t utc_ns = tg_clock_utc_ns(clock);
    const int64_t boottime_after_ns = boottime_of(clock, tg_clock_mono_ns(clock));
    const bool two = clock->boottime_ns != NULL;
    return (reading){
        .ahead = {two ? boottime_ns - mono_after_ns : 0, two ? boottime_ns - mono_ns : 0},
        .utc = {utc_ns - boottime_after_ns, utc_ns - boottime_ns},
    };
}

bool tg__clock_watch_look(tg__clock_watch *watch, int64_t mono_ns, tg__clock_jump *jump)
{
    /* Two readings for each look, and so for each frame (some 50 ns): no other way to learn of a
     * sleep before the frame that was in the socket meanwhile is shown as one of now. */
    const int64_t boottime_ns = boottime_of(&watch->clock, mono_ns);
    const int64_t ahead_ns = boottime_ns - mono_ns;
    const int64_t utc_ns = tg_clock_utc_ns(&watch->clock) - boottime_ns;
    const int64_t since_ns = watch->looked ? mono_ns - watch->mono_ns : 0;
    *jump = (tg__clock_jump){0, 0};
    watch->mono_ns = mono_ns;
    if (!watch->looked) {
        watch->looked = true;
        watch->ahead_ns = ahead_ns;
        watch->utc_ns = utc_ns;
        return false;
    }
    if (ahead_ns - watch->ahead_ns < TG__SLEEP_LEAST_NS &&
        !is_step(utc_ns - watch->utc_ns, since_ns)) {
        watch->ahead_ns = ahead_ns < watch->ahead_ns ? ahead_ns : watch->ahead_ns;
        watch->utc_ns = utc_ns;
        return false;
    }
    const reading now = read_with_care(&watch->clock);
    const int64_t slept_ns = beyond(&now.ahead, watch->ahead_ns);
    const int64_t stepped_ns = beyond(&now.utc, watch->utc_ns);
    if (slept_ns >= TG__SLEEP_LEAST_NS) {
        jump->slept_ns = slept_ns;
        watch->ahead_ns = now.ahead.high_ns;
    }
    if (is_step(stepped_ns, since_ns)) {
        jump->stepped_ns = stepped_ns;
    }
    watch->utc_ns = now.utc.low_ns;
    return jump->slept_ns != 0 || jump->stepped_ns != 0;
}
