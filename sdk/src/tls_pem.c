#include "tls_pem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mbedtls/pem.h>

#include <tickglass/internal/control_flow.h>

#include "tls_trust.h"

#define PEM_BEGIN "-----BEGIN CERTIFICATE-----\n"
#define PEM_END   "-----END CERTIFICATE-----\n"

#define FIRST_SIZE (64u * 1024u)
/* A trust store is some hundred kilobytes; a file beyond this is something else. */
#define FILE_SIZE_MAX (16u * 1024u * 1024u)

typedef struct file_bytes {
    unsigned char *p;
    size_t capacity;
    size_t used;
} file_bytes;

/* Not realloc(): it may leave the old block as it was. */
static tg_err grow(file_bytes *b)
{
    const size_t capacity = b->capacity == 0 ? FIRST_SIZE : 2 * b->capacity;
    unsigned char *more = malloc(capacity);
    TG_ENSURE(more != NULL, TG_ERR_NO_MEMORY);
    if (b->used > 0) {
        memcpy(more, b->p, b->used);
    }
    tg__pem_free(b->p, b->used);
    b->p = more;
    b->capacity = capacity;
    return TG_OK;
}

/* TG_ERR_IO with errno set. Not with stdio, whose buffer would be one more copy. */
static tg_err read_all(int fd, file_bytes *b)
{
    for (;;) {
        if (b->capacity - b->used < 2) {
            if (b->capacity >= FILE_SIZE_MAX) {
                errno = EFBIG;
                return TG_ERR_IO;
            }
            TG_TRY(grow(b));
        }
        const ssize_t n = read(fd, b->p + b->used, b->capacity - b->used - 1);
        if (n == 0) {
            b->p[b->used] = '\0';
            return TG_OK;
        }
        if (n > 0) {
            b->used += (size_t)n;
        } else if (errno != EINTR) {
            return TG_ERR_IO;
        }
    }
}

tg_err tg__pem_read(const char *path, unsigned char **out, size_t *size, char *why, size_t why_size)
{
    file_bytes bytes = {NULL, 0, 0};
    *out = NULL;
    *size = 0;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    tg_err err = fd >= 0 ? read_all(fd, &bytes) : TG_ERR_IO;
    const int number = errno;
    if (fd >= 0) {
        (void)close(fd);
    }
    if (err == TG_OK) {
        *out = bytes.p;
        *size = bytes.used;
        return TG_OK;
    }
    tg__pem_free(bytes.p, bytes.used);
    if (err == TG_ERR_IO) {
        char reason[128] = "";
        (void)strerror_r(number, reason, sizeof reason);
        (void)snprintf(why, why_size, "cannot read %s: %s", path, reason);
        err = TG_ERR_CERTIFICATE;
    }
    return err;
}

void tg__pem_free(unsigned char *bytes, size_t size)
{
    if (bytes != NULL) {
        tg__wipe(bytes, size);
    }
    free(bytes);
}

tg_err tg__pem_write(const mbedtls_x509_crt *chain, char **out, size_t *size)
{
    *out = NULL;
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
    *size = used + 1;
    return TG_OK;
}
