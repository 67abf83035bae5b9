/**
 * Reads JSON (RFC 8259) of strangers from one end to the other: no tree, no allocation, nesting of
 * at most 8, numbers only where the caller wants one. Once something is not as it should be,
 * everything after it answers false.
 *
 * Not a library's reader: those allocate for every value, take the last of two equal names in
 * silence, or know no bound of depth; what stands in a token is decided on before its signature is.
 */
#ifndef TG_GATEWAY_JSON_READER_H
#define TG_GATEWAY_JSON_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tg__json_reader {
    const char *at;
    const char *end;
    bool bad;
} tg__json_reader;

void tg__json_reader_open(tg__json_reader *reader, const char *text, size_t size);

/* The first character of the value that follows; 0: there is none. */
char tg__json_reader_peek(tg__json_reader *reader);

/* Takes '{' or '['. */
bool tg__json_reader_begin(tg__json_reader *reader, char bracket);

/* Another member or element follows; false: close was there and is taken, or it is bad. *first is
 * true before the first call for a bracket. */
bool tg__json_reader_next(tg__json_reader *reader, char close, bool *first);

/*
 * A string, its escapes resolved, NUL-terminated. *size is its whole length: one of capacity or
 * more does not fit and is cut. What fits is well-formed UTF-8 without control characters.
 */
bool tg__json_reader_string(tg__json_reader *reader, char *out, size_t capacity, size_t *size);

/* The name of a member and its colon. */
bool tg__json_reader_name(tg__json_reader *reader, char *out, size_t capacity, size_t *size);

/* A number of up to 15 digits without exponent; what stands behind a decimal point is cut off. */
bool tg__json_reader_integer(tg__json_reader *reader, int64_t *out);

/* Any value. */
bool tg__json_reader_skip(tg__json_reader *reader);

/* Nothing but space is left, and nothing was bad. */
bool tg__json_reader_finish(tg__json_reader *reader);

#endif
