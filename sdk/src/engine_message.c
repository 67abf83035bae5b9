/* One message: its kind decides who handles it, and whether the state allows it. */
#include <stdio.h>
#include <string.h>

#include "engine_state.h"

typedef enum repair {
    REPAIR_NONE,   /* it can be done without */
    REPAIR_RESYNC, /* images restate what it said */
    REPAIR_BOOKS,  /* the priority channel restates it */
    REPAIR_LEAVE   /* nothing restates it */
} repair;

typedef struct kind_row {
    uint8_t kind;
    bool opens; /* allowed only before the session, instead of only in it */
    repair repair;
    const char *name;
    tg_err (*handle)(tg__engine *engine, const tg__input *input);
} kind_row;

/* clang-format off */
static const kind_row kind_rows[] = {
    {TG__KIND_WELCOME,      true,  REPAIR_LEAVE,  "WELCOME",      tg__on_welcome},
    {TG__KIND_DELTA,        false, REPAIR_RESYNC, "DELTA",        tg__on_delta},
    {TG__KIND_SNAPSHOT,     false, REPAIR_RESYNC, "SNAPSHOT",     tg__on_snapshot},
    {TG__KIND_TICKS,        false, REPAIR_BOOKS,  "TICKS",        tg__on_ticks},
    {TG__KIND_DICTIONARY,   false, REPAIR_LEAVE,  "DICTIONARY",   tg__on_dictionary},
    {TG__KIND_ANSWER,       false, REPAIR_LEAVE,  "ANSWER",       tg__on_answer},
    {TG__KIND_FOUND,        false, REPAIR_NONE,   "FOUND",        tg__on_found},
    {TG__KIND_ECHO_REPLY,   false, REPAIR_NONE,   "ECHO_REPLY",   tg__on_echo_reply},
    {TG__KIND_VENUE_STATE,  false, REPAIR_NONE,   "VENUE_STATE",  tg__on_venue_state},
    {TG__KIND_LIMITS,       false, REPAIR_NONE,   "LIMITS",       tg__on_limits},
    {TG__KIND_TOKEN_ANSWER, false, REPAIR_NONE,   "TOKEN_ANSWER", tg__on_token_answer},
};
/* clang-format on */

#define FIRST_MANDATORY_KIND 0x80u

static const kind_row *row_of(uint8_t kind)
{
    for (size_t i = 0; i < sizeof kind_rows / sizeof kind_rows[0]; i++) {
        if (kind_rows[i].kind == kind) {
            return &kind_rows[i];
        }
    }
    return NULL;
}

const char *tg__kind_name(uint8_t kind)
{
    const kind_row *row = row_of(kind);
    return row != NULL ? row->name : "message";
}

static void write_place(char *text, size_t size, const tg__fault *fault)
{
    if (fault->row != TG__NO_ROW) {
        (void)snprintf(text, size, "offset %zu, row %lu", fault->offset, (unsigned long)fault->row);
    } else {
        (void)snprintf(text, size, "offset %zu", fault->offset);
    }
}

/* One fault is forgotten after a while, so that a rare one never adds up to a dropped session. */
static bool is_budget_spent(tg__session *session, int64_t now_ns)
{
    const int64_t forgotten =
        session->faults > 0 ? (now_ns - session->fault_at_ns) / TG__FAULT_FORGET_NS : 0;
    session->faults = forgotten >= session->faults ? 0 : session->faults - (uint32_t)forgotten;
    session->faults++;
    session->fault_at_ns = now_ns;
    return session->faults > TG__FAULTS_MAX;
}

