/* The report at the end: one JSON object. */
#ifndef TG_TERMINAL_REPORT_H
#define TG_TERMINAL_REPORT_H

#include <stdint.h>

#include <tickglass/client.h>
#include <tickglass/histogram.h>
#include <tickglass/store.h>

#include "glass_check.h"
#include "glass_times.h"

typedef struct terminal_report {
    tg_client_counters client;
    tg_store_counters store;
    glass_counts glass;
    const glass_times *times;
    const tg_histogram *decode;
    const tg_histogram *commit;
    uint64_t passes;
    uint64_t cells_drawn;
    uint64_t rows;
    int64_t elapsed_ns; /* of the run, without opening and writing files */
    int64_t cpu_ns;     /* processor time in that span, all threads */
    const char *build;
} terminal_report;

/*
 * Whole or not at all: written beside path and renamed. TG_ERR_IO (errno says why),
 * TG_ERR_NO_MEMORY. Thread: owner. Blocks: on the disk.
 */
TG_MUST_CHECK tg_err report_write(const terminal_report *report, const char *path);

#endif
