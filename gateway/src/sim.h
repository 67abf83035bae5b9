/**
 * The embedded market: deterministic from its seed, endless, in order of time.
 *
 * Time starts at 0 with a quote and a trade of every instrument; then about TG__SIM_TICKS_PER_S
 * ticks a second, unevenly spread: power-law weights, bursts, and instruments that sleep for
 * minutes. Bid and ask of one update share time and id. Never crossed.
 */
#ifndef TG_GATEWAY_SIM_H
#define TG_GATEWAY_SIM_H

#include "cause.h"
#include "directory.h"
#include "row.h"

#define TG__SIM_TICKS_PER_S 20000u

typedef struct tg__sim tg__sim;

/* Fills an empty directory. TG_ERR_NO_MEMORY. */
TG_MUST_CHECK tg_err tg__sim_open(uint64_t seed, tg__directory *directory, tg__sim **out);
void tg__sim_close(tg__sim *sim);

/* The next row; ts_ns counts from the market's start. */
void tg__sim_next(tg__sim *sim, tg__row *row);

#endif
