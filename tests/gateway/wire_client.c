#include "tg_cmocka.h"

#include "wire_client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <mbedtls/ctr_drbg.h>
#include <mbedtls/entropy.h>
#include <mbedtls/net_sockets.h>
#include <mbedtls/ssl.h>
#include <mbedtls/x509_crt.h>
#include <psa/crypto.h>

#define READ_LIMIT_MS 30000
#define BUFFER_SIZE   (2u << 20)
#define KEY           "dGhlIHNhbXBsZSBub25jZQ=="     /* RFC 6455 1.3 */
#define KEY_ANSWER    "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" /* what the RFC says to it */

struct wire_client {
    mbedtls_net_context socket;
    mbedtls_ssl_context ssl;
    mbedtls_ssl_config config;
    mbedtls_x509_crt ca;
    mbedtls_entropy_context entropy;
    mbedtls_ctr_drbg_context random;
    size_t at;
    size_t filled;
    size_t message_size;
    uint8_t buffer[BUFFER_SIZE]; /* received, not yet taken */
    uint8_t message[BUFFER_SIZE];
};

static wire_client *make_client(void)
{
    wire_client *client = calloc(1, sizeof *client);
    assert_non_null(client);
    mbedtls_net_init(&client->socket);
    mbedtls_ssl_init(&client->ssl);
    mbedtls_ssl_config_init(&client->config);
    mbedtls_x509_crt_init(&client->ca);
    mbedtls_entropy_init(&client->entropy);
    mbedtls_ctr_drbg_init(&client->random);
    assert_int_equal(psa_crypto_init(), PSA_SUCCESS);
    assert_int_equal(
        mbedtls_ctr_drbg_seed(&client->random, mbedtls_entropy_func, &client->entropy, NULL, 0), 0);
    return client;
}

void wire_client_close(wire_client *client)
{
    if (client == NULL) {
        return;
    }
    mbedtls_net_free(&client->socket);
    mbedtls_ssl_free(&client->ssl);
    mbedtls_ssl_config_free(&client->config);
    mbedtls_x509_crt_free(&client->ca);
    mbedtls_ctr_drbg_free(&client->random);
    mbedtls_entropy_free(&client->entropy);
    free(client);
}

size_t wire_client_waiting(const wire_client *client)
{
    int waiting = 0;
    assert_int_equal(ioctl(client->socket.fd, FIONREAD, &waiting), 0);
    return (size_t)waiting;
}

void wire_client_certificate(const wire_client *client, const uint8_t **der, size_t *size)
{
    const mbedtls_x509_crt *shown = mbedtls_ssl_get_peer_cert(&client->ssl);
    assert_non_null(shown);
    *der = shown->raw.p;
    *size = shown->raw.len;
}

void wire_client_finish(wire_client *client)
{
    assert_int_equal(shutdown(client->socket.fd, SHUT_WR), 0);
}

void wire_client_reset(wire_client *client)
{
    const struct linger at_once = {.l_onoff = 1, .l_linger = 0};
    assert_int_equal(setsockopt(client->socket.fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once),
                     0);
    assert_int_equal(close(client->socket.fd), 0);
    client->socket.fd = -1;
}

static bool start_tls(wire_client *client, const wire_upgrade *upgrade)
{
    char port[16];
    (void)snprintf(port, sizeof port, "%d", upgrade->port);
    if (mbedtls_net_connect(&client->socket, "127.0.0.1", port, MBEDTLS_NET_PROTO_TCP) != 0) {
        return false;
    }
    assert_int_equal(mbedtls_x509_crt_parse_file(&client->ca, upgrade->ca), 0);
    assert_int_equal(mbedtls_ssl_config_defaults(&client->config, MBEDTLS_SSL_IS_CLIENT,
                                                 MBEDTLS_SSL_TRANSPORT_STREAM,
                                                 MBEDTLS_SSL_PRESET_DEFAULT),
                     0);
    mbedtls_ssl_conf_authmode(&client->config, MBEDTLS_SSL_VERIFY_REQUIRED);
    mbedtls_ssl_conf_ca_chain(&client->config, &client->ca, NULL);
    mbedtls_ssl_conf_rng(&client->config, mbedtls_ctr_drbg_random, &client->random);
    mbedtls_ssl_conf_read_timeout(&client->config, READ_LIMIT_MS);
    assert_int_equal(mbedtls_ssl_setup(&client->ssl, &client->config), 0);
    assert_int_equal(mbedtls_ssl_set_hostname(&client->ssl, "localhost"), 0);
    mbedtls_ssl_set_bio(&client->ssl, &client->socket, mbedtls_net_send, NULL,
                        mbedtls_net_recv_timeout);
    return mbedtls_ssl_handshake(&client->ssl) == 0;
}

