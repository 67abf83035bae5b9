/*
 * A following node against a sequencing node that the test plays: every message, silence and loss
 * at the moment that the test says it is. Clients are in lineage_test.c.
 */
#include "tg_cmocka.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "certificate.h"
#include "following_node.h"
#include "scratch_folder.h"

#define MS INT64_C(1000000)

static scratch_folder folder;
static char path[192];
static tg__bearer bearer;
static tg__certificate certificate;
static tg__tls_context *tls;
static tg__door *door;
static tg__websocket_server *server;
static tg__following_node node;
static tg__moment now;
static int listener;
static int far_end; /* -1: nobody is connected */
static uint8_t bytes[16384];
static size_t size;

static void open_server(void)
{
    tg__state_dir state;
    tg__cause cause;
    assert_int_equal(tg__state_dir_open(&state, scratch_path(&folder, "state"), &cause), TG_OK);
    assert_int_equal(tg__certificate_open(&certificate, &state, time(NULL), &cause), TG_OK);
    assert_int_equal(tg__tls_context_open(&certificate, &state, NULL, &tls, &cause), TG_OK);
    tg__state_dir_close(&state);
    const tg__websocket_server_options options = {.host = "127.0.0.1",
                                                  .certificate = &certificate,
                                                  .tls = tls,
                                                  .handshakes_max = 4,
                                                  .clock = tg_clock_system(),
                                                  .peers_max = 4,
                                                  .upgrades_per_second = 10,
                                                  .upgrade_burst = 10};
    assert_int_equal(tg__websocket_server_open(&options, &server, &cause), TG_OK);
    const tg__door_options door_options = {.bearer = &bearer};
    assert_int_equal(tg__door_open(&door_options, &door), TG_OK);
}

