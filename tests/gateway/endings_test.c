/* How connections end, and how the gateway is emptied: each kind of end leaves nothing behind. */
#include "tg_cmocka.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <tickglass/internal/control.h>
#include <tickglass/internal/frame.h>

#include "follower.h"
#include "round_trip.h"
#include "scratch_folder.h"

#define LOG_SIZE (1u << 20)

static gateway_process gateway;
static char log_text[LOG_SIZE];

static void start(const char *const *arguments)
{
    assert_true(gateway_process_start(&gateway, TG_GATEWAY_PROGRAM, arguments));
}

/* Also after a test that failed half-way. */
static int tear_down(void **state)
{
    (void)state;
    (void)gateway_process_stop(&gateway);
    return 0;
}

static wire_client *connect_well(void)
{
    wire_client *client = NULL;
    char answer[2048];
    const wire_upgrade upgrade = {.port = gateway.port,
                                  .ca = gateway.ca,
                                  .token = gateway.token,
                                  .subprotocol = TG__SUBPROTOCOL};
    assert_int_equal(wire_client_open(&upgrade, &client, answer, sizeof answer), 101);
    return client;
}

/* Reads on to the close frame and returns its code. */
static unsigned await_close(wire_client *client, uint32_t *reconnect_after_ms)
{
    const uint8_t *bytes = NULL;
    size_t size = 0;
    unsigned opcode = 0;
    do {
        opcode = wire_client_receive(client, &bytes, &size);
        assert_int_not_equal(opcode, 0);
    } while (opcode != WIRE_CLOSE);
    assert_true(size >= 2);
    *reconnect_after_ms = 0; /* an answer to our own close has none */
    assert_true(size == 2 || tg__close_reason_decode((const char *)bytes + 2, size - 2,
                                                     reconnect_after_ms) == TG_OK);
    return (unsigned)bytes[0] << 8 | bytes[1];
}

static void subscribe(follower *f, size_t count)
{
    static tg__name names[FOLLOWER_MAX];
    follower_open(f, &gateway);
    for (size_t i = 0; i < count; i++) {
        memset(&names[i], 0, sizeof names[i]);
        names[i].id = (tg_instrument_id)i;
    }
    follower_subscribe(f, names, count);
}

static void follow(follower *f, size_t count)
{
    subscribe(f, count);
    while (f->frames < 5) {
        follower_step(f);
    }
}

/* Waits until the gateway has ended, returns its exit code and keeps what it said. */
static int await_exit(void)
{
    siginfo_t info;
    memset(&info, 0, sizeof info);
    while (waitid(P_PID, (id_t)gateway.pid, &info, WEXITED | WNOWAIT) != 0) {
        assert_int_equal(errno, EINTR);
    }
    FILE *file = fopen(gateway.log, "rb");
    assert_non_null(file);
    log_text[fread(log_text, 1, sizeof log_text - 1, file)] = '\0';
    assert_int_equal(fclose(file), 0);
    return info.si_code == CLD_EXITED ? info.si_status : -1;
}

static void expect_said(const char *words)
{
    if (strstr(log_text, words) == NULL) {
        fail_msg("expected \"%s\", it said: %s", words, log_text);
    }
}

static void expect_right_index(void)
{
    expect_said(" audits, 0 differences");
    assert_null(strstr(log_text, "the index of subscriptions is wrong"));
}

static void every_kind_of_end_is_told_apart_and_leaves_the_index_right(void **state)
{
    (void)state;
    static follower f;
    uint32_t wait_ms = 0;
    start(NULL);
    follow(&f, 60);
    wire_client_send(f.client, WIRE_CLOSE, true, "\x03\xe8", 2);
    assert_int_equal(await_close(f.client, &wait_ms), 1000);
    follower_close(&f);

    follow(&f, 60);
    wire_client_reset(f.client);
    follower_close(&f);

    follow(&f, 60);
    wire_client_finish(f.client);
    const uint8_t *bytes = NULL;
    size_t size = 0;
    while (wire_client_receive(f.client, &bytes, &size) != 0) {
    }
    follower_close(&f);

    wire_client *bad = connect_well();
    wire_client_send(bad, WIRE_BINARY, true, "\xc0", 1);
    assert_int_equal(await_close(bad, &wait_ms), TG__CLOSE_BAD_MESSAGE);
    wire_client_close(bad);

    wire_client *last = connect_well();
    make_a_round_trip(last);
    assert_int_equal(kill(gateway.pid, SIGTERM), 0);
    assert_int_equal(await_close(last, &wait_ms), TG__CLOSE_SERVICE_RESTART);
    wire_client_send(last, WIRE_CLOSE, true, "\x03\xf4", 2);
    wire_client_close(last);
    assert_int_equal(await_exit(), 0);
    expect_said("ended by client_close: 1\n");
    expect_said("ended by reset: 1\n");
    expect_said("ended by lost: 1\n");
    expect_said("ended by protocol: 1\n");
    expect_said("ended by drain: 1\n");
    expect_said("drained 1 connections in 0.");
    expect_right_index();
}

