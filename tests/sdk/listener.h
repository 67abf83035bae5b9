/* Listening sockets on loopback addresses, and one that leaves callers without an answer. */
#ifndef LISTENER_H
#define LISTENER_H

#include <stdint.h>

#define LISTENER_FILLERS_MAX 8u

typedef struct listener {
    int fd;
    uint16_t port;
    unsigned filler_count;
    int fillers[LISTENER_FILLERS_MAX];
} listener;

/* port 0: any. */
void listener_open(listener *l, const char *address, uint16_t port);
/* Nobody else is answered from here on, neither taken nor refused: its queue is full. */
void listener_fill(listener *l);
/* There is room again. */
void listener_drain(listener *l);
void listener_close(listener *l);

#endif
