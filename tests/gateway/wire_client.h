/*
 * A WebSocket client on mbedTLS alone, for tests of the gateway's outer skin. It shares no code
 * with the gateway's transport and does what no decent client would: bad tokens, fragments,
 * silence.
 */
#ifndef TG_TESTS_WIRE_CLIENT_H
#define TG_TESTS_WIRE_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WIRE_TEXT   1
#define WIRE_BINARY 2
#define WIRE_CLOSE  8
#define WIRE_PING   9
#define WIRE_PONG   10

typedef struct wire_client wire_client;

typedef struct wire_upgrade {
    int port;
    const char *ca;
    const char *path;        /* NULL: the right one */
    const char *token;       /* NULL: no header */
    const char *subprotocol; /* NULL: no header */
    const char *more;        /* further header lines, or NULL */
} wire_upgrade;

/*
 * Connects, verifies the certificate for "localhost" and asks for the upgrade. Returns the HTTP
 * status, 0 if TLS or TCP failed; *out is a client only with 101. answer gets the response header.
 */
int wire_client_open(const wire_upgrade *upgrade, wire_client **out, char *answer,
                     size_t answer_size);
void wire_client_close(wire_client *client); /* NULL is allowed */

/* Bytes that came and were not received yet, with TLS and all. */
size_t wire_client_waiting(const wire_client *client);

/* The certificate that the gateway showed, as DER; valid until the client is closed. */
void wire_client_certificate(const wire_client *client, const uint8_t **der, size_t *size);

/* Ends its side with a FIN and nothing else; what comes can still be read. */
void wire_client_finish(wire_client *client);
/* Ends the connection with a RST. The client is still to be closed. */
void wire_client_reset(wire_client *client);

/* The two steps of it: TCP and TLS (NULL if one fails), and the upgrade (the status, 0: no answer).
 */
wire_client *wire_client_connect(const wire_upgrade *upgrade);
int wire_client_upgrade(wire_client *client, const wire_upgrade *upgrade, char *answer,
                        size_t answer_size);

/* One WebSocket frame. */
void wire_client_send(wire_client *client, unsigned opcode, bool last, const void *bytes,
                      size_t size);

/*
 * The next whole message or control frame; pings are answered, pongs
 * skipped. Fails the test after 30 s.
 * Returns its opcode, 0 if the connection has ended. Valid until the next call.
 */
unsigned wire_client_receive(wire_client *client, const uint8_t **bytes, size_t *size);

#endif
