/* A name's addresses, in the order in which they are to be tried. */
#ifndef TG_SDK_RESOLVER_H
#define TG_SDK_RESOLVER_H

#include <stdint.h>

#define TG__ADDRESSES_MAX     8u
#define TG__ADDRESS_TEXT_SIZE 64 /* an IPv6 address with a zone */

typedef struct tg__addresses {
    uint32_t count;
    int failure; /* of getaddrinfo(); 0: none */
    char text[TG__ADDRESSES_MAX][TG__ADDRESS_TEXT_SIZE];
} tg__addresses;

/*
 * The system's order (RFC 6724), but with IPv6 and IPv4 taking turns from its first one on (RFC
 * 8305 4): a family that leads nowhere then costs one attempt and not all of its addresses.
 * Blocks as long as the system's resolver does.
 */
void tg__resolve(const char *host, tg__addresses *out);

#endif
