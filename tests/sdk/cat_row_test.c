#include "tg_cmocka.h"

#include <string.h>

#include "../../sdk/tools/cat_options.h"
#include "../../sdk/tools/cat_row.h"

static tg_instrument instrument_of(int8_t price_exponent, int8_t quantity_exponent)
{
    tg_instrument instrument;
    memset(&instrument, 0, sizeof instrument);
    instrument.id = 7;
    instrument.price_exponent = price_exponent;
    instrument.quantity_exponent = quantity_exponent;
    strcpy(instrument.symbol, "A\"\\\xe6\x97\xa5");
    return instrument;
}

static void set(tg_row *row, tg_field field, int64_t value)
{
    row->image.present |= TG_FIELD_BIT(field);
    row->image.value[field] = value;
}

static tg_row some_row(void)
{
    tg_row row;
    memset(&row, 0, sizeof row);
    row.image.epoch = 2;
    row.image.seq = UINT64_C(18446744073709551615);
    row.ts_gateway_ns = INT64_C(1700000000123456789);
    set(&row, TG_FIELD_BID_PRICE, -3763);
    set(&row, TG_FIELD_BID_QUANTITY, 0);
    set(&row, TG_FIELD_LAST_PRICE, INT64_MIN);
    return row;
}

static void text_is_exact_and_tells_null_from_zero(void **state)
{
    (void)state;
    char line[CAT_LINE_SIZE];
    const tg_instrument instrument = instrument_of(-2, -1);
    const tg_row row = some_row();
    const size_t size = cat_row_text(&instrument, "V", &row, line);
    assert_int_equal(size, strlen(line));
    assert_string_equal(line,
                        "2023-11-14T22:13:20.123456Z V:A\"\\\xe6\x97\xa5 2/18446744073709551615 "
                        "LIVE bid -37.63 x 0.0 ask - x - last -92233720368547758.08 x -\n");
}

static void json_escapes_names_and_keeps_numbers_as_text(void **state)
{
    (void)state;
    char line[CAT_LINE_SIZE];
    const tg_instrument instrument = instrument_of(-2, -1);
    const tg_row row = some_row();
    const size_t size = cat_row_json(&instrument, "V", &row, line);
    assert_int_equal(size, strlen(line));
    assert_string_equal(
        line, "{\"venue\":\"V\",\"symbol\":\"A\\\"\\\\\xe6\x97\xa5\",\"id\":7,\"epoch\":2,"
              "\"seq\":\"18446744073709551615\",\"quality\":\"LIVE\",\"crossed\":false,"
              "\"ts_gateway_ns\":\"1700000000123456789\",\"bid_price\":\"-37.63\","
              "\"bid_quantity\":\"0.0\",\"ask_price\":null,"
              "\"last_price\":\"-92233720368547758.08\"}\n");
}

static void the_longest_row_fits(void **state)
{
    (void)state;
    char line[CAT_LINE_SIZE];
    tg_instrument instrument = instrument_of(18, 18);
    char venue[TG_VENUE_NAME_SIZE];
    memset(venue, '"', sizeof venue - 1);
    venue[sizeof venue - 1] = '\0';
    memset(instrument.symbol, '"', sizeof instrument.symbol - 1);
    tg_row row;
    memset(&row, 0, sizeof row);
    row.image.epoch = UINT32_MAX;
    row.image.seq = UINT64_MAX;
    row.ts_gateway_ns = INT64_MIN;
    for (int field = 0; field < TG_FIELD_COUNT; field++) {
        set(&row, (tg_field)field, INT64_MIN);
    }
    const size_t json = cat_row_json(&instrument, venue, &row, line);
    assert_true(json < CAT_LINE_SIZE - 1);
    assert_int_equal(line[json - 1], '\n');
    const size_t text = cat_row_text(&instrument, venue, &row, line);
    assert_int_equal(line[text - 1], '\n');
}

static bool parse(const char *line, cat_options *options, char *why)
{
    static char copy[256];
    static char *argv[32];
    strcpy(copy, line);
    int argc = 0;
    for (char *at = strtok(copy, " "); at != NULL; at = strtok(NULL, " ")) {
        argv[argc++] = at;
    }
    return cat_options_parse(argc, argv, options, why, 128);
}

static void options_are_read_and_errors_name_them(void **state)
{
    (void)state;
    cat_options options;
    char why[128];
    assert_true(
        parse("cat --url u --symbols A:B --seconds 3 --count 7 --json --ca c --token-file t",
              &options, why));
    assert_int_equal(options.seconds, 3);
    assert_int_equal(options.count, 7);
    assert_true(options.json);
    assert_string_equal(options.token_file, "t");
    static const struct {
        const char *line;
        const char *why;
    } rows[] = {
        {"cat", "--url is missing"},
        {"cat --url u", "--symbols is missing"},
        {"cat --url", "--url is not an option, or lacks its value"},
        {"cat --url u --symbols s --seconds x", "--seconds wants a whole number over 0, not \"x\""},
        {"cat --url u --symbols s --count 0", "--count wants a whole number over 0, not \"0\""},
        {"cat --url u --symbols s --seconds -1",
         "--seconds wants a whole number over 0, not \"-1\""},
        {"cat --url u --symbols s --wat 1", "--wat is not an option"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_false(parse(rows[i].line, &options, why));
        assert_string_equal(why, rows[i].why);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_exact_and_tells_null_from_zero),
        cmocka_unit_test(json_escapes_names_and_keeps_numbers_as_text),
        cmocka_unit_test(the_longest_row_fits),
        cmocka_unit_test(options_are_read_and_errors_name_them),
    };
    return cmocka_run_group_tests_name("sdk.cat_row", tests, NULL, NULL);
}
