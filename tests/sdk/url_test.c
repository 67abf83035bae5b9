#include "tg_cmocka.h"

#include <string.h>

#include "url.h"

static void parts_are_taken_apart(void **state)
{
    (void)state;
    tg__url url;
    assert_int_equal(tg__url_parse("wss://gw.example.com:9443/tickglass?x=1", &url), TG_OK);
    assert_true(url.tls);
    assert_false(url.literal);
    assert_string_equal(url.host, "gw.example.com");
    assert_int_equal(url.port, 9443);
    assert_string_equal(url.path, "/tickglass?x=1");

    assert_int_equal(tg__url_parse("wss://10.0.0.1", &url), TG_OK);
    assert_true(url.literal);
    assert_int_equal(url.port, 443);
    assert_string_equal(url.path, "/tickglass");

    assert_int_equal(tg__url_parse("wss://[2001:db8::7]", &url), TG_OK);
    assert_true(url.tls && url.literal);
    assert_string_equal(url.host, "2001:db8::7");
    assert_int_equal(url.port, 443);

    assert_int_equal(tg__url_parse("ws://[::1]:80/", &url), TG_OK);
    assert_true(url.literal);
    assert_string_equal(url.host, "::1");
    assert_string_equal(url.path, "/tickglass");
}

static void what_can_be_read_on_the_way_is_told_apart(void **state)
{
    (void)state;
    tg__url url;
    static const char *const good[] = {"ws://127.0.0.1:1",  "ws://127.9.9.9",
                                       "ws://localhost/x",  "ws://[::1]",
                                       "wss://example.com", "ws+unix:/run/gateway.sock"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_int_equal(tg__url_parse(good[i], &url), TG_OK);
        assert_true(tg__url_is_private(&url));
    }
    static const char *const bad[] = {"ws://10.0.0.1",
                                      "ws://example.com",
                                      "ws://[::2]",
                                      "ws://localhost.example.com",
                                      "ws://127.0.0.1.example.com",
                                      "ws://128.0.0.1",
                                      "ws://[::ffff:10.0.0.1]"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(tg__url_parse(bad[i], &url), TG_OK);
        assert_false(tg__url_is_private(&url));
    }
}

static void a_unix_socket_has_a_path_and_the_usual_request(void **state)
{
    (void)state;
    tg__url url;
    assert_int_equal(tg__url_parse("ws+unix:/run/tick glass.sock", &url), TG_OK);
    assert_false(url.tls);
    assert_string_equal(url.socket_path, "/run/tick glass.sock");
    assert_string_equal(url.host, "localhost");
    assert_string_equal(url.path, "/tickglass");
    static const char *const bad[] = {"ws+unix:", "ws+unix:/", "ws+unix:run/x", "ws+unix:/a\nb"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(tg__url_parse(bad[i], &url), TG_ERR_URL);
    }
    char longest[TG__SOCKET_PATH_SIZE + 16] = "ws+unix:/";
    memset(longest + 9, 'x', TG__SOCKET_PATH_SIZE - 2);
    assert_int_equal(tg__url_parse(longest, &url), TG_OK);
    longest[9 + TG__SOCKET_PATH_SIZE - 2] = 'x';
    assert_int_equal(tg__url_parse(longest, &url), TG_ERR_URL);
}

static void an_authority_is_host_and_port(void **state)
{
    (void)state;
    char host[TG__HOST_SIZE];
    uint16_t port = 0;
    assert_int_equal(tg__url_authority_parse("proxy.example.com:3128", host, &port), TG_OK);
    assert_string_equal(host, "proxy.example.com");
    assert_int_equal(port, 3128);
    static const char *const bad[] = {"", "proxy", "proxy:", "proxy:1/", ":1", "[::1]", "a b:1"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(tg__url_authority_parse(bad[i], host, &port), TG_ERR_URL);
    }
}

static void what_is_no_url_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "wss:/x",
        "http://example.com",
        "wss://",
        "wss://:443",
        "wss://host:",
        "wss://host:0",
        "wss://host:65536",
        "wss://host:99999999999999999999",
        "wss://host:1x",
        "wss://user:secret@host",
        "wss://host/a b",
        "wss://host/a\r\nX: y",
        "wss://host/#x",
        "wss://host?x",
        "wss://h\xc3\xb6st/",
        "wss://[::1",
        "wss://[::1%lo]",
        "wss://[::1].example.com",
        "wss://::1",
        "ws://[xyz]",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        tg__url url;
        if (tg__url_parse(bad[i], &url) != TG_ERR_URL) {
            fail_msg("taken: %s", bad[i]);
        }
    }
}

static void parts_that_are_too_long_are_refused(void **state)
{
    (void)state;
    char text[1024] = "wss://";
    memset(text + 6, 'a', 128);
    text[6 + 128] = '\0';
    tg__url url;
    assert_int_equal(tg__url_parse(text, &url), TG_ERR_URL);
    text[6 + 127] = '\0';
    assert_int_equal(tg__url_parse(text, &url), TG_OK);
    strcpy(text, "wss://a/");
    memset(text + 8, 'p', 600);
    text[8 + 600] = '\0';
    assert_int_equal(tg__url_parse(text, &url), TG_ERR_URL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_taken_apart),
        cmocka_unit_test(what_can_be_read_on_the_way_is_told_apart),
        cmocka_unit_test(a_unix_socket_has_a_path_and_the_usual_request),
        cmocka_unit_test(an_authority_is_host_and_port),
        cmocka_unit_test(what_is_no_url_is_refused),
        cmocka_unit_test(parts_that_are_too_long_are_refused),
    };
    return cmocka_run_group_tests_name("sdk.url", tests, NULL, NULL);
}
