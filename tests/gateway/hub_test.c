#include "tg_cmocka.h"

#include <string.h>

#include "hub_fixture.h"

static const tg_instrument_id three[] = {3, 7, 9};

static int set_up(void **state)
{
    static hub_fixture fixture;
    hub_fixture_open(&fixture, 1);
    *state = &fixture;
    return 0;
}

static int tear_down(void **state)
{
    hub_fixture_close(*state);
    return 0;
}

static void subscribe(hub_client *client, const tg_instrument_id *ids, size_t count)
{
    hub_client_request(client, TG__KIND_SUBSCRIBE, TG__CHANNEL_CONFLATED, ids, count);
}

static void a_connection_begins_with_welcome_and_the_empty_set(void **state)
{
    hub_client client;
    hub_client_open(&client, *state);
    hub_client_read_all(&client);
    assert_true(client.welcomed);
    assert_int_equal(client.snapshots, 1);
    assert_int_equal(client.channel.count, 0);
    hub_client_close(&client);
}

static void each_instrument_has_its_own_answer(void **state)
{
    hub_client client;
    hub_client_open(&client, *state);
    const tg_instrument_id ids[] = {3, 4, 5000, 3};
    subscribe(&client, ids, 4);
    hub_client_read_all(&client);
    assert_int_equal(client.last_answer.count, 4);
    assert_int_equal(client.last_results[0].code, TG__ANSWER_OK);
    assert_int_equal(client.last_results[1].code, TG__ANSWER_OK);
    assert_int_equal(client.last_results[2].code, TG__ANSWER_UNKNOWN);
    assert_int_equal(client.last_results[2].id, TG_INSTRUMENT_NONE);
    assert_int_equal(client.last_results[3].code, TG__ANSWER_OK);
    assert_int_equal(client.last_answer.set_count, 2);
    assert_int_equal(client.channel.count, 2);
    assert_int_equal(client.last_answer.set_digest, client.channel.set_digest);
    hub_client_close(&client);
}

static void a_set_over_its_limit_takes_what_fits(void **state)
{
    hub_client client;
    hub_client_open(&client, *state);
    tg_instrument_id ids[FIXTURE_INSTRUMENTS];
    for (uint32_t i = 0; i < FIXTURE_INSTRUMENTS; i++) {
        ids[i] = (tg_instrument_id)i;
    }
    subscribe(&client, ids, FIXTURE_INSTRUMENTS);
    hub_client_read_all(&client);
    assert_int_equal(client.channel.count, 40);
    assert_int_equal(client.last_results[39].code, TG__ANSWER_OK);
    assert_int_equal(client.last_results[40].code, TG__ANSWER_LIMIT);
    hub_client_close(&client);
}

static void equal_sets_are_encoded_once(void **state)
{
    hub_fixture *fixture = *state;
    hub_client a;
    hub_client b;
    hub_client_open(&a, fixture);
    hub_client_open(&b, fixture);
    subscribe(&a, three, 3);
    const tg_instrument_id reversed[] = {9, 3, 7};
    subscribe(&b, reversed, 3);
    hub_client_read_all(&a);
    hub_client_read_all(&b);
    assert_int_equal(fixture->hub->groups.count, 1);
    hub_fixture_tick(fixture, 7, 184275);
    hub_fixture_boundary(fixture);
    assert_int_equal(fixture->hub->counts.frames_encoded, 1);
    assert_int_equal(fixture->hub->counts.frames_queued, 2);
    hub_client_read_all(&a);
    hub_client_read_all(&b);
    assert_int_equal(a.images[1].value[TG_FIELD_BID_PRICE], 184275);
    assert_int_equal(b.images[1].value[TG_FIELD_BID_PRICE], 184275);
    hub_client_close(&a);
    hub_client_close(&b);
}

static void snapshot_rows_are_encoded_once_per_version(void **state)
{
    hub_fixture *fixture = *state;
    hub_client a;
    hub_client b;
    hub_fixture_tick(fixture, 3, 5);
    hub_fixture_boundary(fixture);
    hub_client_open(&a, fixture);
    hub_client_open(&b, fixture);
    subscribe(&a, three, 3);
    subscribe(&b, three, 2);
    hub_client_read_all(&a);
    hub_client_read_all(&b);
    assert_int_equal(fixture->hub->table.rows_encoded, 3);
    assert_int_equal(fixture->hub->table.rows_reused, 2);
    assert_int_equal(b.images[0].value[TG_FIELD_BID_PRICE], 5);
    hub_client_close(&a);
    hub_client_close(&b);
}

