/*
 * Which servers' certificates are taken, and what is said of those that are not. The far end is the
 * real gateway behind haproxy; the certificates are openssl's.
 */
#include "tg_cmocka.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include <tickglass/client.h>

#include "client_rig.h"
#include "raw_server.h"
#include "tls_gateway_fixture.h"

enum {
    CHAIN,
    CHAIN_ON_SIX,
    NAME_ONLY_ON_SIX,
    LEAF_ONLY,
    WILDCARD,
    WILDCARD_STRICT, /* haproxy ends a handshake that names no host it knows */
    NAME_ONLY,
    ELSEWHERE,
    EXPIRED,
    FUTURE,
    OF_STRANGER,
    ROOT_SENT_TOO,
    PORTS
};

static const char *const binds[PORTS] = {
    [CHAIN] = "crt chain.pem",
    [CHAIN_ON_SIX] = "[::1] crt chain.pem",
    [NAME_ONLY_ON_SIX] = "[::1] crt name_only.pem",
    [LEAF_ONLY] = "crt leaf_only.pem",
    [WILDCARD] = "crt wildcard.pem",
    [WILDCARD_STRICT] = "strict-sni crt wildcard.pem",
    [NAME_ONLY] = "crt name_only.pem",
    [ELSEWHERE] = "crt elsewhere.pem",
    [EXPIRED] = "crt expired.pem",
    [FUTURE] = "crt future.pem",
    [OF_STRANGER] = "crt of_stranger.pem",
    [ROOT_SENT_TOO] = "crt with_root.pem",
};

static void open_client_of(client_rig *rig, int port, const char *host)
{
    char url[128];
    char ca[96];
    (void)snprintf(url, sizeof url, "wss://%s:%d", host, port);
    (void)snprintf(ca, sizeof ca, "%s", tls_folder_file(&front.folder, "root.pem"));
    tg_client_options opt;
    tg_client_options_init(&opt);
    opt.url = url;
    opt.ca_file = ca;
    opt.token = gateway.token;
    opt.backoff_first_ms = 20;
    opt.backoff_cap_ms = 50;
    client_rig_open(rig, &opt);
    assert_int_equal(tg_client_start(rig->client), TG_OK);
}

static void open_client(client_rig *rig, unsigned port, const char *host)
{
    open_client_of(rig, front.port[port], host);
}

static void expect_session(unsigned port, const char *host)
{
    client_rig rig;
    open_client(&rig, port, host);
    client_rig_await(&rig, client_rig_is_live);
    const tg_event last = client_rig_last(&rig);
    if (last.err != TG_OK) {
        fail_msg("not at the first attempt: %s", last.text);
    }
    client_rig_close(&rig);
}

static void expect_refusal(unsigned port, const char *host, const char *check)
{
    client_rig rig;
    open_client(&rig, port, host);
    client_rig_await(&rig, client_rig_has_error);
    const tg_event last = client_rig_last(&rig);
    if (last.err != TG_ERR_CERTIFICATE || strstr(last.text, check) == NULL) {
        fail_msg("%s instead of \"%s\": %s", tg_err_name(last.err), check, last.text);
    }
    client_rig_close(&rig);
}

#define NOT_SIGNED "it is not signed by an authority that this client trusts"
#define OTHER_HOST "it is for another host"

static void a_chain_with_its_intermediate_is_taken(void **state)
{
    (void)state;
    expect_session(CHAIN, "localhost");
    expect_session(ROOT_SENT_TOO, "localhost");
}

static void a_leaf_without_its_intermediate_is_refused(void **state)
{
    (void)state;
    expect_refusal(LEAF_ONLY, "localhost", "certificate of localhost: " NOT_SIGNED ";");
}

static void an_authority_that_is_not_trusted_is_refused(void **state)
{
    (void)state;
    expect_refusal(OF_STRANGER, "localhost", NOT_SIGNED);
}

static void another_host_is_refused(void **state)
{
    (void)state;
    expect_refusal(ELSEWHERE, "localhost", OTHER_HOST);
    expect_refusal(NAME_ONLY, "feed.localhost", OTHER_HOST);
}

