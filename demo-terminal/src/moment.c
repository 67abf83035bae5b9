#include "moment.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define NS_PER_S   INT64_C(1000000000)
#define S_PER_DAY  INT64_C(86400)
#define NS_PER_DAY (S_PER_DAY * NS_PER_S)
#define YEAR_MIN   1970 /* what nanoseconds in 64 bits reach */
#define YEAR_MAX   2261
#define DAYS_MOST  INT64_C(106750) /* from 1970, likewise */

/* Days since 1970-01-01 of a day of the Gregorian calendar, and back; years begin in March in
 * between, so that the leap day is their last. */
static int64_t days_of(int64_t year, int64_t month, int64_t day)
{
    const int64_t y = month > 2 ? year : year - 1;
    const int64_t m = month > 2 ? month - 3 : month + 9;
    return 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 719468;
}

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0 ? 1 : 0);
}

void moment_text(int64_t utc_ns, char text[MOMENT_TEXT_SIZE])
{
    const int64_t days = floor_div(utc_ns, NS_PER_DAY);
    const int64_t of_day_s = floor_div(utc_ns, NS_PER_S) - days * S_PER_DAY;
    const int64_t ns = utc_ns % NS_PER_S + (utc_ns % NS_PER_S < 0 ? NS_PER_S : 0);
    int64_t year = 1970 + floor_div(days, days < 0 ? 365 : 366); /* at most the right one */
    while (days_of(year + 1, 1, 1) <= days) {
        year++;
    }
    int64_t month = 1;
    while (month < 12 && days_of(year, month + 1, 1) <= days) {
        month++;
    }
    (void)snprintf(text, MOMENT_TEXT_SIZE, "%04d-%02d-%02dT%02d:%02d:%02d.%09" PRId64 "Z",
                   (int)year, (int)month, (int)(days - days_of(year, month, 1) + 1),
                   (int)(of_day_s / 3600), (int)(of_day_s / 60 % 60), (int)(of_day_s % 60), ns);
}

/* Exactly count digits; moves *at behind them. */
static bool take_digits(const char **at, size_t count, int64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < count; i++) {
        const char digit = (*at)[i];
        if (digit < '0' || digit > '9') {
            return false;
        }
        *value = *value * 10 + (digit - '0');
    }
    *at += count;
    return true;
}

static bool take_sign(const char **at, char sign)
{
    const bool there = **at == sign;
    *at += there ? 1 : 0;
    return there;
}

static bool take_date(const char **at, int64_t *days)
{
    int64_t year = 0;
    int64_t month = 0;
    int64_t day = 0;
    if (!take_digits(at, 4, &year) || !take_sign(at, '-') || !take_digits(at, 2, &month) ||
        !take_sign(at, '-') || !take_digits(at, 2, &day) ||
        (!take_sign(at, 'T') && !take_sign(at, ' ')) || year < YEAR_MIN || year > YEAR_MAX ||
        month < 1 || month > 12 || day < 1) {
        return false;
    }
    *days = days_of(year, month, day);
    return *days < days_of(month < 12 ? year : year + 1, month < 12 ? month + 1 : 1, 1);
}

/* Up to nine digits after a point, or none. */
static bool take_fraction(const char **at, int64_t *ns)
{
    *ns = 0;
    if (!take_sign(at, '.')) {
        return true;
    }
    int64_t unit = NS_PER_S / 10;
    int64_t digit = 0;
    bool any = false;
    for (; unit > 0 && take_digits(at, 1, &digit); unit /= 10) {
        *ns += digit * unit;
        any = true;
    }
    return any;
}

static bool take_time(const char **at, int64_t *of_day_ns)
{
    int64_t hours = 0;
    int64_t minutes = 0;
    int64_t seconds = 0;
    int64_t ns = 0;
    if (!take_digits(at, 2, &hours) || !take_sign(at, ':') || !take_digits(at, 2, &minutes) ||
        !take_sign(at, ':') || !take_digits(at, 2, &seconds) || !take_fraction(at, &ns) ||
        hours > 23 || minutes > 59 || seconds > 59) {
        return false;
    }
    *of_day_ns = ((hours * 60 + minutes) * 60 + seconds) * NS_PER_S + ns;
    return true;
}

