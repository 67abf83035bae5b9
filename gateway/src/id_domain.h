/**
 * Deduplication by the venue's own ids, within (venue, symbol, id domain).
 *
 * Quotes and trades are different domains: a trade's id says nothing about a quote's. Bid and ask
 * rows with equal (time, id) are one tick. Rows without an id are always new.
 */
#ifndef TG_GATEWAY_ID_DOMAIN_H
#define TG_GATEWAY_ID_DOMAIN_H

#include "row.h"

typedef struct tg__id_domain {
    uint64_t last_id;
    int64_t last_ts_ns;
    uint8_t sides; /* bit per tg__row_kind that the tick of last_id has brought */
    bool used;
} tg__id_domain;

typedef enum tg__verdict {
    TG__VERDICT_NEW = 0,
    TG__VERDICT_COMPLETES = 1, /* the other side of the tick that was admitted last */
    TG__VERDICT_DUPLICATE = 2,
    TG__VERDICT_REGRESSION = 3
} tg__verdict;

/* Judges a row and, if it is new or completes, remembers it. All zero is a fresh domain. */
tg__verdict tg__id_domain_judge(tg__id_domain *domain, const tg__row *row);

#endif
