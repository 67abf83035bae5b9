/** The host's own TLS is another mbedTLS (2.28): client and server joined by two byte queues. */
#include "exchange.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <mbedtls/ctr_drbg.h>
#include <mbedtls/ecp.h>
#include <mbedtls/entropy.h>
#include <mbedtls/pk.h>
#include <mbedtls/ssl.h>
#include <mbedtls/version.h>
#include <mbedtls/x509_crt.h>

#define BLOCK_SIZE 40000

struct queue {
    unsigned char bytes[65536];
    size_t head;
    size_t tail;
};

struct wire {
    struct queue *out;
    struct queue *in;
};

struct ends {
    mbedtls_entropy_context entropy;
    mbedtls_ctr_drbg_context random;
    mbedtls_pk_context key;
    mbedtls_x509_crt certificate;
    mbedtls_ssl_config config[2];
    mbedtls_ssl_context end[2]; /* 0: client, 1: server */
    struct queue queue[2];
    struct wire wire[2];
};

const char *guest_exchange_library(void)
{
    static char text[32];
    mbedtls_version_get_string_full(text);
    return text;
}

static int wire_send(void *ctx, const unsigned char *bytes, size_t size)
{
    struct queue *q = ((struct wire *)ctx)->out;
    if (q->head == q->tail) {
        q->head = q->tail = 0;
    }
    const size_t room = sizeof q->bytes - q->tail;
    const size_t taken = size < room ? size : room;
    if (taken == 0) {
        return MBEDTLS_ERR_SSL_WANT_WRITE;
    }
    memcpy(q->bytes + q->tail, bytes, taken);
    q->tail += taken;
    return (int)taken;
}

static int wire_receive(void *ctx, unsigned char *bytes, size_t size)
{
    struct queue *q = ((struct wire *)ctx)->in;
    const size_t ready = q->tail - q->head;
    const size_t given = size < ready ? size : ready;
    if (given == 0) {
        return MBEDTLS_ERR_SSL_WANT_READ;
    }
    memcpy(bytes, q->bytes + q->head, given);
    q->head += given;
    return (int)given;
}

static int certificate_make(struct ends *e)
{
    unsigned char der[2048];
    mbedtls_mpi serial;
    mbedtls_x509write_cert request;
    mbedtls_mpi_init(&serial);
    mbedtls_x509write_crt_init(&request);
    int result = mbedtls_pk_setup(&e->key, mbedtls_pk_info_from_type(MBEDTLS_PK_ECKEY));
    if (result == 0) {
        result = mbedtls_ecp_gen_key(MBEDTLS_ECP_DP_SECP256R1, mbedtls_pk_ec(e->key),
                                     mbedtls_ctr_drbg_random, &e->random);
    }
    mbedtls_x509write_crt_set_version(&request, MBEDTLS_X509_CRT_VERSION_3);
    mbedtls_x509write_crt_set_md_alg(&request, MBEDTLS_MD_SHA256);
    mbedtls_x509write_crt_set_subject_key(&request, &e->key);
    mbedtls_x509write_crt_set_issuer_key(&request, &e->key);
    if (result == 0) {
        result = mbedtls_mpi_lset(&serial, 1);
    }
    if (result == 0) {
        result = mbedtls_x509write_crt_set_serial(&request, &serial);
    }
    if (result == 0) {
        result = mbedtls_x509write_crt_set_subject_name(&request, "CN=host");
    }
    if (result == 0) {
        result = mbedtls_x509write_crt_set_issuer_name(&request, "CN=host");
    }
    if (result == 0) {
        result = mbedtls_x509write_crt_set_validity(&request, "20200101000000", "20991231235959");
    }
    if (result == 0) {
        result = mbedtls_x509write_crt_der(&request, der, sizeof der, mbedtls_ctr_drbg_random,
                                           &e->random);
    }
    if (result > 0) { /* the certificate stands at the end of the buffer */
        result =
            mbedtls_x509_crt_parse_der(&e->certificate, der + sizeof der - result, (size_t)result);
    }
    mbedtls_x509write_crt_free(&request);
    mbedtls_mpi_free(&serial);
    return result;
}

