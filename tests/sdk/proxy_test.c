#include "tg_cmocka.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "proxy.h"

/* --- the option --- */

static void host_port_and_user_are_taken_apart(void **state)
{
    (void)state;
    tg__proxy proxy;
    assert_int_equal(tg__proxy_parse("http://proxy.example.com:3128", &proxy), TG_OK);
    assert_string_equal(proxy.host, "proxy.example.com");
    assert_int_equal(proxy.port, 3128);
    assert_string_equal(proxy.authorization, "");
    /* RFC 7617 2. */
    assert_int_equal(tg__proxy_parse("http://Aladdin:open%20sesame@[::1]:80", &proxy), TG_OK);
    assert_string_equal(proxy.host, "::1");
    assert_string_equal(proxy.authorization, "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
    assert_int_equal(tg__proxy_parse("http://a:p%40ss:w@rd@h:1", &proxy), TG_OK);
    assert_string_equal(proxy.authorization, "Basic YTpwQHNzOndAcmQ=");
}

static void what_is_no_proxy_is_refused_and_leaves_nothing(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "proxy:3128",
        "https://proxy:3128",
        "socks5://proxy:1080",
        "http://",
        "http://proxy",
        "http://proxy:0",
        "http://proxy:3128/",
        "http://:80",
        "http://u@h:1",
        "http://a:b%0a@h:1",
        "http://a:b%zz@h:1",
        "http://a:b%4",
        "http://a:b@:1",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        tg__proxy proxy;
        if (tg__proxy_parse(bad[i], &proxy) != TG_ERR_URL) {
            fail_msg("taken: %s", bad[i]);
        }
        assert_string_equal(proxy.authorization, "");
    }
    char longest[400] = "http://u:";
    memset(longest + 9, 'p', 253);
    (void)snprintf(longest + 9 + 253, 16, "@h:1");
    tg__proxy proxy;
    assert_int_equal(tg__proxy_parse(longest, &proxy), TG_OK);
    (void)snprintf(longest + 9 + 253, 16, "p@h:1");
    assert_int_equal(tg__proxy_parse(longest, &proxy), TG_ERR_URL);
}

/* --- the exchange --- */

typedef struct exchange {
    const char *answer;
    size_t piece; /* bytes at a time */
    int fd;
    char request[1024];
} exchange;

static void *play(void *argument)
{
    exchange *e = argument;
    size_t used = 0;
    while (used < sizeof e->request - 1 && strstr(e->request, "\r\n\r\n") == NULL) {
        const ssize_t n = recv(e->fd, e->request + used, 1, 0);
        if (n <= 0) {
            return NULL;
        }
        used += (size_t)n;
    }
    const size_t size = strlen(e->answer);
    for (size_t at = 0; at < size; at += e->piece) {
        const size_t piece = size - at < e->piece ? size - at : e->piece;
        (void)send(e->fd, e->answer + at, piece, MSG_NOSIGNAL);
    }
    (void)shutdown(e->fd, SHUT_WR);
    return NULL;
}

/* The proxy's answer, whole or in pieces; what came behind it is left in rest. */
static bool tunnel(exchange *e, const char *option, const char *host, tg__closed *closed,
                   char rest[16])
{
    tg__proxy proxy;
    assert_int_equal(tg__proxy_parse(option, &proxy), TG_OK);
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    assert_int_equal(fcntl(pair[0], F_SETFL, O_NONBLOCK), 0);
    e->fd = pair[1];
    memset(e->request, 0, sizeof e->request);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, play, e), 0);
    const int never = eventfd(0, EFD_CLOEXEC);
    memset(closed, 0, sizeof *closed);
    const bool led = tg__proxy_tunnel(&proxy, pair[0], host, 9443, never, closed);
    assert_int_equal(pthread_join(thread, NULL), 0);
    const ssize_t n = recv(pair[0], rest, 15, 0);
    rest[n > 0 ? n : 0] = '\0';
    (void)close(never);
    (void)close(pair[0]);
    (void)close(pair[1]);
    return led;
}

static void the_request_names_the_gateway_and_the_user(void **state)
{
    (void)state;
    tg__closed closed;
    char rest[16];
    exchange e = {.answer = "HTTP/1.1 200 Connection established\r\n\r\n", .piece = 1000};
    assert_true(tunnel(&e, "http://h:1", "gw.example.com", &closed, rest));
    assert_string_equal(e.request, "CONNECT gw.example.com:9443 HTTP/1.1\r\n"
                                   "Host: gw.example.com:9443\r\n\r\n");
    assert_true(tunnel(&e, "http://Aladdin:open%20sesame@h:1", "::1", &closed, rest));
    assert_string_equal(e.request, "CONNECT [::1]:9443 HTTP/1.1\r\n"
                                   "Host: [::1]:9443\r\n"
                                   "Proxy-Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\r\n"
                                   "\r\n");
}

