#include "tg_cmocka.h"

#include <string.h>

#include "hub_fixture.h"

#define NS INT64_C(1000000000)

static hub_fixture fixture;

static int set_up(void **state)
{
    (void)state;
    hub_fixture_open(&fixture, 1);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    hub_fixture_close(&fixture);
    return 0;
}

/* EVEN has the even ids, ODD the odd ones. */
static void open_even(hub_client *client)
{
    hub_client_open(client, &fixture);
    memset(client->peer->entitlement.venues, 0, sizeof client->peer->entitlement.venues);
    tg__entitlement_add(&client->peer->entitlement, 0);
    memcpy(client->peer->entitlement.subject, "desk", 5);
}

static void a_name_of_another_venue_is_not_entitled_on_either_channel(void **state)
{
    (void)state;
    static const tg_instrument_id ids[] = {2, 3, 4};
    hub_client client;
    open_even(&client);
    for (unsigned channel = 0; channel < 2; channel++) {
        hub_client_request(&client, TG__KIND_SUBSCRIBE, (tg__channel_kind)channel, ids, 3);
        hub_client_read_all(&client);
        assert_int_equal(client.last_results[0].code, TG__ANSWER_OK);
        assert_int_equal(client.last_results[1].code, TG__ANSWER_NOT_ENTITLED);
        assert_int_equal(client.last_results[1].id, 3); /* the name is known */
        assert_int_equal(client.last_results[2].code, TG__ANSWER_OK);
        assert_int_equal(client.last_answer.set_count, 2);
    }
    assert_false(client.known[3]);
    assert_int_equal(client.channel.count, 2);
    hub_client_close(&client);
}

static void a_resync_by_name_shows_nothing_of_a_lost_venue(void **state)
{
    (void)state;
    static const tg_instrument_id ids[] = {2, 3};
    hub_client client;
    hub_client_open(&client, &fixture);
    hub_client_request(&client, TG__KIND_SUBSCRIBE, TG__CHANNEL_CONFLATED, ids, 2);
    hub_client_request(&client, TG__KIND_UNSUBSCRIBE, TG__CHANNEL_CONFLATED, ids, 2);
    hub_client_read_all(&client);
    tg__entitlement even = client.peer->entitlement;
    memset(even.venues, 0, sizeof even.venues);
    tg__entitlement_add(&even, 0);
    client.peer->entitlement = even;
    hub_client_request(&client, TG__KIND_RESYNC, TG__CHANNEL_CONFLATED, ids, 2);
    hub_client_read_all(&client);
    assert_int_equal(client.ticks, 1);
    assert_int_equal(client.last_tick.update.id, 2);
    hub_client_close(&client);
}

static void a_lost_venue_ends_who_follows_it_on_either_channel(void **state)
{
    (void)state;
    static const tg_instrument_id even[] = {2};
    static const tg_instrument_id odd[] = {3};
    hub_client conflated;
    hub_client priority;
    hub_client other;
    uint32_t closed = 0;
    hub_client_open(&conflated, &fixture);
    hub_client_open(&priority, &fixture);
    hub_client_open(&other, &fixture);
    hub_client_request(&conflated, TG__KIND_SUBSCRIBE, TG__CHANNEL_CONFLATED, odd, 1);
    hub_client_request(&priority, TG__KIND_SUBSCRIBE, TG__CHANNEL_PRIORITY, odd, 1);
    hub_client_request(&other, TG__KIND_SUBSCRIBE, TG__CHANNEL_CONFLATED, even, 1);
    hub_client_read_all(&other);
    assert_int_equal(tg__hub_revoke(fixture.hub, NULL, "ODD", &closed), TG_OK);
    assert_int_equal(closed, 2);
    assert_int_equal(conflated.peer->close_code, TG__CLOSE_SERVICE_RESTART);
    assert_in_range(conflated.peer->reconnect_after_ms, 0, 1999);
    assert_int_equal(priority.peer->close_code, TG__CLOSE_SERVICE_RESTART);
    assert_int_equal(other.peer->close_code, 0);
    hub_fixture_tick(&fixture, 3, 77);
    hub_fixture_boundary(&fixture);
    assert_false(hub_client_read(&conflated)); /* nothing any more, also not what was queued */
    assert_int_equal(tg__hub_revoke(fixture.hub, NULL, "ODD", &closed), TG_OK);
    assert_int_equal(closed, 0);
    assert_int_equal(tg__hub_revoke(fixture.hub, "", NULL, &closed), TG_OK);
    assert_int_equal(closed, 1);
    assert_int_equal(other.peer->close_code, TG__CLOSE_FORBIDDEN);
    assert_int_equal(tg__hub_revoke(fixture.hub, NULL, "NONE", &closed), TG_ERR_NOT_FOUND);
    hub_client_close(&conflated);
    hub_client_close(&priority);
    hub_client_close(&other);
}

