/** Ages, durations and times of day as text. Times carry their zone. */
#ifndef TICKGLASS_TIME_TEXT_H
#define TICKGLASS_TIME_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include <tickglass/err.h>

TG_BEGIN_DECLS

/** Enough for every text of this header. */
#define TG_TIME_TEXT_SIZE 40

/**
 * The age of a value: "<1s", "7s", "2m05s", "3h07m", "12d04h"; "–" if age_ns is negative (never).
 * Rounded down, so it changes once a second at most.
 *
 * @retval TG_ERR_INVALID_ARGUMENT  text is NULL
 * @retval TG_ERR_BUFFER_TOO_SMALL  size is too small; text is then empty
 * Thread: any.  Blocks: no.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_age_text(int64_t age_ns, char *text, size_t size);

/**
 * A duration in milliseconds with two digits after the point, rounded half up: "0.41 ms". Negative
 * ones keep their sign. Same errors. Thread: any.  Blocks: no.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_duration_text(int64_t duration_ns, char *text, size_t size);

/**
 * "2026-11-30 18:40:12 UTC", the proleptic Gregorian calendar. Same errors.
 * Thread: any.  Blocks: no.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_utc_text(int64_t utc_ns, char *text, size_t size);

TG_END_DECLS

#endif
