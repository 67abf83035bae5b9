#include "proxy_environment.h"

#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define SCHEME "http://"

/* The lower-case one first, as curl does. An empty value is as good as none. */
static const char *variable_of(const char *lower, const char *upper, const char **value)
{
    *value = getenv(lower);
    const char *name = lower;
    if (*value == NULL || (*value)[0] == '\0') {
        *value = getenv(upper);
        name = upper;
    }
    return *value != NULL && (*value)[0] != '\0' ? name : NULL;
}

/* The bytes of an address: 4, 16, or 0 for a name. */
static size_t address_bytes(const char *host, uint8_t bytes[16])
{
    if (inet_pton(AF_INET, host, bytes) == 1) {
        return 4;
    }
    return inet_pton(AF_INET6, host, bytes) == 1 ? 16 : 0;
}

static bool in_network(const char *network, const char *bits_text, const char *host)
{
    uint8_t left[16];
    uint8_t right[16];
    const size_t size = address_bytes(network, left);
    const unsigned long bits = strtoul(bits_text, NULL, 10);
    if (size == 0 || address_bytes(host, right) != size || *bits_text == '\0' ||
        strspn(bits_text, "0123456789") != strlen(bits_text) || bits > 8 * size) {
        return false;
    }
    const size_t whole = bits / 8;
    const unsigned rest = bits % 8;
    const uint8_t mask = (uint8_t)(0xffu << (8 - rest));
    return memcmp(left, right, whole) == 0 &&
           (rest == 0 || ((left[whole] ^ right[whole]) & mask) == 0);
}

static bool is_same_address(const char *left, const char *right)
{
    uint8_t a[16];
    uint8_t b[16];
    const size_t size = address_bytes(left, a);
    return size != 0 && address_bytes(right, b) == size && memcmp(a, b, size) == 0;
}

/* The name itself, or one under it. */
static bool covers_name(const char *entry, const char *host)
{
    uint8_t ignored[16];
    entry += *entry == '*' && entry[1] == '.' ? 1 : 0;
    entry += *entry == '.' ? 1 : 0;
    const size_t entry_size = strlen(entry);
    const size_t host_size = strlen(host);
    if (entry_size == 0 || host_size < entry_size || address_bytes(host, ignored) != 0) {
        return false;
    }
    const size_t before = host_size - entry_size;
    return strcasecmp(host + before, entry) == 0 && (before == 0 || host[before - 1] == '.');
}

static bool entry_covers(const char *text, size_t size, const char *host, const char *port)
{
    char entry[ENDPOINT_HOST_SIZE];
    if (size == 0 || size >= sizeof entry) {
        return false;
    }
    (void)snprintf(entry, sizeof entry, "%.*s", (int)size, text);
    if (strcmp(entry, "*") == 0 || is_same_address(entry, host)) {
        return true;
    }
    char *slash = strchr(entry, '/');
    if (slash != NULL) {
        *slash = '\0';
        return in_network(entry, slash + 1, host);
    }
    endpoint parsed;
    if (endpoint_parse_authority(entry, strlen(entry), &parsed) != TG_OK ||
        (parsed.port[0] != '\0' && strcmp(parsed.port, port) != 0)) {
        return false;
    }
    return is_same_address(parsed.host, host) || covers_name(parsed.host, host);
}

bool proxy_environment_excepts(const char *list, const char *host, const char *port)
{
    static const char separators[] = ", \t";
    for (const char *at = list + strspn(list, separators); *at != '\0';
         at += strspn(at, separators)) {
        const size_t size = strcspn(at, separators);
        if (entry_covers(at, size, host, port)) {
            return true;
        }
        at += size;
    }
    return false;
}

static tg_err write_proxy(const char *value, char *proxy, size_t size)
{
    const char *rest = value;
    if (strncasecmp(value, SCHEME, sizeof SCHEME - 1) == 0) {
        rest = value + sizeof SCHEME - 1;
    } else if (strstr(value, "://") != NULL) {
        return TG_ERR_URL; /* socks, or a proxy that is spoken to over TLS */
    }
    size_t length = strlen(rest);
    length -= length > 0 && rest[length - 1] == '/' ? 1 : 0;
    const int written = snprintf(proxy, size, SCHEME "%.*s", (int)length, rest);
    return length > 0 && written > 0 && (size_t)written < size ? TG_OK : TG_ERR_URL;
}

tg_err proxy_environment_find(const endpoint *to, char *proxy, size_t size, const char **variable)
{
    proxy[0] = '\0';
    *variable = NULL;
    if (to->local_socket || !to->tls || endpoint_is_loopback(to->host)) {
        return TG_OK;
    }
    const char *value = NULL;
    const char *excepted = NULL;
    const char *name = variable_of("https_proxy", "HTTPS_PROXY", &value);
    if (name == NULL) {
        return TG_OK;
    }
    const char *exception = variable_of("no_proxy", "NO_PROXY", &excepted);
    if (exception != NULL && proxy_environment_excepts(excepted, to->host, to->port)) {
        *variable = exception;
        return TG_OK;
    }
    *variable = name;
    return write_proxy(value, proxy, size);
}
