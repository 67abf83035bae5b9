#include "json_reader.h"

#include <string.h>

#include <tickglass/internal/dictionary.h>

#define DEPTH_MAX  8u
#define DIGITS_MAX 15u

void tg__json_reader_open(tg__json_reader *reader, const char *text, size_t size)
{
    reader->at = text;
    reader->end = text + size;
    reader->bad = false;
}

static bool fail(tg__json_reader *reader)
{
    reader->bad = true;
    reader->at = reader->end;
    return false;
}

static char current(const tg__json_reader *reader)
{
    return reader->at < reader->end ? *reader->at : '\0';
}

char tg__json_reader_peek(tg__json_reader *reader)
{
    while (reader->at < reader->end && (*reader->at == ' ' || *reader->at == '\t' ||
                                        *reader->at == '\n' || *reader->at == '\r')) {
        reader->at++;
    }
    return current(reader);
}

static bool take(tg__json_reader *reader, char expected)
{
    if (tg__json_reader_peek(reader) != expected || reader->at == reader->end) {
        return fail(reader);
    }
    reader->at++;
    return true;
}

bool tg__json_reader_begin(tg__json_reader *reader, char bracket)
{
    return take(reader, bracket);
}

bool tg__json_reader_next(tg__json_reader *reader, char close, bool *first)
{
    if (reader->bad) {
        return false;
    }
    if (tg__json_reader_peek(reader) == close) {
        reader->at++;
        return false;
    }
    if (!*first) {
        return take(reader, ',');
    }
    *first = false;
    return reader->at < reader->end || fail(reader);
}

/* ---- strings ---- */

static bool hex4(tg__json_reader *reader, uint32_t *out)
{
    *out = 0;
    for (unsigned i = 0; i < 4; i++) {
        const char c = current(reader);
        const char lower = (char)(c | 0x20);
        uint32_t digit = 0;
        if (c >= '0' && c <= '9') {
            digit = (uint32_t)(c - '0');
        } else if (lower >= 'a' && lower <= 'f') {
            digit = (uint32_t)(lower - 'a') + 10u;
        } else {
            return fail(reader);
        }
        *out = *out * 16u + digit;
        reader->at++;
    }
    return true;
}

/* Behind \u; a high surrogate wants its low one. */
static bool code_point(tg__json_reader *reader, uint32_t *out)
{
    uint32_t low = 0;
    if (!hex4(reader, out)) {
        return false;
    }
    if (*out < 0xd800 || *out > 0xdfff) {
        return true;
    }
    if (*out > 0xdbff || reader->end - reader->at < 2 || memcmp(reader->at, "\\u", 2) != 0) {
        return fail(reader);
    }
    reader->at += 2;
    if (!hex4(reader, &low)) {
        return false;
    }
    if (low < 0xdc00 || low > 0xdfff) {
        return fail(reader);
    }
    *out = 0x10000u + ((*out - 0xd800u) << 10) + (low - 0xdc00u);
    return true;
}

typedef struct sink {
    char *out;
    size_t capacity;
    size_t size;
} sink;

static void put(sink *to, uint32_t byte)
{
    if (to->size + 1 < to->capacity) {
        to->out[to->size] = (char)(unsigned char)byte;
    }
    to->size++;
}

static void put_utf8(sink *to, uint32_t point)
{
    if (point < 0x80) {
        put(to, point);
    } else if (point < 0x800) {
        put(to, 0xc0u | point >> 6);
        put(to, 0x80u | (point & 0x3fu));
    } else if (point < 0x10000) {
        put(to, 0xe0u | point >> 12);
        put(to, 0x80u | (point >> 6 & 0x3fu));
        put(to, 0x80u | (point & 0x3fu));
    } else {
        put(to, 0xf0u | point >> 18);
        put(to, 0x80u | (point >> 12 & 0x3fu));
        put(to, 0x80u | (point >> 6 & 0x3fu));
        put(to, 0x80u | (point & 0x3fu));
    }
}

static bool take_escape(tg__json_reader *reader, sink *to)
{
    static const char names[] = "\"\\/bfnrt";
    static const char values[] = "\"\\/\b\f\n\r\t";
    const char c = current(reader);
    const char *known = c == '\0' ? NULL : strchr(names, c);
    if (known != NULL) {
        reader->at++;
        put(to, (unsigned char)values[known - names]);
        return true;
    }
    uint32_t point = 0;
    if (c != 'u') {
        return fail(reader);
    }
    reader->at++;
    if (!code_point(reader, &point)) {
        return false;
    }
    put_utf8(to, point);
    return true;
}

