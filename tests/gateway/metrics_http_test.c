#include "tg_cmocka.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "metrics_http.h"

#define STEPS_MAX 20000 /* of at most a millisecond of waiting each */

typedef struct fixture {
    tg__metrics_http *http;
    int64_t now_ns;
    unsigned reports;
    size_t body_size;
    bool no_memory;
} fixture;

static int64_t read_clock(void *ctx)
{
    const fixture *f = ctx;
    return f->now_ns;
}

static void report(void *ctx, tg__text_buffer *out)
{
    fixture *f = ctx;
    f->reports++;
    for (size_t i = 0; i < f->body_size; i++) {
        tg__text_add(out, "x", 1);
    }
    tg__text_add_string(out, "end\n");
    out->failed = f->no_memory;
}

static void open_http(fixture *f)
{
    tg__cause cause;
    memset(f, 0, sizeof *f);
    const tg__metrics_http_options options = {.host = "127.0.0.1",
                                              .clock = {read_clock, read_clock, f, NULL},
                                              .report = report,
                                              .ctx = f};
    assert_int_equal(tg__metrics_http_open(&options, &f->http, &cause), TG_OK);
}

static int connect_to(const fixture *f)
{
    const struct sockaddr_in address = {.sin_family = AF_INET,
                                        .sin_port = htons(tg__metrics_http_port(f->http)),
                                        .sin_addr = {htonl(INADDR_LOOPBACK)}};
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

static void send_text(int fd, const char *text)
{
    assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

/* Steps the server until the connection has ended; what came, and how it ended. */
static ssize_t read_to_end(fixture *f, int fd, char *out, size_t capacity)
{
    size_t size = 0;
    for (unsigned i = 0; i < STEPS_MAX; i++) {
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        tg__metrics_http_step(f->http);
        assert_true(size + 1 < capacity);
        const ssize_t got = recv(fd, out + size, capacity - size - 1, MSG_DONTWAIT);
        if (got == 0) {
            out[size] = '\0';
            return (ssize_t)size;
        }
        if (got > 0) {
            size += (size_t)got;
        } else {
            (void)poll(&wait, 1, 1); /* or until something comes */
        }
    }
    fail_msg("the connection does not end");
    return -1;
}

static void check_answer(const char *request, const char *status)
{
    fixture f;
    char answer[4096];
    open_http(&f);
    const int fd = connect_to(&f);
    send_text(fd, request);
    (void)read_to_end(&f, fd, answer, sizeof answer);
    assert_memory_equal(answer, status, strlen(status));
    assert_non_null(strstr(answer, "\r\nConnection: close\r\n"));
    assert_int_equal(f.reports, strstr(status, "200") != NULL);
    (void)close(fd);
    tg__metrics_http_close(f.http);
}

static void only_a_get_of_metrics_is_answered_with_the_report(void **state)
{
    (void)state;
    check_answer("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP/1.1 200 OK\r\n");
    check_answer("GET /metrics?debug=1 HTTP/1.0\r\n\r\n", "HTTP/1.1 200 OK\r\n");
    check_answer("GET /metrics HTTP/1.1\n\n", "HTTP/1.1 200 OK\r\n");
    check_answer("GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 404 Not Found\r\n");
    check_answer("GET /metricsx HTTP/1.1\r\n\r\n", "HTTP/1.1 404 Not Found\r\n");
    check_answer("POST /metrics HTTP/1.1\r\n\r\n", "HTTP/1.1 405 Method Not Allowed\r\n");
    check_answer("GET /metrics\r\n\r\n", "HTTP/1.1 400 Bad Request\r\n");
    check_answer("GET /metrics SPDY/3\r\n\r\n", "HTTP/1.1 400 Bad Request\r\n");
    check_answer("\r\n\r\n", "HTTP/1.1 400 Bad Request\r\n");
}

static void an_answer_larger_than_the_socket_comes_whole(void **state)
{
    (void)state;
    static char answer[8 * 1024 * 1024];
    fixture f;
    open_http(&f);
    f.body_size = 6 * 1024 * 1024;
    const int fd = connect_to(&f);
    send_text(fd, "GET /metrics HTTP/1.1\r\n\r\n");
    const ssize_t size = read_to_end(&f, fd, answer, sizeof answer);
    const char *body = strstr(answer, "\r\n\r\n");
    assert_non_null(body);
    assert_int_equal(answer + size - (body + 4), f.body_size + 4);
    assert_non_null(strstr(answer, "\r\nContent-Length: 6291460\r\n"));
    assert_non_null(
        strstr(answer, "\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"));
    assert_memory_equal(answer + size - 4, "end\n", 4);
    (void)close(fd);
    tg__metrics_http_close(f.http);
}

static void a_request_may_come_in_pieces_but_not_without_end(void **state)
{
    (void)state;
    static const char request[] = "GET /metrics HTTP/1.1\r\n\r\n";
    fixture f;
    char answer[4096];
    open_http(&f);
    int fd = connect_to(&f);
    for (size_t i = 0; i + 1 < sizeof request; i++) {
        assert_int_equal(send(fd, request + i, 1, MSG_NOSIGNAL), 1);
        tg__metrics_http_step(f.http);
    }
    (void)read_to_end(&f, fd, answer, sizeof answer);
    assert_memory_equal(answer, "HTTP/1.1 200", 12);
    (void)close(fd);
    fd = connect_to(&f);
    char header[3 * TG__METRICS_HTTP_REQUEST_MAX];
    memset(header, 'a', sizeof header);
    send_text(fd, "GET /metrics HTTP/1.1\r\n");
    assert_int_equal(send(fd, header, sizeof header, MSG_NOSIGNAL), sizeof header);
    (void)read_to_end(&f, fd, answer, sizeof answer);
    assert_memory_equal(answer, "HTTP/1.1 431", 12); /* and it was not lost in a reset */
    (void)close(fd);
    tg__metrics_http_close(f.http);
}

static void who_is_slow_is_closed_and_the_next_is_served(void **state)
{
    (void)state;
    fixture f;
    int slow[TG__METRICS_HTTP_CLIENTS];
    char answer[4096];
    open_http(&f);
    for (unsigned i = 0; i < TG__METRICS_HTTP_CLIENTS; i++) {
        slow[i] = connect_to(&f);
        send_text(slow[i], "GET /met");
    }
    const int next = connect_to(&f);
    send_text(next, "GET /metrics HTTP/1.1\r\n\r\n");
    for (unsigned i = 0; i < 100; i++) {
        tg__metrics_http_step(f.http);
    }
    assert_int_equal(f.reports, 0); /* every place is taken */
    f.now_ns += TG__METRICS_HTTP_LIMIT_NS;
    (void)read_to_end(&f, next, answer, sizeof answer);
    assert_memory_equal(answer, "HTTP/1.1 200", 12);
    for (unsigned i = 0; i < TG__METRICS_HTTP_CLIENTS; i++) {
        assert_int_equal(read_to_end(&f, slow[i], answer, sizeof answer), 0);
        (void)close(slow[i]);
    }
    (void)close(next);
    tg__metrics_http_close(f.http);
}

static void a_report_without_memory_is_not_half_a_report(void **state)
{
    (void)state;
    fixture f;
    char answer[4096];
    open_http(&f);
    f.no_memory = true;
    const int fd = connect_to(&f);
    send_text(fd, "GET /metrics HTTP/1.1\r\n\r\n");
    (void)read_to_end(&f, fd, answer, sizeof answer);
    assert_memory_equal(answer, "HTTP/1.1 503", 12);
    assert_null(strstr(answer, "end"));
    (void)close(fd);
    tg__metrics_http_close(f.http);
}

static void an_address_that_cannot_be_used_is_named(void **state)
{
    (void)state;
    fixture f;
    tg__cause cause;
    tg__metrics_http *second = NULL;
    open_http(&f);
    tg__metrics_http_options options = {.host = "127.0.0.1", .port = tg__metrics_http_port(f.http)};
    assert_int_equal(tg__metrics_http_open(&options, &second, &cause), TG_ERR_LISTEN);
    assert_null(second);
    assert_non_null(strstr(cause.text, "--metrics-listen 127.0.0.1 port "));
    options.host = "example";
    assert_int_equal(tg__metrics_http_open(&options, &second, &cause), TG_ERR_LISTEN);
    assert_non_null(strstr(cause.text, "is not an IP address"));
    tg__metrics_http_step(NULL);
    tg__metrics_http_close(NULL);
    tg__metrics_http_close(f.http);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_a_get_of_metrics_is_answered_with_the_report),
        cmocka_unit_test(an_answer_larger_than_the_socket_comes_whole),
        cmocka_unit_test(a_request_may_come_in_pieces_but_not_without_end),
        cmocka_unit_test(who_is_slow_is_closed_and_the_next_is_served),
        cmocka_unit_test(a_report_without_memory_is_not_half_a_report),
        cmocka_unit_test(an_address_that_cannot_be_used_is_named),
    };
    return cmocka_run_group_tests_name("gateway.metrics_http", tests, NULL, NULL);
}
