/**
 * What a following node has learnt from the bus since it connected, and the order in which it may
 * be told: the market first, then boundaries without a hole, versions that only rise.
 */
#ifndef TG_GATEWAY_BUS_SESSION_H
#define TG_GATEWAY_BUS_SESSION_H

#include "bus_message.h"
#include "cause.h"
#include "directory.h"

/* All zero: nothing has come. */
typedef struct tg__bus_session {
    bool has_hello;
    bool follows;        /* the first cut came: directory is sealed */
    tg__bus_hello hello; /* all zero before it came */
    tg__directory directory;
    uint64_t boundary; /* of the last cut */
    tg_version *cut;   /* by instrument id: its version at that cut */
    /* Of the message that was taken last: a cut's changes, or ticks. */
    tg__update *updates;
    uint32_t update_count;
} tg__bus_session;

/* Forgets everything; the next session may begin. */
void tg__bus_session_deinit(tg__bus_session *session);

/*
 * The next message. Any error means that the far end is not what it says to be, or that there is
 * no memory (cause); nothing of the session may be used then.
 */
TG_MUST_CHECK tg_err tg__bus_session_take(tg__bus_session *session, tg__bus_message *message,
                                          tg__cause *cause);

#endif
