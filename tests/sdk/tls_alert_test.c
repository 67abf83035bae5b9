#include "tg_cmocka.h"

#include <string.h>

#include "tls_alert.h"

static void known_alerts_are_told_in_words(void **state)
{
    (void)state;
    char text[128];
    tg__tls_alert_explain(116, text, sizeof text);
    assert_string_equal(text, "the gateway wants a client certificate (TLS alert 116)");
    tg__tls_alert_explain(70, text, sizeof text);
    assert_non_null(strstr(text, "no version of TLS"));
}

static void every_other_one_keeps_its_number(void **state)
{
    (void)state;
    char text[128];
    tg__tls_alert_explain(200, text, sizeof text);
    assert_string_equal(text, "the gateway refused the handshake (TLS alert 200)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_alerts_are_told_in_words),
        cmocka_unit_test(every_other_one_keeps_its_number),
    };
    return cmocka_run_group_tests_name("sdk.tls_alert", tests, NULL, NULL);
}
