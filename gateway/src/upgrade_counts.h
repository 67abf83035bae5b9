/** How many upgrades were accepted, and with which HTTP status the others were refused. */
#ifndef TG_GATEWAY_UPGRADE_COUNTS_H
#define TG_GATEWAY_UPGRADE_COUNTS_H

#include <stdint.h>

/* Statuses that are told apart; the last stands for all others. */
#define TG__UPGRADE_STATUSES 8u

extern const unsigned tg__upgrade_statuses[TG__UPGRADE_STATUSES]; /* 0: all others */

typedef struct tg__upgrade_counts {
    uint64_t accepted;
    uint64_t refused[TG__UPGRADE_STATUSES];
} tg__upgrade_counts;

/* status 0: accepted. */
void tg__upgrade_counts_add(tg__upgrade_counts *counts, unsigned status);

#endif
