#include "metrics_http.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <tickglass/internal/control_flow.h>

#include "ip_address.h"
#include "prometheus.h"

#define HEAD_SIZE_MAX 256u

typedef enum client_state {
    CLIENT_FREE = 0,
    CLIENT_ASKS,  /* its request is not complete */
    CLIENT_WAITS, /* for the answer to be made */
    CLIENT_READS, /* the answer is under way */
    CLIENT_LEAVES /* nothing more is sent; what it still sends is thrown away, lest a reset
                     overtakes the answer */
} client_state;

typedef struct client {
    client_state state;
    int fd;
    int64_t deadline_ns;
    size_t request_size;
    size_t sent;
    tg__text_buffer answer;
    char request[TG__METRICS_HTTP_REQUEST_MAX + 1];
} client;

struct tg__metrics_http {
    tg__metrics_http_options options;
    int fd; /* -1: not open */
    uint16_t port;
    tg__text_buffer body;
    client clients[TG__METRICS_HTTP_CLIENTS];
};

/* ---- listening ---- */

static bool set_flags(int fd)
{
    const int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0 &&
           fcntl(fd, F_SETFD, FD_CLOEXEC) == 0;
}

static bool listen_at(tg__metrics_http *http, const tg__ip_address *address)
{
    const int one = 1;
    tg__ip_address bound = {.size = sizeof bound.storage};
    http->fd = socket(address->storage.ss_family, SOCK_STREAM, 0);
    if (http->fd < 0 || !set_flags(http->fd) ||
        setsockopt(http->fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) != 0 ||
        bind(http->fd, (const struct sockaddr *)&address->storage, address->size) != 0 ||
        listen(http->fd, TG__METRICS_HTTP_CLIENTS) != 0 ||
        getsockname(http->fd, (struct sockaddr *)&bound.storage, &bound.size) != 0) {
        return false;
    }
    http->port = tg__ip_address_port(&bound);
    return true;
}

static tg_err begin_to_listen(tg__metrics_http *http, tg__cause *cause)
{
    const char *host = http->options.host;
    tg__ip_address address;
    if (!tg__ip_address_of(host, http->options.port, &address)) {
        return tg__cause_set(cause, TG_ERR_LISTEN, "--metrics-listen %s: is not an IP address",
                             host);
    }
    return listen_at(http, &address)
               ? TG_OK
               : tg__cause_set(cause, TG_ERR_LISTEN, "--metrics-listen %s port %u: %s", host,
                               (unsigned)http->options.port, strerror(errno));
}

tg_err tg__metrics_http_open(const tg__metrics_http_options *options, tg__metrics_http **out,
                             tg__cause *cause)
{
    *out = NULL;
    tg__metrics_http *http = calloc(1, sizeof *http);
    if (http == NULL) {
        return tg__cause_set(cause, TG_ERR_NO_MEMORY, "no memory for the metrics' listener");
    }
    http->options = *options;
    http->fd = -1;
    const tg_err err = begin_to_listen(http, cause);
    if (err != TG_OK) {
        tg__metrics_http_close(http);
        return err;
    }
    *out = http;
    return TG_OK;
}

uint16_t tg__metrics_http_port(const tg__metrics_http *http)
{
    return http->port;
}

static void end_client(client *c)
{
    (void)close(c->fd);
    c->state = CLIENT_FREE;
}

void tg__metrics_http_close(tg__metrics_http *http)
{
    if (http == NULL) {
        return;
    }
    for (unsigned i = 0; i < TG__METRICS_HTTP_CLIENTS; i++) {
        if (http->clients[i].state != CLIENT_FREE) {
            end_client(&http->clients[i]);
        }
        tg__text_buffer_deinit(&http->clients[i].answer);
    }
    if (http->fd >= 0) {
        (void)close(http->fd);
    }
    tg__text_buffer_deinit(&http->body);
    free(http);
}

/* ---- answers ---- */

static void answer(client *c, const char *status, const char *more, const tg__text_buffer *body)
{
    char head[HEAD_SIZE_MAX];
    const size_t size = body != NULL ? body->size : 0;
    (void)snprintf(head, sizeof head,
                   "HTTP/1.1 %s\r\n%sContent-Length: %zu\r\n"
                   "Connection: close\r\n\r\n",
                   status, more, size);
    c->answer.size = 0;
    c->answer.failed = false;
    c->sent = 0;
    tg__text_add_string(&c->answer, head);
    if (body != NULL) {
        tg__text_add(&c->answer, body->bytes, body->size);
    }
    if (c->answer.failed) {
        end_client(c);
        return;
    }
    c->state = CLIENT_READS;
}

