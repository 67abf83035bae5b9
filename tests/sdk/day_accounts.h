/*
 * The ledgers of a day's client, made of the rows that this side handed over and the engine
 * applied: PROTOCOL.md 13.
 */
#ifndef DAY_ACCOUNTS_H
#define DAY_ACCOUNTS_H

#include "engine_rig.h"
#include "tick_account.h"

/* Zeroed: nothing came yet. */
typedef struct day_accounts {
    bool damaged; /* what was applied is not what was sent: how many ticks a row covers is under no
                     digest */
    tick_account of[SIM_INSTRUMENTS];
} day_accounts;

/* The rows of a message are in the store now; whole: it came as it was sent. */
void day_accounts_rows(day_accounts *accounts, rig *r, uint64_t lineage, const sim_message *message,
                       bool whole);
/*
 * At the end of a day: each instrument's ledger, and their sum, against these accounts; damaged
 * ones in what follows from the versions alone. Of instruments that the engine follows the newest
 * tick is the market's. Returns how many ledgers had to be right in every part.
 */
uint64_t day_accounts_check(const day_accounts *accounts, rig *r, uint64_t contradictions);

#endif
