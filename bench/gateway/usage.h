/* What a process has used so far. */
#ifndef BENCH_GATEWAY_USAGE_H
#define BENCH_GATEWAY_USAGE_H

#include <stdbool.h>
#include <sys/types.h>

typedef struct usage {
    double cpu_s;  /* user and system, all threads */
    double wait_s; /* of its living threads, together: ready to run, and no core was free */
    double rss_mib;
} usage;

/* False (and zeros): there is no such process. */
bool usage_of(pid_t pid, usage *out);

#endif
