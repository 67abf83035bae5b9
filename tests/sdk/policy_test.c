#include "tg_cmocka.h"

#include "policy.h"

static tg__policy_row of(tg__cause cause, int code)
{
    const tg__closed closed = {cause, (uint16_t)code, 0, ""};
    return tg__policy_of(&closed);
}

static void every_code_and_cause_has_a_row_with_a_text(void **state)
{
    (void)state;
    for (int code = 0; code <= UINT16_MAX; code++) {
        assert_non_null(of(TG__CAUSE_CLOSE_CODE, code).text);
        assert_non_null(of(TG__CAUSE_HTTP_STATUS, code).text);
    }
    for (int cause = 0; cause < TG__CAUSE_COUNT; cause++) {
        const tg__policy_row row = of((tg__cause)cause, 0);
        assert_non_null(row.text);
        assert_true(row.err != TG_OK || cause == TG__CAUSE_STOPPED);
    }
    assert_non_null(of((tg__cause)999, 0).text);
}

static void codes_mean_what_the_protocol_says(void **state)
{
    (void)state;
    static const struct {
        tg__cause cause;
        int code;
        tg__policy policy;
        tg_err err;
    } rows[] = {
        {TG__CAUSE_CLOSE_CODE, 1000, TG__POLICY_RETRY, TG_ERR_DISCONNECTED},
        {TG__CAUSE_CLOSE_CODE, 1001, TG__POLICY_RETRY, TG_ERR_DISCONNECTED},
        {TG__CAUSE_CLOSE_CODE, 1002, TG__POLICY_RETRY_SLOW, TG_ERR_PROTOCOL},
        {TG__CAUSE_CLOSE_CODE, 1003, TG__POLICY_RETRY_SLOW, TG_ERR_PROTOCOL},
        {TG__CAUSE_CLOSE_CODE, 1006, TG__POLICY_RETRY, TG_ERR_DISCONNECTED},
        {TG__CAUSE_CLOSE_CODE, 1007, TG__POLICY_RETRY_SLOW, TG_ERR_PROTOCOL},
        {TG__CAUSE_CLOSE_CODE, 1009, TG__POLICY_RETRY_SLOW, TG_ERR_FRAME_SIZE},
        {TG__CAUSE_CLOSE_CODE, 1011, TG__POLICY_RETRY, TG_ERR_DISCONNECTED},
        {TG__CAUSE_CLOSE_CODE, 1012, TG__POLICY_RETRY, TG_ERR_DISCONNECTED},
        {TG__CAUSE_CLOSE_CODE, 1013, TG__POLICY_RETRY, TG_ERR_DISCONNECTED},
        {TG__CAUSE_CLOSE_CODE, 4001, TG__POLICY_RENEW, TG_ERR_UNAUTHORIZED},
        {TG__CAUSE_CLOSE_CODE, 4003, TG__POLICY_STOP, TG_ERR_UNAUTHORIZED},
        {TG__CAUSE_CLOSE_CODE, 4004, TG__POLICY_STOP, TG_ERR_UNAUTHORIZED},
        {TG__CAUSE_CLOSE_CODE, 4008, TG__POLICY_RETRY, TG_ERR_DISCONNECTED},
        {TG__CAUSE_CLOSE_CODE, 4010, TG__POLICY_RETRY_SLOW, TG_ERR_PROTOCOL},
        {TG__CAUSE_CLOSE_CODE, 4999, TG__POLICY_RETRY_SLOW, TG_ERR_DISCONNECTED},
        {TG__CAUSE_HTTP_STATUS, 302, TG__POLICY_RETRY_SLOW, TG_ERR_REFUSED},
        {TG__CAUSE_HTTP_STATUS, 400, TG__POLICY_RETRY_SLOW, TG_ERR_REFUSED},
        {TG__CAUSE_HTTP_STATUS, 401, TG__POLICY_RENEW, TG_ERR_UNAUTHORIZED},
        {TG__CAUSE_HTTP_STATUS, 403, TG__POLICY_STOP, TG_ERR_UNAUTHORIZED},
        {TG__CAUSE_HTTP_STATUS, 404, TG__POLICY_RETRY_SLOW, TG_ERR_REFUSED},
        {TG__CAUSE_HTTP_STATUS, 407, TG__POLICY_RETRY_SLOW, TG_ERR_REFUSED},
        {TG__CAUSE_HTTP_STATUS, 429, TG__POLICY_RETRY, TG_ERR_REFUSED},
        {TG__CAUSE_HTTP_STATUS, 500, TG__POLICY_RETRY_SLOW, TG_ERR_REFUSED},
        {TG__CAUSE_HTTP_STATUS, 502, TG__POLICY_RETRY, TG_ERR_REFUSED},
        {TG__CAUSE_HTTP_STATUS, 503, TG__POLICY_RETRY, TG_ERR_REFUSED},
        {TG__CAUSE_PROXY, 0, TG__POLICY_RETRY, TG_ERR_CONNECT},
        {TG__CAUSE_PROXY, 403, TG__POLICY_RETRY_SLOW, TG_ERR_REFUSED},
        {TG__CAUSE_PROXY, 407, TG__POLICY_STOP, TG_ERR_REFUSED},
        {TG__CAUSE_PROXY, 429, TG__POLICY_RETRY, TG_ERR_CONNECT},
        {TG__CAUSE_PROXY, 503, TG__POLICY_RETRY, TG_ERR_CONNECT},
        {TG__CAUSE_RESOLVE, 0, TG__POLICY_RETRY, TG_ERR_CONNECT},
        {TG__CAUSE_CONNECT, 0, TG__POLICY_RETRY, TG_ERR_CONNECT},
        {TG__CAUSE_TLS, 0, TG__POLICY_RETRY_SLOW, TG_ERR_TLS},
        {TG__CAUSE_CERTIFICATE, 0, TG__POLICY_RETRY_SLOW, TG_ERR_CERTIFICATE},
        {TG__CAUSE_UPGRADE, 0, TG__POLICY_RETRY_SLOW, TG_ERR_REFUSED},
        {TG__CAUSE_TIMEOUT, 0, TG__POLICY_RETRY, TG_ERR_TIMEOUT},
        {TG__CAUSE_PEER_FAULT, 0, TG__POLICY_RETRY_SLOW, TG_ERR_PROTOCOL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const tg__policy_row row = of(rows[i].cause, rows[i].code);
        if (row.policy != rows[i].policy || row.err != rows[i].err) {
            fail_msg("cause %d code %d: policy %d, %s", (int)rows[i].cause, rows[i].code,
                     (int)row.policy, tg_err_name(row.err));
        }
    }
}

static void who_is_told_to_wait_without_a_time_waits_a_second(void **state)
{
    (void)state;
    assert_int_equal(of(TG__CAUSE_HTTP_STATUS, 429).floor_ms, 1000);
    assert_int_equal(of(TG__CAUSE_HTTP_STATUS, 503).floor_ms, 1000);
    assert_int_equal(of(TG__CAUSE_CLOSE_CODE, 1013).floor_ms, 1000);
    assert_int_equal(of(TG__CAUSE_CLOSE_CODE, 1012).floor_ms, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_and_cause_has_a_row_with_a_text),
        cmocka_unit_test(codes_mean_what_the_protocol_says),
        cmocka_unit_test(who_is_told_to_wait_without_a_time_waits_a_second),
    };
    return cmocka_run_group_tests_name("sdk.policy", tests, NULL, NULL);
}
