#include "client_setup.h"

#include "text_file.h"

#define PIN "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

static settings *settings_of(const terminal_options *options)
{
    static complaints wrong;
    memset(&wrong, 0, sizeof wrong);
    settings *out = NULL;
    assert_int_equal(settings_open(options, &out, &wrong), TG_OK);
    return out;
}

static void every_setting_of_the_client_is_handed_over(void **state)
{
    (void)state;
    const text_file password = text_file_write("canary\n", 7);
    const terminal_options given = {.url = "wss://a:1, wss://b:2,wss://c:3",
                                    .ca_file = "ca",
                                    .client_cert_file = "cert",
                                    .client_key_file = "key",
                                    .client_key_password_file = password.path,
                                    .spki_pins = PIN " " PIN,
                                    .proxy = "http://p:1"};
    settings *from = settings_of(&given);
    client_setup setup;
    tg_client_options options;
    char why[200] = "";
    tg_client_options_init(&options);
    assert_int_equal(client_setup_open(from, &setup, &options, why, sizeof why), TG_OK);
    assert_string_equal(options.url, "wss://a:1");
    assert_int_equal(options.fallback_count, 2);
    assert_string_equal(options.fallback_urls[0], "wss://b:2");
    assert_string_equal(options.fallback_urls[1], "wss://c:3");
    assert_string_equal(options.ca_file, "ca");
    assert_string_equal(options.client_cert_file, "cert");
    assert_string_equal(options.client_key_file, "key");
    assert_string_equal(options.client_key_password, "canary");
    assert_int_equal(options.spki_pin_count, 2);
    assert_string_equal(options.spki_pins[1], PIN);
    assert_string_equal(options.proxy, "http://p:1");
    assert_null(options.token);
    client_setup_close(&setup);
    for (size_t i = 0; i < sizeof setup.password; i++) {
        assert_int_equal(setup.password[i], 0);
    }
    settings_close(from);
    text_file_remove(&password);
}

static void what_is_not_set_is_left_to_the_client(void **state)
{
    (void)state;
    const terminal_options given = {.url = "wss://a:1", .proxy = "none"};
    settings *from = settings_of(&given);
    client_setup setup;
    tg_client_options options;
    char why[200] = "";
    tg_client_options_init(&options);
    assert_int_equal(client_setup_open(from, &setup, &options, why, sizeof why), TG_OK);
    assert_int_equal(options.fallback_count, 0);
    assert_int_equal(options.spki_pin_count, 0);
    assert_null(options.ca_file);
    assert_null(options.client_key_password);
    assert_null(options.proxy);
    client_setup_close(&setup);
    settings_close(from);
}

static void a_password_that_cannot_be_read_is_told(void **state)
{
    (void)state;
    const terminal_options given = {.url = "wss://a:1", .client_key_password_file = "nowhere/p"};
    settings *from = settings_of(&given);
    client_setup setup;
    tg_client_options options;
    char why[200] = "";
    tg_client_options_init(&options);
    assert_int_equal(client_setup_open(from, &setup, &options, why, sizeof why), TG_ERR_IO);
    assert_string_equal(why, "client_key_password_file: nowhere/p: No such file or directory");
    client_setup_close(&setup);
    settings_close(from);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_setting_of_the_client_is_handed_over),
        cmocka_unit_test(what_is_not_set_is_left_to_the_client),
        cmocka_unit_test(a_password_that_cannot_be_read_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
