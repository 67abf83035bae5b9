#include "jwt_keys.h"

#include <stdlib.h>
#include <string.h>

#include <mbedtls/ecp.h>
#include <mbedtls/error.h>
#include <mbedtls/pk.h>
#include <mbedtls/psa_util.h>
#include <mbedtls/sha256.h>
#include <psa/crypto.h>

#include <tickglass/internal/control_flow.h>

#include "state_dir.h"

#define FILE_MAX   65536u
#define HASH_SIZE  32u
#define ES256_SIZE 64u
#define DER_MAX    80u
#define RSA_MIN    2048u
#define RSA_MAX    4096u
#define BEGIN      "-----BEGIN "
#define BEGIN_KEY  "-----BEGIN PUBLIC KEY-----"
#define END_KEY    "-----END PUBLIC KEY-----"
#define NAMES      "kid:"

typedef struct jwt_key {
    char kid[TG__KID_SIZE]; /* empty: none */
    tg__jwt_alg alg;
    mbedtls_pk_context pk;
} jwt_key;

struct tg__jwt_keys {
    uint32_t count;
    jwt_key keys[TG__JWT_KEYS_MAX];
};

/* Where in the file reading is. */
typedef struct key_file {
    const char *path;
    char *at;
    unsigned line;
    char kid[TG__KID_SIZE]; /* of the next key */
} key_file;

static tg_err bad_line(const key_file *file, tg__cause *cause, const char *why)
{
    return tg__cause_set(cause, TG_ERR_FORMAT, "%s:%u: %s", file->path, file->line, why);
}

static tg_err classify(const key_file *file, jwt_key *key, tg__cause *cause)
{
    const size_t bits = mbedtls_pk_get_bitlen(&key->pk);
    if (mbedtls_pk_get_type(&key->pk) == MBEDTLS_PK_RSA) {
        if (bits < RSA_MIN || bits > RSA_MAX) {
            return bad_line(file, cause, "an RSA key must have 2048 to 4096 bits");
        }
        key->alg = TG__JWT_RS256;
        return TG_OK;
    }
    if (mbedtls_pk_get_type(&key->pk) == MBEDTLS_PK_ECKEY &&
        mbedtls_ecp_keypair_get_group_id(mbedtls_pk_ec(key->pk)) == MBEDTLS_ECP_DP_SECP256R1) {
        key->alg = TG__JWT_ES256;
        return TG_OK;
    }
    return bad_line(file, cause, "is neither an RSA nor a P-256 key");
}

static tg_err add_key(tg__jwt_keys *keys, key_file *file, const char *pem, size_t size,
                      tg__cause *cause)
{
    if (keys->count == TG__JWT_KEYS_MAX) {
        return bad_line(file, cause, "more than 16 keys");
    }
    for (uint32_t i = 0; i < keys->count; i++) {
        if (file->kid[0] != '\0' && strcmp(keys->keys[i].kid, file->kid) == 0) {
            return bad_line(file, cause, "a key before it has the same kid");
        }
    }
    jwt_key *key = &keys->keys[keys->count++]; /* counted at once, so that closing frees it */
    mbedtls_pk_init(&key->pk);
    memcpy(key->kid, file->kid, sizeof key->kid);
    file->kid[0] = '\0';
    const int code = mbedtls_pk_parse_public_key(&key->pk, (const unsigned char *)pem, size);
    if (code != 0) {
        char text[128];
        mbedtls_strerror(code, text, sizeof text);
        return tg__cause_set(cause, TG_ERR_FORMAT,
                             "%s:%u: is not a key that this build can read (%s): RSA and P-256 are "
                             "supported, Ed25519 is not",
                             file->path, file->line, text);
    }
    return classify(file, key, cause);
}

static tg_err take_name(key_file *file, const char *line, tg__cause *cause)
{
    const char *name = line + sizeof NAMES - 1;
    name += strspn(name, " \t");
    const size_t length = strcspn(name, " \t");
    if (length == 0 || length >= sizeof file->kid || name[length + strspn(name + length, " \t")]) {
        return bad_line(file, cause, "a kid has 1 to 63 characters without space");
    }
    if (file->kid[0] != '\0') {
        return bad_line(file, cause, "the kid before it has no key");
    }
    memcpy(file->kid, name, length);
    file->kid[length] = '\0';
    return TG_OK;
}

/* Cuts off the next line in place; NULL at the end. */
static char *next_line(key_file *file)
{
    char *line = file->at;
    if (*line == '\0') {
        return NULL;
    }
    const size_t length = strcspn(line, "\n");
    file->at = line + length + (line[length] == '\n');
    line[length] = '\0';
    if (length > 0 && line[length - 1] == '\r') {
        line[length - 1] = '\0';
    }
    file->line++;
    return line;
}

