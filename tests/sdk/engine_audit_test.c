#include "tg_cmocka.h"

#include <string.h>

#include "engine_rig.h"
#include "engine_state.h"

#define S (1000 * RIG_MS)

#define COUNT(r, name)                                                                             \
    atomic_load_explicit(&tg__engine_counters_of((r)->engine)->name, memory_order_relaxed)

static rig *make_live(void)
{
    static rig r;
    rig_open(&r, 64);
    rig_subscribe(&r, 0, 3);
    rig_subscribe(&r, 1, 7);
    rig_subscribe(&r, 2, 3);
    rig_go_live(&r);
    return &r;
}

static void run(rig *r, int64_t ns)
{
    for (const int64_t until = r->now_ns + ns; r->now_ns < until;) {
        sim_market_step(&r->market);
        sim_session_frame(&r->session);
        rig_deliver(r);
        rig_advance(r, 500 * RIG_MS);
    }
}

static void the_books_are_looked_at_every_30_seconds(void **state)
{
    (void)state;
    rig *r = make_live();
    run(r, 29 * S);
    assert_int_equal(COUNT(r, audits), 0);
    run(r, 62 * S);
    assert_int_equal(COUNT(r, audits), 3);
    assert_int_equal(r->audits, 3); /* and whoever keeps slots is asked each time */
    assert_int_equal(COUNT(r, audits_failed), 0);
    assert_null(rig_event(r, TG_EVENT_AUDIT));
    rig_close(r);
}

static void sessions_that_are_too_short_for_an_audit_have_one_among_them(void **state)
{
    (void)state;
    rig *r = make_live();
    for (int i = 0; i < 4; i++) {
        run(r, 10 * S);
        assert_int_equal(rig_closed(r, TG__CAUSE_LOST, 0, 0), TG_OK);
        rig_await_attempt(r);
        rig_go_live(r);
    }
    assert_int_equal(COUNT(r, audits), 1);
    rig_close(r);
}

static void a_contradiction_is_told_and_counted_and_the_session_goes_on(void **state)
{
    (void)state;
    rig *r = make_live();
    r->engine->desired.interests[2].want = r->engine->desired.interests[1].want;
    run(r, 31 * S);
    assert_int_equal(COUNT(r, audits_failed), 1);
    const tg_event *event = rig_event(r, TG_EVENT_AUDIT);
    assert_non_null(event);
    assert_int_equal(event->err, TG_ERR_STATE);
    assert_non_null(strstr(event->text, "conflated"));
    assert_int_equal(tg__engine_state_of(r->engine), TG__ENGINE_LIVE);
    run(r, 30 * S);
    assert_int_equal(COUNT(r, audits_failed), 2);
    rig_close(r);
}

static void the_priority_channel_is_looked_at_too(void **state)
{
    (void)state;
    rig *r = make_live();
    assert_int_equal(rig_prioritise(r, 1, true), TG_OK);
    run(r, S);
    r->engine->priority.under_way++;
    run(r, 31 * S);
    assert_int_equal(COUNT(r, audits_failed), 1);
    assert_non_null(strstr(rig_event(r, TG_EVENT_AUDIT)->text, "priority"));
    r->engine->priority.under_way--;
    r->engine->priority.interests[1].sub.v += 0x10000; /* of nobody who is subscribed */
    run(r, 31 * S);
    assert_int_equal(COUNT(r, audits_failed), 2);
    rig_close(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_books_are_looked_at_every_30_seconds),
        cmocka_unit_test(sessions_that_are_too_short_for_an_audit_have_one_among_them),
        cmocka_unit_test(a_contradiction_is_told_and_counted_and_the_session_goes_on),
        cmocka_unit_test(the_priority_channel_is_looked_at_too),
    };
    return cmocka_run_group_tests_name("sdk.engine_audit", tests, NULL, NULL);
}
