#include "jwt.h"

#include <string.h>

#include <tickglass/internal/message.h>

#include "json_reader.h"
#include "wipe.h"

#define HEADER_MAX  1024u
#define PAYLOAD_MAX (TG__TOKEN_SIZE_MAX / 4u * 3u)
#define NAME_SIZE   16u /* a longer one is none of ours */
#define TEXT_SIZE   256u

const char *tg__token_verdict_text(tg__token_verdict verdict)
{
    static const char *const texts[TG__TOKEN_VERDICT_COUNT] = {
        [TG__TOKEN_ADMITTED] = "admitted",
        [TG__TOKEN_NOT_OURS] = "the token is not this gateway's",
        [TG__TOKEN_MALFORMED] = "the token is malformed",
        [TG__TOKEN_ALGORITHM] = "the token's alg is not ES256 or RS256",
        [TG__TOKEN_UNKNOWN_KEY] = "no key has the token's kid and alg",
        [TG__TOKEN_SIGNATURE] = "the token's signature is wrong",
        [TG__TOKEN_EXPIRED] = "the token has expired",
        [TG__TOKEN_NOT_YET] = "the token is not valid yet",
        [TG__TOKEN_ISSUER] = "the token's iss is not the expected one",
        [TG__TOKEN_AUDIENCE] = "the token's aud does not name this gateway",
        [TG__TOKEN_NO_VENUE] = "the token entitles to no venue of this gateway",
        [TG__TOKEN_BUSY] = "too many tokens wait to be verified",
    };
    return texts[verdict];
}

/* ---- base64url, RFC 4648 5: no padding, no space, no stray bits at the end ---- */

static int digit_of(char c)
{
    if (c >= 'A' && c <= 'Z') {
        return c - 'A';
    }
    if (c >= 'a' && c <= 'z') {
        return c - 'a' + 26;
    }
    if (c >= '0' && c <= '9') {
        return c - '0' + 52;
    }
    return c == '-' ? 62 : c == '_' ? 63 : -1;
}

static bool decode64(const char *text, size_t length, uint8_t *out, size_t capacity, size_t *size)
{
    uint32_t bits = 0;
    unsigned held = 0;
    *size = 0;
    if (length == 0 || length % 4 == 1 || length / 4 * 3 + length % 4 * 3 / 4 > capacity) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        const int digit = digit_of(text[i]);
        if (digit < 0) {
            return false;
        }
        bits = (bits << 6 | (uint32_t)digit) & 0xffffu;
        held += 6;
        if (held >= 8) {
            held -= 8;
            out[(*size)++] = (uint8_t)(bits >> held);
        }
    }
    return (bits & ((1u << held) - 1u)) == 0;
}

/* ---- header ---- */

static bool is_name(const char *name, size_t size, const char *expected)
{
    return size == strlen(expected) && strcmp(name, expected) == 0;
}

/* False if it was there before. */
static bool mark_seen(unsigned *seen, unsigned bit)
{
    const bool is_new = (*seen & bit) == 0;
    *seen |= bit;
    return is_new;
}

enum {
    HAS_ALG = 1,
    HAS_KID = 2
};

static tg__token_verdict alg_of(const char *text, size_t size, tg__jwt_alg *out)
{
    *out = is_name(text, size, "RS256") ? TG__JWT_RS256 : TG__JWT_ES256;
    return *out == TG__JWT_RS256 || is_name(text, size, "ES256") ? TG__TOKEN_ADMITTED
                                                                 : TG__TOKEN_ALGORITHM;
}

static tg__token_verdict read_header(const char *text, size_t size, tg__jwt *jwt)
{
    tg__json_reader json;
    char name[NAME_SIZE];
    char value[TEXT_SIZE];
    size_t length = 0;
    unsigned seen = 0;
    bool first = true;
    tg__token_verdict alg = TG__TOKEN_ALGORITHM;
    tg__json_reader_open(&json, text, size);
    if (!tg__json_reader_begin(&json, '{')) {
        return TG__TOKEN_MALFORMED;
    }
    while (tg__json_reader_next(&json, '}', &first) &&
           tg__json_reader_name(&json, name, sizeof name, &length)) {
        if (is_name(name, length, "crit")) {
            return TG__TOKEN_MALFORMED; /* it asks for what we do not know */
        }
        const bool is_alg = is_name(name, length, "alg");
        if (!is_alg && !is_name(name, length, "kid")) {
            (void)tg__json_reader_skip(&json);
            continue;
        }
        if (!mark_seen(&seen, is_alg ? HAS_ALG : HAS_KID) ||
            !tg__json_reader_string(&json, value, sizeof value, &length)) {
            return TG__TOKEN_MALFORMED;
        }
        if (is_alg) {
            alg = alg_of(value, length, &jwt->alg);
            continue;
        }
        jwt->has_kid = true;
        if (length < sizeof jwt->kid) { /* a longer one stays empty, which no key is called */
            memcpy(jwt->kid, value, length + 1);
        }
    }
    if (!tg__json_reader_finish(&json) || (seen & HAS_ALG) == 0) {
        return TG__TOKEN_MALFORMED;
    }
    return alg;
}

