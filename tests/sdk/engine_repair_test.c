/* Losses that concern less than everything, and what is not a loss at all: slow, but coming. */
#include "tg_cmocka.h"

#include <string.h>

#include "engine_rig.h"

#define S (1000 * RIG_MS)

#define COUNT(r, name)                                                                             \
    atomic_load_explicit(&tg__engine_counters_of((r)->engine)->name, memory_order_relaxed)

/* Live with 3, 7 and 9, of which 3 is on the priority channel. */
static rig *make(void)
{
    static rig r;
    rig_open(&r, 64);
    rig_subscribe(&r, 0, 3);
    rig_subscribe(&r, 1, 7);
    rig_subscribe(&r, 2, 9);
    rig_go_live(&r);
    assert_int_equal(rig_prioritise(&r, 0, true), TG_OK);
    for (int i = 0; i < 5; i++) {
        rig_advance(&r, RIG_MS);
        rig_deliver(&r);
    }
    return &r;
}

static tg_quality quality_of(rig *r, tg_instrument_id id)
{
    tg_row row;
    assert_int_equal(rig_row(r, id, &row), TG_OK);
    return row.quality;
}

static tg_quality depth_quality_of(rig *r, tg_instrument_id id)
{
    tg_depth depth;
    const tg_view *view = tg_reader_pin(r->reader);
    assert_int_equal(tg_view_depth(view, id, r->now_ns, &depth), TG_OK);
    tg_reader_unpin(r->reader);
    return depth.quality;
}

static void assert_rows_live(rig *r)
{
    assert_int_equal(quality_of(r, 3), TG_QUALITY_LIVE);
    assert_int_equal(quality_of(r, 7), TG_QUALITY_LIVE);
    assert_int_equal(quality_of(r, 9), TG_QUALITY_LIVE);
}

static void reject_ticks(rig *r)
{
    static const uint8_t broken[] = {TG__KIND_TICKS, 0, 0xff};
    assert_int_equal(rig_message(r, broken, sizeof broken), TG_OK);
}

static void rejected_ticks_put_depth_in_doubt_and_nothing_else(void **state)
{
    (void)state;
    rig *r = make();
    assert_int_equal(depth_quality_of(r, 3), TG_QUALITY_LIVE);
    reject_ticks(r);
    assert_int_equal(tg__engine_state_of(r->engine), TG__ENGINE_LIVE);
    assert_int_equal(COUNT(r, gaps), 1);
    assert_int_equal(depth_quality_of(r, 3), TG_QUALITY_GAP);
    assert_rows_live(r);
    assert_int_equal(r->session.priority_resyncs, 1);
    assert_int_equal(r->session.resyncs, 0);
    reject_ticks(r); /* nothing more to be asked for */
    assert_int_equal(r->session.priority_resyncs, 1);
    assert_null(rig_event(r, TG_EVENT_RESYNCED));
    rig_deliver(r);
    assert_int_equal(depth_quality_of(r, 3), TG_QUALITY_LIVE);
    assert_non_null(rig_event(r, TG_EVENT_RESYNCED));
    rig_advance(r, 4 * S);
    assert_int_equal(r->session.priority_resyncs, 1);
    rig_close(r);
}

/* One of two is restated as more is lost: it is in doubt again, and at once. */
static void what_is_restated_is_in_doubt_again_by_the_next_loss(void **state)
{
    (void)state;
    rig *r = make();
    assert_int_equal(rig_prioritise(r, 1, true), TG_OK);
    rig_advance(r, RIG_MS);
    rig_deliver(r);
    reject_ticks(r);
    const sim_message *restated = sim_session_take(&r->session);
    assert_int_equal(rig_message(r, restated->bytes, restated->size), TG_OK);
    assert_int_equal(depth_quality_of(r, 3), TG_QUALITY_LIVE);
    assert_int_equal(depth_quality_of(r, 7), TG_QUALITY_GAP);
    reject_ticks(r);
    assert_int_equal(depth_quality_of(r, 3), TG_QUALITY_GAP);
    assert_int_equal(depth_quality_of(r, 7), TG_QUALITY_GAP);
    rig_close(r);
}

static void rejected_ticks_of_no_channel_put_everything_in_doubt(void **state)
{
    (void)state;
    rig *r = make();
    assert_int_equal(rig_prioritise(r, 0, false), TG_OK);
    rig_advance(r, RIG_MS);
    rig_deliver(r);
    reject_ticks(r);
    assert_int_equal(tg__engine_state_of(r->engine), TG__ENGINE_RESYNCING);
    assert_int_equal(r->session.resyncs, 1);
    rig_deliver(r);
    assert_rows_live(r);
    rig_close(r);
}