void tg__engine_reject(tg__engine *engine, const tg__input *input, tg_err err,
                       const tg__fault *fault)
{
    const int64_t now_ns = input->now_ns;
    const uint8_t kind = input->as.message.size > 0 ? input->as.message.bytes[0] : 0;
    const kind_row *row = row_of(kind);
    char place[64];
    write_place(place, sizeof place, fault);
    tg__count(&engine->counters.frames_rejected, 1);
    tg__engine_break_stable(engine);
    (void)tg__engine_event(engine, TG_EVENT_FAULT, now_ns, err, "%s rejected: %s (%s)",
                           tg__kind_name(kind), tg_err_text(err), place);
    if (row == NULL || row->repair == REPAIR_LEAVE || is_budget_spent(&engine->session, now_ns)) {
        tg__engine_leave(engine, now_ns, TG__CAUSE_PEER_FAULT, TG__CLOSE_BAD_MESSAGE, "%s: %s (%s)",
                         tg__kind_name(kind), tg_err_text(err), place);
    } else if (row->repair == REPAIR_RESYNC) {
        tg__engine_gap(engine, now_ns, err, "a frame was rejected");
    } else if (row->repair == REPAIR_BOOKS) {
        tg__engine_ticks_lost(engine, now_ns, err);
    }
}

static tg_err on_unknown_kind(tg__engine *engine, const tg__input *input, uint8_t kind)
{
    tg__count(&engine->counters.unknown_messages, 1);
    if (kind >= FIRST_MANDATORY_KIND) {
        const tg__fault fault = {0, TG__NO_ROW};
        tg__engine_reject(engine, input, TG_ERR_MANDATORY_UNKNOWN, &fault);
    }
    return TG_OK;
}

static int64_t later_ns(int64_t deadline_ns, int64_t ns)
{
    return deadline_ns < ns ? ns : deadline_ns;
}

/*
 * A large message over a slow link is life, and everything else waits behind it: answers, echoes,
 * heartbeats, the image that was asked for. Who gave up would get the same message again. What is
 * on screen grows old meanwhile, and says so by itself.
 */
tg_err tg__on_progress(tg__engine *engine, const tg__input *input)
{
    tg__session *session = &engine->session;
    if (input->as.progress < session->progress + TG__PROGRESS_SIZE) {
        return TG_OK;
    }
    session->progress = input->as.progress;
    const int64_t now_ns = input->now_ns;
    session->link_at_ns = later_ns(session->link_at_ns, now_ns + session->alive_ns);
    session->data_at_ns = later_ns(session->data_at_ns, now_ns + session->alive_ns);
    session->step_at_ns = later_ns(session->step_at_ns, now_ns + TG__JOIN_NS);
    session->resync_at_ns = later_ns(session->resync_at_ns, now_ns + session->alive_ns);
    session->books_at_ns = later_ns(session->books_at_ns, now_ns + TG__BOOKS_NS);
    return TG_OK;
}

tg_err tg__on_message(tg__engine *engine, const tg__input *input)
{
    const size_t size = input->as.message.size;
    tg__session *session = &engine->session;
    session->progress = 0;
    tg__count(&engine->counters.messages, 1);
    tg__count(&engine->counters.bytes, size);
    const bool opening = engine->state == TG__ENGINE_OPENING;
    const size_t size_max = opening ? TG__MESSAGE_SIZE_MAX : session->limits.message_size_max;
    if (size > size_max) {
        tg__engine_leave(engine, input->now_ns, TG__CAUSE_PEER_FAULT, TG__CLOSE_TOO_BIG,
                         "a message of %zu bytes is over the limit of %zu", size, size_max);
        return TG_OK;
    }
    if (!opening) {
        session->link_at_ns = input->now_ns + session->alive_ns;
    }
    uint8_t kind = 0;
    if (tg__message_kind(input->as.message.bytes, size, &kind) != TG_OK) {
        const tg__fault fault = {0, TG__NO_ROW};
        tg__engine_reject(engine, input, TG_ERR_TRUNCATED, &fault);
        return TG_OK;
    }
    const kind_row *row = row_of(kind);
    if (row == NULL) {
        return on_unknown_kind(engine, input, kind);
    }
    if (row->opens != opening) {
        tg__engine_leave(engine, input->now_ns, TG__CAUSE_PEER_FAULT, TG__CLOSE_BAD_MESSAGE,
                         "%s came %s", row->name, opening ? "before WELCOME" : "a second time");
        return TG_OK;
    }
    return row->handle(engine, input);
}
