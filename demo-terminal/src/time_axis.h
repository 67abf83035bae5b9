/* Durations on a logarithmic axis: where they stand, what its decades are called, and as text. */
#ifndef TG_TERMINAL_TIME_AXIS_H
#define TG_TERMINAL_TIME_AXIS_H

#include <stdint.h>

#define TIME_AXIS_STEPS_PER_OCTAVE 256
#define TIME_AXIS_TEXT_SIZE        24

/* 256 steps for each doubling, straight between powers of two (2 % at most beside the logarithm);
 * durations under a nanosecond stand at 0. Thread: any, all of these. */
int32_t time_axis_position(int64_t ns);

/* The largest power of ten that is not above ns, at least 1 µs; the smallest that is not below. */
int64_t time_axis_decade_below(int64_t ns);
int64_t time_axis_decade_above(int64_t ns);

/* An axis from low to high, in steps of which step_count fit. */
typedef struct time_axis {
    int64_t low_ns;
    int64_t high_ns;
    uint32_t step_count;
} time_axis;

/* 0 to step_count - 1; what lies beyond an end stands at that end. */
uint32_t time_axis_step(const time_axis *axis, int64_t ns);

/* "1 µs", "10 ms", "1 s": a power of ten. */
void time_axis_decade_text(int64_t ns, char text[TIME_AXIS_TEXT_SIZE]);

/* "12.3 µs", "999.99 ms", "12.34 s": at most nine cells up to 99 s, whatever the locale. */
void time_axis_duration_text(int64_t ns, char text[TIME_AXIS_TEXT_SIZE]);

#endif
