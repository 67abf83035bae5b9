/* The public client against the real gateway over TLS. Public headers and the shared library only.
 */
#include "child_process.h"
#include "tg_cmocka.h"

#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tickglass/client.h>
#include <tickglass/histogram.h>

#include "client_rig.h"
#include "gateway_fixture.h"

static bool has_messages(const client_rig *rig)
{
    return rig->messages > 0;
}

static void ticks_arrive_over_tls(void **state)
{
    (void)state;
    client_rig rig;
    tg_client_options opt = gateway_fixture_options(gateway.url);
    client_rig_open(&rig, &opt);
    assert_int_equal(tg_client_start(rig.client), TG_OK);
    assert_int_equal(tg_client_start(rig.client), TG_ERR_STATE);
    assert_int_equal(tg_client_step(rig.client, 0), TG_ERR_STATE);
    client_rig_await(&rig, client_rig_is_live);
    tg_sub_id subs[CLIENT_RIG_NAMES];
    client_rig_subscribe_some(&rig, subs);
    client_rig_await(&rig, client_rig_rows_are_live);
    tg_instrument_id id = TG_INSTRUMENT_NONE;
    assert_int_equal(tg_client_subscription(rig.client, subs[3], &id), TG_OK);
    tg_instrument instrument;
    assert_int_equal(tg_view_instrument(tg_reader_pin(rig.reader), id, &instrument), TG_OK);
    assert_string_equal(instrument.symbol, rig.symbols[3]);
    tg_reader_unpin(rig.reader);

    tg_client_counters counters = {.struct_size = sizeof counters};
    assert_int_equal(tg_client_counters_get(rig.client, &counters), TG_OK);
    assert_true(counters.frames > 0 && counters.bytes > 0 && counters.messages > 0);
    assert_int_equal(counters.connects, 1);
    assert_int_equal(counters.reconnects, 0);
    assert_int_equal(counters.frames_rejected, 0);
    assert_int_equal(counters.frames_unfit, 0);
    assert_int_equal(counters.gaps, 0);
    assert_true(counters.rtt_ns >= 0);
    assert_true(counters.reconnect_spread_ms >= 1); /* the gateway tells it: one client, and few */
    assert_true(counters.dialled_mono_ns > 0);
    assert_true(counters.requested_mono_ns > counters.dialled_mono_ns);
    client_rig_await(&rig, has_messages);

    tg_histogram *stage = NULL;
    assert_int_equal(tg_histogram_open(NULL, &stage), TG_OK);
    for (int i = 0; i < TG_STAGE_COUNT; i++) {
        tg_histogram_summary summary;
        assert_int_equal(tg_client_stage(rig.client, (tg_stage)i, stage), TG_OK);
        tg_histogram_summary_get(stage, &summary);
        assert_true(summary.count > 0);
        assert_int_equal(summary.negative, 0);
    }
    tg_histogram_close(stage);

    assert_int_equal(tg_client_unsubscribe(rig.client, subs[0]), TG_OK);
    assert_int_equal(tg_client_unsubscribe(rig.client, subs[0]), TG_ERR_NOT_FOUND);
    assert_int_equal(tg_client_subscription(rig.client, subs[0], &id), TG_ERR_NOT_FOUND);
    client_rig_close(&rig);
}

static void a_host_that_steps_gets_the_same(void **state)
{
    (void)state;
    client_rig rig;
    tg_client_options opt = gateway_fixture_options(gateway.url);
    client_rig_open(&rig, &opt);
    client_rig_step_until(&rig, client_rig_is_live);
    assert_int_equal(tg_client_start(rig.client), TG_ERR_STATE);
    uint32_t request = 0;
    assert_int_equal(tg_client_find(rig.client, NULL, NULL, NULL, NULL, 5, &request), TG_OK);
    client_rig_step_until(&rig, client_rig_has_found);
    tg_sub_id sub;
    for (unsigned i = 0; i < rig.found; i++) {
        assert_int_equal(tg_client_subscribe(rig.client, rig.venues[i], rig.symbols[i], &sub),
                         TG_OK);
    }
    client_rig_step_until(&rig, client_rig_rows_are_live);
    client_rig_close(&rig);
}

