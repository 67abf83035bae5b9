#include "diagnose.h"

#include <stdlib.h>
#include <string.h>

#include "text_file.h"

#include "../integration/gateway_process.h"
#include "../sdk/raw_server.h"

static gateway_process gateway;
static char said[8192];
static char complained[1024];

static void take(FILE *from, char *text, size_t size)
{
    rewind(from);
    text[fread(text, 1, size - 1, from)] = '\0';
    (void)fclose(from);
}

static int diagnose(const terminal_options *options)
{
    static complaints wrong;
    memset(&wrong, 0, sizeof wrong);
    settings *from = NULL;
    FILE *to = tmpfile();
    FILE *wrong_to = tmpfile();
    assert_non_null(to);
    assert_non_null(wrong_to);
    assert_int_equal(settings_open(options, &from, &wrong), TG_OK);
    const int code = diagnose_run(from, 60, to, wrong_to);
    settings_close(from);
    take(to, said, sizeof said);
    take(wrong_to, complained, sizeof complained);
    assert_null(strstr(said, gateway.token));
    return code;
}

static void every_endpoint_is_walked_to(void **state)
{
    (void)state;
    char token_file[128];
    char urls[200];
    (void)snprintf(token_file, sizeof token_file, "%s/state/token", gateway.folder);
    (void)snprintf(urls, sizeof urls, "%s wss://127.0.0.1:1/x?key=canary", gateway.url);
    terminal_options options = {
        .url = gateway.url, .ca_file = gateway.ca, .token_file = token_file};
    assert_int_equal(diagnose(&options), 0);
    assert_string_equal(complained, "");
    assert_non_null(strstr(said, "first tick  ok"));
    /* The first that does not work decides, although another one does. */
    options.url = urls;
    assert_int_equal(diagnose(&options), 12);
    assert_non_null(strstr(said, "first tick  ok"));
    assert_non_null(strstr(said, "wss://127.0.0.1:1/x?***\n"));
    assert_null(strstr(said, "canary"));
    assert_non_null(strstr(said, "look at: "));
}

static void end_after_upgrade(raw_server *server, int fd)
{
    (void)raw_upgrade(server, fd);
}

static void a_configuration_that_cannot_be_used_is_told_apart(void **state)
{
    (void)state;
    const terminal_options options = {.url = gateway.url, .ca_file = "nowhere/ca.pem"};
    assert_int_equal(diagnose(&options), 2);
    assert_non_null(strstr(complained, "nowhere/ca.pem"));
}

/* At each of them something real goes wrong; TLS has a test of its own. */
static void every_stage_has_its_exit_code(void **state)
{
    (void)state;
    char token_file[128];
    (void)snprintf(token_file, sizeof token_file, "%s/state/token", gateway.folder);
    const terminal_options good = {
        .url = gateway.url, .ca_file = gateway.ca, .token_file = token_file};
    terminal_options options = good;
    options.url = "wss://no-such-host.invalid";
    assert_int_equal(diagnose(&options), 10);
    options = good;
    options.proxy = "http://127.0.0.1:1";
    assert_int_equal(diagnose(&options), 11);
    options = good;
    options.url = "wss://127.0.0.1:1";
    assert_int_equal(diagnose(&options), 12);
    options = good;
    options.token_file = "nowhere/token";
    assert_int_equal(diagnose(&options), 13);
    options = good;
    const text_file wrong = text_file_write("wrong\n", 6);
    options.token_file = wrong.path;
    assert_int_equal(diagnose(&options), 15);
    text_file_remove(&wrong);
    raw_server server;
    char url[64];
    raw_server_start(&server, end_after_upgrade);
    (void)snprintf(url, sizeof url, "ws://127.0.0.1:%u", (unsigned)server.port);
    options = (terminal_options){.url = url};
    assert_int_equal(diagnose(&options), 16);
    raw_server_stop(&server);
    options = good;
    options.symbols = "NO:SUCH";
    assert_int_equal(diagnose(&options), 17);
}

static int start(void **state)
{
    (void)state;
    static const char *const simulation[] = {"--sim", NULL};
    return gateway_process_start(&gateway, TG_TEST_GATEWAY, simulation) ? 0 : -1;
}

static int stop(void **state)
{
    (void)state;
    (void)gateway_process_stop(&gateway);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_endpoint_is_walked_to),
        cmocka_unit_test(every_stage_has_its_exit_code),
        cmocka_unit_test(a_configuration_that_cannot_be_used_is_told_apart),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
