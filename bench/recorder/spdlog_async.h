/** spdlog's asynchronous logger with the same four arguments, for comparison. */
#ifndef TG_BENCH_RECORDER_SPDLOG_ASYNC_H
#define TG_BENCH_RECORDER_SPDLOG_ASYNC_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A logger to a new file whose queue holds so many lines and blocks when it is full. */
void spdlog_async_open(const char *path, size_t queue);

/** "id %u bid %lld ask %lld seq %llu" for 0 … count - 1 */
void spdlog_async_put(uint32_t first, uint32_t count, int64_t bid, int64_t ask);

/** Until the file has everything. */
void spdlog_async_close(void);

#ifdef __cplusplus
}
#endif

#endif
