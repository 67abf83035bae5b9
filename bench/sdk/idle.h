/* What a client costs while nothing happens. */
#ifndef BENCH_SDK_IDLE_H
#define BENCH_SDK_IDLE_H

#include <stdbool.h>

#define IDLE_CLIENTS 16u

typedef struct idle_result {
    double cpu_percent; /* of a core, each client */
    double bytes;       /* anonymous memory in use, each client */
} idle_result;

/* Clients of this process, live over wss with a gateway that has nothing but heartbeats for them.
 * False: said why on stderr. */
bool idle_measure(unsigned seconds, idle_result *result);

#endif
