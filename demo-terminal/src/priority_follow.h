/* The one subscription that comes on the priority channel, and what the gateway said to that. */
#ifndef TG_TERMINAL_PRIORITY_FOLLOW_H
#define TG_TERMINAL_PRIORITY_FOLLOW_H

#include <stdbool.h>

#include <tickglass/client.h>

typedef enum priority_state {
    PRIORITY_NONE,   /* nothing is followed */
    PRIORITY_ASKED,  /* no answer yet, or the session that had one is over */
    PRIORITY_GIVEN,  /* every tick comes */
    PRIORITY_REFUSED /* err says why; conflated rows go on */
} priority_state;

typedef struct priority_follow {
    tg_sub_id wanted;
    tg_sub_id asked; /* what the client was told to prioritise */
    priority_state state;
    tg_err err;
} priority_follow;

/* Follow that subscription from the next poll on, and no other; none (v is 0) is allowed. Thread:
 * owner. */
void priority_follow_want(priority_follow *follow, tg_sub_id sub);

/* Take the former back, ask for the wanted one. Thread: owner. */
void priority_follow_poll(priority_follow *follow, tg_client *client);

/* Thread: owner. */
void priority_follow_event(priority_follow *follow, const tg_event *event);

/* In a few words: "every tick", "refused: …". Thread: owner. */
const char *priority_follow_text(const priority_follow *follow);

#endif