static void heartbeats(rig *r, int64_t ns)
{
    for (int64_t passed = 0; passed < ns; passed += 500 * RIG_MS) {
        sim_market_step(&r->market);
        sim_session_frame(&r->session);
        const sim_message *message = NULL;
        while (r->connected && (message = sim_session_take(&r->session)) != NULL) {
            if (message->bytes[0] != TG__KIND_TICKS) { /* they are lost */
                assert_int_equal(rig_message(r, message->bytes, message->size), TG_OK);
            }
        }
        rig_advance(r, 500 * RIG_MS);
    }
}

static void a_priority_channel_that_is_not_restated_ends_the_session(void **state)
{
    (void)state;
    rig *r = make();
    reject_ticks(r);
    heartbeats(r, 3 * S);
    assert_int_equal(r->session.priority_resyncs, 2);
    assert_rows_live(r);
    assert_int_equal(depth_quality_of(r, 3), TG_QUALITY_GAP);
    heartbeats(r, 2 * S);
    assert_false(r->connected);
    assert_true(r->dropped);
    rig_close(r);
}

static void depth_that_is_given_up_is_no_loss_any_more(void **state)
{
    (void)state;
    rig *r = make();
    r->deaf = true;
    reject_ticks(r);
    assert_int_equal(rig_prioritise(r, 0, false), TG_OK);
    r->deaf = false;
    heartbeats(r, 8 * S);
    assert_int_equal(tg__engine_state_of(r->engine), TG__ENGINE_LIVE);
    assert_non_null(rig_event(r, TG_EVENT_RESYNCED));
    rig_close(r);
}

/* The market's image of 7, its bid other than it was sent before, under the same version. */
static void contradict(rig *r, int64_t by)
{
    tg__tick tick;
    memset(&tick, 0, sizeof tick);
    tick.update.id = 7;
    tick.update.image = r->market.images[7];
    tick.update.image.value[TG_FIELD_BID_PRICE] += by;
    uint8_t bytes[512];
    size_t size = 0;
    assert_int_equal(tg__ticks_encode(sim_market_utc_ns(&r->market), SIM_RESOLUTION_NS, &tick, 1,
                                      bytes, sizeof bytes, &size),
                     TG_OK);
    assert_int_equal(rig_message(r, bytes, size), TG_OK);
}

static void a_row_that_is_contradicted_is_asked_for_alone(void **state)
{
    (void)state;
    rig *r = make();
    contradict(r, 1);
    assert_int_equal(quality_of(r, 7), TG_QUALITY_GAP);
    assert_int_equal(quality_of(r, 3), TG_QUALITY_LIVE);
    assert_int_equal(quality_of(r, 9), TG_QUALITY_LIVE);
    tg_row row;
    assert_int_equal(rig_row(r, 7, &row), TG_OK);
    assert_int_equal(row.cause, TG_QUALITY_CAUSE_CONTRADICTED);
    assert_int_equal(r->session.rows_asked, 1);
    assert_int_equal(r->session.resyncs, 0);
    rig_deliver(r); /* the gateway has what the store has */
    assert_rows_live(r);
    assert_int_equal(tg__engine_state_of(r->engine), TG__ENGINE_LIVE);
    contradict(r, 1);
    assert_int_equal(quality_of(r, 7), TG_QUALITY_GAP);
    assert_int_equal(r->session.rows_asked, 1); /* once in a session */
    sim_market_tick(&r->market, 7, 777);
    sim_market_step(&r->market);
    sim_session_frame(&r->session);
    rig_deliver(r);
    assert_rows_live(r);
    assert_int_equal(rig_row(r, 7, &row), TG_OK);
    assert_int_equal(row.image.value[TG_FIELD_BID_PRICE], 777);
    rig_close(r);
}

/* Nobody asked for it, so nothing is under way that would end it. */
static void an_image_of_another_set_is_asked_for_again_and_then_ends_the_session(void **state)
{
    (void)state;
    rig *r = make();
    r->session.set[2] = 11; /* instead of 9 */
    sim_session_overflow(&r->session);
    rig_deliver(r);
    assert_int_equal(tg__engine_state_of(r->engine), TG__ENGINE_LIVE);
    assert_int_equal(quality_of(r, 9), TG_QUALITY_STALE); /* nobody tells of it any more */
    heartbeats(r, 14 * S);
    assert_int_equal(r->session.resyncs, 0);
    heartbeats(r, 2 * S);
    assert_int_equal(r->session.resyncs, 1);
    heartbeats(r, 16 * S);
    assert_false(r->connected);
    rig_close(r);
}

