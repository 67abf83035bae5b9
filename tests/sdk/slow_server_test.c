/*
 * Servers that never get anywhere: they say nothing, or a little of what is due again and again, or
 * a lot of what does not count. Each time a deadline of the engine ends it, whatever the socket is
 * busy with. All wait at the same time, or it would take two minutes.
 */
#include "tg_cmocka.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

#include <tickglass/internal/control.h>

#include "client_rig.h"
#include "raw_server.h"

/* Alive for 2,300 ms without a message: three heartbeats, and two seconds. */
#define HEARTBEAT_MS 100

/* Only the first connection is played; later ones are held, so that they say nothing new. */
static bool is_first(raw_server *server)
{
    while (server->connections > 1 &&
           !atomic_load_explicit(&server->let_go, memory_order_relaxed)) {
        (void)poll(NULL, 0, 10);
    }
    return server->connections == 1;
}

static bool goes_on(raw_server *server)
{
    return !atomic_load_explicit(&server->let_go, memory_order_relaxed);
}

static void hold(raw_server *server)
{
    while (goes_on(server)) {
        (void)poll(NULL, 0, 10);
    }
}

/* Again and again until the client is gone; events 0: wakes for that only. */
static void repeat(raw_server *server, int fd, const void *bytes, size_t size, int pause_ms)
{
    struct pollfd gone = {fd, 0, 0};
    while (goes_on(server) && raw_write(fd, bytes, size)) {
        if (pause_ms > 0) {
            (void)poll(&gone, 1, pause_ms);
        }
    }
}

static bool welcome(raw_server *server, int fd)
{
    const tg__welcome welcome = {
        .instance = 1,
        .lineage = 2,
        .boundary = 3,
        .ts_gateway_ns = 4,
        .dictionary_generation = 1,
        .frame_interval_ms = 10,
        .heartbeat_interval_ms = HEARTBEAT_MS,
        .time_resolution_ns = 1000,
        .limits = {100, 10, TG__MESSAGE_SIZE_MAX, 1000, 0},
    };
    uint8_t message[256];
    uint8_t frame[300];
    size_t size = 0;
    return raw_upgrade(server, fd) &&
           tg__welcome_encode(&welcome, message, sizeof message, &size) == TG_OK &&
           raw_write(fd, frame, raw_frame(0x82, message, size, frame));
}

/* --- in session --- */

static void welcome_and_say_nothing(raw_server *server, int fd)
{
    if (is_first(server) && welcome(server, fd)) {
        hold(server);
    }
}

static void welcome_and_trickle_a_frame(raw_server *server, int fd)
{
    if (is_first(server) && welcome(server, fd) && raw_write(fd, "\x82\x7f\0\0\0\0\0\1\0\0", 10)) {
        repeat(server, fd, "x", 1, 5);
    }
}

static void welcome_and_trickle_empty_fragments(raw_server *server, int fd)
{
    if (is_first(server) && welcome(server, fd) && raw_write(fd, "\x02\0", 2)) {
        repeat(server, fd, "\0", 2, 5);
    }
}

static void welcome_and_flood_empty_fragments(raw_server *server, int fd)
{
    static const uint8_t flood[8192];
    if (is_first(server) && welcome(server, fd) && raw_write(fd, "\x02\0", 2)) {
        repeat(server, fd, flood, sizeof flood, 0);
    }
}

static void welcome_and_flood_pongs(raw_server *server, int fd)
{
    uint8_t flood[127 * 64];
    static const uint8_t payload[125];
    for (size_t i = 0; i < 64; i++) {
        (void)raw_frame(0x8a, payload, sizeof payload, flood + 127 * i);
    }
    if (is_first(server) && welcome(server, fd)) {
        repeat(server, fd, flood, sizeof flood, 0);
    }
}

/* --- before WELCOME --- */

static void upgrade_and_say_nothing(raw_server *server, int fd)
{
    if (is_first(server) && raw_upgrade(server, fd)) {
        hold(server);
    }
}

static void upgrade_and_trickle_a_frame(raw_server *server, int fd)
{
    if (is_first(server) && raw_upgrade(server, fd) &&
        raw_write(fd, "\x82\x7f\0\0\0\0\0\1\0\0", 10)) {
        repeat(server, fd, "x", 1, 5);
    }
}

static void upgrade_and_ping(raw_server *server, int fd)
{
    if (is_first(server) && raw_upgrade(server, fd)) {
        repeat(server, fd, "\x89\0", 2, 5);
    }
}

