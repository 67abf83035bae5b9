/** Where a listener is: for the system, and as people write it. */
#ifndef TG_GATEWAY_IP_ADDRESS_H
#define TG_GATEWAY_IP_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#define TG__IP_ADDRESS_TEXT_SIZE 128u

typedef struct tg__ip_address {
    struct sockaddr_storage storage;
    socklen_t size;
} tg__ip_address;

/* localhost stands for 127.0.0.1. False: it is no IP address. */
bool tg__ip_address_of(const char *host, uint16_t port, tg__ip_address *out);

uint16_t tg__ip_address_port(const tg__ip_address *address);

/* HOST:PORT, an IPv6 address in brackets. */
void tg__ip_address_text(const char *host, uint16_t port, char out[TG__IP_ADDRESS_TEXT_SIZE]);

#endif
