#include "tg_cmocka.h"

#include <string.h>

#include "hub_fixture.h"

static const tg_instrument_id three[] = {3, 7, 9};

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
    fixture->now.mono_ns += TG__TICKS_INTERVAL_NS;
    hub_client_read_all(&client);
    assert_int_equal(client.ticks, 3);
    assert_int_equal(client.last_tick.update.covered, 3);
    assert_int_equal(client.last_tick.update.image.value[TG_FIELD_BID_PRICE], 3);
    assert_int_equal(client.channel.count, 0); /* the conflated set is another one */
    hub_client_close(&client);
}

/* A new entry may be the one that the snapshot after the gap needs. */
static void answers_and_dictionary_survive_a_gap_and_come_before_its_snapshot(void **state)
{
    hub_fixture *fixture = *state;
    hub_client client;
    hub_client_open(&client, fixture);
    subscribe(&client, three, 2);
    hub_client_read_all(&client);
    for (int64_t i = 0; i < 100; i++) {
        hub_fixture_tick(fixture, 3, i);
        hub_fixture_boundary(fixture);
        if (i == 10 || i == 90) { /* before and after the ring has overflowed */
            const tg_instrument_id more = (tg_instrument_id)(20 + i / 10);
            subscribe(&client, &more, 1);
        }
    }
    const unsigned answers = client.answers;
    hub_client_read_all(&client); /* fails at a row without its entry */
    assert_int_equal(client.answers, answers + 2);
    assert_int_equal(client.gaps, 1);
    assert_int_equal(client.channel.count, 4);
    hub_client_close(&client);
}

/* What is taken from the system is taken at the beginning. */
static void a_steady_stream_takes_no_more_memory(void **state)
{
    hub_fixture *fixture = *state;
    hub_client reads;
    hub_client stuck;
    hub_client_open(&reads, fixture);
    hub_client_open(&stuck, fixture);
    subscribe(&reads, three, 3);
    subscribe(&stuck, three, 3);
    size_t taken = 0;
    for (int64_t i = 0; i < 5000; i++) {
        hub_fixture_tick(fixture, three[i % 3], i);
        hub_fixture_boundary(fixture);
        hub_client_read_all(&reads);
        if (i % 997 == 0) {
            hub_client_read_all(&stuck);
        }
        taken = i == 200 ? fixture->hub->pool.bytes_taken : taken;
    }
    assert_int_equal(fixture->hub->pool.bytes_taken, taken);
    assert_true(stuck.gaps >= 4);
    hub_client_close(&reads);
    hub_client_close(&stuck);
}

static void sends_and_encodes_are_counted_with_their_bytes(void **state)
{
    hub_fixture *fixture = *state;
    const tg__hub_counts *counts = &fixture->hub->counts;
    hub_client clients[3];
    for (size_t i = 0; i < 3; i++) {
        hub_client_open(&clients[i], fixture);
        subscribe(&clients[i], three, 3);
        hub_client_read_all(&clients[i]);
    }
    const tg__hub_counts before = *counts;
    hub_fixture_tick(fixture, 3, 1);
    hub_fixture_boundary(fixture);
    for (size_t i = 0; i < 3; i++) {
        hub_client_read_all(&clients[i]);
    }
    const uint64_t bytes = counts->frame_bytes_encoded - before.frame_bytes_encoded;
    assert_true(bytes > 0);
    assert_int_equal(counts->frames_encoded - before.frames_encoded, 1);
    assert_int_equal(counts->messages_sent - before.messages_sent, 3);
    assert_int_equal(counts->bytes_sent - before.bytes_sent, 3 * bytes);
    for (size_t i = 0; i < 3; i++) {
        hub_client_close(&clients[i]);
    }
}

