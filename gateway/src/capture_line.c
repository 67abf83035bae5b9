#include "capture_line.h"

#include <string.h>

#include <tickglass/internal/control_flow.h>

static tg__span up_to(tg__span text, char end)
{
    const char *found = memchr(text.at, end, text.length);
    return (tg__span){text.at, found == NULL ? text.length : (size_t)(found - text.at)};
}

/* What lies behind the first `size` bytes. */
static tg__span behind(tg__span text, size_t size)
{
    return (tg__span){text.at + size, text.length - size};
}

/* Whole nanoseconds, or seconds with a fraction of up to 9 digits. */
static bool read_time(tg__span text, int8_t exponent, int64_t *ts_ns)
{
    tg_decimal time;
    return tg_decimal_parse(text.at, text.length, &time) == TG_OK &&
           tg_decimal_rescale((tg_decimal){time.mantissa, (int8_t)(time.exponent + exponent)}, -9,
                              ts_ns) == TG_OK &&
           *ts_ns >= 0;
}

/* "1618678133.29: frame" or "1618678133.29" alone. */
static const char *read_timed(tg__span text, tg__capture_line *out, bool frame_expected)
{
    const tg__span time = up_to(text, ':');
    if (time.length < 1 || time.length > 32 || !read_time(time, 0, &out->ts_ns)) {
        return "there is no receive time in seconds";
    }
    if (!frame_expected) {
        return time.length == text.length ? NULL : "there is text behind the time";
    }
    out->frame = behind(text, time.length);
    if (out->frame.length < 2 || memcmp(out->frame.at, ": ", 2) != 0) {
        return "there is no frame behind the time";
    }
    out->frame = behind(out->frame, 2);
    return NULL;
}

static const char *read_marked(tg__span text, tg__capture_line *out)
{
    static const struct {
        const char *mark;
        tg__capture_line_kind kind;
    } marks[] = {
        {" <-> ", TG__CAPTURE_OPENED}, {" <- ", TG__CAPTURE_SENT}, {" -> ", TG__CAPTURE_REST}};
    out->url = up_to(text, ' ');
    const tg__span rest = behind(text, out->url.length);
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        const size_t size = strlen(marks[i].mark);
        if (rest.length >= size && memcmp(rest.at, marks[i].mark, size) == 0) {
            out->kind = marks[i].kind;
            return read_timed(behind(rest, size), out, out->kind != TG__CAPTURE_OPENED);
        }
    }
    return "the address is not followed by <->, <- or ->";
}

static const char *read_line(tg__span text, tg__capture_line *out)
{
    if (text.length == 0) {
        return NULL;
    }
    if (text.at[0] < '0' || text.at[0] > '9') {
        return read_marked(text, out);
    }
    out->kind = TG__CAPTURE_FRAME;
    const tg__span first = up_to(text, ' ');
    if (first.length == text.length) {
        return "there is no frame behind the time";
    }
    if (first.at[first.length - 1] == ':') {
        return read_timed(text, out, true);
    }
    out->frame = behind(text, first.length + 1);
    return read_time(first, -9, &out->ts_ns) ? NULL : "there is no receive time in nanoseconds";
}

tg_err tg__capture_line_parse(const char *text, size_t length, tg__capture_line *out,
                              const char **what)
{
    *out = (tg__capture_line){.kind = TG__CAPTURE_EMPTY};
    *what = read_line((tg__span){text, length}, out);
    TG_ENSURE(*what == NULL, TG_ERR_SYNTAX);
    return TG_OK;
}
