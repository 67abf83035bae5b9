/** `tickglass-log cat` on one core and on two. */
#ifndef TG_BENCH_RECORDER_PRINTED_H
#define TG_BENCH_RECORDER_PRINTED_H

#include <stdint.h>

enum {
    printed_media = 2
};

extern const char *const printed_names[printed_media]; /**< where the text goes */

typedef struct printed_result {
    uint64_t records;
    double ns[2]; /**< per record, of the wall clock, by number of threads less one */
    double ratio; /**< how many times as fast with two */
} printed_result;

/** Ends the program if a file cannot be made, read or written. memory: a folder on tmpfs. */
void printed_run(const char *dir, const char *memory, printed_result results[printed_media]);

#endif
