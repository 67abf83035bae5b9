/* The certificate and key with which this client shows who it is. */
#ifndef TG_SDK_TLS_IDENTITY_H
#define TG_SDK_TLS_IDENTITY_H

#include <stddef.h>

#include <tickglass/err.h>

typedef struct tg__tls_identity {
    char *chain_pem; /* the certificate, then what leads to its authority; with a terminator */
    size_t chain_pem_size;
    unsigned char *key_der; /* not encrypted: wipe it as soon as it was handed over */
    size_t key_der_size;
} tg__tls_identity;

/*
 * Reads PEM files; key_file NULL: the key stands in cert_file. The key is PKCS#8, PKCS#1 or SEC 1,
 * encrypted or not; password may be NULL. Everything has to fit: TG_ERR_CERTIFICATE otherwise, with
 * why, and out is empty. TG_ERR_NO_MEMORY.
 */
TG_MUST_CHECK tg_err tg__tls_identity_load(const char *cert_file, const char *key_file,
                                           const char *password, tg__tls_identity *out, char *why,
                                           size_t why_size);
/* Wipes and frees. Idempotent. */
void tg__tls_identity_release(tg__tls_identity *identity);

#endif
