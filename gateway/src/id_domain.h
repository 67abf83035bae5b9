/**
 * Deduplication by the venue's own ids, within (venue, symbol, id domain).
 *
 * Quotes and trades are different domains: a trade's id says nothing about a quote's. Bid and ask
 * rows with equal (time, id) are one tick. A lower id than the last one is never admitted: if this
 * domain admitted it before, and still remembers it, the twin brings it late, and it is a
 * duplicate; else it is out of order, and a regression.
 *
 * Rows without an id cannot be told apart. They are a domain of their own for each instrument,
 * which only goes forward in exchange time; rows of equal time are all new, except behind a
 * take-over.
 */
#ifndef TG_GATEWAY_ID_DOMAIN_H
#define TG_GATEWAY_ID_DOMAIN_H

#include "row.h"

#define TG__IDS_REMEMBERED 64u /* of the last ticks: the skew of 9 ms at 7,000 a second */

typedef struct tg__id_domain {
    uint64_t last_id;
    int64_t last_ts_ns;
    uint64_t admitted[TG__IDS_REMEMBERED]; /* a ring, ascending, the latest id included */
    uint32_t admitted_count;               /* its remainder is the ring's next place */
    uint8_t sides; /* bit per tg__row_kind that the tick of last_id has brought */
    bool used;
} tg__id_domain;

/* Of an instrument's rows without ids. */
typedef struct tg__time_domain {
    int64_t last_ts_ns;
    int64_t floor_ts_ns; /* shown before a take-over; valid if has_floor */
    bool used;
    bool has_floor;
} tg__time_domain;

typedef enum tg__verdict {
    TG__VERDICT_NEW = 0,
    TG__VERDICT_COMPLETES = 1, /* the other side of the tick that was admitted last */
    TG__VERDICT_DUPLICATE = 2,
    TG__VERDICT_REGRESSION = 3
} tg__verdict;

/* Judges a row with an id and, if it is new or completes, remembers it. All zero is fresh. */
tg__verdict tg__id_domain_judge(tg__id_domain *domain, const tg__row *row);

/* The same for a row without an id. */
tg__verdict tg__time_domain_judge(tg__time_domain *domain, const tg__row *row);

/* Another handler takes over: what is not newer than the last row was shown already. */
void tg__time_domain_take_over(tg__time_domain *domain);

#endif