static void answer_report(tg__metrics_http *http, client *c)
{
    http->body.size = 0;
    http->body.failed = false;
    http->options.report(http->options.ctx, &http->body);
    if (http->body.failed) {
        answer(c, "503 Service Unavailable", "", NULL);
        return;
    }
    answer(c, "200 OK", "Content-Type: " TG__PROMETHEUS_CONTENT_TYPE "\r\n", &http->body);
}

/* The request's head has come whole: "GET /metrics HTTP/1.1", with a query or without. */
static void take_request(client *c)
{
    static const char path[] = "/metrics";
    char *const method_end = strpbrk(c->request, " \r\n");
    char *const path_end =
        method_end != NULL && *method_end == ' ' ? strpbrk(method_end + 1, " \r\n") : NULL;
    if (path_end == NULL || strncmp(path_end, " HTTP/1.", 8) != 0) {
        answer(c, "400 Bad Request", "", NULL);
        return;
    }
    const char *asked = method_end + 1;
    const size_t length = strcspn(asked, "? ");
    if (length != sizeof path - 1 || memcmp(asked, path, length) != 0) {
        answer(c, "404 Not Found", "", NULL);
    } else if (strncmp(c->request, "GET ", 4) != 0) {
        answer(c, "405 Method Not Allowed", "Allow: GET\r\n", NULL);
    } else {
        c->state = CLIENT_WAITS;
    }
}

/* ---- the step ---- */

static void read_request(client *c)
{
    const ssize_t size = recv(c->fd, c->request + c->request_size,
                              TG__METRICS_HTTP_REQUEST_MAX - c->request_size, 0);
    if (size <= 0) {
        if (size == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) {
            end_client(c);
        }
        return;
    }
    c->request_size += (size_t)size;
    c->request[c->request_size] = '\0';
    if (strlen(c->request) != c->request_size) {
        answer(c, "400 Bad Request", "", NULL); /* a NUL byte is no text */
    } else if (strstr(c->request, "\r\n\r\n") != NULL || strstr(c->request, "\n\n") != NULL) {
        take_request(c);
    } else if (c->request_size == TG__METRICS_HTTP_REQUEST_MAX) {
        answer(c, "431 Request Header Fields Too Large", "", NULL);
    }
}

static void send_answer(client *c)
{
    const ssize_t size =
        send(c->fd, c->answer.bytes + c->sent, c->answer.size - c->sent, MSG_NOSIGNAL);
    if (size < 0) {
        if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
            end_client(c);
        }
        return;
    }
    c->sent += (size_t)size;
    if (c->sent == c->answer.size) {
        (void)shutdown(c->fd, SHUT_WR);
        c->state = CLIENT_LEAVES;
    }
}

static void throw_away(client *c)
{
    const ssize_t size = recv(c->fd, c->request, TG__METRICS_HTTP_REQUEST_MAX, 0);
    if (size == 0 || (size < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) {
        end_client(c);
    }
}

static void accept_client(tg__metrics_http *http, int64_t now_ns)
{
    for (unsigned i = 0; i < TG__METRICS_HTTP_CLIENTS; i++) {
        client *c = &http->clients[i];
        if (c->state != CLIENT_FREE) {
            continue;
        }
        c->fd = accept(http->fd, NULL, NULL);
        if (c->fd < 0) {
            return;
        }
        if (!set_flags(c->fd)) {
            end_client(c);
            return;
        }
        c->state = CLIENT_ASKS;
        c->request_size = 0;
        c->deadline_ns = now_ns + TG__METRICS_HTTP_LIMIT_NS;
    }
}

static void step_client(client *c, int64_t now_ns)
{
    if (c->state == CLIENT_ASKS) {
        read_request(c);
    }
    if (c->state == CLIENT_READS) {
        send_answer(c);
    }
    if (c->state == CLIENT_LEAVES) {
        throw_away(c);
    }
    if (c->state != CLIENT_FREE && now_ns >= c->deadline_ns) {
        end_client(c);
    }
}

void tg__metrics_http_step(tg__metrics_http *http)
{
    if (http == NULL) {
        return;
    }
    const int64_t now_ns = tg_clock_mono_ns(&http->options.clock);
    bool made = false;
    accept_client(http, now_ns);
    for (unsigned i = 0; i < TG__METRICS_HTTP_CLIENTS; i++) {
        client *c = &http->clients[i];
        step_client(c, now_ns);
        if (c->state == CLIENT_WAITS && !made) {
            made = true;
            answer_report(http, c);
        }
    }
}
