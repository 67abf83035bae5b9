/* Against the real gateway, and against servers that are none. */
#include "session_walk.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tg_cmocka.h"

#include "../gateway/scratch_folder.h"
#include "../integration/gateway_process.h"
#include "../sdk/raw_server.h"
#include "../sdk/route_process.h"

static gateway_process gateway;
static scratch_folder folder;
static char token_file[128];

/* Walks; the tests of one test share nothing. */
static diagnosis walk_with(const terminal_options *options)
{
    static complaints wrong;
    memset(&wrong, 0, sizeof wrong);
    settings *from = NULL;
    char url[200];
    char why[300] = "";
    diagnosis found;
    memset(&found, 0, sizeof found);
    assert_int_equal(settings_open(options, &from, &wrong), TG_OK);
    assert_true(settings_endpoint(from, 0, url, sizeof url));
    const tg_err err = session_walk(from, url, 60, &found, why, sizeof why);
    if (err != TG_OK) {
        fail_msg("%s: %s", tg_err_text(err), why);
    }
    settings_close(from);
    return found;
}

static terminal_options good_options(void)
{
    return (terminal_options){
        .url = gateway.url, .ca_file = gateway.ca, .token_file = token_file, .symbols = "*"};
}

static void expect_failure(const diagnosis *found, diagnosis_stage stage, const char *part)
{
    for (int i = STAGE_TOKEN; i < (int)stage; i++) {
        assert_int_not_equal(found->stages[i].outcome, STAGE_FAILED);
    }
    const stage_result *result = &found->stages[stage];
    if (result->outcome != STAGE_FAILED || strstr(result->text, part) == NULL) {
        fail_msg("stage %d: outcome %d, \"%s\", not \"%s\"", (int)stage, (int)result->outcome,
                 result->text, part);
    }
    for (int i = (int)stage + 1; i < STAGE_COUNT; i++) {
        assert_int_equal(found->stages[i].outcome, STAGE_NOT_REACHED);
    }
    for (int i = 0; i < STAGE_COUNT; i++) {
        assert_null(strstr(found->stages[i].text, gateway.token));
    }
}

static void expect_all(const diagnosis *found)
{
    for (int i = STAGE_TOKEN; i < STAGE_COUNT; i++) {
        if (found->stages[i].outcome != STAGE_PASSED) {
            fail_msg("stage %d: %s", i, found->stages[i].text);
        }
        assert_true(found->stages[i].took_ns >= 0);
    }
}

static void the_way_is_walked_to_the_first_values(void **state)
{
    (void)state;
    terminal_options options = good_options();
    diagnosis found = walk_with(&options);
    expect_all(&found);
    assert_non_null(strstr(found.stages[STAGE_FIRST_TICK].text, "LIVE"));
    /* By name, and with a command. */
    char names[] = "NO:SUCH,ORION:BTC-USD";
    char command[200];
    (void)snprintf(command, sizeof command, "cat %s", token_file);
    options.symbols = names;
    options.token_file = NULL;
    options.token_command = command;
    found = walk_with(&options);
    expect_all(&found);
    assert_non_null(strstr(found.stages[STAGE_FIRST_TICK].text, "ORION:BTC-USD"));
    assert_non_null(strstr(found.stages[STAGE_TOKEN].text, "token_command"));
}

static void a_proxy_is_on_the_way(void **state)
{
    (void)state;
    if (!route_has_proxy()) {
        skip();
    }
    route_process proxy;
    char url[100];
    assert_true(route_start_proxy(&proxy, "user", "canary"));
    (void)snprintf(url, sizeof url, "http://user:canary@127.0.0.1:%d", proxy.port);
    terminal_options options = good_options();
    options.proxy = url;
    const diagnosis found = walk_with(&options);
    expect_all(&found);
    route_stop(&proxy);
}

static void a_token_that_cannot_be_had_fails_its_stage(void **state)
{
    (void)state;
    terminal_options options = good_options();
    options.token_file = "nowhere/token";
    diagnosis found = walk_with(&options);
    expect_failure(&found, STAGE_TOKEN, "nowhere/token: No such file");
    options.token_file = NULL;
    options.token_command = "echo no login >&2; exit 3";
    found = walk_with(&options);
    expect_failure(&found, STAGE_TOKEN, "status 3: no login");
}

