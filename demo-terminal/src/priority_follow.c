#include "priority_follow.h"

void priority_follow_want(priority_follow *follow, tg_sub_id sub)
{
    follow->wanted = sub;
}

void priority_follow_poll(priority_follow *follow, tg_client *client)
{
    if (follow->asked.v == follow->wanted.v) {
        return;
    }
    if (follow->asked.v != 0) {
        if (tg_client_prioritise(client, follow->asked, false) == TG_ERR_FULL) {
            return; /* the queue empties: again at the next poll */
        }
        follow->asked.v = 0;
        follow->state = PRIORITY_NONE;
    }
    if (follow->wanted.v == 0) {
        return;
    }
    const tg_err err = tg_client_prioritise(client, follow->wanted, true);
    if (err == TG_ERR_FULL) {
        return;
    }
    follow->asked = follow->wanted;
    follow->err = err;
    follow->state = err == TG_OK ? PRIORITY_ASKED : PRIORITY_REFUSED;
}

void priority_follow_event(priority_follow *follow, const tg_event *event)
{
    if (follow->asked.v == 0) {
        return;
    }
    if (event->kind == TG_EVENT_PRIORITY && event->sub.v == follow->asked.v) {
        follow->err = event->err;
        follow->state = event->err == TG_OK ? PRIORITY_GIVEN : PRIORITY_REFUSED;
        return;
    }
    /* The next session answers anew. */
    const bool over = event->kind == TG_EVENT_SESSION &&
                      (event->state == TG_SESSION_IDLE || event->state == TG_SESSION_WAITING ||
                       event->state == TG_SESSION_CONNECTING);
    if (over) {
        follow->state = PRIORITY_ASKED;
        follow->err = TG_OK;
    }
}

const char *priority_follow_text(const priority_follow *follow)
{
    switch (follow->state) {
    case PRIORITY_NONE:
        return "not asked for";
    case PRIORITY_ASKED:
        return "asked for, no answer yet";
    case PRIORITY_GIVEN:
        return "every tick as it comes";
    case PRIORITY_REFUSED:
        break;
    }
    if (follow->err == TG_ERR_FULL || follow->err == TG_ERR_LIMIT) {
        return "refused, limit reached: conflated";
    }
    if (follow->err == TG_ERR_NOT_ENTITLED) {
        return "refused, not entitled: conflated";
    }
    return follow->err == TG_ERR_NOT_FOUND ? "refused, no such name" : "refused: conflated";
}
