#include "event_log.h"

#include <stdio.h>

void event_log_take(event_log *log, const tg_event *event, int64_t utc_ns)
{
    if (event->text[0] == '\0') {
        return;
    }
    event_line *line = &log->line[log->next];
    log->next = (log->next + 1) % EVENT_LOG_SIZE;
    if (log->count < EVENT_LOG_SIZE) {
        log->count++;
    } else {
        log->dropped++;
    }
    line->utc_ns = utc_ns;
    line->bad = event->err != TG_OK;
    (void)snprintf(line->text, sizeof line->text, "%s", event->text);
}

const event_line *event_log_line(const event_log *log, size_t index)
{
    return &log->line[(log->next + EVENT_LOG_SIZE - 1 - index) % EVENT_LOG_SIZE];
}
