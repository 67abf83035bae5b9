#include "day_log.h"

#include "tg_cmocka.h"

#include <stdlib.h>
#include <string.h>

static void put(day_log *log, const void *bytes, size_t size)
{
    if (log->capacity - log->size < size) {
        log->capacity = 2 * (log->capacity + size);
        log->bytes = realloc(log->bytes, log->capacity);
        assert_non_null(log->bytes);
    }
    memcpy(log->bytes + log->size, bytes, size);
    log->size += size;
}

void day_log_put(day_log *log, int64_t now_ns, const tg__action *action)
{
    put(log, &now_ns, sizeof now_ns);
    put(log, &action->kind, sizeof action->kind);
    put(log, &action->generation, sizeof action->generation);
    if (action->kind == TG__ACTION_SEND) {
        put(log, action->as.send.bytes, action->as.send.size);
    } else if (action->kind == TG__ACTION_TIMER) {
        put(log, &action->as.deadline_ns, sizeof action->as.deadline_ns);
    } else if (action->kind == TG__ACTION_CLOSE) {
        put(log, &action->as.close_code, sizeof action->as.close_code);
    } else if (action->kind == TG__ACTION_TOKEN) {
        put(log, &action->as.token_reason, sizeof action->as.token_reason);
    } else if (action->kind == TG__ACTION_ANSWER || action->kind == TG__ACTION_PRIORITY) {
        put(log, &action->as.answer.sub, sizeof action->as.answer.sub);
        put(log, &action->as.answer.err, sizeof action->as.answer.err);
    } else if (action->kind == TG__ACTION_EVENT) {
        const tg_event *event = &action->as.event;
        put(log, &event->kind, sizeof event->kind);
        put(log, &event->state, sizeof event->state);
        put(log, &event->err, sizeof event->err);
        put(log, &event->wait_ms, sizeof event->wait_ms);
        put(log, event->text, strlen(event->text) + 1);
    }
}

void day_log_deinit(day_log *log)
{
    free(log->bytes);
    memset(log, 0, sizeof *log);
}
