/**
 * Histograms in HdrHistogram's own exchange form, V2 compressed and base64, so that its tools read
 * ours and ours read theirs. Written for lowest = 1: not every reader takes another one.
 */
#ifndef TICKGLASS_HLOG_H
#define TICKGLASS_HLOG_H

#include <tickglass/histogram.h>

#include "text_buffer.h"

/** Append the base64 text. @retval TG_ERR_NO_MEMORY. Thread: the recording thread or a copy's. */
TG_MUST_CHECK tg_err tg__hlog_encode(const tg_histogram *histogram, tg__text_buffer *out);

/**
 * @retval TG_ERR_SYNTAX       not base64
 * @retval TG_ERR_CORRUPT      not a V2 histogram
 * @retval TG_ERR_UNSUPPORTED  a shape that tg_histogram_open() refuses
 * @retval TG_ERR_NO_MEMORY
 */
TG_MUST_CHECK tg_err tg__hlog_decode(const char *text, size_t size, tg_histogram **out);

#endif
