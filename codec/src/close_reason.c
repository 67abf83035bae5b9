/* The JSON text of a close frame. PROTOCOL.md 4.6. */
#include <tickglass/internal/control.h>

#include <stdio.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

#define NESTING_MAX 8

tg_err tg__close_reason_encode(uint32_t reconnect_after_ms, char *out, size_t capacity,
                               size_t *size)
{
    char text[TG__CLOSE_REASON_MAX];
    const int length = snprintf(text, sizeof text, "{\"reconnect_after_ms\":%lu}",
                                (unsigned long)reconnect_after_ms);
    TG_ENSURE(length > 0 && (size_t)length <= capacity, TG_ERR_BUFFER_TOO_SMALL);
    memcpy(out, text, (size_t)length);
    *size = (size_t)length;
    return TG_OK;
}

typedef struct json {
    const char *at;
    const char *end;
} json;

static void skip_space(json *in)
{
    while (in->at < in->end && memchr(" \t\r\n", *in->at, 4) != NULL) {
        in->at++;
    }
}

static bool take(json *in, char c)
{
    skip_space(in);
    if (in->at < in->end && *in->at == c) {
        in->at++;
        return true;
    }
    return false;
}

/* A string; *text and *length are its raw bytes between the quotes. */
static bool take_string(json *in, const char **text, size_t *length)
{
    if (!take(in, '"')) {
        return false;
    }
    *text = in->at;
    while (in->at < in->end && *in->at != '"') {
        if ((unsigned char)*in->at < 0x20) {
            return false;
        }
        in->at += *in->at == '\\' && in->end - in->at > 1 ? 2 : 1;
    }
    if (in->at >= in->end) {
        return false;
    }
    *length = (size_t)(in->at - *text);
    in->at++;
    return true;
}

static bool take_digits(json *in, uint64_t *value)
{
    const char *const start = in->at;
    *value = 0;
    while (in->at < in->end && *in->at >= '0' && *in->at <= '9') {
        if (*value <= UINT32_MAX) {
            *value = *value * 10 + (uint64_t)(*in->at - '0');
        }
        in->at++;
    }
    return in->at > start && (*start != '0' || in->at == start + 1);
}

/* Any number; *value is its whole part, and *exact is false if there is anything but digits. */
static bool take_number(json *in, uint64_t *value, bool *exact)
{
    skip_space(in);
    *exact = true;
    if (in->at < in->end && *in->at == '-') {
        *exact = false;
        in->at++;
    }
    if (!take_digits(in, value)) {
        return false;
    }
    while (in->at < in->end && memchr(".eE+-0123456789", *in->at, 15) != NULL) {
        *exact = false;
        in->at++;
    }
    return true;
}

static bool take_word(json *in, const char *word)
{
    const size_t length = strlen(word);
    skip_space(in);
    if ((size_t)(in->end - in->at) >= length && memcmp(in->at, word, length) == 0) {
        in->at += length;
        return true;
    }
    return false;
}

/* A string, number or word; brackets are the caller's. */
static bool take_scalar(json *in)
{
    const char *text = NULL;
    size_t length = 0;
    uint64_t number = 0;
    bool exact = false;
    return take_string(in, &text, &length) || take_word(in, "true") || take_word(in, "false") ||
           take_word(in, "null") || take_number(in, &number, &exact);
}

/*
 * Skip one value of any kind. Brackets are balanced with a small stack instead of recursion; what
 * stands inside them is only looked at closely enough to find their end.
 */
static bool skip_value(json *in)
{
    char open[NESTING_MAX];
    size_t depth = 0;
    do {
        skip_space(in);
        if (in->at >= in->end) {
            return false;
        }
        const char c = *in->at;
        if (c == '{' || c == '[') {
            if (depth == NESTING_MAX) {
                return false;
            }
            open[depth++] = c;
            in->at++;
        } else if (c == '}' || c == ']') {
            if (depth == 0 || open[depth - 1] != (c == '}' ? '{' : '[')) {
                return false;
            }
            depth--;
            in->at++;
        } else if (depth > 0 && (c == ',' || c == ':')) {
            in->at++;
        } else if (!take_scalar(in)) {
            return false;
        }
    } while (depth > 0);
    return true;
}

tg_err tg__close_reason_decode(const char *text, size_t size, uint32_t *reconnect_after_ms)
{
    static const char key[] = "reconnect_after_ms";
    TG_ENSURE(size <= TG__CLOSE_REASON_MAX, TG_ERR_SYNTAX);
    json in = {text, text + size};
    uint32_t delay_ms = 0;
    bool found = false;
    TG_ENSURE(take(&in, '{'), TG_ERR_SYNTAX);
    bool more = !take(&in, '}');
    while (more) {
        const char *name = NULL;
        size_t length = 0;
        TG_ENSURE(take_string(&in, &name, &length) && take(&in, ':'), TG_ERR_SYNTAX);
        if (length == sizeof key - 1 && memcmp(name, key, length) == 0) {
            uint64_t value = 0;
            bool exact = false;
            TG_ENSURE(take_number(&in, &value, &exact) && exact, TG_ERR_SYNTAX);
            delay_ms = value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
            found = true;
        } else {
            TG_ENSURE(skip_value(&in), TG_ERR_SYNTAX);
        }
        more = take(&in, ',');
        TG_ENSURE(more || take(&in, '}'), TG_ERR_SYNTAX);
    }
    skip_space(&in);
    TG_ENSURE(in.at == in.end, TG_ERR_SYNTAX);
    TG_ENSURE(found, TG_ERR_NOT_FOUND);
    *reconnect_after_ms = delay_ms;
    return TG_OK;
}
