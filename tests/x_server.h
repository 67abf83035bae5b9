/* An X server of our own (Xvfb), for tests and benches. It keeps its screen in a file in the form
 * of xwd: what is on it is read there, from outside of every program and without asking the server.
 */
#ifndef X_SERVER_H
#define X_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct x_server {
    pid_t pid;
    char folder[64];
    char display[20];
    int width;
    int height;
    const uint32_t *pixels; /* of the screen as it is now, 0x??RRGGBB; the server writes there */
    size_t stride;          /* pixels from one line to the next */
    void *mapped;
    size_t mapped_size;
} x_server;

/*
 * Starts it on a display number that it finds itself and points DISPLAY and SDL_VIDEODRIVER there.
 * False: there is no Xvfb here; x_server_stop() must be called all the same.
 */
bool x_server_start(x_server *server, int width, int height);
/* The same without one of its extensions ("MIT-SHM"). */
bool x_server_start_without(x_server *server, int width, int height, const char *extension);
/* Idempotent. */
void x_server_stop(x_server *server);

/* Copies a part of the screen that must lie inside of it, as 0x00RRGGBB. */
void x_server_read(const x_server *server, int x, int y, int width, int height, uint32_t *pixels);

#endif
