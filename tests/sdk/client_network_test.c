/* What the network thread does around the engine, without a network: the connection's calls come
 * from here. */
#include "tg_cmocka.h"

#include <string.h>

#include "client_state.h"
#include "sim_gateway.h"

#define MS INT64_C(1000000)
#define S  (1000 * MS)

typedef struct machine {
    int64_t mono_ns;
    int64_t boottime_ns;
    int64_t utc_ns;
} machine;

static int64_t mono(void *ctx)
{
    return ((machine *)ctx)->mono_ns;
}

static int64_t utc(void *ctx)
{
    return ((machine *)ctx)->utc_ns;
}

static int64_t boottime(void *ctx)
{
    return ((machine *)ctx)->boottime_ns;
}

typedef struct network {
    machine m;
    tg_client *client;
    tg_reader *reader;
    sim_market market;
    sim_session session;
    sim_message *messages;
    tg_event clock; /* the latest of that kind */
    tg_quality at_event;
} network;

static tg_quality quality_of(network *n, tg_instrument_id id)
{
    tg_row row = {.quality = TG_QUALITY_UNKNOWN};
    (void)!tg_view_row(tg_reader_pin(n->reader), id, n->m.mono_ns, &row);
    tg_reader_unpin(n->reader);
    return row.quality;
}

static void on_event(void *ctx, const tg_event *event)
{
    network *n = ctx;
    if (event->kind == TG_EVENT_CLOCK) {
        n->clock = *event;
        n->at_event = quality_of(n, 3);
    }
}

static void deliver(network *n)
{
    const tg__io_handler handler = tg__client_handler(n->client);
    const sim_message *message = NULL;
    while ((message = sim_session_take(&n->session)) != NULL) {
        handler.on_message(handler.ctx, 1, message->bytes, message->size, n->m.mono_ns);
    }
}

static void pass(network *n, int64_t ns)
{
    n->m.mono_ns += ns;
    n->m.boottime_ns += ns;
    n->m.utc_ns += ns;
}

static void fall_asleep(network *n, int64_t ns)
{
    n->m.boottime_ns += ns;
    n->m.utc_ns += ns;
    sim_market_go_on(&n->market, ns);
}

static void ask_for(network *n, tg_instrument_id id)
{
    tg__name name = {.id = TG_INSTRUMENT_NONE};
    (void)strcpy(name.venue, SIM_VENUE);
    sim_symbol(id, name.symbol);
    const tg__request request = {TG__KIND_SUBSCRIBE, 1, TG__CHANNEL_CONFLATED};
    uint8_t bytes[128];
    size_t size = 0;
    assert_int_equal(tg__request_encode(&request, &name, 1, bytes, sizeof bytes, &size), TG_OK);
    sim_session_receive(&n->session, bytes, size);
}

/* A client whose connection is this test: nobody listens where its URL points, and what it asks for
 * is asked for here a second time. */
static int open_network(void **state)
{
    static network n;
    static sim_message messages[SIM_MESSAGES_MAX];
    static const tg_clock clock = {mono, utc, &n.m, boottime};
    memset(&n, 0, sizeof n);
    n.m = (machine){5 * S, 50 * S, 1700000000 * S};
    tg_client_options options;
    tg_client_options_init(&options);
    options.url = "ws://127.0.0.1:1";
    options.on_event = on_event;
    options.ctx = &n;
    options.clock = &clock;
    assert_int_equal(tg_client_open(&options, &n.client), TG_OK);
    assert_int_equal(tg_reader_open(tg_client_store(n.client), &n.reader), TG_OK);
    tg_sub_id sub;
    assert_int_equal(tg_client_subscribe(n.client, SIM_VENUE, "S03", &sub), TG_OK);
    sim_market_init(&n.market, 7, &n.m.mono_ns);
    sim_session_open(&n.session, &n.market, messages);
    tg__client_connect(n.client);
    const tg__io_handler handler = tg__client_handler(n.client);
    handler.on_connected(handler.ctx, 1, "nobody");
    deliver(&n);
    ask_for(&n, 3);
    deliver(&n);
    assert_int_equal(tg_client_state(n.client), TG_SESSION_LIVE);
    assert_int_equal(quality_of(&n, 3), TG_QUALITY_LIVE);
    *state = &n;
    return 0;
}

static int close_network(void **state)
{
    network *n = *state;
    tg_reader_close(n->reader);
    tg_client_close(n->client);
    return 0;
}

static void put_frame(network *n)
{
    sim_market_tick(&n->market, 3, 4711);
    sim_market_step(&n->market);
    sim_session_frame(&n->session);
}

static tg_client_counters counters_of(const network *n)
{
    tg_client_counters counters = {.struct_size = sizeof counters};
    assert_int_equal(tg_client_counters_get(n->client, &counters), TG_OK);
    return counters;
}