static void the_oldest_that_may_stay_is_told_first(void **state)
{
    hub_fixture *fixture = *state;
    hub_client clients[4];
    for (size_t i = 0; i < 4; i++) {
        hub_client_open(&clients[i], fixture);
    }
    hub_client_close(&clients[1]);
    assert_ptr_equal(tg__hub_oldest(fixture->hub), clients[0].peer);
    tg__hub_close_peer(fixture->hub, clients[0].peer, TG__CLOSE_SERVICE_RESTART, 1);
    assert_ptr_equal(tg__hub_oldest(fixture->hub), clients[2].peer);
    hub_client_close(&clients[2]);
    assert_ptr_equal(tg__hub_oldest(fixture->hub), clients[3].peer);
    hub_client_close(&clients[3]);
    assert_null(tg__hub_oldest(fixture->hub));
    hub_client_close(&clients[0]);
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
        {{0x44, 1, 2}, 3, 0},               /* optional and unknown: counted */
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
    static hub_client clients[FIXTURE_PEERS];
    for (size_t i = 0; i < FIXTURE_PEERS; i++) {
        hub_client_open(&clients[i], fixture);
    }
    assert_null(tg__hub_connect(fixture->hub, NULL, &clients[0].peer->entitlement, fixture->now));
    for (size_t i = 0; i < FIXTURE_PEERS; i++) {
        hub_client_close(&clients[(i * 7) % FIXTURE_PEERS]);
    }
}

/* Instruments of even ids are on the venue EVEN, which has id 0. */
static void a_venue_that_is_live_again_is_restated_to_who_follows_it(void **state)
{
    hub_fixture *fixture = *state;
    hub_client client;
    hub_client other;
    hub_client_open(&client, fixture);
    hub_client_open(&other, fixture);
    subscribe(&client, (const tg_instrument_id[]){2, 3, 4}, 3);
    subscribe(&other, (const tg_instrument_id[]){1, 3}, 2);
    hub_client_request(&other, TG__KIND_SUBSCRIBE, TG__CHANNEL_PRIORITY,
                       (const tg_instrument_id[]){6}, 1);
    hub_fixture_tick(fixture, 4, 500);
    hub_fixture_boundary(fixture);
    hub_client_read_all(&client);
    hub_client_read_all(&other);
    const unsigned before = other.ticks;
    const uint64_t boundary = fixture->hub->table.boundary;
    tg__hub_venue_state(fixture->hub, 0, TG__VENUE_STALE, boundary, fixture->now);
    hub_client_read_all(&client);
    hub_client_read_all(&other);
    assert_int_equal(client.venue_states, 1);
    assert_int_equal(client.last_venue_state.condition, TG__VENUE_STALE);
    assert_int_equal(client.last_venue_state.boundary, boundary);
    assert_int_equal(client.ticks, 0);
    fixture->now.mono_ns += TG__TICKS_INTERVAL_NS; /* the last TICKS were just now */
    tg__hub_venue_state(fixture->hub, 0, TG__VENUE_LIVE, boundary + 1, fixture->now);
    assert_true(hub_client_read(&client)); /* the state comes before what confirms */
    assert_int_equal(client.last_venue_state.condition, TG__VENUE_LIVE);
    assert_int_equal(client.ticks, 0);
    hub_client_read_all(&client);
    hub_client_read_all(&other);
    assert_int_equal(client.ticks, 2); /* 2 and 4 */
    assert_int_equal(client.last_tick.update.id, 4);
    assert_int_equal(client.last_tick.update.image.value[TG_FIELD_BID_PRICE], 500);
    assert_int_equal(other.venue_states, 2);
    assert_int_equal(other.ticks, before + 1); /* 6 */
    hub_client_close(&client);
    hub_client_close(&other);
}

static void rows_of_a_restated_venue_are_encoded_once_for_a_group(void **state)
{
    hub_fixture *fixture = *state;
    hub_client clients[8];
    for (size_t i = 0; i < 8; i++) {
        hub_client_open(&clients[i], fixture);
        subscribe(&clients[i], (const tg_instrument_id[]){2, 4}, 2);
        hub_client_read_all(&clients[i]);
    }
    const size_t before = fixture->hub->pool.in_use;
    tg__hub_venue_state(fixture->hub, 0, TG__VENUE_LIVE, 1, fixture->now);
    assert_int_equal(fixture->hub->pool.in_use, before + 8 + 1); /* a state each, the rows once */
    for (size_t i = 0; i < 8; i++) {
        hub_client_read_all(&clients[i]);
        assert_int_equal(clients[i].ticks, 2);
        hub_client_close(&clients[i]);
    }
}