static void a_set_of_our_size_with_another_digest_ends_the_session(void **state)
{
    (void)state;
    rig *r = make();
    r->session.set[2] = 11;
    rig_subscribe(r, 3, 5); /* its answer counts four, as we do */
    rig_advance(r, RIG_MS);
    rig_deliver(r);
    assert_int_equal(COUNT(r, set_mismatches), 1);
    assert_int_equal(r->close_code, TG__CLOSE_BAD_MESSAGE);
    rig_close(r);
}

static void an_image_that_does_not_follow_its_answer_is_asked_for(void **state)
{
    (void)state;
    rig *r = make();
    rig_subscribe(r, 3, 5);
    rig_advance(r, RIG_MS);
    const sim_message *message = NULL;
    while ((message = sim_session_take(&r->session)) != NULL) {
        if (message->bytes[0] != TG__KIND_SNAPSHOT) {
            assert_int_equal(rig_message(r, message->bytes, message->size), TG_OK);
        }
    }
    for (int i = 0; i < 140; i++) { /* echoes only: a delta would tell of the other set */
        rig_advance(r, 100 * RIG_MS);
        while ((message = sim_session_take(&r->session)) != NULL) {
            assert_int_equal(rig_message(r, message->bytes, message->size), TG_OK);
        }
    }
    assert_true(r->session.resyncs > 0);
    assert_int_equal(tg__engine_state_of(r->engine), TG__ENGINE_LIVE);
    assert_int_equal(quality_of(r, 5), TG_QUALITY_LIVE);
    rig_close(r);
}

/* A large image over a slow link: neither link nor channel is given up while it comes. */
static void what_is_slow_but_coming_is_waited_for(void **state)
{
    (void)state;
    rig *r = make();
    const size_t step = 64u * 1024u;
    for (size_t size = step; size <= 10 * step; size += step) {
        rig_advance(r, 4 * S);
        assert_int_equal(rig_progress(r, size), TG_OK);
    }
    assert_int_equal(tg__engine_state_of(r->engine), TG__ENGINE_LIVE);
    assert_int_equal(quality_of(r, 7), TG_QUALITY_STALE); /* and says how it is meanwhile */
    sim_session_frame(&r->session);
    rig_deliver(r);
    sim_market_step(&r->market);
    sim_session_frame(&r->session);
    rig_deliver(r);
    assert_rows_live(r);
    assert_int_equal(COUNT(r, gaps), 0);
    rig_close(r);
}

static void what_comes_in_crumbs_is_not_waited_for(void **state)
{
    (void)state;
    rig *r = make();
    const int64_t from = r->now_ns;
    size_t size = 0;
    while (tg__engine_state_of(r->engine) != TG__ENGINE_WAITING) {
        assert_true(r->now_ns - from < 30 * S);
        rig_advance(r, 100 * RIG_MS);
        size += 512;
        if (r->connected) {
            assert_int_equal(rig_progress(r, size), TG_OK);
        }
    }
    rig_close(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rejected_ticks_put_depth_in_doubt_and_nothing_else),
        cmocka_unit_test(what_is_restated_is_in_doubt_again_by_the_next_loss),
        cmocka_unit_test(rejected_ticks_of_no_channel_put_everything_in_doubt),
        cmocka_unit_test(a_priority_channel_that_is_not_restated_ends_the_session),
        cmocka_unit_test(depth_that_is_given_up_is_no_loss_any_more),
        cmocka_unit_test(a_row_that_is_contradicted_is_asked_for_alone),
        cmocka_unit_test(an_image_of_another_set_is_asked_for_again_and_then_ends_the_session),
        cmocka_unit_test(a_set_of_our_size_with_another_digest_ends_the_session),
        cmocka_unit_test(an_image_that_does_not_follow_its_answer_is_asked_for),
        cmocka_unit_test(what_is_slow_but_coming_is_waited_for),
        cmocka_unit_test(what_comes_in_crumbs_is_not_waited_for),
    };
    return cmocka_run_group_tests_name("sdk.engine_repair", tests, NULL, NULL);
}
