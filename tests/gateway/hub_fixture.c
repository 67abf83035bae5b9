#include "tg_cmocka.h"

#include "hub_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hub_audit.h"

static void count_wake(void *ctx, tg__peer *peer)
{
    hub_fixture *fixture = ctx;
    (void)peer;
    fixture->wakes++;
}

static void fill_directory(tg__directory *directory)
{
    tg__directory_init(directory);
    directory->generation = 3;
    for (uint32_t i = 0; i < FIXTURE_INSTRUMENTS; i++) {
        tg_instrument instrument = {.band_count = 1, .band = {{INT64_MIN, 1}}};
        tg_instrument_id id = 0;
        assert_int_equal(
            tg__directory_venue(directory, i % 2 == 0 ? "EVEN" : "ODD", &instrument.venue), TG_OK);
        (void)snprintf(instrument.symbol, sizeof instrument.symbol, "SYM%02u", (unsigned)i);
        assert_int_equal(tg__directory_add(directory, &instrument, &id), TG_OK);
    }
    assert_int_equal(tg__directory_seal(directory), TG_OK);
}

void hub_fixture_open(hub_fixture *fixture, uint32_t boundaries_per_frame)
{
    memset(fixture, 0, sizeof *fixture);
    fill_directory(&fixture->directory);
    fixture->now.mono_ns = 5;
    fixture->now.utc_ns = INT64_C(1700000000000012345);
    fixture->bearer.size = 6;
    memcpy(fixture->bearer.token, "secret", 6);
    assert_int_equal(
        tg__sequencer_init(&fixture->sequencer, &fixture->directory, 1, FIXTURE_RESOLUTION), TG_OK);
    const tg__door_options door = {.bearer = &fixture->bearer, .directory = &fixture->directory};
    assert_int_equal(tg__door_open(&door, &fixture->door), TG_OK);
    const tg__hub_options options = {
        .directory = &fixture->directory,
        .door = fixture->door,
        .instance = 77,
        .lineage = 88,
        .time_resolution_ns = FIXTURE_RESOLUTION,
        .frame_interval_ms = 10 * boundaries_per_frame,
        .boundaries_per_frame = boundaries_per_frame,
        .heartbeat_interval_ms = 1000,
        .peers_max = FIXTURE_PEERS,
        .limits = {40, 8, TG__MESSAGE_SIZE_MAX, 100000, 0},
        .wake = count_wake,
        .ctx = fixture,
    };
    assert_int_equal(tg__hub_open(&options, &fixture->hub), TG_OK);
}

void hub_fixture_close(hub_fixture *fixture)
{
    assert_int_equal(fixture->hub->groups.count, 0);
    assert_int_equal(fixture->hub->pool.in_use, 0);
    for (uint32_t id = 0; id < FIXTURE_INSTRUMENTS; id++) {
        assert_null(fixture->hub->priority_heads[id]);
    }
    tg__hub_close(fixture->hub);
    tg__door_close(fixture->door);
    tg__sequencer_deinit(&fixture->sequencer);
    tg__directory_deinit(&fixture->directory);
}

int hub_fixture_set_up(void **state)
{
    static hub_fixture fixture;
    hub_fixture_open(&fixture, 1);
    *state = &fixture;
    return 0;
}

int hub_fixture_tear_down(void **state)
{
    hub_fixture_close(*state);
    return 0;
}

void hub_fixture_tick(hub_fixture *fixture, tg_instrument_id id, int64_t price)
{
    const tg__row row = {.ts_ns = fixture->now.utc_ns,
                         .price = price,
                         .quantity = 1,
                         .exchange_id = ++fixture->next_id,
                         .has_id = true,
                         .kind = TG__ROW_BID,
                         .instrument = id};
    const tg_image *image = tg__sequencer_offer(&fixture->sequencer, &row);
    assert_non_null(image);
    tg__hub_tick(fixture->hub, id, image);
}

void hub_fixture_boundary(hub_fixture *fixture)
{
    fixture->now.mono_ns += TG__BOUNDARY_NS;
    fixture->now.utc_ns += TG__BOUNDARY_NS;
    tg__hub_boundary(fixture->hub, &fixture->sequencer, fixture->now);
}

