#include "tls_trust.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mbedtls/error.h>
#include <mbedtls/pem.h>
#include <mbedtls/platform_util.h>
#include <mbedtls/version.h>
#include <mbedtls/x509_crt.h>

#include <tickglass/internal/control_flow.h>

#define PEM_BEGIN "-----BEGIN CERTIFICATE-----\n"
#define PEM_END   "-----END CERTIFICATE-----\n"

/* A trust store is some hundred kilobytes; a file beyond this is something else. */
#define FILE_SIZE_MAX (16u * 1024u * 1024u)

static const char *const system_stores[] = {
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/ssl/cert.pem",
};

/* The whole file with a terminator; NULL with errno set. */
static unsigned char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rbe");
    if (file == NULL) {
        return NULL;
    }
    size_t capacity = 64u * 1024u;
    size_t used = 0;
    unsigned char *bytes = malloc(capacity);
    while (bytes != NULL) {
        used += fread(bytes + used, 1, capacity - used - 1, file);
        if (used < capacity - 1 || capacity >= FILE_SIZE_MAX) {
            break;
        }
        unsigned char *more = realloc(bytes, capacity * 2);
        if (more == NULL) {
            free(bytes);
            bytes = NULL;
            break;
        }
        bytes = more;
        capacity *= 2;
    }
    if (bytes != NULL && (ferror(file) || !feof(file))) {
        free(bytes);
        bytes = NULL;
        errno = ferror(file) ? EIO : EFBIG;
    }
    (void)fclose(file);
    if (bytes != NULL) {
        bytes[used] = '\0';
        *size = used;
    }
    return bytes;
}

/* Everything that parsed, as one PEM text. */
static tg_err write_pem(const mbedtls_x509_crt *chain, char **out, size_t *out_size)
{
    size_t capacity = 1;
    for (const mbedtls_x509_crt *one = chain; one != NULL; one = one->next) {
        capacity += one->raw.len * 3 / 2 + 256;
    }
    char *pem = malloc(capacity);
    TG_ENSURE(pem != NULL, TG_ERR_NO_MEMORY);
    size_t used = 0;
    for (const mbedtls_x509_crt *one = chain; one != NULL; one = one->next) {
        size_t written = 0;
        if (mbedtls_pem_write_buffer(PEM_BEGIN, PEM_END, one->raw.p, one->raw.len,
                                     (unsigned char *)pem + used, capacity - used, &written) == 0) {
            used += written - 1; /* without its terminator */
        }
    }
    pem[used] = '\0';
    *out = pem;
    *out_size = used + 1;
    return TG_OK;
}

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
    unsigned char *bytes = read_file(path, &size);
    if (bytes == NULL) {
        char reason[128] = "";
        (void)strerror_r(errno, reason, sizeof reason);
        (void)snprintf(why, why_size, "cannot read %s: %s", path, reason);
        return TG_ERR_CERTIFICATE;
    }
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
        err = write_pem(&chain, out, out_size);
    }
    mbedtls_x509_crt_free(&chain);
    free(bytes);
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

void tg__tls_error_text(int code, char *text, size_t size)
{
    mbedtls_strerror(code, text, size);
}

void tg__wipe(void *secret, size_t size)
{
    mbedtls_platform_zeroize(secret, size);
}

const char *tg__tls_version(void)
{
    return MBEDTLS_VERSION_STRING;
}
