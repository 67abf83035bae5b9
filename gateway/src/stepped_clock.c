#include "stepped_clock.h"

static int64_t read_mono(void *ctx)
{
    const tg__stepped_clock *clock = ctx;
    return tg_clock_mono_ns(&clock->base);
}

static int64_t read_utc(void *ctx)
{
    const tg__stepped_clock *clock = ctx;
    return tg_clock_utc_ns(&clock->base) + clock->offset_ns;
}

tg_clock tg__stepped_clock_open(tg__stepped_clock *clock, const tg_clock *base)
{
    const tg_clock stepped = {.mono_ns = read_mono, .utc_ns = read_utc, .ctx = clock};
    clock->base = *base;
    clock->offset_ns = 0;
    return stepped;
}
