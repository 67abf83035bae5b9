#include "glass_check.h"

#include "text_file.h"

/* Five states after the empty one: bid 10, 11, 12, 11 again, 13; the ask stays. */
static const char tape_text[] = "1,V,S,bid,10.00,1,1\n"
                                "1,V,S,ask,20.00,1,1\n"
                                "2,V,S,bid,11.00,1,2\n"
                                "3,V,S,bid,12.00,1,3\n"
                                "4,V,S,bid,11.00,1,4\n"
                                "5,V,S,bid,13.00,1,5\n"
                                "6,V,S,trade,13.00,1,1\n";

typedef struct fixture {
    glass_tape *tape;
    glass_check *check;
    uint64_t seq;
} fixture;

static fixture open_fixture(void)
{
    fixture f = {0};
    const text_file file = text_file_write(tape_text, sizeof tape_text - 1);
    char why[256];
    assert_int_equal(glass_tape_open(file.path, &f.tape, why, sizeof why), TG_OK);
    text_file_remove(&file);
    assert_int_equal(glass_check_open(f.tape, 4, &f.check), TG_OK);
    return f;
}

static void close_fixture(fixture *f)
{
    glass_check_close(f->check);
    glass_tape_close(f->tape);
}

/* Draws a row; each one has a newer version than the one before. */
static glass_verdict draw(fixture *f, const char *bid, const char *ask, const char *last)
{
    const glass_row row = {.venue = "V",
                           .symbol = "S",
                           .bid_size = "1",
                           .bid = bid,
                           .ask = ask,
                           .ask_size = "1",
                           .last = last,
                           .epoch = 1,
                           .seq = ++f->seq};
    return glass_check_row(f->check, 0, &row);
}

static glass_verdict draw_named(fixture *f, const char *venue, const char *symbol)
{
    const glass_row row = {.venue = venue, .symbol = symbol, .epoch = 1, .seq = ++f->seq};
    return glass_check_row(f->check, 1, &row);
}

/* A place of the list may show any instrument; what is said of one slot is of one instrument. */
static void a_slot_that_shows_another_instrument_is_found_out(void **state)
{
    (void)state;
    fixture f = {0};
    assert_int_equal(glass_check_open(NULL, 4, &f.check), TG_OK);
    assert_int_equal(draw_named(&f, "V", "S"), GLASS_FINE);
    assert_int_equal(draw_named(&f, "V", "S"), GLASS_FINE);
    /* What is cut off, or not shown, says nothing. */
    assert_int_equal(draw_named(&f, "V", "T\xE2\x80\xA6"), GLASS_FINE);
    assert_int_equal(draw_named(&f, NULL, "T"), GLASS_FINE);
    assert_int_equal(draw_named(&f, "V", "T"), GLASS_UNKNOWN);
    assert_int_equal(draw_named(&f, "W", "T"), GLASS_UNKNOWN);
    assert_int_equal(draw_named(&f, "W", "T"), GLASS_FINE);
    assert_int_equal(glass_check_counts(f.check).unknown, 2);
    close_fixture(&f);
}

static const char none[] = "\xE2\x80\x93";

static void a_screen_that_skips_states_is_fine(void **state)
{
    (void)state;
    fixture f = open_fixture();
    assert_int_equal(draw(&f, "10.00", "20.00", none), GLASS_FINE);
    assert_int_equal(draw(&f, "12.00", "20.00", none), GLASS_FINE);
    assert_int_equal(draw(&f, "12.000", "20", none), GLASS_FINE); /* drawn once more */
    assert_int_equal(draw(&f, "11.00", "20.00", none), GLASS_FINE);
    assert_int_equal(draw(&f, "13.00", "20.00", "13.00"), GLASS_FINE);
    const glass_counts counts = glass_check_counts(f.check);
    assert_int_equal(counts.judged_by_tape, 5);
    assert_int_equal(counts.regressions, 0);
    assert_int_equal(counts.unknown, 0);
    close_fixture(&f);
}

static void an_older_state_after_a_newer_one_is_a_regression(void **state)
{
    (void)state;
    fixture f = open_fixture();
    assert_int_equal(draw(&f, "12.00", "20.00", none), GLASS_FINE);
    assert_int_equal(draw(&f, "10.00", "20.00", none), GLASS_REGRESSION);
    /* The place stays: 11 fits after 12 once, then 12 is old. */
    assert_int_equal(draw(&f, "11.00", "20.00", none), GLASS_FINE);
    assert_int_equal(draw(&f, "12.00", "20.00", none), GLASS_REGRESSION);
    assert_int_equal(draw(&f, "13.00", "20.00", "13.00"), GLASS_FINE);
    assert_int_equal(draw(&f, "13.00", "20.00", none), GLASS_REGRESSION);
    assert_int_equal(glass_check_counts(f.check).regressions, 3);
    close_fixture(&f);
}

static void a_state_that_never_was_is_unknown(void **state)
{
    (void)state;
    fixture f = open_fixture();
    assert_int_equal(draw(&f, "10.01", "20.00", none), GLASS_UNKNOWN);
    /* Each part was there, but never together: half of one update. */
    assert_int_equal(draw(&f, "10.00", none, none), GLASS_UNKNOWN);
    assert_int_equal(draw(&f, "10.00", "20.00", "13.00"), GLASS_UNKNOWN);
    const glass_row foreign = {.venue = "V", .symbol = "OTHER", .bid = "10", .seq = 9};
    assert_int_equal(glass_check_row(f.check, 1, &foreign), GLASS_UNKNOWN);
    assert_int_equal(glass_check_counts(f.check).unknown, 4);
    assert_int_equal(glass_check_counts(f.check).regressions, 0);
    close_fixture(&f);
}

