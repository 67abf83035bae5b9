#include "echo_watch.h"

#include "tg_cmocka.h"

/* A reply of which the client measured something: tests/demo-terminal/tick_to_glass_test.c. */

static tg_client *some_client(void)
{
    tg_client_options options;
    tg_client_options_init(&options);
    options.url = "ws://127.0.0.1:1";
    tg_client *client = NULL;
    assert_int_equal(tg_client_open(&options, &client), TG_OK);
    return client;
}

static void the_cookie_is_read_of_replies_only(void **state)
{
    (void)state;
    static const unsigned char reply[] = {0x02, 0x08, 7, 6, 5, 4, 3, 2, 1,
                                          0,    0,    0, 0, 0, 0, 0, 0, 9};
    echo_watch watch = {0};
    echo_watch_message(&watch, reply, 16, 55); /* too short */
    assert_false(watch.waiting);
    echo_watch_message(&watch, reply + 1, 17, 55); /* of another kind */
    assert_false(watch.waiting);
    echo_watch_message(&watch, "", 0, 55);
    assert_false(watch.waiting);
    echo_watch_message(&watch, reply, sizeof reply, 55); /* longer than today's */
    assert_true(watch.waiting);
    assert_true(watch.cookie == UINT64_C(0x0102030405060708));
    assert_int_equal(watch.received_mono_ns, 55);
}

static void a_reply_that_the_client_did_not_take_is_forgotten(void **state)
{
    (void)state;
    tg_client *client = some_client();
    echo_watch watch = {.waiting = true, .cookie = 7, .received_mono_ns = 0};
    echo_times times;
    assert_false(echo_watch_take(&watch, client, &times)); /* no round trip was measured */
    assert_false(watch.waiting);
    assert_false(echo_watch_take(&watch, client, &times));
    tg_client_close(client);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cookie_is_read_of_replies_only),
        cmocka_unit_test(a_reply_that_the_client_did_not_take_is_forgotten),
    };
    return cmocka_run_group_tests_name("demo-terminal.echo_watch", tests, NULL, NULL);
}
