/*
 * What became of each tick of one instrument, told by the rows that a client applied: PROTOCOL.md
 * 13 and tg_ledger, tick by tick and without the store's shortcuts.
 */
#ifndef TICK_ACCOUNT_H
#define TICK_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include <tickglass/store.h>

#define TICK_ACCOUNT_MAX 4096u /* ticks of one lineage without a break */

typedef enum tick_fate {
    TICK_ACCOUNTED, /* received or conflated, and superseded ones */
    TICK_LOST,
    TICK_GONE /* lost, and of a hole that is too old to be filled */
} tick_fate;

typedef struct tick_account {
    uint64_t lineage; /* 0: no row yet */
    uint64_t base;    /* seq before the first tick of this lineage */
    uint64_t newest;
    uint64_t said; /* sum of what admitted rows said that they cover */
    tg_ledger ledger;
    uint8_t fate[TICK_ACCOUNT_MAX]; /* of base + 1 ... */
} tick_account;

/* A row was applied. covered: 0 for not said. */
void tick_account_row(tick_account *account, uint64_t lineage, uint64_t seq, uint64_t covered);

#endif
