/*
 * What --diagnose says where TLS goes wrong. The far end is the real gateway behind haproxy, with
 * certificates that openssl made; what does not speak TLS is a server of bare bytes.
 */
#include "diagnose.h"

#include <string.h>

#include "tg_cmocka.h"

#include "../sdk/raw_server.h"
#include "../sdk/tls_gateway_fixture.h"

#define TLS_FAILED 14

enum {
    GOOD,
    ELSEWHERE,
    EXPIRED,
    FUTURE,
    OF_STRANGER,
    OLD_VERSION,
    WANTS_CERTIFICATE,
    PORTS
};

static const char *const binds[PORTS] = {
    [GOOD] = "crt chain.pem",
    [ELSEWHERE] = "crt elsewhere.pem",
    [EXPIRED] = "crt expired.pem",
    [FUTURE] = "crt future.pem",
    [OF_STRANGER] = "crt of_stranger.pem",
    [OLD_VERSION] =
        "crt chain.pem ssl-min-ver TLSv1.0 ssl-max-ver TLSv1.1 ciphers DEFAULT:@SECLEVEL=0",
    [WANTS_CERTIFICATE] = "crt chain.pem ca-file client_root.pem verify required",
};

static char said[4096];

/* The exit code; what was printed is in said. */
static int diagnose(const char *url, const char *pin)
{
    static complaints wrong;
    memset(&wrong, 0, sizeof wrong);
    char token_file[128];
    char root[96];
    (void)snprintf(token_file, sizeof token_file, "%s/state/token", gateway.folder);
    (void)snprintf(root, sizeof root, "%s", tls_folder_file(&front.folder, "root.pem"));
    const terminal_options options = {
        .url = url, .ca_file = root, .token_file = token_file, .spki_pins = pin};
    settings *from = NULL;
    FILE *to = tmpfile();
    assert_non_null(to);
    assert_int_equal(settings_open(&options, &from, &wrong), TG_OK);
    const int code = diagnose_run(from, 60, to, to);
    settings_close(from);
    rewind(to);
    said[fread(said, 1, sizeof said - 1, to)] = '\0';
    (void)fclose(to);
    assert_null(strstr(said, gateway.token));
    return code;
}

static int diagnose_port(unsigned port)
{
    char url[64];
    (void)snprintf(url, sizeof url, "wss://localhost:%d", front.port[port]);
    return diagnose(url, NULL);
}

/* The line of a stage: "ok" or "FAILED", its time in milliseconds, the rest. */
static double stage_ms(const char *stage, const char *outcome, char *rest)
{
    char name[16];
    char word[16];
    double ms = -1.0;
    (void)snprintf(name, sizeof name, "\n  %-10s  ", stage);
    const char *line = strstr(said, name);
    if (line == NULL ||
        sscanf(line + strlen(name), "%15s %lf ms %255[^\n]", word, &ms, rest) != 3 ||
        strcmp(word, outcome) != 0) {
        fail_msg("%s is not told as %s with a time:\n%s", stage, outcome, said);
    }
    return ms;
}

static void expect_refusal(int code, const char *part, const char *advice)
{
    char rest[256] = "";
    if (code != TLS_FAILED) {
        fail_msg("exit code %d:\n%s", code, said);
    }
    assert_true(stage_ms("TLS", "FAILED", rest) > 0.0);
    if (strstr(rest, part) == NULL || strstr(said, advice) == NULL) {
        fail_msg("neither \"%s\" nor \"%s\" stands in\n%s", part, advice, said);
    }
    assert_non_null(strstr(said, "\n  upgrade     not reached\n"));
}

static void a_good_one_has_a_time_of_its_own(void **state)
{
    (void)state;
    char rest[256] = "";
    assert_int_equal(diagnose_port(GOOD), 0);
    assert_true(stage_ms("TLS", "ok", rest) > 0.0);
    assert_string_equal(rest, "the certificate is good for localhost");
    assert_true(stage_ms("upgrade", "ok", rest) > 0.0);
}

static void what_is_wrong_with_a_certificate_is_told(void **state)
{
    (void)state;
    expect_refusal(diagnose_port(ELSEWHERE), "certificate of localhost: it is for another host",
                   "look at: for another host: the endpoint's name;");
    expect_refusal(diagnose_port(EXPIRED), "certificate of localhost: it has expired",
                   "expired or not valid yet: both clocks");
    expect_refusal(diagnose_port(FUTURE), "certificate of localhost: it is not valid yet",
                   "expired or not valid yet: both clocks");
    expect_refusal(diagnose_port(OF_STRANGER), "it is not signed by an authority",
                   "not signed: ca_file");
    char url[64];
    (void)snprintf(url, sizeof url, "wss://localhost:%d", front.port[GOOD]);
    expect_refusal(diagnose(url, "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="), "pin",
                   "pins: spki_pins");
}

static void a_gateway_that_wants_something_else_is_told(void **state)
{
    (void)state;
    expect_refusal(diagnose_port(OLD_VERSION), "no version of TLS that this client accepts",
                   "does it speak TLS 1.2 or 1.3");
    expect_refusal(diagnose_port(WANTS_CERTIFICATE), "client certificate",
                   "client_cert_file if the gateway asks for one");
}

/* --- what is no TLS server at all --- */

static void answer_in_plain_http(raw_server *server, int fd)
{
    static const char answer[] = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n";
    (void)server;
    (void)raw_write(fd, answer, sizeof answer - 1);
}

static void hang_up(raw_server *server, int fd)
{
    (void)server;
    (void)fd;
}

static void expect_server(raw_script script, const char *part)
{
    raw_server server;
    char url[64];
    raw_server_start(&server, script);
    (void)snprintf(url, sizeof url, "wss://localhost:%u", (unsigned)server.port);
    const int code = diagnose(url, NULL);
    raw_server_stop(&server);
    expect_refusal(code, part, "look at: host and port: is it a gateway's");
}

static void what_does_not_speak_tls_is_told(void **state)
{
    (void)state;
    expect_server(answer_in_plain_http, "what answers there does not speak TLS");
    expect_server(hang_up, "the connection was lost");
}

int main(void)
{
    if (!tls_gateway_fixture_lead(binds, PORTS)) {
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_one_has_a_time_of_its_own),
        cmocka_unit_test(what_is_wrong_with_a_certificate_is_told),
        cmocka_unit_test(a_gateway_that_wants_something_else_is_told),
        cmocka_unit_test(what_does_not_speak_tls_is_told),
    };
    return cmocka_run_group_tests(tests, tls_gateway_fixture_start, tls_gateway_fixture_stop);
}
