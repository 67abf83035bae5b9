/* Names, sockets and a real proxy (tinyproxy, where it is installed). */
#include "route_walk.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tg_cmocka.h"

#include "../gateway/scratch_folder.h"
#include "../sdk/route_process.h"

/* A port of 127.0.0.1 where connections are taken by the system, or, with a thread of answer(), get
 * an answer. */
typedef struct door {
    int fd;
    char port[ENDPOINT_PORT_SIZE];
    const char *answer;
    pthread_t thread;
    char request[2048];
} door;

static void door_open(door *self)
{
    struct sockaddr_in at;
    socklen_t size = sizeof at;
    memset(self, 0, sizeof *self);
    memset(&at, 0, sizeof at);
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    self->fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(self->fd >= 0);
    assert_int_equal(bind(self->fd, (const struct sockaddr *)&at, size), 0);
    assert_int_equal(listen(self->fd, 4), 0);
    assert_int_equal(getsockname(self->fd, (struct sockaddr *)&at, &size), 0);
    (void)snprintf(self->port, sizeof self->port, "%u", (unsigned)ntohs(at.sin_port));
}

static void *answer(void *arg)
{
    door *self = arg;
    const int fd = accept(self->fd, NULL, NULL);
    size_t used = 0;
    ssize_t n = 1;
    while (n > 0 && strstr(self->request, "\r\n\r\n") == NULL) {
        n = read(fd, self->request + used, sizeof self->request - 1 - used);
        used += n > 0 ? (size_t)n : 0;
    }
    (void)!write(fd, self->answer, strlen(self->answer));
    (void)close(fd);
    return NULL;
}

static endpoint endpoint_at(const char *host, const char *port)
{
    endpoint to = {.tls = true};
    (void)snprintf(to.host, sizeof to.host, "%s", host);
    (void)snprintf(to.port, sizeof to.port, "%s", port);
    return to;
}

static void expect(const diagnosis *found, diagnosis_stage stage, stage_outcome outcome,
                   const char *part)
{
    const stage_result *result = &found->stages[stage];
    if (result->outcome != outcome || strstr(result->text, part) == NULL) {
        fail_msg("stage %d: outcome %d, \"%s\", not %d, \"%s\"", (int)stage, (int)result->outcome,
                 result->text, (int)outcome, part);
    }
}

static void a_port_that_listens_is_reached(void **state)
{
    (void)state;
    door listening;
    door_open(&listening);
    const endpoint to = endpoint_at("127.0.0.1", listening.port);
    diagnosis found;
    memset(&found, 0, sizeof found);
    assert_true(route_walk(&to, NULL, &found));
    expect(&found, STAGE_DNS, STAGE_PASSED, "127.0.0.1");
    expect(&found, STAGE_PROXY, STAGE_NOT_USED, "none");
    expect(&found, STAGE_TCP, STAGE_PASSED, listening.port);
    assert_true(found.stages[STAGE_TCP].took_ns >= 0);
    (void)close(listening.fd);
    memset(&found, 0, sizeof found);
    assert_false(route_walk(&to, NULL, &found));
    expect(&found, STAGE_TCP, STAGE_FAILED, "Connection refused");
    assert_int_equal(diagnosis_exit_code(&found), 12);
}

static void a_name_that_does_not_exist_is_told(void **state)
{
    (void)state;
    const endpoint to = endpoint_at("no such name", "443");
    diagnosis found;
    memset(&found, 0, sizeof found);
    assert_false(route_walk(&to, NULL, &found));
    expect(&found, STAGE_DNS, STAGE_FAILED, "no such name: ");
    assert_int_equal(diagnosis_exit_code(&found), 10);
    memset(&found, 0, sizeof found);
    assert_false(route_walk(&to, "http://no%20such%20proxy:1", &found));
    expect(&found, STAGE_DNS, STAGE_FAILED, "the proxy's: ");
}

