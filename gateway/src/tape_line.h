/** One line of a tape: ts_ns,venue,symbol,kind,price_decimal_text,qty_decimal_text,exchange_seq. */
#ifndef TG_GATEWAY_TAPE_LINE_H
#define TG_GATEWAY_TAPE_LINE_H

#include <stddef.h>

#include <tickglass/decimal.h>

#include "row.h"

#define TG__TAPE_HEADER "ts_ns,venue,symbol,kind,price_decimal_text,qty_decimal_text,exchange_seq"

typedef struct tg__tape_line {
    int64_t ts_ns;
    char venue[TG_VENUE_NAME_SIZE];
    char symbol[TG_SYMBOL_SIZE];
    tg__row_kind kind;
    tg_decimal price;
    tg_decimal quantity;
    bool has_id;
    uint64_t exchange_id;
} tg__tape_line;

#define TG__TAPE_LINE_SIZE 320u /* bytes; enough for any line, with its end */

/*
 * TG_ERR_TAPE: *what then says what is wrong ("price_decimal_text is not a decimal number").
 * Nothing of *out may be used then.
 */
TG_MUST_CHECK tg_err tg__tape_line_parse(const char *text, size_t length, tg__tape_line *out,
                                         const char **what);

/*
 * The line that tg__tape_line_parse() reads as the same values, with "\n" and a NUL behind; text
 * holds TG__TAPE_LINE_SIZE bytes. TG_ERR_INVALID_ARGUMENT: an exponent is out of range.
 */
TG_MUST_CHECK tg_err tg__tape_line_format(const tg__tape_line *line, char *text, size_t *length);

#endif
