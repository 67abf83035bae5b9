#include "priority_follow.h"

#include "tg_cmocka.h"

static tg_client *open_client(tg_sub_id subs[2])
{
    tg_client_options opt;
    tg_client_options_init(&opt);
    opt.url = "ws://127.0.0.1:1/";
    tg_client *client = NULL;
    assert_int_equal(tg_client_open(&opt, &client), TG_OK);
    assert_int_equal(tg_client_subscribe(client, "V", "A", &subs[0]), TG_OK);
    assert_int_equal(tg_client_subscribe(client, "V", "B", &subs[1]), TG_OK);
    return client;
}

static void one_subscription_at_a_time_is_asked_for(void **state)
{
    (void)state;
    tg_sub_id subs[2];
    tg_client *client = open_client(subs);
    priority_follow follow = {0};
    priority_follow_poll(&follow, client);
    assert_int_equal(follow.state, PRIORITY_NONE);
    priority_follow_want(&follow, subs[0]);
    assert_int_equal(follow.state, PRIORITY_NONE);
    priority_follow_poll(&follow, client);
    assert_int_equal(follow.state, PRIORITY_ASKED);
    assert_int_equal(follow.asked.v, subs[0].v);
    priority_follow_want(&follow, subs[1]);
    priority_follow_poll(&follow, client);
    assert_int_equal(follow.asked.v, subs[1].v);
    priority_follow_want(&follow, (tg_sub_id){0});
    priority_follow_poll(&follow, client);
    assert_int_equal(follow.asked.v, 0);
    assert_string_equal(priority_follow_text(&follow), "not asked for");
    priority_follow_want(&follow, (tg_sub_id){0x7fff0001});
    priority_follow_poll(&follow, client);
    assert_int_equal(follow.state, PRIORITY_REFUSED);
    assert_string_equal(priority_follow_text(&follow), "refused, no such name");
    tg_client_close(client);
}

static void the_gateways_answer_counts_until_the_session_ends(void **state)
{
    (void)state;
    tg_sub_id subs[2];
    tg_client *client = open_client(subs);
    priority_follow follow = {0};
    tg_event event = {.kind = TG_EVENT_PRIORITY, .sub = subs[0]};
    priority_follow_event(&follow, &event);
    assert_int_equal(follow.state, PRIORITY_NONE);
    priority_follow_want(&follow, subs[0]);
    priority_follow_poll(&follow, client);
    event.sub = subs[1]; /* of the one before */
    priority_follow_event(&follow, &event);
    assert_int_equal(follow.state, PRIORITY_ASKED);
    event.sub = subs[0];
    priority_follow_event(&follow, &event);
    assert_int_equal(follow.state, PRIORITY_GIVEN);
    const tg_event resync = {.kind = TG_EVENT_SESSION, .state = TG_SESSION_RESYNCING};
    priority_follow_event(&follow, &resync);
    assert_int_equal(follow.state, PRIORITY_GIVEN);
    const tg_event waiting = {.kind = TG_EVENT_SESSION, .state = TG_SESSION_WAITING};
    priority_follow_event(&follow, &waiting);
    assert_int_equal(follow.state, PRIORITY_ASKED);
    event.err = TG_ERR_LIMIT;
    priority_follow_event(&follow, &event);
    assert_int_equal(follow.state, PRIORITY_REFUSED);
    assert_string_equal(priority_follow_text(&follow), "refused, limit reached: conflated");
    tg_client_close(client);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_subscription_at_a_time_is_asked_for),
        cmocka_unit_test(the_gateways_answer_counts_until_the_session_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
