/*
 * Tokens: asked for before a connection, renewed in session ahead of their end. The engine decides
 * when; it never sees one. PROTOCOL.md 4.4.
 */
#include <stdio.h>

#include "engine_state.h"

#define RENEW_AT_PERCENT     80 /* of the lifetime; minus the spread, so that a fleet spreads out */
#define RENEW_SPREAD_PERCENT 20
#define RENEW_GAP_PART       32 /* of the lifetime: before the first repetition, which doubles */
#define RENEW_GAP_LEAST_NS   TG__S_NS
#define RENEW_GAP_FIRST_NS   (60 * TG__S_NS)
#define RENEW_GAP_LAST_NS    (900 * TG__S_NS)
#define PROVIDER_NS          (30 * TG__S_NS) /* until a provider is asked again */
#define TOKEN_ANSWER_NS      (10 * TG__S_NS)
#define FRESH_PART           2 /* of the lifetime: so long a token waits for its connection */
#define FRESH_LAST_NS        (900 * TG__S_NS)

static int64_t clamp_ns(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

static void ask(tg__engine *engine, tg_token_reason reason)
{
    tg__action *action = tg__engine_push(engine, TG__ACTION_TOKEN);
    if (action != NULL) {
        engine->token = TG__TOKEN_ASKED;
        action->as.token_reason = reason;
        tg__count(&engine->counters.token_requests, 1);
    }
}

/* There is one that nobody has seen yet. It is kept while attempts come to nothing: a fleet whose
 * gateway is away must not ask its provider with every one of them. */
static void hold(tg__engine *engine, int64_t now_ns)
{
    engine->token = TG__TOKEN_READY;
    engine->token_until_ns = now_ns + engine->token_fresh_ns;
}

void tg__engine_token_slept(tg__engine *engine, int64_t slept_ns)
{
    if (engine->token_until_ns != TG__NEVER) {
        engine->token_until_ns -= slept_ns;
    }
}

/* Whatever becomes of the attempt, the next one needs another. */
tg_err tg__on_requested(tg__engine *engine, const tg__input *input)
{
    (void)input;
    engine->token = TG__TOKEN_NONE;
    return TG_OK;
}

void tg__engine_begin_attempt(tg__engine *engine, int64_t now_ns)
{
    const bool fresh = engine->token == TG__TOKEN_READY && now_ns < engine->token_until_ns;
    if (!engine->renews || fresh) {
        tg__engine_connect(engine, now_ns);
        return;
    }
    engine->state = TG__ENGINE_TOKEN;
    engine->session.step_at_ns = now_ns + PROVIDER_NS;
    (void)tg__engine_event(engine, TG_EVENT_SESSION, now_ns, TG_OK, "waiting for a token");
    ask(engine, engine->tokens_refused > 0 ? TG_TOKEN_REFUSED : TG_TOKEN_CONNECT);
}

static void lose_for_want_of_token(tg__engine *engine, int64_t now_ns, const char *text)
{
    engine->token = TG__TOKEN_NONE;
    tg__closed closed = {.cause = TG__CAUSE_TOKEN};
    (void)snprintf(closed.text, sizeof closed.text, "%s", text);
    tg__engine_lose(engine, now_ns, &closed);
}

tg_err tg__on_token_timer(tg__engine *engine, const tg__input *input)
{
    if (input->now_ns >= engine->session.step_at_ns) {
        lose_for_want_of_token(engine, input->now_ns, "the provider did not answer within 30 s");
    }
    return TG_OK;
}

tg_err tg__on_token_awaited(tg__engine *engine, const tg__input *input)
{
    if (input->as.token_given) {
        hold(engine, input->now_ns);
        tg__engine_connect(engine, input->now_ns);
    } else {
        lose_for_want_of_token(engine, input->now_ns, "the provider has none");
    }
    return TG_OK;
}

/* A renewal's answer that comes after its session: it is for the next connection. */
tg_err tg__on_token_early(tg__engine *engine, const tg__input *input)
{
    engine->token = TG__TOKEN_NONE;
    if (input->as.token_given) {
        hold(engine, input->now_ns);
    }
    return TG_OK;
}

/* Tries again while the earlier token holds; what comes after that is the gateway's 4001. */
static void renew_later(tg__engine *engine, int64_t now_ns)
{
    tg__session *session = &engine->session;
    const int64_t half = session->renew_gap_ns / 2;
    const int64_t at = now_ns + half + (int64_t)tg__random_upto(&engine->random, (uint64_t)half);
    session->renew_gap_ns = tg__min_ns(session->renew_gap_ns * 2, RENEW_GAP_LAST_NS);
    session->renew_at_ns = at < session->token_end_ns ? at : TG__NEVER;
    session->token_sent = false;
}

static void tell_failed_renewal(tg__engine *engine, int64_t now_ns, tg_err err, const char *text)
{
    renew_later(engine, now_ns);
    const int64_t left_ns = engine->session.token_end_ns - now_ns;
    (void)tg__engine_event(engine, TG_EVENT_TOKEN, now_ns, err,
                           "token: %s; the earlier one holds for %lld ms", text,
                           (long long)(left_ns > 0 ? left_ns / TG__MS_NS : 0));
}

static void send_token(tg__engine *engine, int64_t now_ns)
{
    if (tg__engine_push(engine, TG__ACTION_SEND_TOKEN) == NULL) {
        hold(engine, now_ns); /* it goes when this input's actions are done */
        engine->session.renew_at_ns = now_ns + TG__MS_NS;
        return;
    }
    engine->token = TG__TOKEN_NONE;
    engine->session.token_sent = true;
    engine->session.renew_at_ns = now_ns + TOKEN_ANSWER_NS;
}

tg_err tg__on_token_renewed(tg__engine *engine, const tg__input *input)
{
    if (input->as.token_given) {
        send_token(engine, input->now_ns);
        return TG_OK;
    }
    engine->token = TG__TOKEN_NONE;
    tell_failed_renewal(engine, input->now_ns, TG_ERR_UNAUTHORIZED, "the provider has none");
    return TG_OK;
}

void tg__engine_renew(tg__engine *engine, int64_t now_ns)
{
    tg__session *session = &engine->session;
    if (session->token_sent) {
        tell_failed_renewal(engine, now_ns, TG_ERR_TIMEOUT, "the gateway did not answer");
    } else if (engine->token == TG__TOKEN_READY) {
        send_token(engine, now_ns);
    } else {
        session->renew_at_ns = now_ns + PROVIDER_NS;
        ask(engine, session->token_refused ? TG_TOKEN_REFUSED : TG_TOKEN_RENEW);
    }
}

void tg__engine_token_lives(tg__engine *engine, int64_t now_ns, uint32_t lifetime_s)
{
    tg__session *session = &engine->session;
    session->token_sent = false;
    session->token_refused = false;
    session->renew_at_ns = TG__NEVER;
    session->token_end_ns = TG__NEVER;
    engine->token_fresh_ns = FRESH_LAST_NS;
    if (lifetime_s == 0) {
        return;
    }
    const int64_t lifetime_ns = lifetime_s * TG__S_NS;
    engine->token_fresh_ns = tg__min_ns(lifetime_ns / FRESH_PART, FRESH_LAST_NS);
    session->token_end_ns = now_ns + lifetime_ns;
    session->renew_gap_ns =
        clamp_ns(lifetime_ns / RENEW_GAP_PART, RENEW_GAP_LEAST_NS, RENEW_GAP_FIRST_NS);
    if (engine->renews) {
        const int64_t spread_ns = (int64_t)tg__random_upto(
            &engine->random, (uint64_t)(lifetime_ns / 100 * RENEW_SPREAD_PERCENT));
        session->renew_at_ns = now_ns + lifetime_ns / 100 * RENEW_AT_PERCENT - spread_ns;
    }
}

tg_err tg__on_token_answer(tg__engine *engine, const tg__input *input)
{
    tg__token_answer answer;
    tg__fault fault = {0, TG__NO_ROW};
    const tg_err err =
        tg__token_answer_decode(input->as.message.bytes, input->as.message.size, &answer, &fault);
    if (err != TG_OK) {
        tg__engine_reject(engine, input, err, &fault);
        return TG_OK;
    }
    if (!engine->session.token_sent) {
        tg__count(&engine->counters.unknown_messages, 1); /* no token of ours is under way */
        return TG_OK;
    }
    if (!answer.accepted) {
        tg__count(&engine->counters.tokens_refused, 1);
        engine->session.token_refused = true;
        tell_failed_renewal(engine, input->now_ns, TG_ERR_UNAUTHORIZED,
                            "the gateway refused the new one");
        return TG_OK;
    }
    tg__count(&engine->counters.tokens_renewed, 1);
    tg__engine_token_lives(engine, input->now_ns, answer.lifetime_s);
    (void)tg__engine_event(engine, TG_EVENT_TOKEN, input->now_ns, TG_OK,
                           answer.lifetime_s == 0 ? "token: renewed; it does not expire"
                                                  : "token: renewed for %lu s",
                           (unsigned long)answer.lifetime_s);
    return TG_OK;
}
