/* Connecting, losing and waiting: the only owner of reconnects. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine_state.h"

static void reset_session(tg__engine *engine)
{
    memset(&engine->session, 0, sizeof engine->session);
    engine->session.resync_gap_ns = TG__RESYNC_FIRST_NS;
    engine->session.resync_last_ns = INT64_MIN;
    engine->session.stable_from_ns = TG__NEVER;
    engine->session.echo_sent_ns = TG__NEVER;
    engine->session.step_at_ns = TG__NEVER;
    engine->session.link_at_ns = TG__NEVER;
    engine->session.data_at_ns = TG__NEVER;
    engine->session.echo_at_ns = TG__NEVER;
    engine->session.resync_at_ns = TG__NEVER;
    engine->session.books_at_ns = TG__NEVER;
    engine->session.token_end_ns = TG__NEVER;
    engine->session.renew_at_ns = TG__NEVER;
    engine->session.pump_at_ns = TG__NEVER;
    engine->session.sweep_at_ns = TG__NEVER;
    engine->session.proof_at_ns = TG__NEVER;
    tg__engine_forget_requests(engine);
}

void tg__engine_connect(tg__engine *engine, int64_t now_ns)
{
    engine->state = TG__ENGINE_CONNECTING;
    engine->generation++;
    reset_session(engine);
    engine->session.attempt_ns = now_ns;
    engine->session.step_at_ns = now_ns + TG__CONNECT_NS;
    const uint32_t before = engine->endpoints.current;
    const uint32_t endpoint = tg__endpoints_choose(&engine->endpoints, now_ns);
    tg__count(&engine->counters.attempts, 1);
    tg__count(&engine->counters.failovers, endpoint != before);
    tg__action *connect = tg__engine_push(engine, TG__ACTION_CONNECT);
    if (connect != NULL) {
        connect->as.endpoint = endpoint;
    }
    atomic_store_explicit(&engine->counters.endpoint, endpoint, memory_order_relaxed);
    (void)tg__engine_event(engine, TG_EVENT_SESSION, now_ns, TG_OK,
                           endpoint == 0 ? "connecting" : "connecting to fallback %u",
                           (unsigned)endpoint);
}

tg_err tg__on_start(tg__engine *engine, const tg__input *input)
{
    tg__backoff_reset(&engine->backoff);
    tg__engine_begin_attempt(engine, input->now_ns);
    return TG_OK;
}

/* Whatever comes from the old connection is late from here on. */
static void end_connection(tg__engine *engine, int64_t now_ns)
{
    engine->generation++;
    engine->decoded_ns = 0;
    reset_session(engine);
    tg__store_set_link(engine->store, TG__LINK_DOWN, now_ns);
    engine->dirty = true;
}

tg_err tg__on_stop(tg__engine *engine, const tg__input *input)
{
    const tg__engine_state from = engine->state;
    if (from == TG__ENGINE_CONNECTING) {
        (void)tg__engine_push(engine, TG__ACTION_DROP);
    } else if (from != TG__ENGINE_WAITING && from != TG__ENGINE_TOKEN) {
        tg__action *close = tg__engine_push(engine, TG__ACTION_CLOSE);
        if (close != NULL) {
            close->as.close_code = TG__CLOSE_NORMAL;
        }
    }
    end_connection(engine, input->now_ns);
    engine->token = TG__TOKEN_NONE;
    engine->state = TG__ENGINE_IDLE;
    (void)tg__engine_event(engine, TG_EVENT_SESSION, input->now_ns, TG_OK, "stopped");
    return TG_OK;
}

tg_err tg__on_connected(tg__engine *engine, const tg__input *input)
{
    engine->state = TG__ENGINE_OPENING;
    engine->session.step_at_ns = input->now_ns + TG__WELCOME_NS;
    (void)tg__engine_event(engine, TG_EVENT_SESSION, input->now_ns, TG_OK,
                           "connected to %.120s; waiting for the gateway's welcome",
                           input->as.peer != NULL ? input->as.peer : "the gateway");
    return TG_OK;
}

