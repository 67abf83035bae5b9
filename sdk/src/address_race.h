/*
 * One TCP connection to whichever of a name's addresses answers first: attempts begin a quarter of
 * a second apart, or at once where one has failed, and an earlier one goes on until another has won
 * (RFC 8305 5). Only TCP races; TLS and the request are for the winner alone.
 */
#ifndef TG_SDK_ADDRESS_RACE_H
#define TG_SDK_ADDRESS_RACE_H

#include <stdint.h>

#include "resolver.h"

typedef struct tg__race_result {
    int fd;         /* connected, non-blocking, closed on exec; -1: none */
    uint32_t index; /* of the winner, or of the attempt that failed last */
    int failure;    /* its errno; ECANCELED: cancel_fd became readable */
} tg__race_result;

/* Blocks until there is a winner or none can be, or cancel_fd is readable. count is at least 1. */
void tg__address_race(const tg__addresses *addresses, uint16_t port, int cancel_fd,
                      tg__race_result *result);

#endif
