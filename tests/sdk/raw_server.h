/* A WebSocket server of bare bytes, to be as rude as a test wants. Plain TCP on loopback. */
#ifndef RAW_SERVER_H
#define RAW_SERVER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct raw_server raw_server;

/* Plays one accepted connection; the socket is closed when it returns. */
typedef void (*raw_script)(raw_server *server, int fd);

struct raw_server {
    int listener;
    uint16_t port;
    raw_script script;
    pthread_t thread;
    _Atomic bool let_go; /* for scripts that wait for the test */
    /* Written by the server's thread: read after raw_server_stop() only. */
    char request[4096]; /* of the latest connection */
    uint8_t closed_with[125];
    size_t closed_size; /* bytes of the close frame that the client sent */
    uint8_t last_pong[125];
    size_t last_pong_size;
    unsigned pongs;
    unsigned connections;
};

/* Accepts connections one after another and plays the script for each. */
void raw_server_start(raw_server *server, raw_script script);
void raw_server_stop(raw_server *server);

/* Reads the client's request. */
bool raw_read_request(raw_server *server, int fd);
/* The text of a proper 101 for that request; its length. */
size_t raw_upgrade_text(const raw_server *server, char *text, size_t size);
/* Both of the above and sending it. */
bool raw_upgrade(raw_server *server, int fd);
/* A frame with its header, not masked. opcode with 0x80: final. Returns its size. */
size_t raw_frame(uint8_t opcode, const void *payload, size_t size, uint8_t *out);
bool raw_write(int fd, const void *bytes, size_t size);
/* Reads the client's frames until it closes or the connection ends. */
void raw_read_until_close(raw_server *server, int fd);
/* The connection ends with a reset. */
void raw_reset(int fd);

#endif
