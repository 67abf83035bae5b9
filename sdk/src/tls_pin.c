#include "tls_pin.h"

#include <stdio.h>
#include <string.h>

#include <mbedtls/base64.h>
#include <mbedtls/sha256.h>
#include <mbedtls/x509_crt.h>

#include <tickglass/internal/control_flow.h>

#define PREFIX    "sha256/"
#define TEXT_SIZE 44u /* 32 bytes in base64 */

static tg_err parse_one(const char *text, uint8_t digest[TG__PIN_SIZE])
{
    TG_ENSURE(text != NULL, TG_ERR_INVALID_ARGUMENT);
    if (strncmp(text, PREFIX, sizeof PREFIX - 1) == 0) {
        text += sizeof PREFIX - 1;
        /* A slash is a base64 digit, too: only the length tells a second one of the prefix. */
        text += strlen(text) == TEXT_SIZE + 1 && text[0] == '/';
    }
    TG_ENSURE(strlen(text) == TEXT_SIZE, TG_ERR_INVALID_ARGUMENT);
    size_t size = 0;
    TG_ENSURE(mbedtls_base64_decode(digest, TG__PIN_SIZE, &size, (const unsigned char *)text,
                                    TEXT_SIZE) == 0 &&
                  size == TG__PIN_SIZE,
              TG_ERR_INVALID_ARGUMENT);
    return TG_OK;
}

tg_err tg__pins_parse(const char *const *texts, uint32_t count, tg__pins *out, char *why,
                      size_t why_size)
{
    memset(out, 0, sizeof *out);
    if (count > TG__PINS_MAX || (count > 0 && texts == NULL)) {
        (void)snprintf(why, why_size, "spki_pins: at most %u, and not NULL", TG__PINS_MAX);
        return TG_ERR_INVALID_ARGUMENT;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (parse_one(texts[i], out->digest[i]) != TG_OK) {
            (void)snprintf(why, why_size,
                           "spki_pins[%u] is not sha256/ and 44 characters of base64", (unsigned)i);
            return TG_ERR_INVALID_ARGUMENT;
        }
    }
    out->count = count;
    return TG_OK;
}

static bool is_pinned(const tg__pins *pins, const uint8_t digest[TG__PIN_SIZE])
{
    for (uint32_t i = 0; i < pins->count; i++) {
        if (memcmp(pins->digest[i], digest, TG__PIN_SIZE) == 0) {
            return true;
        }
    }
    return false;
}

bool tg__pins_hold(const tg__pins *pins, const uint8_t *certificate, size_t size)
{
    uint8_t digest[TG__PIN_SIZE];
    mbedtls_x509_crt parsed;
    mbedtls_x509_crt_init(&parsed);
    const bool holds = mbedtls_x509_crt_parse_der(&parsed, certificate, size) == 0 &&
                       mbedtls_sha256(parsed.pk_raw.p, parsed.pk_raw.len, digest, 0) == 0 &&
                       is_pinned(pins, digest);
    mbedtls_x509_crt_free(&parsed);
    return holds;
}

void tg__pins_explain(const tg__pins *pins, const char *host, char *text, size_t size)
{
    (void)snprintf(text, size, "certificate of %.64s: its public key is none of the %u pinned ones",
                   host, (unsigned)pins->count);
}
