#include "day_tokens.h"

#include "tg_cmocka.h"

#include <string.h>

#define SECOND       (1000 * RIG_MS)
#define LIFETIME_MIN 2u /* s */
#define LIFETIME_MAX 5u
#define LATE_MAX_S   40u /* the engine waits for 30 */

static unsigned long long seed_of(const day_tokens *t)
{
    return (unsigned long long)t->seed;
}

static void meet(day_tokens *t, day_fault fault)
{
    t->waits[fault] = false;
    t->met[fault]++;
    t->trouble_ns = t->r->now_ns;
}

void day_tokens_begin(day_tokens *t, rig *r, uint64_t seed, bool used)
{
    memset(t, 0, sizeof *t);
    t->used = used;
    t->r = r;
    t->seed = seed;
    t->random.state = seed ^ UINT64_C(0x70cea);
}

bool day_tokens_expect(day_tokens *t, day_fault fault)
{
    const bool ours = fault == DAY_TOKEN_LATE || fault == DAY_TOKEN_NEVER ||
                      fault == DAY_TOKEN_NONE || fault == DAY_TOKEN_OLD ||
                      fault == DAY_RENEWAL_REFUSED || fault == DAY_RENEWAL_IGNORED;
    if (ours && t->used) {
        t->waits[fault] = true;
    }
    return ours;
}

static bool in_session(const day_tokens *t)
{
    const tg__engine_state state = tg__engine_state_of(t->r->engine);
    return state == TG__ENGINE_JOINING || state == TG__ENGINE_LIVE || state == TG__ENGINE_RESYNCING;
}

/* The fault that the answer to this question has. */
static day_fault fault_of_answer(day_tokens *t)
{
    static const day_fault faults[] = {DAY_TOKEN_LATE, DAY_TOKEN_NEVER, DAY_TOKEN_NONE,
                                       DAY_TOKEN_OLD};
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        if (t->waits[faults[i]]) {
            meet(t, faults[i]);
            return faults[i];
        }
    }
    return DAY_FAULT_COUNT;
}

static void ask(day_tokens *t, tg_token_reason reason)
{
    const bool renewal = in_session(t);
    const bool refused = renewal ? t->renewal_refused : t->refused;
    const tg_token_reason due = refused   ? TG_TOKEN_REFUSED
                                : renewal ? TG_TOKEN_RENEW
                                          : TG_TOKEN_CONNECT;
    if (reason != due) {
        fail_msg("seed %llu: the provider is asked for reason %d, not %d", seed_of(t), (int)reason,
                 (int)due);
    }
    t->asks++;
    if (t->asked && t->answer_ns != INT64_MAX) {
        return; /* the answer that is under way is for this question, too */
    }
    t->asked = true;
    t->answer = fault_of_answer(t);
    t->answer_ns = t->r->now_ns;
    if (t->answer == DAY_TOKEN_NEVER) {
        t->answer_ns = INT64_MAX;
    } else if (t->answer == DAY_TOKEN_LATE) {
        t->answer_ns += (int64_t)tg__random_upto(&t->random, LATE_MAX_S * 1000) * RIG_MS;
    }
}

void day_tokens_step(day_tokens *t)
{
    rig *r = t->r;
    if (!t->asked) {
        return;
    }
    if (t->answer != DAY_FAULT_COUNT) {
        t->trouble_ns = r->now_ns;
    }
    if (r->now_ns < t->answer_ns) {
        return;
    }
    t->asked = false;
    if (tg__engine_state_of(r->engine) == TG__ENGINE_IDLE) {
        return; /* the host stopped meanwhile, and throws it away */
    }
    const bool given = t->answer != DAY_TOKEN_NONE;
    if (given) {
        const int64_t lifetime_s =
            LIFETIME_MIN + (int64_t)tg__random_upto(&t->random, LIFETIME_MAX - LIFETIME_MIN);
        const int64_t end_ns = t->answer == DAY_TOKEN_OLD ? -SECOND : lifetime_s * SECOND;
        t->held = true;
        t->hand = (sim_token){++t->given, sim_market_true_ns(&r->market) + end_ns};
    }
    assert_int_equal(rig_token(r, given), TG_OK);
}

