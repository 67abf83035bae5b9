/* Ways to a gateway: fallbacks, a proxy, a Unix socket; real programs, real TLS. */
#include "tg_cmocka.h"

#include <stdio.h>
#include <string.h>

#include <tickglass/client.h>

#include "client_rig.h"
#include "gateway_fixture.h"
#include "route_process.h"

static tg_client_counters counters_of(const client_rig *rig)
{
    tg_client_counters counters = {.struct_size = sizeof counters};
    assert_int_equal(tg_client_counters_get(rig->client, &counters), TG_OK);
    return counters;
}

static void await_live(client_rig *rig)
{
    assert_int_equal(tg_client_start(rig->client), TG_OK);
    client_rig_await(rig, client_rig_is_live);
}

/* --- several gateways --- */

static bool is_live_again(const client_rig *rig)
{
    return rig->live_count >= 2 && rig->state == TG_SESSION_LIVE;
}

static void copy_to(FILE *out, const char *path)
{
    char bytes[8192];
    FILE *const in = fopen(path, "rb");
    assert_non_null(in);
    const size_t size = fread(bytes, 1, sizeof bytes, in);
    (void)fclose(in);
    assert_int_equal(fwrite(bytes, 1, size, out), size);
}

/* Another gateway that takes the same token; both authorities are in the file. */
static void start_second(gateway_process *second, char authorities[128])
{
    char token_file[96];
    (void)snprintf(token_file, sizeof token_file, "%s/state/token", gateway.folder);
    const char *const arguments[] = {"--token-file", token_file, NULL};
    assert_true(gateway_process_start(second, TG_GATEWAY_PROGRAM, arguments));
    (void)snprintf(authorities, 128, "%s/both.pem", second->folder);
    FILE *const out = fopen(authorities, "wb");
    assert_non_null(out);
    copy_to(out, gateway.ca);
    copy_to(out, second->ca);
    assert_int_equal(fclose(out), 0);
}

static void a_gateway_that_dies_is_replaced_by_the_next(void **state)
{
    (void)state;
    gateway_process preferred;
    char authorities[128];
    start_second(&preferred, authorities);
    client_rig rig;
    tg_client_options opt = gateway_fixture_options(preferred.url);
    const char *const fallbacks[] = {"wss://127.0.0.1:1", gateway.url};
    opt.ca_file = authorities;
    opt.fallback_urls = fallbacks;
    opt.fallback_count = 2;
    client_rig_open(&rig, &opt);
    await_live(&rig);
    assert_int_equal(counters_of(&rig).endpoint, 0);
    gateway_process_kill(&preferred);
    client_rig_await(&rig, is_live_again);
    assert_int_equal(counters_of(&rig).endpoint, 2);
    assert_true(counters_of(&rig).failovers >= 2);
    assert_int_equal(counters_of(&rig).connects, 2);
    client_rig_close(&rig);
    (void)remove(authorities);
    (void)gateway_process_stop(&preferred);
}

/* What is wrong with one gateway's certificate is not waited for while there is another. */
static void a_gateway_that_cannot_be_trusted_gives_way_to_the_next(void **state)
{
    (void)state;
    gateway_process stranger;
    char authorities[128];
    start_second(&stranger, authorities);
    client_rig rig;
    tg_client_options opt = gateway_fixture_options(stranger.url);
    opt.fallback_urls = (const char *const[]){gateway.url};
    opt.fallback_count = 1;
    client_rig_open(&rig, &opt);
    await_live(&rig);
    assert_int_equal(counters_of(&rig).endpoint, 1);
    assert_int_equal(counters_of(&rig).connects, 1);
    client_rig_close(&rig);
    (void)remove(authorities);
    (void)gateway_process_stop(&stranger);
}

static void options_that_name_no_gateway_are_refused(void **state)
{
    (void)state;
    tg_client *client = NULL;
    tg_client_options opt = gateway_fixture_options(gateway.url);
    const char *fallbacks[8] = {"wss://localhost:1", "wss://localhost:2", "wss://localhost:3",
                                "wss://localhost:4", "wss://localhost:5", "wss://localhost:6",
                                "wss://localhost:7", "wss://localhost:8"};
    opt.fallback_urls = fallbacks;
    opt.fallback_count = 8;
    assert_int_equal(tg_client_open(&opt, &client), TG_ERR_INVALID_ARGUMENT);
    opt.fallback_count = 7;
    assert_int_equal(tg_client_open(&opt, &client), TG_OK);
    tg_client_close(client);
    fallbacks[3] = NULL;
    assert_int_equal(tg_client_open(&opt, &client), TG_ERR_INVALID_ARGUMENT);
    fallbacks[3] = "https://localhost";
    assert_int_equal(tg_client_open(&opt, &client), TG_ERR_URL);
    fallbacks[3] = "ws://10.0.0.1";
    assert_int_equal(tg_client_open(&opt, &client), TG_ERR_URL);
    opt.allow_plain_text_to_other_machines = true;
    assert_int_equal(tg_client_open(&opt, &client), TG_OK);
    tg_client_close(client);
    opt.fallback_urls = NULL;
    assert_int_equal(tg_client_open(&opt, &client), TG_ERR_INVALID_ARGUMENT);
}

/* --- a proxy --- */

static void need_proxy(route_process *route, const char *user, const char *password)
{
    if (!route_has_proxy()) {
        print_message("skipped: tinyproxy is not installed\n");
        skip();
    }
    assert_true(route_start_proxy(route, user, password));
}

