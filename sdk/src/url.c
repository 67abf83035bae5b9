#include "url.h"

#include <arpa/inet.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

#define DEFAULT_PATH "/tickglass"

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

static tg_err take_scheme(const char **at, tg__url *url)
{
    url->tls = strncmp(*at, "wss://", 6) == 0;
    TG_ENSURE(url->tls || strncmp(*at, "ws://", 5) == 0, TG_ERR_URL);
    *at += url->tls ? 6 : 5;
    return TG_OK;
}

static bool is_host_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_';
}

static tg_err take_host(const char **at, tg__url *url)
{
    const bool bracketed = **at == '[';
    const char *start = *at + bracketed;
    const char *end = start;
    while (bracketed ? *end != ']' && *end != '\0' : is_host_char(*end)) {
        end++;
    }
    const size_t length = (size_t)(end - start);
    TG_ENSURE(length > 0 && length < sizeof url->host, TG_ERR_URL);
    memcpy(url->host, start, length);
    url->host[length] = '\0';
    TG_ENSURE(!bracketed || (*end == ']' && is_ipv6(url->host)), TG_ERR_URL);
    url->literal = bracketed || is_ipv4(url->host);
    *at = end + bracketed;
    return TG_OK;
}

static tg_err take_port(const char **at, tg__url *url)
{
    url->port = url->tls ? 443 : 80;
    if (**at != ':') {
        return TG_OK;
    }
    uint32_t port = 0;
    const char *digit = *at + 1;
    TG_ENSURE(*digit >= '0' && *digit <= '9', TG_ERR_URL);
    for (; *digit >= '0' && *digit <= '9'; digit++) {
        port = port * 10 + (uint32_t)(*digit - '0');
        TG_ENSURE(port <= UINT16_MAX, TG_ERR_URL);
    }
    TG_ENSURE(port > 0, TG_ERR_URL);
    url->port = (uint16_t)port;
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

tg_err tg__url_parse(const char *text, tg__url *url)
{
    memset(url, 0, sizeof *url);
    const char *at = text;
    TG_TRY(take_scheme(&at, url));
    TG_TRY(take_host(&at, url));
    TG_TRY(take_port(&at, url));
    TG_TRY(take_path(at, url));
    const bool local = strcmp(url->host, "localhost") == 0 || tg__address_is_loopback(url->host);
    TG_ENSURE(url->tls || local, TG_ERR_URL);
    return TG_OK;
}