/* The set is {3,7,9}, 7 leaves while a frame for {3,7,9} is queued: slot 1 must never become 9. */
static void a_frame_in_flight_never_names_another_instrument(void **state)
{
    hub_fixture *fixture = *state;
    hub_client client;
    hub_client_open(&client, fixture);
    subscribe(&client, three, 3);
    hub_client_read_all(&client);
    hub_fixture_tick(fixture, 7, 111);
    hub_fixture_boundary(fixture);
    const tg_instrument_id seven = 7;
    hub_client_request(&client, TG__KIND_UNSUBSCRIBE, TG__CHANNEL_CONFLATED, &seven, 1);
    hub_fixture_tick(fixture, 9, 999);
    hub_fixture_boundary(fixture);
    hub_client_read_all(&client);
    assert_int_equal(client.channel.count, 2);
    assert_int_equal(client.ids[1], 9);
    assert_int_equal(client.images[1].value[TG_FIELD_BID_PRICE], 999);
    hub_client_close(&client);
}

static void a_slow_reader_gets_a_gap_and_then_fits_again(void **state)
{
    hub_fixture *fixture = *state;
    hub_client slow;
    hub_client quick;
    hub_client_open(&slow, fixture);
    hub_client_open(&quick, fixture);
    subscribe(&slow, three, 3);
    subscribe(&quick, three, 3);
    hub_client_read_all(&slow);
    hub_client_read_all(&quick);
    for (int64_t i = 0; i < 64; i++) {
        hub_fixture_tick(fixture, 3, i);
        hub_fixture_boundary(fixture);
        hub_client_read_all(&quick);
    }
    assert_false(slow.peer->gap_due); /* the ring holds 64 */
    for (int64_t i = 0; i < 36; i++) {
        hub_fixture_tick(fixture, 3, 100 + i);
        hub_fixture_boundary(fixture);
        hub_client_read_all(&quick);
    }
    assert_true(slow.peer->gap_due);
    assert_int_equal(slow.peer->frames.count, 0);
    hub_client_read_all(&slow);
    assert_int_equal(slow.gaps, 1);
    assert_int_equal(slow.deltas, 0);
    assert_int_equal(slow.images[0].value[TG_FIELD_BID_PRICE], 135);
    hub_fixture_tick(fixture, 3, 777);
    hub_fixture_boundary(fixture);
    hub_client_read_all(&slow);
    assert_int_equal(slow.deltas, 1);
    assert_int_equal(slow.images[0].value[TG_FIELD_BID_PRICE], 777);
    assert_int_equal(quick.gaps, 0);
    assert_int_equal(quick.deltas, 100); /* it has not read the last one */
    hub_client_close(&slow);
    hub_client_close(&quick);
}

static void a_quiet_market_has_heartbeats(void **state)
{
    hub_fixture *fixture = *state;
    hub_client client;
    hub_client_open(&client, fixture);
    hub_client_read_all(&client);
    for (unsigned i = 0; i < 1000; i++) {
        hub_fixture_boundary(fixture);
        hub_client_read_all(&client);
    }
    assert_in_range(client.heartbeats, 10, 11);
    assert_int_equal(client.channel.boundary, 990);
    hub_client_close(&client);
}

static void a_step_over_64_bits_is_restated(void **state)
{
    hub_fixture *fixture = *state;
    hub_client client;
    hub_client_open(&client, fixture);
    subscribe(&client, three, 3);
    hub_fixture_tick(fixture, 3, INT64_MIN);
    hub_fixture_boundary(fixture);
    hub_client_read_all(&client);
    hub_fixture_tick(fixture, 3, INT64_MAX);
    hub_fixture_boundary(fixture);
    hub_client_read_all(&client);
    assert_int_equal(client.gaps, 1);
    assert_true(client.images[0].value[TG_FIELD_BID_PRICE] == INT64_MAX);
    hub_fixture_tick(fixture, 3, INT64_MAX - 1);
    hub_fixture_boundary(fixture);
    hub_client_read_all(&client);
    assert_true(client.images[0].value[TG_FIELD_BID_PRICE] == INT64_MAX - 1);
    hub_client_close(&client);
}

