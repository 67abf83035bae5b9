/** What recording every received message adds to a client's receive path. */
#ifndef TG_BENCH_RECORDER_EMBEDDED_H
#define TG_BENCH_RECORDER_EMBEDDED_H

#include <stdint.h>

typedef struct embedded_result {
    double off_ns; /**< per frame, from where the connection hands it over to its published view */
    double on_ns;
    double ratio;         /**< of a pair of turns, side by side in time; their median */
    double ratio_of_sums; /**< with all that disturbed the machine */
    uint64_t lost;
} embedded_result;

/** Ends the program if anything is refused. */
embedded_result embedded_run(const char *dir);

#endif