static void a_socket_needs_neither_name_nor_proxy(void **state)
{
    (void)state;
    scratch_folder folder;
    scratch_folder_open(&folder);
    struct sockaddr_un at;
    memset(&at, 0, sizeof at);
    at.sun_family = AF_UNIX;
    (void)snprintf(at.sun_path, sizeof at.sun_path, "%s", scratch_path(&folder, "s"));
    endpoint to = endpoint_at(at.sun_path, "");
    to.local_socket = true;
    diagnosis found;
    memset(&found, 0, sizeof found);
    assert_false(route_walk(&to, "http://p:1", &found));
    expect(&found, STAGE_TCP, STAGE_FAILED, "No such file");
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(fd, 1), 0);
    memset(&found, 0, sizeof found);
    assert_true(route_walk(&to, "http://p:1", &found));
    expect(&found, STAGE_PROXY, STAGE_NOT_USED, "");
    expect(&found, STAGE_TCP, STAGE_PASSED, at.sun_path);
    (void)close(fd);
    scratch_folder_close(&folder);
}

static void what_a_proxy_answers_is_judged(void **state)
{
    (void)state;
    static const struct {
        const char *answer;
        const char *part;
        int code;
    } cases[] = {
        {"HTTP/1.1 200 OK\r\n\r\n", "", 0},
        {"HTTP/1.0 407 Who\r\n\r\n", "does not accept user and password (HTTP 407)", 11},
        {"HTTP/1.1 403 No\r\n\r\n", "does not lead to gw.example port 443 (HTTP 403)", 11},
        {"HTTP/1.1 502 Bad\r\n\r\n", "could not reach gw.example port 443 (HTTP 502)", 12},
        {"SSH-2.0-x\r\n", "what answers is no proxy", 11},
        {"", "no answer: Connection reset", 11},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        door proxy;
        door_open(&proxy);
        proxy.answer = cases[i].answer;
        assert_int_equal(pthread_create(&proxy.thread, NULL, answer, &proxy), 0);
        const endpoint to = endpoint_at("gw.example", "443");
        char url[100];
        (void)snprintf(url, sizeof url, "http://us%%65r:c%%40nary@127.0.0.1:%s", proxy.port);
        diagnosis found;
        memset(&found, 0, sizeof found);
        (void)route_walk(&to, url, &found);
        assert_int_equal(pthread_join(proxy.thread, NULL), 0);
        (void)close(proxy.fd);
        assert_int_equal(diagnosis_exit_code(&found), cases[i].code);
        if (cases[i].code != 0) {
            expect(&found, cases[i].code == 11 ? STAGE_PROXY : STAGE_TCP, STAGE_FAILED,
                   cases[i].part);
        }
        assert_non_null(strstr(proxy.request, "CONNECT gw.example:443 HTTP/1.1\r\n"));
        /* "user:c@nary" in base64. */
        assert_non_null(strstr(proxy.request, "Authorization: Basic dXNlcjpjQG5hcnk=\r\n"));
        for (int k = 0; k < STAGE_COUNT; k++) {
            assert_null(strstr(found.stages[k].text, "nary"));
        }
    }
}

static void a_real_proxy_leads_on(void **state)
{
    (void)state;
    if (!route_has_proxy()) {
        skip();
    }
    route_process proxy;
    assert_true(route_start_proxy(&proxy, "user", "canary"));
    door listening;
    door_open(&listening);
    endpoint to = endpoint_at("127.0.0.1", listening.port);
    char url[100];
    diagnosis found;
    memset(&found, 0, sizeof found);
    (void)snprintf(url, sizeof url, "http://us%%65r:can%%61ry@127.0.0.1:%d", proxy.port);
    assert_true(route_walk(&to, url, &found));
    expect(&found, STAGE_TCP, STAGE_PASSED, "by the proxy");
    (void)snprintf(url, sizeof url, "http://user:wrong@127.0.0.1:%d", proxy.port);
    assert_false(route_walk(&to, url, &found));
    assert_int_equal(diagnosis_exit_code(&found), 11);
    (void)close(listening.fd);
    (void)snprintf(url, sizeof url, "http://us%%65r:can%%61ry@127.0.0.1:%d", proxy.port);
    memset(&found, 0, sizeof found);
    assert_false(route_walk(&to, url, &found));
    assert_int_equal(diagnosis_exit_code(&found), 12);
    route_stop(&proxy);
    memset(&found, 0, sizeof found);
    assert_false(route_walk(&to, url, &found));
    expect(&found, STAGE_PROXY, STAGE_FAILED, "Connection refused");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_port_that_listens_is_reached),
        cmocka_unit_test(a_name_that_does_not_exist_is_told),
        cmocka_unit_test(a_socket_needs_neither_name_nor_proxy),
        cmocka_unit_test(what_a_proxy_answers_is_judged),
        cmocka_unit_test(a_real_proxy_leads_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
