/** Where the data messages of an input start from: the first byte picks one of 256 channels. */
#ifndef TG_FUZZ_START_CHANNEL_H
#define TG_FUZZ_START_CHANNEL_H

#include <tickglass/internal/frame.h>

#define START_SET_MAX 300u /* rows that a snapshot may bring; more are refused */

typedef struct start_channel {
    tg__channel channel;
    tg_instrument_id ids[START_SET_MAX];
    tg_image images[START_SET_MAX];
} start_channel;

/*
 * choice: bits 0-3 size of the set; 4-5 where values and seqs stand, the limits of 64 bits
 * included; 6 resolution (1000 ns or 1 ns); 7 epochs, boundary and gateway time near their limits.
 */
void start_channel_init(start_channel *start, uint8_t choice);

/* Ends the process, which is how a fuzz target says that it found something. */
void require(bool holds);

#endif
