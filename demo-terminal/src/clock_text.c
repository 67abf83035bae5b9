#include "clock_text.h"

#define NS_PER_MS  INT64_C(1000000)
#define MS_PER_DAY INT64_C(86400000)

/* A list of trades has dozens of times, and printf() takes most of what it costs to write them. */
static char *put_digits(char *at, unsigned value, unsigned count)
{
    for (unsigned i = count; i > 0; i--) {
        at[i - 1] = (char)('0' + value % 10);
        value /= 10;
    }
    return at + count;
}

void clock_text(int64_t utc_ns, bool with_ms, char text[CLOCK_TEXT_SIZE])
{
    int64_t ms = utc_ns / NS_PER_MS - (utc_ns % NS_PER_MS < 0 ? 1 : 0);
    ms %= MS_PER_DAY;
    ms += ms < 0 ? MS_PER_DAY : 0;
    const unsigned of_day = (unsigned)ms;
    const unsigned s = of_day / 1000;
    char *at = put_digits(text, s / 3600, 2);
    *at++ = ':';
    at = put_digits(at, s / 60 % 60, 2);
    *at++ = ':';
    at = put_digits(at, s % 60, 2);
    if (with_ms) {
        *at++ = '.';
        at = put_digits(at, of_day % 1000, 3);
    }
    *at = '\0';
}
