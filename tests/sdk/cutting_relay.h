/* Passes bytes between clients and a gateway, one connection at a time, and cuts with a reset. */
#ifndef CUTTING_RELAY_H
#define CUTTING_RELAY_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define CUTTING_RELAY_NEVER UINT64_MAX

typedef struct cutting_relay {
    int listener;
    int wake[2];
    uint16_t port;
    uint16_t gateway_port;
    pthread_t thread;
    _Atomic bool over;
    _Atomic bool cut_wanted;
    _Atomic bool connected;
    _Atomic uint64_t cut_after; /* bytes to the client, once */
    _Atomic unsigned cuts;
} cutting_relay;

void cutting_relay_start(cutting_relay *relay, int gateway_port);
void cutting_relay_stop(cutting_relay *relay);

/* Cuts the connection, or the next one as soon as it is accepted; returns when a connection that is
 * there has been cut. Thread: any. */
void cutting_relay_cut(cutting_relay *relay);

#endif
