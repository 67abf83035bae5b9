#include "raw_server.h"

#include "tg_cmocka.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <mbedtls/base64.h>
#include <mbedtls/sha1.h>

static void *run(void *argument)
{
    raw_server *server = argument;
    for (;;) {
        const int fd = accept(server->listener, NULL, NULL);
        if (fd < 0) {
            return NULL;
        }
        const int on = 1;
        (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        server->connections++;
        server->script(server, fd);
        (void)close(fd);
    }
}

void raw_server_start(raw_server *server, raw_script script)
{
    memset(server, 0, sizeof *server);
    server->script = script;
    server->listener = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address;
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    assert_int_equal(bind(server->listener, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(server->listener, 8), 0);
    assert_int_equal(getsockname(server->listener, (struct sockaddr *)&address, &size), 0);
    server->port = ntohs(address.sin_port);
    assert_int_equal(pthread_create(&server->thread, NULL, run, server), 0);
}

void raw_server_stop(raw_server *server)
{
    (void)shutdown(server->listener, SHUT_RDWR);
    assert_int_equal(pthread_join(server->thread, NULL), 0);
    (void)close(server->listener);
}

bool raw_read_request(raw_server *server, int fd)
{
    size_t used = 0;
    while (used < sizeof server->request - 1) {
        const ssize_t n = recv(fd, server->request + used, 1, 0);
        if (n <= 0) {
            return false;
        }
        used++;
        server->request[used] = '\0';
        if (used >= 4 && strcmp(server->request + used - 4, "\r\n\r\n") == 0) {
            return true;
        }
    }
    return false;
}

size_t raw_upgrade_text(const raw_server *server, char *text, size_t size)
{
    static const char guid[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"; /* RFC 6455 1.3 */
    char key[128] = "";
    const char *at = strstr(server->request, "Sec-WebSocket-Key: ");
    if (at != NULL) {
        (void)snprintf(key, sizeof key, "%.24s%s", at + strlen("Sec-WebSocket-Key: "), guid);
    }
    unsigned char hash[20];
    unsigned char accept_text[64];
    size_t accept_size = 0;
    (void)mbedtls_sha1((const unsigned char *)key, strlen(key), hash);
    (void)mbedtls_base64_encode(accept_text, sizeof accept_text, &accept_size, hash, sizeof hash);
    return (size_t)snprintf(text, size,
                            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                            "Connection: Upgrade\r\nSec-WebSocket-Accept: %.*s\r\n"
                            "Sec-WebSocket-Protocol: tickglass.1\r\n\r\n",
                            (int)accept_size, (const char *)accept_text);
}

bool raw_upgrade(raw_server *server, int fd)
{
    char text[512];
    return raw_read_request(server, fd) &&
           raw_write(fd, text, raw_upgrade_text(server, text, sizeof text));
}

size_t raw_frame(uint8_t opcode, const void *payload, size_t size, uint8_t *out)
{
    size_t used = 0;
    out[used++] = opcode;
    if (size < 126) {
        out[used++] = (uint8_t)size;
    } else if (size < 65536) {
        out[used++] = 126;
        out[used++] = (uint8_t)(size >> 8);
        out[used++] = (uint8_t)size;
    } else {
        out[used++] = 127;
        for (int shift = 56; shift >= 0; shift -= 8) {
            out[used++] = (uint8_t)((uint64_t)size >> shift);
        }
    }
    memcpy(out + used, payload, size);
    return used + size;
}

bool raw_write(int fd, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    while (size > 0) {
        const ssize_t n = send(fd, at, size, MSG_NOSIGNAL);
        if (n <= 0) {
            return false;
        }
        at += n;
        size -= (size_t)n;
    }
    return true;
}

static bool read_exactly(int fd, uint8_t *bytes, size_t size)
{
    for (size_t used = 0; used < size;) {
        const ssize_t n = recv(fd, bytes + used, size - used, 0);
        if (n <= 0) {
            return false;
        }
        used += (size_t)n;
    }
    return true;
}

void raw_read_until_close(raw_server *server, int fd)
{
    static uint8_t payload[1 << 16];
    uint8_t head[2];
    while (read_exactly(fd, head, sizeof head)) {
        size_t size = head[1] & 0x7fu;
        uint8_t more[8];
        if (size == 126) {
            if (!read_exactly(fd, more, 2)) {
                return;
            }
            size = (size_t)(more[0] << 8 | more[1]);
        }
        uint8_t mask[4];
        if (size >= sizeof payload || !read_exactly(fd, mask, sizeof mask) ||
            !read_exactly(fd, payload, size)) {
            return;
        }
        for (size_t i = 0; i < size; i++) {
            payload[i] ^= mask[i % 4];
        }
        const size_t kept = size < 125 ? size : 125;
        if (head[0] == 0x8a) {
            server->pongs++;
            server->last_pong_size = size;
            memcpy(server->last_pong, payload, kept);
        }
        if (head[0] == 0x88) {
            server->closed_size = size;
            memcpy(server->closed_with, payload, kept);
            return;
        }
    }
}

void raw_reset(int fd)
{
    const struct linger now = {1, 0};
    (void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
}
