/*
 * Whether the machine slept, or somebody set its wall clock, since the last look.
 *
 * In a sleep the monotonic clock stands still and CLOCK_BOOTTIME goes on: no deadline of ours
 * passes, and a price looks as young as it was. A wall clock that is set says that one of the two
 * times is wrong, or, of a clock without boottime (and in a virtual machine that was frozen), that
 * time went by unseen.
 */
#ifndef TG_SDK_CLOCK_WATCH_H
#define TG_SDK_CLOCK_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include <tickglass/clock.h>

/* Less than this is no more than a network's own delay. */
#define TG__SLEEP_LEAST_NS INT64_C(100000000)
/* A step is what exceeds this and an eighth of the time since the last look: no daemon slews
 * faster. What is below is followed. */
#define TG__STEP_LEAST_NS INT64_C(500000000)
#define TG__SLEW_PART     8

typedef struct tg__clock_jump {
    int64_t slept_ns;   /* 0: no sleep */
    int64_t stepped_ns; /* how far the wall clock was set forward; below 0: back; 0: it was not */
} tg__clock_jump;

typedef struct tg__clock_watch {
    tg_clock clock;
    bool looked;
    int64_t mono_ns;  /* of the last look */
    int64_t ahead_ns; /* of boottime over mono; only a sleep makes it more */
    int64_t utc_ns;   /* of utc over boottime, as of the last look */
} tg__clock_watch;

/* The first look finds nothing. clock is copied. */
void tg__clock_watch_init(tg__clock_watch *watch, const tg_clock *clock);

/*
 * mono_ns: a reading of the monotonic clock, of now or a little earlier. False: nothing happened.
 * However long the thread was kept from running between two readings, that is no jump.
 */
bool tg__clock_watch_look(tg__clock_watch *watch, int64_t mono_ns, tg__clock_jump *jump);

#endif
