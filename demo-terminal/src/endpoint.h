/* What the terminal itself has to know of a gateway's URL: where it leads, and how to show it. The
 * client is the judge of whether it can be used. */
#ifndef TG_TERMINAL_ENDPOINT_H
#define TG_TERMINAL_ENDPOINT_H

#include <stdbool.h>
#include <stddef.h>

#include <tickglass/err.h>

#define ENDPOINT_HOST_SIZE 128
#define ENDPOINT_PORT_SIZE 6
#define ENDPOINT_URL_SIZE  768

typedef struct endpoint {
    bool tls;
    bool local_socket;             /* host is the path of a Unix socket */
    char host[ENDPOINT_HOST_SIZE]; /* without the brackets of an IPv6 address */
    char port[ENDPOINT_PORT_SIZE];
} endpoint;

/* wss://host[:port][/path], ws://host[:port][/path], ws+unix:/path. TG_ERR_URL: anything else.
 * Thread: any. */
TG_MUST_CHECK tg_err endpoint_parse(const char *url, endpoint *out);

/* host[:port], an IPv6 address in brackets; port is left empty where there is none. TG_ERR_URL.
 * Thread: any. */
TG_MUST_CHECK tg_err endpoint_parse_authority(const char *text, size_t size, endpoint *out);

/* localhost, names under it, 127.0.0.0/8 and ::1. Thread: any. */
bool endpoint_is_loopback(const char *host);

/* The URL with *** for a user's name and password and for a query, which are not ours to show.
 * Thread: any. */
void endpoint_show(const char *url, char *out, size_t size);

#endif