bool tg__engine_was_unbroken(const tg__engine *engine)
{
    const tg__session *session = &engine->session;
    return session->stable_from_ns != TG__NEVER &&
           session->stable_last_ns - session->stable_from_ns >= TG__STABLE_NS;
}

/*
 * The budget is forgotten only after a stable time of applied data: neither a connection nor a
 * snapshot alone proves that the next attempt will hold, however long silence followed. A session
 * that has earned it keeps it: a hole later on says nothing of the next connection.
 */
void tg__engine_count_stable(tg__engine *engine, int64_t now_ns)
{
    tg__session *session = &engine->session;
    if (session->stable_from_ns == TG__NEVER) {
        session->stable_from_ns = now_ns;
    }
    session->stable_last_ns = now_ns;
    session->stable = session->stable || tg__engine_was_unbroken(engine);
}

void tg__engine_break_stable(tg__engine *engine)
{
    engine->session.stable_from_ns = TG__NEVER;
}

static void write_cause(char *text, size_t size, const tg__closed *closed, const char *clause)
{
    char number[24] = "";
    if (closed->cause == TG__CAUSE_CLOSE_CODE) {
        (void)snprintf(number, sizeof number, " (close code %u)", (unsigned)closed->code);
    } else if (closed->code != 0) {
        (void)snprintf(number, sizeof number, " (HTTP %u)", (unsigned)closed->code);
    }
    (void)snprintf(text, size, "session: %s%s%s%s", clause, number,
                   closed->text[0] != '\0' ? ": " : "", closed->text);
}

/* A refused token says nothing of the gateway that refused it. */
static void judge_endpoint(tg__engine *engine, int64_t now_ns, tg__cause cause, tg__policy policy)
{
    if (policy == TG__POLICY_RENEW || cause == TG__CAUSE_TOKEN) {
        return;
    }
    if (engine->session.stable && policy == TG__POLICY_RETRY) {
        tg__endpoints_succeed(&engine->endpoints);
    } else {
        tg__endpoints_fail(&engine->endpoints, now_ns);
    }
}

void tg__engine_lose(tg__engine *engine, int64_t now_ns, const tg__closed *closed)
{
    const tg__policy_row row = tg__policy_of(closed);
    tg__count(&engine->counters.ended[closed->cause], 1);
    judge_endpoint(engine, now_ns, closed->cause, row.policy);
    if (engine->session.stable) {
        tg__backoff_reset(&engine->backoff);
    } else if (engine->state != TG__ENGINE_TOKEN && !engine->session.lived) {
        tg__backoff_spend(&engine->backoff, now_ns - engine->session.attempt_ns);
    }
    end_connection(engine, now_ns);
    char cause[sizeof closed->text + 96];
    write_cause(cause, sizeof cause, closed, row.text);
    const bool renew = row.policy == TG__POLICY_RENEW;
    const bool stop = row.policy == TG__POLICY_STOP || (renew && !engine->renews);
    if (renew) {
        engine->tokens_refused++;
        tg__count(&engine->counters.tokens_refused, 1);
    }
    if (stop) {
        tg__count(&engine->counters.stops, 1);
        engine->state = TG__ENGINE_IDLE;
        (void)tg__engine_event(engine, TG_EVENT_SESSION, now_ns, row.err, "%.150s; stopped%s",
                               cause, renew ? ": no other token is there" : "");
        return;
    }
    /* A renewed token that is refused, too, is not repaired by haste. */
    const bool again = renew && engine->tokens_refused > 1;
    const uint32_t floor_ms = closed->floor_ms > row.floor_ms ? closed->floor_ms : row.floor_ms;
    /* What has to be repaired at one gateway is no reason to be slow with another. */
    const bool slow =
        row.policy == TG__POLICY_RETRY_SLOW &&
        (closed->cause == TG__CAUSE_TOKEN || !tg__endpoints_has_hope(&engine->endpoints, now_ns));
    const tg__backoff_kind kind = slow || again          ? TG__BACKOFF_SLOW
                                  : closed->floor_ms > 0 ? TG__BACKOFF_TOLD
                                                         : TG__BACKOFF_OWN;
    tg__count(&engine->counters.delays_told, closed->floor_ms > 0);
    const int64_t delay_ns = tg__backoff_next_ns(&engine->backoff, &engine->random, kind, floor_ms);
    engine->state = TG__ENGINE_WAITING;
    engine->session.step_at_ns = now_ns + delay_ns;
    tg_event *event = tg__engine_event(
        engine, TG_EVENT_SESSION, now_ns, row.err, "%.150s; next attempt in %lld ms%s", cause,
        (long long)(delay_ns / TG__MS_NS), renew ? ", with another token" : "");
    if (event != NULL) {
        event->wait_ms = (uint32_t)(delay_ns / TG__MS_NS);
    }
}

