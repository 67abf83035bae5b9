/** By what a token is remembered without being kept: its SHA-256. */
#ifndef TG_GATEWAY_FINGERPRINT_H
#define TG_GATEWAY_FINGERPRINT_H

#include <stddef.h>
#include <stdint.h>

#include <tickglass/err.h>

typedef struct tg__fingerprint {
    uint8_t bytes[32];
} tg__fingerprint;

/* TG_ERR_TLS: mbedTLS could not. */
TG_MUST_CHECK tg_err tg__fingerprint_of(const char *token, size_t size, tg__fingerprint *out);

#endif
