/* Where the seed of a client's jitter comes from. */
#ifndef TG_SDK_TLS_RANDOM_H
#define TG_SDK_TLS_RANDOM_H

#include <stdint.h>

#include <tickglass/err.h>

/*
 * 64 bits of mbedTLS' generator, seeded from the system's entropy. TG_ERR_IO: it gives none;
 * TG_ERR_NO_MEMORY.
 * There is no number to go on with then: clients that all drew the same one would reconnect as one.
 */
TG_MUST_CHECK tg_err tg__tls_random(uint64_t *out);

#endif