static void listen_at_path(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    memcpy(address.sun_path, path, strlen(path));
    listener = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(listener, (const struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(listener, 4), 0);
}

static int set_up(void **state)
{
    (void)state;
    scratch_folder_open(&folder);
    (void)snprintf(path, sizeof path, "%s", scratch_path(&folder, "bus"));
    now.mono_ns = 1000 * MS;
    now.utc_ns = 1000 * MS;
    far_end = -1;
    open_server();
    listen_at_path();
    const tg__following_node_options options = {
        .path = path,
        .server = server,
        .hub = {.door = door,
                .instance = 7,
                .frame_interval_ms = 40,
                .boundaries_per_frame = 4,
                .heartbeat_interval_ms = 1000,
                .peers_max = 4,
                .limits = {8, 4, TG__MESSAGE_SIZE_MAX, 50, 0},
                .wake = tg__websocket_server_wake,
                .ctx = server}};
    tg__following_node_init(&node, &options);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    tg__websocket_server_close(server);
    tg__following_node_deinit(&node);
    tg__door_close(door);
    tg__tls_context_close(tls);
    (void)close(listener);
    if (far_end >= 0) {
        (void)close(far_end);
    }
    scratch_folder_close(&folder);
    return 0;
}

static void step(int64_t after_ms)
{
    now.mono_ns += after_ms * MS;
    tg__following_node_step(&node, now);
}

static void say(void)
{
    assert_int_equal(write(far_end, bytes, size), size);
}

static void say_hello(uint64_t lineage)
{
    const tg__bus_hello hello = {
        .lineage = lineage, .time_resolution_ns = 1000, .venue_count = 1, .instrument_count = 1};
    tg__dictionary_entry entries[2];
    memset(entries, 0, sizeof entries);
    entries[0].op = TG__DICTIONARY_VENUE;
    memcpy(entries[0].as.venue.name, "V", 2);
    entries[1].op = TG__DICTIONARY_ADD;
    entries[1].as.instrument.band_count = 1;
    entries[1].as.instrument.band[0].tick_size = 1;
    memcpy(entries[1].as.instrument.symbol, "S", 2);
    assert_int_equal(tg__bus_hello_encode(&hello, bytes, sizeof bytes, &size), TG_OK);
    say();
    assert_int_equal(tg__bus_dictionary_encode(0, entries, 2, bytes, sizeof bytes, &size), TG_OK);
    say();
}

/* seq 0: nothing changed. */
static void say_cut(uint64_t boundary, int64_t mono_ns, uint64_t seq)
{
    const tg_image image = {.epoch = 1, .seq = seq};
    tg__bus_draft draft;
    tg__bus_begin_cut(&draft, boundary, mono_ns, bytes, sizeof bytes);
    if (seq > 0) {
        tg__bus_put_image(&draft, 0, &image);
    }
    assert_int_equal(tg__bus_finish(&draft, &size), TG_OK);
    say();
}

/* Empty cuts from one boundary to another, in one piece. */
static void say_backlog(uint64_t first, uint64_t last, int64_t mono_ns)
{
    size = 0;
    for (uint64_t boundary = first; boundary <= last; boundary++) {
        tg__bus_draft draft;
        size_t one = 0;
        tg__bus_begin_cut(&draft, boundary, mono_ns, bytes + size, sizeof bytes - size);
        assert_int_equal(tg__bus_finish(&draft, &one), TG_OK);
        size += one;
    }
    say();
}

static void join(uint64_t lineage)
{
    if (far_end >= 0) {
        (void)close(far_end);
    }
    for (unsigned i = 0; node.stage == TG__FOLLOWING_APART; i++) {
        assert_true(i < 10);
        now.mono_ns = tg__following_node_next_mono_ns(&node, now) > now.mono_ns
                          ? tg__following_node_next_mono_ns(&node, now)
                          : now.mono_ns;
        step(0);
    }
    assert_int_equal(node.stage, TG__FOLLOWING_JOINING);
    far_end = accept(listener, NULL, NULL);
    assert_true(far_end >= 0);
    say_hello(lineage);
    say_cut(50, now.mono_ns, 3);
    step(0);
    assert_int_equal(node.stage, TG__FOLLOWING_SERVING);
}

static void the_hub_stands_where_the_bus_stands(void **state)
{
    (void)state;
    join(9);
    assert_int_equal(node.hub->table.boundary, 50);
    assert_int_equal(node.hub->table.images[0].image.seq, 3);
    assert_true(node.hub->options.lineage == 9);
    say_cut(51, now.mono_ns, 4);
    say_cut(52, now.mono_ns, 0);
    step(10);
    assert_int_equal(node.hub->table.boundary, 52);
    assert_int_equal(node.hub->table.images[0].image.seq, 4);
    assert_int_equal(node.hub->table.images[0].changed_boundary, 51);
    assert_int_equal(node.counts.cuts, 3);
    assert_true(node.counts.cut_delay_max_ns == 10 * MS);
}

static void a_second_of_silence_loses_the_bus(void **state)
{
    (void)state;
    join(9);
    for (unsigned i = 0; i < 9; i++) {
        now.mono_ns = tg__following_node_next_mono_ns(&node, now);
        step(0);
        assert_int_equal(node.stage, TG__FOLLOWING_SERVING);
    }
    step(99);
    assert_int_equal(node.stage, TG__FOLLOWING_SERVING);
    step(1);
    assert_int_equal(node.stage, TG__FOLLOWING_APART); /* nobody had to be closed */
    assert_null(node.hub);
    assert_int_equal(node.counts.lost, 1);
}

/* The whole machine was: the sequencing node is just about to go on, too. */
static void a_node_that_was_away_itself_has_not_heard_a_silence(void **state)
{
    (void)state;
    join(9);
    step(5000);
    assert_int_equal(node.stage, TG__FOLLOWING_SERVING);
    say_cut(51, now.mono_ns, 4);
    step(10);
    assert_int_equal(node.hub->table.boundary, 51);
    assert_true(node.silent_ns == 0);
}

static void bad_bytes_and_an_end_lose_the_bus(void **state)
{
    (void)state;
    join(9);
    say_cut(53, now.mono_ns, 0); /* 51 is missing */
    step(10);
    assert_int_equal(node.stage, TG__FOLLOWING_APART);
    join(9);
    memset(bytes, 0xff, 64);
    size = 64;
    say();
    step(10);
    assert_int_equal(node.stage, TG__FOLLOWING_APART);
    join(9);
    assert_int_equal(shutdown(far_end, SHUT_RDWR), 0);
    step(10);
    assert_int_equal(node.stage, TG__FOLLOWING_APART);
    assert_int_equal(node.counts.lost, 3);
}

static void a_node_that_stays_a_second_behind_says_so(void **state)
{
    (void)state;
    join(9);
    const int64_t cut_ns = now.mono_ns;
    say_backlog(51, 350, cut_ns);
    step(999); /* a turn takes 256 of them */
    assert_true(node.behind);
    assert_int_equal(node.stage, TG__FOLLOWING_SERVING);
    say_backlog(351, 650, cut_ns);
    step(1);
    assert_int_equal(node.stage, TG__FOLLOWING_APART);
}

static void a_backlog_that_is_taken_at_once_is_no_reason(void **state)
{
    (void)state;
    join(9);
    const int64_t cut_ns = now.mono_ns;
    say_backlog(51, 250, cut_ns);
    step(2000);
    assert_false(node.behind);
    assert_int_equal(node.stage, TG__FOLLOWING_SERVING);
    assert_int_equal(node.hub->table.boundary, 250);
}

static void another_lineage_is_served_after_the_first(void **state)
{
    (void)state;
    join(9);
    say_cut(51, now.mono_ns, 100);
    step(10);
    assert_int_equal(shutdown(far_end, SHUT_RDWR), 0);
    step(10);
    join(10);
    assert_true(node.hub->options.lineage == 10);
    assert_int_equal(node.hub->table.images[0].image.seq, 3);
    assert_int_equal(node.counts.joined, 2);
}

static void attempts_grow_rare_and_start_anew_after_success(void **state)
{
    (void)state;
    (void)close(listener);
    assert_int_equal(unlink(path), 0);
    int64_t longest_ns = 0;
    for (unsigned i = 0; i < 200; i++) {
        const int64_t before = now.mono_ns;
        step(0);
        assert_int_equal(node.stage, TG__FOLLOWING_APART);
        now.mono_ns = tg__following_node_next_mono_ns(&node, now);
        assert_true(now.mono_ns >= before && now.mono_ns - before < 1600 * MS);
        longest_ns = now.mono_ns - before > longest_ns ? now.mono_ns - before : longest_ns;
    }
    assert_true(longest_ns > 800 * MS);
    listen_at_path();
    join(9);
    assert_int_equal(node.failures, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_hub_stands_where_the_bus_stands, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_second_of_silence_loses_the_bus, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_node_that_was_away_itself_has_not_heard_a_silence, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(bad_bytes_and_an_end_lose_the_bus, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_node_that_stays_a_second_behind_says_so, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_backlog_that_is_taken_at_once_is_no_reason, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(another_lineage_is_served_after_the_first, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(attempts_grow_rare_and_start_anew_after_success, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests_name("gateway.following_node", tests, NULL, NULL);
}
