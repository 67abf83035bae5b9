/*
 * Judges what a client's store shows against the tape, read straight: was something older shown
 * after something newer, was a value shown on an instrument that never had it, is the end the
 * tape's end? Shares no code with gateway, codec or store, and knows no versions.
 *
 * A price is looked for among the instrument's rows of that side, from where the one before was
 * found: one that only fits earlier is a regression, one that fits nowhere is foreign.
 */
#ifndef FAULT_JUDGE_H
#define FAULT_JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tape_oracle.h"

typedef struct judge_row {
    oracle_number price;
    oracle_number quantity;
} judge_row;

typedef struct judge_side {
    judge_row *rows; /* in the tape's order */
    size_t count;
    size_t capacity;
    size_t shown; /* 1 + index of the row that was shown last; 0: none yet */
} judge_side;

typedef struct judge_instrument {
    char venue[40];
    char symbol[64];
    judge_side sides[3]; /* by oracle_kind */
} judge_instrument;

typedef struct fault_judge {
    judge_instrument *instruments;
    size_t count;
    uint64_t judged;
    uint64_t regressions;
    uint64_t foreign;
    char first_fault[256]; /* "" while there is none */
} fault_judge;

/* Plain CSV. Prints what is wrong and returns false. */
bool fault_judge_open(fault_judge *judge, const char *path);
void fault_judge_close(fault_judge *judge);

judge_instrument *fault_judge_find(fault_judge *judge, const char *venue, const char *symbol);

/* A price and a quantity are shown; exponent is the same for both. */
void fault_judge_show(fault_judge *judge, judge_instrument *instrument, oracle_kind kind,
                      int64_t price, int64_t quantity, int price_exponent, int quantity_exponent);

/* The instrument may begin anywhere again, once: what is shown next is not compared with what was.
 */
void fault_judge_restart(judge_instrument *instrument);

/* True if the last row of every side of the instrument is what was shown last. */
bool fault_judge_is_at_end(const judge_instrument *instrument);

#endif