static void a_revocation_is_about_its_subject_alone(void **state)
{
    (void)state;
    hub_client desk;
    hub_client other;
    uint32_t closed = 0;
    open_even(&desk);
    hub_client_open(&other, &fixture);
    assert_int_equal(tg__hub_revoke(fixture.hub, "desk", "EVEN", &closed), TG_OK);
    assert_int_equal(closed, 1);
    assert_int_equal(desk.peer->close_code, TG__CLOSE_FORBIDDEN); /* it had nothing else */
    assert_int_equal(other.peer->close_code, 0);
    hub_client_close(&desk);
    hub_client_close(&other);
}

static void an_expired_token_ends_its_connection_half_a_minute_later(void **state)
{
    (void)state;
    hub_client client;
    hub_client_open(&client, &fixture);
    client.peer->entitlement.expires_s = fixture.now.utc_ns / NS + 10;
    for (unsigned second = 0; second < 40; second++) {
        tg__hub_expire(fixture.hub, fixture.now);
        assert_true((client.peer->close_code == 0) == (second < 40));
        fixture.now.mono_ns += NS;
        fixture.now.utc_ns += NS;
    }
    tg__hub_expire(fixture.hub, fixture.now);
    assert_int_equal(client.peer->close_code, TG__CLOSE_TOKEN_EXPIRED);
    hub_client_close(&client);
}

static void a_renewal_that_gives_less_takes_it_at_once(void **state)
{
    (void)state;
    static const tg_instrument_id odd[] = {3};
    hub_client client;
    hub_client_open(&client, &fixture);
    hub_client_request(&client, TG__KIND_SUBSCRIBE, TG__CHANNEL_CONFLATED, odd, 1);
    tg__door_answer answer;
    memset(&answer, 0, sizeof answer);
    tg__entitlement_add(&answer.entitlement, 0);
    assert_int_equal(tg__hub_answer_token(fixture.hub, client.peer, &answer, fixture.now), TG_OK);
    assert_int_equal(client.peer->close_code, TG__CLOSE_SERVICE_RESTART);
    hub_client_close(&client);
}

static void a_refused_renewal_changes_nothing(void **state)
{
    (void)state;
    hub_client client;
    hub_client_open(&client, &fixture);
    const tg__entitlement before = client.peer->entitlement;
    const tg__door_answer refused = {.verdict = TG__TOKEN_EXPIRED};
    assert_int_equal(tg__hub_answer_token(fixture.hub, client.peer, &refused, fixture.now), TG_OK);
    assert_memory_equal(&client.peer->entitlement, &before, sizeof before);
    assert_int_equal(client.peer->close_code, 0);
    hub_client_close(&client);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_name_of_another_venue_is_not_entitled_on_either_channel),
        CASE(a_resync_by_name_shows_nothing_of_a_lost_venue),
        CASE(a_lost_venue_ends_who_follows_it_on_either_channel),
        CASE(a_revocation_is_about_its_subject_alone),
        CASE(an_expired_token_ends_its_connection_half_a_minute_later),
        CASE(a_renewal_that_gives_less_takes_it_at_once),
        CASE(a_refused_renewal_changes_nothing),
    };
    return cmocka_run_group_tests_name("gateway.hub_rights", tests, NULL, NULL);
}
