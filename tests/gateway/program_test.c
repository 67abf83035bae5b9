/* tickglass-gateway from outside: a child process, TLS, and a client that shares nothing with it.
 */
#include "child_process.h"
#include "tg_cmocka.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tickglass/internal/control.h>
#include <tickglass/internal/frame.h>

#include "follower.h"

/* A ping every half second, an answer within one, and the round trip of a busy machine. */
#define OLD_DATA_MAX_NS   INT64_C(3000000000)
#define FRAME_INTERVAL_NS INT64_C(40000000)

static gateway_process gateway;

static int set_up(void **state)
{
    (void)state;
    return gateway_process_start(&gateway, TG_GATEWAY_PROGRAM, NULL) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    return gateway_process_stop(&gateway) == 0 ? 0 : -1;
}

static wire_upgrade good_upgrade(void)
{
    const wire_upgrade upgrade = {.port = gateway.port,
                                  .ca = gateway.ca,
                                  .token = gateway.token,
                                  .subprotocol = TG__SUBPROTOCOL};
    return upgrade;
}

static wire_client *connect_well(void)
{
    wire_client *client = NULL;
    char answer[2048];
    const wire_upgrade upgrade = good_upgrade();
    assert_int_equal(wire_client_open(&upgrade, &client, answer, sizeof answer), 101);
    return client;
}

static int status_of(const wire_upgrade *upgrade)
{
    wire_client *client = NULL;
    char answer[2048];
    const int status = wire_client_open(upgrade, &client, answer, sizeof answer);
    wire_client_close(client);
    return status;
}

static void upgrades_are_refused_with_the_status_that_says_why(void **state)
{
    (void)state;
    wire_upgrade upgrade = good_upgrade();
    assert_int_equal(status_of(&upgrade), 101);
    upgrade.path = "/other";
    assert_int_equal(status_of(&upgrade), 404);
    upgrade = good_upgrade();
    upgrade.subprotocol = NULL;
    assert_int_equal(status_of(&upgrade), 400);
    upgrade.subprotocol = "tickglass.9, chat";
    assert_int_equal(status_of(&upgrade), 400);
    upgrade.subprotocol = "chat, " TG__SUBPROTOCOL;
    assert_int_equal(status_of(&upgrade), 101);
    upgrade = good_upgrade();
    upgrade.token = NULL;
    assert_int_equal(status_of(&upgrade), 401);
    char wrong[sizeof gateway.token];
    memcpy(wrong, gateway.token, sizeof wrong);
    wrong[5] = wrong[5] == 'a' ? 'b' : 'a';
    upgrade.token = wrong;
    assert_int_equal(status_of(&upgrade), 401);
}

static void compression_is_never_accepted(void **state)
{
    (void)state;
    wire_client *client = NULL;
    char answer[2048];
    wire_upgrade upgrade = good_upgrade();
    upgrade.more = "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n";
    assert_int_equal(wire_client_open(&upgrade, &client, answer, sizeof answer), 101);
    assert_null(strstr(answer, "deflate"));
    assert_non_null(strstr(answer, TG__SUBPROTOCOL));
    wire_client_close(client);
}

/* Reads on to a message of that kind. */
static void await_kind(wire_client *client, uint8_t kind, const uint8_t **bytes, size_t *size)
{
    do {
        assert_int_equal(wire_client_receive(client, bytes, size), WIRE_BINARY);
        assert_true(*size > 0);
    } while ((*bytes)[0] != kind);
}

static size_t encode_subscribe(const char *const names[][2], size_t count, uint8_t *out,
                               size_t capacity)
{
    static tg__name list[64];
    const tg__request request = {TG__KIND_SUBSCRIBE, 7, TG__CHANNEL_CONFLATED};
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        memset(&list[i], 0, sizeof list[i]);
        list[i].id = TG_INSTRUMENT_NONE;
        (void)snprintf(list[i].venue, sizeof list[i].venue, "%s", names[i][0]);
        (void)snprintf(list[i].symbol, sizeof list[i].symbol, "%s", names[i][1]);
    }
    assert_int_equal(tg__request_encode(&request, list, count, out, capacity, &size), TG_OK);
    return size;
}

static const char *const watchlist[][2] = {
    {"ORION", "BTC-USD"}, {"ORION", "ETH-USD"}, {"AURIGA", "WTI-SPOT"}, {"龍門", "東京電力"}};