static bool write_all(wire_client *client, const uint8_t *bytes, size_t size)
{
    while (size > 0) {
        const int sent = mbedtls_ssl_write(&client->ssl, bytes, size);
        if (sent <= 0) {
            return false;
        }
        bytes += sent;
        size -= (size_t)sent;
    }
    return true;
}

/* False: the connection has ended. */
static bool read_more(wire_client *client)
{
    if (client->at > 0) {
        memmove(client->buffer, client->buffer + client->at, client->filled - client->at);
        client->filled -= client->at;
        client->at = 0;
    }
    assert_true(client->filled < BUFFER_SIZE);
    int got = 0;
    do {
        got = mbedtls_ssl_read(&client->ssl, client->buffer + client->filled,
                               BUFFER_SIZE - client->filled);
    } while (got == MBEDTLS_ERR_SSL_RECEIVED_NEW_SESSION_TICKET ||
             got == MBEDTLS_ERR_SSL_WANT_READ);
    if (got == MBEDTLS_ERR_SSL_TIMEOUT) {
        fail_msg("nothing came for %d ms", READ_LIMIT_MS);
    }
    client->filled += got > 0 ? (size_t)got : 0;
    return got > 0;
}

static bool ask_upgrade(wire_client *client, const wire_upgrade *upgrade)
{
    char request[16384];
    const int length = snprintf(
        request, sizeof request,
        "GET %s HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: " KEY "\r\n%s%s%s%s%s%s%s\r\n",
        upgrade->path != NULL ? upgrade->path : "/tickglass",
        upgrade->token != NULL ? "Authorization: Bearer " : "",
        upgrade->token != NULL ? upgrade->token : "", upgrade->token != NULL ? "\r\n" : "",
        upgrade->subprotocol != NULL ? "Sec-WebSocket-Protocol: " : "",
        upgrade->subprotocol != NULL ? upgrade->subprotocol : "",
        upgrade->subprotocol != NULL ? "\r\n" : "", upgrade->more != NULL ? upgrade->more : "");
    return write_all(client, (const uint8_t *)request, (size_t)length);
}

/* The response header, without what came behind it. */
static bool read_answer(wire_client *client, char *answer, size_t answer_size)
{
    for (;;) {
        for (size_t i = 3; i < client->filled; i++) {
            if (memcmp(client->buffer + i - 3, "\r\n\r\n", 4) == 0) {
                assert_true(i < answer_size);
                memcpy(answer, client->buffer, i);
                answer[i] = '\0';
                client->at = i + 1;
                return true;
            }
        }
        if (!read_more(client)) {
            return false;
        }
    }
}

wire_client *wire_client_connect(const wire_upgrade *upgrade)
{
    wire_client *client = make_client();
    if (!start_tls(client, upgrade)) {
        wire_client_close(client);
        client = NULL;
    }
    return client;
}

int wire_client_upgrade(wire_client *client, const wire_upgrade *upgrade, char *answer,
                        size_t answer_size)
{
    int status = 0;
    answer[0] = '\0';
    if (ask_upgrade(client, upgrade) && read_answer(client, answer, answer_size)) {
        assert_int_equal(sscanf(answer, "HTTP/%*3s %d", &status), 1);
    }
    if (status == 101) {
        assert_non_null(strstr(answer, KEY_ANSWER));
    }
    return status;
}