static void a_proxy_leads_to_the_gateway_and_tls_is_the_gateways(void **state)
{
    (void)state;
    route_process route;
    need_proxy(&route, "desk", "pass.word"); /* it takes few characters there */
    char proxy[96];
    (void)snprintf(proxy, sizeof proxy, "http://desk:pass%%2Eword@localhost:%d", route.port);
    client_rig rig;
    tg_client_options opt = gateway_fixture_options(gateway.url);
    opt.proxy = proxy;
    client_rig_open(&rig, &opt);
    await_live(&rig);
    client_rig_close(&rig);
    route_stop(&route);
}

static void a_proxy_that_refuses_us_stops_the_client_and_names_no_secret(void **state)
{
    (void)state;
    route_process route;
    need_proxy(&route, "desk", "secret");
    static const char *const users[] = {"", "desk:not-the-secret@"};
    for (size_t i = 0; i < 2; i++) {
        char proxy[96];
        (void)snprintf(proxy, sizeof proxy, "http://%s127.0.0.1:%d", users[i], route.port);
        client_rig rig;
        tg_client_options opt = gateway_fixture_options(gateway.url);
        opt.proxy = proxy;
        client_rig_open(&rig, &opt);
        assert_int_equal(tg_client_start(rig.client), TG_OK);
        client_rig_await(&rig, client_rig_has_error);
        const tg_event last = client_rig_last(&rig);
        /* tinyproxy says 407 to who brings nothing and 401 to who brings the wrong thing; either is
         * the proxy's, and not a refused token. */
        assert_int_equal(last.err, TG_ERR_REFUSED);
        assert_non_null(strstr(last.text, "the proxy "));
        assert_null(strstr(last.text, "not-the-secret"));
        assert_int_equal(counters_of(&rig).tokens_refused, 0);
        client_rig_close(&rig);
    }
    route_stop(&route);
}

static void a_proxy_that_cannot_reach_the_gateway_is_told_from_one_that_is_away(void **state)
{
    (void)state;
    route_process route;
    need_proxy(&route, NULL, NULL);
    char proxy[96];
    (void)snprintf(proxy, sizeof proxy, "http://127.0.0.1:%d", route.port);
    client_rig rig;
    tg_client_options opt = gateway_fixture_options("wss://127.0.0.1:1");
    opt.proxy = proxy;
    client_rig_open(&rig, &opt);
    assert_int_equal(tg_client_start(rig.client), TG_OK);
    client_rig_await(&rig, client_rig_has_error);
    assert_non_null(strstr(client_rig_last(&rig).text, "the proxy "));
    client_rig_close(&rig);
    route_stop(&route);

    client_rig_open(&rig, &opt);
    assert_int_equal(tg_client_start(rig.client), TG_OK);
    client_rig_await(&rig, client_rig_has_error);
    assert_non_null(strstr(client_rig_last(&rig).text, "Connection refused"));
    client_rig_close(&rig);
}

static void plain_text_through_a_proxy_leaves_the_machine(void **state)
{
    (void)state;
    tg_client *client = NULL;
    tg_client_options opt = gateway_fixture_options("ws://localhost:1");
    opt.proxy = "http://localhost:1";
    assert_int_equal(tg_client_open(&opt, &client), TG_ERR_URL);
    opt.allow_plain_text_to_other_machines = true;
    assert_int_equal(tg_client_open(&opt, &client), TG_OK);
    tg_client_close(client);
    opt.proxy = "socks5://localhost:1";
    assert_int_equal(tg_client_open(&opt, &client), TG_ERR_URL);
}

/* --- a Unix socket --- */

static void a_unix_socket_is_a_way_without_tls(void **state)
{
    (void)state;
    if (!route_has_socket()) {
        print_message("skipped: haproxy is not installed\n");
        skip();
    }
    route_process route;
    assert_true(route_start_socket(&route, &gateway));
    char url[128];
    (void)snprintf(url, sizeof url, "ws+unix:%s", route.socket_path);
    client_rig rig;
    tg_client_options opt = gateway_fixture_options(url);
    client_rig_open(&rig, &opt);
    await_live(&rig);
    client_rig_close(&rig);
    route_stop(&route);
    client_rig_open(&rig, &opt);
    assert_int_equal(tg_client_start(rig.client), TG_OK);
    client_rig_await(&rig, client_rig_has_error);
    assert_non_null(strstr(client_rig_last(&rig).text, "gateway.sock: "));
    client_rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gateway_that_dies_is_replaced_by_the_next),
        cmocka_unit_test(a_gateway_that_cannot_be_trusted_gives_way_to_the_next),
        cmocka_unit_test(options_that_name_no_gateway_are_refused),
        cmocka_unit_test(a_proxy_leads_to_the_gateway_and_tls_is_the_gateways),
        cmocka_unit_test(a_proxy_that_refuses_us_stops_the_client_and_names_no_secret),
        cmocka_unit_test(a_proxy_that_cannot_reach_the_gateway_is_told_from_one_that_is_away),
        cmocka_unit_test(plain_text_through_a_proxy_leaves_the_machine),
        cmocka_unit_test(a_unix_socket_is_a_way_without_tls),
    };
    return cmocka_run_group_tests_name("sdk.client_routes", tests, gateway_fixture_start,
                                       gateway_fixture_stop);
}
