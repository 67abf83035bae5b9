/**
 * A histogram as a row of counters, for what reads or rebuilds it counter by counter: merging and
 * the snapshots in a record file.
 */
#ifndef TICKGLASS_HISTOGRAM_SLOTS_H
#define TICKGLASS_HISTOGRAM_SLOTS_H

#include <tickglass/histogram.h>

/** The values that a histogram was opened with; two histograms with equal ones merge. */
typedef struct tg__histogram_shape {
    int64_t lowest;
    int64_t highest;
    int significant_digits;
} tg__histogram_shape;

/** Thread: any. Blocks: no. */
tg__histogram_shape tg__histogram_shape_get(const tg_histogram *histogram);
uint32_t tg__histogram_slot_count(const tg_histogram *histogram);

/** The counter of slot < slot count, exact for some moment of the call. Thread: any. Blocks: no. */
uint64_t tg__histogram_slot_get(const tg_histogram *histogram, uint32_t slot);

/** The first slot at or after from whose counter is not 0; slot count if there is none. Thread:
 * any. Blocks: no. */
uint32_t tg__histogram_slot_next(const tg_histogram *histogram, uint32_t from);

/** The counter that a value from 0 to highest is counted in. Thread: any. Blocks: no. */
uint32_t tg__histogram_slot_of(const tg_histogram *histogram, int64_t value);

/** Smallest and largest value that the counter stands for. Thread: any. Blocks: no. */
int64_t tg__histogram_slot_lowest(const tg_histogram *histogram, uint32_t slot);
int64_t tg__histogram_slot_highest(const tg_histogram *histogram, uint32_t slot);

/** Record many values, min and max being theirs; 0 to highest. Thread: the recording thread. */
void tg__histogram_record_words(tg_histogram *histogram, const uint64_t *values, size_t count,
                                uint64_t min, uint64_t max);

/** Add to one counter. Does not touch minimum and maximum. Thread: the recording thread. */
void tg__histogram_slot_add(tg_histogram *histogram, uint32_t slot, uint64_t count);

/** Add what is not in the counters; minimum and maximum only if from->count is not 0. Thread: the
 * recording thread. */
void tg__histogram_outer_add(tg_histogram *histogram, const tg_histogram_summary *from);

#endif
