#include "tg_cmocka.h"

#include "jwt_maker.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <mbedtls/base64.h>
#include <mbedtls/ecp.h>
#include <mbedtls/md.h>
#include <mbedtls/psa_util.h>
#include <mbedtls/rsa.h>
#include <mbedtls/sha256.h>
#include <psa/crypto.h>

static void make_ec(jwt_maker *maker, mbedtls_pk_context *key)
{
    assert_int_equal(mbedtls_pk_setup(key, mbedtls_pk_info_from_type(MBEDTLS_PK_ECKEY)), 0);
    assert_int_equal(mbedtls_ecp_gen_key(MBEDTLS_ECP_DP_SECP256R1, mbedtls_pk_ec(*key),
                                         mbedtls_ctr_drbg_random, &maker->random),
                     0);
}

void jwt_maker_open(jwt_maker *maker)
{
    memset(maker, 0, sizeof *maker);
    mbedtls_entropy_init(&maker->entropy);
    mbedtls_ctr_drbg_init(&maker->random);
    mbedtls_pk_init(&maker->ec);
    mbedtls_pk_init(&maker->rsa);
    mbedtls_pk_init(&maker->other);
    assert_int_equal(psa_crypto_init(), PSA_SUCCESS);
    assert_int_equal(
        mbedtls_ctr_drbg_seed(&maker->random, mbedtls_entropy_func, &maker->entropy, NULL, 0), 0);
    make_ec(maker, &maker->ec);
    make_ec(maker, &maker->other);
    assert_int_equal(mbedtls_pk_setup(&maker->rsa, mbedtls_pk_info_from_type(MBEDTLS_PK_RSA)), 0);
    assert_int_equal(mbedtls_rsa_gen_key(mbedtls_pk_rsa(maker->rsa), mbedtls_ctr_drbg_random,
                                         &maker->random, 2048, 65537),
                     0);
}

void jwt_maker_close(jwt_maker *maker)
{
    mbedtls_pk_free(&maker->ec);
    mbedtls_pk_free(&maker->rsa);
    mbedtls_pk_free(&maker->other);
    mbedtls_ctr_drbg_free(&maker->random);
    mbedtls_entropy_free(&maker->entropy);
}

const char *jwt_maker_pem(mbedtls_pk_context *key, char *out, size_t size)
{
    assert_int_equal(mbedtls_pk_write_pubkey_pem(key, (unsigned char *)out, size), 0);
    return out;
}

void jwt_maker_keys(jwt_maker *maker, char *out, size_t size)
{
    char ec[1024];
    char rsa[1024];
    const int length = snprintf(
        out, size, "# the desk's issuer\nkid: desk-ec\n%s\nkid: desk-rsa\n%s",
        jwt_maker_pem(&maker->ec, ec, sizeof ec), jwt_maker_pem(&maker->rsa, rsa, sizeof rsa));
    assert_true(length > 0 && (size_t)length < size);
}

static void append64(char *token, const void *bytes, size_t size)
{
    char *out = token + strlen(token);
    const size_t room = JWT_MAKER_TOKEN_SIZE - strlen(token);
    size_t length = 0;
    assert_int_equal(mbedtls_base64_encode((unsigned char *)out, room, &length, bytes, size), 0);
    for (size_t i = 0; i < length; i++) {
        out[i] = (char)(out[i] == '+' ? '-' : out[i] == '/' ? '_' : out[i]);
    }
    out[strcspn(out, "=")] = '\0';
}

static void begin(jwt_maker *maker, const char *header, const char *claims)
{
    maker->token[0] = '\0';
    append64(maker->token, header, strlen(header));
    strcat(maker->token, ".");
    append64(maker->token, claims, strlen(claims));
}

const char *jwt_maker_join(jwt_maker *maker, const char *header, const char *claims,
                           const char *signature)
{
    begin(maker, header, claims);
    strcat(maker->token, ".");
    strcat(maker->token, signature);
    return maker->token;
}

const char *jwt_maker_sign(jwt_maker *maker, mbedtls_pk_context *key, const char *header,
                           const char *claims)
{
    uint8_t hash[32];
    uint8_t signature[MBEDTLS_PK_SIGNATURE_MAX_SIZE];
    uint8_t raw[64];
    size_t size = 0;
    begin(maker, header, claims);
    assert_int_equal(
        mbedtls_sha256((const unsigned char *)maker->token, strlen(maker->token), hash, 0), 0);
    assert_int_equal(mbedtls_pk_sign(key, MBEDTLS_MD_SHA256, hash, sizeof hash, signature,
                                     sizeof signature, &size, mbedtls_ctr_drbg_random,
                                     &maker->random),
                     0);
    strcat(maker->token, ".");
    if (mbedtls_pk_get_type(key) == MBEDTLS_PK_RSA) {
        append64(maker->token, signature, size);
        return maker->token;
    }
    size_t raw_size = 0;
    assert_int_equal(mbedtls_ecdsa_der_to_raw(256, signature, size, raw, sizeof raw, &raw_size), 0);
    append64(maker->token, raw, raw_size);
    return maker->token;
}

const char *jwt_maker_es256(jwt_maker *maker, const char *claims)
{
    return jwt_maker_sign(maker, &maker->ec,
                          "{\"alg\":\"ES256\",\"typ\":\"JWT\",\"kid\":\"desk-ec\"}", claims);
}

const char *jwt_maker_rs256(jwt_maker *maker, const char *claims)
{
    return jwt_maker_sign(maker, &maker->rsa, "{\"alg\":\"RS256\",\"kid\":\"desk-rsa\"}", claims);
}

const char *jwt_maker_hs256(jwt_maker *maker, const char *secret, const char *claims)
{
    uint8_t mac[32];
    begin(maker, "{\"alg\":\"HS256\",\"kid\":\"desk-ec\"}", claims);
    assert_int_equal(mbedtls_md_hmac(mbedtls_md_info_from_type(MBEDTLS_MD_SHA256),
                                     (const unsigned char *)secret, strlen(secret),
                                     (const unsigned char *)maker->token, strlen(maker->token),
                                     mac),
                     0);
    strcat(maker->token, ".");
    append64(maker->token, mac, sizeof mac);
    return maker->token;
}
