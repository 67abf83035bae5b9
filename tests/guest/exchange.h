/** A TLS exchange that the host makes by itself, with its own library, inside its own process. */
#ifndef GUEST_EXCHANGE_H
#define GUEST_EXCHANGE_H

#include <stddef.h>

/** What the host's own library calls itself. */
const char *guest_exchange_library(void);

/**
 * Handshake with a certificate made on the spot, a block of data each way, goodbye.
 * @retval 0   both sides got every byte
 * @retval -1  why says what went wrong
 */
int guest_exchange(char *why, size_t size);

#endif