/* Groups send at every fourth boundary; a client that was in a gap reads at one between. */
static void behind_a_live_venue_no_snapshot_is_older_than_its_boundary(void **state)
{
    (void)state;
    static hub_fixture fixture;
    static const tg_instrument_id two[] = {2, 4};
    hub_client client;
    hub_fixture_open(&fixture, 4);
    hub_client_open(&client, &fixture);
    hub_client_request(&client, TG__KIND_SUBSCRIBE, TG__CHANNEL_CONFLATED, two, 2);
    hub_client_read_all(&client);
    for (unsigned i = 0; i < 4 * (TG__PEER_FRAMES_MAX + 1); i++) {
        hub_fixture_tick(&fixture, 2, 20);
        hub_fixture_boundary(&fixture);
    }
    assert_true(client.peer->gap_due);
    for (int64_t price = 21; price < 25; price++) { /* one of them is the group's own */
        tg__hub_venue_state(fixture.hub, 0, TG__VENUE_STALE, fixture.hub->table.boundary,
                            fixture.now);
        hub_fixture_tick(&fixture, 2, price);
        hub_fixture_boundary(&fixture);
        tg__hub_venue_state(fixture.hub, 0, TG__VENUE_LIVE, fixture.hub->table.boundary,
                            fixture.now);
        assert_true(client.peer->gap_due);
        assert_int_equal(client.peer->group->channel.images[0].value[TG_FIELD_BID_PRICE], price);
    }
    hub_client_read_all(&client);
    assert_int_equal(client.images[0].value[TG_FIELD_BID_PRICE], 24);
    assert_int_equal(client.gaps, 1);
    hub_fixture_tick(&fixture, 2, 25);
    for (unsigned i = 0; i < 4; i++) {
        hub_fixture_boundary(&fixture);
    }
    hub_client_read_all(&client); /* the next shared frame fits */
    assert_int_equal(client.images[0].value[TG_FIELD_BID_PRICE], 25);
    hub_client_close(&client);
    hub_fixture_close(&fixture);
}

static void a_connection_hears_right_behind_welcome_which_venues_are_stale(void **state)
{
    hub_fixture *fixture = *state;
    hub_client client;
    tg__hub_venue_state(fixture->hub, 0, TG__VENUE_STALE, 41, fixture->now);
    tg__hub_venue_state(fixture->hub, 1, TG__VENUE_STALE, 42, fixture->now);
    tg__hub_venue_state(fixture->hub, 0, TG__VENUE_LIVE, 43, fixture->now);
    hub_client_open(&client, fixture);
    assert_true(hub_client_read(&client));
    assert_true(client.welcomed);
    assert_true(hub_client_read(&client));
    assert_int_equal(client.venue_states, 1);
    assert_int_equal(client.last_venue_state.venue, 1);
    assert_int_equal(client.last_venue_state.condition, TG__VENUE_STALE);
    assert_int_equal(client.last_venue_state.boundary, 42);
    hub_client_read_all(&client);
    assert_int_equal(client.venue_states, 1);
    hub_client_close(&client);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, hub_fixture_set_up, hub_fixture_tear_down)

static void a_fleet_that_has_grown_is_told_how_widely_to_come_back(void **state)
{
    hub_fixture *fixture = *state;
    static hub_client clients[8];
    tg__reconnect_spread_init(&fixture->hub->reconnect_spread, 10);
    for (uint32_t i = 0; i < 8; i++) {
        hub_client_open(&clients[i], fixture);
        hub_client_read_all(&clients[i]);
        assert_int_equal(clients[i].spread_ms, 100 * (i + 1)); /* as it is then */
        assert_int_equal(clients[i].limits, 0);
    }
    for (uint32_t i = 0; i < 600; i++) {
        hub_fixture_boundary(fixture);
    }
    for (uint32_t i = 0; i < 8; i++) {
        hub_client_read_all(&clients[i]);
        assert_int_equal(clients[i].limits, 1); /* once, although time went on */
        assert_int_equal(clients[i].spread_ms, 800);
    }
    assert_int_equal(fixture->hub->counts.limits_sent, 8);
    for (uint32_t i = 3; i < 8; i++) {
        hub_client_close(&clients[i]);
    }
    hub_fixture_boundary(fixture);
    for (uint32_t i = 0; i < 3; i++) {
        hub_client_read_all(&clients[i]);
        assert_int_equal(clients[i].spread_ms, 300); /* it has shrunk */
        hub_client_close(&clients[i]);
    }
}

