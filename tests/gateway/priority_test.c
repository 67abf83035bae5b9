#include "tg_cmocka.h"

#include "hub_fixture.h"

static const tg_instrument_id three[] = {3, 7, 9};

static void subscribe(hub_client *client, const tg_instrument_id *ids, size_t count)
{
    hub_client_request(client, TG__KIND_SUBSCRIBE, TG__CHANNEL_CONFLATED, ids, count);
}

static void ticks_come_at_most_every_2_ms_and_the_last_is_not_forgotten(void **state)
{
    hub_fixture *fixture = *state;
    static uint8_t out[TG__MESSAGE_SIZE_MAX];
    size_t size = 0;
    hub_client client;
    hub_client_open(&client, fixture);
    hub_client_request(&client, TG__KIND_SUBSCRIBE, TG__CHANNEL_PRIORITY, three, 2);
    hub_client_read_all(&client);
    const uint64_t before = fixture->hub->counts.ticks_messages_sent;
    for (int64_t i = 0; i < 2000; i++) { /* 20 ms at 100,000 a second */
        hub_fixture_tick(fixture, 3, i);
        fixture->now.mono_ns += 10000;
        hub_client_read_all(&client);
    }
    assert_in_range(fixture->hub->counts.ticks_messages_sent - before, 9, 10);
    hub_fixture_tick(fixture, 3, 5555);
    assert_int_equal(tg__hub_next(fixture->hub, client.peer, fixture->now, out, sizeof out, &size),
                     TG__NEXT_LATER);
    fixture->now.mono_ns += TG__TICKS_INTERVAL_NS;
    hub_client_read_all(&client);
    assert_int_equal(client.last_tick.update.image.value[TG_FIELD_BID_PRICE], 5555);
    assert_int_equal(tg__hub_next(fixture->hub, client.peer, fixture->now, out, sizeof out, &size),
                     TG__NEXT_NOTHING);
    hub_client_close(&client);
}

static void a_gap_restates_the_priority_images_too(void **state)
{
    hub_fixture *fixture = *state;
    hub_client client;
    hub_client_open(&client, fixture);
    subscribe(&client, three, 3);
    hub_client_request(&client, TG__KIND_SUBSCRIBE, TG__CHANNEL_PRIORITY, three, 2);
    hub_client_read_all(&client);
    hub_fixture_tick(fixture, 3, 31);
    fixture->now.mono_ns += TG__TICKS_INTERVAL_NS;
    hub_client_read_all(&client);
    const unsigned ticks = client.ticks;
    for (int64_t i = 0; i < 70; i++) {
        hub_fixture_tick(fixture, 9, i);
        hub_fixture_boundary(fixture);
    }
    hub_client_read_all(&client);
    assert_int_equal(client.gaps, 1);
    assert_int_equal(client.ticks, ticks + 2); /* 3 and 7, of which nothing new is known */
    assert_int_equal(client.last_tick.update.covered, 0);
    hub_client_close(&client);
}

static void a_tick_between_the_last_boundary_and_the_request_is_not_missing(void **state)
{
    hub_fixture *fixture = *state;
    hub_client early;
    hub_client late;
    hub_client_open(&early, fixture);
    hub_client_open(&late, fixture);
    hub_client_request(&early, TG__KIND_SUBSCRIBE, TG__CHANNEL_PRIORITY, three, 1);
    hub_fixture_tick(fixture, 3, 30);
    hub_fixture_boundary(fixture);
    hub_client_read_all(&early);
    hub_fixture_tick(fixture, 3, 31);
    hub_client_request(&late, TG__KIND_SUBSCRIBE, TG__CHANNEL_PRIORITY, three, 1);
    hub_client_read_all(&late);
    assert_int_equal(late.last_tick.update.image.value[TG_FIELD_BID_PRICE], 30);
    fixture->now.mono_ns += TG__TICKS_INTERVAL_NS;
    hub_client_read_all(&early);
    const unsigned ticks = early.ticks;
    hub_fixture_boundary(fixture); /* and then the market is quiet */
    hub_client_read_all(&early);
    hub_client_read_all(&late);
    assert_int_equal(early.last_tick.update.image.value[TG_FIELD_BID_PRICE], 31);
    assert_int_equal(early.ticks, ticks); /* nothing comes twice */
    assert_int_equal(late.last_tick.update.image.value[TG_FIELD_BID_PRICE], 31);
    assert_int_equal(late.last_tick.update.covered, 1);
    hub_client_close(&early);
    hub_client_close(&late);
}

static void a_request_counts_what_it_adds_alone(void **state)
{
    hub_fixture *fixture = *state;
    hub_client client;
    hub_client_open(&client, fixture);
    subscribe(&client, three, 2);
    subscribe(&client, three, 3);
    subscribe(&client, three, 3);
    hub_client_request(&client, TG__KIND_SUBSCRIBE, TG__CHANNEL_PRIORITY, three, 1);
    hub_client_request(&client, TG__KIND_UNSUBSCRIBE, TG__CHANNEL_PRIORITY, three, 1);
    assert_int_equal(fixture->hub->subscriptions_ever, 4);
    hub_client_read_all(&client);
    hub_client_close(&client);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(ticks_come_at_most_every_2_ms_and_the_last_is_not_forgotten,
                                        hub_fixture_set_up, hub_fixture_tear_down),
        cmocka_unit_test_setup_teardown(a_gap_restates_the_priority_images_too, hub_fixture_set_up,
                                        hub_fixture_tear_down),
        cmocka_unit_test_setup_teardown(
            a_tick_between_the_last_boundary_and_the_request_is_not_missing, hub_fixture_set_up,
            hub_fixture_tear_down),
        cmocka_unit_test_setup_teardown(a_request_counts_what_it_adds_alone, hub_fixture_set_up,
                                        hub_fixture_tear_down),
    };
    return cmocka_run_group_tests_name("gateway.priority", tests, NULL, NULL);
}
