#include "websocket_peer.h"

#include <stdlib.h>

bool tg__peer_is_pinned(struct lws *wsi, const tg__pins *pins)
{
    if (!lws_is_ssl(wsi)) {
        return false; /* there is no certificate to look at, and nowhere to look */
    }
    union lws_tls_cert_info_results asked;
    asked.ns.len = 0;
    /* Too small on purpose: the size comes back. */
    (void)lws_tls_peer_cert_info(wsi, LWS_TLS_CERT_INFO_DER_RAW, &asked, sizeof asked.ns.name);
    if (asked.ns.len <= 0) {
        return false;
    }
    const size_t size = (size_t)asked.ns.len;
    union lws_tls_cert_info_results *info = malloc(sizeof *info + size);
    const bool pinned = info != NULL &&
                        lws_tls_peer_cert_info(wsi, LWS_TLS_CERT_INFO_DER_RAW, info, size) == 0 &&
                        tg__pins_hold(pins, (const uint8_t *)info->ns.name, size);
    free(info);
    return pinned;
}
