/*
 * What kept the terminal itself: page faults, times in which its owner's thread could have run and
 * did not, passes that took too long. With their times, bounded: the oldest go.
 */
#ifndef TG_TERMINAL_PROCESS_STALLS_H
#define TG_TERMINAL_PROCESS_STALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tickglass/err.h>

/* A frame of 60 Hz: a pass that takes longer misses the next one. */
#define STALL_PASS_NS (INT64_C(1000000000) / 60)
/* Woken that much later than asked for; the window's wait rounds up to a millisecond. */
#define STALL_LATE_NS INT64_C(8000000)
/* Waited that long for a processor between two looks. */
#define STALL_RUN_WAIT_NS INT64_C(4000000)
/* So many minor faults between two looks: a MiB was touched for the first time. */
#define STALL_MINOR_FAULTS 256

#define PROCESS_STALLS_SIZE 512

typedef enum stall_kind {
    STALL_SLOW_PASS,         /* length */
    STALL_LATE_WAKE,         /* length: how much later than asked for */
    STALL_RUN_WAIT,          /* length: the owner's thread waited for a processor */
    STALL_MAJOR_FAULTS,      /* count: pages that came from a disk */
    STALL_MINOR_FAULTS_BURST /* count */
} stall_kind;

typedef struct stall {
    stall_kind kind;
    int64_t mono_ns; /* when it was over */
    int64_t length_ns;
    uint64_t count;
} stall;

/* All of a time, listed or too small for it. Faults and switches are those of all threads. */
typedef struct stall_tally {
    uint64_t slow_passes;
    uint64_t late_wakes;
    uint64_t major_faults;
    uint64_t minor_faults;
    uint64_t involuntary_switches;
    int64_t longest_pass_ns;
    int64_t longest_late_ns;
    int64_t run_wait_ns; /* of the owner's thread */
    bool run_wait_known; /* the system tells it */
} stall_tally;

/* Both of two times that follow each other. Thread: any. */
void stall_tally_add(stall_tally *into, const stall_tally *more);

/* Sums since the process began, as the system has them. */
typedef struct process_sample {
    uint64_t major_faults;
    uint64_t minor_faults;
    uint64_t involuntary_switches;
    int64_t run_wait_ns;
    bool run_wait_known;
} process_sample;

typedef struct process_stalls process_stalls;

/* TG_ERR_NO_MEMORY. Nothing is allocated afterwards. Thread: owner, all of these. */
TG_MUST_CHECK tg_err process_stalls_open(process_stalls **out);
/* NULL is allowed. */
void process_stalls_close(process_stalls *stalls);

/* What the system says now: two calls of it, some microseconds. */
process_sample process_stalls_look(process_stalls *stalls);

/* Compares with the sample before; the first one is only remembered. */
void process_stalls_take(process_stalls *stalls, const process_sample *sample, int64_t now_mono_ns);

/* A pass from … to. */
void process_stalls_pass(process_stalls *stalls, int64_t from_mono_ns, int64_t to_mono_ns);

/* It was to be woken at asked, if not earlier, and was at woke. */
void process_stalls_wake(process_stalls *stalls, int64_t asked_mono_ns, int64_t woke_mono_ns);

/* Everything since the last call. */
stall_tally process_stalls_end_tally(process_stalls *stalls);

/* The newest is 0; index < count. */
size_t process_stalls_count(const process_stalls *stalls);
const stall *process_stalls_at(const process_stalls *stalls, size_t index);
/* That are not listed any more. */
uint64_t process_stalls_forgotten(const process_stalls *stalls);

#endif
