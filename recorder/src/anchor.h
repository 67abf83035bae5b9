/**
 * The same moment on every clock: what turns counters into times afterwards.
 */
#ifndef TICKGLASS_ANCHOR_H
#define TICKGLASS_ANCHOR_H

#include <stdint.h>

#include <tickglass/clock.h>
#include <tickglass/record_inline.h>

typedef struct tg__anchor {
    uint64_t stamp;  /**< of the recorder's clock, between the readings of the others */
    int64_t mono_ns; /**< CLOCK_MONOTONIC */
    int64_t boot_ns; /**< the same, suspend included; mono_ns where the system has no such clock */
    int64_t utc_ns;
} tg__anchor;

/** Read all clocks; with a given clock, that one only. Thread: any. Blocks: no. */
tg__anchor tg__anchor_take(uint32_t clock_kind, const tg_clock *given);

/** TG__CLOCK_CYCLES if the processor's counter runs at one rate in every power state. */
uint32_t tg__clock_kind_best(void);

#endif