static void what_cannot_be_read_is_not_judged_or_fits_everything(void **state)
{
    (void)state;
    fixture f = open_fixture();
    assert_int_equal(draw(&f, "####", "20.00", none), GLASS_FINE);
    assert_int_equal(draw(&f, "####", "####", "####"), GLASS_NOT_JUDGED);
    assert_int_equal(draw(&f, NULL, NULL, NULL), GLASS_NOT_JUDGED);
    const glass_row cut = {.venue = "V", .symbol = "LONGNA\xE2\x80\xA6", .bid = "10", .seq = 1};
    assert_int_equal(glass_check_row(f.check, 1, &cut), GLASS_NOT_JUDGED);
    const glass_row outside = {.venue = "V", .symbol = "S", .bid = "10", .seq = 1};
    assert_int_equal(glass_check_row(f.check, 4, &outside), GLASS_NOT_JUDGED);
    assert_int_equal(glass_check_counts(f.check).not_judged, 4);
    close_fixture(&f);
}

static void versions_are_compared_with_and_without_a_tape(void **state)
{
    (void)state;
    glass_check *check = NULL;
    assert_int_equal(glass_check_open(NULL, 2, &check), TG_OK);
    static const struct {
        size_t slot;
        uint32_t epoch;
        uint64_t seq;
        glass_verdict verdict;
    } steps[] = {
        {0, 7, 1000, GLASS_FINE}, {0, 7, 1000, GLASS_FINE},    {0, 7, 999, GLASS_REGRESSION},
        {0, 7, 1000, GLASS_FINE}, {0, 8, 1, GLASS_FINE},       {0, 7, 2000, GLASS_REGRESSION},
        {1, 1, 1, GLASS_FINE},    {1, 1, 0, GLASS_REGRESSION}, {0, 8, 1, GLASS_FINE},
    };
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        const glass_row row = {
            .venue = "V", .symbol = "S", .epoch = steps[i].epoch, .seq = steps[i].seq};
        assert_int_equal(glass_check_row(check, steps[i].slot, &row), steps[i].verdict);
    }
    const glass_counts counts = glass_check_counts(check);
    assert_int_equal(counts.regressions, 3);
    assert_int_equal(counts.judged_by_version, 9);
    glass_check_close(check);

    fixture f = open_fixture();
    assert_int_equal(draw(&f, "10.00", "20.00", none), GLASS_FINE);
    f.seq = 0;
    assert_int_equal(draw(&f, "12.00", "20.00", none), GLASS_FINE); /* seq 1 once more */
    f.seq = UINT64_MAX;
    assert_int_equal(draw(&f, "11.00", "20.00", none), GLASS_REGRESSION); /* seq 0 */
    assert_int_equal(glass_check_counts(f.check).regressions, 1);
    close_fixture(&f);
    glass_check_close(NULL);
}

static glass_verdict draw_ladder(fixture *f, uint32_t epoch, uint64_t seq, const char *bid_size,
                                 const char *ask)
{
    const glass_row row = {
        .bid_size = bid_size, .bid = "10.00", .ask = ask, .epoch = epoch, .seq = seq};
    return glass_check_depth(f->check, 2, &row);
}

static void depth_has_an_order_of_its_own_and_one_best_level_a_version(void **state)
{
    (void)state;
    fixture f = {0};
    assert_int_equal(glass_check_open(NULL, 4, &f.check), TG_OK);
    const glass_row row = {.venue = "V", .symbol = "S", .epoch = 1, .seq = 9};
    assert_int_equal(glass_check_row(f.check, 2, &row), GLASS_FINE);
    assert_int_equal(draw_ladder(&f, 1, 7, "5", "10.01"), GLASS_FINE); /* behind the row: it may */
    assert_int_equal(draw_ladder(&f, 1, 7, "5", "10.01"), GLASS_FINE);
    assert_int_equal(draw_ladder(&f, 1, 7, "5", NULL), GLASS_FINE); /* off the axis */
    assert_int_equal(draw_ladder(&f, 1, 7, "####", "10.010"), GLASS_FINE);
    assert_int_equal(draw_ladder(&f, 1, 7, "5", "10.02"), GLASS_UNKNOWN);
    assert_int_equal(draw_ladder(&f, 1, 8, "6", "10.03"), GLASS_FINE);
    assert_int_equal(draw_ladder(&f, 1, 7, "5", "10.01"), GLASS_REGRESSION);
    assert_int_equal(draw_ladder(&f, 1, 8, "7", "10.03"), GLASS_UNKNOWN);
    assert_int_equal(draw_ladder(&f, 2, 1, "5", "10.01"), GLASS_FINE);
    assert_int_equal(draw_ladder(&f, 1, 99, "5", "10.01"), GLASS_REGRESSION);
    const glass_row beyond = {.epoch = 1, .seq = 1};
    assert_int_equal(glass_check_depth(f.check, 4, &beyond), GLASS_NOT_JUDGED);
    const glass_counts counts = glass_check_counts(f.check);
    assert_int_equal(counts.judged_depth, 10);
    assert_int_equal(counts.judged_by_version, 1);
    assert_int_equal(counts.regressions, 2);
    assert_int_equal(counts.unknown, 2);
    assert_int_equal(counts.not_judged, 1);
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slot_that_shows_another_instrument_is_found_out),
        cmocka_unit_test(a_screen_that_skips_states_is_fine),
        cmocka_unit_test(an_older_state_after_a_newer_one_is_a_regression),
        cmocka_unit_test(a_state_that_never_was_is_unknown),
        cmocka_unit_test(what_cannot_be_read_is_not_judged_or_fits_everything),
        cmocka_unit_test(versions_are_compared_with_and_without_a_tape),
        cmocka_unit_test(depth_has_an_order_of_its_own_and_one_best_level_a_version),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
