/* Programs between a client and a gateway as child processes, for tests: ended by their own pid. */
#ifndef ROUTE_PROCESS_H
#define ROUTE_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "../integration/gateway_process.h"

typedef struct route_process {
    pid_t pid;
    int port; /* of the proxy */
    char folder[64];
    char configuration[96];
    char log[96];
    char socket_path[96]; /* of the socket, where it listens on one */
} route_process;

/* False: this machine has no tinyproxy. */
bool route_has_proxy(void);
/* False: this machine has no haproxy. */
bool route_has_socket(void);

/* tinyproxy on a port of 127.0.0.1 that asks for user and password unless they are NULL. Returns
 * when it accepts; false if it does not within a minute. */
bool route_start_proxy(route_process *route, const char *user, const char *password);
/* haproxy on a Unix socket, without TLS, in front of the gateway. */
bool route_start_socket(route_process *route, const gateway_process *gateway);
/* Idempotent. */
void route_stop(route_process *route);

#endif