static void an_instrument_that_does_not_exist_is_answered(void **state)
{
    (void)state;
    client_rig rig;
    tg_client_options opt = gateway_fixture_options(gateway.url);
    client_rig_open(&rig, &opt);
    tg_sub_id sub;
    tg_instrument_id id;
    assert_int_equal(tg_client_subscribe(rig.client, "", "x", &sub), TG_ERR_INVALID_ARGUMENT);
    assert_int_equal(tg_client_subscribe(rig.client, "x", "\xff", &sub), TG_ERR_INVALID_ARGUMENT);
    assert_int_equal(tg_client_subscribe(rig.client, "NO", "SUCH", &sub), TG_OK);
    assert_int_equal(tg_client_subscription(rig.client, sub, &id), TG_ERR_STATE);
    assert_int_equal(tg_client_start(rig.client), TG_OK);
    client_rig_await(&rig, client_rig_is_live);
    assert_int_equal(tg_client_subscription(rig.client, sub, &id), TG_ERR_NOT_FOUND);
    tg_event event;
    bool told = false;
    while (tg_client_event(rig.client, &event) == TG_OK) {
        told = told || (event.kind == TG_EVENT_ANSWER && event.sub.v == sub.v &&
                        event.err == TG_ERR_NOT_FOUND);
    }
    assert_true(told);
    client_rig_close(&rig);
}

static void a_wrong_authority_is_refused_by_name(void **state)
{
    (void)state;
    /* Another gateway has another authority. */
    gateway_process stranger;
    assert_true(gateway_process_start(&stranger, TG_GATEWAY_PROGRAM, NULL));
    client_rig rig;
    tg_client_options opt = gateway_fixture_options(gateway.url);
    opt.ca_file = stranger.ca;
    client_rig_open(&rig, &opt);
    assert_int_equal(tg_client_start(rig.client), TG_OK);
    client_rig_await(&rig, client_rig_has_error);
    const tg_event last = client_rig_last(&rig);
    assert_int_equal(last.err, TG_ERR_CERTIFICATE);
    assert_non_null(strstr(last.text, "not signed by an authority"));
    char text[256];
    tg_client_last_error(rig.client, text, sizeof text);
    assert_string_equal(text, last.text);
    assert_null(strstr(text, gateway.token));
    client_rig_close(&rig);
    (void)gateway_process_stop(&stranger);
}

static void a_wrong_host_is_refused_by_name(void **state)
{
    (void)state;
    const char *const arguments[] = {"--listen", "0.0.0.0:0", NULL};
    gateway_process open;
    if (!gateway_process_start(&open, TG_GATEWAY_PROGRAM, arguments)) {
        skip();
    }
    char url[64];
    (void)snprintf(url, sizeof url, "wss://127.0.0.2:%d", open.port);
    client_rig rig;
    tg_client_options opt = gateway_fixture_options(url);
    opt.ca_file = open.ca;
    opt.token = open.token;
    client_rig_open(&rig, &opt);
    assert_int_equal(tg_client_start(rig.client), TG_OK);
    client_rig_await(&rig, client_rig_has_error);
    const tg_event last = client_rig_last(&rig);
    assert_int_equal(last.err, TG_ERR_CERTIFICATE);
    assert_non_null(strstr(last.text, "for another host"));
    client_rig_close(&rig);
    (void)gateway_process_stop(&open);
}

static void a_wrong_token_stops_the_client(void **state)
{
    (void)state;
    client_rig rig;
    tg_client_options opt = gateway_fixture_options(gateway.url);
    opt.token = "not-the-token";
    client_rig_open(&rig, &opt);
    assert_int_equal(tg_client_start(rig.client), TG_OK);
    client_rig_await(&rig, client_rig_is_idle);
    const tg_event last = client_rig_last(&rig);
    assert_int_equal(last.err, TG_ERR_UNAUTHORIZED);
    assert_non_null(strstr(last.text, "401"));
    assert_null(strstr(last.text, "not-the-token"));
    client_rig_close(&rig);
}

/* A soak sets TG_TEST_ATTEMPTS=100000. */
static uint64_t attempts_wanted;

static bool has_tried_often(const client_rig *rig)
{
    tg_client_counters counters = {.struct_size = sizeof counters};
    return tg_client_counters_get(rig->client, &counters) == TG_OK &&
           counters.attempts >= attempts_wanted;
}

