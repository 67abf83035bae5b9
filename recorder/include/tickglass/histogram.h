/**
 * High dynamic range histograms: fixed memory, no allocation after open, exact merging.
 *
 * Values are integers of one unit (here: nanoseconds). Within the range every value is kept to the
 * chosen number of significant decimal digits; values outside are counted apart, never clamped.
 * After G. Tene's HdrHistogram.
 */
#ifndef TICKGLASS_HISTOGRAM_H
#define TICKGLASS_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#include <tickglass/err.h>

TG_BEGIN_DECLS

typedef struct tg_histogram tg_histogram;

typedef struct tg_histogram_options {
    size_t struct_size;     /**< set by tg_histogram_options_init() */
    int64_t lowest;         /**< smallest value that is told apart from 0; 0: 1,000 (1 µs in ns) */
    int64_t highest;        /**< largest value that is kept; 0: 60,000,000,000 (60 s in ns) */
    int significant_digits; /**< 1 to 4; 0: 3 */
} tg_histogram_options;

/** Thread: any.  Blocks: no.  Since: 0.1 */
TG_API void tg_histogram_options_init(tg_histogram_options *opt);

/**
 * Counters have 16 bits; what they cannot hold is carried into a table that is allocated with them.
 * With the defaults it takes at least 90 million values before that table can be full, and then
 * only if they spread over 1,400 counters evenly; values without room are told in
 * summary.saturated.
 *
 * @param[in] opt  NULL: the defaults (less than 48 KiB)
 * @retval TG_ERR_INVALID_ARGUMENT out is NULL
 * @retval TG_ERR_UNSUPPORTED      opt comes from a newer header and sets a field this library lacks
 * @retval TG_ERR_NO_MEMORY        allocation failed
 * @retval TG_ERR_HISTOGRAM_RANGE  lowest < 1, highest < 2 x lowest, or digits out of range
 * Thread: any.  Blocks: no.  Owner of *out: the caller; close with tg_histogram_close().  Since:
 * 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_histogram_open(const tg_histogram_options *opt, tg_histogram **out);

/** NULL is allowed. Thread: owner.  Blocks: no.  Since: 0.1 */
TG_API void tg_histogram_close(tg_histogram *histogram);

/** One value. Wait-free. Thread: one at a time (the recording thread).  Blocks: no.  Since: 0.1 */
TG_API void tg_histogram_record(tg_histogram *histogram, int64_t value);

/**
 * One value of a series that should come every expected_interval: a value that is longer stands for
 * the ones that it held up, which are recorded too (value - interval, value - 2 x interval, … while
 * they are at least interval). expected_interval <= 0: the same as tg_histogram_record().
 * Thread: the recording thread.  Blocks: no (at most value / interval steps).  Since: 0.1
 */
TG_API void tg_histogram_record_corrected(tg_histogram *histogram, int64_t value,
                                          int64_t expected_interval);

typedef struct tg_histogram_summary {
    uint64_t count;     /**< values in range */
    uint64_t negative;  /**< values below 0, not in count */
    uint64_t over;      /**< values over highest, not in count */
    uint64_t saturated; /**< values that found no room for their counter's carry, not in count; see
                             tg_histogram_open() */
    int64_t min;        /**< of the values in range; 0 if there are none */
    int64_t max;
    double mean;
} tg_histogram_summary;

/**
 * May run while another thread records: then it is exact for some moment per counter.
 * Thread: any.  Blocks: no.  Since: 0.1
 */
TG_API void tg_histogram_summary_get(const tg_histogram *histogram, tg_histogram_summary *out);

/**
 * The value that percentile per cent of the values do not exceed (0 to 100), to the histogram's
 * precision and never over the largest recorded value; 0 if empty.
 * Thread: any.  Blocks: no.  Since: 0.1
 */
TG_API int64_t tg_histogram_percentile(const tg_histogram *histogram, double percentile);

/**
 * How many values lie in from … to, both counted in, to the histogram's precision: a counter
 * belongs to it if its smallest value does. Thread: any.  Blocks: no.  Since: 0.1
 */
TG_API uint64_t tg_histogram_count_between(const tg_histogram *histogram, int64_t from, int64_t to);

/** Bytes that the histogram occupies. Thread: any.  Blocks: no.  Since: 0.1 */
TG_API size_t tg_histogram_size(const tg_histogram *histogram);

/**
 * Add all counts of from, exactly.
 * @retval TG_ERR_HISTOGRAM_RANGE  lowest, highest and digits differ; nothing was added
 * Thread: the recording thread of into; from may be recorded meanwhile.  Blocks: no.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_histogram_add(tg_histogram *into, const tg_histogram *from);

/** Forget everything. Thread: the recording thread.  Blocks: no.  Since: 0.1 */
TG_API void tg_histogram_reset(tg_histogram *histogram);

TG_END_DECLS

#endif
