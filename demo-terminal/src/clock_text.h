/* Times of day in UTC; whoever shows one says the zone beside it. */
#ifndef TG_TERMINAL_CLOCK_TEXT_H
#define TG_TERMINAL_CLOCK_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#define CLOCK_TEXT_SIZE 16

/* "18:40:12", or "18:40:12.345" with_ms, rounded down. Thread: any. */
void clock_text(int64_t utc_ns, bool with_ms, char text[CLOCK_TEXT_SIZE]);

#endif
