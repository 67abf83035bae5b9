#include "log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define LINE_SIZE 1024

/* Text of a peer may end up in a line: nothing in it may look like another line. */
static void flatten(char *text)
{
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < 0x20 || *text == 0x7f) {
            *text = '?';
        }
    }
}

void tg__log(const char *format, ...)
{
    char line[LINE_SIZE];
    struct timespec now = {0, 0};
    struct tm utc;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    if (gmtime_r(&now.tv_sec, &utc) == NULL) {
        memset(&utc, 0, sizeof utc);
    }
    size_t length = strftime(line, sizeof line, "%Y-%m-%dT%H:%M:%S", &utc);
    length +=
        (size_t)snprintf(line + length, sizeof line - length, ".%03ldZ ", now.tv_nsec / 1000000);
    va_list args;
    va_start(args, format);
    (void)vsnprintf(line + length, sizeof line - length, format, args);
    va_end(args);
    flatten(line);
    (void)fprintf(stderr, "%s\n", line); /* one call, so that lines stay whole */
}
