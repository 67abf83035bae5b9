/* PEM files in, certificates out as PEM text. */
#ifndef TG_SDK_TLS_PEM_H
#define TG_SDK_TLS_PEM_H

#include <stddef.h>

#include <mbedtls/x509_crt.h>

#include <tickglass/err.h>

/*
 * The whole file with a terminator that size does not count; give it back with tg__pem_free(). A
 * key may be in it: no copy of what was read stays behind. TG_ERR_CERTIFICATE: it cannot be read,
 * and why says so. TG_ERR_NO_MEMORY.
 */
TG_MUST_CHECK tg_err tg__pem_read(const char *path, unsigned char **out, size_t *size, char *why,
                                  size_t why_size);
/* Wiped first. NULL is allowed. */
void tg__pem_free(unsigned char *bytes, size_t size);

/* A whole chain as one text with a terminator, which size counts; free() it. */
TG_MUST_CHECK tg_err tg__pem_write(const mbedtls_x509_crt *chain, char **out, size_t *size);

#endif
