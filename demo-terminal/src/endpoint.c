#include "endpoint.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define UNIX_SCHEME      "ws+unix:"
#define SOCKET_PATH_SIZE 108 /* what the system takes */

static bool take_port(const char *text, size_t size, char port[ENDPOINT_PORT_SIZE])
{
    if (size == 0 || size >= ENDPOINT_PORT_SIZE || strspn(text, "0123456789") < size) {
        return false;
    }
    (void)snprintf(port, ENDPOINT_PORT_SIZE, "%.*s", (int)size, text);
    return true;
}

tg_err endpoint_parse_authority(const char *text, size_t size, endpoint *out)
{
    const bool bracketed = size > 0 && text[0] == '[';
    const char *start = text + bracketed;
    const char *end = memchr(start, bracketed ? ']' : ':', size - bracketed);
    if (end == NULL && bracketed) {
        return TG_ERR_URL;
    }
    if (end == NULL) {
        end = text + size;
    }
    const size_t length = (size_t)(end - start);
    if (length == 0 || length >= sizeof out->host) {
        return TG_ERR_URL;
    }
    (void)snprintf(out->host, sizeof out->host, "%.*s", (int)length, start);
    out->port[0] = '\0';
    end += bracketed;
    const size_t rest = size - (size_t)(end - text);
    if (rest == 0) {
        return TG_OK;
    }
    return *end == ':' && take_port(end + 1, rest - 1, out->port) ? TG_OK : TG_ERR_URL;
}

tg_err endpoint_parse(const char *url, endpoint *out)
{
    memset(out, 0, sizeof *out);
    if (strncmp(url, UNIX_SCHEME, sizeof UNIX_SCHEME - 1) == 0) {
        const char *path = url + sizeof UNIX_SCHEME - 1;
        out->local_socket = true;
        (void)snprintf(out->host, SOCKET_PATH_SIZE, "%s", path);
        return path[0] == '/' && strlen(path) < SOCKET_PATH_SIZE ? TG_OK : TG_ERR_URL;
    }
    out->tls = strncmp(url, "wss://", 6) == 0;
    if (!out->tls && strncmp(url, "ws://", 5) != 0) {
        return TG_ERR_URL;
    }
    const char *authority = url + (out->tls ? 6 : 5);
    const size_t size = strcspn(authority, "/?#");
    if (memchr(authority, '@', size) != NULL ||
        endpoint_parse_authority(authority, size, out) != TG_OK) {
        return TG_ERR_URL;
    }
    if (out->port[0] == '\0') {
        (void)snprintf(out->port, sizeof out->port, "%s", out->tls ? "443" : "80");
    }
    return TG_OK;
}

bool endpoint_is_loopback(const char *host)
{
    struct in_addr four;
    if (inet_pton(AF_INET, host, &four) == 1) {
        return (ntohl(four.s_addr) >> 24) == 127;
    }
    struct in6_addr six;
    if (inet_pton(AF_INET6, host, &six) == 1) {
        return IN6_IS_ADDR_LOOPBACK(&six);
    }
    static const char local[] = "localhost";
    const size_t size = strlen(host);
    const size_t tail = sizeof local - 1;
    return size >= tail && strcasecmp(host + size - tail, local) == 0 &&
           (size == tail || host[size - tail - 1] == '.');
}

void endpoint_show(const char *url, char *out, size_t size)
{
    const char *scheme = strstr(url, "://");
    const char *rest = scheme != NULL ? scheme + 3 : url;
    /* The last one: a password may hold another, or any other sign, that was not encoded. */
    const char *at = strrchr(rest, '@');
    const char *shown = at != NULL ? at : rest;
    const size_t length = strcspn(shown, "?#");
    (void)snprintf(out, size, "%.*s%s%.*s%s", (int)(rest - url), url, at != NULL ? "***" : "",
                   (int)length, shown, shown[length] != '\0' ? "?***" : "");
}
