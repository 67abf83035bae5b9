#include "url.h"

#include <arpa/inet.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

#define DEFAULT_PATH "/tickglass"
#define LOCALHOST    "localhost"
#define UNIX_SCHEME  "ws+unix:"

static bool is_ipv4(const char *text)
{
    struct in_addr address;
    return inet_pton(AF_INET, text, &address) == 1;
}

static bool is_ipv6(const char *text)
{
    struct in6_addr address;
    return inet_pton(AF_INET6, text, &address) == 1;
}

bool tg__address_is_loopback(const char *address)
{
    struct in_addr four;
    if (inet_pton(AF_INET, address, &four) == 1) {
        return (ntohl(four.s_addr) >> 24) == 127;
    }
    struct in6_addr six;
    return inet_pton(AF_INET6, address, &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

static bool is_host_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_';
}

static tg_err take_host(const char **at, char host[TG__HOST_SIZE])
{
    const bool bracketed = **at == '[';
    const char *start = *at + bracketed;
    const char *end = start;
    while (bracketed ? *end != ']' && *end != '\0' : is_host_char(*end)) {
        end++;
    }
    const size_t length = (size_t)(end - start);
    TG_ENSURE(length > 0 && length < TG__HOST_SIZE, TG_ERR_URL);
    memcpy(host, start, length);
    host[length] = '\0';
    TG_ENSURE(!bracketed || (*end == ']' && is_ipv6(host)), TG_ERR_URL);
    *at = end + bracketed;
    return TG_OK;
}

/* Leaves *port alone where none is given. */
static tg_err take_port(const char **at, uint16_t *port)
{
    if (**at != ':') {
        return TG_OK;
    }
    uint32_t number = 0;
    const char *digit = *at + 1;
    TG_ENSURE(*digit >= '0' && *digit <= '9', TG_ERR_URL);
    for (; *digit >= '0' && *digit <= '9'; digit++) {
        number = number * 10 + (uint32_t)(*digit - '0');
        TG_ENSURE(number <= UINT16_MAX, TG_ERR_URL);
    }
    TG_ENSURE(number > 0, TG_ERR_URL);
    *port = (uint16_t)number;
    *at = digit;
    return TG_OK;
}

static tg_err take_path(const char *at, tg__url *url)
{
    if (*at == '\0' || strcmp(at, "/") == 0) {
        memcpy(url->path, DEFAULT_PATH, sizeof DEFAULT_PATH);
        return TG_OK;
    }
    const size_t length = strlen(at);
    TG_ENSURE(*at == '/' && length < sizeof url->path, TG_ERR_URL);
    for (size_t i = 0; i < length; i++) {
        TG_ENSURE(at[i] > ' ' && at[i] < 0x7f && at[i] != '#', TG_ERR_URL);
    }
    memcpy(url->path, at, length + 1);
    return TG_OK;
}

/* The request needs a host and a path all the same: those of a gateway on this machine. */
static tg_err take_socket(const char *at, tg__url *url)
{
    const size_t length = strlen(at);
    TG_ENSURE(*at == '/' && length > 1 && length < sizeof url->socket_path, TG_ERR_URL);
    for (size_t i = 0; i < length; i++) {
        TG_ENSURE((unsigned char)at[i] >= ' ' && at[i] != 0x7f, TG_ERR_URL);
    }
    memcpy(url->socket_path, at, length + 1);
    memcpy(url->host, LOCALHOST, sizeof LOCALHOST);
    url->port = 80;
    return take_path("", url);
}

tg_err tg__url_parse(const char *text, tg__url *url)
{
    memset(url, 0, sizeof *url);
    if (strncmp(text, UNIX_SCHEME, sizeof UNIX_SCHEME - 1) == 0) {
        return take_socket(text + sizeof UNIX_SCHEME - 1, url);
    }
    url->tls = strncmp(text, "wss://", 6) == 0;
    TG_ENSURE(url->tls || strncmp(text, "ws://", 5) == 0, TG_ERR_URL);
    const char *at = text + (url->tls ? 6 : 5);
    TG_TRY(take_host(&at, url->host));
    url->literal = is_ipv4(url->host) || is_ipv6(url->host);
    url->port = url->tls ? 443 : 80;
    TG_TRY(take_port(&at, &url->port));
    return take_path(at, url);
}

bool tg__url_is_private(const tg__url *url)
{
    return url->tls || url->socket_path[0] != '\0' || strcmp(url->host, LOCALHOST) == 0 ||
           tg__address_is_loopback(url->host);
}

tg_err tg__url_authority_parse(const char *text, char host[TG__HOST_SIZE], uint16_t *port)
{
    const char *at = text;
    *port = 0;
    TG_TRY(take_host(&at, host));
    TG_TRY(take_port(&at, port));
    TG_ENSURE(*port > 0 && *at == '\0', TG_ERR_URL);
    return TG_OK;
}
