/* Connections that are reset, in every state of the session and after any number of bytes. */
#include "tg_cmocka.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tickglass/client.h>

#include "client_rig.h"
#include "cutting_relay.h"
#include "gateway_fixture.h"

static cutting_relay relay;

static void open_rig_to(client_rig *rig, const gateway_process *to)
{
    char url[64];
    (void)snprintf(url, sizeof url, "wss://127.0.0.1:%u", (unsigned)relay.port);
    tg_client_options opt;
    tg_client_options_init(&opt);
    opt.url = url;
    opt.ca_file = to->ca;
    opt.token = to->token;
    opt.backoff_first_ms = 1;
    opt.backoff_cap_ms = 5;
    client_rig_open(rig, &opt);
    tg_sub_id sub;
    assert_int_equal(tg_client_subscribe(rig->client, "ORION", "BTC-USD", &sub), TG_OK);
}

static void open_rig(client_rig *rig)
{
    open_rig_to(rig, &gateway);
}

static bool instrument_is_live(const client_rig *rig)
{
    const tg_clock clock = tg_clock_system();
    const tg_view *view = tg_reader_pin(rig->reader);
    tg_instrument_id id = TG_INSTRUMENT_NONE;
    tg_row row;
    const bool good = rig->state == TG_SESSION_LIVE &&
                      tg_view_find(view, "ORION", "BTC-USD", &id) == TG_OK &&
                      tg_view_row(view, id, tg_clock_mono_ns(&clock), &row) == TG_OK &&
                      row.image.epoch > 0 && row.quality <= TG_QUALITY_HALTED;
    tg_reader_unpin(rig->reader);
    return good;
}

static bool is_live_after_the_cut(const client_rig *rig)
{
    tg_client_counters counters = {.struct_size = sizeof counters};
    return atomic_load(&relay.cuts) == 1 && instrument_is_live(rig) &&
           tg_client_counters_get(rig->client, &counters) == TG_OK && counters.attempts >= 2;
}

static tg_session_state cut_in;
static bool cut_done; /* the network thread's */

static void cut_in_state(const tg_event *event)
{
    /* A hole is told by an event of its own. */
    const bool tells = event->kind == TG_EVENT_SESSION || event->kind == TG_EVENT_GAP;
    if (tells && event->state == cut_in && !cut_done) {
        cut_done = true;
        cutting_relay_cut(&relay);
    }
}

static void a_reset_in_each_state_ends_live_again(void **state)
{
    (void)state;
    static const tg_session_state states[] = {TG_SESSION_CONNECTING, TG_SESSION_JOINING,
                                              TG_SESSION_LIVE};
    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++) {
        cutting_relay_start(&relay, gateway.port);
        client_rig rig;
        open_rig(&rig);
        cut_in = states[i];
        cut_done = false;
        rig.hook = cut_in_state;
        assert_int_equal(tg_client_start(rig.client), TG_OK);
        client_rig_await(&rig, is_live_after_the_cut);
        client_rig_close(&rig);
        cutting_relay_stop(&relay);
        assert_int_equal(atomic_load(&relay.cuts), 1);
    }
}

static void a_reset_while_a_hole_is_repaired_ends_live_again(void **state)
{
    (void)state;
    gateway_process leaky;
    char script[] = "tg_faults_XXXXXX";
    const int fd = mkstemp(script);
    assert_true(fd >= 0);
    for (unsigned at_s = 1; at_s <= 60; at_s++) { /* until one falls into the session */
        char line[32];
        const int size = snprintf(line, sizeof line, "%u drop-frames 1\n", at_s * 1000);
        assert_int_equal(write(fd, line, (size_t)size), size);
    }
    (void)close(fd);
    const char *const arguments[] = {"--faults", script, NULL};
    assert_true(gateway_process_start(&leaky, TG_GATEWAY_PROGRAM, arguments));
    cutting_relay_start(&relay, leaky.port);
    client_rig rig;
    open_rig_to(&rig, &leaky);
    cut_in = TG_SESSION_RESYNCING;
    cut_done = false;
    rig.hook = cut_in_state;
    assert_int_equal(tg_client_start(rig.client), TG_OK);
    client_rig_await(&rig, is_live_after_the_cut);
    assert_true(cut_done);
    client_rig_close(&rig);
    cutting_relay_stop(&relay);
    (void)gateway_process_stop(&leaky);
    (void)unlink(script);
}

static void a_reset_while_closing_is_the_end(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 20; i++) {
        cutting_relay_start(&relay, gateway.port);
        client_rig rig;
        open_rig(&rig);
        cut_in = TG_SESSION_IDLE;
        cut_done = false;
        rig.hook = cut_in_state;
        assert_int_equal(tg_client_start(rig.client), TG_OK);
        client_rig_await(&rig, instrument_is_live);
        tg_client_stop(rig.client);
        client_rig_await(&rig, client_rig_is_idle);
        assert_true(cut_done);
        client_rig_close(&rig);
        cutting_relay_stop(&relay);
    }
}

static void a_reset_after_any_number_of_bytes_ends_live_again(void **state)
{
    (void)state;
    /* 2,000 bytes or so until the first rows are there. */
    for (uint64_t bytes = 0; bytes < 2200; bytes += 41) {
        cutting_relay_start(&relay, gateway.port);
        atomic_store(&relay.cut_after, bytes);
        client_rig rig;
        open_rig(&rig);
        assert_int_equal(tg_client_start(rig.client), TG_OK);
        client_rig_await(&rig, is_live_after_the_cut);
        client_rig_close(&rig);
        cutting_relay_stop(&relay);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reset_in_each_state_ends_live_again),
        cmocka_unit_test(a_reset_while_a_hole_is_repaired_ends_live_again),
        cmocka_unit_test(a_reset_while_closing_is_the_end),
        cmocka_unit_test(a_reset_after_any_number_of_bytes_ends_live_again),
    };
    return cmocka_run_group_tests_name("sdk.client_reset", tests, gateway_fixture_start,
                                       gateway_fixture_stop);
}
