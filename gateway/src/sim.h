/**
 * The embedded market: deterministic from its seed, endless, in order of time.
 *
 * Time starts at 0 with a quote and a trade of every instrument; then ticks come at the options'
 * mean rate, as unevenly as recorded markets do (sim_pace.h, sim_arrivals.h, sim_book.h). Bid and
 * ask of one update share time and id; no other two events share a time. Never crossed.
 */
#ifndef TG_GATEWAY_SIM_H
#define TG_GATEWAY_SIM_H

#include "cause.h"
#include "directory.h"
#include "row.h"
#include "sim_pace.h"

/*
 * Ticks in a million that the first of two feed handlers must lose, so that the second, 6 to 9 ms
 * later, brings about 340 a minute out of order: in the minute of a release, at the usual rate.
 */
#define TG__SIM_LATE_PPM 343u

typedef struct tg__sim tg__sim;

/* Fills an empty directory. TG_ERR_NO_MEMORY. */
TG_MUST_CHECK tg_err tg__sim_open(uint64_t seed, const tg__sim_options *options,
                                  tg__directory *directory, tg__sim **out);
void tg__sim_close(tg__sim *sim);

/* The next row; ts_ns counts from the market's start. */
void tg__sim_next(tg__sim *sim, tg__row *row);

#endif