static void limits_that_a_snapshot_could_outgrow_are_refused(void **state)
{
    (void)state;
    tg__directory directory;
    tg__hub *hub = NULL;
    tg__directory_init(&directory);
    tg__hub_options options = {.directory = &directory,
                               .boundaries_per_frame = 1,
                               .time_resolution_ns = FIXTURE_RESOLUTION,
                               .limits = {TG__SET_MAX, 8, TG__MESSAGE_SIZE_MAX, 1, 0}};
    assert_int_equal(tg__hub_open(&options, &hub), TG_ERR_INVALID_ARGUMENT);
    assert_null(hub);
    options.limits.instruments_max = 4096;
    assert_int_equal(tg__hub_open(&options, &hub), TG_OK);
    tg__hub_close(hub);
    tg__directory_deinit(&directory);
}

/* What another node cut is sent on as if it had been cut here. */
static void a_cut_of_another_node_is_fanned_out_like_our_own(void **state)
{
    (void)state;
    static hub_fixture own;
    static hub_fixture other;
    static hub_client of_own;
    static hub_client of_other;
    static tg__update changed[FIXTURE_INSTRUMENTS];
    const tg_instrument_id ids[] = {1, 2, 3};
    hub_fixture_open(&own, 2);
    hub_fixture_open(&other, 2);
    hub_client_open(&of_own, &own);
    hub_client_open(&of_other, &other);
    hub_client_request(&of_own, TG__KIND_SUBSCRIBE, TG__CHANNEL_CONFLATED, ids, 3);
    hub_client_request(&of_other, TG__KIND_SUBSCRIBE, TG__CHANNEL_CONFLATED, ids, 3);
    for (unsigned i = 0; i < 60; i++) {
        hub_fixture_tick(&own, (tg_instrument_id)(i % 5), (int64_t)i * i);
        hub_fixture_boundary(&own);
        uint32_t count = 0;
        for (tg_instrument_id id = 0; id < FIXTURE_INSTRUMENTS; id++) {
            const tg__cut_image *cut = &own.hub->table.images[id];
            if (cut->changed_boundary == own.hub->table.boundary) {
                changed[count].id = id;
                changed[count++].image = cut->image;
            }
        }
        tg__hub_follow(other.hub, own.hub->table.boundary, changed, count, own.now);
        hub_client_read_all(&of_own);
        hub_client_read_all(&of_other);
        assert_int_equal(of_other.channel.boundary, of_own.channel.boundary);
        assert_memory_equal(of_other.images, of_own.images, 3 * sizeof of_own.images[0]);
    }
    assert_true(of_other.deltas > 20);
    assert_int_equal(of_other.deltas, of_own.deltas);
    assert_int_equal(other.hub->counts.frames_encoded, own.hub->counts.frames_encoded);
    hub_client_close(&of_own);
    hub_client_close(&of_other);
    hub_fixture_close(&own);
    hub_fixture_close(&other);
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
        CASE(answers_and_dictionary_survive_a_gap_and_come_before_its_snapshot),
        CASE(a_steady_stream_takes_no_more_memory),
        CASE(sends_and_encodes_are_counted_with_their_bytes),
        CASE(the_oldest_that_may_stay_is_told_first),
        CASE(a_snapshot_counts_no_tick_that_a_frame_will_cover),
        CASE(many_small_requests_are_answered_with_one_snapshot),
        CASE(answers_that_nobody_reads_close_the_connection),
        CASE(malformed_messages_close_with_a_named_error),
        CASE(a_token_is_accepted_only_if_it_is_the_right_one),
        CASE(more_connections_than_allowed_are_refused),
        CASE(a_venue_that_is_live_again_is_restated_to_who_follows_it),
        CASE(rows_of_a_restated_venue_are_encoded_once_for_a_group),
        CASE(a_connection_hears_right_behind_welcome_which_venues_are_stale),
        cmocka_unit_test(behind_a_live_venue_no_snapshot_is_older_than_its_boundary),
        CASE(a_fleet_that_has_grown_is_told_how_widely_to_come_back),
        cmocka_unit_test(limits_that_a_snapshot_could_outgrow_are_refused),
        cmocka_unit_test(a_cut_of_another_node_is_fanned_out_like_our_own),
    };
    return cmocka_run_group_tests_name("gateway.hub", tests, NULL, NULL);
}
