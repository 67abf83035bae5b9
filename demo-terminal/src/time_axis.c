#include "time_axis.h"

#include <inttypes.h>
#include <stdio.h>

#define US    INT64_C(1000)
#define MS    INT64_C(1000000)
#define S     INT64_C(1000000000)
#define MICRO "\xC2\xB5"

int32_t time_axis_position(int64_t ns)
{
    if (ns < 1) {
        return 0;
    }
    int octave = 0;
    while (ns >> (octave + 1) != 0) {
        octave++;
    }
    const int64_t rest = ns - (INT64_C(1) << octave);
    /* rest is less than 2^octave; of large ones the low bits do not matter. */
    const int64_t part = octave > 40 ? (rest >> (octave - 8))
                                     : rest * TIME_AXIS_STEPS_PER_OCTAVE / (INT64_C(1) << octave);
    return (int32_t)(octave * TIME_AXIS_STEPS_PER_OCTAVE + part);
}

int64_t time_axis_decade_below(int64_t ns)
{
    int64_t decade = US;
    while (decade <= INT64_MAX / 10 && decade * 10 <= ns) {
        decade *= 10;
    }
    return decade;
}

int64_t time_axis_decade_above(int64_t ns)
{
    const int64_t below = time_axis_decade_below(ns);
    return below < ns && below <= INT64_MAX / 10 ? below * 10 : below;
}

uint32_t time_axis_step(const time_axis *axis, int64_t ns)
{
    const int32_t low = time_axis_position(axis->low_ns);
    const int32_t high = time_axis_position(axis->high_ns);
    const int32_t at = time_axis_position(ns);
    if (axis->step_count == 0 || at <= low || high <= low) {
        return 0;
    }
    const uint64_t step = (uint64_t)(at - low) * axis->step_count / (uint64_t)(high - low);
    return step < axis->step_count ? (uint32_t)step : axis->step_count - 1;
}

void time_axis_decade_text(int64_t ns, char text[TIME_AXIS_TEXT_SIZE])
{
    const char *unit = ns >= S ? "s" : ns >= MS ? "ms" : MICRO "s";
    const int64_t size = ns >= S ? S : ns >= MS ? MS : US;
    (void)snprintf(text, TIME_AXIS_TEXT_SIZE, "%" PRId64 " %s", ns / size, unit);
}

void time_axis_duration_text(int64_t ns, char text[TIME_AXIS_TEXT_SIZE])
{
    const char *sign = ns < 0 ? "-" : "";
    const uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    if (size < 999950) {
        const uint64_t tenths = (size + 50) / 100;
        (void)snprintf(text, TIME_AXIS_TEXT_SIZE, "%s%" PRIu64 ".%" PRIu64 " " MICRO "s", sign,
                       tenths / 10, tenths % 10);
    } else if (size < 999995000) {
        const uint64_t hundredths = (size + 5000) / 10000;
        (void)snprintf(text, TIME_AXIS_TEXT_SIZE, "%s%" PRIu64 ".%02" PRIu64 " ms", sign,
                       hundredths / 100, hundredths % 100);
    } else {
        const uint64_t hundredths = size / 10000000 + (size % 10000000 >= 5000000 ? 1 : 0);
        (void)snprintf(text, TIME_AXIS_TEXT_SIZE, "%s%" PRIu64 ".%02" PRIu64 " s", sign,
                       hundredths / 100, hundredths % 100);
    }
}
