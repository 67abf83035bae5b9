/* A connection that is open and dead: a server in a child process, told through a pipe. */
#include "child_process.h"
#include "tg_cmocka.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "certificate.h"
#include "hub_fixture.h"
#include "scratch_folder.h"
#include "websocket_server.h"
#include "wire_client.h"

#define BOUNDARY_NS     INT64_C(10000000)
#define HANG_UP_AFTER_S 2u
#define LONG_BOUNDARIES 350u /* 3.5 s: longer than it takes to hang up on the silent */

typedef struct far_end {
    scratch_folder folder;
    pid_t pid;
    int commands; /* the parent's ends */
    int answers;
    int port;
    char ca[256];
} far_end;

/* ---- in the child ---- */

typedef struct served {
    hub_fixture market; /* its hub is not used */
    tg__hub *hub;
    tg__tls_context *tls;
    tg__websocket_server *server;
    tg_clock clock;
} served;

static void open_server(served *s, const tg__state_dir *dir, const tg__certificate *certificate)
{
    tg__cause cause;
    assert_int_equal(tg__tls_context_open(certificate, dir, NULL, &s->tls, &cause), TG_OK);
    hub_fixture_open(&s->market, 1);
    s->clock = tg_clock_system();
    const tg__websocket_server_options options = {
        .host = "127.0.0.1",
        .certificate = certificate,
        .tls = s->tls,
        .handshakes_max = 8,
        .clock = s->clock,
        .peers_max = 8,
        .upgrades_per_second = 100,
        .upgrade_burst = 100,
        .hang_up_after_s = HANG_UP_AFTER_S,
    };
    assert_int_equal(tg__websocket_server_open(&options, &s->server, &cause), TG_OK);
    tg__hub_options hub_options = s->market.hub->options;
    hub_options.wake = tg__websocket_server_wake;
    hub_options.ctx = s->server;
    assert_int_equal(tg__hub_open(&hub_options, &s->hub), TG_OK);
    tg__websocket_server_serve(s->server, s->hub);
}

static void serve_boundaries(served *s, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        const int64_t next_ns = tg_clock_mono_ns(&s->clock) + BOUNDARY_NS;
        hub_fixture_tick(&s->market, 3, (int64_t)i);
        const tg__moment now = {tg_clock_mono_ns(&s->clock), tg_clock_utc_ns(&s->clock)};
        tg__hub_boundary(s->hub, &s->market.sequencer, now);
        for (int64_t wait_ns = BOUNDARY_NS; wait_ns > 0;
             wait_ns = next_ns - tg_clock_mono_ns(&s->clock)) {
            tg__websocket_server_step(s->server, wait_ns);
        }
    }
}

/* o: half open; r: resume; w: serve for long; q: end. Each is answered when it has been done. */
static void run_child(const tg__state_dir *dir, const tg__certificate *certificate, int commands,
                      int answers)
{
    static served s;
    open_server(&s, dir, certificate);
    const int port = tg__websocket_server_port(s.server);
    bool good = write(answers, &port, sizeof port) == sizeof port;
    char command = 0;
    while (good && command != 'q') {
        struct pollfd asked = {commands, POLLIN, 0};
        serve_boundaries(&s, 1);
        if (poll(&asked, 1, 0) != 1) {
            continue;
        }
        good = read(commands, &command, 1) == 1;
        unsigned meant = 0;
        if (command == 'o' || command == 'r') {
            meant = tg__websocket_fault_half_open(s.server, 1, command == 'o');
        } else if (command == 'w') {
            serve_boundaries(&s, LONG_BOUNDARIES);
            meant = s.hub->peer_count;
        }
        good = good && write(answers, &meant, sizeof meant) == sizeof meant;
    }
    tg__websocket_server_close(s.server);
    tg__hub_close(s.hub);
    tg__tls_context_close(s.tls);
    hub_fixture_close(&s.market);
}

/* ---- in the parent ---- */

