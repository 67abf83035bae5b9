/** The host's own TLS is OpenSSL: client and server joined by a pair of memory buffers. */
#include "exchange.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <openssl/err.h>
#include <openssl/ssl.h>

#include "openssl_certificate.h"

#define BLOCK_SIZE 40000

struct ends {
    EVP_PKEY *key;
    X509 *certificate;
    SSL_CTX *context[2];
    SSL *end[2]; /* 0: client, 1: server */
};

const char *guest_exchange_library(void)
{
    return OpenSSL_version(OPENSSL_VERSION);
}

static bool ends_make(struct ends *e)
{
    e->context[0] = SSL_CTX_new(TLS_client_method());
    e->context[1] = SSL_CTX_new(TLS_server_method());
    if (e->context[0] == NULL || e->context[1] == NULL ||
        SSL_CTX_use_certificate(e->context[1], e->certificate) != 1 ||
        SSL_CTX_use_PrivateKey(e->context[1], e->key) != 1 ||
        X509_STORE_add_cert(SSL_CTX_get_cert_store(e->context[0]), e->certificate) != 1) {
        return false;
    }
    SSL_CTX_set_verify(e->context[0], SSL_VERIFY_PEER, NULL);
    BIO *near = NULL;
    BIO *far = NULL;
    if (BIO_new_bio_pair(&near, 0, &far, 0) != 1) {
        return false;
    }
    e->end[0] = SSL_new(e->context[0]);
    e->end[1] = SSL_new(e->context[1]);
    if (e->end[0] == NULL || e->end[1] == NULL || SSL_set1_host(e->end[0], "host") != 1) {
        return false;
    }
    SSL_set_bio(e->end[0], near, near);
    SSL_set_bio(e->end[1], far, far);
    SSL_set_connect_state(e->end[0]);
    SSL_set_accept_state(e->end[1]);
    return true;
}

static bool handshake(struct ends *e)
{
    for (int round = 0; round < 100; round++) {
        int done = 0;
        for (int i = 0; i < 2; i++) {
            const int result = SSL_do_handshake(e->end[i]);
            const int error = SSL_get_error(e->end[i], result);
            if (result != 1 && error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE) {
                return false;
            }
            done += result == 1;
        }
        if (done == 2) {
            return true;
        }
    }
    return false;
}

static bool send_block(SSL *from, SSL *to, unsigned char seed)
{
    static unsigned char sent[BLOCK_SIZE];
    static unsigned char got[BLOCK_SIZE];
    size_t written = 0;
    size_t read = 0;
    for (size_t i = 0; i < sizeof sent; i++) {
        sent[i] = (unsigned char)(seed + i * 31);
    }
    for (int round = 0; round < 1000 && read < sizeof got; round++) {
        size_t n = 0;
        const size_t left = sizeof sent - written;
        if (left > 0 && SSL_write_ex(from, sent + written, left < 4096 ? left : 4096, &n) == 1) {
            written += n;
        }
        if (SSL_read_ex(to, got + read, sizeof got - read, &n) == 1) {
            read += n;
        }
    }
    return read == sizeof got && memcmp(sent, got, sizeof got) == 0;
}

static void ends_close(struct ends *e)
{
    for (int i = 0; i < 2; i++) {
        SSL_free(e->end[i]);
        SSL_CTX_free(e->context[i]);
    }
    X509_free(e->certificate);
    EVP_PKEY_free(e->key);
}

int guest_exchange(char *why, size_t size)
{
    struct ends e = {0};
    const char *failed = NULL;
    if (!guest_certificate_make("host", &e.key, &e.certificate)) {
        failed = "certificate";
    } else if (!ends_make(&e)) {
        failed = "contexts";
    } else if (!handshake(&e)) {
        failed = "handshake";
    } else if (!send_block(e.end[0], e.end[1], 1) || !send_block(e.end[1], e.end[0], 2)) {
        failed = "data";
    }
    if (failed != NULL) {
        const char *reason = ERR_reason_error_string(ERR_get_error());
        (void)snprintf(why, size, "OpenSSL %s: %s", failed, reason != NULL ? reason : "no reason");
    }
    ends_close(&e);
    return failed == NULL ? 0 : -1;
}