static void resync_restates_and_named_rows_come_as_ticks(void **state)
{
    hub_fixture *fixture = *state;
    hub_client client;
    hub_client_open(&client, fixture);
    subscribe(&client, three, 3);
    hub_client_read_all(&client);
    hub_fixture_tick(fixture, 3, 44);
    hub_fixture_boundary(fixture);
    hub_client_request(&client, TG__KIND_RESYNC, TG__CHANNEL_CONFLATED, NULL, 0);
    hub_client_read_all(&client);
    assert_int_equal(client.last_reason, TG__SNAPSHOT_RESYNC);
    assert_int_equal(client.images[0].value[TG_FIELD_BID_PRICE], 44);
    const unsigned snapshots = client.snapshots;
    hub_client_request(&client, TG__KIND_RESYNC, TG__CHANNEL_CONFLATED, three, 1);
    hub_client_read_all(&client);
    assert_int_equal(client.snapshots, snapshots);
    assert_int_equal(client.ticks, 1);
    assert_int_equal(client.last_tick.update.image.value[TG_FIELD_BID_PRICE], 44);
    hub_client_close(&client);
}

static void the_priority_channel_keeps_the_latest_tick_of_each_instrument(void **state)
{
    hub_fixture *fixture = *state;
    hub_client client;
    hub_client_open(&client, fixture);
    hub_client_request(&client, TG__KIND_SUBSCRIBE, TG__CHANNEL_PRIORITY, three, 2);
    hub_client_read_all(&client);
    assert_int_equal(client.ticks, 2); /* the first absolute rows */
    hub_fixture_tick(fixture, 3, 1);
    hub_fixture_tick(fixture, 3, 2);
    hub_fixture_tick(fixture, 3, 3);
    hub_fixture_tick(fixture, 9, 1); /* not followed */
    hub_client_read_all(&client);
    assert_int_equal(client.ticks, 3);
    assert_int_equal(client.last_tick.update.covered, 3);
    assert_int_equal(client.last_tick.update.image.value[TG_FIELD_BID_PRICE], 3);
    assert_int_equal(client.channel.count, 0); /* the conflated set is another one */
    hub_client_close(&client);
}

static void a_snapshot_counts_no_tick_that_a_frame_will_cover(void **state)
{
    hub_fixture *fixture = *state;
    hub_client client;
    hub_client_open(&client, fixture);
    subscribe(&client, three, 3);
    hub_fixture_tick(fixture, 3, 1); /* before the client has read anything */
    hub_fixture_boundary(fixture);
    hub_fixture_tick(fixture, 3, 2);
    hub_fixture_boundary(fixture);
    hub_client_read_all(&client);
    assert_int_equal(client.covered[3], 2);
    assert_int_equal(client.images[0].seq, 2);
    hub_client_close(&client);
}

static void many_small_requests_are_answered_with_one_snapshot(void **state)
{
    hub_client client;
    hub_client_open(&client, *state);
    for (tg_instrument_id id = 0; id < 40; id++) {
        subscribe(&client, &id, 1);
    }
    hub_client_read_all(&client);
    assert_int_equal(client.answers, 40);
    assert_int_equal(client.snapshots, 1);
    assert_int_equal(client.gaps, 0);
    assert_int_equal(client.channel.count, 40);
    hub_client_close(&client);
}

static void answers_that_nobody_reads_close_the_connection(void **state)
{
    hub_fixture *fixture = *state;
    hub_client client;
    hub_client_open(&client, fixture);
    uint8_t message[64];
    size_t size = 0;
    assert_int_equal(tg__echo_encode(5, message, sizeof message, &size), TG_OK);
    tg__cause cause = {""};
    tg_err err = TG_OK;
    for (unsigned i = 0; i < 2000 && err == TG_OK; i++) {
        err = tg__hub_receive(fixture->hub, client.peer, message, size, fixture->now, &cause);
    }
    assert_int_equal(err, TG_ERR_FULL);
    assert_int_equal(client.peer->close_code, TG__CLOSE_SLOW_CONSUMER);
    assert_false(hub_client_read(&client));
    hub_client_close(&client);
}