/* The lines of a block, joined again: next_line() has cut them apart. */
static tg_err take_block(tg__jwt_keys *keys, key_file *file, const char *line, tg__cause *cause)
{
    char pem[2048];
    size_t size = 0;
    if (strcmp(line, BEGIN_KEY) != 0) {
        return bad_line(file, cause, "only PUBLIC KEY blocks belong here; no private key does");
    }
    while (line != NULL) {
        const size_t length = strlen(line);
        if (size + length + 2 > sizeof pem) {
            return bad_line(file, cause, "the key is longer than one can be");
        }
        memcpy(pem + size, line, length);
        pem[size + length] = '\n';
        size += length + 1;
        if (strcmp(line, END_KEY) == 0) {
            pem[size] = '\0';
            return add_key(keys, file, pem, size + 1, cause);
        }
        line = next_line(file);
    }
    return bad_line(file, cause, "the key has no end");
}

static tg_err read_keys(tg__jwt_keys *keys, key_file *file, tg__cause *cause)
{
    for (char *line = next_line(file); line != NULL; line = next_line(file)) {
        if (strncmp(line, BEGIN, sizeof BEGIN - 1) == 0) {
            TG_TRY(take_block(keys, file, line, cause));
        } else if (strncmp(line, NAMES, sizeof NAMES - 1) == 0) {
            TG_TRY(take_name(file, line, cause));
        } else if (line[0] != '\0' && line[0] != '#') {
            return bad_line(file, cause, "expected kid: NAME, # or " BEGIN_KEY);
        }
    }
    if (keys->count == 0 || file->kid[0] != '\0') {
        return bad_line(file, cause, "there is no key");
    }
    return TG_OK;
}

tg_err tg__jwt_keys_open(const char *path, tg__jwt_keys **out, tg__cause *cause)
{
    *out = NULL;
    char *text = malloc(FILE_MAX);
    tg__jwt_keys *keys = calloc(1, sizeof *keys);
    key_file file = {.path = path, .at = text};
    size_t size = 0;
    tg_err err = text != NULL && keys != NULL && psa_crypto_init() == PSA_SUCCESS
                     ? TG_OK
                     : tg__cause_set(cause, TG_ERR_NO_MEMORY, "no memory for the keys");
    if (err == TG_OK) {
        err = tg__file_read(path, text, FILE_MAX, &size, cause);
    }
    if (err == TG_OK) {
        err = read_keys(keys, &file, cause);
    }
    free(text);
    if (err != TG_OK) {
        tg__jwt_keys_close(keys);
        return err;
    }
    *out = keys;
    return TG_OK;
}

void tg__jwt_keys_close(tg__jwt_keys *keys)
{
    if (keys == NULL) {
        return;
    }
    for (uint32_t i = 0; i < keys->count; i++) {
        mbedtls_pk_free(&keys->keys[i].pk);
    }
    free(keys);
}

uint32_t tg__jwt_keys_count(const tg__jwt_keys *keys)
{
    return keys->count;
}

static bool fits(const jwt_key *key, const tg__jwt *jwt)
{
    return key->alg == jwt->alg &&
           (!jwt->has_kid || (jwt->kid[0] != '\0' && strcmp(key->kid, jwt->kid) == 0));
}

bool tg__jwt_keys_has(const tg__jwt_keys *keys, const tg__jwt *jwt)
{
    for (uint32_t i = 0; i < keys->count; i++) {
        if (fits(&keys->keys[i], jwt)) {
            return true;
        }
    }
    return false;
}

static bool verify_with(jwt_key *key, const uint8_t *hash, const tg__jwt *jwt)
{
    const unsigned char *signature = jwt->signature;
    size_t size = jwt->signature_size;
    unsigned char der[DER_MAX];
    if (key->alg == TG__JWT_ES256) {
        /* RFC 7518 3.4: r and s, 32 bytes each; mbedTLS wants them in ASN.1. */
        if (size != ES256_SIZE ||
            mbedtls_ecdsa_raw_to_der(256, signature, ES256_SIZE, der, sizeof der, &size) != 0) {
            return false;
        }
        signature = der;
    }
    return mbedtls_pk_verify(&key->pk, MBEDTLS_MD_SHA256, hash, HASH_SIZE, signature, size) == 0;
}

bool tg__jwt_keys_verify(tg__jwt_keys *keys, const char *token, const tg__jwt *jwt)
{
    uint8_t hash[HASH_SIZE];
    if (mbedtls_sha256((const unsigned char *)token, jwt->signed_size, hash, 0) != 0) {
        return false;
    }
    for (uint32_t i = 0; i < keys->count; i++) {
        if (fits(&keys->keys[i], jwt) && verify_with(&keys->keys[i], hash, jwt)) {
            return true;
        }
    }
    return false;
}
