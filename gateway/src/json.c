#include "json.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define JSMN_STATIC
#define JSMN_STRICT
#define JSMN_PARENT_LINKS
#include <jsmn.h>

#include <tickglass/internal/control_flow.h>
#include <tickglass/internal/dictionary.h>

#define TOKENS_AT_FIRST 1024u

struct tg__json {
    const char *text;
    jsmntok_t *tokens;
    uint32_t *next; /* by token: the one behind everything that lies inside of it */
    uint32_t count;
    uint32_t capacity;
};

bool tg__span_is(tg__span span, const char *text)
{
    return span.at != NULL && span.length == strlen(text) &&
           memcmp(span.at, text, span.length) == 0;
}

static tg_err reserve(tg__json *json, uint32_t capacity)
{
    jsmntok_t *tokens = realloc(json->tokens, capacity * sizeof *tokens);
    TG_ENSURE(tokens != NULL, TG_ERR_NO_MEMORY);
    json->tokens = tokens;
    uint32_t *next = realloc(json->next, capacity * sizeof *next);
    TG_ENSURE(next != NULL, TG_ERR_NO_MEMORY);
    json->next = next;
    json->capacity = capacity;
    return TG_OK;
}

tg__json *tg__json_open(void)
{
    tg__json *json = calloc(1, sizeof *json);
    if (json != NULL && reserve(json, TOKENS_AT_FIRST) != TG_OK) {
        tg__json_close(json);
        json = NULL;
    }
    return json;
}

void tg__json_close(tg__json *json)
{
    if (json == NULL) {
        return;
    }
    free(json->tokens);
    free(json->next);
    free(json);
}

static tg_err tokenize(tg__json *json, const char *text, size_t length, uint32_t *count)
{
    for (;;) {
        jsmn_parser parser;
        jsmn_init(&parser);
        const int found = jsmn_parse(&parser, text, length, json->tokens, json->capacity);
        if (found >= 0) {
            *count = (uint32_t)found;
            return TG_OK;
        }
        TG_ENSURE(found == JSMN_ERROR_NOMEM, TG_ERR_SYNTAX);
        TG_ENSURE(json->capacity < TG__JSON_TOKENS, TG_ERR_FULL);
        TG_TRY(reserve(json, json->capacity * 2));
    }
}

/* Tokens stand in the order of the text: what lies inside of one follows it directly. */
static void link_tokens(tg__json *json, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        json->next[i] = i + 1;
    }
    for (uint32_t i = count; i-- > 1;) {
        const int parent = json->tokens[i].parent;
        if (parent >= 0 && json->next[parent] < json->next[i]) {
            json->next[parent] = json->next[i];
        }
    }
}

/* jsmn lets an object have a name without a value, or with two. */
static bool is_well_formed(const tg__json *json, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (json->tokens[i].type != JSMN_OBJECT) {
            continue;
        }
        for (uint32_t name = i + 1; name < json->next[i]; name = json->next[name]) {
            if (json->tokens[name].type != JSMN_STRING || json->tokens[name].size != 1 ||
                json->next[name] == name + 1) {
                return false;
            }
        }
    }
    return count > 0 && json->next[0] == count;
}

tg_err tg__json_parse(tg__json *json, const char *text, size_t length)
{
    json->count = 0;
    json->text = text;
    TG_ENSURE(length <= INT_MAX, TG_ERR_FULL);
    uint32_t count = 0;
    TG_TRY(tokenize(json, text, length, &count));
    link_tokens(json, count);
    TG_ENSURE(is_well_formed(json, count), TG_ERR_SYNTAX);
    json->count = count;
    return TG_OK;
}

static bool has_type(const tg__json *json, tg__json_at at, jsmntype_t type)
{
    return at < json->count && json->tokens[at].type == type;
}

bool tg__json_is_object(const tg__json *json, tg__json_at at)
{
    return has_type(json, at, JSMN_OBJECT);
}

bool tg__json_is_array(const tg__json *json, tg__json_at at)
{
    return has_type(json, at, JSMN_ARRAY);
}

static tg__span span_of(const tg__json *json, tg__json_at at)
{
    const jsmntok_t *token = &json->tokens[at];
    return (tg__span){json->text + token->start, (size_t)(token->end - token->start)};
}

