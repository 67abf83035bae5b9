/*
 * The certificate that a client shows. haproxy asks for it before it lets anybody through to the
 * real gateway; certificates and keys are openssl's.
 */
#include "tg_cmocka.h"

#include <stdio.h>
#include <string.h>

#include <tickglass/client.h>

#include "client_rig.h"
#include "tls_gateway_fixture.h"

#define PASSWORD "open sesame"
#define WANTED   "crt chain.pem verify required ca-file client_root.pem "

enum {
    TLS_1_2,
    TLS_1_3,
    PORTS
};

static const char *const binds[PORTS] = {
    [TLS_1_2] = WANTED "ssl-max-ver TLSv1.2",
    [TLS_1_3] = WANTED "ssl-min-ver TLSv1.3",
};

/* What the options point to. */
typedef struct identity {
    char url[64];
    char ca[96];
    char certificate[96];
    char key[96];
    char error[256];
} identity;

/* NULL: none */
static tg_client_options options_of(identity *id, unsigned port, const char *certificate,
                                    const char *key, const char *password)
{
    tg_client_options opt;
    tg_client_options_init(&opt);
    (void)snprintf(id->url, sizeof id->url, "wss://localhost:%d", front.port[port]);
    (void)snprintf(id->ca, sizeof id->ca, "%s", tls_folder_file(&front.folder, "root.pem"));
    opt.url = id->url;
    opt.ca_file = id->ca;
    opt.token = gateway.token;
    opt.backoff_first_ms = 20;
    opt.backoff_cap_ms = 50;
    if (certificate != NULL) {
        (void)snprintf(id->certificate, sizeof id->certificate, "%s",
                       tls_folder_file(&front.folder, certificate));
        opt.client_cert_file = id->certificate;
    }
    if (key != NULL) {
        (void)snprintf(id->key, sizeof id->key, "%s", tls_folder_file(&front.folder, key));
        opt.client_key_file = id->key;
    }
    opt.client_key_password = password;
    opt.error_text = id->error;
    opt.error_text_size = sizeof id->error;
    return opt;
}

static void a_server_that_asks_for_a_certificate_gets_it(void **state)
{
    (void)state;
    static const struct {
        const char *certificate;
        const char *key;
        const char *password;
    } rows[] = {
        {"client.pem", "client.key", NULL},
        {"client.pem", "client.pkcs8", PASSWORD},
        {"client.pem", "client.traditional", PASSWORD},
        {"client_rsa.pem", NULL, PASSWORD}, /* both in one file */
    };
    for (unsigned port = 0; port < PORTS; port++) {
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            identity id;
            client_rig rig;
            tg_client_options opt =
                options_of(&id, port, rows[i].certificate, rows[i].key, rows[i].password);
            client_rig_open(&rig, &opt);
            assert_string_equal(id.error, "");
            assert_int_equal(tg_client_start(rig.client), TG_OK);
            client_rig_await(&rig, client_rig_is_live);
            assert_int_equal(client_rig_last(&rig).err, TG_OK);
            client_rig_close(&rig);
        }
    }
}

static void expect_refusal(unsigned port, const char *certificate, const char *key,
                           const char *text)
{
    identity id;
    client_rig rig;
    tg_client_options opt = options_of(&id, port, certificate, key, NULL);
    client_rig_open(&rig, &opt);
    assert_int_equal(tg_client_start(rig.client), TG_OK);
    client_rig_await(&rig, client_rig_has_error);
    const tg_event last = client_rig_last(&rig);
    if (last.err != TG_ERR_TLS || strstr(last.text, text) == NULL) {
        fail_msg("%s instead of \"%s\": %s", tg_err_name(last.err), text, last.text);
    }
    client_rig_close(&rig);
}

static void without_one_the_servers_refusal_is_told(void **state)
{
    (void)state;
    expect_refusal(TLS_1_2, NULL, NULL, "or wants a client certificate (TLS alert 40)");
    expect_refusal(TLS_1_3, NULL, NULL, "the gateway wants a client certificate (TLS alert 116)");
}

static void one_of_another_authority_is_refused_and_told(void **state)
{
    (void)state;
    for (unsigned port = 0; port < PORTS; port++) {
        expect_refusal(port, "client_of_stranger.pem", "client_of_stranger.key",
                       "the gateway does not trust the authority of the client certificate");
    }
}

static void what_cannot_be_used_is_refused_at_once_and_named(void **state)
{
    (void)state;
    static const struct {
        const char *certificate;
        const char *key;
        const char *password;
        tg_err err;
        const char *text;
    } rows[] = {
        {"client.pem", "client.pkcs8", "wrong", TG_ERR_CERTIFICATE, "password does not open"},
        {"client.pem", "client.pkcs8", NULL, TG_ERR_CERTIFICATE, "there is no password"},
        {"client.pem", "server.key", NULL, TG_ERR_CERTIFICATE, "does not belong to the"},
        {"client.pem", "missing.key", NULL, TG_ERR_CERTIFICATE, "No such file"},
        {"missing.pem", "client.key", NULL, TG_ERR_CERTIFICATE, "No such file"},
        {NULL, "client.key", NULL, TG_ERR_INVALID_ARGUMENT, "needs client_cert_file"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        identity id;
        tg_client *client = NULL;
        const tg_client_options opt =
            options_of(&id, TLS_1_3, rows[i].certificate, rows[i].key, rows[i].password);
        assert_int_equal(tg_client_open(&opt, &client), rows[i].err);
        assert_null(client);
        if (strstr(id.error, rows[i].text) == NULL) {
            fail_msg("row %zu: %s", i, id.error);
        }
    }
}

int main(void)
{
    if (!tls_gateway_fixture_lead(binds, PORTS)) {
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_server_that_asks_for_a_certificate_gets_it),
        cmocka_unit_test(without_one_the_servers_refusal_is_told),
        cmocka_unit_test(one_of_another_authority_is_refused_and_told),
        cmocka_unit_test(what_cannot_be_used_is_refused_at_once_and_named),
    };
    return cmocka_run_group_tests_name("sdk.tls_client_certificate", tests,
                                       tls_gateway_fixture_start, tls_gateway_fixture_stop);
}
