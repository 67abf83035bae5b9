/*
 * Whatever clients do, what they hold is the image table as it was at their boundary: joins,
 * changes of set, resyncs, readers that fall behind, reconnects, resets of the lanes. Seeded; a
 * failure prints the seed, TG_TEST_SEED replays it.
 */
#include "tg_cmocka.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hub_fixture.h"
#include "prng.h"

#define CLIENTS 10u
#define STEPS   6000u
#define SEEDS   6u

typedef struct world {
    hub_fixture fixture;
    tg__prng prng;
    hub_client clients[CLIENTS];
    bool wanted[CLIENTS][FIXTURE_INSTRUMENTS];
    unsigned reads_blocked[CLIENTS]; /* steps for which the client does not read */
    tg_image *history;               /* by boundary, then id */
    uint64_t history_count;
    unsigned gaps;
    unsigned joins;
} world;

static uint32_t draw(world *w, uint32_t bound)
{
    return tg__prng_below(&w->prng, bound);
}

static const tg_image *past(const world *w, uint64_t boundary, tg_instrument_id id)
{
    assert_true(boundary < w->history_count);
    return &w->history[boundary * FIXTURE_INSTRUMENTS + id];
}

static void remember(world *w)
{
    const uint64_t boundary = w->fixture.hub->table.boundary;
    assert_int_equal(boundary, w->history_count);
    for (uint32_t id = 0; id < FIXTURE_INSTRUMENTS; id++) {
        w->history[boundary * FIXTURE_INSTRUMENTS + id] = w->fixture.hub->table.images[id].image;
    }
    w->history_count++;
}

static void check_client(const world *w, const hub_client *client)
{
    const tg__channel *channel = &client->channel;
    for (uint32_t slot = 0; slot < channel->count; slot++) {
        const tg_image *expected = past(w, channel->boundary, channel->ids[slot]);
        assert_memory_equal(&channel->images[slot], expected, sizeof *expected);
    }
}

static void read_some(world *w, hub_client *client, unsigned most)
{
    for (unsigned i = 0; i < most && hub_client_read(client); i++) {
        check_client(w, client);
    }
}

static void open_client(world *w, size_t at)
{
    hub_client_open(&w->clients[at], &w->fixture);
    memset(w->wanted[at], 0, sizeof w->wanted[at]);
    w->reads_blocked[at] = 0;
    w->joins++;
}

/* Few different sets, so that groups have several members. */
static void change_set(world *w, size_t at)
{
    static const tg_instrument_id favourites[3][5] = {
        {0, 1, 2, 3, 4}, {3, 7, 9, 20, 47}, {10, 11, 12, 13, 14}};
    const tg_instrument_id *ids = favourites[draw(w, 3)];
    tg_instrument_id own[5];
    if (draw(w, 3) == 0) {
        for (size_t i = 0; i < 5; i++) {
            own[i] = (tg_instrument_id)draw(w, FIXTURE_INSTRUMENTS);
        }
        ids = own;
    }
    const bool adds = draw(w, 2) == 0;
    const size_t count = 1 + draw(w, 5);
    hub_client_request(&w->clients[at], adds ? TG__KIND_SUBSCRIBE : TG__KIND_UNSUBSCRIBE,
                       TG__CHANNEL_CONFLATED, ids, count);
    for (size_t i = 0; i < count; i++) {
        w->wanted[at][ids[i]] = adds;
    }
}

static void act(world *w, size_t at)
{
    const uint32_t choice = draw(w, 1000);
    if (w->reads_blocked[at] > 0) {
        w->reads_blocked[at]--;
        if (choice == 0) {
            change_set(w, at);
        }
    } else if (choice < 60) {
        change_set(w, at);
    } else if (choice < 75) {
        hub_client_request(&w->clients[at], TG__KIND_RESYNC, TG__CHANNEL_CONFLATED, NULL, 0);
    } else if (choice < 80) {
        w->reads_blocked[at] = draw(w, 600);
    } else if (choice < 85) {
        w->gaps += w->clients[at].gaps;
        hub_client_close(&w->clients[at]);
        open_client(w, at);
    } else {
        read_some(w, &w->clients[at], draw(w, 6));
    }
}

static void step(world *w, unsigned number)
{
    const uint32_t ticks = draw(w, 8);
    for (uint32_t i = 0; i < ticks; i++) {
        const int64_t price =
            draw(w, 50) == 0 ? (int64_t)tg__prng_next(&w->prng) : (int64_t)draw(w, 1000) - 500;
        hub_fixture_tick(&w->fixture, (tg_instrument_id)draw(w, FIXTURE_INSTRUMENTS), price);
    }
    if (draw(w, 500) == 0) {
        tg__sequencer_reset(&w->fixture.sequencer, number + 2);
    }
    hub_fixture_boundary(&w->fixture);
    remember(w);
    for (size_t at = 0; at < CLIENTS; at++) {
        act(w, at);
    }
}

