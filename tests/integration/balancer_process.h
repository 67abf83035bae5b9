/* haproxy with docs/haproxy.cfg as a child process, for tests: in front of two gateways, ended by
 * its own pid. */
#ifndef BALANCER_PROCESS_H
#define BALANCER_PROCESS_H

#include "gateway_process.h"

typedef struct balancer_process {
    pid_t pid;
    int port;
    char folder[64];
    char ca[96]; /* the authorities of both gateways, for whoever connects */
    char url[64];
    char log[96];
} balancer_process;

/* False: this machine has no haproxy. */
bool balancer_is_installed(void);

/* Connections that come before haproxy is ready wait for it: nothing has to be awaited. */
bool balancer_process_start(balancer_process *balancer, const gateway_process *a,
                            const gateway_process *b);
/* Ends it and removes its folder. Idempotent. */
void balancer_process_stop(balancer_process *balancer);

#endif
