#include "tg_cmocka.h"

#include <string.h>

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

/* ---- depth ---- */

static tg__sim_depth *depth;

static int set_up_depth(void **state)
{
    (void)hub_fixture_set_up(state);
    hub_fixture *fixture = *state;
    assert_int_equal(tg__sim_depth_open(1, &depth), TG_OK);
    fixture->hub->options.depth = depth;
    return 0;
}

static int tear_down_depth(void **state)
{
    (void)hub_fixture_tear_down(state);
    tg__sim_depth_close(depth);
    return 0;
}

/* The latest tick has the book of its own version. */
static void expect_book(const hub_client *client)
{
    tg_book book;
    const tg__update *update = &client->last_tick.update;
    assert_true(tg__sim_depth_book(depth, update->id, &update->image, &book));
    assert_true(client->last_tick.has_book);
    assert_memory_equal(&client->last_tick.book, &book, sizeof book);
    assert_true(book.bid_count > 0 && book.bid[0].price == update->image.value[TG_FIELD_BID_PRICE]);
}

static void pass_2_ms(hub_fixture *fixture, hub_client *client)
{
    fixture->now.mono_ns += TG__TICKS_INTERVAL_NS;
    hub_client_read_all(client);
}

static void each_tick_brings_the_depth_of_its_version(void **state)
{
    hub_fixture *fixture = *state;
    hub_client client;
    hub_client_open(&client, fixture);
    subscribe(&client, three, 3);
    hub_fixture_tick(fixture, 3, 40000);
    hub_fixture_boundary(fixture);
    hub_client_request(&client, TG__KIND_SUBSCRIBE, TG__CHANNEL_PRIORITY, three, 1);
    hub_client_read_all(&client);
    expect_book(&client); /* with the subscription */
    for (int64_t i = 0; i < 100; i++) {
        hub_fixture_tick(fixture, 3, 40000 + i);
        hub_fixture_tick(fixture, 7, 70000 + i); /* which is not followed there */
        pass_2_ms(fixture, &client);
        assert_int_equal(client.last_tick.update.id, 3);
        assert_int_equal(client.last_tick.update.image.seq, 2 + (uint64_t)i);
        expect_book(&client);
    }
    assert_int_equal(fixture->hub->counts.books_sent, client.ticks);
    hub_client_close(&client);
}

static void what_is_restated_is_restated_with_its_depth(void **state)
{
    hub_fixture *fixture = *state;
    hub_client client;
    hub_client_open(&client, fixture);
    subscribe(&client, three, 3);
    hub_fixture_tick(fixture, 3, 40000);
    hub_fixture_tick(fixture, 9, 90000);
    hub_fixture_boundary(fixture);
    hub_client_request(&client, TG__KIND_SUBSCRIBE, TG__CHANNEL_PRIORITY, three, 1);
    hub_client_read_all(&client);
    const tg__tick before = client.last_tick;
    static const size_t names[] = {0, 1}; /* all of it, and by name */
    for (size_t i = 0; i < 2; i++) {
        const unsigned ticks = client.ticks;
        hub_client_request(&client, TG__KIND_RESYNC, TG__CHANNEL_PRIORITY, three, names[i]);
        pass_2_ms(fixture, &client);
        assert_int_equal(client.ticks, ticks + 1);
        expect_book(&client);
        assert_int_equal(client.last_tick.update.image.seq, before.update.image.seq);
        assert_memory_equal(&client.last_tick.book, &before.book, sizeof before.book);
    }
    const tg_instrument_id nine = 9; /* only its row is followed */
    hub_client_request(&client, TG__KIND_RESYNC, TG__CHANNEL_PRIORITY, &nine, 1);
    hub_client_read_all(&client);
    assert_int_equal(client.last_tick.update.id, 9);
    assert_false(client.last_tick.has_book);
    hub_client_request(&client, TG__KIND_RESYNC, TG__CHANNEL_CONFLATED, three, 1);
    hub_client_read_all(&client);
    assert_int_equal(client.last_tick.update.id, 3);
    assert_false(client.last_tick.has_book); /* a row of the conflated channel was asked for */
    tg__hub_venue_state(fixture->hub, 1, TG__VENUE_STALE, 1, fixture->now);
    tg__hub_venue_state(fixture->hub, 1, TG__VENUE_LIVE, 2, fixture->now);
    pass_2_ms(fixture, &client);
    assert_int_equal(client.last_tick.update.id, 3);
    expect_book(&client);
    hub_client_close(&client);
}