/* ---- claims ---- */

enum {
    HAS_EXP = 1,
    HAS_NBF = 2,
    HAS_ISS = 4,
    HAS_AUD = 8,
    HAS_SUB = 16,
    HAS_VENUES = 32
};

typedef struct claims {
    const tg__jwt_rules *rules;
    tg__jwt *jwt;
    unsigned seen;
    bool issuer_fits;
    bool audience_fits;
} claims;

static bool read_issuer(tg__json_reader *json, claims *c)
{
    char value[TEXT_SIZE];
    size_t length = 0;
    const bool good = tg__json_reader_string(json, value, sizeof value, &length);
    c->issuer_fits = good && c->rules->issuer != NULL && is_name(value, length, c->rules->issuer);
    return good;
}

static bool read_one_audience(tg__json_reader *json, claims *c)
{
    char value[TEXT_SIZE];
    size_t length = 0;
    const bool good = tg__json_reader_string(json, value, sizeof value, &length);
    c->audience_fits = c->audience_fits || (good && c->rules->audience != NULL &&
                                            is_name(value, length, c->rules->audience));
    return good;
}

static bool read_one_venue(tg__json_reader *json, claims *c)
{
    char value[TG_VENUE_NAME_SIZE];
    size_t length = 0;
    const tg__directory *directory = c->rules->directory;
    if (!tg__json_reader_string(json, value, sizeof value, &length)) {
        return false;
    }
    for (uint32_t i = 0; i < directory->venue_count; i++) {
        if (is_name(value, length, "*") || is_name(value, length, directory->venues[i].name)) {
            tg__entitlement_add(&c->jwt->entitlement, directory->venues[i].id);
        }
    }
    return true;
}

/* One text, or an array of them. */
static bool read_list(tg__json_reader *json, claims *c,
                      bool (*read_one)(tg__json_reader *json, claims *c))
{
    bool first = true;
    if (tg__json_reader_peek(json) == '"') {
        return read_one(json, c);
    }
    if (!tg__json_reader_begin(json, '[')) {
        return false;
    }
    while (tg__json_reader_next(json, ']', &first)) {
        if (!read_one(json, c)) {
            return false;
        }
    }
    return !json->bad;
}

static bool read_subject(tg__json_reader *json, claims *c)
{
    size_t length = 0;
    char *subject = c->jwt->entitlement.subject;
    return tg__json_reader_string(json, subject, TG__SUBJECT_SIZE, &length) &&
           length < TG__SUBJECT_SIZE;
}

static unsigned claim_of(const char *name, size_t size)
{
    static const struct {
        const char *name;
        unsigned bit;
    } known[] = {{"exp", HAS_EXP}, {"nbf", HAS_NBF}, {"iss", HAS_ISS},
                 {"aud", HAS_AUD}, {"sub", HAS_SUB}, {"venues", HAS_VENUES}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (is_name(name, size, known[i].name)) {
            return known[i].bit;
        }
    }
    return 0;
}

static bool read_claim(tg__json_reader *json, claims *c, unsigned claim)
{
    switch (claim) {
    case HAS_EXP:
        return tg__json_reader_integer(json, &c->jwt->entitlement.expires_s);
    case HAS_NBF:
        return tg__json_reader_integer(json, &c->jwt->not_before_s);
    case HAS_ISS:
        return read_issuer(json, c);
    case HAS_AUD:
        return read_list(json, c, read_one_audience);
    case HAS_SUB:
        return read_subject(json, c);
    default:
        return read_list(json, c, read_one_venue);
    }
}

