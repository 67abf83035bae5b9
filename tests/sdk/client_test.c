/* The public client without a gateway: what open refuses, and what can be asked before a session.
 */
#include "tg_cmocka.h"

#include <string.h>

#include <tickglass/client.h>
#include <tickglass/histogram.h>

static tg_client_options plain(void)
{
    tg_client_options opt;
    tg_client_options_init(&opt);
    opt.url = "ws://127.0.0.1:1";
    return opt;
}

static void open_refuses_what_it_cannot_use(void **state)
{
    (void)state;
    tg_client *client = NULL;
    tg_client_options opt = plain();
    assert_int_equal(tg_client_open(NULL, &client), TG_ERR_INVALID_ARGUMENT);
    assert_int_equal(tg_client_open(&opt, NULL), TG_ERR_INVALID_ARGUMENT);
    opt.url = NULL;
    assert_int_equal(tg_client_open(&opt, &client), TG_ERR_INVALID_ARGUMENT);
    opt.url = "ws://example.com";
    assert_int_equal(tg_client_open(&opt, &client), TG_ERR_URL);
    opt = plain();
    opt.instruments_max = 65536;
    assert_int_equal(tg_client_open(&opt, &client), TG_ERR_INVALID_ARGUMENT);
    opt = plain();
    opt.readers_max = 64;
    assert_int_equal(tg_client_open(&opt, &client), TG_ERR_INVALID_ARGUMENT);
    opt = plain();
    opt.backoff_first_ms = 20000; /* over the default cap */
    assert_int_equal(tg_client_open(&opt, &client), TG_ERR_INVALID_ARGUMENT);
    opt = plain();
    opt.token = "two\r\nX-Lines: yes";
    assert_int_equal(tg_client_open(&opt, &client), TG_ERR_INVALID_ARGUMENT);
    opt = plain();
    opt.url = "wss://127.0.0.1:1";
    opt.ca_file = "no-such-file.pem";
    assert_int_equal(tg_client_open(&opt, &client), TG_ERR_CERTIFICATE);
    assert_null(client);
}

static void a_refused_open_says_why(void **state)
{
    (void)state;
    tg_client *client = NULL;
    char why[256] = "from before";
    tg_client_options opt = plain();
    opt.error_text = why;
    opt.error_text_size = sizeof why;
    assert_int_equal(tg_client_open(&opt, &client), TG_OK);
    assert_string_equal(why, "");
    tg_client_close(client);
    opt.readers_max = 64;
    assert_int_equal(tg_client_open(&opt, &client), TG_ERR_INVALID_ARGUMENT);
    assert_string_equal(why, tg_err_text(TG_ERR_INVALID_ARGUMENT));
    opt.readers_max = 0;
    opt.url = "wss://127.0.0.1:1";
    opt.ca_file = "no-such-file.pem";
    assert_int_equal(tg_client_open(&opt, &client), TG_ERR_CERTIFICATE);
    assert_string_equal(why, "cannot read no-such-file.pem: No such file or directory");
    opt.error_text_size = 12;
    assert_int_equal(tg_client_open(&opt, &client), TG_ERR_CERTIFICATE);
    assert_string_equal(why, "cannot read");
    opt.error_text_size = 0;
    assert_int_equal(tg_client_open(&opt, &client), TG_ERR_CERTIFICATE);
    assert_string_equal(why, "cannot read");
}

static void older_and_newer_headers_are_told_apart(void **state)
{
    (void)state;
    tg_client *client = NULL;
    struct {
        tg_client_options opt;
        uint64_t newer;
    } longer;
    memset(&longer, 0, sizeof longer);
    longer.opt = plain();
    longer.opt.struct_size = sizeof longer;
    assert_int_equal(tg_client_open(&longer.opt, &client), TG_OK);
    tg_client_close(client);
    longer.newer = 1;
    assert_int_equal(tg_client_open(&longer.opt, &client), TG_ERR_UNSUPPORTED);
    tg_client_options shorter = plain();
    shorter.struct_size = offsetof(tg_client_options, ca_file);
    shorter.instruments_max = UINT32_MAX; /* beyond its end: not read */
    assert_int_equal(tg_client_open(&shorter, &client), TG_OK);
    tg_client_close(client);
    shorter.struct_size = 4;
    assert_int_equal(tg_client_open(&shorter, &client), TG_ERR_INVALID_ARGUMENT);
}

