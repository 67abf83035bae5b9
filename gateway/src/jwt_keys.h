/**
 * The public keys that tokens are verified with; parsed once.
 *
 * A file of PEM blocks "PUBLIC KEY": P-256 for ES256, RSA of 2,048 to 4,096 bits for RS256. A line
 * "kid: NAME" before a block names that key; lines that are empty or begin with # are skipped, any
 * other line is an error. A token with a kid is verified with the key of that name alone; one
 * without, with each key of its algorithm.
 */
#ifndef TG_GATEWAY_JWT_KEYS_H
#define TG_GATEWAY_JWT_KEYS_H

#include "cause.h"
#include "jwt.h"

#define TG__JWT_KEYS_MAX 16u /* so many verifications can one token cost */

typedef struct tg__jwt_keys tg__jwt_keys;

/* TG_ERR_NOT_FOUND, TG_ERR_IO; TG_ERR_FORMAT: cause names file, line and why; TG_ERR_NO_MEMORY. */
TG_MUST_CHECK tg_err tg__jwt_keys_open(const char *path, tg__jwt_keys **out, tg__cause *cause);
void tg__jwt_keys_close(tg__jwt_keys *keys); /* NULL is allowed */

uint32_t tg__jwt_keys_count(const tg__jwt_keys *keys);

/* Some key fits the token's alg and kid. Any thread. */
bool tg__jwt_keys_has(const tg__jwt_keys *keys, const tg__jwt *jwt);

/* The signature is that of one of these. One thread at a time: mbedTLS keeps state in an RSA key.
 */
bool tg__jwt_keys_verify(tg__jwt_keys *keys, const char *token, const tg__jwt *jwt);

#endif