bool tg__json_reader_string(tg__json_reader *reader, char *out, size_t capacity, size_t *size)
{
    sink to = {out, capacity, 0};
    *size = 0;
    if (!take(reader, '"')) {
        return false;
    }
    while (reader->at < reader->end && *reader->at != '"') {
        const unsigned char c = (unsigned char)*reader->at++;
        if (c < 0x20) {
            return fail(reader);
        }
        if (c != '\\') {
            put(&to, c);
        } else if (!take_escape(reader, &to)) {
            return false;
        }
    }
    if (reader->at == reader->end) {
        return fail(reader);
    }
    reader->at++;
    out[to.size < capacity ? to.size : capacity - 1] = '\0';
    *size = to.size;
    if (to.size > 0 && to.size < capacity && !tg__text_is_valid(out, to.size, to.size)) {
        return fail(reader);
    }
    return true;
}

bool tg__json_reader_name(tg__json_reader *reader, char *out, size_t capacity, size_t *size)
{
    return tg__json_reader_string(reader, out, capacity, size) && take(reader, ':');
}

/* ---- numbers and the rest ---- */

static size_t skip_digits(tg__json_reader *reader)
{
    const char *start = reader->at;
    while (current(reader) >= '0' && current(reader) <= '9') {
        reader->at++;
    }
    return (size_t)(reader->at - start);
}

static bool skip_fraction(tg__json_reader *reader)
{
    if (current(reader) != '.') {
        return true;
    }
    reader->at++;
    return skip_digits(reader) > 0 || fail(reader);
}

/* The digits before a decimal point: no leading zero. */
static bool skip_whole(tg__json_reader *reader, size_t *digits)
{
    const char first = current(reader);
    *digits = skip_digits(reader);
    return (*digits > 0 && (first != '0' || *digits == 1)) || fail(reader);
}

bool tg__json_reader_integer(tg__json_reader *reader, int64_t *out)
{
    const bool negative = tg__json_reader_peek(reader) == '-';
    size_t digits = 0;
    reader->at += negative;
    const char *start = reader->at;
    *out = 0;
    if (!skip_whole(reader, &digits) || digits > DIGITS_MAX) {
        return fail(reader);
    }
    for (size_t i = 0; i < digits; i++) {
        *out = *out * 10 + (start[i] - '0');
    }
    *out = negative ? -*out : *out;
    if (!skip_fraction(reader)) {
        return false;
    }
    return (current(reader) != 'e' && current(reader) != 'E') || fail(reader);
}

static bool skip_number(tg__json_reader *reader)
{
    size_t digits = 0;
    reader->at += current(reader) == '-';
    if (!skip_whole(reader, &digits) || !skip_fraction(reader)) {
        return false;
    }
    if (current(reader) != 'e' && current(reader) != 'E') {
        return true;
    }
    reader->at++;
    reader->at += current(reader) == '+' || current(reader) == '-';
    return skip_digits(reader) > 0 || fail(reader);
}

static bool skip_word(tg__json_reader *reader, const char *word)
{
    const size_t size = strlen(word);
    if ((size_t)(reader->end - reader->at) < size || memcmp(reader->at, word, size) != 0) {
        return fail(reader);
    }
    reader->at += size;
    return true;
}

static bool skip_value(tg__json_reader *reader, unsigned depth);

static bool skip_nested(tg__json_reader *reader, char open, char close, unsigned depth)
{
    bool first = true;
    if (depth == DEPTH_MAX || !take(reader, open)) {
        return fail(reader);
    }
    while (tg__json_reader_next(reader, close, &first)) {
        char name[4];
        size_t size = 0;
        if (open == '{' && !tg__json_reader_name(reader, name, sizeof name, &size)) {
            return false;
        }
        if (!skip_value(reader, depth + 1)) {
            return false;
        }
    }
    return !reader->bad;
}

static bool skip_value(tg__json_reader *reader, unsigned depth)
{
    char text[4];
    size_t size = 0;
    switch (tg__json_reader_peek(reader)) {
    case '{':
        return skip_nested(reader, '{', '}', depth);
    case '[':
        return skip_nested(reader, '[', ']', depth);
    case '"':
        return tg__json_reader_string(reader, text, sizeof text, &size);
    case 't':
        return skip_word(reader, "true");
    case 'f':
        return skip_word(reader, "false");
    case 'n':
        return skip_word(reader, "null");
    default:
        return skip_number(reader);
    }
}

bool tg__json_reader_skip(tg__json_reader *reader)
{
    return skip_value(reader, 1); /* inside the object that the caller reads */
}

bool tg__json_reader_finish(tg__json_reader *reader)
{
    (void)tg__json_reader_peek(reader);
    return !reader->bad && reader->at == reader->end;
}
