#include "proxy.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>

#include <tickglass/internal/control_flow.h>

#include "retry_after.h"
#include "tls_base64.h"
#include "tls_trust.h"

#define SCHEME       "http://"
#define BASIC        "Basic "
#define ANSWER_SIZE  8192u /* what proxies and servers commonly take as the limit of a header */
#define VALUE_SIZE   64
#define NS_PER_S     INT64_C(1000000000)
#define CONNECT_LINE "CONNECT %s%s%s:%u HTTP/1.1\r\nHost: %s%s%s:%u\r\n"

/* --- the option --- */

static int hex_value(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Percent-decoding; control characters have no place in a user name. */
static tg_err decode_user(const char *text, size_t size, char *out, size_t *out_size)
{
    size_t used = 0;
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '%') {
            TG_ENSURE(i + 2 < size && hex_value(text[i + 1]) >= 0 && hex_value(text[i + 2]) >= 0,
                      TG_ERR_URL);
            c = (unsigned char)(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
            i += 2;
        }
        TG_ENSURE(c >= ' ' && c != 0x7f && used < TG__PROXY_USER_SIZE - 1, TG_ERR_URL);
        out[used++] = (char)c;
    }
    *out_size = used;
    return TG_OK;
}

static tg_err take_user(const char *text, size_t size, tg__proxy *proxy)
{
    char user[TG__PROXY_USER_SIZE];
    size_t used = 0;
    tg_err err = memchr(text, ':', size) != NULL ? TG_OK : TG_ERR_URL;
    if (err == TG_OK) {
        err = decode_user(text, size, user, &used);
    }
    if (err == TG_OK) {
        memcpy(proxy->authorization, BASIC, sizeof BASIC);
        err = tg__base64_encode(user, used, proxy->authorization + sizeof BASIC - 1,
                                sizeof proxy->authorization - sizeof BASIC + 1);
    }
    tg__wipe(user, sizeof user);
    return err;
}

tg_err tg__proxy_parse(const char *text, tg__proxy *proxy)
{
    memset(proxy, 0, sizeof *proxy);
    TG_ENSURE(strncmp(text, SCHEME, sizeof SCHEME - 1) == 0, TG_ERR_URL);
    const char *rest = text + sizeof SCHEME - 1;
    const char *at = strrchr(rest, '@');
    tg_err err = TG_OK;
    if (at != NULL) {
        err = take_user(rest, (size_t)(at - rest), proxy);
        rest = at + 1;
    }
    if (err == TG_OK) {
        err = tg__url_authority_parse(rest, proxy->host, &proxy->port);
    }
    if (err != TG_OK) {
        tg__wipe(proxy, sizeof *proxy);
    }
    return err;
}

/* --- the exchange --- */

static void refuse(tg__closed *closed, tg__cause cause, uint16_t code, const char *text)
{
    closed->cause = cause;
    closed->code = code;
    (void)snprintf(closed->text, sizeof closed->text, "%s", text);
}

/* True: fd is ready; errno says why not otherwise. */
static bool await(int fd, short events, int cancel_fd)
{
    struct pollfd fds[2] = {{cancel_fd, POLLIN, 0}, {fd, events, 0}};
    int ready = 0;
    do {
        ready = poll(fds, 2, -1);
    } while (ready < 0 && errno == EINTR);
    if (ready > 0 && fds[0].revents != 0) {
        errno = ECANCELED;
        return false;
    }
    return ready > 0;
}

static bool send_all(int fd, const char *bytes, size_t size, int cancel_fd)
{
    size_t sent = 0;
    while (sent < size) {
        const ssize_t n = send(fd, bytes + sent, size - sent, MSG_NOSIGNAL);
        if (n > 0) {
            sent += (size_t)n;
        } else if ((errno != EAGAIN && errno != EINTR) || !await(fd, POLLOUT, cancel_fd)) {
            return false;
        }
    }
    return true;
}