static int end_make(struct ends *e, int i)
{
    mbedtls_ssl_config *config = &e->config[i];
    int result =
        mbedtls_ssl_config_defaults(config, i == 0 ? MBEDTLS_SSL_IS_CLIENT : MBEDTLS_SSL_IS_SERVER,
                                    MBEDTLS_SSL_TRANSPORT_STREAM, MBEDTLS_SSL_PRESET_DEFAULT);
    if (result == 0 && i == 1) {
        result = mbedtls_ssl_conf_own_cert(config, &e->certificate, &e->key);
    }
    mbedtls_ssl_conf_rng(config, mbedtls_ctr_drbg_random, &e->random);
    if (i == 0) {
        mbedtls_ssl_conf_authmode(config, MBEDTLS_SSL_VERIFY_REQUIRED);
        mbedtls_ssl_conf_ca_chain(config, &e->certificate, NULL);
    }
    if (result == 0) {
        result = mbedtls_ssl_setup(&e->end[i], config);
    }
    if (result == 0 && i == 0) {
        result = mbedtls_ssl_set_hostname(&e->end[i], "host");
    }
    e->wire[i] = (struct wire){&e->queue[i], &e->queue[1 - i]};
    mbedtls_ssl_set_bio(&e->end[i], &e->wire[i], wire_send, wire_receive, NULL);
    return result;
}

static int handshake(struct ends *e)
{
    int result[2] = {MBEDTLS_ERR_SSL_WANT_READ, MBEDTLS_ERR_SSL_WANT_READ};
    for (int round = 0; round < 100 && (result[0] != 0 || result[1] != 0); round++) {
        for (int i = 0; i < 2; i++) {
            result[i] = result[i] == 0 ? 0 : mbedtls_ssl_handshake(&e->end[i]);
            if (result[i] != 0 && result[i] != MBEDTLS_ERR_SSL_WANT_READ &&
                result[i] != MBEDTLS_ERR_SSL_WANT_WRITE) {
                return result[i];
            }
        }
    }
    return result[0] != 0 ? result[0] : result[1];
}

static bool send_block(mbedtls_ssl_context *from, mbedtls_ssl_context *to, unsigned char seed)
{
    static unsigned char sent[BLOCK_SIZE];
    static unsigned char got[BLOCK_SIZE];
    size_t written = 0;
    size_t read = 0;
    for (size_t i = 0; i < sizeof sent; i++) {
        sent[i] = (unsigned char)(seed + i * 31);
    }
    for (int round = 0; round < 1000 && read < sizeof got; round++) {
        const size_t left = sizeof sent - written;
        const int out = left == 0 ? 0 : mbedtls_ssl_write(from, sent + written, left);
        written += out > 0 ? (size_t)out : 0;
        const int in = mbedtls_ssl_read(to, got + read, sizeof got - read);
        read += in > 0 ? (size_t)in : 0;
    }
    return read == sizeof got && memcmp(sent, got, sizeof got) == 0;
}

static void ends_init(struct ends *e)
{
    memset(e, 0, sizeof *e);
    mbedtls_entropy_init(&e->entropy);
    mbedtls_ctr_drbg_init(&e->random);
    mbedtls_pk_init(&e->key);
    mbedtls_x509_crt_init(&e->certificate);
    for (int i = 0; i < 2; i++) {
        mbedtls_ssl_config_init(&e->config[i]);
        mbedtls_ssl_init(&e->end[i]);
    }
}

static void ends_deinit(struct ends *e)
{
    for (int i = 0; i < 2; i++) {
        mbedtls_ssl_free(&e->end[i]);
        mbedtls_ssl_config_free(&e->config[i]);
    }
    mbedtls_x509_crt_free(&e->certificate);
    mbedtls_pk_free(&e->key);
    mbedtls_ctr_drbg_free(&e->random);
    mbedtls_entropy_free(&e->entropy);
}

int guest_exchange(char *why, size_t size)
{
    static struct ends e;
    ends_init(&e);
    const char *step = "random";
    int result = mbedtls_ctr_drbg_seed(&e.random, mbedtls_entropy_func, &e.entropy, NULL, 0);
    if (result == 0) {
        step = "certificate";
        result = certificate_make(&e);
    }
    for (int i = 0; i < 2 && result == 0; i++) {
        step = "contexts";
        result = end_make(&e, i);
    }
    if (result == 0) {
        step = "handshake";
        result = handshake(&e);
    }
    if (result == 0 &&
        (!send_block(&e.end[0], &e.end[1], 1) || !send_block(&e.end[1], &e.end[0], 2))) {
        step = "data";
        result = -1;
    }
    if (result != 0) {
        (void)snprintf(why, size, "mbedTLS %s: -0x%04x", step, (unsigned int)-result);
    }
    ends_deinit(&e);
    return result == 0 ? 0 : -1;
}
