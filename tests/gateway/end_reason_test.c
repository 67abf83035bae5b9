#include "tg_cmocka.h"

#include "hub_fixture.h"

static const tg_instrument_id three[] = {3, 7, 9};

static void subscribe(hub_client *client, const tg_instrument_id *ids, size_t count)
{
    hub_client_request(client, TG__KIND_SUBSCRIBE, TG__CHANNEL_CONFLATED, ids, count);
}

/* In each case the fixture audits the index behind it. */
static void every_end_is_counted_by_its_reason_and_leaves_the_index_right(void **state)
{
    hub_fixture *fixture = *state;
    static const struct {
        uint16_t close_code; /* 0: the transport saw it end */
        tg__end_reason seen;
        tg__end_reason counted;
    } cases[] = {
        {0, TG__END_CLIENT_CLOSE, TG__END_CLIENT_CLOSE},
        {0, TG__END_LOST, TG__END_LOST},
        {0, TG__END_RESET, TG__END_RESET},
        {0, TG__END_TIMEOUT, TG__END_TIMEOUT},
        {TG__CLOSE_SLOW_CONSUMER, TG__END_RESET, TG__END_SLOW},
        {TG__CLOSE_SERVICE_RESTART, TG__END_CLIENT_CLOSE, TG__END_DRAIN},
        {TG__CLOSE_BAD_MESSAGE, TG__END_LOST, TG__END_PROTOCOL},
        {TG__CLOSE_TOKEN_EXPIRED, TG__END_LOST, TG__END_CREDENTIALS},
        {TG__CLOSE_TRY_AGAIN_LATER, TG__END_LOST, TG__END_RESOURCES},
        {TG__CLOSE_GOING_AWAY, TG__END_LOST, TG__END_SERVER_STOP},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hub_client stays;
        hub_client goes;
        hub_client_open(&stays, fixture);
        hub_client_open(&goes, fixture);
        subscribe(&stays, three, 3);
        subscribe(&goes, three, 3);
        hub_client_request(&goes, TG__KIND_SUBSCRIBE, TG__CHANNEL_PRIORITY, three, 2);
        hub_client_request(&stays, TG__KIND_SUBSCRIBE, TG__CHANNEL_PRIORITY, three + 1, 2);
        if (cases[i].close_code != 0) {
            tg__hub_close_peer(fixture->hub, goes.peer, cases[i].close_code, 1);
        }
        const uint64_t before = fixture->hub->counts.ends[cases[i].counted];
        hub_client_end(&goes, cases[i].seen);
        assert_int_equal(fixture->hub->counts.ends[cases[i].counted], before + 1);
        hub_fixture_tick(fixture, 7, (int64_t)i); /* touches nothing that was freed */
        hub_fixture_boundary(fixture);
        hub_client_close(&stays);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            every_end_is_counted_by_its_reason_and_leaves_the_index_right, hub_fixture_set_up,
            hub_fixture_tear_down),
    };
    return cmocka_run_group_tests_name("gateway.end_reason", tests, NULL, NULL);
}