static bool send_request(const tg__proxy *proxy, int fd, const char *host, uint16_t port,
                         int cancel_fd)
{
    const bool six = strchr(host, ':') != NULL;
    const char *open = six ? "[" : "";
    const char *close = six ? "]" : "";
    char request[2 * TG__HOST_SIZE + sizeof proxy->authorization + 128];
    int size = snprintf(request, sizeof request, CONNECT_LINE, open, host, close, (unsigned)port,
                        open, host, close, (unsigned)port);
    if (proxy->authorization[0] != '\0') {
        size += snprintf(request + size, sizeof request - (size_t)size,
                         "Proxy-Authorization: %s\r\n", proxy->authorization);
    }
    size += snprintf(request + size, sizeof request - (size_t)size, "\r\n");
    const bool sent = send_all(fd, request, (size_t)size, cancel_fd);
    tg__wipe(request, sizeof request);
    return sent;
}

/* The header up to its empty line, and not a byte more: what follows is not the proxy's. 0: errno
 * says why not. */
static size_t read_header(int fd, char *answer, int cancel_fd)
{
    size_t used = 0;
    while (used < ANSWER_SIZE - 1) {
        const ssize_t n = recv(fd, answer + used, 1, 0);
        if (n == 0) {
            errno = ECONNRESET;
            return 0;
        }
        if (n < 0) {
            if ((errno != EAGAIN && errno != EINTR) || !await(fd, POLLIN, cancel_fd)) {
                return 0;
            }
            continue;
        }
        used++;
        answer[used] = '\0';
        if (used >= 4 && memcmp(answer + used - 4, "\r\n\r\n", 4) == 0) {
            return used;
        }
    }
    errno = EMSGSIZE;
    return 0;
}

static void copy_value(const char *answer, const char *name, char *value)
{
    value[0] = '\0';
    const size_t size = strlen(name);
    for (const char *line = strstr(answer, "\r\n"); line != NULL; line = strstr(line, "\r\n")) {
        line += 2;
        if (strncasecmp(line, name, size) == 0 && line[size] == ':') {
            line += size + 1;
            line += strspn(line, " \t");
            (void)snprintf(value, VALUE_SIZE, "%.*s", (int)strcspn(line, "\r\n"), line);
            return;
        }
    }
}

static void judge(const char *answer, tg__closed *closed)
{
    unsigned int status = 0;
    char end[2]; /* three digits, and not the first three of more */
    if (sscanf(answer, "HTTP/1.%*1[01] %3u%1[ \r]", &status, end) != 2 || status < 100) {
        refuse(closed, TG__CAUSE_PROXY, 0, "the answer is not that of a proxy");
        return;
    }
    refuse(closed, TG__CAUSE_PROXY, (uint16_t)status, "");
    char wait[VALUE_SIZE];
    char date[VALUE_SIZE];
    copy_value(answer, "Retry-After", wait);
    copy_value(answer, "Date", date);
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    uint32_t wait_ms = 0;
    if (wait[0] != '\0' &&
        tg__retry_after_parse(wait, date, now.tv_sec * NS_PER_S + now.tv_nsec, &wait_ms) == TG_OK) {
        closed->floor_ms = wait_ms;
    }
}

static void explain(int failure, tg__closed *closed)
{
    char reason[VALUE_SIZE] = "";
    if (failure == EMSGSIZE) {
        (void)snprintf(reason, sizeof reason, "its answer has no end");
    } else {
        (void)strerror_r(failure, reason, sizeof reason);
    }
    refuse(closed, TG__CAUSE_PROXY, 0, reason);
}

bool tg__proxy_tunnel(const tg__proxy *proxy, int fd, const char *host, uint16_t port,
                      int cancel_fd, tg__closed *closed)
{
    char answer[ANSWER_SIZE];
    if (!send_request(proxy, fd, host, port, cancel_fd) ||
        read_header(fd, answer, cancel_fd) == 0) {
        explain(errno, closed);
        return false;
    }
    judge(answer, closed);
    return closed->code / 100 == 2;
}
