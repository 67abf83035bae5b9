/**
 * JSON read as text: members are found by name, numbers stay the text that the sender wrote.
 *
 * The only file that knows jsmn. A name that is not there gives TG__JSON_NONE, which every function
 * takes and which has no members: a path is walked without a check at each step.
 */
#ifndef TG_GATEWAY_JSON_H
#define TG_GATEWAY_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tickglass/decimal.h>

#define TG__JSON_NONE   UINT32_MAX
#define TG__JSON_ROOT   0u
#define TG__JSON_TOKENS (1u << 20) /* a text with more values is refused */

typedef uint32_t tg__json_at; /* a value inside of a document */

typedef struct tg__json tg__json;

typedef struct tg__span {
    const char *at; /* NULL: there is none */
    size_t length;
} tg__span;

bool tg__span_is(tg__span span, const char *text);

/* NULL when there is no memory. */
tg__json *tg__json_open(void);
void tg__json_close(tg__json *json);

/*
 * One document, of which text must live as long as it is used. TG_ERR_SYNTAX, TG_ERR_FULL,
 * TG_ERR_NO_MEMORY; the document is empty then.
 */
TG_MUST_CHECK tg_err tg__json_parse(tg__json *json, const char *text, size_t length);

bool tg__json_is_object(const tg__json *json, tg__json_at at);
bool tg__json_is_array(const tg__json *json, tg__json_at at);

tg__json_at tg__json_member(const tg__json *json, tg__json_at object, const char *name);
tg__json_at tg__json_element(const tg__json *json, tg__json_at array, uint32_t index);
uint32_t tg__json_length(const tg__json *json, tg__json_at array);

/* All elements: for (at = first(array); at != TG__JSON_NONE; at = next(array, at)). */
tg__json_at tg__json_first(const tg__json *json, tg__json_at array);
tg__json_at tg__json_next(const tg__json *json, tg__json_at array, tg__json_at element);

/* The text of a string (as it stands, escapes included), number, true, false or null. */
tg__span tg__json_text(const tg__json *json, tg__json_at at);

/* Of a number or of a string that holds one. False: it is not there, not one or does not fit. */
bool tg__json_u64(const tg__json *json, tg__json_at at, uint64_t *out);
/* Exponents are accepted if the value fits tg_decimal. */
bool tg__json_decimal(const tg__json *json, tg__json_at at, tg_decimal *out);
/* With a NUL behind; false: not there, empty, too long for size, or with escapes or bad UTF-8. */
bool tg__json_copy(const tg__json *json, tg__json_at at, char *out, size_t size);

#endif
