#include "tg_cmocka.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "hub_fixture.h"
#include "prng.h"

#define CLIENTS 6u
#define STEPS   4000u

static const tg_instrument_id three[] = {3, 7, 9};

static void open_follower(hub_client *client, hub_fixture *fixture)
{
    hub_client_open(client, fixture);
    client->meets_faults = true;
    hub_client_request(client, TG__KIND_SUBSCRIBE, TG__CHANNEL_CONFLATED, three, 3);
    hub_client_read_all(client);
}

static void one_frame(hub_fixture *fixture, int64_t price)
{
    hub_fixture_tick(fixture, 7, price);
    hub_fixture_boundary(fixture);
}

static void resync(hub_client *client)
{
    hub_client_request(client, TG__KIND_RESYNC, TG__CHANNEL_CONFLATED, NULL, 0);
    hub_client_read_all(client);
}

static void a_dropped_frame_reaches_nobody_and_the_next_does_not_fit(void **state)
{
    hub_fixture *fixture = *state;
    hub_client a;
    hub_client b;
    open_follower(&a, fixture);
    open_follower(&b, fixture);
    tg__hub_fault_drop_frames(fixture->hub, 1);
    one_frame(fixture, 1);
    hub_client_read_all(&a);
    assert_int_equal(a.deltas + a.refused, 0);
    assert_int_equal(fixture->hub->faults.frames_lost, 2);
    assert_int_equal(fixture->hub->faults.ticks_lost, 2);
    one_frame(fixture, 2);
    hub_client_read_all(&a);
    hub_client_read_all(&b);
    assert_int_equal(a.refused, 1);
    assert_int_equal(b.refused, 1);
    assert_int_equal(fixture->hub->counts.frames_refused, 2);
    assert_int_equal(fixture->hub->counts.ticks_refused, 2);
    resync(&a);
    resync(&b);
    assert_int_equal(a.ticks_lost, 2);
    assert_int_equal(a.images[1].value[TG_FIELD_BID_PRICE], 2);
    one_frame(fixture, 3);
    hub_client_read_all(&a);
    assert_int_equal(a.refused, 1); /* it fits again */
    assert_int_equal(fixture->hub->counts.frames_refused, 2);
    hub_client_close(&a);
    hub_client_close(&b);
}

static void a_corrupted_copy_differs_in_one_byte_and_only_for_one(void **state)
{
    hub_fixture *fixture = *state;
    static uint8_t first[TG__MESSAGE_SIZE_MAX];
    static uint8_t second[TG__MESSAGE_SIZE_MAX];
    size_t first_size = 0;
    size_t second_size = 0;
    hub_client a;
    hub_client b;
    open_follower(&a, fixture);
    open_follower(&b, fixture);
    for (uint64_t seed = 0; seed < 300; seed++) {
        tg__hub_fault_corrupt_frames(fixture->hub, 1, seed);
        one_frame(fixture, (int64_t)seed);
        assert_int_equal(
            tg__hub_next(fixture->hub, a.peer, fixture->now, first, sizeof first, &first_size),
            TG__NEXT_MESSAGE);
        assert_int_equal(
            tg__hub_next(fixture->hub, b.peer, fixture->now, second, sizeof second, &second_size),
            TG__NEXT_MESSAGE);
        assert_int_equal(first_size, second_size);
        unsigned different = 0;
        for (size_t i = 0; i < first_size; i++) {
            different += first[i] != second[i];
        }
        assert_int_equal(different, 1);
        assert_int_equal(first[0], second[0]); /* a frame it remains */
    }
    assert_int_equal(fixture->hub->faults.frames_corrupted, 300);
    hub_client_close(&a);
    hub_client_close(&b);
}

static void a_cut_message_of_the_priority_channel_is_no_message_and_is_restated(void **state)
{
    hub_fixture *fixture = *state;
    static uint8_t out[TG__MESSAGE_SIZE_MAX];
    size_t size = 0;
    tg__fault fault;
    tg__ticks_reader reader;
    int64_t ts_ns = 0;
    hub_client client;
    hub_client_open(&client, fixture);
    hub_client_request(&client, TG__KIND_SUBSCRIBE, TG__CHANNEL_PRIORITY, three, 3);
    hub_client_read_all(&client);
    tg__hub_fault_cut_ticks(fixture->hub, 2);
    for (int64_t price = 1; price <= 2; price++) {
        fixture->now.mono_ns += TG__TICKS_INTERVAL_NS;
        hub_fixture_tick(fixture, 7, price);
        assert_int_equal(
            tg__hub_next(fixture->hub, client.peer, fixture->now, out, sizeof out, &size),
            TG__NEXT_MESSAGE);
        assert_int_not_equal(
            tg__ticks_decode(out, size, FIXTURE_RESOLUTION, &ts_ns, &reader, &fault), TG_OK);
    }
    assert_int_equal(fixture->hub->faults.ticks_cut, 2);
    const unsigned ticks = client.ticks;
    hub_client_request(&client, TG__KIND_RESYNC, TG__CHANNEL_PRIORITY, NULL, 0);
    fixture->now.mono_ns += TG__TICKS_INTERVAL_NS;
    hub_client_read_all(&client); /* whole again */
    assert_int_equal(client.ticks, ticks + 3);
    assert_int_equal(fixture->hub->faults.ticks_cut, 2);
    hub_client_close(&client);
}