static void decode_from_snapshot_on(wire_client *client, unsigned frames)
{
    static tg_instrument_id ids[8];
    static tg_image images[8];
    static tg__update updates[8];
    tg__channel channel;
    tg__channel_init(&channel, ids, images, 8, 100000);
    const uint8_t *bytes = NULL;
    size_t size = 0;
    tg__frame frame;
    tg__fault fault;
    tg__snapshot_reason reason;
    await_kind(client, TG__KIND_ANSWER, &bytes, &size);
    await_kind(client, TG__KIND_SNAPSHOT, &bytes, &size);
    assert_int_equal(tg__snapshot_decode(bytes, size, 100000, &frame, &reason, updates, 8, &fault),
                     TG_OK);
    assert_int_equal(frame.count, 4);
    tg__channel_replace(&channel, &frame, updates);
    uint32_t changes = 0;
    for (unsigned i = 0; i < frames; i++) {
        await_kind(client, TG__KIND_DELTA, &bytes, &size);
        assert_int_equal(tg__delta_decode(&channel, bytes, size, &frame, updates, 8, &fault),
                         TG_OK);
        tg__channel_apply(&channel, &frame, updates);
        changes += frame.count;
    }
    assert_true(changes > 0);
    for (uint32_t slot = 0; slot < 4; slot++) {
        assert_true(tg_image_has(&images[slot], TG_FIELD_BID_PRICE));
        assert_true(images[slot].value[TG_FIELD_BID_PRICE] <
                    images[slot].value[TG_FIELD_ASK_PRICE]);
    }
}

static void a_subscription_is_followed_frame_by_frame(void **state)
{
    (void)state;
    uint8_t message[1024];
    wire_client *client = connect_well();
    const size_t size = encode_subscribe(watchlist, 4, message, sizeof message);
    wire_client_send(client, WIRE_BINARY, true, message, size);
    decode_from_snapshot_on(client, 40);
    wire_client_close(client);
}

static void a_message_in_fragments_is_one_message(void **state)
{
    (void)state;
    uint8_t message[1024];
    wire_client *client = connect_well();
    const size_t size = encode_subscribe(watchlist, 4, message, sizeof message);
    wire_client_send(client, WIRE_BINARY, false, message, 1);
    wire_client_send(client, WIRE_PING, true, "in between", 10);
    for (size_t at = 1; at < size; at++) {
        wire_client_send(client, 0, at + 1 == size, message + at, 1);
    }
    decode_from_snapshot_on(client, 5);
    wire_client_close(client);
}

/* Reads on to the end and returns the close code. */
static unsigned await_close(wire_client *client, char *reason, size_t reason_size)
{
    const uint8_t *bytes = NULL;
    size_t size = 0;
    unsigned opcode = 0;
    do {
        opcode = wire_client_receive(client, &bytes, &size);
        assert_int_not_equal(opcode, 0); /* it ends with a close frame, not without a word */
    } while (opcode != WIRE_CLOSE);
    assert_true(size >= 2 && size - 2 < reason_size);
    memcpy(reason, bytes + 2, size - 2);
    reason[size - 2] = '\0';
    return (unsigned)bytes[0] << 8 | bytes[1];
}

static void bad_messages_close_with_their_code(void **state)
{
    (void)state;
    static const uint8_t huge[(1u << 20) + 1];
    static const struct {
        unsigned opcode;
        const void *bytes;
        size_t size;
        unsigned code;
    } cases[] = {
        {WIRE_TEXT, "hello", 5, 1003},
        {WIRE_BINARY, "\xc0", 1, TG__CLOSE_BAD_MESSAGE},
        {WIRE_BINARY, "\xff\xff\xff", 3, TG__CLOSE_BAD_MESSAGE},
        {WIRE_BINARY, huge, sizeof huge, TG__CLOSE_TOO_BIG},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char reason[128];
        wire_client *client = connect_well();
        wire_client_send(client, cases[i].opcode, true, cases[i].bytes, cases[i].size);
        assert_int_equal(await_close(client, reason, sizeof reason), cases[i].code);
        wire_client_close(client);
    }
}

/* An endless message in small fragments must be stopped by its size, not by memory. */
static void a_message_without_end_is_stopped(void **state)
{
    (void)state;
    static const uint8_t piece[65536];
    char reason[128];
    wire_client *client = connect_well();
    for (unsigned i = 0; i < 17; i++) {
        wire_client_send(client, i == 0 ? WIRE_BINARY : 0, false, piece, sizeof piece);
    }
    assert_int_equal(await_close(client, reason, sizeof reason), TG__CLOSE_TOO_BIG);
    wire_client_close(client);
}

