/*
 * Versions of TLS: 1.2 is the floor, 1.3 is taken where both ends have it. That haproxy really
 * offers the old ones is shown with openssl's own client.
 */
#include "tg_cmocka.h"

#include <stdio.h>
#include <string.h>

#include <tickglass/client.h>

#include "client_rig.h"
#include "tls_gateway_fixture.h"

#define OLD_CIPHERS "ciphers DEFAULT:@SECLEVEL=0"

enum {
    TLS_1_0,
    TLS_1_1,
    TLS_1_2,
    TLS_1_3,
    EITHER,
    PORTS
};

static const char *const binds[PORTS] = {
    [TLS_1_0] = "crt chain.pem ssl-min-ver TLSv1.0 ssl-max-ver TLSv1.0 " OLD_CIPHERS,
    [TLS_1_1] = "crt chain.pem ssl-min-ver TLSv1.0 ssl-max-ver TLSv1.1 " OLD_CIPHERS,
    [TLS_1_2] = "crt chain.pem ssl-max-ver TLSv1.2",
    [TLS_1_3] = "crt chain.pem ssl-min-ver TLSv1.3",
    [EITHER] = "crt chain.pem ssl-min-ver TLSv1.2",
};

static void open_client(client_rig *rig, unsigned port)
{
    char url[64];
    char ca[96];
    (void)snprintf(url, sizeof url, "wss://localhost:%d", front.port[port]);
    (void)snprintf(ca, sizeof ca, "%s", tls_folder_file(&front.folder, "root.pem"));
    tg_client_options opt;
    tg_client_options_init(&opt);
    opt.url = url;
    opt.ca_file = ca;
    opt.token = gateway.token;
    client_rig_open(rig, &opt);
    assert_int_equal(tg_client_start(rig->client), TG_OK);
}

/* haproxy's own word for what was agreed on, written before it passes a byte on. */
static bool was_agreed(unsigned port, const char *version)
{
    char line[64];
    (void)snprintf(line, sizeof line, "port %d speaks %s", front.port[port], version);
    return tls_front_said(&front, line);
}

static void expect_session(unsigned port, const char *version)
{
    client_rig rig;
    open_client(&rig, port);
    client_rig_await(&rig, client_rig_is_live);
    assert_int_equal(client_rig_last(&rig).err, TG_OK);
    assert_true(was_agreed(port, version));
    client_rig_close(&rig);
}

/* True if openssl's client, asked for that old version, gets it. */
static bool openssl_gets(unsigned port, const char *option, const char *version)
{
    char command[160];
    char line[256];
    (void)snprintf(command, sizeof command,
                   "openssl s_client -connect 127.0.0.1:%d %s -cipher DEFAULT:@SECLEVEL=0 "
                   "</dev/null 2>&1",
                   front.port[port], option);
    FILE *const out = popen(command, "r");
    assert_non_null(out);
    bool found = false;
    while (fgets(line, sizeof line, out) != NULL) {
        const char *at = strstr(line, "Protocol  : ");
        found = found ||
                (at != NULL && strncmp(at + strlen("Protocol  : "), version, strlen(version)) == 0);
    }
    (void)pclose(out);
    return found;
}

static void expect_refusal(unsigned port)
{
    client_rig rig;
    open_client(&rig, port);
    client_rig_await(&rig, client_rig_has_error);
    const tg_event last = client_rig_last(&rig);
    assert_int_equal(last.err, TG_ERR_TLS);
    if (strstr(last.text, "no version of TLS that this client accepts") == NULL) {
        fail_msg("%s", last.text);
    }
    client_rig_close(&rig);
}

static void versions_below_1_2_are_refused(void **state)
{
    (void)state;
    assert_true(openssl_gets(TLS_1_0, "-tls1", "TLSv1\n"));
    expect_refusal(TLS_1_0);
    assert_true(openssl_gets(TLS_1_1, "-tls1_1", "TLSv1.1\n"));
    expect_refusal(TLS_1_1);
}

static void version_1_2_is_taken(void **state)
{
    (void)state;
    expect_session(TLS_1_2, "TLSv1.2");
}

static void version_1_3_is_taken(void **state)
{
    (void)state;
    expect_session(TLS_1_3, "TLSv1.3");
}

static void version_1_3_is_preferred(void **state)
{
    (void)state;
    expect_session(EITHER, "TLSv1.3");
}

int main(void)
{
    if (!tls_gateway_fixture_lead(binds, PORTS)) {
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(versions_below_1_2_are_refused),
        cmocka_unit_test(version_1_2_is_taken),
        cmocka_unit_test(version_1_3_is_taken),
        cmocka_unit_test(version_1_3_is_preferred),
    };
    return cmocka_run_group_tests_name("sdk.tls_version", tests, tls_gateway_fixture_start,
                                       tls_gateway_fixture_stop);
}