tg_err tg__on_closed(tg__engine *engine, const tg__input *input)
{
    tg__engine_lose(engine, input->now_ns, &input->as.closed);
    return TG_OK;
}

void tg__engine_leave(tg__engine *engine, int64_t now_ns, tg__cause cause, uint16_t close_code,
                      const char *format, ...)
{
    tg__closed closed = {cause, 0, 0, ""};
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(closed.text, sizeof closed.text, format, arguments);
    va_end(arguments);
    tg__action *action =
        tg__engine_push(engine, close_code != 0 ? TG__ACTION_CLOSE : TG__ACTION_DROP);
    if (action != NULL) {
        action->as.close_code = close_code;
    }
    tg__engine_lose(engine, now_ns, &closed);
}

tg_err tg__on_connect_timer(tg__engine *engine, const tg__input *input)
{
    if (input->now_ns >= engine->session.step_at_ns) {
        tg__engine_leave(engine, input->now_ns, TG__CAUSE_TIMEOUT, 0, "no connection within %lld s",
                         (long long)(TG__CONNECT_NS / TG__S_NS));
    }
    return TG_OK;
}

tg_err tg__on_welcome_timer(tg__engine *engine, const tg__input *input)
{
    if (input->now_ns >= engine->session.step_at_ns) {
        tg__engine_leave(engine, input->now_ns, TG__CAUSE_TIMEOUT, 0, "no WELCOME within %lld s",
                         (long long)(TG__WELCOME_NS / TG__S_NS));
    }
    return TG_OK;
}

tg_err tg__on_waiting_timer(tg__engine *engine, const tg__input *input)
{
    if (input->now_ns >= engine->session.step_at_ns) {
        tg__engine_begin_attempt(engine, input->now_ns);
    }
    return TG_OK;
}

/* The channel is silent although the link lives: ask for images, and give up if that is in vain.
 * Asking does not renew the clock: only an applied frame does. */
static void data_overdue(tg__engine *engine, int64_t now_ns)
{
    tg__session *session = &engine->session;
    tg__count(&engine->counters.data_timeouts, 1);
    if (session->data_late) {
        tg__engine_leave(engine, now_ns, TG__CAUSE_TIMEOUT, 0,
                         "the link answers but brings no frames");
        return;
    }
    session->data_late = true;
    session->data_at_ns =
        now_ns + session->alive_ns + tg__engine_resync_lag_ns(engine, TG_ERR_TIMEOUT);
    if (engine->state == TG__ENGINE_LIVE) {
        tg__engine_gap(engine, now_ns, TG_ERR_TIMEOUT, "no frame in time, heartbeats included");
    }
}

