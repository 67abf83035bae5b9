/* Pinned public keys: SHA-256 over the SubjectPublicKeyInfo of a certificate, as RFC 7469 has it.
 */
#ifndef TG_SDK_TLS_PIN_H
#define TG_SDK_TLS_PIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tickglass/err.h>

#define TG__PINS_MAX 16u
#define TG__PIN_SIZE 32u

typedef struct tg__pins {
    uint32_t count;
    uint8_t digest[TG__PINS_MAX][TG__PIN_SIZE];
} tg__pins;

/*
 * "sha256/BASE64=", "sha256//BASE64=" as curl writes it, or the 44 characters alone.
 * TG_ERR_INVALID_ARGUMENT: more than TG__PINS_MAX, or one is not of that form; why says which.
 */
TG_MUST_CHECK tg_err tg__pins_parse(const char *const *texts, uint32_t count, tg__pins *out,
                                    char *why, size_t why_size);

/* True if the public key of the certificate, DER, is one of them. */
bool tg__pins_hold(const tg__pins *pins, const uint8_t *certificate, size_t size);

/* "certificate of gw.example.com: its public key is none of the 2 pinned ones" */
void tg__pins_explain(const tg__pins *pins, const char *host, char *text, size_t size);

#endif
