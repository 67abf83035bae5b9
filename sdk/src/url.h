/* Where a gateway is. */
#ifndef TG_SDK_URL_H
#define TG_SDK_URL_H

#include <stdbool.h>
#include <stdint.h>

#include <tickglass/err.h>

/* libwebsockets checks at most so much of a name against a certificate. */
#define TG__HOST_SIZE        128
#define TG__PATH_SIZE        512
#define TG__SOCKET_PATH_SIZE 108 /* of a Unix socket */
#define TG__ENDPOINTS_MAX    8u  /* gateways that a client may choose from */

typedef struct tg__url {
    bool tls;
    bool literal; /* host is an address */
    uint16_t port;
    char host[TG__HOST_SIZE];               /* without the brackets of an IPv6 address */
    char path[TG__PATH_SIZE];               /* with its query; "/tickglass" if the URL has none */
    char socket_path[TG__SOCKET_PATH_SIZE]; /* of a Unix socket; "": it is not one */
} tg__url;

/*
 * wss://host[:port][/path], ws://host[:port][/path] or ws+unix:/path/of/socket. TG_ERR_URL:
 * anything else; user names, fragments, spaces and control characters are refused.
 */
TG_MUST_CHECK tg_err tg__url_parse(const char *text, tg__url *url);

/* What is sent there can be read by nobody on the way: it is TLS, or does not leave this machine. A
 * name counts as local only if it is localhost. */
bool tg__url_is_private(const tg__url *url);

/* host:port and nothing else. TG_ERR_URL. */
TG_MUST_CHECK tg_err tg__url_authority_parse(const char *text, char host[TG__HOST_SIZE],
                                             uint16_t *port);

/* True for 127.0.0.0/8 and ::1. */
bool tg__address_is_loopback(const char *address);

#endif