static sim_token hand_over(day_tokens *t, const char *how)
{
    if (!t->held) {
        fail_msg("seed %llu: a token is handed over %s, but there is none that no gateway has seen",
                 seed_of(t), how);
    }
    t->held = false;
    return t->hand;
}

static void send(day_tokens *t)
{
    rig *r = t->r;
    uint8_t bytes[SIM_TOKEN_SIZE + 8];
    const sim_token token = hand_over(t, "in session");
    t->under_way = true;
    if (!r->connected || r->deaf) {
        return;
    }
    r->session.token_habit = SIM_TOKEN_JUDGE;
    if (t->waits[DAY_RENEWAL_REFUSED]) {
        meet(t, DAY_RENEWAL_REFUSED);
        r->session.token_habit = SIM_TOKEN_REFUSE;
    } else if (t->waits[DAY_RENEWAL_IGNORED]) {
        meet(t, DAY_RENEWAL_IGNORED);
        r->session.token_habit = SIM_TOKEN_IGNORE;
    }
    const int64_t ended_ns = r->session.token_end_ns;
    sim_session_receive(&r->session, bytes, sim_token_encode(&token, bytes, sizeof bytes));
    if (r->session.token_end_ns != ended_ns) {
        t->accepted_ns = r->now_ns;
    }
}

void day_tokens_action(day_tokens *t, const tg__action *action)
{
    if (action->kind == TG__ACTION_TOKEN) {
        ask(t, action->as.token_reason);
    } else if (action->kind == TG__ACTION_SEND_TOKEN) {
        send(t);
    } else if (action->kind == TG__ACTION_EVENT && action->as.event.kind == TG_EVENT_TOKEN &&
               action->as.event.err == TG_ERR_TIMEOUT) {
        t->under_way = false;
    } else if (action->kind == TG__ACTION_CLOSE || action->kind == TG__ACTION_DROP) {
        day_tokens_lost(t, false);
    }
}

bool day_tokens_upgrade(day_tokens *t, sim_token *token)
{
    *token = hand_over(t, "with the upgrade");
    return token->end_ns > sim_market_true_ns(&t->r->market);
}

void day_tokens_accepted(day_tokens *t)
{
    t->accepted_ns = t->r->now_ns;
}

void day_tokens_verdict(day_tokens *t, sim_verdict verdict)
{
    if (!t->under_way) {
        return;
    }
    t->under_way = false;
    t->renewal_refused = verdict == SIM_REFUSED;
    t->renewals += verdict == SIM_ACCEPTED;
    t->refusals += verdict == SIM_REFUSED;
}

void day_tokens_joined(day_tokens *t)
{
    t->refused = false;
    t->renewal_refused = false;
    t->under_way = false;
}

void day_tokens_lost(day_tokens *t, bool refused)
{
    t->under_way = false;
    t->renewal_refused = false;
    t->refused = t->refused || refused;
    t->refusals += refused;
}

bool day_tokens_have_ended(day_tokens *t)
{
    const rig *r = t->r;
    if (!t->used || !r->connected || sim_market_true_ns(&r->market) < r->session.token_end_ns) {
        return false;
    }
    if (t->trouble_ns < t->accepted_ns) {
        fail_msg("seed %llu: a token ended in session, and nothing hindered its renewal",
                 seed_of(t));
    }
    return true;
}

void day_tokens_check(const day_tokens *t)
{
    const tg__engine_counters *counters = tg__engine_counters_of(t->r->engine);
    assert_int_equal(counters->token_requests, t->asks);
    assert_int_equal(counters->tokens_renewed, t->renewals);
    assert_int_equal(counters->tokens_refused, t->refusals);
}