static void a_wildcard_stands_for_exactly_one_label(void **state)
{
    (void)state;
    expect_session(WILDCARD, "feed.localhost");
    expect_session(WILDCARD, "FEED.localhost");
    expect_refusal(WILDCARD, "localhost", OTHER_HOST);
    expect_refusal(WILDCARD, "a.feed.localhost", OTHER_HOST);
}

static void the_name_is_told_to_the_server(void **state)
{
    (void)state;
    expect_session(WILDCARD_STRICT, "feed.localhost");
}

static void keep_first_bytes(raw_server *server, int fd)
{
    const ssize_t n = recv(fd, server->request, sizeof server->request - 1, 0);
    for (ssize_t i = 0; i < n; i++) {
        /* As a text that can be searched. */
        server->request[i] = server->request[i] == '\0' ? ' ' : server->request[i];
    }
}

/* What the client's first bytes hold for a host. */
static bool hello_names(const char *host)
{
    raw_server server;
    client_rig rig;
    raw_server_start(&server, keep_first_bytes);
    open_client_of(&rig, server.port, host);
    client_rig_await(&rig, client_rig_has_error);
    client_rig_close(&rig);
    raw_server_stop(&server);
    assert_true(server.request[0] == 0x16); /* a TLS handshake */
    return strstr(server.request, host) != NULL;
}

/* RFC 6066 3: and some servers end the handshake for an address in its place. */
static void an_address_is_not_told_as_a_name(void **state)
{
    (void)state;
    assert_true(hello_names("localhost"));
    assert_true(hello_names("127.localhost"));
    assert_false(hello_names("127.0.0.1"));
}

static void an_address_needs_a_certificate_that_names_it(void **state)
{
    (void)state;
    expect_session(CHAIN, "127.0.0.1");
    expect_refusal(NAME_ONLY, "127.0.0.1", OTHER_HOST);
    expect_refusal(WILDCARD, "127.0.0.1", OTHER_HOST);
    expect_refusal(ELSEWHERE, "127.0.0.1", OTHER_HOST); /* it names 127.0.0.9 */
}

static void an_ipv6_address_is_checked_like_any_other(void **state)
{
    (void)state;
    if (front.port[CHAIN_ON_SIX] == 0) {
        skip();
    }
    expect_session(CHAIN_ON_SIX, "[::1]");
    expect_session(CHAIN_ON_SIX, "[0:0:0:0:0:0:0:1]"); /* the same in other words */
    expect_refusal(NAME_ONLY_ON_SIX, "[::1]", "certificate of ::1: " OTHER_HOST ";");
}

static void dates_are_checked(void **state)
{
    (void)state;
    expect_refusal(EXPIRED, "localhost", "it has expired;");
    expect_refusal(FUTURE, "localhost", "it is not valid yet;");
}

static void all_checks_that_failed_are_named(void **state)
{
    (void)state;
    expect_refusal(EXPIRED, "127.0.0.1", OTHER_HOST "; it has expired;");
}

int main(void)
{
    if (!tls_gateway_fixture_lead(binds, PORTS)) {
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_with_its_intermediate_is_taken),
        cmocka_unit_test(a_leaf_without_its_intermediate_is_refused),
        cmocka_unit_test(an_authority_that_is_not_trusted_is_refused),
        cmocka_unit_test(another_host_is_refused),
        cmocka_unit_test(a_wildcard_stands_for_exactly_one_label),
        cmocka_unit_test(the_name_is_told_to_the_server),
        cmocka_unit_test(an_address_is_not_told_as_a_name),
        cmocka_unit_test(an_address_needs_a_certificate_that_names_it),
        cmocka_unit_test(an_ipv6_address_is_checked_like_any_other),
        cmocka_unit_test(dates_are_checked),
        cmocka_unit_test(all_checks_that_failed_are_named),
    };
    return cmocka_run_group_tests_name("sdk.tls_server_certificate", tests,
                                       tls_gateway_fixture_start, tls_gateway_fixture_stop);
}
