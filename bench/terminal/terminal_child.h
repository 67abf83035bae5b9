/* A tickglass-terminal of our own, on the display that DISPLAY names. */
#ifndef BENCH_TERMINAL_TERMINAL_CHILD_H
#define BENCH_TERMINAL_TERMINAL_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <integration/gateway_process.h>

typedef struct terminal_child {
    pid_t pid;
    char folder[64]; /* its files, removed at the end */
} terminal_child;

/* Its keys are "p50" and so on, in microseconds. */
typedef struct handoff_times {
    double p50_ms;
    double p99_ms;
    double p999_ms;
    uint64_t count;
} handoff_times;

typedef struct terminal_setup {
    int width_px;
    int height_px;
    bool records; /* into a file of its folder */
} terminal_setup;

/* Starts it against that gateway. False: the reason is printed. */
bool terminal_child_start(terminal_child *child, const gateway_process *gateway,
                          const terminal_setup *setup);
/* SIGTERM, and what it reports. False: it had nothing to tell; the reason is printed. */
bool terminal_child_finish(terminal_child *child, handoff_times *times);
/* Ends it if it runs, removes its files. Idempotent. */
void terminal_child_stop(terminal_child *child);

/* Processor time of all its threads since it was started. */
double terminal_child_cpu_s(const terminal_child *child);
/* Bytes that it has recorded so far. */
double terminal_child_recorded(const terminal_child *child);

#endif
