/* The Retry-After header, in both of its forms. RFC 9110 10.2.3 and 5.6.7. */
#ifndef TG_SDK_RETRY_AFTER_H
#define TG_SDK_RETRY_AFTER_H

#include <stdint.h>

#include <tickglass/err.h>

/*
 * Milliseconds to wait; UINT32_MAX if it is more. A date counts from `date`, the answer's own Date
 * header, because the two clocks may differ; from now_utc_ns if that is NULL or not a date. A
 * date in the past is 0. TG_ERR_SYNTAX: neither form.
 */
TG_MUST_CHECK tg_err tg__retry_after_parse(const char *text, const char *date, int64_t now_utc_ns,
                                           uint32_t *wait_ms);

#endif
