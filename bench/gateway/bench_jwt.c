/*
 * bench_jwt [--json] [--quick]: what a token costs at the gateway's door, by algorithm.
 *
 *   verify_us  one signature, as on the verifier's thread
 *   cached_us  the whole answer about a token that was verified before, on the event loop
 *              (both in processor time)
 *   hit_rate   of so many tokens that come back nine times each, in random order
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <mbedtls/base64.h>
#include <mbedtls/ctr_drbg.h>
#include <mbedtls/ecp.h>
#include <mbedtls/entropy.h>
#include <mbedtls/pk.h>
#include <mbedtls/psa_util.h>
#include <mbedtls/rsa.h>
#include <mbedtls/sha256.h>
#include <psa/crypto.h>

#include "door.h"
#include "prng.h"
#include "samples.h"

enum {
    rounds = 101,
    asks_per_round = 1000,
    comings = 10, /* of a token: the first and nine returns */
    token_size = 1024,
    ec_tokens = 4096,
    rsa_tokens = 1024,
    known_tokens = 256 /* of which the cost of the cache is measured */
};

#define UTC_NS INT64_C(1800000000000000000)

typedef struct issuer {
    mbedtls_entropy_context entropy;
    mbedtls_ctr_drbg_context random;
    mbedtls_pk_context key;
    bool rsa;
} issuer;

typedef struct place {
    tg__bearer bearer;
    tg__directory directory;
    tg__jwt_keys *keys;
    tg__door *door;
    pthread_mutex_t lock;
    pthread_cond_t told;
    unsigned verdicts;
} place;

static bool json;
static bool quick; /* shows that it works: the fewest tokens that can be measured */

/* Of this thread: a verification is work, and a machine that does other work as well does not make
 * it more. */
