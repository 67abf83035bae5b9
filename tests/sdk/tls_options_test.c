#include "tg_cmocka.h"

#include <string.h>

#include "tls_options.h"

static const tg__tls_use nowhere = {false, false};
static const tg__tls_use everywhere = {true, true};
static const tg__tls_use somewhere = {true, false};

static const char pin[] = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";

static void without_tls_nothing_is_read_and_nothing_ignored(void **state)
{
    (void)state;
    const char *const pins[] = {pin};
    char why[256] = "";
    tg__tls_material m;
    tg_client_options o;
    tg_client_options_init(&o);
    o.ca_file = "no-such-file.pem";
    assert_int_equal(tg__tls_options_load(&o, nowhere, &m, why, sizeof why), TG_OK);
    assert_null(m.ca_pem);
    o.spki_pins = pins;
    o.spki_pin_count = 1;
    assert_int_equal(tg__tls_options_load(&o, nowhere, &m, why, sizeof why),
                     TG_ERR_INVALID_ARGUMENT);
    assert_non_null(strstr(why, "wss://"));
    assert_int_equal(tg__tls_options_load(&o, somewhere, &m, why, sizeof why),
                     TG_ERR_INVALID_ARGUMENT);
    tg_client_options_init(&o);
    o.client_cert_file = "client.pem";
    assert_int_equal(tg__tls_options_load(&o, nowhere, &m, why, sizeof why),
                     TG_ERR_INVALID_ARGUMENT);
}

static void a_key_without_a_certificate_is_refused(void **state)
{
    (void)state;
    char why[256] = "";
    tg__tls_material m;
    tg_client_options o;
    tg_client_options_init(&o);
    o.client_key_file = "client.key";
    assert_int_equal(tg__tls_options_load(&o, everywhere, &m, why, sizeof why),
                     TG_ERR_INVALID_ARGUMENT);
    assert_non_null(strstr(why, "client_cert_file"));
    tg_client_options_init(&o);
    o.client_key_password = "secret";
    assert_int_equal(tg__tls_options_load(&o, everywhere, &m, why, sizeof why),
                     TG_ERR_INVALID_ARGUMENT);
    assert_null(strstr(why, "secret"));
}

static void a_bad_pin_is_found_before_a_file_is_read(void **state)
{
    (void)state;
    const char *const pins[] = {pin, "nonsense"};
    char why[256] = "";
    tg__tls_material m;
    tg_client_options o;
    tg_client_options_init(&o);
    o.ca_file = "no-such-file.pem";
    o.spki_pins = pins;
    o.spki_pin_count = 2;
    assert_int_equal(tg__tls_options_load(&o, everywhere, &m, why, sizeof why),
                     TG_ERR_INVALID_ARGUMENT);
    assert_non_null(strstr(why, "spki_pins[1]"));
    o.spki_pin_count = 1;
    assert_int_equal(tg__tls_options_load(&o, everywhere, &m, why, sizeof why), TG_ERR_CERTIFICATE);
    assert_int_equal(m.pins.count, 0); /* empty after an error */
    tg__tls_material_release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_tls_nothing_is_read_and_nothing_ignored),
        cmocka_unit_test(a_key_without_a_certificate_is_refused),
        cmocka_unit_test(a_bad_pin_is_found_before_a_file_is_read),
    };
    return cmocka_run_group_tests_name("sdk.tls_options", tests, NULL, NULL);
}
