/*
 * Judges drawn rows: was something older shown after something newer, was something shown that
 * never was?
 *
 * With a tape, the drawn text is looked for among the instrument's states, from where the text
 * before was found: the earliest one that fits is taken. A row that only fits before that place is
 * a regression; one that fits nowhere is unknown. With and without a tape, the version that a row
 * was drawn from is compared with the one drawn before: an older one is a regression, too. And a
 * slot that shows another instrument's name than it did before shows something that never was.
 * Depth has versions of its own, which may be a few ticks behind those of the row (no tape has
 * any): a ladder is compared with the ladder that was drawn before, and each version has one best
 * level. Shares no code with gateway or store.
 */
#ifndef TG_TERMINAL_GLASS_CHECK_H
#define TG_TERMINAL_GLASS_CHECK_H

#include <stddef.h>
#include <stdint.h>

#include <tickglass/err.h>

#include "glass_tape.h"

/* A row of the watchlist as it was drawn; NULL for a column that is not shown. */
typedef struct glass_row {
    const char *venue;
    const char *symbol;
    const char *bid_size;
    const char *bid;
    const char *ask;
    const char *ask_size;
    const char *last;
    uint32_t epoch; /* of the image that the row was drawn from */
    uint64_t seq;
} glass_row;

typedef enum glass_verdict {
    GLASS_FINE,
    GLASS_REGRESSION,
    GLASS_UNKNOWN,   /* the tape never had this state */
    GLASS_NOT_JUDGED /* not enough of the row can be read */
} glass_verdict;

typedef struct glass_counts {
    uint64_t judged_by_tape;
    uint64_t judged_by_version;
    uint64_t judged_depth; /* ladders, by version; in none of the others but what was found */
    uint64_t regressions;
    uint64_t unknown;
    uint64_t not_judged;
} glass_counts;

typedef struct glass_check glass_check;

/* tape may be NULL; it stays the caller's and must outlive the check. TG_ERR_NO_MEMORY. Thread:
 * owner. */
TG_MUST_CHECK tg_err glass_check_open(const glass_tape *tape, size_t instruments_max,
                                      glass_check **out);
/* NULL is allowed. Thread: owner. */
void glass_check_close(glass_check *check);

/* slot names the same instrument each time, below instruments_max. Thread: owner. */
glass_verdict glass_check_row(glass_check *check, size_t slot, const glass_row *row);

/*
 * The ladder of the instrument in a slot, drawn from a book: best prices and sizes of the row, NULL
 * where the axis does not reach, and the book's version. A best level that differs from what was
 * drawn of the same version never was. Thread: owner.
 */
glass_verdict glass_check_depth(glass_check *check, size_t slot, const glass_row *row);

glass_counts glass_check_counts(const glass_check *check);

#endif