int wire_client_open(const wire_upgrade *upgrade, wire_client **out, char *answer,
                     size_t answer_size)
{
    *out = wire_client_connect(upgrade);
    answer[0] = '\0';
    const int status = *out != NULL ? wire_client_upgrade(*out, upgrade, answer, answer_size) : 0;
    if (status != 101) {
        wire_client_close(*out);
        *out = NULL;
    }
    return status;
}

void wire_client_send(wire_client *client, unsigned opcode, bool last, const void *bytes,
                      size_t size)
{
    static const uint8_t mask[4] = {0x12, 0x34, 0x56, 0x78};
    uint8_t *frame = malloc(size + 14);
    size_t at = 0;
    assert_non_null(frame);
    frame[at++] = (uint8_t)(opcode | (last ? 0x80u : 0u));
    if (size < 126) {
        frame[at++] = (uint8_t)(0x80u | size);
    } else if (size <= 0xffff) {
        frame[at++] = 0x80u | 126u;
        frame[at++] = (uint8_t)(size >> 8);
        frame[at++] = (uint8_t)size;
    } else {
        frame[at++] = 0x80u | 127u;
        for (unsigned i = 0; i < 8; i++) {
            frame[at++] = (uint8_t)((uint64_t)size >> (56 - 8 * i));
        }
    }
    memcpy(frame + at, mask, 4);
    at += 4;
    for (size_t i = 0; i < size; i++) {
        frame[at + i] = (uint8_t)(((const uint8_t *)bytes)[i] ^ mask[i % 4]);
    }
    (void)write_all(client, frame, at + size); /* a peer that has closed shows in the next read */
    free(frame);
}

static bool need(wire_client *client, size_t size)
{
    while (client->filled - client->at < size) {
        if (!read_more(client)) {
            return false;
        }
    }
    return true;
}

/* The header and payload of one frame; 0: the connection has ended. */
static unsigned read_frame(wire_client *client, bool *last, const uint8_t **payload, size_t *size)
{
    if (!need(client, 2)) {
        return 0;
    }
    const uint8_t first = client->buffer[client->at];
    size_t length = client->buffer[client->at + 1];
    assert_true(length < 128); /* a server does not mask */
    const size_t extra = length == 126 ? 2 : length == 127 ? 8 : 0;
    if (!need(client, 2 + extra)) {
        return 0;
    }
    if (extra > 0) {
        length = 0;
        for (size_t i = 0; i < extra; i++) {
            length = length << 8 | client->buffer[client->at + 2 + i];
        }
    }
    assert_true(length < BUFFER_SIZE / 2);
    if (!need(client, 2 + extra + length)) {
        return 0;
    }
    *last = (first & 0x80) != 0;
    *payload = client->buffer + client->at + 2 + extra;
    *size = length;
    client->at += 2 + extra + length;
    return (first & 0x0f) == 0 ? 16 : first & 0x0fu;
}

unsigned wire_client_receive(wire_client *client, const uint8_t **bytes, size_t *size)
{
    unsigned message_opcode = 0;
    client->message_size = 0;
    for (;;) {
        bool last = false;
        const uint8_t *payload = NULL;
        size_t length = 0;
        const unsigned opcode = read_frame(client, &last, &payload, &length);
        if (opcode == 0) {
            return 0;
        }
        if (opcode == WIRE_PING) {
            wire_client_send(client, WIRE_PONG, true, payload, length);
            continue;
        }
        if (opcode == WIRE_PONG) {
            continue;
        }
        assert_true(client->message_size + length <= BUFFER_SIZE);
        memcpy(client->message + client->message_size, payload, length);
        client->message_size += length;
        message_opcode = opcode == 16 ? message_opcode : opcode;
        if (last) {
            *bytes = client->message;
            *size = client->message_size;
            return message_opcode;
        }
    }
}