/* A client asks once for what it missed, and asks again only after the answer. */
static void read_and_repair(hub_client *client, unsigned most, unsigned *refused, unsigned *asked)
{
    for (unsigned i = 0; i < most && hub_client_read(client); i++) {
    }
    if (client->refused > *refused && client->snapshots >= *asked) {
        *refused = client->refused;
        *asked = client->snapshots + 1;
        hub_client_request(client, TG__KIND_RESYNC, TG__CHANNEL_CONFLATED, NULL, 0);
    }
}

/*
 * Frames are lost on purpose and by readers that fall behind: what the clients miss, seen from the
 * versions alone, is what the gateway says that it did not deliver.
 */
static void run_ledger(hub_fixture *fixture, uint64_t seed)
{
    static hub_client clients[CLIENTS];
    unsigned refused[CLIENTS] = {0};
    unsigned asked[CLIENTS] = {0};
    unsigned blocked[CLIENTS] = {0};
    tg__prng prng = {seed};
    uint64_t ticks = 0;
    print_message("seed %" PRIu64 "\n", seed);
    memset(&fixture->hub->counts, 0, sizeof fixture->hub->counts);
    memset(&fixture->hub->faults, 0, sizeof fixture->hub->faults);
    for (unsigned i = 0; i < CLIENTS; i++) {
        open_follower(&clients[i], fixture);
        clients[i].ticks_lost = 0; /* what the first snapshot restated was never missed */
    }
    tg__hub_fault_drop_rate(fixture->hub, 30000, seed);
    for (unsigned step = 0; step < STEPS; step++) {
        for (uint32_t i = tg__prng_below(&prng, 4); i > 0; i--, ticks++) {
            /* Now and then a step that no frame can tell: it is restated instead. */
            const int64_t price = tg__prng_below(&prng, 100) == 0 ? INT64_MIN : INT64_MAX;
            hub_fixture_tick(fixture, three[tg__prng_below(&prng, 3)],
                             tg__prng_below(&prng, 100) == 0 ? price : (int64_t)step);
        }
        hub_fixture_boundary(fixture);
        for (unsigned i = 0; i < CLIENTS; i++) {
            if (blocked[i] > 0) {
                blocked[i]--;
                continue;
            }
            blocked[i] = tg__prng_below(&prng, 300) == 0 ? 100 : 0;
            read_and_repair(&clients[i], tg__prng_below(&prng, 4), &refused[i], &asked[i]);
        }
    }
    tg__hub_fault_drop_rate(fixture->hub, 0, 0);
    uint64_t had = 0;
    uint64_t lost = 0;
    unsigned gaps = 0;
    for (unsigned i = 0; i < CLIENTS; i++) {
        hub_client_read_all(&clients[i]);
        resync(&clients[i]);
        assert_int_equal(clients[i].ticks_had + clients[i].ticks_lost, ticks);
        had += clients[i].ticks_had;
        lost += clients[i].ticks_lost;
        gaps += clients[i].gaps;
    }
    const tg__hub_counts *counts = &fixture->hub->counts;
    assert_true(had > 0 && gaps > 5 && fixture->hub->faults.ticks_lost > 0);
    assert_true(counts->ticks_refused > 0);
    assert_int_equal(lost, fixture->hub->faults.ticks_lost + counts->ticks_refused +
                               counts->ticks_dropped);
    for (unsigned i = 0; i < CLIENTS; i++) {
        hub_client_close(&clients[i]);
    }
}

static void the_clients_losses_are_the_gateways_own_counts(void **state)
{
    const char *chosen = getenv("TG_TEST_SEED");
    if (chosen != NULL) {
        run_ledger(*state, strtoull(chosen, NULL, 10));
        return;
    }
    for (uint64_t seed = 1; seed <= 5; seed++) {
        run_ledger(*state, seed * UINT64_C(104729));
    }
}

static void who_is_on_his_way_out_loses_nothing_any_more(void **state)
{
    hub_fixture *fixture = *state;
    hub_client stays;
    hub_client goes;
    open_follower(&stays, fixture);
    open_follower(&goes, fixture);
    tg__hub_close_peer(fixture->hub, goes.peer, TG__CLOSE_SERVICE_RESTART, 0);
    tg__hub_wrong_boundary(fixture->hub, -1); /* cannot be told: a frame less for who stays */
    one_frame(fixture, 1);
    assert_int_equal(fixture->hub->counts.frames_dropped, 1);
    assert_int_equal(fixture->hub->counts.ticks_dropped, 1);
    assert_int_equal(fixture->hub->counts.gaps, 1);
    hub_client_read_all(&stays);
    assert_int_equal(stays.gaps, 1);
    hub_client_close(&stays);
    hub_client_close(&goes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_dropped_frame_reaches_nobody_and_the_next_does_not_fit,
                                        hub_fixture_set_up, hub_fixture_tear_down),
        cmocka_unit_test_setup_teardown(
            a_cut_message_of_the_priority_channel_is_no_message_and_is_restated, hub_fixture_set_up,
            hub_fixture_tear_down),
        cmocka_unit_test_setup_teardown(a_corrupted_copy_differs_in_one_byte_and_only_for_one,
                                        hub_fixture_set_up, hub_fixture_tear_down),
        cmocka_unit_test_setup_teardown(who_is_on_his_way_out_loses_nothing_any_more,
                                        hub_fixture_set_up, hub_fixture_tear_down),
        cmocka_unit_test_setup_teardown(the_clients_losses_are_the_gateways_own_counts,
                                        hub_fixture_set_up, hub_fixture_tear_down),
    };
    return cmocka_run_group_tests_name("gateway.hub_faults", tests, NULL, NULL);
}