static void who_does_not_read_his_answers_is_closed_with_4008(void **state)
{
    (void)state;
    static follower stops;
    static follower reads;
    uint32_t wait_ms = 0;
    uint8_t message[64];
    size_t size = 0;
    start(NULL);
    follow(&stops, 60);
    follow(&reads, 60);
    while (reads.frames < 75) { /* 3 s: the other has no data on its way any more */
        follower_step(&reads);
    }
    assert_int_equal(tg__echo_encode(5, message, sizeof message, &size), TG_OK);
    for (unsigned i = 0; i < 1100; i++) {
        wire_client_send(stops.client, WIRE_BINARY, true, message, size);
    }
    assert_int_equal(await_close(stops.client, &wait_ms), TG__CLOSE_SLOW_CONSUMER);
    assert_true(wait_ms > 0);
    follower_close(&stops);
    for (const uint64_t more = reads.frames + 10; reads.frames < more;) {
        follower_step(&reads); /* which is none of the others' business */
    }
    assert_int_equal(reads.gaps, 0);
    follower_close(&reads);
    assert_int_equal(kill(gateway.pid, SIGTERM), 0);
    assert_int_equal(await_exit(), 0);
    expect_said("ended by slow: 1\n");
    expect_right_index();
}

static void who_shows_no_sign_of_life_is_hung_up_on(void **state)
{
    (void)state;
    static follower silent;
    static follower reads;
    static const char *const arguments[] = {"--hang-up-after-s", "3", NULL};
    start(arguments);
    follow(&silent, 60);
    follow(&reads, 60);
    while (reads.frames < 150) { /* 6 s */
        follower_step(&reads);
    }
    follower_close(&reads);
    assert_int_equal(kill(gateway.pid, SIGTERM), 0);
    assert_int_equal(await_exit(), 0);
    follower_close(&silent);
    expect_said("ended by timeout: 1\n");
    expect_right_index();
}

static void a_drain_closes_the_oldest_first_and_step_by_step(void **state)
{
    (void)state;
    static follower followers[6];
    static const char *const arguments[] = {"--drain-percent", "34", "--drain-interval-ms", "400",
                                            NULL};
    uint32_t waits[6];
    start(arguments);
    for (size_t i = 0; i < 6; i++) {
        follow(&followers[i], 10);
    }
    assert_int_equal(kill(gateway.pid, SIGTERM), 0);
    /* Three at once, and while these are told, the others' frames go on. */
    for (size_t i = 0; i < 6; i++) {
        if (i == 3) {
            const uint64_t more = followers[5].frames + 3;
            while (followers[5].frames < more) {
                follower_step(&followers[5]);
            }
        }
        assert_int_equal(await_close(followers[i].client, &waits[i]), TG__CLOSE_SERVICE_RESTART);
        assert_in_range(waits[i], 500, 5500);
        wire_client_send(followers[i].client, WIRE_CLOSE, true, "\x03\xf4", 2);
        follower_close(&followers[i]);
    }
    assert_true(waits[0] != waits[1] || waits[1] != waits[2]);
    assert_int_equal(await_exit(), 0);
    expect_said("draining 6 connections");
    expect_said("drained 6 connections in ");
    expect_said(" 0 had to be cut");
    expect_said("ended by drain: 6\n");
    expect_right_index();
    /* The oldest have the lowest numbers; the second step is a later one. */
    const char *third = strstr(log_text, "connection 3 from");
    third = strstr(third + 1, "connection 3 from");
    const char *fourth = strstr(log_text, "connection 4 from");
    fourth = strstr(fourth + 1, "connection 4 from");
    assert_non_null(third);
    assert_non_null(fourth);
    assert_true(third < fourth);
}

/* The close is never answered: after its time the connection is cut, and the exit code says so. */
static void a_drain_that_has_to_cut_says_so_with_its_exit_code(void **state)
{
    (void)state;
    start(NULL);
    wire_client *silent = connect_well();
    make_a_round_trip(silent);
    assert_int_equal(kill(gateway.pid, SIGTERM), 0);
    assert_int_equal(await_exit(), 3);
    expect_said("drained 1 connections in 2.");
    expect_said(" 1 had to be cut");
    expect_said("ended by drain: 1\n");
    wire_client_close(silent);
}

