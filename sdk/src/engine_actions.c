#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine_state.h"

uint32_t tg__engine_room(const tg__engine *engine)
{
    return TG__ACTIONS_MAX - engine->action_count;
}

tg__action *tg__engine_push(tg__engine *engine, tg__action_kind kind)
{
    if (engine->action_count == TG__ACTIONS_MAX) {
        tg__count(&engine->counters.state_errors, 1);
        return NULL;
    }
    tg__action *action =
        &engine->actions[(engine->action_first + engine->action_count) % TG__ACTIONS_MAX];
    engine->action_count++;
    memset(action, 0, sizeof *action);
    action->kind = kind;
    action->generation = engine->generation;
    return action;
}

uint8_t *tg__engine_out(tg__engine *engine, size_t *capacity)
{
    *capacity = sizeof engine->out - engine->out_used;
    return engine->out + engine->out_used;
}

void tg__engine_send(tg__engine *engine, size_t size)
{
    tg__action *action = tg__engine_push(engine, TG__ACTION_SEND);
    if (action != NULL) {
        action->as.send.bytes = engine->out + engine->out_used;
        action->as.send.size = size;
        engine->out_used += (uint32_t)size;
    }
}

tg_event *tg__engine_event(tg__engine *engine, tg_event_kind kind, int64_t now_ns, tg_err err,
                           const char *format, ...)
{
    tg__action *action = tg__engine_push(engine, TG__ACTION_EVENT);
    if (action == NULL) {
        return NULL;
    }
    tg_event *event = &action->as.event;
    event->kind = kind;
    event->state = tg__engine_session_state(engine);
    event->err = err;
    event->id = TG_INSTRUMENT_NONE;
    event->mono_ns = now_ns;
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(event->text, sizeof event->text, format, arguments);
    va_end(arguments);
    return event;
}

static void pop(tg__engine *engine, tg__action *action)
{
    *action = engine->actions[engine->action_first];
    engine->action_first = (engine->action_first + 1) % TG__ACTIONS_MAX;
    engine->action_count--;
}

bool tg__engine_next(tg__engine *engine, tg__action *action)
{
    /* Answers can be as many as there are interests: they are handed out from where they stand,
     * before the event that says what they led to. */
    const bool event_is_next =
        engine->action_count > 0 && engine->actions[engine->action_first].kind == TG__ACTION_EVENT;
    if (engine->action_count > 0 && !event_is_next) {
        pop(engine, action);
        return true;
    }
    memset(action, 0, sizeof *action);
    if (tg__desired_next_told(&engine->desired, &action->as.answer)) {
        action->kind = TG__ACTION_ANSWER;
        action->generation = engine->generation;
        return true;
    }
    if (tg__desired_next_told(&engine->priority, &action->as.answer)) {
        action->kind = TG__ACTION_PRIORITY;
        action->generation = engine->generation;
        return true;
    }
    if (event_is_next) {
        pop(engine, action);
        return true;
    }
    const int64_t deadline = tg__engine_deadline(engine);
    if (deadline != engine->timer_ns) {
        engine->timer_ns = deadline;
        action->kind = TG__ACTION_TIMER;
        action->as.deadline_ns = deadline;
        return true;
    }
    return false;
}