static void a_name_that_stands_in_a_request_many_times_gets_one_book(void **state)
{
    hub_fixture *fixture = *state;
    static tg_instrument_id names[TG__ITEM_MAX];
    hub_client client;
    hub_client_open(&client, fixture);
    hub_fixture_tick(fixture, 3, 40000);
    hub_fixture_boundary(fixture);
    hub_client_request(&client, TG__KIND_SUBSCRIBE, TG__CHANNEL_PRIORITY, three, 1);
    hub_client_read_all(&client);
    for (size_t i = 0; i < TG__ITEM_MAX; i++) {
        names[i] = 3;
    }
    const uint64_t sent = fixture->hub->counts.books_sent;
    const unsigned ticks = client.ticks;
    hub_client_request(&client, TG__KIND_RESYNC, TG__CHANNEL_PRIORITY, names, TG__ITEM_MAX);
    hub_client_read_all(&client);
    assert_int_equal(client.ticks, ticks + TG__ITEM_MAX);
    assert_int_equal(fixture->hub->counts.books_sent, sent + 1);
    hub_client_close(&client);
}

static void a_client_that_reads_nothing_gets_the_newest_depth_and_no_other(void **state)
{
    hub_fixture *fixture = *state;
    hub_client client;
    hub_client_open(&client, fixture);
    subscribe(&client, three, 3);
    hub_client_request(&client, TG__KIND_SUBSCRIBE, TG__CHANNEL_PRIORITY, three, 1);
    hub_client_read_all(&client);
    const unsigned ticks = client.ticks;
    const uint64_t sent = fixture->hub->counts.books_sent;
    for (int64_t i = 0; i < 70; i++) { /* more frames than its ring holds */
        hub_fixture_tick(fixture, 3, 40000 + i);
        hub_fixture_boundary(fixture);
    }
    hub_client_read_all(&client);
    assert_int_equal(client.gaps, 1);
    assert_int_equal(client.ticks, ticks + 1);
    assert_int_equal(fixture->hub->counts.books_sent, sent + 1); /* no other was worked out */
    assert_int_equal(client.last_tick.update.image.value[TG_FIELD_BID_PRICE], 40069);
    expect_book(&client);
    hub_client_close(&client);
}

static void what_was_never_published_and_what_has_no_depth_comes_without(void **state)
{
    hub_fixture *fixture = *state;
    hub_client client;
    hub_client_open(&client, fixture);
    hub_client_request(&client, TG__KIND_SUBSCRIBE, TG__CHANNEL_PRIORITY, three, 1);
    hub_client_read_all(&client);
    assert_int_equal(client.ticks, 1);
    assert_false(client.last_tick.has_book); /* which is not an empty one */
    fixture->hub->options.depth = NULL;      /* a tape */
    hub_fixture_tick(fixture, 3, 40000);
    pass_2_ms(fixture, &client);
    assert_int_equal(client.ticks, 2);
    assert_false(client.last_tick.has_book);
    assert_int_equal(fixture->hub->counts.books_sent, 0);
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
        cmocka_unit_test_setup_teardown(each_tick_brings_the_depth_of_its_version, set_up_depth,
                                        tear_down_depth),
        cmocka_unit_test_setup_teardown(what_is_restated_is_restated_with_its_depth, set_up_depth,
                                        tear_down_depth),
        cmocka_unit_test_setup_teardown(a_name_that_stands_in_a_request_many_times_gets_one_book,
                                        set_up_depth, tear_down_depth),
        cmocka_unit_test_setup_teardown(
            a_client_that_reads_nothing_gets_the_newest_depth_and_no_other, set_up_depth,
            tear_down_depth),
        cmocka_unit_test_setup_teardown(
            what_was_never_published_and_what_has_no_depth_comes_without, set_up_depth,
            tear_down_depth),
    };
    return cmocka_run_group_tests_name("gateway.priority", tests, NULL, NULL);
}
