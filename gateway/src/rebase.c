#include "rebase.h"

#include <string.h>

void tg__rebase_init(tg__rebase *rebase, uint32_t speed_milli, bool keep_times)
{
    memset(rebase, 0, sizeof *rebase);
    rebase->speed_milli = speed_milli;
    rebase->keep_times = keep_times;
}

void tg__rebase_start(tg__rebase *rebase, int64_t source_start_ns, int64_t mono_ns, int64_t utc_ns)
{
    rebase->source_start_ns = source_start_ns;
    rebase->mono_start_ns = mono_ns;
    rebase->utc_start_ns = utc_ns;
    rebase->last_source_ns = source_start_ns - 1; /* so that the first row differs from it */
}

/* elapsed x 1000 / speed, without leaving 64 bits on the way. */
static int64_t wall_elapsed(const tg__rebase *rebase, int64_t elapsed_ns)
{
    const int64_t speed = (int64_t)rebase->speed_milli;
    const int64_t whole = elapsed_ns / speed;
    const int64_t rest = elapsed_ns % speed;
    if (whole > INT64_MAX / (2 * (int64_t)TG__SPEED_SCALE)) {
        return INT64_MAX / 2; /* 146 years ahead: never due, but still a time */
    }
    return whole * (int64_t)TG__SPEED_SCALE + rest * (int64_t)TG__SPEED_SCALE / speed;
}

int64_t tg__rebase_due_mono_ns(const tg__rebase *rebase, int64_t source_ns)
{
    if (rebase->speed_milli == 0) {
        return rebase->mono_start_ns;
    }
    return rebase->mono_start_ns + wall_elapsed(rebase, source_ns - rebase->source_start_ns);
}

int64_t tg__rebase_utc_ns(const tg__rebase *rebase, int64_t mono_ns)
{
    return rebase->utc_start_ns + (mono_ns - rebase->mono_start_ns);
}

int64_t tg__rebase_age_ns(const tg__rebase *rebase, int64_t ts_ns, int64_t mono_ns)
{
    if (rebase->speed_milli == 0) {
        return -1;
    }
    return rebase->keep_times ? mono_ns - tg__rebase_due_mono_ns(rebase, ts_ns)
                              : tg__rebase_utc_ns(rebase, mono_ns) - ts_ns;
}

int64_t tg__rebase_ts_ns(tg__rebase *rebase, int64_t source_ns)
{
    if (rebase->keep_times) {
        return source_ns;
    }
    if (source_ns == rebase->last_source_ns) {
        return rebase->last_ts_ns;
    }
    const int64_t elapsed_ns = source_ns - rebase->source_start_ns;
    int64_t ts_ns = rebase->utc_start_ns;
    if (rebase->speed_milli != 0) {
        ts_ns += wall_elapsed(rebase, elapsed_ns);
    }
    if (rebase->has_last && ts_ns <= rebase->last_ts_ns) {
        ts_ns = rebase->last_ts_ns + 1;
    }
    rebase->has_last = true;
    rebase->last_source_ns = source_ns;
    rebase->last_ts_ns = ts_ns;
    return ts_ns;
}
