#include "tg_cmocka.h"

#include <string.h>

#include "swarm_program_options.h"

#define PARSE(out, reason, ...)                                                                    \
    swarm_program_options_parse(out,                                                               \
                                (int)(sizeof(char *[]){"swarm", __VA_ARGS__} / sizeof(char *)),    \
                                (char *[]){"swarm", __VA_ARGS__}, reason)

static void every_option_has_its_place(void **state)
{
    (void)state;
    swarm_program_options o;
    why reason;
    assert_true(PARSE(&o, &reason, "--clients", "300", "--within", "7", "--scenario", "vpn-loss",
                      "--share", "40", "--seed", "18446744073709551615", "--watchlist-sizes",
                      "5:100", "--lists", "9", "--tick-log", "ticks", "--seconds", "3", "--step",
                      "--json", "wss://localhost:9443"));
    assert_int_equal(o.scenario.clients, 300);
    assert_int_equal(o.scenario.within_ms, 7000);
    assert_int_equal(o.scenario.kind, SCENARIO_VPN_LOSS);
    assert_int_equal(o.scenario.share_percent, 40);
    assert_true(o.scenario.seed == UINT64_MAX);
    assert_int_equal(o.sizes.size[0], 5);
    assert_int_equal(o.lists, 9);
    assert_string_equal(o.tick_log, "ticks");
    assert_int_equal(o.seconds, 3);
    assert_true(o.stepped && o.json && !o.uniform);
    assert_string_equal(o.url, "wss://localhost:9443");
}

static void a_mistake_names_the_option(void **state)
{
    (void)state;
    swarm_program_options o;
    why reason;
    assert_false(PARSE(&o, &reason, "--clients", "4001", "wss://a"));
    assert_non_null(strstr(reason.text, "--clients 4001"));
    assert_false(PARSE(&o, &reason, "--clients", "0", "wss://a"));
    assert_non_null(strstr(reason.text, "--clients 0"));
    assert_false(PARSE(&o, &reason, "--seed", "18446744073709551616", "wss://a"));
    assert_non_null(strstr(reason.text, "--seed"));
    assert_false(PARSE(&o, &reason, "--scenario", "storm", "wss://a"));
    assert_non_null(strstr(reason.text, "--scenario storm"));
    assert_false(PARSE(&o, &reason, "--watchlist-sizes", "5:99", "wss://a"));
    assert_non_null(strstr(reason.text, "99 per cent"));
    assert_false(PARSE(&o, &reason, "wss://a", "wss://b"));
    assert_non_null(strstr(reason.text, "wss://b"));
    assert_false(PARSE(&o, &reason, "wss://a", "--tick-log"));
    assert_non_null(strstr(reason.text, "--tick-log"));
    assert_false(PARSE(&o, &reason, "--fast", "1", "wss://a"));
    assert_non_null(strstr(reason.text, "--fast"));
    assert_false(PARSE(&o, &reason, "--json"));
    assert_non_null(strstr(reason.text, "no URL"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_option_has_its_place),
        cmocka_unit_test(a_mistake_names_the_option),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