/* Everything is read, then one more frame of every group: all stand at the same prices. */
static void settle(world *w)
{
    for (size_t at = 0; at < CLIENTS; at++) {
        read_some(w, &w->clients[at], 10000);
    }
    for (unsigned i = 0; i < 8; i++) {
        hub_fixture_boundary(&w->fixture);
        remember(w);
    }
    for (size_t at = 0; at < CLIENTS; at++) {
        hub_client *client = &w->clients[at];
        read_some(w, client, 10000);
        uint32_t wanted = 0;
        for (uint32_t id = 0; id < FIXTURE_INSTRUMENTS; id++) {
            const int32_t slot = tg__channel_slot(&client->channel, (tg_instrument_id)id);
            assert_int_equal(slot >= 0, w->wanted[at][id]);
            wanted += w->wanted[at][id];
            if (slot >= 0) {
                assert_memory_equal(&client->images[slot], &w->fixture.hub->table.images[id].image,
                                    sizeof(tg_image));
            }
        }
        assert_int_equal(wanted, client->channel.count);
    }
}

static void check_index(const world *w)
{
    uint32_t members = 0;
    for (const tg__group *group = w->fixture.hub->groups.first; group != NULL;
         group = group->next) {
        uint32_t own = 0;
        for (const tg__peer *peer = group->members; peer != NULL; peer = peer->next_member) {
            assert_ptr_equal(peer->group, group);
            own++;
        }
        assert_int_equal(own, group->member_count);
        members += own;
    }
    assert_int_equal(members, w->fixture.hub->peer_count);
}

static void run(uint64_t seed)
{
    static world w;
    memset(&w, 0, sizeof w);
    print_message("seed %" PRIu64 "\n", seed);
    w.prng.state = seed;
    w.history = calloc((size_t)(STEPS + 16) * FIXTURE_INSTRUMENTS, sizeof *w.history);
    assert_non_null(w.history);
    hub_fixture_open(&w.fixture, 1 + draw(&w, 4));
    remember(&w);
    for (size_t at = 0; at < CLIENTS; at++) {
        open_client(&w, at);
    }
    for (unsigned number = 0; number < STEPS; number++) {
        step(&w, number);
    }
    check_index(&w);
    settle(&w);
    for (size_t at = 0; at < CLIENTS; at++) {
        w.gaps += w.clients[at].gaps;
        hub_client_close(&w.clients[at]);
    }
    assert_true(w.gaps > 10); /* the run has been through what it is for */
    assert_true(w.joins > 50);
    assert_int_equal(w.fixture.hub->counts.frames_refused, 0); /* the gateway says the same */
    hub_fixture_close(&w.fixture);
    free(w.history);
}

static void a_client_always_holds_the_table_as_it_was_at_its_boundary(void **state)
{
    (void)state;
    const char *chosen = getenv("TG_TEST_SEED");
    if (chosen != NULL) {
        run(strtoull(chosen, NULL, 10));
        return;
    }
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        run(seed * UINT64_C(7919));
    }
}

static void covered_ticks_add_up_to_the_lanes_own_count(void **state)
{
    (void)state;
    hub_fixture fixture;
    hub_client client;
    hub_fixture_open(&fixture, 3);
    hub_client_open(&client, &fixture);
    const tg_instrument_id ids[] = {1, 2, 3};
    hub_client_request(&client, TG__KIND_SUBSCRIBE, TG__CHANNEL_CONFLATED, ids, 3);
    hub_client_read_all(&client);
    tg__prng prng = {99};
    uint64_t ticks[4] = {0};
    for (unsigned i = 0; i < 3000; i++) {
        const tg_instrument_id id = (tg_instrument_id)(1 + tg__prng_below(&prng, 3));
        hub_fixture_tick(&fixture, id, i);
        ticks[id]++;
        if (i % 7 == 0) {
            hub_fixture_boundary(&fixture);
            hub_client_read_all(&client);
        }
    }
    for (unsigned i = 0; i < 3; i++) {
        hub_fixture_boundary(&fixture);
    }
    hub_client_read_all(&client);
    for (tg_instrument_id id = 1; id <= 3; id++) {
        assert_int_equal(client.covered[id], ticks[id]);
    }
    assert_true(client.deltas < 500); /* conflated, indeed */
    hub_client_close(&client);
    hub_fixture_close(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_client_always_holds_the_table_as_it_was_at_its_boundary),
        cmocka_unit_test(covered_ticks_add_up_to_the_lanes_own_count),
    };
    return cmocka_run_group_tests_name("gateway.continuity", tests, NULL, NULL);
}
