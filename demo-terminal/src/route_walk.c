#include "route_walk.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <tickglass/clock.h>

#include "secret.h"

#define NS_PER_MS    INT64_C(1000000)
#define LIMIT_MS     5000
#define USER_SIZE    256
#define BASIC_SIZE   (4 * (USER_SIZE / 3 + 1) + 1)
#define REQUEST_SIZE 1024
#define ANSWER_SIZE  8192
#define REASON_SIZE  96
#define SHOWN_MAX    4 /* addresses */
#define PROXY_SCHEME "http://"

static int64_t now_ns(void)
{
    const tg_clock clock = tg_clock_system();
    return tg_clock_mono_ns(&clock);
}

static const char *reason(int failure, char text[REASON_SIZE])
{
    text[0] = '\0';
    (void)strerror_r(failure, text, REASON_SIZE);
    return text;
}

/* --- names --- */

static void list_addresses(const struct addrinfo *first, char *out, size_t size)
{
    size_t used = 0;
    int count = 0;
    out[0] = '\0';
    for (const struct addrinfo *at = first; at != NULL; at = at->ai_next) {
        char text[64] = "?";
        (void)getnameinfo(at->ai_addr, at->ai_addrlen, text, sizeof text, NULL, 0, NI_NUMERICHOST);
        count++;
        if (count <= SHOWN_MAX && used < size) {
            const int n = snprintf(out + used, size - used, "%s%s", used > 0 ? ", " : "", text);
            used += n > 0 ? (size_t)n : 0;
        }
    }
    if (count > SHOWN_MAX && used < size) {
        (void)snprintf(out + used, size - used, " and %d more", count - SHOWN_MAX);
    }
}