void hub_client_open(hub_client *client, hub_fixture *fixture)
{
    memset(client, 0, sizeof *client);
    client->fixture = fixture;
    tg__channel_init(&client->channel, client->ids, client->images, FIXTURE_INSTRUMENTS,
                     FIXTURE_RESOLUTION);
    const tg__entitlement all = tg__entitlement_of_all(fixture->directory.venue_count);
    client->peer = tg__hub_connect(fixture->hub, client, &all, fixture->now);
    assert_non_null(client->peer);
}

void hub_client_end(hub_client *client, tg__end_reason seen)
{
    tg__hub *hub = client->fixture->hub;
    tg__hub_teardown(hub, &client->peer, seen);
    assert_null(client->peer);
    tg__hub_teardown(hub, &client->peer, seen); /* idempotent */
    const tg__hub_audit audit = tg__hub_audit_run(hub);
    assert_int_equal(audit.differing, 0);
    assert_int_equal(audit.indexed, audit.recorded);
}

void hub_client_close(hub_client *client)
{
    hub_client_end(client, TG__END_CLIENT_CLOSE);
}

void hub_client_request(hub_client *client, tg__kind kind, tg__channel_kind channel,
                        const tg_instrument_id *ids, size_t count)
{
    static uint8_t message[65536];
    static tg__name names[TG__ITEM_MAX];
    const tg__request request = {kind, client->answers + 100, channel};
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        memset(&names[i], 0, sizeof names[i]);
        names[i].id = ids[i];
        if (i % 2 == 1 && ids[i] < FIXTURE_INSTRUMENTS) {
            const tg_instrument *instrument = &client->fixture->directory.instruments[ids[i]];
            names[i].id = TG_INSTRUMENT_NONE;
            (void)snprintf(names[i].venue, sizeof names[i].venue, "%s",
                           client->fixture->directory.venues[instrument->venue].name);
            (void)snprintf(names[i].symbol, sizeof names[i].symbol, "%s", instrument->symbol);
        }
    }
    assert_int_equal(tg__request_encode(&request, names, count, message, sizeof message, &size),
                     TG_OK);
    tg__cause cause = {""};
    assert_int_equal(tg__hub_receive(client->fixture->hub, client->peer, message, size,
                                     client->fixture->now, &cause),
                     TG_OK);
}

static void take_dictionary(hub_client *client, const uint8_t *message, size_t size)
{
    tg__fault fault;
    tg__dictionary_reader reader;
    uint32_t generation = 0;
    tg__dictionary_entry entry;
    assert_int_equal(tg__dictionary_decode(message, size, &generation, &reader, &fault), TG_OK);
    assert_int_equal(generation, 3);
    while (tg__dictionary_next(&reader, &entry)) {
        if (entry.op == TG__DICTIONARY_ADD) {
            assert_false(client->known[entry.as.instrument.id]); /* each comes once */
            client->known[entry.as.instrument.id] = true;
        }
    }
}

static void take_snapshot(hub_client *client, const uint8_t *message, size_t size)
{
    static tg__update rows[FIXTURE_INSTRUMENTS];
    tg__fault fault;
    tg__frame frame;
    assert_int_equal(tg__snapshot_decode(message, size, FIXTURE_RESOLUTION, &frame,
                                         &client->last_reason, rows, FIXTURE_INSTRUMENTS, &fault),
                     TG_OK);
    const bool same_set = frame.set_digest == client->channel.set_digest;
    for (uint32_t i = 0; i < frame.count; i++) {
        assert_true(client->known[rows[i].id]);
        client->ticks_lost += same_set ? rows[i].image.seq - client->images[i].seq : 0;
    }
    tg__channel_replace(&client->channel, &frame, rows);
    memset(client->covered, 0, sizeof client->covered);
    client->snapshots++;
    client->gaps += client->last_reason == TG__SNAPSHOT_GAP;
}

