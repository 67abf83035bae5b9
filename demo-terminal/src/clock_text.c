#include "clock_text.h"

#include <stdio.h>

#define NS_PER_MS  INT64_C(1000000)
#define MS_PER_DAY INT64_C(86400000)

void clock_text(int64_t utc_ns, bool with_ms, char text[CLOCK_TEXT_SIZE])
{
    int64_t ms = utc_ns / NS_PER_MS - (utc_ns % NS_PER_MS < 0 ? 1 : 0);
    ms %= MS_PER_DAY;
    ms += ms < 0 ? MS_PER_DAY : 0;
    const unsigned of_day = (unsigned)ms;
    const unsigned s = of_day / 1000;
    if (with_ms) {
        (void)snprintf(text, CLOCK_TEXT_SIZE, "%02u:%02u:%02u.%03u", s / 3600 % 24, s / 60 % 60,
                       s % 60, of_day % 1000);
    } else {
        (void)snprintf(text, CLOCK_TEXT_SIZE, "%02u:%02u:%02u", s / 3600 % 24, s / 60 % 60, s % 60);
    }
}
