/* Histograms as files: HdrHistogram's log of each window, and a table of what they add up to. */
#ifndef TG_TERMINAL_LATENCY_EXPORT_H
#define TG_TERMINAL_LATENCY_EXPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "stage_windows.h"

#define LATENCY_EXPORT_NAME_SIZE 64

typedef struct latency_export latency_export;

/* woken is called with ctx on another thread when files are written. TG_ERR_NO_MEMORY. Thread:
 * owner. */
TG_MUST_CHECK tg_err latency_export_open(void (*woken)(void *ctx), void *ctx, latency_export **out);
/* NULL is allowed. Thread: owner. Blocks: until what was begun is written. */
void latency_export_close(latency_export *files);

/*
 * Copies count windows from first on, and writes NAME.hlog and NAME.csv on a thread of its own.
 * Existing files are never overwritten. TG_ERR_FULL while others are being written,
 * TG_ERR_NOT_FOUND (no windows), TG_ERR_INVALID_ARGUMENT (the name is too long), TG_ERR_NO_MEMORY.
 * Thread: owner.
 */
TG_MUST_CHECK tg_err latency_export_start(latency_export *files, const stage_windows *windows,
                                          size_t first, size_t count, const char *name);

/* What became of it, once. False: nothing to tell. Thread: owner. */
bool latency_export_take_result(latency_export *files, char *text, size_t size, bool *bad);

/* All that is kept into one log; path must not exist. TG_ERR_IO (errno says why), TG_ERR_NO_MEMORY.
 * Thread: owner. Blocks: on the disk. */
TG_MUST_CHECK tg_err latency_export_write_log(const stage_windows *windows, const char *path);

#endif
