/*
 * The machine slept, or its wall clock was set: what is shown is not of now until the gateway says
 * so.
 *
 * The proof has two parts. The reply to an ECHO that was sent afterwards: all that was sent before
 * it has been read by then, what lay in the socket over the sleep included, and the bounds of
 * lateness are of this time again. Then a frame that is on time: the gateway may hold back what it
 * has for a client that slept, and a reply goes past that.
 */
#include <stdio.h>

#include "engine_state.h"

static void write_seconds(char *text, size_t size, int64_t ns)
{
    const int64_t ms = ns / TG__MS_NS;
    (void)snprintf(text, size, "%lld.%03lld s", (long long)(ms / 1000), (long long)(ms % 1000));
}

static void write_jump(char *text, size_t size, const tg__clock_jump *jump)
{
    char slept[32];
    char stepped[32];
    const bool back = jump->stepped_ns < 0;
    write_seconds(slept, sizeof slept, jump->slept_ns);
    /* INT64_MIN has no opposite; nobody sets a clock that far. */
    write_seconds(stepped, sizeof stepped,
                  back ? -(jump->stepped_ns + (jump->stepped_ns == INT64_MIN)) : jump->stepped_ns);
    if (jump->stepped_ns == 0) {
        (void)snprintf(text, size, "the machine slept for %s", slept);
    } else {
        (void)snprintf(text, size, "%s%s%sthe wall clock was set %s by %s",
                       jump->slept_ns != 0 ? "the machine slept for " : "",
                       jump->slept_ns != 0 ? slept : "", jump->slept_ns != 0 ? ", and " : "",
                       back ? "back" : "forward", stepped);
    }
}

static void count_jump(tg__engine *engine, const tg__clock_jump *jump)
{
    tg__count(&engine->counters.sleeps, jump->slept_ns != 0);
    tg__count(&engine->counters.clock_steps, jump->stepped_ns != 0);
}

tg_err tg__on_clock(tg__engine *engine, const tg__input *input)
{
    char text[128];
    write_jump(text, sizeof text, &input->as.clock);
    count_jump(engine, &input->as.clock);
    tg__engine_token_slept(engine, input->as.clock.slept_ns);
    (void)tg__engine_event(engine, TG_EVENT_CLOCK, input->now_ns, TG_OK, "%s", text);
    return TG_OK;
}

/* A token goes on growing old in a sleep; what is due by that is seen to at the next timer. */
static void age_token(tg__session *session, int64_t slept_ns)
{
    if (session->token_end_ns != TG__NEVER) {
        session->token_end_ns -= slept_ns;
    }
    if (session->renew_at_ns != TG__NEVER) {
        session->renew_at_ns -= slept_ns;
    }
}

tg_err tg__on_clock_in_session(tg__engine *engine, const tg__input *input)
{
    const tg__clock_jump *jump = &input->as.clock;
    const int64_t now_ns = input->now_ns;
    tg__session *session = &engine->session;
    char text[128];
    write_jump(text, sizeof text, jump);
    count_jump(engine, jump);
    tg__lateness_slept(&session->lateness, jump->slept_ns);
    age_token(session, jump->slept_ns);
    /* After a sleep the other end is most often gone, and what is read from the socket's buffer
     * must not pass for a sign of life: this deadline only the reply moves. */
    const int64_t within_ns = jump->slept_ns != 0 ? TG__PROOF_NS : session->alive_ns;
    const int64_t proof_at_ns = now_ns + within_ns;
    session->proof_at_ns = session->proof == TG__PROOF_ECHO
                               ? tg__min_ns(session->proof_at_ns, proof_at_ns)
                               : proof_at_ns;
    session->proof = TG__PROOF_ECHO;
    tg__engine_show_lateness(engine);
    /* One that is under way may have been answered before. */
    session->echo_sent_ns = TG__NEVER;
    tg__engine_echo(engine, now_ns);
    (void)tg__engine_event(engine, TG_EVENT_CLOCK, now_ns, TG_ERR_TIMEOUT,
                           "%s: nothing is live until the gateway answers", text);
    return TG_OK;
}

static void prove(tg__engine *engine, int64_t now_ns)
{
    engine->session.proof = TG__PROOF_NONE;
    tg__engine_show_lateness(engine);
    (void)tg__engine_event(engine, TG_EVENT_CLOCK, now_ns, TG_OK,
                           "the gateway answered: what is shown is of now again");
}

void tg__engine_answered(tg__engine *engine, int64_t now_ns)
{
    tg__session *session = &engine->session;
    if (session->proof != TG__PROOF_ECHO) {
        return;
    }
    session->proof_at_ns = TG__NEVER;
    session->proof = TG__PROOF_FRAME;
    if (engine->channel.count == 0) {
        prove(engine, now_ns); /* no frame has to come, and none is needed */
    }
}

void tg__engine_frame_on_time(tg__engine *engine, int64_t now_ns)
{
    if (engine->session.proof == TG__PROOF_FRAME) {
        prove(engine, now_ns);
    }
}

bool tg__engine_is_unproved(tg__engine *engine, int64_t now_ns)
{
    if (now_ns < engine->session.proof_at_ns) {
        return false;
    }
    tg__engine_leave(engine, now_ns, TG__CAUSE_TIMEOUT, 0,
                     "no answer since the machine slept or its clock was set");
    return true;
}
