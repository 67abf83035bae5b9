#include "proxy_environment.h"

#include <stdlib.h>
#include <string.h>

#include "tg_cmocka.h"

static int forget_environment(void **state)
{
    (void)state;
    static const char *const names[] = {"https_proxy", "HTTPS_PROXY", "no_proxy", "NO_PROXY"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_int_equal(unsetenv(names[i]), 0);
    }
    return 0;
}

static void set(const char *name, const char *value)
{
    assert_int_equal(setenv(name, value, 1), 0);
}

static void expect(const char *url, const char *proxy, const char *variable)
{
    endpoint to;
    char found[200] = "?";
    const char *said = "?";
    assert_int_equal(endpoint_parse(url, &to), TG_OK);
    assert_int_equal(proxy_environment_find(&to, found, sizeof found, &said), TG_OK);
    assert_string_equal(found, proxy);
    if (variable == NULL) {
        assert_null(said);
    } else {
        assert_string_equal(said, variable);
    }
}

static void without_variables_there_is_none(void **state)
{
    (void)state;
    expect("wss://gw.example", "", NULL);
    set("https_proxy", "");
    expect("wss://gw.example", "", NULL);
}

static void the_small_letters_come_first(void **state)
{
    (void)state;
    set("HTTPS_PROXY", "http://big:1");
    expect("wss://gw.example", "http://big:1", "HTTPS_PROXY");
    set("https_proxy", "http://u:p@small:2/");
    expect("wss://gw.example", "http://u:p@small:2", "https_proxy");
    set("https_proxy", "bare:3");
    expect("wss://gw.example", "http://bare:3", "https_proxy");
}

static void this_machine_and_plain_text_have_none(void **state)
{
    (void)state;
    set("https_proxy", "http://p:1");
    expect("wss://localhost:1", "", NULL);
    expect("wss://127.0.0.1:1", "", NULL);
    expect("wss://[::1]:1", "", NULL);
    expect("ws://gw.example", "", NULL);
    expect("ws+unix:/run/x", "", NULL);
}

static void a_proxy_of_another_kind_is_refused(void **state)
{
    (void)state;
    static const char *const values[] = {"socks5://p:1", "https://p:1", "http://", "/"};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        endpoint to;
        char found[200];
        const char *said = NULL;
        set("https_proxy", values[i]);
        assert_int_equal(endpoint_parse("wss://gw.example", &to), TG_OK);
        assert_int_equal(proxy_environment_find(&to, found, sizeof found, &said), TG_ERR_URL);
        assert_string_equal(said, "https_proxy");
    }
}

static void exceptions_are_read_as_everybody_does(void **state)
{
    (void)state;
    static const struct {
        const char *list;
        const char *host;
        const char *port;
        bool excepted;
    } cases[] = {
        {"*", "gw.example", "443", true},
        {"", "gw.example", "443", false},
        {"gw.example", "gw.example", "443", true},
        {"GW.Example", "gw.example", "443", true},
        {"example", "gw.example", "443", true},
        {".example", "gw.example", "443", true},
        {"*.example", "gw.example", "443", true},
        {"ample", "gw.example", "443", false},
        {"gw.example.org", "gw.example", "443", false},
        {"other, gw.example", "gw.example", "443", true},
        {"other gw.example", "gw.example", "443", true},
        {"gw.example:443", "gw.example", "443", true},
        {"gw.example:444", "gw.example", "443", false},
        {"10.0.0.1", "10.0.0.1", "443", true},
        {"10.0.0.2", "10.0.0.1", "443", false},
        {"10.0.0.0/8", "10.200.0.1", "443", true},
        {"10.0.0.0/9", "10.200.0.1", "443", false},
        {"10.128.0.0/9", "10.200.0.1", "443", true},
        {"0.0.0.0/0", "10.200.0.1", "443", true},
        {"10.0.0.0/33", "10.0.0.0", "443", false},
        {"10.0.0.0/", "10.0.0.0", "443", false},
        {"10.0.0.0/8", "gw.example", "443", false},
        {"fd00::/8", "fd12::1", "443", true},
        {"fd00::/8", "fe80::1", "443", false},
        {"[fd12::1]:443", "fd12::1", "443", true},
        {"fd12:0::1", "fd12::1", "443", true},
        {"0.1", "10.0.0.1", "443", false},
        {",,", "gw.example", "443", false},
        {".", "gw.example", "443", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (proxy_environment_excepts(cases[i].list, cases[i].host, cases[i].port) !=
            cases[i].excepted) {
            fail_msg("no_proxy=%s for %s:%s", cases[i].list, cases[i].host, cases[i].port);
        }
    }
    set("https_proxy", "http://p:1");
    set("NO_PROXY", "gw.example");
    expect("wss://gw.example", "", "NO_PROXY");
    expect("wss://gw2.example", "http://p:1", "https_proxy");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(without_variables_there_is_none, forget_environment),
        cmocka_unit_test_setup(the_small_letters_come_first, forget_environment),
        cmocka_unit_test_setup(this_machine_and_plain_text_have_none, forget_environment),
        cmocka_unit_test_setup(a_proxy_of_another_kind_is_refused, forget_environment),
        cmocka_unit_test_setup(exceptions_are_read_as_everybody_does, forget_environment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