static void take_delta(hub_client *client, const uint8_t *message, size_t size)
{
    static tg__update updates[FIXTURE_INSTRUMENTS];
    tg__fault fault;
    tg__frame frame;
    const tg_err err = tg__delta_decode(&client->channel, message, size, &frame, updates,
                                        FIXTURE_INSTRUMENTS, &fault);
    if (err != TG_OK && client->meets_faults) {
        client->refused++;
        return;
    }
    /* The transport loses nothing, so every frame must fit: no base or set mismatch is legal. */
    assert_int_equal(err, TG_OK);
    for (uint32_t i = 0; i < frame.count; i++) {
        client->covered[updates[i].id] += updates[i].covered;
        client->ticks_had += updates[i].covered;
    }
    tg__channel_apply(&client->channel, &frame, updates);
    client->deltas += frame.count > 0;
    client->heartbeats += frame.count == 0;
}

static void take_ticks(hub_client *client, const uint8_t *message, size_t size)
{
    tg__fault fault;
    tg__ticks_reader reader;
    int64_t ts_ns = 0;
    assert_int_equal(tg__ticks_decode(message, size, FIXTURE_RESOLUTION, &ts_ns, &reader, &fault),
                     TG_OK);
    while (tg__ticks_next(&reader, &client->last_tick)) {
        assert_true(client->known[client->last_tick.update.id]);
        client->ticks++;
    }
}

static void take_message(hub_client *client, const uint8_t *message, size_t size)
{
    tg__fault fault;
    tg__welcome welcome;
    tg__limits limits;
    assert_true(size > 0);
    assert_true(client->welcomed || message[0] == TG__KIND_WELCOME); /* nothing comes before */
    switch (message[0]) {
    case TG__KIND_WELCOME:
        assert_int_equal(tg__welcome_decode(message, size, &welcome, &fault), TG_OK);
        assert_int_equal(welcome.dictionary_size, FIXTURE_INSTRUMENTS);
        client->welcomed = true;
        client->spread_ms = welcome.limits.reconnect_spread_ms;
        break;
    case TG__KIND_LIMITS:
        assert_int_equal(tg__limits_decode(message, size, &limits, &fault), TG_OK);
        client->spread_ms = limits.reconnect_spread_ms;
        limits.reconnect_spread_ms = 0; /* nothing else changes */
        assert_memory_equal(&limits, &client->fixture->hub->options.limits, sizeof limits);
        client->limits++;
        break;
    case TG__KIND_DICTIONARY:
        take_dictionary(client, message, size);
        break;
    case TG__KIND_SNAPSHOT:
        take_snapshot(client, message, size);
        break;
    case TG__KIND_DELTA:
        take_delta(client, message, size);
        break;
    case TG__KIND_ANSWER:
        assert_int_equal(tg__answer_decode(message, size, &client->last_answer,
                                           client->last_results, 64, &fault),
                         TG_OK);
        client->answers++;
        break;
    case TG__KIND_TICKS:
        take_ticks(client, message, size);
        break;
    case TG__KIND_VENUE_STATE:
        assert_int_equal(tg__venue_state_decode(message, size, &client->last_venue_state, &fault),
                         TG_OK);
        client->venue_states++;
        break;
    case TG__KIND_ECHO_REPLY:
    case TG__KIND_FOUND:
    case TG__KIND_TOKEN_ANSWER:
        break;
    default:
        fail_msg("unexpected message of kind 0x%02x", message[0]);
    }
    client->messages++;
}

bool hub_client_read(hub_client *client)
{
    /* An exact-size copy: a decoder that reads too far is caught by the sanitizers. */
    static uint8_t buffer[TG__MESSAGE_SIZE_MAX];
    size_t size = 0;
    if (tg__hub_next(client->fixture->hub, client->peer, client->fixture->now, buffer,
                     sizeof buffer, &size) != TG__NEXT_MESSAGE) {
        return false;
    }
    uint8_t *exact = malloc(size);
    assert_non_null(exact);
    memcpy(exact, buffer, size);
    take_message(client, exact, size);
    free(exact);
    return true;
}

void hub_client_read_all(hub_client *client)
{
    while (hub_client_read(client)) {
    }
}
