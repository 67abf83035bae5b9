/*
 * A link that can be torn: bytes between one client and the gateway, until both ends get an RST.
 *
 * The SDK ends its connections properly and offers no way not to. So a session that the plan ends
 * by a reset goes through such a link, a listening port of its own on the loopback, as a terminal
 * goes through a VPN; TLS passes through untouched. Such sessions are a few in a hundred and their
 * rows take one hop more.
 */
#ifndef BENCH_GATEWAY_RESET_LINK_H
#define BENCH_GATEWAY_RESET_LINK_H

#include <stdint.h>

#include "why.h"

typedef struct reset_link reset_link;

/* To a port of 127.0.0.1; connects when the client does. */
bool reset_link_open(reset_link **out, uint16_t gateway_port, why *reason);
/* Where the client connects to, on 127.0.0.1. */
uint16_t reset_link_port(const reset_link *link);
/* Tears it, if it still stands, and frees it. NULL is allowed. */
void reset_link_close(reset_link *link);

#endif
