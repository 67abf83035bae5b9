#include "tg_cmocka.h"

#include "reach.h"

static void a_client_that_answers_is_never_behind(void **state)
{
    (void)state;
    tg__reach reach = {0};
    uint8_t payload[TG__REACH_MARK_SIZE];
    unsigned pings = 0;
    for (int64_t now = 0; now < 10 * TG__REACH_BEHIND_NS; now += TG__REACH_PING_NS / 10) {
        assert_false(tg__reach_is_behind(&reach, now));
        if (tg__reach_ping(&reach, now, payload)) {
            pings++;
            assert_true(tg__reach_pong(&reach, payload, sizeof payload));
        }
    }
    assert_int_equal(pings, 20);
}

static void a_silent_client_stops_the_data_until_its_pong(void **state)
{
    (void)state;
    tg__reach reach = {0};
    uint8_t payload[TG__REACH_MARK_SIZE];
    assert_true(tg__reach_ping(&reach, 5, payload));
    assert_false(tg__reach_is_behind(&reach, 5 + TG__REACH_BEHIND_NS));
    assert_true(tg__reach_is_behind(&reach, 6 + TG__REACH_BEHIND_NS));
    uint8_t more[TG__REACH_MARK_SIZE];
    assert_false(tg__reach_ping(&reach, 9 * TG__REACH_BEHIND_NS, more)); /* one at a time */
    assert_true(tg__reach_pong(&reach, payload, sizeof payload));
    assert_false(tg__reach_is_behind(&reach, 9 * TG__REACH_BEHIND_NS));
}

static void only_the_latest_ping_can_be_answered(void **state)
{
    (void)state;
    tg__reach reach = {0};
    uint8_t first[TG__REACH_MARK_SIZE];
    uint8_t second[TG__REACH_MARK_SIZE];
    assert_false(tg__reach_pong(&reach, (const uint8_t *)"\0\0\0\0\0\0\0\0", 8));
    assert_true(tg__reach_ping(&reach, 0, first));
    assert_false(tg__reach_pong(&reach, first, 7));
    assert_false(tg__reach_pong(&reach, first, 0));
    assert_true(tg__reach_pong(&reach, first, sizeof first));
    assert_true(tg__reach_ping(&reach, TG__REACH_PING_NS, second));
    assert_false(tg__reach_pong(&reach, first, sizeof first));
    assert_true(tg__reach_pong(&reach, second, sizeof second));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_client_that_answers_is_never_behind),
        cmocka_unit_test(a_silent_client_stops_the_data_until_its_pong),
        cmocka_unit_test(only_the_latest_ping_can_be_answered),
    };
    return cmocka_run_group_tests_name("gateway.reach", tests, NULL, NULL);
}