static void a_closed_port_is_tried_again_and_descriptors_stay_flat(void **state)
{
    (void)state;
    client_rig rig;
    tg_client_options opt = gateway_fixture_options("wss://127.0.0.1:1");
    opt.backoff_first_ms = 1;
    opt.backoff_cap_ms = 1;
    client_rig_open(&rig, &opt);
    const unsigned before = open_descriptors();
    const char *soak = getenv("TG_TEST_ATTEMPTS");
    const uint64_t attempts = soak != NULL ? strtoull(soak, NULL, 10) : 1000;
    assert_int_equal(tg_client_start(rig.client), TG_OK);
    for (unsigned part = 1; part <= 20; part++) {
        attempts_wanted = attempts / 20 * part;
        client_rig_await(&rig, has_tried_often);
        /* A call that is under way and one that is ending: a socket, and how to give it up, each.
         */
        assert_true(open_descriptors() <= before + 4);
    }
    const tg_event last = client_rig_last(&rig);
    assert_int_equal(last.err, TG_ERR_CONNECT);
    assert_non_null(strstr(last.text, "127.0.0.1 port 1: Connection refused"));
    client_rig_close(&rig);
}

static bool is_live_again(const client_rig *rig)
{
    return rig->live_count >= 2 && rig->state == TG_SESSION_LIVE && client_rig_rows_are_live(rig);
}

static void a_restarted_gateway_is_joined_again(void **state)
{
    (void)state;
    client_rig rig;
    tg_client_options opt = gateway_fixture_options(gateway.url);
    client_rig_open(&rig, &opt);
    assert_int_equal(tg_client_start(rig.client), TG_OK);
    client_rig_await(&rig, client_rig_is_live);
    tg_sub_id subs[CLIENT_RIG_NAMES];
    client_rig_subscribe_some(&rig, subs);
    client_rig_await(&rig, client_rig_rows_are_live);
    (void)pthread_mutex_lock(&rig.lock);
    rig.live_count = 1;
    (void)pthread_mutex_unlock(&rig.lock);
    assert_true(gateway_process_restart(&gateway, TG_GATEWAY_PROGRAM));
    client_rig_await(&rig, is_live_again);
    tg_client_counters counters = {.struct_size = sizeof counters};
    assert_int_equal(tg_client_counters_get(rig.client, &counters), TG_OK);
    assert_true(counters.reconnects >= 1);
    client_rig_close(&rig);
}

static bool has_lost_the_link(const client_rig *rig)
{
    return rig->last.err == TG_ERR_TIMEOUT;
}

static void a_gateway_that_hangs_is_noticed_and_joined_again(void **state)
{
    (void)state;
    client_rig rig;
    tg_client_options opt = gateway_fixture_options(gateway.url);
    client_rig_open(&rig, &opt);
    assert_int_equal(tg_client_start(rig.client), TG_OK);
    client_rig_await(&rig, client_rig_is_live);
    tg_sub_id subs[CLIENT_RIG_NAMES];
    client_rig_subscribe_some(&rig, subs);
    client_rig_await(&rig, client_rig_rows_are_live);
    /* Its sockets stay open and take what is sent: only silence tells. */
    assert_int_equal(kill(gateway.pid, SIGSTOP), 0);
    client_rig_await(&rig, has_lost_the_link);
    const tg_event last = client_rig_last(&rig);
    assert_non_null(strstr(last.text, "nothing received"));
    assert_false(client_rig_rows_are_live(&rig));
    (void)pthread_mutex_lock(&rig.lock);
    rig.live_count = 1;
    (void)pthread_mutex_unlock(&rig.lock);
    assert_int_equal(kill(gateway.pid, SIGCONT), 0);
    client_rig_await(&rig, is_live_again);
    client_rig_close(&rig);
}

static void stop_inside_a_callback_ends_the_session(void **state)
{
    (void)state;
    static const tg_session_state at[] = {TG_SESSION_CONNECTING, TG_SESSION_JOINING,
                                          TG_SESSION_LIVE};
    for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
        client_rig rig;
        tg_client_options opt = gateway_fixture_options(gateway.url);
        client_rig_open(&rig, &opt);
        rig.stop_from_event = true;
        rig.stop_state = at[i];
        assert_int_equal(tg_client_start(rig.client), TG_OK);
        client_rig_await(&rig, client_rig_is_idle);
        assert_int_equal(tg_client_state(rig.client), TG_SESSION_IDLE);
        uint32_t request = 0;
        assert_int_equal(tg_client_find(rig.client, NULL, NULL, NULL, NULL, 5, &request),
                         TG_ERR_STATE);
        client_rig_close(&rig);
    }
}

static void close_at_any_moment_is_a_barrier(void **state)
{
    (void)state;
    for (int i = 0; i < 30; i++) {
        client_rig rig;
        tg_client_options opt =
            gateway_fixture_options(i % 3 == 0 ? "wss://localhost:1" : gateway.url);
        client_rig_open(&rig, &opt);
        if (i % 5 != 0) {
            assert_int_equal(tg_client_start(rig.client), TG_OK);
        }
        for (int n = 0; n < i; n++) {
            (void)tg_client_state(rig.client); /* some time, of no known length */
        }
        client_rig_close(&rig);
    }
}