static int64_t cpu_ns(void)
{
    struct timespec now = {0, 0};
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void require(bool holds, const char *what)
{
    if (!holds) {
        (void)fprintf(stderr, "bench_jwt: %s failed\n", what);
        exit(1);
    }
}

static void open_issuer(issuer *by, bool rsa)
{
    int code = 0;
    by->rsa = rsa;
    mbedtls_entropy_init(&by->entropy);
    mbedtls_ctr_drbg_init(&by->random);
    mbedtls_pk_init(&by->key);
    require(psa_crypto_init() == PSA_SUCCESS, "mbedTLS");
    require(mbedtls_ctr_drbg_seed(&by->random, mbedtls_entropy_func, &by->entropy, NULL, 0) == 0,
            "seeding");
    require(mbedtls_pk_setup(
                &by->key, mbedtls_pk_info_from_type(rsa ? MBEDTLS_PK_RSA : MBEDTLS_PK_ECKEY)) == 0,
            "a key");
    if (rsa) {
        code = mbedtls_rsa_gen_key(mbedtls_pk_rsa(by->key), mbedtls_ctr_drbg_random, &by->random,
                                   2048, 65537);
    } else {
        code = mbedtls_ecp_gen_key(MBEDTLS_ECP_DP_SECP256R1, mbedtls_pk_ec(by->key),
                                   mbedtls_ctr_drbg_random, &by->random);
    }
    require(code == 0, "a key");
}

static void close_issuer(issuer *by)
{
    mbedtls_pk_free(&by->key);
    mbedtls_ctr_drbg_free(&by->random);
    mbedtls_entropy_free(&by->entropy);
}

static void append64(char *token, const void *bytes, size_t size)
{
    char *out = token + strlen(token);
    size_t length = 0;
    require(mbedtls_base64_encode((unsigned char *)out, token_size - strlen(token), &length, bytes,
                                  size) == 0,
            "base64");
    for (size_t i = 0; i < length; i++) {
        out[i] = (char)(out[i] == '+' ? '-' : out[i] == '/' ? '_' : out[i]);
    }
    out[strcspn(out, "=")] = '\0';
}

static void sign(issuer *by, unsigned number, char *token)
{
    char claims[256];
    uint8_t hash[32];
    uint8_t signature[MBEDTLS_PK_SIGNATURE_MAX_SIZE];
    uint8_t raw[64];
    size_t size = 0;
    const char *header =
        by->rsa ? "{\"alg\":\"RS256\",\"kid\":\"k\"}" : "{\"alg\":\"ES256\",\"kid\":\"k\"}";
    (void)snprintf(claims, sizeof claims,
                   "{\"iss\":\"https://issuer.example\",\"aud\":\"tickglass\",\"sub\":\"desk-%u\","
                   "\"iat\":1799999000,\"exp\":1800028800,\"venues\":[\"ORION\",\"LYRA\"]}",
                   number);
    token[0] = '\0';
    append64(token, header, strlen(header));
    (void)strcat(token, ".");
    append64(token, claims, strlen(claims));
    require(mbedtls_sha256((const unsigned char *)token, strlen(token), hash, 0) == 0 &&
                mbedtls_pk_sign(&by->key, MBEDTLS_MD_SHA256, hash, sizeof hash, signature,
                                sizeof signature, &size, mbedtls_ctr_drbg_random, &by->random) == 0,
            "signing");
    (void)strcat(token, ".");
    if (!by->rsa) {
        require(mbedtls_ecdsa_der_to_raw(256, signature, size, raw, sizeof raw, &size) == 0,
                "signing");
    }
    append64(token, by->rsa ? signature : raw, size);
}

static void tell(void *ctx)
{
    place *p = ctx;
    (void)pthread_mutex_lock(&p->lock);
    p->verdicts++;
    (void)pthread_cond_signal(&p->told);
    (void)pthread_mutex_unlock(&p->lock);
}

static void load_keys(place *p, issuer *by)
{
    char path[] = "/tmp/tickglass-bench-XXXXXX";
    char text[2048] = "kid: k\n";
    tg__cause cause = {""};
    const int fd = mkstemp(path);
    require(fd >= 0 && mbedtls_pk_write_pubkey_pem(&by->key, (unsigned char *)text + 7,
                                                   sizeof text - 7) == 0,
            "writing the key");
    require(write(fd, text, strlen(text)) == (ssize_t)strlen(text) && close(fd) == 0,
            "writing the key");
    const tg_err err = tg__jwt_keys_open(path, &p->keys, &cause);
    (void)unlink(path);
    require(err == TG_OK, cause.text);
}

static void open_place(place *p, issuer *by)
{
    static const char *const venues[] = {"ORION", "LYRA", "VEGA"};
    memset(p, 0, sizeof *p);
    (void)pthread_mutex_init(&p->lock, NULL);
    (void)pthread_cond_init(&p->told, NULL);
    p->bearer.size = 64;
    memset(p->bearer.token, 'x', 64);
    tg__directory_init(&p->directory);
    for (size_t i = 0; i < 3; i++) {
        tg_venue_id id = 0;
        require(tg__directory_venue(&p->directory, venues[i], &id) == TG_OK, "a venue");
    }
    load_keys(p, by);
    const tg__door_options options = {.bearer = &p->bearer,
                                      .directory = &p->directory,
                                      .keys = p->keys,
                                      .issuer = "https://issuer.example",
                                      .audience = "tickglass",
                                      .wake = tell,
                                      .ctx = p};
    require(tg__door_open(&options, &p->door) == TG_OK, "the door");
}

static void close_place(place *p)
{
    tg__door_close(p->door);
    tg__jwt_keys_close(p->keys);
    tg__directory_deinit(&p->directory);
    (void)pthread_cond_destroy(&p->told);
    (void)pthread_mutex_destroy(&p->lock);
}

/* The thread has nothing to do yet: the keys are free. */
static double verify_us(place *p, const char *tokens, unsigned count)
{
    const tg__jwt_rules rules = {.directory = &p->directory};
    samples taken = {.count = 0};
    for (unsigned i = 0; i < rounds; i++) {
        const char *token = tokens + (size_t)(i % count) * token_size;
        tg__jwt jwt;
        require(tg__jwt_read(token, strlen(token), &rules, &jwt) == TG__TOKEN_ADMITTED, "reading");
        const int64_t start_ns = cpu_ns();
        const bool good = tg__jwt_keys_verify(p->keys, token, &jwt);
        samples_add(&taken, (double)(cpu_ns() - start_ns) / 1e3);
        require(good, "verifying");
    }
    return samples_median(&taken);
}

static void come(place *p, const char *token)
{
    (void)pthread_mutex_lock(&p->lock);
    const unsigned before = p->verdicts;
    (void)pthread_mutex_unlock(&p->lock);
    tg__door_answer answer = tg__door_ask(p->door, token, strlen(token), UTC_NS);
    if (answer.ticket != 0) {
        void *owner = NULL;
        (void)pthread_mutex_lock(&p->lock);
        while (p->verdicts == before) {
            (void)pthread_cond_wait(&p->told, &p->lock);
        }
        (void)pthread_mutex_unlock(&p->lock);
        require(tg__door_next(p->door, UTC_NS, &owner, &answer), "a verdict");
    }
    require(answer.verdict == TG__TOKEN_ADMITTED, tg__token_verdict_text(answer.verdict));
}

static double hit_rate(place *p, const char *tokens, unsigned count)
{
    tg__prng prng = {1};
    for (unsigned i = 0; i < count; i++) {
        come(p, tokens + (size_t)i * token_size);
    }
    for (unsigned i = 0; i < count * (comings - 1); i++) {
        come(p, tokens + (size_t)tg__prng_below(&prng, count) * token_size);
    }
    const tg__door_counts *counts = tg__door_counts_of(p->door);
    return (double)counts->hits / (double)(counts->hits + counts->misses);
}

static double cached_us(place *p, const char *tokens)
{
    samples taken = {.count = 0};
    for (unsigned i = 0; i < known_tokens; i++) {
        come(p, tokens + (size_t)i * token_size); /* those that the others have driven out */
    }
    for (unsigned i = 0; i < rounds; i++) {
        const int64_t start_ns = cpu_ns();
        for (unsigned k = 0; k < asks_per_round; k++) {
            const char *token = tokens + (size_t)(k % known_tokens) * token_size;
            const tg__door_answer answer = tg__door_ask(p->door, token, strlen(token), UTC_NS);
            require(answer.verdict == TG__TOKEN_ADMITTED, tg__token_verdict_text(answer.verdict));
        }
        samples_add(&taken, (double)(cpu_ns() - start_ns) / 1e3 / asks_per_round);
    }
    return samples_median(&taken);
}

static void measure(bool rsa)
{
    const unsigned count = quick ? known_tokens : rsa ? rsa_tokens : ec_tokens;
    const char *alg = rsa ? "RS256" : "ES256";
    char *tokens = malloc((size_t)count * token_size);
    issuer by;
    place p;
    require(tokens != NULL, "memory");
    open_issuer(&by, rsa);
    for (unsigned i = 0; i < count; i++) {
        sign(&by, i, tokens + (size_t)i * token_size);
    }
    open_place(&p, &by);
    const double verify = verify_us(&p, tokens, count);
    const double rate = hit_rate(&p, tokens, count);
    const double cached = cached_us(&p, tokens);
    if (json) {
        (void)printf("{\"bench\":\"gateway.jwt\",\"alg\":\"%s\",\"verify_us\":%.1f,"
                     "\"cached_us\":%.3f,\"hit_rate\":%.4f,\"tokens\":%u}\n",
                     alg, verify, cached, rate, count);
    } else {
        (void)printf("%s: verify %.1f us, cached %.3f us, hit rate %.4f with %u tokens\n", alg,
                     verify, cached, rate, count);
    }
    close_place(&p);
    close_issuer(&by);
    free(tokens);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        json = json || strcmp(argv[i], "--json") == 0;
        quick = quick || strcmp(argv[i], "--quick") == 0;
        if (strcmp(argv[i], "--json") != 0 && strcmp(argv[i], "--quick") != 0) {
            (void)fputs("bench_jwt [--json] [--quick]\n", stderr);
            return 2;
        }
    }
    measure(false);
    measure(true);
    return 0;
}
