#include "ip_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

bool tg__ip_address_of(const char *host, uint16_t port, tg__ip_address *out)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(port)};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
    const char *text = strcmp(host, "localhost") == 0 ? "127.0.0.1" : host;
    memset(out, 0, sizeof *out);
    if (inet_pton(AF_INET, text, &v4.sin_addr) == 1) {
        out->size = sizeof v4;
        memcpy(&out->storage, &v4, sizeof v4);
        return true;
    }
    out->size = sizeof v6;
    const bool is_v6 = inet_pton(AF_INET6, text, &v6.sin6_addr) == 1;
    memcpy(&out->storage, &v6, sizeof v6);
    return is_v6;
}

uint16_t tg__ip_address_port(const tg__ip_address *address)
{
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    memcpy(&v4, &address->storage, sizeof v4);
    memcpy(&v6, &address->storage, sizeof v6);
    return ntohs(address->storage.ss_family == AF_INET ? v4.sin_port : v6.sin6_port);
}

void tg__ip_address_text(const char *host, uint16_t port, char out[TG__IP_ADDRESS_TEXT_SIZE])
{
    const bool is_v6 = strchr(host, ':') != NULL;
    (void)snprintf(out, TG__IP_ADDRESS_TEXT_SIZE, "%s%s%s:%u", is_v6 ? "[" : "", host,
                   is_v6 ? "]" : "", (unsigned)port);
}