static void close_does_not_wait_for_a_peer_that_never_answers(void **state)
{
    (void)state;
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address;
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    assert_int_equal(bind(listener, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(listener, 5), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &size), 0);
    char url[64];
    (void)snprintf(url, sizeof url, "wss://127.0.0.1:%u", (unsigned)ntohs(address.sin_port));
    client_rig rig;
    tg_client_options opt = gateway_fixture_options(url);
    client_rig_open(&rig, &opt);
    assert_int_equal(tg_client_start(rig.client), TG_OK);
    const int peer = accept(listener, NULL, NULL);
    assert_true(peer >= 0);
    client_rig_close(&rig); /* returns: that is the test */
    (void)close(peer);
    (void)close(listener);
}

static bool every_call_says_forked(tg_client *client)
{
    tg_sub_id sub = {0x10000};
    tg_event event;
    tg_instrument_id id;
    uint32_t request = 0;
    int fd = -1;
    int64_t deadline_ns = 0;
    tg_client_counters counters = {.struct_size = sizeof counters};
    tg_histogram *stage = NULL;
    char text[8] = "x";
    const bool opened = tg_histogram_open(NULL, &stage) == TG_OK;
    tg_client_last_error(client, text, sizeof text);
    return opened && text[0] == '\0' &&
           tg_client_subscribe(client, "A", "B", &sub) == TG_ERR_FORKED &&
           tg_client_unsubscribe(client, sub) == TG_ERR_FORKED &&
           tg_client_prioritise(client, sub, true) == TG_ERR_FORKED &&
           tg_client_subscription(client, sub, &id) == TG_ERR_FORKED &&
           tg_client_find(client, NULL, NULL, NULL, NULL, 1, &request) == TG_ERR_FORKED &&
           tg_client_token(client, "t") == TG_ERR_FORKED &&
           tg_client_event(client, &event) == TG_ERR_FORKED &&
           tg_client_start(client) == TG_ERR_FORKED && tg_client_step(client, 0) == TG_ERR_FORKED &&
           tg_client_fd(client, &fd) == TG_ERR_FORKED &&
           tg_client_next_deadline(client, &deadline_ns) == TG_ERR_FORKED &&
           tg_client_counters_get(client, &counters) == TG_ERR_FORKED &&
           tg_client_stage(client, TG_STAGE_DECODE, stage) == TG_ERR_FORKED;
}

static void a_child_after_fork_is_told_so_and_the_parent_goes_on(void **state)
{
    (void)state;
    client_rig rig;
    tg_client_options opt = gateway_fixture_options(gateway.url);
    client_rig_open(&rig, &opt);
    assert_int_equal(tg_client_start(rig.client), TG_OK);
    client_rig_await(&rig, client_rig_is_live);
    const pid_t child = fork();
    if (child == 0) {
        const bool told = every_call_says_forked(rig.client);
        tg_client_stop(rig.client);
        tg_client_close(rig.client);
        _exit(told ? 0 : 1);
    }
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    tg_sub_id subs[CLIENT_RIG_NAMES];
    client_rig_subscribe_some(&rig, subs);
    client_rig_await(&rig, client_rig_rows_are_live);
    client_rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_arrive_over_tls),
        cmocka_unit_test(a_host_that_steps_gets_the_same),
        cmocka_unit_test(an_instrument_that_does_not_exist_is_answered),
        cmocka_unit_test(a_wrong_authority_is_refused_by_name),
        cmocka_unit_test(a_wrong_host_is_refused_by_name),
        cmocka_unit_test(a_wrong_token_stops_the_client),
        cmocka_unit_test(a_closed_port_is_tried_again_and_descriptors_stay_flat),
        cmocka_unit_test(a_restarted_gateway_is_joined_again),
        cmocka_unit_test(a_gateway_that_hangs_is_noticed_and_joined_again),
        cmocka_unit_test(stop_inside_a_callback_ends_the_session),
        cmocka_unit_test(close_at_any_moment_is_a_barrier),
        cmocka_unit_test(close_does_not_wait_for_a_peer_that_never_answers),
        cmocka_unit_test(a_child_after_fork_is_told_so_and_the_parent_goes_on),
    };
    return cmocka_run_group_tests_name("sdk.client_gateway", tests, gateway_fixture_start,
                                       gateway_fixture_stop);
}
