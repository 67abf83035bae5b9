/* The environment of the host's process does not lead a session elsewhere. */
#include "tg_cmocka.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io_rig.h"
#include "raw_server.h"

static void say_close(raw_server *server, int fd)
{
    uint8_t frame[64];
    if (raw_upgrade(server, fd)) {
        (void)raw_write(fd, frame, raw_frame(0x88, "\x03\xe8", 2, frame));
        raw_read_until_close(server, fd);
    }
}

static void be_a_proxy(raw_server *server, int fd)
{
    static const char good[] = "HTTP/1.1 200 Connection established\r\n\r\n";
    if (raw_read_request(server, fd)) {
        (void)raw_write(fd, good, sizeof good - 1);
    }
}

static void a_proxy_in_the_environment_gets_no_connection(void **state)
{
    (void)state;
    static const char *const names[] = {"http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY",
                                        "all_proxy",  "ALL_PROXY",  "socks_proxy"};
    /* %u is the port; the last forms are those that libwebsockets complains about. */
    static const char *const forms[] = {"http://127.0.0.1:%u", "127.0.0.1:%u",
                                        "http://user:word@127.0.0.1:%u/", "127.0.0.1", "[::1"};
    for (size_t form = 0; form < sizeof forms / sizeof forms[0]; form++) {
        raw_server proxy;
        raw_server_start(&proxy, be_a_proxy);
        char value[64];
        const char *hole = strstr(forms[form], "%u");
        if (hole != NULL) {
            (void)snprintf(value, sizeof value, "%.*s%u%s", (int)(hole - forms[form]), forms[form],
                           (unsigned)proxy.port, hole + 2);
        } else {
            (void)snprintf(value, sizeof value, "%s", forms[form]);
        }
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            assert_int_equal(setenv(names[i], value, 1), 0);
        }
        io_rig *rig = io_rig_start(say_close);
        io_rig_serve(rig);
        assert_int_equal(rig->connected, 1);
        assert_int_equal(rig->closed.code, 1000);
        io_rig_finish(rig);
        assert_non_null(strstr(rig->server.request, "GET /tickglass HTTP/1.1\r\n"));
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            assert_int_equal(unsetenv(names[i]), 0);
        }
        raw_server_stop(&proxy);
        assert_int_equal(proxy.connections, 0);
    }
}

/* Whatever says "no proxy" to libwebsockets says it without a word to the host's user. */
static void nothing_is_printed_about_a_proxy(void **state)
{
    (void)state;
    char path[] = "tg_printed_XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    (void)fflush(NULL);
    const int out = dup(STDOUT_FILENO);
    const int err = dup(STDERR_FILENO);
    assert_true(out >= 0 && err >= 0);
    assert_true(dup2(file, STDOUT_FILENO) >= 0 && dup2(file, STDERR_FILENO) >= 0);
    assert_int_equal(setenv("http_proxy", "nonsense", 1), 0);
    io_rig *rig = io_rig_start(say_close);
    io_rig_serve(rig);
    io_rig_finish(rig);
    assert_int_equal(unsetenv("http_proxy"), 0);
    (void)fflush(NULL);
    (void)dup2(out, STDOUT_FILENO);
    (void)dup2(err, STDERR_FILENO);
    (void)close(out);
    (void)close(err);
    struct stat printed;
    assert_int_equal(fstat(file, &printed), 0);
    (void)close(file);
    (void)unlink(path);
    assert_int_equal(printed.st_size, 0);
    assert_int_equal(rig->connected, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_proxy_in_the_environment_gets_no_connection),
        cmocka_unit_test(nothing_is_printed_about_a_proxy),
    };
    return cmocka_run_group_tests_name("sdk.environment", tests, NULL, NULL);
}
