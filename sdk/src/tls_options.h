/* What the TLS options of tg_client_open() come to. */
#ifndef TG_SDK_TLS_OPTIONS_H
#define TG_SDK_TLS_OPTIONS_H

#include <stdbool.h>

#include <tickglass/client.h>

#include "tls_identity.h"
#include "tls_pin.h"

typedef struct tg__tls_material {
    char *ca_pem; /* whom to trust, with a terminator that the size counts */
    size_t ca_pem_size;
    bool has_identity;
    tg__tls_identity identity;
    tg__pins pins;
} tg__tls_material;

/* Of the gateways that a client may choose from. */
typedef struct tg__tls_use {
    bool anywhere;
    bool everywhere;
} tg__tls_use;

/*
 * Checks the options, which the caller has filled up to this library's size, and reads their files.
 * Without TLS anywhere nothing is read, and what one gateway without it would ignore is refused.
 * The error is what tg_client_open() returns; why says more, and out is then empty.
 */
TG_MUST_CHECK tg_err tg__tls_options_load(const tg_client_options *options, tg__tls_use use,
                                          tg__tls_material *out, char *why, size_t why_size);
/* Wipes and frees. Idempotent. */
void tg__tls_material_release(tg__tls_material *material);

#endif
