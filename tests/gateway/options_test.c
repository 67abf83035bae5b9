#include "tg_cmocka.h"

#include <string.h>

#include "options.h"

#define PARSE(options, cause, ...)                                                                 \
    parse((options), (cause), (const char *const[]){"tickglass-gateway", __VA_ARGS__, NULL})

static tg_err parse(tg__options *options, tg__cause *cause, const char *const *argv)
{
    int argc = 0;
    while (argv[argc] != NULL) {
        argc++;
    }
    return tg__options_parse(options, argc, (char *const *)(uintptr_t)argv, cause);
}

static void nothing_means_the_simulated_market_on_a_free_port(void **state)
{
    (void)state;
    tg__options o;
    tg__cause cause;
    assert_int_equal(PARSE(&o, &cause, "--sim"), TG_OK);
    assert_null(o.tape);
    assert_int_equal(o.seed, 1);
    assert_int_equal(o.speed_milli, 1000);
    assert_int_equal(o.feeds, 1);
    assert_int_equal(o.upgrades_per_second, 1200);
    assert_int_equal(o.upgrade_burst, 2500);
    assert_int_equal(o.handshakes_max, 64);
    assert_null(o.jwt_keys);
    assert_string_equal(o.listen_host, "127.0.0.1");
    assert_int_equal(o.listen_port, 0);
    assert_string_equal(o.metrics_host, "");
    assert_int_equal(o.sim.ticks_per_s, 20000);
    assert_int_equal(o.sim.open_s, 0);
    assert_int_equal(o.sim.release_every_s, 300);
}

static void the_simulated_market_has_options_of_its_own(void **state)
{
    (void)state;
    tg__options o;
    tg__cause cause;
    assert_int_equal(PARSE(&o, &cause, "--sim-rate", "30000", "--sim-open-s", "60",
                           "--sim-release-s", "0,30,86400"),
                     TG_OK);
    assert_int_equal(o.sim.ticks_per_s, 30000);
    assert_int_equal(o.sim.open_s, 60);
    assert_int_equal(o.sim.release_count, 3);
    assert_int_equal(o.sim.release_s[0], 0);
    assert_int_equal(o.sim.release_s[1], 30);
    assert_int_equal(o.sim.release_s[2], 86400);
    assert_int_equal(PARSE(&o, &cause, "--sim-release-s", "never"), TG_OK);
    assert_int_equal(o.sim.release_count, 0);
    assert_int_equal(o.sim.release_every_s, 0);
    assert_int_equal(PARSE(&o, &cause, "--sim-rate", "30000", "--tape", "t"),
                     TG_ERR_INVALID_ARGUMENT);
}

static void every_option_is_taken(void **state)
{
    (void)state;
    tg__options o;
    tg__cause cause;
    assert_int_equal(PARSE(&o, &cause, "--tape", "t.csv.xz", "--speed", "2.5", "--loop",
                           "--merge-feeds", "--feeds", "2", "--skew-ms", "6:9", "--listen",
                           "[::1]:9443", "--port-file", "p", "--state-dir", "d", "--token-file",
                           "k", "--write-tape", "w", "--tick-log", "t", "--record", "r", "--faults",
                           "f", "--metrics-dir", "m", "--metrics-listen", "127.0.0.1:9100",
                           "--keep-times", "--hold-until-subscribed", "--bus", "b", "--seed",
                           "18446744073709551615", "--jwt-keys", "j", "--jwt-issuer", "i",
                           "--jwt-audience", "a", "--ticket-key-file", "t", "--upgrades-per-second",
                           "7", "--upgrade-burst", "8", "--handshakes-max", "9"),
                     TG_OK);
    assert_string_equal(o.tape, "t.csv.xz");
    assert_int_equal(o.speed_milli, 2500);
    assert_true(o.loop && o.merge_feeds && o.keep_times && o.hold_until_subscribed);
    assert_int_equal(o.feeds, 2);
    assert_int_equal(o.skew_min_ns, 6000000);
    assert_int_equal(o.skew_max_ns, 9000000);
    assert_string_equal(o.listen_host, "::1");
    assert_int_equal(o.listen_port, 9443);
    assert_string_equal(o.port_file, "p");
    assert_string_equal(o.state_dir, "d");
    assert_string_equal(o.token_file, "k");
    assert_string_equal(o.jwt_keys, "j");
    assert_string_equal(o.jwt_issuer, "i");
    assert_string_equal(o.jwt_audience, "a");
    assert_string_equal(o.ticket_key_file, "t");
    assert_int_equal(o.upgrades_per_second, 7);
    assert_int_equal(o.upgrade_burst, 8);
    assert_int_equal(o.handshakes_max, 9);
    assert_string_equal(o.write_tape, "w");
    assert_string_equal(o.tick_log, "t");
    assert_string_equal(o.record, "r");
    assert_string_equal(o.metrics_dir, "m");
    assert_string_equal(o.faults, "f");
    assert_string_equal(o.metrics_host, "127.0.0.1");
    assert_int_equal(o.metrics_port, 9100);
    assert_string_equal(o.bus, "b");
    assert_true(o.seed == UINT64_MAX);
    assert_int_equal(PARSE(&o, &cause, "--from-bus", "b", "--state-dir", "d"), TG_OK);
    assert_string_equal(o.from_bus, "b");
}

