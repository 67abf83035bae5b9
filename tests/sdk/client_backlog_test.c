/* A host that did not call for seconds, against the real gateway: what piled up in the socket is
 * not of now, and afterwards everything is. A second client sees to it that those seconds had
 * frames. */
#include "tg_cmocka.h"

#include <stdlib.h>
#include <string.h>

#include <integration/gateway_process.h>
#include <tickglass/client.h>

#include "client_rig.h"
#include "gateway_fixture.h"

#define FOLLOWED 8u
#define AWAY_NS  INT64_C(3500000000)

/* By the gateway's own clock: how far the second client has to be. */
static int64_t until_gateway_ns;

static tg_client_counters counters_of(const client_rig *rig)
{
    tg_client_counters counters = {.struct_size = sizeof counters};
    assert_int_equal(tg_client_counters_get(rig->client, &counters), TG_OK);
    return counters;
}

static bool is_there(const client_rig *rig)
{
    return counters_of(rig).ts_gateway_ns >= until_gateway_ns;
}

static bool has_names(const client_rig *rig)
{
    return rig->found_complete;
}

static bool all_rows_are_live(const client_rig *rig)
{
    const tg_clock clock = tg_clock_system();
    const tg_view *view = tg_reader_pin(rig->reader);
    unsigned live = 0;
    for (unsigned i = 0; i < rig->found; i++) {
        tg_instrument_id id = TG_INSTRUMENT_NONE;
        tg_row row;
        live += tg_view_find(view, rig->venues[i], rig->symbols[i], &id) == TG_OK &&
                tg_view_row(view, id, tg_clock_mono_ns(&clock), &row) == TG_OK &&
                row.image.epoch > 0 && row.quality <= TG_QUALITY_HALTED;
    }
    tg_reader_unpin(rig->reader);
    return live == rig->found;
}

static bool saw_late_frames(const client_rig *rig)
{
    return counters_of(rig).frames_late > 0;
}

static void open_client(client_rig *rig)
{
    tg_client_options opt;
    tg_client_options_init(&opt);
    opt.url = gateway.url;
    opt.ca_file = gateway.ca;
    opt.token = gateway.token;
    client_rig_open(rig, &opt);
}

static void follow(client_rig *rig, void (*wait)(client_rig *, bool (*)(const client_rig *)))
{
    uint32_t request = 0;
    wait(rig, client_rig_is_live);
    assert_int_equal(tg_client_find(rig->client, NULL, NULL, NULL, NULL, FOLLOWED, &request),
                     TG_OK);
    wait(rig, has_names);
    for (unsigned i = 0; i < rig->found; i++) {
        tg_sub_id sub;
        assert_int_equal(tg_client_subscribe(rig->client, rig->venues[i], rig->symbols[i], &sub),
                         TG_OK);
    }
    wait(rig, all_rows_are_live);
}

static void what_piled_up_while_the_host_was_away_is_late_and_then_all_is_live(void **state)
{
    (void)state;
    client_rig away;
    client_rig watcher;
    open_client(&watcher);
    assert_int_equal(tg_client_start(watcher.client), TG_OK);
    follow(&watcher, client_rig_await);
    open_client(&away);
    follow(&away, client_rig_step_until);

    until_gateway_ns = counters_of(&watcher).ts_gateway_ns + AWAY_NS;
    client_rig_await(&watcher, is_there);
    client_rig_step_until(&away, saw_late_frames);
    client_rig_step_until(&away, all_rows_are_live);
    bool began = false;
    bool ended = false;
    tg_event event;
    while (tg_client_event(away.client, &event) == TG_OK) {
        began = began || (event.kind == TG_EVENT_LATE && event.err != TG_OK);
        ended = began && (ended || (event.kind == TG_EVENT_LATE && event.err == TG_OK));
    }
    assert_true(began && ended);
    const tg_client_counters counters = counters_of(&away);
    assert_int_equal(counters.connects, 1);
    print_message("%llu messages were late\n", (unsigned long long)counters.frames_late);
    client_rig_close(&away);
    client_rig_close(&watcher);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_piled_up_while_the_host_was_away_is_late_and_then_all_is_live),
    };
    return cmocka_run_group_tests_name("sdk.client_backlog", tests, gateway_fixture_start,
                                       gateway_fixture_stop);
}