static void an_answer_in_pieces_is_one_and_what_follows_is_not_its_own(void **state)
{
    (void)state;
    static const char answer[] = "HTTP/1.0 200 OK\r\nVia: 1.1 p\r\nX: y\r\n\r\nabc";
    for (size_t piece = 1; piece <= sizeof answer; piece++) {
        tg__closed closed;
        char rest[16];
        exchange e = {.answer = answer, .piece = piece};
        assert_true(tunnel(&e, "http://h:1", "gw", &closed, rest));
        assert_string_equal(rest, "abc");
    }
}

static void a_refusal_keeps_status_and_delay(void **state)
{
    (void)state;
    static const struct {
        const char *answer;
        int code;
        uint32_t floor_ms;
    } rows[] = {
        {"HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n", 407, 0},
        {"HTTP/1.1 503 x\r\nretry-after: 7\r\n\r\n", 503, 7000},
        {"HTTP/1.1 503 x\r\nDate: Tue, 01 Dec 2026 00:00:00 GMT\r\n"
         "Retry-After:Tue, 01 Dec 2026 00:00:09 GMT\r\n\r\n",
         503, 9000},
        {"HTTP/1.1 302 Found\r\nLocation: http://elsewhere\r\n\r\n", 302, 0},
        {"HTTP/2 200 OK\r\n\r\n", 0, 0},
        {"nonsense\r\n\r\n", 0, 0},
        {"HTTP/1.1 099 x\r\n\r\n", 0, 0},
        {"HTTP/1.1 2000 OK\r\n\r\n", 0, 0},
        {"HTTP/1.1 200x OK\r\n\r\n", 0, 0},
        {"HTTP/1.1 404\r\n\r\n", 404, 0},
        {"HTTP/1.1 200 OK\r\n", 0, 0}, /* ends before its end */
        {"", 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        tg__closed closed;
        char rest[16];
        exchange e = {.answer = rows[i].answer, .piece = 1000};
        assert_false(tunnel(&e, "http://h:1", "gw", &closed, rest));
        assert_int_equal(closed.cause, TG__CAUSE_PROXY);
        assert_int_equal(closed.code, rows[i].code);
        assert_int_equal(closed.floor_ms, rows[i].floor_ms);
        assert_true(closed.code != 0 || closed.text[0] != '\0');
    }
}

static void an_answer_without_an_end_is_refused(void **state)
{
    (void)state;
    static char endless[20000];
    (void)snprintf(endless, sizeof endless, "HTTP/1.1 200 OK\r\nX: ");
    memset(endless + 20, 'x', sizeof endless - 21);
    tg__closed closed;
    char rest[16];
    exchange e = {.answer = endless, .piece = 1000};
    assert_false(tunnel(&e, "http://h:1", "gw", &closed, rest));
    assert_non_null(strstr(closed.text, "no end"));
}

static void cancelling_ends_the_wait_for_an_answer(void **state)
{
    (void)state;
    tg__proxy proxy;
    assert_int_equal(tg__proxy_parse("http://h:1", &proxy), TG_OK);
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
    const int cancel = eventfd(1, EFD_CLOEXEC);
    tg__closed closed;
    memset(&closed, 0, sizeof closed);
    assert_false(tg__proxy_tunnel(&proxy, pair[0], "gw", 9443, cancel, &closed));
    (void)close(cancel);
    (void)close(pair[0]);
    (void)close(pair[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(host_port_and_user_are_taken_apart),
        cmocka_unit_test(what_is_no_proxy_is_refused_and_leaves_nothing),
        cmocka_unit_test(the_request_names_the_gateway_and_the_user),
        cmocka_unit_test(an_answer_in_pieces_is_one_and_what_follows_is_not_its_own),
        cmocka_unit_test(a_refusal_keeps_status_and_delay),
        cmocka_unit_test(an_answer_without_an_end_is_refused),
        cmocka_unit_test(cancelling_ends_the_wait_for_an_answer),
    };
    return cmocka_run_group_tests_name("sdk.proxy", tests, NULL, NULL);
}
