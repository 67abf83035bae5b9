#include "fingerprint.h"

#include <mbedtls/sha256.h>

tg_err tg__fingerprint_of(const char *token, size_t size, tg__fingerprint *out)
{
    return mbedtls_sha256((const unsigned char *)token, size, out->bytes, 0) == 0 ? TG_OK
                                                                                  : TG_ERR_TLS;
}
