/* Points in time as people write them: with their zone, never without. */
#ifndef TG_TERMINAL_MOMENT_H
#define TG_TERMINAL_MOMENT_H

#include <stddef.h>
#include <stdint.h>

#include <tickglass/err.h>

#define MOMENT_TEXT_SIZE 40

/* "2026-12-01T10:31:07.243118402Z"; utc_ns may be any. Thread: any. */
void moment_text(int64_t utc_ns, char text[MOMENT_TEXT_SIZE]);

/* From the first to the last nanosecond. */
typedef struct moment_span {
    int64_t first_utc_ns;
    int64_t last_utc_ns;
} moment_span;

/*
 * "2026-12-01T10:31:07.25Z", a blank for the T, up to nine digits after the point, and for the Z
 * " UTC" or "+01:00"; without a date the day of the span that has that time; or nanoseconds since
 * 1970. TG_ERR_SYNTAX: why says what is wrong; TG_ERR_NOT_FOUND: not in the span, or without a date
 * more than once. Thread: any.
 */
TG_MUST_CHECK tg_err moment_read(const char *text, moment_span span, int64_t *utc_ns, char *why,
                                 size_t why_size);

#endif
