/**
 * Histograms in HdrHistogram's own exchange form, V2 compressed and base64, so that its tools read
 * ours and ours read theirs. Written for lowest = 1: not every reader takes another one.
 */
#ifndef TICKGLASS_HLOG_H
#define TICKGLASS_HLOG_H

#include <tickglass/histogram.h>
#include <tickglass/internal/text_buffer.h>

/** Append the head of a log whose first interval begins at from_utc_ns. */
void tg__hlog_add_header(tg__text_buffer *out, int64_t from_utc_ns);

/**
 * Append a line: tag, start and length in seconds, largest value in ms, counts. What would end the
 * tag (space, comma, quote) becomes _.
 * @retval TG_ERR_NO_MEMORY. Thread: the recording thread or a copy's.
 */
TG_MUST_CHECK tg_err tg__hlog_add_interval(tg__text_buffer *out, const char *tag,
                                           int64_t from_utc_ns, int64_t to_utc_ns,
                                           const tg_histogram *histogram);

/** Append the base64 text. @retval TG_ERR_NO_MEMORY. Thread: the recording thread or a copy's. */
TG_MUST_CHECK tg_err tg__hlog_encode(const tg_histogram *histogram, tg__text_buffer *out);

/**
 * @retval TG_ERR_SYNTAX       not base64
 * @retval TG_ERR_CORRUPT      not a V2 histogram
 * @retval TG_ERR_UNSUPPORTED  a shape that tg_histogram_open() refuses
 * @retval TG_ERR_NO_MEMORY
 */
TG_MUST_CHECK tg_err tg__hlog_decode(const char *text, size_t size, tg_histogram **out);

/**
 * The same for the text of strangers: into a histogram that is there. Nothing is allocated, and the
 * work is bounded by the sizes given, whatever the text says of its own. into is empty if it fails.
 *
 * @param[in] scratch    room for size / 4 * 3 bytes and, behind them, the unpacked histogram
 * @param[in] count_max  most values in it
 * @retval TG_ERR_SYNTAX           not base64
 * @retval TG_ERR_CORRUPT          not a V2 histogram, or one that scratch has no room for
 * @retval TG_ERR_UNSUPPORTED      no shape that tg_histogram_open() knows
 * @retval TG_ERR_HISTOGRAM_RANGE  another shape than that of into
 * @retval TG_ERR_COUNT_LIMIT      more values than count_max
 * Thread: the recording thread of into.
 */
TG_MUST_CHECK tg_err tg__hlog_decode_into(const char *text, size_t size, unsigned char *scratch,
                                          size_t scratch_size, uint64_t count_max,
                                          tg_histogram *into);

#endif