static struct addrinfo *resolve(const endpoint *to, const char *whose, diagnosis *found)
{
    const struct addrinfo hints = {
        .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    struct addrinfo *first = NULL;
    const int64_t start = now_ns();
    const int failure = getaddrinfo(to->host, to->port, &hints, &first);
    const int64_t took = now_ns() - start;
    if (failure != 0) {
        char text[REASON_SIZE];
        diagnosis_fail(found, STAGE_DNS, took, NULL, "%s%.*s: %s", whose, ENDPOINT_HOST_SIZE,
                       to->host,
                       failure == EAI_SYSTEM ? reason(errno, text) : gai_strerror(failure));
        return NULL;
    }
    char addresses[160];
    list_addresses(first, addresses, sizeof addresses);
    diagnosis_pass(found, STAGE_DNS, took, "%s%s", whose, addresses);
    return first;
}

/* --- connections --- */

/* 0, or an errno. */
static int await(int fd, short events)
{
    struct pollfd one = {fd, events, 0};
    int ready = 0;
    const int64_t until = now_ns() + LIMIT_MS * NS_PER_MS;
    do {
        const int64_t left_ns = until - now_ns();
        ready = poll(&one, 1, left_ns > 0 ? (int)(left_ns / NS_PER_MS) + 1 : 0);
    } while (ready < 0 && errno == EINTR);
    return ready > 0 ? 0 : ready == 0 ? ETIMEDOUT : errno;
}

/* A non-blocking socket; -1: *failure says why not. */
static int connect_to(const struct sockaddr *address, socklen_t size, int *failure)
{
    const int fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    *failure = fd < 0 ? errno : 0;
    if (fd >= 0 && connect(fd, address, size) != 0) {
        *failure = errno;
        if (*failure == EINPROGRESS) {
            socklen_t length = sizeof *failure;
            *failure = await(fd, POLLOUT);
            if (*failure == 0 && getsockopt(fd, SOL_SOCKET, SO_ERROR, failure, &length) != 0) {
                *failure = errno;
            }
        }
    }
    if (fd >= 0 && *failure != 0) {
        (void)close(fd);
        return -1;
    }
    return fd;
}

/* The first address that answers; text says which, or why none. */
static int connect_any(const struct addrinfo *first, const char *port, char *text, size_t size)
{
    int fd = -1;
    for (const struct addrinfo *at = first; at != NULL && fd < 0; at = at->ai_next) {
        char host[64] = "?";
        char why[REASON_SIZE];
        int failure = 0;
        (void)getnameinfo(at->ai_addr, at->ai_addrlen, host, sizeof host, NULL, 0, NI_NUMERICHOST);
        fd = connect_to(at->ai_addr, at->ai_addrlen, &failure);
        (void)snprintf(text, size, "%s port %s%s%s", host, port, fd < 0 ? ": " : "",
                       fd < 0 ? reason(failure, why) : "");
    }
    return fd;
}

static bool walk_socket(const endpoint *to, diagnosis *found)
{
    diagnosis_skip(found, STAGE_DNS, "a socket of this machine");
    diagnosis_skip(found, STAGE_PROXY, "a socket of this machine");
    struct sockaddr_un address;
    memset(&address, 0, sizeof address);
    address.sun_family = AF_UNIX;
    (void)snprintf(address.sun_path, sizeof address.sun_path, "%.*s",
                   (int)sizeof address.sun_path - 1, to->host);
    const int64_t start = now_ns();
    int failure = 0;
    const int fd = connect_to((const struct sockaddr *)&address, sizeof address, &failure);
    const int64_t took = now_ns() - start;
    if (fd < 0) {
        char text[REASON_SIZE];
        diagnosis_fail(found, STAGE_TCP, took, "whether something listens on that path, and may we",
                       "%s: %s", to->host, reason(failure, text));
        return false;
    }
    (void)close(fd);
    diagnosis_pass(found, STAGE_TCP, took, "%s", to->host);
    return true;
}

static bool walk_direct(const endpoint *to, diagnosis *found)
{
    diagnosis_skip(found, STAGE_PROXY, "none");
    struct addrinfo *first = resolve(to, "", found);
    if (first == NULL) {
        return false;
    }
    char text[200] = "";
    const int64_t start = now_ns();
    const int fd = connect_any(first, to->port, text, sizeof text);
    const int64_t took = now_ns() - start;
    freeaddrinfo(first);
    if (fd < 0) {
        diagnosis_fail(found, STAGE_TCP, took, NULL, "%s", text);
        return false;
    }
    (void)close(fd);
    diagnosis_pass(found, STAGE_TCP, took, "%s", text);
    return true;
}

/* --- through a proxy --- */

static int hex_value(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* User and password as they are meant. */
static size_t decode_user(const char *text, size_t size, char user[USER_SIZE])
{
    size_t used = 0;
    for (size_t i = 0; i < size && used < USER_SIZE; i++) {
        char c = text[i];
        if (c == '%' && i + 2 < size && hex_value(text[i + 1]) >= 0 &&
            hex_value(text[i + 2]) >= 0) {
            c = (char)(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
            i += 2;
        }
        user[used++] = c;
    }
    return used;
}

static void encode_base64(const char *bytes, size_t size, char *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        uint32_t group = (uint32_t)(unsigned char)bytes[i] << 16;
        group |= i + 1 < size ? (uint32_t)(unsigned char)bytes[i + 1] << 8 : 0;
        group |= i + 2 < size ? (uint32_t)(unsigned char)bytes[i + 2] : 0;
        *out++ = digits[group >> 18];
        *out++ = digits[group >> 12 & 63];
        *out++ = i + 1 < size ? digits[group >> 6 & 63] : '=';
        *out++ = i + 2 < size ? digits[group & 63] : '=';
    }
    *out = '\0';
}

/* user: as it stands in the proxy's URL; size 0: none. The buffer is the caller's to wipe. */
static int write_request(const endpoint *to, const char *user, size_t size,
                         char request[REQUEST_SIZE])
{
    const bool six = strchr(to->host, ':') != NULL;
    char plain[USER_SIZE];
    char basic[BASIC_SIZE] = "";
    if (size > 0) {
        encode_base64(plain, decode_user(user, size, plain), basic);
    }
    const int written = snprintf(
        request, REQUEST_SIZE, "CONNECT %s%s%s:%s HTTP/1.1\r\nHost: %s%s%s:%s\r\n%s%s%s\r\n",
        six ? "[" : "", to->host, six ? "]" : "", to->port, six ? "[" : "", to->host,
        six ? "]" : "", to->port, size > 0 ? "Proxy-Authorization: Basic " : "", basic,
        size > 0 ? "\r\n" : "");
    secret_wipe(plain, sizeof plain);
    secret_wipe(basic, sizeof basic);
    return written;
}

/* The status of its answer; 0: *failure says why there is none. */
static unsigned read_status(int fd, int *failure)
{
    char answer[ANSWER_SIZE] = "";
    size_t used = 0;
    while (used < sizeof answer - 1 && strstr(answer, "\r\n") == NULL) {
        *failure = await(fd, POLLIN);
        const ssize_t n = *failure == 0 ? recv(fd, answer + used, sizeof answer - 1 - used, 0) : -1;
        if (n == 0) {
            *failure = ECONNRESET;
        } else if (n < 0 && *failure == 0 && errno != EINTR && errno != EAGAIN) {
            *failure = errno;
        }
        if (*failure != 0) {
            return 0;
        }
        used += n > 0 ? (size_t)n : 0;
        answer[used] = '\0';
    }
    unsigned status = 0;
    *failure = EPROTO;
    return sscanf(answer, "HTTP/1.%*1[01] %3u", &status) == 1 ? status : 0;
}

static bool judge_status(unsigned status, int failure, const endpoint *to, int64_t took,
                         const char *proxy_text, int64_t proxy_took, diagnosis *found)
{
    char text[REASON_SIZE];
    if (status == 0) {
        diagnosis_fail(found, STAGE_PROXY, proxy_took + took, NULL, "%s: no answer: %s", proxy_text,
                       failure == EPROTO ? "what answers is no proxy" : reason(failure, text));
    } else if (status == 407) {
        diagnosis_fail(found, STAGE_PROXY, proxy_took + took,
                       "user and password in the proxy's URL",
                       "%s: it does not accept user and password (HTTP 407)", proxy_text);
    } else if (status / 100 == 2) {
        diagnosis_pass(found, STAGE_PROXY, proxy_took, "%s", proxy_text);
        diagnosis_pass(found, STAGE_TCP, took, "%s port %s, by the proxy", to->host, to->port);
        return true;
    } else if (status / 100 == 5) {
        diagnosis_pass(found, STAGE_PROXY, proxy_took, "%s", proxy_text);
        diagnosis_fail(found, STAGE_TCP, took, NULL,
                       "the proxy could not reach %s port %s (HTTP %u)", to->host, to->port,
                       status);
    } else {
        diagnosis_fail(found, STAGE_PROXY, proxy_took + took, NULL,
                       "%s: it does not lead to %s port %s (HTTP %u)", proxy_text, to->host,
                       to->port, status);
    }
    return false;
}

static bool ask_proxy(int fd, const endpoint *to, const char *user, size_t user_size,
                      const char *proxy_text, int64_t proxy_took, diagnosis *found)
{
    char request[REQUEST_SIZE];
    const int64_t start = now_ns();
    const int size = write_request(to, user, user_size, request);
    int failure = EMSGSIZE;
    unsigned status = 0;
    if (size > 0 && size < REQUEST_SIZE) {
        /* The first bytes of a connection: there is room for them. */
        failure = send(fd, request, (size_t)size, MSG_NOSIGNAL) == size ? 0 : errno;
    }
    secret_wipe(request, sizeof request);
    if (failure == 0) {
        status = read_status(fd, &failure);
    }
    return judge_status(status, failure, to, now_ns() - start, proxy_text, proxy_took, found);
}

static bool walk_proxy(const endpoint *to, const char *proxy, diagnosis *found)
{
    const char *authority = proxy + sizeof PROXY_SCHEME - 1;
    const char *at = strrchr(authority, '@');
    const char *host = at != NULL ? at + 1 : authority;
    endpoint through;
    memset(&through, 0, sizeof through);
    if (strncmp(proxy, PROXY_SCHEME, sizeof PROXY_SCHEME - 1) != 0 ||
        endpoint_parse_authority(host, strlen(host), &through) != TG_OK ||
        through.port[0] == '\0') {
        diagnosis_fail(found, STAGE_PROXY, DIAGNOSIS_NO_TIME, NULL,
                       "its URL is not http://[USER:PASSWORD@]HOST:PORT");
        return false;
    }
    struct addrinfo *first = resolve(&through, "the proxy's: ", found);
    if (first == NULL) {
        return false;
    }
    char text[200] = "";
    const int64_t start = now_ns();
    const int fd = connect_any(first, through.port, text, sizeof text);
    const int64_t took = now_ns() - start;
    freeaddrinfo(first);
    if (fd < 0) {
        diagnosis_fail(found, STAGE_PROXY, took, NULL, "%s", text);
        return false;
    }
    const bool good =
        ask_proxy(fd, to, authority, at != NULL ? (size_t)(at - authority) : 0, text, took, found);
    (void)close(fd);
    return good;
}

bool route_walk(const endpoint *to, const char *proxy, diagnosis *found)
{
    if (to->local_socket) {
        return walk_socket(to, found);
    }
    return proxy != NULL ? walk_proxy(to, proxy, found) : walk_direct(to, found);
}
