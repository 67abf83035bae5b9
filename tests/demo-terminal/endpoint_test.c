#include "endpoint.h"

#include <string.h>

#include "tg_cmocka.h"

static void host_and_port_are_found(void **state)
{
    (void)state;
    static const struct {
        const char *url;
        const char *host;
        const char *port;
        bool tls;
    } cases[] = {
        {"wss://gw.example:9443/tickglass", "gw.example", "9443", true},
        {"wss://gw.example", "gw.example", "443", true},
        {"ws://localhost/path", "localhost", "80", false},
        {"wss://[::1]:9/x", "::1", "9", true},
        {"wss://[fe80::1]", "fe80::1", "443", true},
        {"wss://10.0.0.1:1?q", "10.0.0.1", "1", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        endpoint at;
        assert_int_equal(endpoint_parse(cases[i].url, &at), TG_OK);
        assert_string_equal(at.host, cases[i].host);
        assert_string_equal(at.port, cases[i].port);
        assert_int_equal(at.tls, cases[i].tls);
        assert_false(at.local_socket);
    }
    endpoint at;
    assert_int_equal(endpoint_parse("ws+unix:/run/gw.sock", &at), TG_OK);
    assert_true(at.local_socket);
    assert_string_equal(at.host, "/run/gw.sock");
}

static void what_leads_nowhere_is_refused(void **state)
{
    (void)state;
    static const char *const urls[] = {
        "",           "gw.example",   "https://gw.example", "wss://",
        "wss://:1",   "wss://a:",     "wss://a:x",          "wss://a:123456",
        "wss://[::1", "wss://[::1]x", "wss://user@a:1",     "ws+unix:relative"};
    for (size_t i = 0; i < sizeof urls / sizeof urls[0]; i++) {
        endpoint at;
        if (endpoint_parse(urls[i], &at) != TG_ERR_URL) {
            fail_msg("\"%s\" was taken", urls[i]);
        }
    }
}

static void loopback_is_this_machine_only(void **state)
{
    (void)state;
    assert_true(endpoint_is_loopback("localhost"));
    assert_true(endpoint_is_loopback("LocalHost"));
    assert_true(endpoint_is_loopback("a.localhost"));
    assert_true(endpoint_is_loopback("127.1.2.3"));
    assert_true(endpoint_is_loopback("::1"));
    assert_false(endpoint_is_loopback("notlocalhost"));
    assert_false(endpoint_is_loopback("localhost.example"));
    assert_false(endpoint_is_loopback("128.0.0.1"));
    assert_false(endpoint_is_loopback("::2"));
}

static void what_is_shown_holds_no_secret(void **state)
{
    (void)state;
    static const struct {
        const char *url;
        const char *shown;
    } cases[] = {
        {"wss://a:1/path", "wss://a:1/path"},
        {"http://user:pw@proxy:8080", "http://***@proxy:8080"},
        {"http://user:p@w@proxy:8080", "http://***@proxy:8080"},
        {"http://user:p/w@proxy:8080", "http://***@proxy:8080"},
        {"http://user:p?w@proxy:8080", "http://***@proxy:8080"},
        {"wss://a/path?key=canary", "wss://a/path?***"},
        {"none", "none"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char shown[200];
        endpoint_show(cases[i].url, shown, sizeof shown);
        assert_string_equal(shown, cases[i].shown);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(host_and_port_are_found),
        cmocka_unit_test(what_leads_nowhere_is_refused),
        cmocka_unit_test(loopback_is_this_machine_only),
        cmocka_unit_test(what_is_shown_holds_no_secret),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