static void an_authority_that_did_not_sign_fails_tls(void **state)
{
    (void)state;
    gateway_process stranger;
    assert_true(gateway_process_start(&stranger, TG_TEST_GATEWAY, NULL));
    terminal_options options = good_options();
    options.ca_file = stranger.ca;
    diagnosis found = walk_with(&options);
    expect_failure(&found, STAGE_TLS, "certificate");
    options = good_options();
    options.spki_pins = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    found = walk_with(&options);
    expect_failure(&found, STAGE_TLS, "pin");
    (void)gateway_process_stop(&stranger);
}

static void a_token_that_is_not_accepted_fails_the_upgrade(void **state)
{
    (void)state;
    scratch_write(&folder, "wrong", "wrong\n", 6);
    terminal_options options = good_options();
    options.token_file = scratch_path(&folder, "wrong");
    diagnosis found = walk_with(&options);
    expect_failure(&found, STAGE_UPGRADE, "refused the token (HTTP 401)");
    assert_non_null(strstr(found.stages[STAGE_UPGRADE].advice, "has it expired"));
    options.token_file = NULL;
    found = walk_with(&options);
    expect_failure(&found, STAGE_UPGRADE, "HTTP 401");
    assert_non_null(strstr(found.stages[STAGE_UPGRADE].advice, "none is named"));
    assert_int_equal(found.stages[STAGE_TOKEN].outcome, STAGE_NOT_USED);
    assert_int_equal(found.stages[STAGE_TLS].outcome, STAGE_PASSED);
}

static void names_that_the_gateway_does_not_know_fail_the_first_tick(void **state)
{
    (void)state;
    terminal_options options = good_options();
    options.symbols = "NO:SUCH,NO:WAY";
    const diagnosis found = walk_with(&options);
    expect_failure(&found, STAGE_FIRST_TICK, "NO:");
}

/* --- servers that are no gateways --- */

static void hang_up(raw_server *server, int fd)
{
    (void)raw_read_request(server, fd);
}

static void send_elsewhere(raw_server *server, int fd)
{
    static const char answer[] = "HTTP/1.1 302 There\r\nLocation: /\r\nContent-Length: 0\r\n\r\n";
    if (raw_read_request(server, fd)) {
        (void)raw_write(fd, answer, sizeof answer - 1);
    }
}

/* Speaks first, and no TLS. */
static void greet(raw_server *server, int fd)
{
    static const char greeting[] = "220 mail.example ESMTP\r\n";
    (void)server;
    (void)raw_write(fd, greeting, sizeof greeting - 1);
}

static void end_after_upgrade(raw_server *server, int fd)
{
    (void)raw_upgrade(server, fd);
}

static void expect_server(raw_script script, const char *scheme, diagnosis_stage stage,
                          const char *part)
{
    raw_server server;
    raw_server_start(&server, script);
    char url[64];
    (void)snprintf(url, sizeof url, "%s://127.0.0.1:%u", scheme, (unsigned)server.port);
    terminal_options options = {.url = url};
    options.ca_file = strcmp(scheme, "wss") == 0 ? gateway.ca : NULL;
    const diagnosis found = walk_with(&options);
    raw_server_stop(&server);
    expect_failure(&found, stage, part);
}

static void what_is_no_gateway_fails_where_it_shows(void **state)
{
    (void)state;
    expect_server(hang_up, "ws", STAGE_UPGRADE, "");
    expect_server(send_elsewhere, "ws", STAGE_UPGRADE, "redirects");
    expect_server(greet, "wss", STAGE_TLS, "does not speak TLS");
    expect_server(end_after_upgrade, "ws", STAGE_WELCOME, "lost");
}

static int start(void **state)
{
    (void)state;
    static const char *const simulation[] = {"--sim", NULL};
    scratch_folder_open(&folder);
    const bool good = gateway_process_start(&gateway, TG_TEST_GATEWAY, simulation);
    (void)snprintf(token_file, sizeof token_file, "%s/state/token", gateway.folder);
    return good ? 0 : -1;
}

static int stop(void **state)
{
    (void)state;
    (void)gateway_process_stop(&gateway);
    scratch_folder_close(&folder);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_way_is_walked_to_the_first_values),
        cmocka_unit_test(a_proxy_is_on_the_way),
        cmocka_unit_test(a_token_that_cannot_be_had_fails_its_stage),
        cmocka_unit_test(an_authority_that_did_not_sign_fails_tls),
        cmocka_unit_test(a_token_that_is_not_accepted_fails_the_upgrade),
        cmocka_unit_test(names_that_the_gateway_does_not_know_fail_the_first_tick),
        cmocka_unit_test(what_is_no_gateway_fails_where_it_shows),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
