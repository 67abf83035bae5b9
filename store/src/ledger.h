/**
 * What became of each tick of an instrument's lane: the account of PROTOCOL.md 13.
 *
 * Every tick from the first row on is in exactly one class. How many there are follows from the
 * versions alone; received, conflated and superseded are counted from what rows say of themselves,
 * lost when a hole is seen. A hole stays known for a while: a row that reaches into it later takes
 * its ticks out of lost again. So the sum is a statement that can be false, not a remainder.
 *
 * A lane's seq goes on over a raise of the epoch. Where it does not (another lineage, a seq that
 * began anew) the account goes on behind a break: nothing is known of what lies there, and nothing
 * is counted for it. Written by the writer, read by any thread, each number by itself.
 */
#ifndef TICKGLASS_STORE_LEDGER_H
#define TICKGLASS_STORE_LEDGER_H

#include <stdatomic.h>
#include <stdint.h>

#define TG__HOLES_MAX 3 /* of one instrument that can still be filled; older ones stay lost */

/* What every admitted row changes. */
typedef struct tg__account {
    _Atomic uint64_t newest;  /* seq of the last row: newest - base are the lane's ticks */
    _Atomic uint64_t base;    /* moves at a break only, so that the difference goes on; mod 2^64 */
    _Atomic uint64_t covered; /* ticks that rows stood for: received and conflated */
    _Atomic uint64_t received;
} tg__account;

/* Ticks first to last of a lane that no row stood for; last 0: none. */
typedef struct tg__hole {
    uint64_t first;
    uint64_t last;
} tg__hole;

/* What only irregular rows change. */
typedef struct tg__losses {
    _Atomic uint64_t lost;
    _Atomic uint64_t superseded;
    _Atomic uint64_t repeated;
    tg__hole hole[TG__HOLES_MAX]; /* the writer's; the newest first */
} tg__losses;

#endif
