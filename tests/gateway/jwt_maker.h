/* An issuer of tokens for tests: keys of its own, and any header and claims signed with them. */
#ifndef TG_TESTS_JWT_MAKER_H
#define TG_TESTS_JWT_MAKER_H

#include <stdbool.h>
#include <stddef.h>

#include <mbedtls/ctr_drbg.h>
#include <mbedtls/entropy.h>
#include <mbedtls/pk.h>

#define JWT_MAKER_TOKEN_SIZE 16384

typedef struct jwt_maker {
    mbedtls_entropy_context entropy;
    mbedtls_ctr_drbg_context random;
    mbedtls_pk_context ec;    /* kid "desk-ec" */
    mbedtls_pk_context rsa;   /* kid "desk-rsa" */
    mbedtls_pk_context other; /* P-256 that no gateway knows */
    char token[JWT_MAKER_TOKEN_SIZE];
} jwt_maker;

void jwt_maker_open(jwt_maker *maker);
void jwt_maker_close(jwt_maker *maker);

/* The public key as PEM; returns out. */
const char *jwt_maker_pem(mbedtls_pk_context *key, char *out, size_t size);

/* A file for --jwt-keys with ec and rsa. */
void jwt_maker_keys(jwt_maker *maker, char *out, size_t size);

/* A token in maker->token, signed as the type of key demands. */
const char *jwt_maker_sign(jwt_maker *maker, mbedtls_pk_context *key, const char *header,
                           const char *claims);
/* The usual one: ES256 with kid, or RS256. */
const char *jwt_maker_es256(jwt_maker *maker, const char *claims);
const char *jwt_maker_rs256(jwt_maker *maker, const char *claims);
/* HS256 with that secret, as one does who takes the public key for it. */
const char *jwt_maker_hs256(jwt_maker *maker, const char *secret, const char *claims);
/* Three parts as given, the first two encoded; the signature is text. */
const char *jwt_maker_join(jwt_maker *maker, const char *header, const char *claims,
                           const char *signature);

#endif
