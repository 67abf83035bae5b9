/* What was measured, as lines of JSON or as a table with the codec's targets. */
#ifndef BENCH_CODEC_REPORT_H
#define BENCH_CODEC_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#define RESULTS_MAX 160u

typedef struct result {
    const char *bench; /* codec.encode or codec.decode */
    const char *name;  /* of the case */
    const char *impl;
    double bytes; /* of a frame, on average */
    double ns_per_frame;
    double ns_per_update;
} result;

typedef struct report {
    size_t count;
    result results[RESULTS_MAX];
    size_t outlier_bytes; /* by which a jump of 2^40 lengthens a frame, at most */
} report;

void report_add(report *r, const result *what);
void report_json(const report *r);
/* True if every target is met. */
bool report_table(const report *r);

#endif
