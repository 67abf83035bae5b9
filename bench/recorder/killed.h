/** Killing a recording process at random moments and counting what is lost. */
#ifndef TG_BENCH_RECORDER_KILLED_H
#define TG_BENCH_RECORDER_KILLED_H

#include <stdint.h>

typedef struct killed_result {
    uint64_t trials;
    uint64_t returned;   /* calls, of all trials */
    uint64_t lost;       /* of them, not in the recovered file */
    uint64_t unreadable; /* trials whose file or rings could not be read */
} killed_result;

killed_result killed_run(const char *dir, uint32_t trials);

#endif