static tg__token_verdict judge_claims(claims *c)
{
    tg__entitlement *entitlement = &c->jwt->entitlement;
    if ((c->seen & HAS_EXP) == 0 || entitlement->expires_s <= 0) {
        return TG__TOKEN_MALFORMED;
    }
    if (c->rules->issuer != NULL && !c->issuer_fits) {
        return TG__TOKEN_ISSUER;
    }
    if (c->rules->audience != NULL && !c->audience_fits) {
        return TG__TOKEN_AUDIENCE;
    }
    if ((c->seen & HAS_VENUES) == 0) {
        const tg__entitlement all = tg__entitlement_of_all(c->rules->directory->venue_count);
        memcpy(entitlement->venues, all.venues, sizeof all.venues);
    }
    return tg__entitlement_is_empty(entitlement) ? TG__TOKEN_NO_VENUE : TG__TOKEN_ADMITTED;
}

static tg__token_verdict read_claims(const char *text, size_t size, const tg__jwt_rules *rules,
                                     tg__jwt *jwt)
{
    tg__json_reader json;
    claims c = {.rules = rules, .jwt = jwt};
    char name[NAME_SIZE];
    size_t length = 0;
    bool first = true;
    tg__json_reader_open(&json, text, size);
    if (!tg__json_reader_begin(&json, '{')) {
        return TG__TOKEN_MALFORMED;
    }
    while (tg__json_reader_next(&json, '}', &first) &&
           tg__json_reader_name(&json, name, sizeof name, &length)) {
        const unsigned claim = claim_of(name, length);
        if (claim == 0) {
            (void)tg__json_reader_skip(&json);
        } else if (!mark_seen(&c.seen, claim) || !read_claim(&json, &c, claim)) {
            return TG__TOKEN_MALFORMED;
        }
    }
    return tg__json_reader_finish(&json) ? judge_claims(&c) : TG__TOKEN_MALFORMED;
}

/* ---- the whole ---- */

static tg__token_verdict read_parts(const char *token, size_t first, size_t second, size_t size,
                                    const tg__jwt_rules *rules, tg__jwt *jwt, uint8_t *scratch)
{
    size_t length = 0;
    if (!decode64(token, first, scratch, HEADER_MAX, &length)) {
        return TG__TOKEN_MALFORMED;
    }
    tg__token_verdict verdict = read_header((const char *)scratch, length, jwt);
    if (verdict != TG__TOKEN_ADMITTED) {
        return verdict;
    }
    if (!decode64(token + second + 1, size - second - 1, jwt->signature, sizeof jwt->signature,
                  &jwt->signature_size) ||
        !decode64(token + first + 1, second - first - 1, scratch, PAYLOAD_MAX, &length)) {
        return TG__TOKEN_MALFORMED;
    }
    return read_claims((const char *)scratch, length, rules, jwt);
}

tg__token_verdict tg__jwt_read(const char *token, size_t size, const tg__jwt_rules *rules,
                               tg__jwt *jwt)
{
    uint8_t scratch[PAYLOAD_MAX];
    memset(jwt, 0, sizeof *jwt);
    jwt->not_before_s = INT64_MIN;
    const char *first = size <= TG__TOKEN_SIZE_MAX ? memchr(token, '.', size) : NULL;
    const size_t at = first != NULL ? (size_t)(first - token) : 0;
    const char *second = first != NULL ? memchr(first + 1, '.', size - at - 1) : NULL;
    if (second == NULL) {
        return TG__TOKEN_MALFORMED;
    }
    /* A third point is no digit of base64url. */
    jwt->signed_size = (size_t)(second - token);
    const tg__token_verdict verdict =
        read_parts(token, at, jwt->signed_size, size, rules, jwt, scratch);
    tg__wipe(scratch, sizeof scratch);
    return verdict;
}

tg__token_verdict tg__jwt_check_times(const tg__jwt *jwt, int64_t utc_s)
{
    if (tg__jwt_has_expired(&jwt->entitlement, utc_s)) {
        return TG__TOKEN_EXPIRED;
    }
    return jwt->not_before_s > utc_s + TG__JWT_SKEW_S ? TG__TOKEN_NOT_YET : TG__TOKEN_ADMITTED;
}

bool tg__jwt_has_expired(const tg__entitlement *entitlement, int64_t utc_s)
{
    return entitlement->expires_s != 0 && entitlement->expires_s + TG__JWT_SKEW_S <= utc_s;
}
