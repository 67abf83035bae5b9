/*
 * dangerous_disable_verification: builds for tests obey it and say so in each event, all others
 * refuse it. The far end is the real gateway behind haproxy with openssl's certificates.
 */
#include "tg_cmocka.h"

#include <stdio.h>
#include <string.h>

#include <tickglass/client.h>

#include "client_rig.h"
#include "tls_gateway_fixture.h"

enum {
    OF_STRANGER,
    ELSEWHERE,
    EXPIRED,
    ELSEWHERE_1_2,
    PORTS
};

static const char *const binds[PORTS] = {
    [OF_STRANGER] = "crt of_stranger.pem",
    [ELSEWHERE] = "crt elsewhere.pem",
    [EXPIRED] = "crt expired.pem",
    [ELSEWHERE_1_2] = "crt elsewhere.pem ssl-max-ver TLSv1.2",
};

typedef struct target {
    char url[64];
    char ca[96];
} target;

static tg_client_options options_of(target *t, unsigned port)
{
    (void)snprintf(t->url, sizeof t->url, "wss://localhost:%d", front.port[port]);
    (void)snprintf(t->ca, sizeof t->ca, "%s", tls_folder_file(&front.folder, "root.pem"));
    tg_client_options opt;
    tg_client_options_init(&opt);
    opt.url = t->url;
    opt.ca_file = t->ca;
    opt.token = gateway.token;
    opt.dangerous_disable_verification = true;
    return opt;
}

#if TG_DANGEROUS_TLS

static void nothing_is_verified_and_each_event_says_so(void **state)
{
    (void)state;
    for (unsigned port = 0; port < PORTS; port++) {
        target t;
        client_rig rig;
        tg_client_options opt = options_of(&t, port);
        client_rig_open(&rig, &opt);
        assert_int_equal(tg_client_start(rig.client), TG_OK);
        client_rig_await(&rig, client_rig_is_live);
        assert_int_equal(client_rig_last(&rig).err, TG_OK);
        tg_event event;
        unsigned told = 0;
        while (tg_client_event(rig.client, &event) == TG_OK) {
            if (event.kind == TG_EVENT_SESSION) {
                assert_non_null(strstr(event.text, "DANGEROUS: the certificate is not verified"));
                told++;
            }
        }
        assert_true(told >= 3); /* connecting, joining, live */
        client_rig_close(&rig);
    }
}

static void a_pin_is_checked_all_the_same(void **state)
{
    (void)state;
    static const char *const pins[] = {"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="};
    target t;
    client_rig rig;
    tg_client_options opt = options_of(&t, OF_STRANGER);
    opt.spki_pins = pins;
    opt.spki_pin_count = 1;
    client_rig_open(&rig, &opt);
    assert_int_equal(tg_client_start(rig.client), TG_OK);
    client_rig_await(&rig, client_rig_has_error);
    assert_int_equal(client_rig_last(&rig).err, TG_ERR_CERTIFICATE);
    assert_non_null(strstr(client_rig_last(&rig).text, "none of the 1 pinned ones"));
    client_rig_close(&rig);
}

#else

static void this_build_refuses_it(void **state)
{
    (void)state;
    char why[256] = "";
    target t;
    tg_client *client = NULL;
    tg_client_options opt = options_of(&t, OF_STRANGER);
    opt.error_text = why;
    opt.error_text_size = sizeof why;
    assert_int_equal(tg_client_open(&opt, &client), TG_ERR_UNSUPPORTED);
    assert_null(client);
    assert_non_null(strstr(why, "dangerous_disable_verification"));
}

#endif

int main(void)
{
    if (!tls_gateway_fixture_lead(binds, PORTS)) {
        return 77;
    }
    const struct CMUnitTest tests[] = {
#if TG_DANGEROUS_TLS
        cmocka_unit_test(nothing_is_verified_and_each_event_says_so),
        cmocka_unit_test(a_pin_is_checked_all_the_same),
#else
        cmocka_unit_test(this_build_refuses_it),
#endif
    };
    return cmocka_run_group_tests_name("sdk.tls_dangerous", tests, tls_gateway_fixture_start,
                                       tls_gateway_fixture_stop);
}