static void a_drain_lets_nobody_in_and_a_second_sigterm_does_not_wait_for_its_steps(void **state)
{
    (void)state;
    static const char *const arguments[] = {"--drain-interval-ms", "60000", NULL};
    uint32_t wait_ms = 0;
    start(arguments);
    wire_client *first = connect_well();
    wire_client *second = connect_well();
    make_a_round_trip(second);
    assert_int_equal(kill(gateway.pid, SIGTERM), 0);
    assert_int_equal(await_close(first, &wait_ms), TG__CLOSE_SERVICE_RESTART);
    wire_client_close(first);
    make_a_round_trip(second); /* its step would come in a minute */
    const wire_upgrade upgrade = {.port = gateway.port,
                                  .ca = gateway.ca,
                                  .token = gateway.token,
                                  .subprotocol = TG__SUBPROTOCOL};
    wire_client *late = NULL;
    char answer[2048];
    assert_int_equal(wire_client_open(&upgrade, &late, answer, sizeof answer), 503);
    assert_null(late);
    assert_int_equal(kill(gateway.pid, SIGTERM), 0);
    assert_int_equal(await_close(second, &wait_ms), TG__CLOSE_SERVICE_RESTART);
    wire_client_close(second);
    assert_int_equal(await_exit(), 3);
}

static void sigint_ends_at_once_with_1001(void **state)
{
    (void)state;
    uint32_t wait_ms = 0;
    start(NULL);
    wire_client *client = connect_well();
    make_a_round_trip(client);
    assert_int_equal(kill(gateway.pid, SIGINT), 0);
    assert_int_equal(await_close(client, &wait_ms), TG__CLOSE_GOING_AWAY);
    wire_client_close(client);
    assert_int_equal(await_exit(), 0);
    expect_said("ended by server_stop: 1\n");
}

static void an_empty_gateway_is_drained_at_once(void **state)
{
    (void)state;
    start(NULL);
    assert_int_equal(kill(gateway.pid, SIGTERM), 0);
    assert_int_equal(await_exit(), 0);
    expect_said("drained 0 connections in 0.000 s, 0 had to be cut");
}

/* Runs `tickglass-gateway drain` on that folder; its exit code, and what it said. */
static int run_drain(const char *state_dir, const char *more, char *said, size_t said_size)
{
    char command[1024];
    (void)snprintf(command, sizeof command, "'%s' drain --state-dir '%s' %s 2>&1",
                   TG_GATEWAY_PROGRAM, state_dir, more);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    said[fread(said, 1, said_size - 1, pipe)] = '\0';
    const int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void ask_to_drain(void)
{
    char state_dir[128];
    char said[4096];
    char expected[64];
    (void)snprintf(state_dir, sizeof state_dir, "%s/state", gateway.folder);
    (void)snprintf(expected, sizeof expected, "process %ld drains\n", (long)gateway.pid);
    assert_int_equal(run_drain(state_dir, "", said, sizeof said), 0);
    assert_string_equal(said, expected);
}

static void drain_asks_the_gateway_that_has_the_folder(void **state)
{
    (void)state;
    wire_client *clients[3];
    uint32_t wait_ms = 0;
    start(NULL);
    for (size_t i = 0; i < 3; i++) {
        clients[i] = connect_well();
        make_a_round_trip(clients[i]);
    }
    ask_to_drain();
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(await_close(clients[i], &wait_ms), TG__CLOSE_SERVICE_RESTART);
        assert_in_range(wait_ms, 500, 5500);
        wire_client_send(clients[i], WIRE_CLOSE, true, "\x03\xf4", 2);
        wire_client_close(clients[i]);
    }
    assert_int_equal(await_exit(), 0);
    expect_said("draining 3 connections");
    expect_said("drained 3 connections in ");
    expect_said(" 0 had to be cut");
    expect_said("ended by drain: 3\n");
    expect_right_index();
}

