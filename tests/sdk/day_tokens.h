/*
 * The tokens of a day's client: a provider that gives them, late, never, none or one that has
 * ended; a hand that holds the one that the client has and no gateway has seen; and what must be
 * true of every step: no token is handed over twice, each question says rightly why it is asked,
 * and a token whose renewal nothing hindered does not end.
 */
#ifndef DAY_TOKENS_H
#define DAY_TOKENS_H

#include "day_script.h"
#include "engine_rig.h"
#include "random.h"

typedef struct day_tokens {
    bool used; /* the client has a provider */
    rig *r;
    uint64_t seed;
    tg__random random;
    uint32_t given; /* tokens so far; the number of the latest */
    bool held;      /* there is one in the hand */
    sim_token hand;
    bool asked;                  /* the provider has a question to answer */
    int64_t answer_ns;           /* when it will; INT64_MAX: never */
    day_fault answer;            /* of that question; DAY_FAULT_COUNT: a good one, at once */
    int64_t trouble_ns;          /* the latest time at which something was wrong */
    int64_t accepted_ns;         /* when the token of the session was */
    bool waits[DAY_FAULT_COUNT]; /* for a question or a renewal */
    bool refused;                /* a connection's token was, and no session came since */
    bool renewal_refused;        /* and no other was accepted since */
    bool under_way;              /* a renewal has no answer yet */
    uint64_t asks;
    uint64_t renewals;
    uint64_t refusals;
    uint64_t met[DAY_FAULT_COUNT]; /* faults that took effect here; whoever counts takes them */
} day_tokens;

void day_tokens_begin(day_tokens *t, rig *r, uint64_t seed, bool used);
/* That is a fault of the provider or of a renewal: it waits for one. */
bool day_tokens_expect(day_tokens *t, day_fault fault);
/* Once in every step. */
void day_tokens_step(day_tokens *t);
/* Of the engine. */
void day_tokens_action(day_tokens *t, const tg__action *action);
/* The upgrade takes the token with it. False: that has ended. */
bool day_tokens_upgrade(day_tokens *t, sim_token *token);
/* The gateway accepted it: WELCOME tells how long it holds. */
void day_tokens_accepted(day_tokens *t);
/* A TOKEN_ANSWER, as it was sent, is about to reach the session. */
void day_tokens_verdict(day_tokens *t, sim_verdict verdict);
/* The engine took a WELCOME. */
void day_tokens_joined(day_tokens *t);
/* A connection ended; refused: for its token. */
void day_tokens_lost(day_tokens *t, bool refused);
/* The token of the session ended now, and the gateway closes. */
bool day_tokens_have_ended(day_tokens *t);
void day_tokens_check(const day_tokens *t);

#endif
