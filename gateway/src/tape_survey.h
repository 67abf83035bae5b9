/** What one instrument's lines on a tape tell about it: exponents, tick size, cadence. */
#ifndef TG_GATEWAY_TAPE_SURVEY_H
#define TG_GATEWAY_TAPE_SURVEY_H

#include "tape_line.h"

#define TG__DECIMALS_MAX 18

typedef struct tg__decimals_seen {
    int64_t lowest[TG__DECIMALS_MAX + 1]; /* mantissa, by digits after the point */
    int64_t highest[TG__DECIMALS_MAX + 1];
    uint32_t seen; /* bit d: a text with d digits after the point */
} tg__decimals_seen;

typedef struct tg__tape_survey {
    tg__decimals_seen price;
    tg__decimals_seen quantity;
    uint64_t price_step; /* greatest common divisor of the price mantissas; 0: none but zeros */
    int8_t step_exponent;
    int64_t last_ts_ns;
    int64_t longest_silence_ns;
    uint64_t lines;
} tg__tape_survey;

/* All zero is a fresh survey. */
void tg__tape_survey_add(tg__tape_survey *survey, const tg__tape_line *line);

/*
 * Sets exponents, tick size and cadence. TG_ERR_OVERFLOW: no single exponent holds all the texts
 * in 64 bits; *what says which field.
 */
TG_MUST_CHECK tg_err tg__tape_survey_finish(const tg__tape_survey *survey,
                                            tg_instrument *instrument, const char **what);

#endif