/* --- before the upgrade --- */

static void accept_and_say_nothing(raw_server *server, int fd)
{
    (void)fd;
    hold(server);
}

static void trickle_an_upgrade(raw_server *server, int fd)
{
    char text[512];
    if (!is_first(server) || !raw_read_request(server, fd)) {
        return;
    }
    /* All but the last line's end, and then a header that goes on. */
    const size_t size = raw_upgrade_text(server, text, sizeof text) - 2;
    bool good = true;
    for (size_t i = 0; i < size && good && goes_on(server); i++) {
        good = raw_write(fd, text + i, 1);
    }
    if (good) {
        repeat(server, fd, "X", 1, 20);
    }
}

/* A record of a handshake that is announced, and comes byte by byte. */
static void trickle_a_handshake(raw_server *server, int fd)
{
    static const uint8_t head[] = {22, 3, 3, 0x3f, 0xff, 2, 0, 0x3f, 0xfb};
    if (is_first(server) && raw_write(fd, head, sizeof head)) {
        repeat(server, fd, "x", 1, 20);
    }
}

static const struct {
    const char *name;
    raw_script script;
    const char *expected;
    bool tls;
} rows[] = {
    /* Those that end first stand first. */
    {"silence after WELCOME", welcome_and_say_nothing, "nothing received for 2300 ms", false},
    {"a frame in crumbs", welcome_and_trickle_a_frame, "nothing received for 2300 ms", false},
    {"empty fragments", welcome_and_trickle_empty_fragments, "nothing received for 2300 ms", false},
    {"many empty fragments", welcome_and_flood_empty_fragments, "nothing received for 2300 ms",
     false},
    {"many pongs", welcome_and_flood_pongs, "nothing received for 2300 ms", false},
    {"no WELCOME", upgrade_and_say_nothing, "no WELCOME within 10 s", false},
    {"a first frame in crumbs", upgrade_and_trickle_a_frame, "no WELCOME within 10 s", false},
    {"pings for a WELCOME", upgrade_and_ping, "no WELCOME within 10 s", false},
    {"no answer", accept_and_say_nothing, "no connection within 15 s", false},
    {"an upgrade in crumbs", trickle_an_upgrade, "no connection within 15 s", false},
    {"a handshake in crumbs", trickle_a_handshake, "no connection within 15 s", true},
};

#define ROWS (sizeof rows / sizeof rows[0])

static bool has_timed_out(const client_rig *rig)
{
    return rig->last.err == TG_ERR_TIMEOUT;
}

/* The next attempt may have ended in the same way by now. Events are queued after their callback,
 * which is what woke us. */
static tg_event first_timeout(tg_client *client)
{
    const tg_clock clock = tg_clock_system();
    const int64_t until = tg_clock_mono_ns(&clock) + INT64_C(60000000000);
    tg_event event;
    memset(&event, 0, sizeof event);
    while (event.err != TG_ERR_TIMEOUT && tg_clock_mono_ns(&clock) < until) {
        if (tg_client_event(client, &event) != TG_OK) {
            (void)poll(NULL, 0, 1);
        }
    }
    return event;
}

static void a_deadline_ends_what_gets_nowhere(void **state)
{
    (void)state;
    static raw_server servers[ROWS];
    static client_rig rigs[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        raw_server_start(&servers[i], rows[i].script);
        char url[64];
        (void)snprintf(url, sizeof url, "%s://127.0.0.1:%u", rows[i].tls ? "wss" : "ws",
                       (unsigned)servers[i].port);
        tg_client_options opt;
        tg_client_options_init(&opt);
        opt.url = url;
        opt.instruments_max = 16;
        client_rig_open(&rigs[i], &opt);
        assert_int_equal(tg_client_start(rigs[i].client), TG_OK);
    }
    for (size_t i = 0; i < ROWS; i++) {
        client_rig_await(&rigs[i], has_timed_out);
        const tg_event first = first_timeout(rigs[i].client);
        if (strstr(first.text, rows[i].expected) == NULL) {
            fail_msg("%s: \"%s\" instead of \"%s\"", rows[i].name, first.text, rows[i].expected);
        }
    }
    for (size_t i = 0; i < ROWS; i++) {
        atomic_store_explicit(&servers[i].let_go, true, memory_order_relaxed);
        client_rig_close(&rigs[i]);
        raw_server_stop(&servers[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_deadline_ends_what_gets_nowhere),
    };
    return cmocka_run_group_tests_name("sdk.slow_server", tests, NULL, NULL);
}
