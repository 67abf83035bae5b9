#include "glass_tape.h"

#include "text_file.h"

#define HEADER "ts_ns,venue,symbol,kind,price_decimal_text,qty_decimal_text,exchange_seq\n"

static glass_tape *open_tape(const char *text)
{
    const text_file file = text_file_write(text, strlen(text));
    glass_tape *tape = NULL;
    char why[256] = "";
    const tg_err err = glass_tape_open(file.path, &tape, why, sizeof why);
    text_file_remove(&file);
    if (err != TG_OK) {
        fail_msg("%s", why);
    }
    return tape;
}

/* "bid|ask|last" of one state; sizes are left out. */
static void expect_state(const glass_series *series, size_t index, const char *bid, const char *ask,
                         const char *last)
{
    assert_true(index < glass_series_count(series));
    const glass_state *state = &glass_series_states(series)[index];
    assert_true(glass_number_equal(state->bid, glass_number_read(bid, strlen(bid))));
    assert_true(glass_number_equal(state->ask, glass_number_read(ask, strlen(ask))));
    assert_true(glass_number_equal(state->last, glass_number_read(last, strlen(last))));
}

static void bid_and_ask_of_one_update_are_one_state(void **state)
{
    (void)state;
    glass_tape *tape = open_tape(HEADER "1,V,S,bid,10.0,1,100\n"
                                        "1,V,S,ask,11.0,2,100\n"
                                        "2,V,S,trade,10.5,3,7\n"
                                        "3,V,S,bid,10.1,1,101\n");
    const glass_series *series = glass_tape_find(tape, "V", "S");
    assert_non_null(series);
    assert_int_equal(glass_series_count(series), 4);
    expect_state(series, 0, "", "", "");
    expect_state(series, 1, "10", "11", "");
    expect_state(series, 2, "10", "11", "10.5");
    expect_state(series, 3, "10.1", "11", "10.5");
    assert_int_equal(glass_tape_rows(tape), 4);
    assert_null(glass_tape_find(tape, "V", "T"));
    assert_null(glass_tape_find(tape, "W", "S"));
    glass_tape_close(tape);
}

static void lower_and_equal_ids_are_skipped_within_their_domain_only(void **state)
{
    (void)state;
    glass_tape *tape = open_tape("1,V,S,bid,10,1,100\n"
                                 "2,V,S,bid,9,1,99\n"   /* lower */
                                 "3,V,S,bid,8,1,100\n"  /* the same once more */
                                 "4,V,S,ask,11,1,100\n" /* the same id at another time */
                                 "5,V,S,trade,10,1,5\n" /* another domain */
                                 "6,V,S,trade,12,1,4\n"
                                 "7,V,S,bid,10,5,101\n");
    const glass_series *series = glass_tape_find(tape, "V", "S");
    assert_int_equal(glass_series_count(series), 4);
    expect_state(series, 1, "10", "", "");
    expect_state(series, 2, "10", "", "10");
    expect_state(series, 3, "10", "", "10");
    glass_tape_close(tape);
}

static void rows_without_an_id_always_count(void **state)
{
    (void)state;
    glass_tape *tape = open_tape("1,V,S,bid,10,1,\n"
                                 "1,V,S,bid,10,1,\n"
                                 "2,V,S,ask,11,1,\n");
    assert_int_equal(glass_series_count(glass_tape_find(tape, "V", "S")), 4);
    glass_tape_close(tape);
}

static void feeds_of_one_venue_are_there_alone_and_together(void **state)
{
    (void)state;
    glass_tape *tape = open_tape("1,NAME_A,S,bid,10,1,1\n"
                                 "2,NAME_B,S,bid,10,1,1\n"
                                 "3,NAME_B,S,bid,11,1,2\n"
                                 "4,NAME_A,S,bid,11,1,2\n"
                                 "5,NAME_USDM,S,bid,12,1,3\n");
    assert_int_equal(glass_series_count(glass_tape_find(tape, "NAME_A", "S")), 3);
    assert_int_equal(glass_series_count(glass_tape_find(tape, "NAME_B", "S")), 3);
    const glass_series *merged = glass_tape_find(tape, "NAME", "S");
    assert_int_equal(glass_series_count(merged), 3);
    expect_state(merged, 2, "11", "", "");
    assert_int_equal(glass_series_count(glass_tape_find(tape, "NAME_USDM", "S")), 2);
    assert_int_equal(glass_tape_count(tape), 4);
    glass_tape_close(tape);
}

static void a_bad_row_is_named_by_file_and_line(void **state)
{
    (void)state;
    static const struct {
        const char *row;
        const char *cause;
    } cases[] = {
        {"1,V,S,bid,10,1", "fewer than seven fields"},
        {"1,V,S,bid,10,1,1,1", "more than seven fields"},
        {"x,V,S,bid,10,1,1", "the time is not a number"},
        {"1,,S,bid,10,1,1", "venue or symbol"},
        {"1,V,S,book,10,1,1", "the kind"},
        {"1,V,S,bid,1O,1,1", "price or quantity"},
        {"1,V,S,bid,10,1,1x", "exchange_seq"},
        {"", "fewer than seven fields"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[256];
        (void)snprintf(text, sizeof text, HEADER "1,V,S,bid,10,1,1\n%s\n", cases[i].row);
        const text_file file = text_file_write(text, strlen(text));
        glass_tape *tape = NULL;
        char why[256] = "";
        assert_int_equal(glass_tape_open(file.path, &tape, why, sizeof why), TG_ERR_SYNTAX);
        assert_null(tape);
        char place[80];
        (void)snprintf(place, sizeof place, "%s:3: ", file.path);
        assert_int_equal(strncmp(why, place, strlen(place)), 0);
        assert_non_null(strstr(why, cases[i].cause));
        text_file_remove(&file);
    }
    glass_tape *tape = NULL;
    char why[256] = "";
    assert_int_equal(glass_tape_open("/nowhere/tape.csv", &tape, why, sizeof why), TG_ERR_IO);
    assert_non_null(strstr(why, "/nowhere/tape.csv: "));
    glass_tape_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bid_and_ask_of_one_update_are_one_state),
        cmocka_unit_test(lower_and_equal_ids_are_skipped_within_their_domain_only),
        cmocka_unit_test(rows_without_an_id_always_count),
        cmocka_unit_test(feeds_of_one_venue_are_there_alone_and_together),
        cmocka_unit_test(a_bad_row_is_named_by_file_and_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
