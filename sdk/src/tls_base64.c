#include "tls_base64.h"

#include <mbedtls/base64.h>

#include <tickglass/internal/control_flow.h>

tg_err tg__base64_encode(const void *bytes, size_t size, char *out, size_t out_size)
{
    size_t used = 0;
    TG_ENSURE(out_size > 0, TG_ERR_BUFFER_TOO_SMALL);
    out[0] = '\0'; /* of nothing, mbedTLS writes nothing */
    TG_ENSURE(mbedtls_base64_encode((unsigned char *)out, out_size, &used, bytes, size) == 0,
              TG_ERR_BUFFER_TOO_SMALL);
    return TG_OK;
}
