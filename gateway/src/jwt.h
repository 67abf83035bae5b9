/**
 * What a JSON Web Token says (RFC 7515, 7519, compact form), without its signature being looked at:
 * enough to refuse most bad ones at once, and nothing to admit one.
 *
 * ES256 and RS256 alone. "none" and the HMAC family are refused: a public key is no secret to
 * share. EdDSA is refused, because the pinned mbedTLS has no Ed25519. Claims: exp (wanted), nbf,
 * iss and aud (compared where the gateway was told to), sub, venues (an array of venue names, "*"
 * for all; absent: all). A claim of these that stands twice, or is of another type, makes the token
 * malformed; others are not looked at, save that they must be JSON of little depth.
 */
#ifndef TG_GATEWAY_JWT_H
#define TG_GATEWAY_JWT_H

#include "directory.h"
#include "entitlement.h"

#define TG__KID_SIZE          64u
#define TG__JWT_SIGNATURE_MAX 512u /* RSA with 4,096 bits */
#define TG__JWT_SKEW_S        30   /* by which two clocks may differ, for exp and nbf */

typedef enum tg__token_verdict {
    TG__TOKEN_ADMITTED,
    TG__TOKEN_NOT_OURS, /* not the gateway's own, and there are no keys for others */
    TG__TOKEN_MALFORMED,
    TG__TOKEN_ALGORITHM,
    TG__TOKEN_UNKNOWN_KEY,
    TG__TOKEN_SIGNATURE,
    TG__TOKEN_EXPIRED,
    TG__TOKEN_NOT_YET,
    TG__TOKEN_ISSUER,
    TG__TOKEN_AUDIENCE,
    TG__TOKEN_NO_VENUE,
    TG__TOKEN_BUSY, /* too many wait to be verified */
    TG__TOKEN_VERDICT_COUNT
} tg__token_verdict;

/* For the log; says nothing of the token itself. */
const char *tg__token_verdict_text(tg__token_verdict verdict);

typedef enum tg__jwt_alg {
    TG__JWT_ES256,
    TG__JWT_RS256
} tg__jwt_alg;

typedef struct tg__jwt_rules {
    const tg__directory *directory; /* whose venues are meant */
    const char *issuer;             /* NULL: any */
    const char *audience;           /* NULL: any */
} tg__jwt_rules;

typedef struct tg__jwt {
    tg__jwt_alg alg;
    bool has_kid;
    char kid[TG__KID_SIZE];
    size_t signed_size; /* so many bytes of the token, from its start, are signed */
    size_t signature_size;
    uint8_t signature[TG__JWT_SIGNATURE_MAX];
    int64_t not_before_s; /* INT64_MIN: not said */
    tg__entitlement entitlement;
} tg__jwt;

/* Times and signature are the caller's to check. Not TG__TOKEN_ADMITTED: *jwt must not be used. */
tg__token_verdict tg__jwt_read(const char *token, size_t size, const tg__jwt_rules *rules,
                               tg__jwt *jwt);

tg__token_verdict tg__jwt_check_times(const tg__jwt *jwt, int64_t utc_s);

/* Of a token that was in time once. */
bool tg__jwt_has_expired(const tg__entitlement *entitlement, int64_t utc_s);

#endif
