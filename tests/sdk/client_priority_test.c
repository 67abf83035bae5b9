/* Order tickets against the real gateway: every tick of an instrument at once. It has no depth to
 * send; engine_priority_test.c shows what becomes of that. */
#include "tg_cmocka.h"

#include <string.h>

#include <tickglass/client.h>

#include "client_rig.h"
#include "gateway_fixture.h"

#define TICKETS 3u

static tg_sub_id subs[CLIENT_RIG_NAMES];

static bool has_found(const client_rig *rig)
{
    return rig->found_complete;
}

static bool has_answers(const client_rig *rig)
{
    return rig->answers >= rig->found && rig->state == TG_SESSION_LIVE;
}

static void open_with_rows(client_rig *rig)
{
    tg_client_options opt = gateway_fixture_options(gateway.url);
    client_rig_open(rig, &opt);
    assert_int_equal(tg_client_start(rig->client), TG_OK);
    client_rig_await(rig, client_rig_is_live);
    uint32_t request = 0;
    assert_int_equal(tg_client_find(rig->client, NULL, NULL, NULL, NULL, 10, &request), TG_OK);
    client_rig_await(rig, has_found);
    for (unsigned i = 0; i < rig->found; i++) {
        assert_int_equal(
            tg_client_subscribe(rig->client, rig->venues[i], rig->symbols[i], &subs[i]), TG_OK);
    }
    client_rig_await(rig, has_answers);
}

static tg_client_counters counters_of(const client_rig *rig)
{
    tg_client_counters counters = {.struct_size = sizeof counters};
    assert_int_equal(tg_client_counters_get(rig->client, &counters), TG_OK);
    return counters;
}

static uint64_t rows_before; /* counted when the test began to wait */

static bool ticks_come(const client_rig *rig)
{
    const tg_client_counters counters = counters_of(rig);
    return rig->state == TG_SESSION_LIVE && counters.priority_held == TICKETS &&
           counters.priority_rows >= rows_before + 20;
}

static bool none_is_held(const client_rig *rig)
{
    return counters_of(rig).priority_held == 0;
}

static void order_tickets_get_their_ticks_and_give_them_back(void **state)
{
    (void)state;
    client_rig rig;
    open_with_rows(&rig);
    assert_int_equal(counters_of(&rig).priority_rows, 0);
    rows_before = 0;
    for (unsigned i = 0; i < TICKETS; i++) {
        assert_int_equal(tg_client_prioritise(rig.client, subs[i], true), TG_OK);
    }
    client_rig_await(&rig, ticks_come);
    tg_client_counters counters = counters_of(&rig);
    assert_int_equal(counters.priority_held, TICKETS);
    unsigned told = 0;
    tg_event event;
    while (tg_client_event(rig.client, &event) == TG_OK) {
        told +=
            event.kind == TG_EVENT_PRIORITY && event.err == TG_OK && event.id != TG_INSTRUMENT_NONE;
    }
    assert_int_equal(told, TICKETS);
    assert_int_equal(tg_client_unsubscribe(rig.client, subs[0]), TG_OK);
    assert_int_equal(tg_client_prioritise(rig.client, subs[0], true), TG_ERR_NOT_FOUND);
    for (unsigned i = 1; i < TICKETS; i++) {
        assert_int_equal(tg_client_prioritise(rig.client, subs[i], false), TG_OK);
    }
    client_rig_await(&rig, none_is_held);
    counters = counters_of(&rig);
    assert_int_equal(counters.connects, 1);
    assert_int_equal(counters.gaps, 0);
    assert_int_equal(counters.frames_rejected, 0);
    client_rig_close(&rig);
}

static bool is_live_again_with_ticks(const client_rig *rig)
{
    return rig->live_count >= 2 && ticks_come(rig);
}

static void a_restarted_gateway_sends_the_ticks_again(void **state)
{
    (void)state;
    client_rig rig;
    open_with_rows(&rig);
    for (unsigned i = 0; i < TICKETS; i++) {
        assert_int_equal(tg_client_prioritise(rig.client, subs[i], true), TG_OK);
    }
    client_rig_await(&rig, ticks_come);
    (void)pthread_mutex_lock(&rig.lock);
    rig.live_count = 1;
    rows_before = counters_of(&rig).priority_rows;
    (void)pthread_mutex_unlock(&rig.lock);
    assert_true(gateway_process_restart(&gateway, TG_GATEWAY_PROGRAM));
    client_rig_await(&rig, is_live_again_with_ticks);
    assert_int_equal(counters_of(&rig).priority_held, TICKETS);
    client_rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_tickets_get_their_ticks_and_give_them_back),
        cmocka_unit_test(a_restarted_gateway_sends_the_ticks_again),
    };
    return cmocka_run_group_tests_name("sdk.client_priority", tests, gateway_fixture_start,
                                       gateway_fixture_stop);
}
