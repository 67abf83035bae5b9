#include "tg_cmocka.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "reset_link.h"

static struct sockaddr_in loopback(uint16_t port)
{
    struct sockaddr_in address;
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

static int listen_anywhere(uint16_t *port)
{
    struct sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(fd, 1), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &size), 0);
    *port = ntohs(address.sin_port);
    return fd;
}

static int connect_to(uint16_t port)
{
    const struct sockaddr_in address = loopback(port);
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

static void expect_text(int fd, const char *text)
{
    char got[16] = "";
    assert_int_equal(recv(fd, got, strlen(text), MSG_WAITALL), strlen(text));
    assert_string_equal(got, text);
}

static void bytes_pass_until_both_ends_are_reset(void **state)
{
    (void)state;
    uint16_t port = 0;
    reset_link *link = NULL;
    why reason;
    char byte = 0;
    const int listener = listen_anywhere(&port);
    assert_true(reset_link_open(&link, port, &reason));
    const int client = connect_to(reset_link_port(link));
    const int gateway = accept(listener, NULL, NULL);
    assert_true(gateway >= 0);
    assert_int_equal(send(client, "hello", 5, 0), 5);
    expect_text(gateway, "hello");
    assert_int_equal(send(gateway, "welcome", 7, 0), 7);
    expect_text(client, "welcome");
    reset_link_close(link);
    assert_int_equal(recv(gateway, &byte, 1, 0), -1);
    assert_int_equal(errno, ECONNRESET);
    assert_int_equal(recv(client, &byte, 1, 0), -1);
    assert_int_equal(errno, ECONNRESET);
    (void)close(client);
    (void)close(gateway);
    (void)close(listener);
}

static void a_link_that_nobody_used_is_closed(void **state)
{
    (void)state;
    reset_link *link = NULL;
    why reason;
    assert_true(reset_link_open(&link, 1, &reason));
    reset_link_close(link);
    reset_link_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_pass_until_both_ends_are_reset),
        cmocka_unit_test(a_link_that_nobody_used_is_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
