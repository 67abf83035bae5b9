#include "tls_trust.h"

#include <stdbool.h>
#include <stdio.h>

#include <mbedtls/error.h>
#include <mbedtls/net_sockets.h>
#include <mbedtls/platform_util.h>
#include <mbedtls/ssl.h>
#include <mbedtls/version.h>
#include <mbedtls/x509_crt.h>

#include <tickglass/internal/control_flow.h>

#include "tls_pem.h"

static const char *const system_stores[] = {
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/ssl/cert.pem",
};

static const char *first_readable(void)
{
    for (size_t i = 0; i < sizeof system_stores / sizeof system_stores[0]; i++) {
        FILE *file = fopen(system_stores[i], "rbe");
        if (file != NULL) {
            (void)fclose(file);
            return system_stores[i];
        }
    }
    return NULL;
}

tg_err tg__trust_load(const char *ca_file, char **out, size_t *out_size, char *why, size_t why_size)
{
    *out = NULL;
    const char *path = ca_file != NULL ? ca_file : first_readable();
    if (path == NULL) {
        (void)snprintf(why, why_size, "this system has no trust store: name a ca_file");
        return TG_ERR_CERTIFICATE;
    }
    size_t size = 0;
    unsigned char *bytes = NULL;
    TG_TRY(tg__pem_read(path, &bytes, &size, why, why_size));
    mbedtls_x509_crt chain;
    mbedtls_x509_crt_init(&chain);
    /* Over 0: so many did not parse. PEM wants the terminator to be counted. */
    const int result = mbedtls_x509_crt_parse(&chain, bytes, size + 1);
    tg_err err = TG_ERR_CERTIFICATE;
    if (chain.raw.p == NULL) {
        char reason[128] = "no PEM certificate in it";
        if (result < 0) {
            tg__tls_error_text(result, reason, sizeof reason);
        }
        (void)snprintf(why, why_size, "%s holds no certificate: %s", path, reason);
    } else {
        err = tg__pem_write(&chain, out, out_size);
    }
    mbedtls_x509_crt_free(&chain);
    tg__pem_free(bytes, size);
    return err;
}

typedef struct flag_row {
    uint32_t flag;
    const char *text;
} flag_row;

/* clang-format off */
static const flag_row flag_rows[] = {
    {MBEDTLS_X509_BADCERT_NOT_TRUSTED,   "it is not signed by an authority that this client trusts"},
    {MBEDTLS_X509_BADCERT_CN_MISMATCH,   "it is for another host"},
    {MBEDTLS_X509_BADCERT_EXPIRED,       "it has expired"},
    {MBEDTLS_X509_BADCERT_FUTURE,        "it is not valid yet"},
    {MBEDTLS_X509_BADCERT_REVOKED,       "it was revoked"},
    {MBEDTLS_X509_BADCERT_MISSING,       "it is missing"},
    {MBEDTLS_X509_BADCERT_KEY_USAGE,     "its key usage does not allow this"},
    {MBEDTLS_X509_BADCERT_EXT_KEY_USAGE, "its extended key usage does not allow this"},
    {MBEDTLS_X509_BADCERT_NS_CERT_TYPE,  "its type does not allow this"},
    {MBEDTLS_X509_BADCERT_BAD_MD,        "its hash is too weak"},
    {MBEDTLS_X509_BADCERT_BAD_PK,        "its kind of key is not accepted"},
    {MBEDTLS_X509_BADCERT_BAD_KEY,       "its key is too weak"},
};
/* clang-format on */

void tg__trust_explain(uint32_t verify_flags, const char *host, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "certificate of %s", host);
    bool any = false;
    for (size_t i = 0; i < sizeof flag_rows / sizeof flag_rows[0] && used < size; i++) {
        if ((verify_flags & flag_rows[i].flag) != 0) {
            used += (size_t)snprintf(text + used, size - used, "%s %s", any ? ";" : ":",
                                     flag_rows[i].text);
            any = true;
        }
    }
    if (!any && used < size) {
        (void)snprintf(text + used, size - used, ": verify flags 0x%08lx",
                       (unsigned long)verify_flags);
    }
}

/* NULL: its own text says it as well. */
static const char *plain_words(int code)
{
    switch (code) {
    case MBEDTLS_ERR_SSL_INVALID_RECORD:
        return "what answers there does not speak TLS";
    case MBEDTLS_ERR_SSL_BAD_PROTOCOL_VERSION:
        return "what answers there speaks no version of TLS that this client accepts";
    default:
        return NULL;
    }
}

void tg__tls_error_text(int code, char *text, size_t size)
{
    const char *plain = plain_words(code);
    int used = plain != NULL ? snprintf(text, size, "%s: ", plain) : 0;
    if (used >= 0 && (size_t)used < size) {
        mbedtls_strerror(code, text + used, size - (size_t)used);
    }
}

bool tg__tls_is_lost(int code)
{
    return code == MBEDTLS_ERR_SSL_CONN_EOF || code == MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY ||
           code == MBEDTLS_ERR_NET_CONN_RESET || code == MBEDTLS_ERR_NET_RECV_FAILED ||
           code == MBEDTLS_ERR_NET_SEND_FAILED;
}

void tg__wipe(void *secret, size_t size)
{
    mbedtls_platform_zeroize(secret, size);
}

const char *tg__tls_version(void)
{
    return MBEDTLS_VERSION_STRING;
}