/* An answer or an image did not come. */
static void step_overdue(tg__engine *engine, int64_t now_ns)
{
    engine->session.step_at_ns = TG__NEVER;
    if (engine->state == TG__ENGINE_JOINING || tg__engine_is_unanswered(engine)) {
        tg__engine_leave(engine, now_ns, TG__CAUSE_TIMEOUT, 0, "no %s within %lld s",
                         tg__engine_is_unanswered(engine) ? "answer" : "images",
                         (long long)(TG__JOIN_NS / TG__S_NS));
    } else if (engine->state == TG__ENGINE_LIVE) {
        tg__engine_gap(engine, now_ns, TG_ERR_TIMEOUT, "no image of the changed set");
    }
}

tg_err tg__on_session_timer(tg__engine *engine, const tg__input *input)
{
    const int64_t now_ns = input->now_ns;
    tg__session *session = &engine->session;
    if (now_ns >= session->link_at_ns) {
        tg__count(&engine->counters.link_timeouts, 1);
        /* A dead link is cut: a polite close would hang in its send buffer. */
        tg__engine_leave(engine, now_ns, TG__CAUSE_TIMEOUT, 0, "nothing received for %lld ms",
                         (long long)(session->alive_ns / TG__MS_NS));
        return TG_OK;
    }
    if (tg__engine_is_unproved(engine, now_ns)) {
        return TG_OK;
    }
    if (now_ns >= session->step_at_ns) {
        step_overdue(engine, now_ns);
    }
    if (engine->state != TG__ENGINE_WAITING && now_ns >= session->data_at_ns) {
        data_overdue(engine, now_ns);
    }
    if (engine->state == TG__ENGINE_RESYNCING && now_ns >= session->resync_at_ns) {
        tg__engine_resync(engine, now_ns);
    }
    if (engine->state != TG__ENGINE_WAITING && now_ns >= session->books_at_ns) {
        tg__engine_books_overdue(engine, now_ns);
    }
    if (engine->state == TG__ENGINE_WAITING) {
        return TG_OK; /* one of these gave the connection up */
    }
    if (now_ns >= session->echo_at_ns) {
        tg__engine_echo(engine, now_ns);
    }
    if (now_ns >= session->renew_at_ns) {
        tg__engine_renew(engine, now_ns);
    }
    if (now_ns >= session->pump_at_ns) {
        tg__engine_pump(engine, now_ns);
    }
    if (now_ns >= engine->audit_at_ns) {
        tg__engine_audit(engine, now_ns);
    }
    tg__engine_report(engine, now_ns);
    return TG_OK;
}

int64_t tg__engine_deadline(const tg__engine *engine)
{
    const tg__session *session = &engine->session;
    switch (engine->state) {
    case TG__ENGINE_IDLE:
        return TG__NEVER;
    case TG__ENGINE_CONNECTING:
    case TG__ENGINE_OPENING:
    case TG__ENGINE_WAITING:
    case TG__ENGINE_TOKEN:
        return session->step_at_ns;
    case TG__ENGINE_JOINING:
    case TG__ENGINE_LIVE:
    case TG__ENGINE_RESYNCING:
    case TG__ENGINE_STATE_COUNT:
        break;
    }
    int64_t deadline = tg__min_ns(session->link_at_ns, session->data_at_ns);
    deadline = tg__min_ns(deadline, session->step_at_ns);
    deadline = tg__min_ns(deadline, session->echo_at_ns);
    deadline = tg__min_ns(deadline, session->pump_at_ns);
    deadline = tg__min_ns(deadline, session->sweep_at_ns);
    deadline = tg__min_ns(deadline, session->renew_at_ns);
    deadline = tg__min_ns(deadline, session->proof_at_ns);
    deadline = tg__min_ns(deadline, session->books_at_ns);
    deadline = tg__min_ns(deadline, engine->audit_at_ns);
    deadline = tg__min_ns(deadline, tg__engine_report_deadline(engine));
    if (engine->state == TG__ENGINE_RESYNCING) {
        deadline = tg__min_ns(deadline, session->resync_at_ns);
    }
    return deadline;
}