static void bad_values_are_named(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        {"--speed", "-1", "--speed -1: expected"},
        {"--speed", "fast", "--speed fast: expected"},
        {"--speed", "0.0001", "--speed 0.0001: expected"},
        {"--speed", "1000001", "--speed 1000001: expected"},
        {"--feeds", "3", "--feeds 3: expected a whole number from 1 to 2"},
        {"--feeds", "0", "--feeds 0: expected a whole number from 1 to 2"},
        {"--skew-ms", "9:6", "--skew-ms 9:6: expected"},
        {"--skew-ms", "6", "--skew-ms 6: expected"},
        {"--skew-ms", "6:", "--skew-ms 6:: expected"},
        {"--listen", "9443", "--listen 9443: expected"},
        {"--listen", "::1:9443", "--listen ::1:9443: expected"},
        {"--listen", "localhost:65536", "--listen localhost:65536: expected"},
        {"--metrics-listen", "9100", "--metrics-listen 9100: expected"},
        {"--seed", "18446744073709551616", "expected an unsigned"},
        {"--seed", "", "expected an unsigned"},
        {"--handshakes-max", "0", "--handshakes-max 0: expected a whole number from 1"},
        {"--upgrade-burst", "1000001", "--upgrade-burst 1000001: expected"},
        {"--upgrades-per-second", "", "--upgrades-per-second : expected"},
        {"--jwt-issuer", "x", "belong to --jwt-keys"},
        {"--sim-rate", "99", "--sim-rate 99: expected a whole number from 100 to 1000000"},
        {"--sim-rate", "1000001", "--sim-rate 1000001: expected a whole"},
        {"--sim-rate", "", "--sim-rate : expected"},
        {"--sim-open-s", "86401", "--sim-open-s 86401: expected"},
        {"--sim-release-s", "30,30", "--sim-release-s 30,30: expected never"},
        {"--sim-release-s", "30,", "--sim-release-s 30,: expected"},
        {"--sim-release-s", "", "--sim-release-s : expected"},
        {"--sim-release-s", "86401", "expected never"},
        {"--sim-release-s", "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17", "up to 16"},
        {"--sim-release-s", "1,00000000000000000000002", "expected never"},
        {"--what", "x", "--what: there is no such option"},
        {"--merge-feeds", "--sim", "belong to --tape"},
        {"--loop", "--from-bus", "--from-bus: its value is missing"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tg__options o;
        tg__cause cause;
        assert_int_equal(PARSE(&o, &cause, cases[i][0], cases[i][1]), TG_ERR_INVALID_ARGUMENT);
        assert_non_null(strstr(cause.text, cases[i][2]));
    }
    tg__options o;
    tg__cause cause;
    assert_int_equal(PARSE(&o, &cause, "--tape"), TG_ERR_INVALID_ARGUMENT);
    assert_string_equal(cause.text, "--tape: its value is missing");
    assert_int_equal(PARSE(&o, &cause, "--sim", "--tape", "t"), TG_ERR_INVALID_ARGUMENT);
    assert_int_equal(PARSE(&o, &cause, "--from-bus", "b", "--tape", "t"), TG_ERR_INVALID_ARGUMENT);
    assert_string_equal(cause.text,
                        "--tape belongs to the node that plays the market, not to --from-bus");
}

static void drain_and_hang_up_have_defaults_and_ranges(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"--drain-percent", "0"},         {"--drain-percent", "101"},
        {"--drain-interval-ms", "0"},     {"--drain-interval-ms", "x"},
        {"--drain-interval-ms", "60001"}, {"--hang-up-after-s", "1"},
        {"--hang-up-after-s", ""},
    };
    tg__options o;
    tg__cause cause;
    assert_int_equal(PARSE(&o, &cause, "--sim"), TG_OK);
    assert_int_equal(o.drain_percent, 2);
    assert_int_equal(o.drain_interval_ms, 250);
    assert_int_equal(o.hang_up_after_s, 60);
    assert_int_equal(PARSE(&o, &cause, "--drain-percent", "100", "--drain-interval-ms", "1",
                           "--hang-up-after-s", "2"),
                     TG_OK);
    assert_int_equal(o.drain_percent, 100);
    assert_int_equal(o.drain_interval_ms, 1);
    assert_int_equal(o.hang_up_after_s, 2);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(PARSE(&o, &cause, bad[i][0], bad[i][1]), TG_ERR_INVALID_ARGUMENT);
        assert_non_null(strstr(cause.text, bad[i][0]));
        assert_non_null(strstr(cause.text, "expected "));
        assert_non_null(strstr(tg__options_help, bad[i][0]));
    }
}

static void the_help_names_every_option(void **state)
{
    (void)state;
    static const char *const names[] = {"--sim",
                                        "--tape",
                                        "--seed",
                                        "--speed",
                                        "--loop",
                                        "--keep-times",
                                        "--merge-feeds",
                                        "--feeds",
                                        "--skew-ms",
                                        "--listen",
                                        "--port-file",
                                        "--state-dir",
                                        "--token-file",
                                        "--write-tape",
                                        "--hold-until-subscribed",
                                        "--tick-log",
                                        "--metrics-dir",
                                        "--metrics-listen",
                                        "--faults",
                                        "--sim-rate",
                                        "--sim-open-s",
                                        "--sim-release-s",
                                        "--bus",
                                        "--from-bus",
                                        "--frames-per-digest",
                                        "--jwt-keys",
                                        "--jwt-issuer",
                                        "--jwt-audience",
                                        "--ticket-key-file",
                                        "--upgrades-per-second",
                                        "--upgrade-burst",
                                        "--handshakes-max"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_non_null(strstr(tg__options_help, names[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_means_the_simulated_market_on_a_free_port),
        cmocka_unit_test(every_option_is_taken),
        cmocka_unit_test(the_simulated_market_has_options_of_its_own),
        cmocka_unit_test(bad_values_are_named),
        cmocka_unit_test(drain_and_hang_up_have_defaults_and_ranges),
        cmocka_unit_test(the_help_names_every_option),
    };
    return cmocka_run_group_tests_name("gateway.options", tests, NULL, NULL);
}
