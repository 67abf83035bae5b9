/**
 * Histograms as bytes, to keep many of them in little memory, and as lines of HdrHistogram's log
 * (.hlog, V2 compressed), which its own tools read.
 */
#ifndef TICKGLASS_HISTOGRAM_FORM_H
#define TICKGLASS_HISTOGRAM_FORM_H

#include <stddef.h>
#include <stdint.h>

#include <tickglass/err.h>
#include <tickglass/histogram.h>

TG_BEGIN_DECLS

/**
 * All counts as bytes: two to four for each counter that is not 0, and 64. The form is that of a
 * window in a record file (FORMAT.md of the recorder, section 6).
 *
 * @param[in]  size    of buf; 0 with buf NULL asks for the size only
 * @param[out] needed  bytes for all of it
 * @retval TG_ERR_BUFFER_TOO_SMALL  size is under *needed; buf holds the beginning
 * @retval TG_ERR_INVALID_ARGUMENT  histogram or needed is NULL, or buf with a size
 * Thread: the recording thread.  Blocks: no.  Allocates: no.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_histogram_pack(const tg_histogram *histogram, void *buf, size_t size,
                                              size_t *needed);

/**
 * Add what tg_histogram_pack() made, exactly. All of it is checked before anything is added.
 * @retval TG_ERR_CORRUPT           not such bytes
 * @retval TG_ERR_HISTOGRAM_RANGE   lowest, highest or digits differ
 * @retval TG_ERR_INVALID_ARGUMENT  a pointer is NULL
 * Thread: the recording thread of into.  Blocks: no.  Allocates: no.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_histogram_add_packed(tg_histogram *into, const void *bytes,
                                                    size_t size);

/**
 * Add what later has more than earlier: the window between two copies of one growing histogram.
 * Counts are exact. Minimum and maximum are exact where the window set a new one for the whole,
 * else they are those of the outermost counters, to the histogram's precision.
 * @retval TG_ERR_HISTOGRAM_RANGE   lowest, highest or digits differ; nothing was added
 * @retval TG_ERR_INVALID_ARGUMENT  a pointer is NULL, or a count of later is less than that of
 *                                  earlier: not copies of one histogram; nothing was added
 * Thread: the recording thread of into; nobody records into the others.  Blocks: no.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_histogram_add_difference(tg_histogram *into,
                                                        const tg_histogram *later,
                                                        const tg_histogram *earlier);

/**
 * The first lines of a log whose first interval begins at from_utc_ns. Errors as
 * tg_hlog_interval(). Thread: any.  Blocks: no.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_hlog_head(int64_t from_utc_ns, char *buf, size_t size,
                                         size_t *needed);

/**
 * A line with its end: tag, start and length in seconds, largest value in ms, counts in V2
 * compressed form. What would end the tag (space, comma, quote) becomes _.
 *
 * @param[in]  size    of buf; 0 with buf NULL asks for the size only
 * @param[out] needed  bytes for the text with its terminator
 * @retval TG_ERR_BUFFER_TOO_SMALL  size is under *needed; buf is empty
 * @retval TG_ERR_INVALID_ARGUMENT  tag, histogram or needed is NULL, or buf with a size
 * @retval TG_ERR_NO_MEMORY         allocation failed
 * Thread: the recording thread or a copy's.  Blocks: no.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_hlog_interval(const char *tag, int64_t from_utc_ns,
                                             int64_t to_utc_ns, const tg_histogram *histogram,
                                             char *buf, size_t size, size_t *needed);

TG_END_DECLS

#endif