static int set_up(void **state)
{
    static far_end far;
    tg__state_dir dir;
    tg__certificate certificate;
    tg__cause cause;
    int commands[2];
    int answers[2];
    scratch_folder_open(&far.folder);
    assert_int_equal(tg__state_dir_open(&dir, far.folder.path, &cause), TG_OK);
    assert_int_equal(tg__certificate_open(&certificate, &dir, time(NULL), &cause), TG_OK);
    assert_true(strlen(certificate.ca_path) < sizeof far.ca);
    memcpy(far.ca, certificate.ca_path, strlen(certificate.ca_path) + 1);
    assert_int_equal(pipe(commands), 0);
    assert_int_equal(pipe(answers), 0);
    const pid_t parent = getpid();
    far.pid = fork();
    if (far.pid == 0) {
        child_ends_with_parent(parent);
        run_child(&dir, &certificate, commands[0], answers[1]);
        _exit(0);
    }
    tg__state_dir_close(&dir);
    (void)close(commands[0]);
    (void)close(answers[1]);
    far.commands = commands[1];
    far.answers = answers[0];
    assert_int_equal(read(far.answers, &far.port, sizeof far.port), sizeof far.port);
    *state = &far;
    return 0;
}

static unsigned tell(const far_end *far, char command)
{
    unsigned meant = 0;
    assert_int_equal(write(far->commands, &command, 1), 1);
    assert_int_equal(read(far->answers, &meant, sizeof meant), sizeof meant);
    return meant;
}

static int tear_down(void **state)
{
    far_end *far = *state;
    int status = 0;
    (void)tell(far, 'q');
    assert_int_equal(waitpid(far->pid, &status, 0), far->pid);
    assert_int_equal(status, 0);
    (void)close(far->commands);
    (void)close(far->answers);
    scratch_folder_close(&far->folder);
    return 0;
}

static void await_delta(wire_client *client, bool *gap)
{
    const uint8_t *bytes = NULL;
    size_t size = 0;
    do {
        assert_int_equal(wire_client_receive(client, &bytes, &size), WIRE_BINARY);
        *gap = *gap || (bytes[0] == TG__KIND_SNAPSHOT && bytes[1] == TG__SNAPSHOT_GAP);
    } while (bytes[0] != TG__KIND_DELTA);
}

/* A client that follows instrument 3 and has had its first delta. */
static wire_client *follow(const far_end *far, bool *gap)
{
    const wire_upgrade upgrade = {
        .port = far->port, .ca = far->ca, .token = "secret", .subprotocol = TG__SUBPROTOCOL};
    static const uint8_t follow_three[] = {0xc0, 0, 1, 0, 0, 0, 1, 0, 3, 0};
    wire_client *client = NULL;
    char answer[2048];
    assert_int_equal(wire_client_open(&upgrade, &client, answer, sizeof answer), 101);
    wire_client_send(client, WIRE_BINARY, true, follow_three, sizeof follow_three);
    await_delta(client, gap);
    return client;
}

static void a_half_open_connection_is_silent_and_lives_until_it_is_resumed(void **state)
{
    const far_end *far = *state;
    bool gap = false;
    wire_client *const client = follow(far, &gap);
    assert_int_equal(tell(far, 'o'), 1);
    const size_t waiting = wire_client_waiting(client);
    wire_client_send(client, WIRE_PING, true, "anybody", 7);
    wire_client_send(client, WIRE_BINARY, true, "\x42", 1); /* malformed: it would be closed */
    assert_int_equal(tell(far, 'w'), 1);                    /* it has not been hung up on */
    assert_int_equal(wire_client_waiting(client), waiting); /* and there was not a byte */
    assert_int_equal(tell(far, 'r'), 1);
    const uint8_t *bytes = NULL;
    size_t size = 0;
    unsigned opcode = 0;
    do { /* what it said meanwhile is taken now */
        opcode = wire_client_receive(client, &bytes, &size);
    } while (opcode == WIRE_BINARY);
    assert_int_equal(opcode, WIRE_CLOSE);
    assert_int_equal((unsigned)bytes[0] << 8 | bytes[1], TG__CLOSE_BAD_MESSAGE);
    wire_client_close(client);
}

static void a_resumed_connection_finds_a_gap_and_then_fits(void **state)
{
    const far_end *far = *state;
    bool gap = false;
    wire_client *const client = follow(far, &gap);
    assert_int_equal(tell(far, 'o'), 1);
    assert_int_equal(tell(far, 'w'), 1);
    assert_int_equal(tell(far, 'r'), 1);
    while (!gap) {
        await_delta(client, &gap);
    }
    wire_client_close(client);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            a_half_open_connection_is_silent_and_lives_until_it_is_resumed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_resumed_connection_finds_a_gap_and_then_fits, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests_name("gateway.websocket_faults", tests, NULL, NULL);
}