static void history_and_transitions_are_off_or_within_their_limits(void **state)
{
    (void)state;
    tg_client *client = NULL;
    tg_client_options opt = plain();
    opt.transitions_max = UINT32_MAX;
    assert_int_equal(tg_client_open(&opt, &client), TG_ERR_INVALID_ARGUMENT);
    opt = plain();
    opt.history_points = UINT32_MAX;
    assert_int_equal(tg_client_open(&opt, &client), TG_ERR_INVALID_ARGUMENT);
    opt = plain();
    opt.instruments_max = 10;
    opt.history_points = 60;
    opt.history_instruments = 11;
    assert_int_equal(tg_client_open(&opt, &client), TG_ERR_INVALID_ARGUMENT);
    opt.history_instruments = 0;
    assert_int_equal(tg_client_open(&opt, &client), TG_OK);
    tg_transition told;
    assert_int_equal(tg_store_transitions(tg_client_store(client), 0, &told, 1), 0);
    tg_client_close(client);
}

static void every_slot_can_be_subscribed_before_the_start(void **state)
{
    (void)state;
    tg_client *client = NULL;
    tg_client_options opt = plain();
    opt.instruments_max = 100;
    assert_int_equal(tg_client_open(&opt, &client), TG_OK);
    tg_sub_id subs[200];
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < 200; i++) {
            assert_int_equal(tg_client_subscribe(client, "V", "S", &subs[i]), TG_OK);
        }
        tg_sub_id more;
        assert_int_equal(tg_client_subscribe(client, "V", "S", &more), TG_ERR_FULL);
        for (size_t i = 0; i < 200; i++) {
            assert_int_equal(tg_client_unsubscribe(client, subs[i]), TG_OK);
        }
        /* The network thread, here us, gives the slots free. */
        assert_int_equal(tg_client_step(client, 60000000), TG_OK);
    }
    tg_client_close(client);
}

static void what_there_is_before_a_session(void **state)
{
    (void)state;
    tg_client *client = NULL;
    tg_client_options opt = plain();
    assert_int_equal(tg_client_open(&opt, &client), TG_OK);
    assert_int_equal(tg_client_state(client), TG_SESSION_IDLE);
    assert_string_equal(tg_session_state_name(TG_SESSION_RESYNCING), "RESYNCING");
    assert_non_null(tg_client_store(client));
    tg_event event;
    assert_int_equal(tg_client_event(client, &event), TG_ERR_NOT_FOUND);
    uint32_t request = 0;
    assert_int_equal(tg_client_find(client, NULL, NULL, NULL, NULL, 10, &request), TG_ERR_STATE);
    assert_int_equal(tg_client_find(client, NULL, NULL, NULL, NULL, 0, &request),
                     TG_ERR_INVALID_ARGUMENT);
    tg_client_counters counters = {.struct_size = sizeof counters};
    assert_int_equal(tg_client_counters_get(client, &counters), TG_OK);
    assert_int_equal(counters.rtt_ns, -1);
    assert_int_equal(counters.attempts, 0);
    counters.struct_size = 0;
    assert_int_equal(tg_client_counters_get(client, &counters), TG_ERR_INVALID_ARGUMENT);
    tg_histogram *stage = NULL;
    assert_int_equal(tg_histogram_open(NULL, &stage), TG_OK);
    assert_int_equal(tg_client_stage(client, TG_STAGE_COUNT, stage), TG_ERR_INVALID_ARGUMENT);
    assert_int_equal(tg_client_stage(client, TG_STAGE_DECODE, stage), TG_OK);
    tg_histogram_close(stage);
    char text[64] = "x";
    tg_client_last_error(client, text, sizeof text);
    assert_string_equal(text, "");
    tg_client_stop(client); /* nothing to stop */
    tg_client_close(client);
    tg_client_close(NULL);
    tg_client_stop(NULL);
}

static void the_build_names_its_parts(void **state)
{
    (void)state;
    const char *info = tg_build_info();
    assert_int_equal(strncmp(info, "tickglass 0.1.0 libwebsockets ", 30), 0);
    assert_non_null(strstr(info, " mbedTLS "));
    assert_ptr_equal(info, tg_build_info());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_refuses_what_it_cannot_use),
        cmocka_unit_test(a_refused_open_says_why),
        cmocka_unit_test(older_and_newer_headers_are_told_apart),
        cmocka_unit_test(history_and_transitions_are_off_or_within_their_limits),
        cmocka_unit_test(every_slot_can_be_subscribed_before_the_start),
        cmocka_unit_test(what_there_is_before_a_session),
        cmocka_unit_test(the_build_names_its_parts),
    };
    return cmocka_run_group_tests_name("sdk.client", tests, NULL, NULL);
}
