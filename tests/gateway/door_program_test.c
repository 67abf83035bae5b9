/* The door as the program builds it: keys, issuer, audience and the cap on handshakes from options,
 * SIGHUP, exit. */
#include "tg_cmocka.h"

#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <tickglass/internal/control.h>

#include "../integration/gateway_process.h"
#include "jwt_maker.h"
#include "round_trip.h"
#include "scratch_folder.h"
#include "wire_client.h"

#define PATIENCE_S     30
#define HANDSHAKES_MAX "2"

static scratch_folder folder;
static jwt_maker maker;
static gateway_process gateway;

static int set_up(void **state)
{
    static char path[256];
    char keys[4096];
    (void)state;
    scratch_folder_open(&folder);
    jwt_maker_open(&maker);
    jwt_maker_keys(&maker, keys, sizeof keys);
    scratch_write(&folder, "keys.pem", keys, strlen(keys));
    (void)snprintf(path, sizeof path, "%s", scratch_path(&folder, "keys.pem"));
    const char *const arguments[] = {
        "--jwt-keys", path, "--jwt-issuer", "desk", "--handshakes-max", HANDSHAKES_MAX, NULL};
    return gateway_process_start(&gateway, TG_GATEWAY_PROGRAM, arguments) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    jwt_maker_close(&maker);
    scratch_folder_close(&folder);
    return gateway_process_stop(&gateway) == 0 ? 0 : -1;
}

static int join(const char *token, wire_client **client)
{
    char answer[2048];
    const wire_upgrade upgrade = {
        .port = gateway.port, .ca = gateway.ca, .token = token, .subprotocol = TG__SUBPROTOCOL};
    return wire_client_open(&upgrade, client, answer, sizeof answer);
}

static const char *claims_of(const char *issuer, const char *subject)
{
    static char claims[256];
    (void)snprintf(claims, sizeof claims, "{\"iss\":\"%s\",\"sub\":\"%s\",\"exp\":%lld}", issuer,
                   subject, (long long)time(NULL) + 600);
    return claims;
}

static void expect_welcome(wire_client *client, uint32_t lifetime_min, uint32_t lifetime_max)
{
    const uint8_t *bytes = NULL;
    size_t size = 0;
    tg__welcome welcome;
    tg__fault fault;
    assert_int_equal(wire_client_receive(client, &bytes, &size), WIRE_BINARY);
    assert_int_equal(tg__welcome_decode(bytes, size, &welcome, &fault), TG_OK);
    assert_in_range(welcome.token_lifetime_s, lifetime_min, lifetime_max);
}

static void both_kinds_of_token_come_in(void **state)
{
    (void)state;
    wire_client *client = NULL;
    assert_int_equal(join(gateway.token, &client), 101);
    expect_welcome(client, 0, 0);
    wire_client_close(client);
    assert_int_equal(join(jwt_maker_es256(&maker, claims_of("desk", "a")), &client), 101);
    expect_welcome(client, 570, 600);
    wire_client_close(client);
    assert_int_equal(join(jwt_maker_rs256(&maker, claims_of("desk", "b")), &client), 101);
    expect_welcome(client, 570, 600);
    wire_client_close(client);
}

static void a_token_of_another_issuer_does_not(void **state)
{
    (void)state;
    wire_client *client = NULL;
    const uint8_t *bytes = NULL;
    size_t size = 0;
    assert_int_equal(join(jwt_maker_es256(&maker, claims_of("elsewhere", "c")), &client), 401);
    char token[JWT_MAKER_TOKEN_SIZE];
    (void)snprintf(
        token, sizeof token, "%s",
        jwt_maker_sign(&maker, &maker.other, "{\"alg\":\"ES256\"}", claims_of("desk", "d")));
    assert_int_equal(join(token, &client), 101);
    assert_int_equal(wire_client_receive(client, &bytes, &size), WIRE_CLOSE);
    assert_true(size >= 2);
    assert_int_equal(bytes[0] << 8 | bytes[1], 4001);
    wire_client_close(client);
    assert_int_equal(join(token, &client), 401);
}

