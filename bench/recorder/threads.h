/** Many threads that record at once, faster than the writer: what is lost, and is it counted. */
#ifndef TG_BENCH_RECORDER_THREADS_H
#define TG_BENCH_RECORDER_THREADS_H

#include <stdint.h>

#include <tickglass/recorder.h>

typedef struct threads_result {
    uint64_t threads;
    uint64_t calls;
    double ns;        /**< per call of all threads together */
    uint64_t lost;    /**< calls that are not in the file */
    uint64_t counted; /**< of them, what the recorder's counter says */
    uint64_t told;    /**< and what markers and notes in the file say */
} threads_result;

/** Ends the program if the file cannot be made or read. */
threads_result threads_run(const char *dir, tg_overflow overflow);

#endif