static void malformed_messages_close_with_a_named_error(void **state)
{
    hub_fixture *fixture = *state;
    static const struct {
        uint8_t bytes[8];
        size_t size;
        uint16_t code;
    } cases[] = {
        {{0}, 0, TG__CLOSE_BAD_MESSAGE},
        {{0xc0}, 1, TG__CLOSE_BAD_MESSAGE},
        {{0xc0, 0, 1, 0, 0, 0, 0}, 7, TG__CLOSE_BAD_MESSAGE}, /* no names */
        {{0xc0, 0, 1, 0, 0, 0, 1, 2}, 8, TG__CLOSE_BAD_MESSAGE},
        {{0x84}, 1, TG__CLOSE_BAD_MESSAGE}, /* mandatory, but not for a gateway */
        {{0x43, 1, 2}, 3, 0},               /* optional and unknown: counted */
        {{0x41, 1}, 2, TG__CLOSE_BAD_MESSAGE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hub_client client;
        hub_client_open(&client, fixture);
        tg__cause cause = {""};
        const tg_err err = tg__hub_receive(fixture->hub, client.peer, cases[i].bytes, cases[i].size,
                                           fixture->now, &cause);
        assert_int_equal(err == TG_OK, cases[i].code == 0);
        assert_int_equal(client.peer->close_code, cases[i].code);
        assert_int_equal(cause.text[0] != '\0', cases[i].code != 0);
        hub_client_close(&client);
    }
    assert_int_equal(fixture->hub->counts.unknown_messages, 1);
}

static void a_token_is_accepted_only_if_it_is_the_right_one(void **state)
{
    hub_fixture *fixture = *state;
    assert_true(tg__bearer_matches(&fixture->bearer, "secret", 6));
    assert_false(tg__bearer_matches(&fixture->bearer, "secreT", 6));
    assert_false(tg__bearer_matches(&fixture->bearer, "secre", 5));
    assert_false(tg__bearer_matches(&fixture->bearer, "secrets", 7));
    assert_false(tg__bearer_matches(&fixture->bearer, "", 0));
}

static void more_connections_than_allowed_are_refused(void **state)
{
    hub_fixture *fixture = *state;
    hub_client clients[16];
    for (size_t i = 0; i < 16; i++) {
        hub_client_open(&clients[i], fixture);
    }
    assert_null(tg__hub_connect(fixture->hub, NULL, &clients[0].peer->entitlement, fixture->now));
    for (size_t i = 0; i < 16; i++) {
        hub_client_close(&clients[(i * 5) % 16]);
    }
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

static void limits_that_a_snapshot_could_outgrow_are_refused(void **state)
{
    (void)state;
    tg__directory directory;
    tg__hub *hub = NULL;
    tg__directory_init(&directory);
    tg__hub_options options = {.directory = &directory,
                               .boundaries_per_frame = 1,
                               .time_resolution_ns = FIXTURE_RESOLUTION,
                               .limits = {TG__SET_MAX, 8, TG__MESSAGE_SIZE_MAX, 1}};
    assert_int_equal(tg__hub_open(&options, &hub), TG_ERR_INVALID_ARGUMENT);
    assert_null(hub);
    options.limits.instruments_max = 4096;
    assert_int_equal(tg__hub_open(&options, &hub), TG_OK);
    tg__hub_close(hub);
    tg__directory_deinit(&directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_connection_begins_with_welcome_and_the_empty_set),
        CASE(each_instrument_has_its_own_answer),
        CASE(a_set_over_its_limit_takes_what_fits),
        CASE(equal_sets_are_encoded_once),
        CASE(snapshot_rows_are_encoded_once_per_version),
        CASE(a_frame_in_flight_never_names_another_instrument),
        CASE(a_slow_reader_gets_a_gap_and_then_fits_again),
        CASE(a_quiet_market_has_heartbeats),
        CASE(a_step_over_64_bits_is_restated),
        CASE(resync_restates_and_named_rows_come_as_ticks),
        CASE(the_priority_channel_keeps_the_latest_tick_of_each_instrument),
        CASE(a_snapshot_counts_no_tick_that_a_frame_will_cover),
        CASE(many_small_requests_are_answered_with_one_snapshot),
        CASE(answers_that_nobody_reads_close_the_connection),
        CASE(malformed_messages_close_with_a_named_error),
        CASE(a_token_is_accepted_only_if_it_is_the_right_one),
        CASE(more_connections_than_allowed_are_refused),
        cmocka_unit_test(limits_that_a_snapshot_could_outgrow_are_refused),
    };
    return cmocka_run_group_tests_name("gateway.hub", tests, NULL, NULL);
}