/* Nor does the first SIGTERM: a service manager may send one while an operator's drain goes on. */
static void asking_for_a_drain_again_cuts_nobody(void **state)
{
    (void)state;
    static const char *const arguments[] = {"--drain-interval-ms", "60000", NULL};
    uint32_t wait_ms = 0;
    start(arguments);
    wire_client *first = connect_well();
    wire_client *second = connect_well();
    make_a_round_trip(second);
    ask_to_drain();
    assert_int_equal(await_close(first, &wait_ms), TG__CLOSE_SERVICE_RESTART);
    wire_client_close(first);
    ask_to_drain();
    assert_int_equal(kill(gateway.pid, SIGTERM), 0);
    for (unsigned i = 0; i < 3; i++) {
        make_a_round_trip(second); /* more than one turn of the loop: its step is in a minute */
    }
    assert_int_equal(kill(gateway.pid, SIGTERM), 0);
    assert_int_equal(await_close(second, &wait_ms), TG__CLOSE_SERVICE_RESTART);
    wire_client_close(second);
    assert_int_equal(await_exit(), 3);
}

/* Here it lasts two seconds, since the client never answers. */
static void drain_waits_for_the_end_if_it_is_asked_to(void **state)
{
    (void)state;
    char state_dir[128];
    char said[4096];
    char expected[64];
    siginfo_t info;
    start(NULL);
    wire_client *silent = connect_well();
    make_a_round_trip(silent);
    (void)snprintf(state_dir, sizeof state_dir, "%s/state", gateway.folder);
    (void)snprintf(expected, sizeof expected, "process %ld has ended\n", (long)gateway.pid);
    assert_int_equal(run_drain(state_dir, "--wait", said, sizeof said), 0);
    memset(&info, 0, sizeof info);
    assert_int_equal(waitid(P_PID, (id_t)gateway.pid, &info, WEXITED | WNOHANG | WNOWAIT), 0);
    assert_int_equal(info.si_pid, gateway.pid);
    assert_non_null(strstr(said, expected));
    wire_client_close(silent);
    assert_int_equal(run_drain(state_dir, "", said, sizeof said), 1);
    assert_non_null(strstr(said, "/state: no gateway uses this folder"));
}

static void a_drain_of_nobody_says_why(void **state)
{
    (void)state;
    char said[4096];
    assert_int_equal(run_drain("/nonexistent/state", "", said, sizeof said), 1);
    assert_non_null(strstr(said, "/nonexistent/state: no gateway has ever used this folder"));
    assert_int_equal(run_drain("/nonexistent/state", "--now", said, sizeof said), 2);
    assert_non_null(strstr(said, "drain --now: there is no such option"));
}

static void a_fault_script_can_drain(void **state)
{
    (void)state;
    /* The second one is for a drain that does not come: then it ends in another way. */
    static const char script[] = "300 drain\n20000 reset-all\n";
    static follower f;
    uint32_t wait_ms = 0;
    scratch_folder folder;
    char path[256];
    scratch_folder_open(&folder);
    scratch_write(&folder, "faults", script, sizeof script - 1);
    (void)snprintf(path, sizeof path, "%s", scratch_path(&folder, "faults"));
    const char *const arguments[] = {"--hold-until-subscribed", "--faults", path, NULL};
    start(arguments);
    subscribe(&f, 10);
    assert_int_equal(await_close(f.client, &wait_ms), TG__CLOSE_SERVICE_RESTART);
    assert_in_range(wait_ms, 500, 5500);
    wire_client_send(f.client, WIRE_CLOSE, true, "\x03\xf4", 2);
    follower_close(&f);
    assert_int_equal(await_exit(), 0);
    expect_said(" ms: drain (line 1, due at 300 ms)");
    expect_said("drained 1 connections in ");
    scratch_folder_close(&folder);
}

#define CASE(name) cmocka_unit_test_teardown(name, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(every_kind_of_end_is_told_apart_and_leaves_the_index_right),
        CASE(who_does_not_read_his_answers_is_closed_with_4008),
        CASE(who_shows_no_sign_of_life_is_hung_up_on),
        CASE(a_drain_closes_the_oldest_first_and_step_by_step),
        CASE(a_drain_that_has_to_cut_says_so_with_its_exit_code),
        CASE(a_drain_lets_nobody_in_and_a_second_sigterm_does_not_wait_for_its_steps),
        CASE(sigint_ends_at_once_with_1001),
        CASE(an_empty_gateway_is_drained_at_once),
        CASE(drain_asks_the_gateway_that_has_the_folder),
        CASE(asking_for_a_drain_again_cuts_nobody),
        CASE(drain_waits_for_the_end_if_it_is_asked_to),
        CASE(a_drain_of_nobody_says_why),
        CASE(a_fault_script_can_drain),
    };
    return cmocka_run_group_tests_name("gateway.endings", tests, NULL, NULL);
}