tg__json_at tg__json_member(const tg__json *json, tg__json_at object, const char *name)
{
    if (!tg__json_is_object(json, object)) {
        return TG__JSON_NONE;
    }
    for (uint32_t at = object + 1; at < json->next[object]; at = json->next[at]) {
        if (tg__span_is(span_of(json, at), name)) {
            return at + 1;
        }
    }
    return TG__JSON_NONE;
}

tg__json_at tg__json_first(const tg__json *json, tg__json_at array)
{
    if (!tg__json_is_array(json, array) || json->next[array] == array + 1) {
        return TG__JSON_NONE;
    }
    return array + 1;
}

tg__json_at tg__json_next(const tg__json *json, tg__json_at array, tg__json_at element)
{
    const uint32_t next = json->next[element];
    return next < json->next[array] ? next : TG__JSON_NONE;
}

tg__json_at tg__json_element(const tg__json *json, tg__json_at array, uint32_t index)
{
    tg__json_at at = tg__json_first(json, array);
    for (uint32_t i = 0; i < index && at != TG__JSON_NONE; i++) {
        at = tg__json_next(json, array, at);
    }
    return at;
}

uint32_t tg__json_length(const tg__json *json, tg__json_at array)
{
    return tg__json_is_array(json, array) ? (uint32_t)json->tokens[array].size : 0;
}

tg__span tg__json_text(const tg__json *json, tg__json_at at)
{
    if (!has_type(json, at, JSMN_STRING) && !has_type(json, at, JSMN_PRIMITIVE)) {
        return (tg__span){NULL, 0};
    }
    return span_of(json, at);
}

bool tg__json_u64(const tg__json *json, tg__json_at at, uint64_t *out)
{
    const tg__span text = tg__json_text(json, at);
    uint64_t value = 0;
    for (size_t i = 0; i < text.length; i++) {
        if (text.at[i] < '0' || text.at[i] > '9') {
            return false;
        }
        const uint64_t digit = (uint64_t)(text.at[i] - '0');
        if (value > (UINT64_MAX - digit) / 10) {
            return false;
        }
        value = value * 10 + digit;
    }
    *out = value;
    return text.length > 0;
}

/* "-7", "+12", "3": at most two digits. */
static bool read_exponent(const char *text, size_t length, int *out)
{
    const bool negative = length > 0 && text[0] == '-';
    const size_t sign = negative || (length > 0 && text[0] == '+') ? 1 : 0;
    int value = 0;
    if (length - sign < 1 || length - sign > 2) {
        return false;
    }
    for (size_t i = sign; i < length; i++) {
        if (text[i] < '0' || text[i] > '9') {
            return false;
        }
        value = value * 10 + (text[i] - '0');
    }
    *out = negative ? -value : value;
    return true;
}

/* Exponent 0 or below, as tg_decimal_parse() gives it. */
static bool shift(tg_decimal *value, int by)
{
    const int exponent = value->exponent + by;
    if (exponent < TG_DECIMAL_EXPONENT_MIN || exponent > TG_DECIMAL_EXPONENT_MAX) {
        return false;
    }
    value->exponent = (int8_t)exponent;
    if (exponent > 0) {
        int64_t mantissa = 0;
        if (tg_decimal_rescale(*value, 0, &mantissa) != TG_OK) {
            return false;
        }
        *value = (tg_decimal){mantissa, 0};
    }
    return true;
}

bool tg__json_decimal(const tg__json *json, tg__json_at at, tg_decimal *out)
{
    const tg__span text = tg__json_text(json, at);
    size_t length = 0;
    int exponent = 0;
    while (length < text.length && text.at[length] != 'e' && text.at[length] != 'E') {
        length++;
    }
    if (text.at == NULL || tg_decimal_parse(text.at, length, out) != TG_OK) {
        return false;
    }
    if (length == text.length) {
        return true;
    }
    return read_exponent(text.at + length + 1, text.length - length - 1, &exponent) &&
           shift(out, exponent);
}

bool tg__json_copy(const tg__json *json, tg__json_at at, char *out, size_t size)
{
    const tg__span text = tg__json_text(json, at);
    if (text.at == NULL || memchr(text.at, '\\', text.length) != NULL ||
        !tg__text_is_valid(text.at, text.length, size - 1)) {
        return false;
    }
    memcpy(out, text.at, text.length);
    out[text.length] = '\0';
    return true;
}
