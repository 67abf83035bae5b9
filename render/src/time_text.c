#include <tickglass/time_text.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include <tickglass/internal/control_flow.h>

#define NS_PER_S INT64_C(1000000000)

TG_PRINTF(3, 4) static tg_err write_text(char *text, size_t size, const char *format, ...)
{
    TG_ENSURE(text != NULL, TG_ERR_INVALID_ARGUMENT);
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(text, size, format, args);
    va_end(args);
    if (length < 0 || (size_t)length >= size) {
        if (size > 0) {
            text[0] = '\0';
        }
        return TG_ERR_BUFFER_TOO_SMALL;
    }
    return TG_OK;
}

tg_err tg_age_text(int64_t age_ns, char *text, size_t size)
{
    if (age_ns < 0) {
        return write_text(text, size, "\xE2\x80\x93");
    }
    const int64_t s = age_ns / NS_PER_S;
    if (s == 0) {
        return write_text(text, size, "<1s");
    }
    if (s < 60) {
        return write_text(text, size, "%" PRId64 "s", s);
    }
    if (s < 3600) {
        return write_text(text, size, "%" PRId64 "m%02" PRId64 "s", s / 60, s % 60);
    }
    if (s < 86400) {
        return write_text(text, size, "%" PRId64 "h%02" PRId64 "m", s / 3600, s / 60 % 60);
    }
    return write_text(text, size, "%" PRId64 "d%02" PRId64 "h", s / 86400, s / 3600 % 24);
}

tg_err tg_duration_text(int64_t duration_ns, char *text, size_t size)
{
    const uint64_t ns = duration_ns < 0 ? 0 - (uint64_t)duration_ns : (uint64_t)duration_ns;
    const uint64_t hundredths = ns / 10000 + (ns % 10000 >= 5000 ? 1 : 0);
    const char *sign = duration_ns < 0 && hundredths != 0 ? "-" : "";
    return write_text(text, size, "%s%" PRIu64 ".%02" PRIu64 " ms", sign, hundredths / 100,
                      hundredths % 100);
}

/* Year, month and day of a day number since 1970-01-01, counted in 400-year cycles from March. */
static void civil_date(int64_t day, int64_t *year, int *month, int *day_of_month)
{
    const int64_t shifted = day + 719468; /* days from 0000-03-01 to 1970-01-01 */
    const int64_t era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
    const int64_t doe = shifted - era * 146097;
    const int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    const int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    const int64_t march_month = (5 * doy + 2) / 153;
    *day_of_month = (int)(doy - (153 * march_month + 2) / 5 + 1);
    *month = (int)(march_month < 10 ? march_month + 3 : march_month - 9);
    *year = yoe + era * 400 + (*month <= 2 ? 1 : 0);
}

tg_err tg_utc_text(int64_t utc_ns, char *text, size_t size)
{
    const int64_t ns_per_day = 86400 * NS_PER_S;
    int64_t day = utc_ns / ns_per_day;
    int64_t rest = utc_ns % ns_per_day;
    if (rest < 0) {
        rest += ns_per_day;
        day--;
    }
    const int64_t s = rest / NS_PER_S;
    int64_t year = 0;
    int month = 0;
    int day_of_month = 0;
    civil_date(day, &year, &month, &day_of_month);
    return write_text(text, size,
                      "%04" PRId64 "-%02d-%02d %02" PRId64 ":%02" PRId64 ":%02" PRId64 " UTC", year,
                      month, day_of_month, s / 3600, s / 60 % 60, s % 60);
}
