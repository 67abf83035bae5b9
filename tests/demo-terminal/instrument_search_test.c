/* Without a gateway: what is asked when, and which answers count. The search itself against a real
 * one is in terminal_test.c. */
#include "instrument_search.h"

#include "tg_cmocka.h"

static tg_client *open_client(void)
{
    tg_client_options opt;
    tg_client_options_init(&opt);
    opt.url = "ws://127.0.0.1:1/";
    tg_client *client = NULL;
    assert_int_equal(tg_client_open(&opt, &client), TG_OK);
    return client;
}

static void without_a_session_nothing_is_asked_and_nothing_is_taken(void **state)
{
    (void)state;
    instrument_search *search = NULL;
    tg_client *client = open_client();
    const tg_instrument stray = {.symbol = "S"};
    assert_int_equal(instrument_search_open(&search), TG_OK);
    assert_int_equal(instrument_search_state(search), SEARCH_NOTHING_ASKED);
    assert_false(instrument_search_poll(search, client, 1));
    instrument_search_for(search, "btc");
    assert_int_equal(instrument_search_state(search), SEARCH_UNDER_WAY);
    assert_false(instrument_search_poll(search, client, 0));
    /* The client has not been started: it refuses, and is asked again later. */
    assert_false(instrument_search_poll(search, client, 1));
    assert_false(instrument_search_found(search, 0, "V", &stray, false));
    assert_false(instrument_search_found(search, 0, "V", NULL, false));
    assert_false(instrument_search_poll(search, client, 1));
    assert_int_equal(instrument_search_count(search), 0);
    instrument_search_for(search, "");
    assert_int_equal(instrument_search_state(search), SEARCH_NOTHING_ASKED);
    tg_client_close(client);
    instrument_search_close(search);
    instrument_search_close(NULL);
}

/* Started, a client takes questions before it is connected: their answers are played here. */
static void answers_to_earlier_texts_do_not_count_and_capitals_are_tried(void **state)
{
    (void)state;
    instrument_search *search = NULL;
    tg_client *client = open_client();
    const tg_instrument found = {.symbol = "BTCUSDT"};
    assert_int_equal(tg_client_start(client), TG_OK);
    assert_int_equal(instrument_search_open(&search), TG_OK);
    uint32_t before = 0;
    assert_int_equal(tg_client_find(client, NULL, "x", NULL, NULL, 1, &before), TG_OK);
    instrument_search_for(search, "b");
    (void)instrument_search_poll(search, client, 1);
    instrument_search_for(search, "btc");
    (void)instrument_search_poll(search, client, 1);
    uint32_t after = 0;
    assert_int_equal(tg_client_find(client, NULL, "x", NULL, NULL, 1, &after), TG_OK);
    assert_int_equal(after - before, 3); /* one for each text */
    assert_false(instrument_search_found(search, before + 1, "V", NULL, false));
    assert_false(instrument_search_found(search, before + 3, "V", NULL, false));
    assert_true(instrument_search_found(search, before + 2, "V", NULL, false));
    /* Nothing: asked once more as BTC. */
    assert_false(instrument_search_poll(search, client, 1));
    assert_false(instrument_search_found(search, after + 1, "V", &found, false));
    assert_true(instrument_search_found(search, after + 1, "V", NULL, true));
    assert_true(instrument_search_poll(search, client, 1));
    assert_int_equal(instrument_search_state(search), SEARCH_ANSWERED);
    assert_int_equal(instrument_search_count(search), 1);
    assert_true(instrument_search_has_more(search));
    assert_string_equal(instrument_search_at(search, 0)->symbol, "BTCUSDT");
    /* The session was lost while a question was under way: it is asked again. */
    instrument_search_for(search, "ETH");
    (void)instrument_search_poll(search, client, 1);
    (void)instrument_search_poll(search, client, 2);
    assert_false(instrument_search_found(search, after + 2, "V", NULL, false));
    assert_true(instrument_search_found(search, after + 3, "V", NULL, false));
    assert_true(instrument_search_poll(search, client, 2));
    assert_int_equal(instrument_search_count(search), 0);
    tg_client_stop(client);
    tg_client_close(client);
    instrument_search_close(search);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_session_nothing_is_asked_and_nothing_is_taken),
        cmocka_unit_test(answers_to_earlier_texts_do_not_count_and_capitals_are_tried),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
