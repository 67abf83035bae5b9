/* Where a gateway is. */
#ifndef TG_SDK_URL_H
#define TG_SDK_URL_H

#include <stdbool.h>
#include <stdint.h>

#include <tickglass/err.h>

#define TG__HOST_SIZE                                                                              \
    128 /* libwebsockets checks at most so much of a name against a certificate                    \
         */
#define TG__PATH_SIZE 512

typedef struct tg__url {
    bool tls;
    bool literal; /* host is an address */
    uint16_t port;
    char host[TG__HOST_SIZE]; /* without the brackets of an IPv6 address */
    char path[TG__PATH_SIZE]; /* with its query; "/tickglass" if the URL has none */
} tg__url;

/*
 * TG_ERR_URL: not wss://host[:port][/path] or ws:// to a loopback address or localhost; user
 * names, fragments, spaces and control characters are refused.
 */
TG_MUST_CHECK tg_err tg__url_parse(const char *text, tg__url *url);

/* True for 127.0.0.0/8 and ::1. */
bool tg__address_is_loopback(const char *address);

#endif
