#include "tls_random.h"

#include <stdbool.h>

#include <mbedtls/cipher.h>
#include <mbedtls/ctr_drbg.h>
#include <mbedtls/entropy.h>
#include <mbedtls/md.h>

typedef struct entropy_source {
    mbedtls_entropy_context entropy;
    int failure;
} entropy_source;

/* The generator has one code of its own for whatever befell the source. */
static int keep_failure(void *ctx, unsigned char *out, size_t size)
{
    entropy_source *source = ctx;
    source->failure = mbedtls_entropy_func(&source->entropy, out, size);
    return source->failure;
}

static bool is_want_of_memory(int failure)
{
    return failure == MBEDTLS_ERR_MD_ALLOC_FAILED || failure == MBEDTLS_ERR_CIPHER_ALLOC_FAILED;
}

tg_err tg__tls_random(uint64_t *out)
{
    static const char purpose[] = "tickglass jitter";
    entropy_source source = {.failure = 0};
    mbedtls_ctr_drbg_context generator;
    mbedtls_entropy_init(&source.entropy);
    mbedtls_ctr_drbg_init(&generator);
    int failure = mbedtls_ctr_drbg_seed(&generator, keep_failure, &source,
                                        (const unsigned char *)purpose, sizeof purpose - 1);
    if (failure == 0) {
        failure = mbedtls_ctr_drbg_random(&generator, (unsigned char *)out, sizeof *out);
    }
    mbedtls_ctr_drbg_free(&generator);
    mbedtls_entropy_free(&source.entropy);
    if (failure == 0) {
        return TG_OK;
    }
    *out = 0;
    return is_want_of_memory(failure) || is_want_of_memory(source.failure) ? TG_ERR_NO_MEMORY
                                                                           : TG_ERR_IO;
}
