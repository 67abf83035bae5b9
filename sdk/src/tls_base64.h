/* Base64 with the TLS library's means. */
#ifndef TG_SDK_TLS_BASE64_H
#define TG_SDK_TLS_BASE64_H

#include <stddef.h>

#include <tickglass/err.h>

/* With a terminator. TG_ERR_BUFFER_TOO_SMALL: out is under 4 * ((size + 2) / 3) + 1. */
TG_MUST_CHECK tg_err tg__base64_encode(const void *bytes, size_t size, char *out, size_t out_size);

#endif