static void sigterm_closes_politely_and_spreads_the_return(void **state)
{
    (void)state;
    wire_client *clients[4];
    uint32_t waits[4] = {0};
    unsigned different = 0;
    for (size_t i = 0; i < 4; i++) {
        clients[i] = connect_well();
    }
    assert_int_equal(kill(gateway.pid, SIGTERM), 0);
    for (size_t i = 0; i < 4; i++) {
        char reason[128];
        assert_int_equal(await_close(clients[i], reason, sizeof reason), TG__CLOSE_SERVICE_RESTART);
        assert_int_equal(tg__close_reason_decode(reason, strlen(reason), &waits[i]), TG_OK);
        different += i > 0 && waits[i] != waits[0];
        wire_client_send(clients[i], WIRE_CLOSE, true, "\x03\xf4", 2);
        wire_client_close(clients[i]);
    }
    assert_true(different > 0);
}

static void follow_sixty(follower *f)
{
    static tg__name names[60];
    follower_open(f, &gateway);
    for (uint32_t i = 0; i < 60; i++) {
        memset(&names[i], 0, sizeof names[i]);
        names[i].id = (tg_instrument_id)i;
    }
    follower_subscribe(f, names, 60);
    while (f->frames < 5) {
        follower_step(f);
    }
}

/*
 * Not minutes of old frames out of the kernel's buffers: what it finds from the time of its silence
 * was sent before an answer to a ping was overdue, and then comes a snapshot of now. All by the
 * gateway's own time stamps; the machine may be as slow as it likes.
 */
static void a_reader_that_stops_finds_a_gap_and_not_the_past(void **state)
{
    (void)state;
    static follower stops;
    static follower reads;
    follow_sixty(&stops);
    follow_sixty(&reads);
    while (reads.frames < 250) { /* 10 s of the other's life */
        follower_step(&reads);
    }
    const uint64_t before = stops.frames;
    const int64_t stopped_ns = stops.channel.ts_gateway_ns;
    int64_t newest_old_ns = stopped_ns;
    while (stops.gaps == 0) {
        newest_old_ns = stops.channel.ts_gateway_ns;
        follower_step(&stops);
    }
    assert_true(newest_old_ns - stopped_ns < OLD_DATA_MAX_NS);
    assert_in_range(stops.frames - before, 0, OLD_DATA_MAX_NS / FRAME_INTERVAL_NS);
    assert_true(stops.channel.ts_gateway_ns - newest_old_ns > OLD_DATA_MAX_NS); /* it was needed */
    assert_true(stops.channel.boundary + 100 > reads.channel.boundary); /* within a second */
    for (uint64_t more = stops.frames + 20; stops.frames < more;) {
        follower_step(&stops); /* and on from there every frame fits */
    }
    assert_int_equal(reads.gaps, 0);
    follower_close(&stops);
    follower_close(&reads);
}

/* Who is connected already, and only asks when the gateway is leaving, still gets an answer. */
static void who_comes_while_it_leaves_is_sent_away_with_a_time(void **state)
{
    (void)state;
    char reason[128];
    char answer[2048];
    const wire_upgrade upgrade = good_upgrade();
    wire_client *early = connect_well();
    wire_client *late = wire_client_connect(&upgrade);
    assert_non_null(late);
    assert_int_equal(kill(gateway.pid, SIGTERM), 0);
    assert_int_equal(await_close(early, reason, sizeof reason), TG__CLOSE_SERVICE_RESTART);
    assert_int_equal(wire_client_upgrade(late, &upgrade, answer, sizeof answer), 503);
    const char *seconds = strstr(answer, "retry-after: ");
    assert_non_null(seconds);
    assert_in_range(atoi(seconds + strlen("retry-after: ")), 1, 3);
    wire_client_close(late);
    wire_client_close(early);
}

static void secrets_are_the_owners_alone_and_never_logged(void **state)
{
    (void)state;
    static const char *const names[] = {"server.key", "token", "epochs"};
    static char log[65536];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[256];
        struct stat info;
        (void)snprintf(path, sizeof path, "%s/state/%s", gateway.folder, names[i]);
        assert_int_equal(stat(path, &info), 0);
        assert_int_equal(info.st_mode & 0777, 0600);
    }
    wire_client_close(connect_well());
    FILE *file = fopen(gateway.log, "rb");
    assert_non_null(file);
    log[fread(log, 1, sizeof log - 1, file)] = '\0';
    assert_int_equal(fclose(file), 0);
    assert_non_null(strstr(log, "serving 2400 instruments"));
    assert_null(strstr(log, gateway.token));
}

