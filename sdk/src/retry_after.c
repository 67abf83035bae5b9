#include "retry_after.h"

#include <stdbool.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

static bool take_number(const char **at, size_t digits, int *value)
{
    *value = 0;
    for (size_t i = 0; i < digits; i++) {
        const char c = (*at)[i];
        if (c < '0' || c > '9') {
            return false;
        }
        *value = *value * 10 + (c - '0');
    }
    *at += digits;
    return true;
}

static bool take_text(const char **at, const char *text)
{
    const size_t length = strlen(text);
    if (strncmp(*at, text, length) != 0) {
        return false;
    }
    *at += length;
    return true;
}

static bool take_month(const char **at, int *month)
{
    static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    for (int i = 0; i < 12; i++) {
        if (strncmp(*at, names + 3 * i, 3) == 0) {
            *month = i + 1;
            *at += 3;
            return true;
        }
    }
    return false;
}

/* Days since 1970-01-01 in the proleptic Gregorian calendar; the year is taken to start in March,
 * so that the leap day is its last. */
static int64_t days_from_civil(int year, int month, int day)
{
    const int y = year - (month <= 2);
    const int era = y / 400;
    const int year_of_era = y - era * 400;
    const int day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    const int day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return (int64_t)era * 146097 + day_of_era - 719468;
}

/* "Sun, 06 Nov 1994 08:49:37 GMT": the one form that may be sent today. */
static bool parse_date(const char *text, int64_t *utc_s)
{
    const char *at = strchr(text, ',');
    int day = 0;
    int month = 0;
    int year = 0;
    int hour = 0;
    int minute = 0;
    int second = 0;
    if (at == NULL || at - text != 3) {
        return false;
    }
    const bool read = take_text(&at, ", ") && take_number(&at, 2, &day) && take_text(&at, " ") &&
                      take_month(&at, &month) && take_text(&at, " ") &&
                      take_number(&at, 4, &year) && take_text(&at, " ") &&
                      take_number(&at, 2, &hour) && take_text(&at, ":") &&
                      take_number(&at, 2, &minute) && take_text(&at, ":") &&
                      take_number(&at, 2, &second) && take_text(&at, " GMT") && *at == '\0';
    if (!read || day < 1 || day > 31 || year < 1970 || hour > 23 || minute > 59 || second > 60) {
        return false;
    }
    *utc_s = days_from_civil(year, month, day) * 86400 + hour * 3600 + minute * 60 + second;
    return true;
}

static bool parse_seconds(const char *text, int64_t *seconds)
{
    *seconds = 0;
    if (*text == '\0') {
        return false;
    }
    for (; *text >= '0' && *text <= '9'; text++) {
        *seconds = *seconds * 10 + (*text - '0');
        if (*seconds > UINT32_MAX) {
            *seconds = UINT32_MAX; /* longer than anything that is obeyed */
        }
    }
    return *text == '\0';
}

tg_err tg__retry_after_parse(const char *text, const char *date, int64_t now_utc_ns,
                             uint32_t *wait_ms)
{
    int64_t seconds = 0;
    if (!parse_seconds(text, &seconds)) {
        int64_t until_s = 0;
        TG_ENSURE(parse_date(text, &until_s), TG_ERR_SYNTAX);
        int64_t from_s = 0;
        if (date == NULL || !parse_date(date, &from_s)) {
            from_s = now_utc_ns / 1000000000;
        }
        seconds = until_s > from_s ? until_s - from_s : 0;
    }
    *wait_ms = seconds >= UINT32_MAX / 1000 ? UINT32_MAX : (uint32_t)(seconds * 1000);
    return TG_OK;
}