/* Waits for that text in the gateway's log. */
static void await_log(const char *text)
{
    static char log[1 << 18];
    const time_t deadline = time(NULL) + PATIENCE_S;
    wire_client *client = NULL;
    do {
        FILE *file = fopen(gateway.log, "rb");
        assert_non_null(file);
        log[fread(log, 1, sizeof log - 1, file)] = '\0';
        (void)fclose(file);
        if (strstr(log, text) != NULL) {
            return;
        }
        /* A whole turn of the gateway's loop lies between two looks. */
        assert_int_equal(join(gateway.token, &client), 101);
        wire_client_close(client);
    } while (time(NULL) < deadline);
    fail_msg("the gateway has not said: %s", text);
}

static void sighup_reads_the_certificate_again(void **state)
{
    (void)state;
    char path[128];
    char kept[4096];
    (void)snprintf(path, sizeof path, "%s/state/server.key", gateway.folder);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t size = fread(kept, 1, sizeof kept, file);
    (void)fclose(file);
    file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs("damaged\n", file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(kill(gateway.pid, SIGHUP), 0);
    await_log("the certificate stays as it was");
    file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(kept, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(kill(gateway.pid, SIGHUP), 0);
    await_log("certificate and ticket key have been read again");
}

/* Connections that the gateway has not accepted yet: Linux tells it of the listening socket. */
static unsigned queued_at_the_listener(void)
{
    char line[512];
    unsigned queued = 0;
    bool found = false;
    FILE *table = fopen("/proc/net/tcp", "rb");
    assert_non_null(table);
    while (!found && fgets(line, sizeof line, table) != NULL) {
        unsigned port = 0;
        unsigned condition = 0;
        found = sscanf(line, " %*u: %*8x:%4x %*8x:%*4x %2x %*8x:%8x", &port, &condition, &queued) ==
                    3 &&
                port == (unsigned)gateway.port && condition == 0x0a; /* listens */
    }
    assert_int_equal(fclose(table), 0);
    assert_true(found);
    return queued;
}

static int connect_silently(void)
{
    const struct sockaddr_in address = {.sin_family = AF_INET,
                                        .sin_port = htons((uint16_t)gateway.port),
                                        .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

/* Between two looks the client, who is in, makes the loop come round. */
static void await_queued(wire_client *client, unsigned wanted)
{
    const time_t deadline = time(NULL) + PATIENCE_S;
    while (queued_at_the_listener() != wanted) {
        if (time(NULL) > deadline) {
            fail_msg("%u wait in the listen queue, not %u", queued_at_the_listener(), wanted);
        }
        make_a_round_trip(client);
    }
}

static void handshakes_over_the_cap_wait_in_the_listen_queue(void **state)
{
    (void)state;
    wire_client *client = NULL;
    int silent[4];
    assert_int_equal(join(gateway.token, &client), 101);
    for (size_t i = 0; i < 4; i++) {
        silent[i] = connect_silently();
    }
    await_queued(client, 2);
    for (unsigned i = 0; i < 3; i++) {
        make_a_round_trip(
            client); /* it could have accepted more; silence is cut after 5 s, though */
    }
    assert_int_equal(queued_at_the_listener(), 2);
    assert_int_equal(close(silent[0]), 0); /* its place is free */
    await_queued(client, 1);
    for (size_t i = 1; i < 4; i++) {
        assert_int_equal(close(silent[i]), 0);
    }
    await_queued(client, 0);
    wire_client_close(client);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_kinds_of_token_come_in),
        cmocka_unit_test(a_token_of_another_issuer_does_not),
        cmocka_unit_test(sighup_reads_the_certificate_again),
        cmocka_unit_test(handshakes_over_the_cap_wait_in_the_listen_queue),
    };
    return cmocka_run_group_tests_name("gateway.door_program", tests, set_up, tear_down);
}
