/** Printing the records of very many threads in the order of their times, and as they lie. */
#ifndef TG_BENCH_RECORDER_MERGED_H
#define TG_BENCH_RECORDER_MERGED_H

#include <stdint.h>

typedef struct merged_result {
    uint64_t threads;
    uint64_t records;
    double unsorted_ns; /**< per record, to its text */
    double merged_ns;
    double ratio;          /**< the median of those of the rounds */
    uint64_t out_of_order; /**< of the merged ones */
} merged_result;

/** Ends the program if a file cannot be made or read. */
merged_result merged_run(const char *dir);

#endif
