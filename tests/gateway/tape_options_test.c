#include "tg_cmocka.h"

#include <string.h>

#include "tape_options.h"

static tg__tape_options options;
static tg__cause cause;

static tg_err parse(const char *const *words)
{
    char *argv[16] = {"tickglass-tape"};
    static char copies[16][64];
    int argc = 1;
    for (; words[argc - 1] != NULL; argc++) {
        assert_true(strlen(words[argc - 1]) < sizeof copies[0]);
        strcpy(copies[argc], words[argc - 1]);
        argv[argc] = copies[argc];
    }
    return tg__tape_options_parse(&options, argc, argv, &cause);
}

#define PARSE(...) parse((const char *const[]){__VA_ARGS__, NULL})

static void a_whole_command_line_is_read(void **state)
{
    (void)state;
    assert_int_equal(PARSE("convert", "--from", "okex", "a.xz", "b.xz", "--out", "o.csv",
                           "--errors-max", "7", "--progress"),
                     TG_OK);
    assert_int_equal(options.command, TG__TAPE_CONVERT);
    assert_string_equal(options.from, "okex");
    assert_string_equal(options.out, "o.csv");
    assert_int_equal(options.errors_max, 7);
    assert_true(options.progress);
    assert_int_equal(options.input_count, 2);
    assert_string_equal(options.inputs[1], "b.xz");
    assert_int_equal(PARSE("check", "a"), TG_OK);
    assert_int_equal(options.command, TG__TAPE_CHECK);
    assert_null(options.from);
    assert_int_equal(options.errors_max, 100);
    assert_false(options.progress);
    assert_int_equal(PARSE("check", "a", "--strict"), TG_OK);
    assert_int_equal(options.errors_max, 0);
    assert_int_equal(PARSE("--help"), TG_OK);
    assert_int_equal(options.command, TG__TAPE_HELP);
    assert_int_equal(PARSE("convert", "--version"), TG_OK);
    assert_int_equal(options.command, TG__TAPE_VERSION);
}

static void wrong_usage_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *words[5];
        const char *cause;
    } wrong[] = {
        {{NULL}, "expected convert, check or --help"},
        {{"play", NULL}, "play: expected convert or check"},
        {{"convert", "--out", "o", NULL}, "no input is named"},
        {{"convert", "a", NULL}, "convert needs --out"},
        {{"convert", "a", "--out", NULL}, "--out: expected a value behind it"},
        {{"check", "a", "--out", "o", NULL}, "check writes no tape: no --out"},
        {{"check", "a", "--loud", NULL}, "--loud: there is no such option"},
        {{"check", "a", "--errors-max", "-1", NULL}, "--errors-max: expected a number"},
        {{"check", "a", "--errors-max", "", NULL}, "--errors-max: expected a number"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(parse(wrong[i].words), TG_ERR_INVALID_ARGUMENT);
        assert_string_equal(cause.text, wrong[i].cause);
    }
    assert_int_equal(PARSE("check", "--from", "nyse", "a"), TG_ERR_INVALID_ARGUMENT);
    assert_string_equal(cause.text, "--from: expected binance, bitmex, bybit, coinbase, dbn, "
                                    "deribit, kraken, kraken_futures, okex");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_command_line_is_read),
        cmocka_unit_test(wrong_usage_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
