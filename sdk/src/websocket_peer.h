/* What libwebsockets knows of the peer's certificate. */
#ifndef TG_SDK_WEBSOCKET_PEER_H
#define TG_SDK_WEBSOCKET_PEER_H

#include <stdbool.h>

#include <libwebsockets.h>

#include "tls_pin.h"

/* After the handshake: true if the certificate that the peer proved to own has a pinned key. */
bool tg__peer_is_pinned(struct lws *wsi, const tg__pins *pins);

#endif
