/**
 * The book behind the top of the simulated market: up to ten levels a side of an instrument, worked
 * out from its image when somebody is to be told.
 *
 * Nothing is remembered. Equal versions have equal books on every node of the lineage, whoever asks
 * and however often; what nobody follows costs nothing, and the ticks of the market are the same
 * with and without it. Level one is the image's own bid or ask. The levels behind it belong to
 * prices: they stand while the top moves in front of them, and each is put, changed or taken away
 * every few ticks of its instrument, so that there are gaps. Prices that the market has left behind
 * since the last trade, as after a jump, are thin until it trades there.
 */
#ifndef TG_GATEWAY_SIM_DEPTH_H
#define TG_GATEWAY_SIM_DEPTH_H

#include <stdbool.h>
#include <stdint.h>

#include <tickglass/err.h>
#include <tickglass/market.h>

typedef struct tg__sim_depth tg__sim_depth;

/* Of tg__sim_open()'s market of that seed. TG_ERR_NO_MEMORY. */
TG_MUST_CHECK tg_err tg__sim_depth_open(uint64_t seed, tg__sim_depth **out);
/* NULL is allowed. */
void tg__sim_depth_close(tg__sim_depth *depth);

/*
 * The book at the image's version; false: there is none, for an instrument that was never published
 * or is not of this market. Crossed only if the image is. A side without a best price is empty; one
 * whose best price is not a price of this market has that level alone.
 */
bool tg__sim_depth_book(const tg__sim_depth *depth, tg_instrument_id id, const tg_image *image,
                        tg_book *book);

#endif