static void a_message_after_a_sleep_finds_everything_stale_already(void **state)
{
    network *n = *state;
    put_frame(n); /* lies in the socket */
    fall_asleep(n, 42 * S);
    deliver(n);
    assert_non_null(strstr(n->clock.text, "the machine slept for 42.000 s"));
    assert_int_equal(n->at_event, TG_QUALITY_STALE);
    assert_int_equal(quality_of(n, 3), TG_QUALITY_STALE);
    const tg_client_counters counters = counters_of(n);
    assert_int_equal(counters.sleeps, 1);
    assert_int_equal(counters.frames_late, 1);
    assert_in_range(counters.lateness_ns, 41 * S, 43 * S);
}

static void a_timer_after_a_sleep_does_not_wait_for_a_message(void **state)
{
    network *n = *state;
    put_frame(n);
    deliver(n);
    fall_asleep(n, 42 * S);
    const tg__io_handler handler = tg__client_handler(n->client);
    handler.on_timer(handler.ctx);
    assert_int_equal(n->at_event, TG_QUALITY_STALE);
    assert_int_equal(quality_of(n, 3), TG_QUALITY_STALE);
}

static void a_wall_clock_that_is_set_is_noticed(void **state)
{
    network *n = *state;
    put_frame(n);
    deliver(n);
    n->m.utc_ns += 3600 * S;
    put_frame(n);
    deliver(n);
    assert_non_null(strstr(n->clock.text, "the wall clock was set forward by 3600.000 s"));
    assert_int_equal(quality_of(n, 3), TG_QUALITY_STALE);
    assert_int_equal(counters_of(n).clock_steps, 1);
}

static void time_that_passes_is_no_jump(void **state)
{
    network *n = *state;
    for (int i = 0; i < 100; i++) {
        put_frame(n);
        deliver(n);
        pass(n, 40 * MS);
    }
    assert_int_equal(quality_of(n, 3), TG_QUALITY_LIVE);
    const tg_client_counters counters = counters_of(n);
    assert_int_equal(counters.sleeps + counters.clock_steps + counters.frames_late, 0);
    assert_true(counters.lateness_ns >= 0);
}

static void slots_that_contradict_the_engine_are_told_and_counted(void **state)
{
    network *n = *state;
    const tg__io_handler handler = tg__client_handler(n->client);
    for (int i = 0; i < 2; i++) {
        for (int frame = 0; frame < 800; frame++) { /* 32 s */
            put_frame(n);
            deliver(n);
            pass(n, 40 * MS);
        }
        handler.on_timer(handler.ctx);
        assert_int_equal(counters_of(n).audits, i + 1);
        assert_int_equal(counters_of(n).audits_failed, i);
        tg__slots_free(&n->client->slots, (tg_sub_id){UINT32_C(0x10000)});
    }
    tg_event event;
    tg_event last = {.kind = TG_EVENT_SESSION};
    while (tg_client_event(n->client, &event) == TG_OK) {
        last = event;
    }
    assert_int_equal(last.kind, TG_EVENT_AUDIT);
    assert_non_null(strstr(last.text, "a subscriber has no slot"));
}

static void what_is_on_screen_reaches_the_engine_once_for_many_changes(void **state)
{
    network *n = *state;
    const tg_sub_id sub = {UINT32_C(0x10000)};
    const tg__desired *desired = tg__engine_desired(n->client->engine);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(tg_client_set_visible(n->client, sub, i % 2 != 0), TG_OK);
    }
    assert_false(desired->interests[0].hidden);
    tg__client_take_commands(n->client);
    assert_true(desired->interests[0].hidden);
    assert_int_equal(tg_client_set_visible(n->client, (tg_sub_id){7}, true), TG_ERR_NOT_FOUND);
    assert_int_equal(tg_client_set_visible(NULL, sub, true), TG_ERR_INVALID_ARGUMENT);
    assert_int_equal(tg_client_set_visible(n->client, sub, true), TG_OK);
    tg__client_take_commands(n->client);
    assert_false(desired->interests[0].hidden);
}

#define WITH_NETWORK(test) cmocka_unit_test_setup_teardown(test, open_network, close_network)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_NETWORK(a_message_after_a_sleep_finds_everything_stale_already),
        WITH_NETWORK(a_timer_after_a_sleep_does_not_wait_for_a_message),
        WITH_NETWORK(a_wall_clock_that_is_set_is_noticed),
        WITH_NETWORK(time_that_passes_is_no_jump),
        WITH_NETWORK(slots_that_contradict_the_engine_are_told_and_counted),
        WITH_NETWORK(what_is_on_screen_reaches_the_engine_once_for_many_changes),
    };
    return cmocka_run_group_tests_name("sdk.client_network", tests, NULL, NULL);
}
