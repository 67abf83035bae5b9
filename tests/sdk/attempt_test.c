#include "tg_cmocka.h"

#include <stdio.h>
#include <string.h>

#include "attempt.h"

static tg__attempt plain(const char *detail)
{
    const tg__attempt attempt = {
        "gw.example.com", "10.0.0.1 port 9443", false, 0, detail, "", "", 0};
    return attempt;
}

static void a_refused_certificate_says_which_check_failed(void **state)
{
    (void)state;
    tg__closed closed;
    tg__attempt attempt = plain("tls handshake: mbedtls -0x2700 verify 0x00000008");
    tg__attempt_explain(&attempt, &closed);
    assert_int_equal(closed.cause, TG__CAUSE_CERTIFICATE);
    assert_string_equal(closed.text, "certificate of gw.example.com: it is not signed by an "
                                     "authority that this client trusts");
    attempt = plain("tls handshake: mbedtls -0x2700 verify 0x00000005");
    tg__attempt_explain(&attempt, &closed);
    assert_non_null(strstr(closed.text, "for another host"));
    assert_non_null(strstr(closed.text, "has expired"));
}

static void another_tls_failure_is_no_certificate_failure(void **state)
{
    (void)state;
    tg__closed closed;
    tg__attempt attempt = plain("tls handshake: mbedtls -0x7780 verify 0x00000000");
    tg__attempt_explain(&attempt, &closed);
    assert_int_equal(closed.cause, TG__CAUSE_TLS);
    assert_true(strlen(closed.text) > 0);
    attempt = plain("tls handshake: mbedtls -0x7200 verify 0xffffffff"); /* an invalid record */
    tg__attempt_explain(&attempt, &closed);
    assert_int_equal(closed.cause, TG__CAUSE_TLS);
    assert_non_null(strstr(closed.text, "does not speak TLS: SSL - "));
    attempt = plain("tls handshake: mbedtls -0x6e80 verify 0xffffffff alert 0");
    tg__attempt_explain(&attempt, &closed);
    assert_int_equal(closed.cause, TG__CAUSE_TLS);
    assert_non_null(strstr(closed.text, "no version of TLS that this client accepts: SSL - "));
}

/* A balancer that has no gateway accepts and closes. */
static void a_handshake_that_is_cut_is_a_lost_connection(void **state)
{
    (void)state;
    static const char *const codes[] = {"7280", "7880", "0050", "004c", "004e"};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        char detail[64];
        (void)snprintf(detail, sizeof detail,
                       "tls handshake: mbedtls -0x%s verify 0xffffffff alert 0", codes[i]);
        tg__attempt attempt = plain(detail);
        tg__closed closed;
        for (int requested = 0; requested < 2; requested++) {
            attempt.requested = requested != 0;
            tg__attempt_explain(&attempt, &closed);
            assert_int_equal(closed.cause, TG__CAUSE_LOST);
            assert_int_equal(tg__policy_of(&closed).policy, TG__POLICY_RETRY);
            assert_true(strlen(closed.text) > 0);
        }
    }
}

static void a_peers_alert_is_told_in_words_whenever_it_comes(void **state)
{
    (void)state;
    tg__closed closed;
    tg__attempt attempt = plain("tls handshake: mbedtls -0x7780 verify 0x00000000 alert 48");
    for (int i = 0; i < 2; i++) {
        tg__attempt_explain(&attempt, &closed);
        assert_int_equal(closed.cause, TG__CAUSE_TLS);
        assert_string_equal(closed.text, "the gateway does not trust the authority of the client "
                                         "certificate (TLS alert 48)");
        attempt.requested = true; /* TLS 1.3 */
    }
    attempt = plain("tls handshake: mbedtls -0x2700 verify 0x00000001 alert 0");
    tg__attempt_explain(&attempt, &closed);
    assert_int_equal(closed.cause, TG__CAUSE_CERTIFICATE);
}

static void an_http_answer_keeps_status_and_delay(void **state)
{
    (void)state;
    tg__closed closed;
    tg__attempt attempt = plain("HS: ws upgrade unauthorized");
    attempt.requested = true;
    attempt.http_status = 503;
    attempt.retry_after = "7";
    tg__attempt_explain(&attempt, &closed);
    assert_int_equal(closed.cause, TG__CAUSE_HTTP_STATUS);
    assert_int_equal(closed.code, 503);
    assert_int_equal(closed.floor_ms, 7000);
    attempt.retry_after = "nonsense";
    tg__attempt_explain(&attempt, &closed);
    assert_int_equal(closed.floor_ms, 0);
}

static void what_answers_but_does_not_upgrade_is_no_gateway(void **state)
{
    (void)state;
    tg__closed closed;
    tg__attempt attempt = plain("HS: PROTOCOL malformed");
    attempt.requested = true;
    attempt.http_status = 101;
    tg__attempt_explain(&attempt, &closed);
    assert_int_equal(closed.cause, TG__CAUSE_UPGRADE);
    attempt.http_status = 0;
    tg__attempt_explain(&attempt, &closed);
    assert_int_equal(closed.cause, TG__CAUSE_LOST);
}

static void a_socket_that_is_not_taken_names_whom_it_led_to(void **state)
{
    (void)state;
    tg__closed closed;
    tg__attempt attempt = plain("");
    tg__attempt_explain(&attempt, &closed);
    assert_int_equal(closed.cause, TG__CAUSE_CONNECT);
    assert_string_equal(closed.text, "10.0.0.1 port 9443: no connection");
    attempt.detail = "Unable to connect";
    tg__attempt_explain(&attempt, &closed);
    assert_string_equal(closed.text, "10.0.0.1 port 9443: Unable to connect");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_refused_certificate_says_which_check_failed),
        cmocka_unit_test(another_tls_failure_is_no_certificate_failure),
        cmocka_unit_test(a_handshake_that_is_cut_is_a_lost_connection),
        cmocka_unit_test(a_peers_alert_is_told_in_words_whenever_it_comes),
        cmocka_unit_test(an_http_answer_keeps_status_and_delay),
        cmocka_unit_test(what_answers_but_does_not_upgrade_is_no_gateway),
        cmocka_unit_test(a_socket_that_is_not_taken_names_whom_it_led_to),
    };
    return cmocka_run_group_tests_name("sdk.attempt", tests, NULL, NULL);
}