/* All that is left. */
static bool take_zone(const char *at, int64_t *east_ns)
{
    int64_t hours = 0;
    int64_t minutes = 0;
    *east_ns = 0;
    if (strcmp(at, "Z") == 0 || strcmp(at, "UTC") == 0 || strcmp(at, " UTC") == 0) {
        return true;
    }
    const bool west = *at == '-';
    if (!take_sign(&at, '+') && !take_sign(&at, '-')) {
        return false;
    }
    if (!take_digits(&at, 2, &hours)) {
        return false;
    }
    (void)take_sign(&at, ':');
    if (!take_digits(&at, 2, &minutes) || *at != '\0' || hours > 14 || minutes > 59) {
        return false;
    }
    *east_ns = (west ? -1 : 1) * (hours * 60 + minutes) * 60 * NS_PER_S;
    return true;
}

static bool is_in(moment_span span, int64_t utc_ns)
{
    return utc_ns >= span.first_utc_ns && utc_ns <= span.last_utc_ns;
}

/* The day of the span that has the time. */
static tg_err find_day(moment_span span, int64_t of_day_ns, int64_t east_ns, int64_t *utc_ns,
                       char *why, size_t why_size)
{
    const int64_t first = floor_div(span.first_utc_ns, NS_PER_DAY) - 1; /* a zone may be on the */
    const int64_t last = floor_div(span.last_utc_ns, NS_PER_DAY) + 1;   /* day before or after */
    int64_t found = 0;
    for (int64_t d = first > -DAYS_MOST ? first : -DAYS_MOST; d <= last && d <= DAYS_MOST; d++) {
        const int64_t is_ns = d * NS_PER_DAY + of_day_ns - east_ns;
        if (is_in(span, is_ns)) {
            *utc_ns = found == 0 ? is_ns : *utc_ns;
            found++;
        }
    }
    if (found > 1) {
        (void)snprintf(why, why_size, "there are %" PRId64 " days with that time: say which",
                       found);
    }
    return found == 1 ? TG_OK : TG_ERR_NOT_FOUND;
}

static tg_err refuse(const char *what, char *why, size_t why_size)
{
    (void)snprintf(why, why_size, "%s", what);
    return TG_ERR_SYNTAX;
}

/* Digits only: nanoseconds. */
static bool take_nanoseconds(const char *text, int64_t *utc_ns)
{
    static const char most[] = "9223372036854775807";
    const size_t digits = strspn(text, "0123456789");
    const bool fits =
        digits < sizeof most - 1 || (digits == sizeof most - 1 && strcmp(text, most) <= 0);
    return digits > 8 && fits && text[digits] == '\0' && take_digits(&text, digits, utc_ns);
}

static tg_err read_clock(const char *text, moment_span span, int64_t *utc_ns, char *why,
                         size_t why_size)
{
    const char *at = text;
    int64_t days = 0;
    int64_t of_day_ns = 0;
    int64_t east_ns = 0;
    const bool dated = strlen(text) > 4 && text[4] == '-';
    if ((dated && !take_date(&at, &days)) || !take_time(&at, &of_day_ns)) {
        return refuse("not a time: 2026-12-01T10:31:07.25Z, 10:31:07.25+01:00, or nanoseconds "
                      "since 1970",
                      why, why_size);
    }
    if (!take_zone(at, &east_ns)) {
        return refuse("the zone is missing behind the time: Z, UTC or +HH:MM", why, why_size);
    }
    if (!dated) {
        return find_day(span, of_day_ns, east_ns, utc_ns, why, why_size);
    }
    *utc_ns = days * NS_PER_DAY + of_day_ns - east_ns;
    return is_in(span, *utc_ns) ? TG_OK : TG_ERR_NOT_FOUND;
}

tg_err moment_read(const char *text, moment_span span, int64_t *utc_ns, char *why, size_t why_size)
{
    char first[MOMENT_TEXT_SIZE];
    char last[MOMENT_TEXT_SIZE];
    tg_err err = TG_OK;
    (void)snprintf(why, why_size, "%s", "");
    if (take_nanoseconds(text, utc_ns)) {
        err = is_in(span, *utc_ns) ? TG_OK : TG_ERR_NOT_FOUND;
    } else {
        err = read_clock(text, span, utc_ns, why, why_size);
    }
    if (err == TG_ERR_NOT_FOUND && why[0] == '\0') {
        moment_text(span.first_utc_ns, first);
        moment_text(span.last_utc_ns, last);
        (void)snprintf(why, why_size, "the record is of another time: from %s to %s", first, last);
    }
    return err;
}
