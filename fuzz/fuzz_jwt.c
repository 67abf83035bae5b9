/*
 * Tokens of strangers. Whatever comes, reading ends, keeps within its buffers, gives the same
 * answer twice, and what it admits is as its header says: a time, a subject that is text, venues
 * that exist.
 *
 * Input: 'r', then a token as it is; or anything else, then header, a NUL and claims, which are put
 * into base64url first, so that changes reach what is inside.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/dictionary.h>

#include "jwt.h"

#define VENUES    3u
#define UTC_S     INT64_C(1800000000)
#define TOKEN_MAX (TG__TOKEN_SIZE_MAX + 64u)

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

static size_t encode(const uint8_t *bytes, size_t size, char *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    size_t length = 0;
    uint32_t bits = 0;
    unsigned held = 0;
    for (size_t i = 0; i < size; i++) {
        bits = bits << 8 | bytes[i];
        held += 8;
        while (held >= 6) {
            held -= 6;
            out[length++] = digits[bits >> held & 63u];
        }
    }
    if (held > 0) {
        out[length++] = digits[bits << (6 - held) & 63u];
    }
    return length;
}

static size_t make_token(const uint8_t *data, size_t size, char *token)
{
    if (data[0] == 'r') {
        memcpy(token, data + 1, size - 1);
        return size - 1;
    }
    const uint8_t *split = memchr(data + 1, 0, size - 1);
    const size_t header = split != NULL ? (size_t)(split - data) - 1 : size - 1;
    const size_t claims = split != NULL ? size - header - 2 : 0;
    size_t length = encode(data + 1, header, token);
    token[length++] = '.';
    length += encode(data + 1 + header + (split != NULL), claims, token + length);
    memcpy(token + length, ".AAAA", 5);
    return length + 5;
}

static void check_admitted(const tg__jwt *jwt, size_t size)
{
    const size_t subject = strnlen(jwt->entitlement.subject, TG__SUBJECT_SIZE);
    require(jwt->entitlement.expires_s > 0 && jwt->signed_size < size);
    require(jwt->signature_size > 0 && jwt->signature_size <= TG__JWT_SIGNATURE_MAX);
    require(subject < TG__SUBJECT_SIZE && strnlen(jwt->kid, TG__KID_SIZE) < TG__KID_SIZE);
    require(subject == 0 || tg__text_is_valid(jwt->entitlement.subject, subject, subject));
    require(!tg__entitlement_is_empty(&jwt->entitlement));
    for (unsigned venue = VENUES; venue < TG_VENUE_MAX; venue++) {
        require(!tg__entitlement_covers(&jwt->entitlement, (tg_venue_id)venue));
    }
    (void)tg__jwt_check_times(jwt, UTC_S);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static tg__directory directory;
    static const char *const names[VENUES] = {"ORION", "LYRA", "\xe9\xbe\x8d\xe9\x96\x80"};
    if (size == 0 || size > TOKEN_MAX) {
        return 0;
    }
    tg__directory_init(&directory);
    for (size_t i = 0; i < VENUES; i++) {
        tg_venue_id id = 0;
        require(tg__directory_venue(&directory, names[i], &id) == TG_OK);
    }
    const tg__jwt_rules rules = {&directory, "issuer", data[0] == 'a' ? "audience" : NULL};
    char *room = malloc(2 * TOKEN_MAX);
    require(room != NULL);
    const size_t length = make_token(data, size, room);
    char *token = malloc(length > 0 ? length : 1); /* exactly, so that a byte too far is seen */
    require(token != NULL);
    memcpy(token, room, length);
    tg__jwt jwt;
    tg__jwt again;
    const tg__token_verdict verdict = tg__jwt_read(token, length, &rules, &jwt);
    require(tg__jwt_read(token, length, &rules, &again) == verdict);
    if (verdict == TG__TOKEN_ADMITTED) {
        check_admitted(&jwt, length);
    }
    free(token);
    free(room);
    tg__directory_deinit(&directory);
    return 0;
}
