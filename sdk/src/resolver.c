#include "resolver.h"

#include <netdb.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

/* RFC 6761 6.3: "localhost" and every name under it have the loopback addresses, whatever the
 * system's tables say or lack. */
static bool is_localhost(const char *host)
{
    static const char under[] = ".localhost";
    const size_t length = strlen(host);
    const size_t tail = sizeof under - 1;
    return strcasecmp(host, "localhost") == 0 ||
           (length > tail && strcasecmp(host + length - tail, under) == 0);
}

static void add(tg__addresses *out, const struct addrinfo *info)
{
    if (out->count < TG__ADDRESSES_MAX &&
        getnameinfo(info->ai_addr, info->ai_addrlen, out->text[out->count], TG__ADDRESS_TEXT_SIZE,
                    NULL, 0, NI_NUMERICHOST) == 0) {
        out->count++;
    }
}

/* The next one at or after *at that is of the family, or not of it. */
static const struct addrinfo *take(const struct addrinfo **at, int family, bool of_it)
{
    while (*at != NULL && ((*at)->ai_family == family) != of_it) {
        *at = (*at)->ai_next;
    }
    const struct addrinfo *found = *at;
    if (found != NULL) {
        *at = found->ai_next;
    }
    return found;
}

static void collect(const struct addrinfo *list, tg__addresses *out)
{
    const int family = list->ai_family;
    const struct addrinfo *of_it = list;
    const struct addrinfo *others = list;
    const struct addrinfo *one = NULL;
    const struct addrinfo *other = NULL;
    do {
        one = take(&of_it, family, true);
        if (one != NULL) {
            add(out, one);
        }
        other = take(&others, family, false);
        if (other != NULL) {
            add(out, other);
        }
    } while (one != NULL || other != NULL);
}

void tg__resolve(const char *host, tg__addresses *out)
{
    memset(out, 0, sizeof *out);
    if (is_localhost(host)) {
        (void)snprintf(out->text[0], sizeof out->text[0], "127.0.0.1");
        (void)snprintf(out->text[1], sizeof out->text[1], "::1");
        out->count = 2;
        return;
    }
    struct addrinfo hints;
    memset(&hints, 0, sizeof hints);
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_family = AF_UNSPEC;
    struct addrinfo *list = NULL;
    out->failure = getaddrinfo(host, NULL, &hints, &list);
    if (list != NULL) {
        collect(list, out);
        freeaddrinfo(list);
    }
}
