#include "tls_identity.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mbedtls/ctr_drbg.h>
#include <mbedtls/entropy.h>
#include <mbedtls/pk.h>
#include <mbedtls/x509_crt.h>
#include <psa/crypto.h>

#include <tickglass/internal/control_flow.h>

#include "tls_pem.h"
#include "tls_trust.h"

#define KEY_DER_SIZE (16u * 1024u) /* an RSA key of 16,384 bits has 9 KB */

/* What is needed while a pair is read; random is for blinding. */
typedef struct reading {
    const char *cert_file;
    const char *key_file;
    char *why;
    size_t why_size;
    mbedtls_x509_crt chain;
    mbedtls_pk_context key;
    mbedtls_entropy_context entropy;
    mbedtls_ctr_drbg_context random;
} reading;

static tg_err fault(const reading *r, const char *what, const char *path, int code)
{
    char reason[128] = "";
    tg__tls_error_text(code, reason, sizeof reason);
    (void)snprintf(r->why, r->why_size, "%s %s: %s", what, path, reason);
    return TG_ERR_CERTIFICATE;
}

static tg_err read_chain(reading *r)
{
    unsigned char *bytes = NULL;
    size_t size = 0;
    TG_TRY(tg__pem_read(r->cert_file, &bytes, &size, r->why, r->why_size));
    const int code = mbedtls_x509_crt_parse(&r->chain, bytes, size + 1);
    tg__pem_free(bytes, size);
    if (code > 0) {
        (void)snprintf(r->why, r->why_size, "%d certificates in %s cannot be read", code,
                       r->cert_file);
        return TG_ERR_CERTIFICATE;
    }
    return code == 0 ? TG_OK : fault(r, "no client certificate in", r->cert_file, code);
}

static tg_err read_key(reading *r, const char *password)
{
    unsigned char *bytes = NULL;
    size_t size = 0;
    TG_TRY(tg__pem_read(r->key_file, &bytes, &size, r->why, r->why_size));
    const int code = mbedtls_pk_parse_key(&r->key, bytes, size + 1, (const unsigned char *)password,
                                          password != NULL ? strlen(password) : 0,
                                          mbedtls_ctr_drbg_random, &r->random);
    tg__pem_free(bytes, size);
    if (code == MBEDTLS_ERR_PK_PASSWORD_REQUIRED) {
        (void)snprintf(r->why, r->why_size, "the key in %s is encrypted, and there is no password",
                       r->key_file);
        return TG_ERR_CERTIFICATE;
    }
    if (code == MBEDTLS_ERR_PK_PASSWORD_MISMATCH) {
        (void)snprintf(r->why, r->why_size, "the password does not open the key in %s",
                       r->key_file);
        return TG_ERR_CERTIFICATE;
    }
    return code == 0 ? TG_OK : fault(r, "no client key in", r->key_file, code);
}

static tg_err check_pair(reading *r)
{
    if (mbedtls_pk_check_pair(&r->chain.pk, &r->key, mbedtls_ctr_drbg_random, &r->random) == 0) {
        return TG_OK;
    }
    (void)snprintf(r->why, r->why_size, "the key in %s does not belong to the certificate in %s",
                   r->key_file, r->cert_file);
    return TG_ERR_CERTIFICATE;
}

static tg_err write_key(const reading *r, tg__tls_identity *out)
{
    unsigned char *der = malloc(KEY_DER_SIZE);
    TG_ENSURE(der != NULL, TG_ERR_NO_MEMORY);
    const int size = mbedtls_pk_write_key_der(&r->key, der, KEY_DER_SIZE);
    if (size <= 0) {
        tg__pem_free(der, KEY_DER_SIZE);
        return fault(r, "the client key cannot be used, of", r->key_file, size);
    }
    /* It stands at the end of the buffer. */
    memmove(der, der + KEY_DER_SIZE - (size_t)size, (size_t)size);
    tg__wipe(der + size, KEY_DER_SIZE - (size_t)size);
    out->key_der = der;
    out->key_der_size = (size_t)size;
    return TG_OK;
}

static tg_err read_pair(reading *r, const char *password, tg__tls_identity *out)
{
    static const char purpose[] = "tickglass client key";
    /* Since Mbed TLS 3.5 some kinds of keys are read with PSA; calling this again is harmless. */
    TG_ENSURE(psa_crypto_init() == PSA_SUCCESS, TG_ERR_NO_MEMORY);
    TG_ENSURE(mbedtls_ctr_drbg_seed(&r->random, mbedtls_entropy_func, &r->entropy,
                                    (const unsigned char *)purpose, sizeof purpose - 1) == 0,
              TG_ERR_NO_MEMORY);
    TG_TRY(read_chain(r));
    TG_TRY(read_key(r, password));
    TG_TRY(check_pair(r));
    TG_TRY(tg__pem_write(&r->chain, &out->chain_pem, &out->chain_pem_size));
    return write_key(r, out);
}

tg_err tg__tls_identity_load(const char *cert_file, const char *key_file, const char *password,
                             tg__tls_identity *out, char *why, size_t why_size)
{
    memset(out, 0, sizeof *out);
    reading r = {.cert_file = cert_file,
                 .key_file = key_file != NULL ? key_file : cert_file,
                 .why = why,
                 .why_size = why_size};
    mbedtls_x509_crt_init(&r.chain);
    mbedtls_pk_init(&r.key);
    mbedtls_entropy_init(&r.entropy);
    mbedtls_ctr_drbg_init(&r.random);
    const tg_err err = read_pair(&r, password, out);
    mbedtls_ctr_drbg_free(&r.random);
    mbedtls_entropy_free(&r.entropy);
    mbedtls_pk_free(&r.key);
    mbedtls_x509_crt_free(&r.chain);
    if (err != TG_OK) {
        tg__tls_identity_release(out);
    }
    return err;
}

void tg__tls_identity_release(tg__tls_identity *identity)
{
    tg__pem_free(identity->key_der, identity->key_der_size);
    free(identity->chain_pem);
    memset(identity, 0, sizeof *identity);
}
