/* What an engine did, in bytes that can be compared. */
#ifndef DAY_LOG_H
#define DAY_LOG_H

#include "engine.h"

/* Zeroed: empty. */
typedef struct day_log {
    size_t size;
    size_t capacity;
    uint8_t *bytes;
} day_log;

void day_log_put(day_log *log, int64_t now_ns, const tg__action *action);
void day_log_deinit(day_log *log);

#endif