/* Runs the program to its end and returns its exit code; text is what it said. */
static int run_program(const char *const *arguments, char *text, size_t text_size)
{
    int pipe_ends[2];
    const char *argv[16] = {TG_GATEWAY_PROGRAM};
    for (size_t i = 0; arguments[i] != NULL; i++) {
        argv[i + 1] = arguments[i];
    }
    assert_int_equal(pipe(pipe_ends), 0);
    (void)fflush(NULL);
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child == 0) {
        child_ends_with_parent(parent);
        (void)dup2(pipe_ends[1], STDERR_FILENO);
        (void)close(pipe_ends[0]);
        (void)execv(TG_GATEWAY_PROGRAM, (char *const *)argv);
        _exit(127);
    }
    (void)close(pipe_ends[1]);
    size_t filled = 0;
    ssize_t got = 0;
    while (filled + 1 < text_size &&
           (got = read(pipe_ends[0], text + filled, text_size - 1 - filled)) > 0) {
        filled += (size_t)got;
    }
    text[filled] = '\0';
    (void)close(pipe_ends[0]);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void expect_failure(const char *const *arguments, const char *words, int code)
{
    char text[4096];
    assert_int_equal(run_program(arguments, text, sizeof text), code);
    if (strstr(text, words) == NULL) {
        fail_msg("expected \"%s\", it said: %s", words, text);
    }
}

static void put_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void trouble_is_one_clear_line_and_an_exit_code(void **state)
{
    (void)state;
    char listen[64];
    char other[128];
    char tape[128];
    char epochs[160];
    char held[128];
    (void)snprintf(listen, sizeof listen, "127.0.0.1:%d", gateway.port);
    (void)snprintf(other, sizeof other, "%s/other", gateway.folder);
    (void)snprintf(tape, sizeof tape, "%s/bad.csv", gateway.folder);
    (void)snprintf(epochs, sizeof epochs, "%s/epochs", other);
    (void)snprintf(held, sizeof held, "%s/state", gateway.folder);
    put_file(tape, "ts_ns,venue,symbol,kind,price_decimal_text,qty_decimal_text,exchange_seq\n"
                   "1,V,S,bid,1,1,1\n2,V,S,bod,1,1,2\n");
    const char *const busy[] = {"--state-dir", other, "--listen", listen, NULL};
    expect_failure(busy, "Address already in use", 1);
    const char *const same_state[] = {"--state-dir", held, NULL};
    expect_failure(same_state, "another gateway (process ", 1);
    const char *const bad_tape[] = {"--state-dir", other, "--tape", tape, NULL};
    expect_failure(bad_tape, "bad.csv:3: kind is not bid, ask or trade", 1);
    const char *const no_tape[] = {"--state-dir", other, "--tape", "no-such-tape.csv", NULL};
    expect_failure(no_tape, "no-such-tape.csv: cannot be opened", 1);
    const char *const no_address[] = {"--state-dir", other, "--listen", "nowhere.invalid:1", NULL};
    expect_failure(no_address, "is not an IP address", 1);
    const char *const not_ours[] = {"--state-dir", other, "--listen", "192.0.2.1:1", NULL};
    expect_failure(not_ours, "cannot listen on 192.0.2.1 port 1: ", 1);
    put_file(epochs, "tickglass-epochs 1\nlineage 00000000000000aa\nnext 7\ncrc 00000000\n");
    const char *const broken[] = {"--state-dir", other, NULL};
    expect_failure(broken, "epochs:4: the checksum does not match", 1);
    const char *const unknown[] = {"--frobnicate", NULL};
    expect_failure(unknown, "--frobnicate: there is no such option", 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(upgrades_are_refused_with_the_status_that_says_why, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(compression_is_never_accepted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_subscription_is_followed_frame_by_frame, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_message_in_fragments_is_one_message, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bad_messages_close_with_their_code, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_message_without_end_is_stopped, set_up, tear_down),
        cmocka_unit_test_setup_teardown(sigterm_closes_politely_and_spreads_the_return, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_reader_that_stops_finds_a_gap_and_not_the_past, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(who_comes_while_it_leaves_is_sent_away_with_a_time, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(secrets_are_the_owners_alone_and_never_logged, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(trouble_is_one_clear_line_and_an_exit_code, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests_name("gateway.program", tests, NULL, NULL);
}
