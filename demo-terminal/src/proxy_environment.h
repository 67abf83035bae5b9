/*
 * The proxy that the environment names, as it is commonly meant: https_proxy or HTTPS_PROXY, except
 * for hosts that no_proxy or NO_PROXY lists ("*"; names and what lies under them, with or without a
 * dot in front; addresses; networks such as 10.0.0.0/8; each with a port, perhaps).
 *
 * This machine itself is never reached through it, listed or not: a proxy elsewhere cannot know
 * what our loopback is. Gateways without TLS and Unix sockets have none either.
 */
#ifndef TG_TERMINAL_PROXY_ENVIRONMENT_H
#define TG_TERMINAL_PROXY_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

#include <tickglass/err.h>

#include "endpoint.h"

/*
 * Writes the proxy as the client wants it, http://[user:password@]host:port, or "" for none.
 * *variable is the one that said so, NULL where none was asked. TG_ERR_URL: the variable's value
 * cannot be used. Thread: any, while nobody changes the environment.
 */
TG_MUST_CHECK tg_err proxy_environment_find(const endpoint *to, char *proxy, size_t size,
                                            const char **variable);

/* True if a list as of no_proxy holds the host. Thread: any. */
bool proxy_environment_excepts(const char *list, const char *host, const char *port);

#endif
