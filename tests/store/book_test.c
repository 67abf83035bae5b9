#include "tg_cmocka.h"

#include "market_fixture.h"

typedef struct fixture {
    tg_store *store;
    tg_reader *reader;
} fixture;

static int open_fixture(void **state)
{
    static fixture at;
    at.store = store_of(100, 1);
    at.reader = reader_of(at.store);
    for (tg_instrument_id id = 0; id < 100; id++) {
        char symbol[TG_SYMBOL_SIZE];
        (void)snprintf(symbol, sizeof symbol, "S%u", (unsigned)id);
        define(at.store, id, symbol);
    }
    tg__store_set_link(at.store, TG__LINK_UP, S);
    *state = &at;
    return 0;
}

static int close_fixture(void **state)
{
    fixture *at = *state;
    tg_reader_close(at->reader);
    tg__store_close(at->store);
    return 0;
}

static tg_book book_of(int64_t price)
{
    const tg_book book = {.bid_count = 2,
                          .ask_count = 1,
                          .bid = {{price, 5}, {price - 1, 7}},
                          .ask = {{price + 1, 3}}};
    return book;
}

static tg__admission admit_book(fixture *at, tg_instrument_id id, tg_version version, tg_book book)
{
    const tg__arrival arrival = {S, S, 1};
    tg__admission admission = TG__REFUSED_UNKNOWN;
    assert_int_equal(tg__store_admit_book(at->store, id, version, &book, &arrival, &admission),
                     TG_OK);
    return admission;
}

static tg_err depth_of(fixture *at, tg_instrument_id id, tg_depth *depth)
{
    tg__store_publish(at->store, S);
    return tg_view_depth(tg_reader_pin(at->reader), id, S, depth);
}

static void too_many_levels_and_too_many_books_are_errors(void **state)
{
    fixture *at = *state;
    const tg__arrival arrival = {S, S, 1};
    const tg_version version = {1, 1};
    tg__admission admission = TG__ADMITTED;
    tg_book book = book_of(10);
    tg_depth depth;
    book.bid_count = TG_BOOK_DEPTH_MAX + 1;
    assert_int_equal(tg__store_admit_book(at->store, 1, version, &book, &arrival, &admission),
                     TG_ERR_INVALID_ARGUMENT);
    book = book_of(10);
    for (tg_instrument_id id = 0; id < TG__BOOK_MAX; id++) {
        assert_int_equal(admit_book(at, id, version, book), TG__ADMITTED);
    }
    assert_int_equal(tg__store_admit_book(at->store, 99, version, &book, &arrival, &admission),
                     TG_ERR_FULL);
    tg__store_drop_book(at->store, 5);
    tg__store_drop_book(at->store, 999); /* not known */
    assert_int_equal(admit_book(at, 99, version, book), TG__ADMITTED);
    assert_int_equal(depth_of(at, 99, &depth), TG_OK);
    assert_int_equal(depth_of(at, 5, &depth), TG_ERR_NOT_FOUND);
    assert_int_equal(depth_of(at, 999, &depth), TG_ERR_NOT_FOUND);
}

static void a_book_and_a_row_of_one_version_do_not_shadow_each_other(void **state)
{
    fixture *at = *state;
    const tg_version version = {1, 7};
    tg_depth depth;
    assert_int_equal(admit_at(at->store, 1, quote(1, 7, 100), S), TG__ADMITTED);
    assert_int_equal(admit_book(at, 1, version, book_of(100)), TG__ADMITTED);
    assert_int_equal(admit_at(at->store, 1, quote(1, 9, 102), S), TG__ADMITTED);
    assert_int_equal(admit_book(at, 1, (tg_version){1, 8}, book_of(101)), TG__ADMITTED);
    assert_int_equal(depth_of(at, 1, &depth), TG_OK);
    assert_int_equal(depth.version.seq, 8);
    assert_int_equal(depth.book.bid[1].price, 100);
    assert_int_equal(depth.quality, TG_QUALITY_LIVE);
    assert_int_equal(row_at(tg_reader_pin(at->reader), 1, S).image.seq, 9);
}

static void books_go_by_the_same_rule_as_rows(void **state)
{
    fixture *at = *state;
    tg_depth depth;
    assert_int_equal(admit_book(at, 1, (tg_version){2, 5}, book_of(100)), TG__ADMITTED);
    assert_int_equal(admit_book(at, 1, (tg_version){2, 4}, book_of(99)), TG__REFUSED_REGRESSION);
    assert_int_equal(admit_book(at, 1, (tg_version){1, 9}, book_of(98)), TG__REFUSED_EPOCH);
    assert_int_equal(admit_book(at, 1, (tg_version){2, 5}, book_of(97)), TG__REFUSED_INTEGRITY);
    assert_int_equal(depth_of(at, 1, &depth), TG_OK);
    assert_int_equal(depth.quality, TG_QUALITY_GAP);
    assert_int_equal(admit_book(at, 1, (tg_version){2, 5}, book_of(100)), TG__CONFIRMED);
    assert_int_equal(admit_book(at, 999, (tg_version){2, 5}, book_of(100)), TG__REFUSED_UNKNOWN);
    assert_int_equal(depth_of(at, 1, &depth), TG_OK);
    assert_int_equal(depth.book.bid[0].price, 100);
    const tg_store_counters counters = counters_of(at->store);
    assert_int_equal(counters.depth_admitted, 1);
    assert_int_equal(counters.depth_refused, 3);
    assert_int_equal(counters.admitted, 0);
}

static void fewer_levels_replace_more(void **state)
{
    fixture *at = *state;
    tg_depth depth;
    tg_book one = book_of(100);
    assert_int_equal(admit_book(at, 1, (tg_version){1, 1}, one), TG__ADMITTED);
    one.bid_count = 1;
    one.ask_count = 0;
    assert_int_equal(admit_book(at, 1, (tg_version){1, 2}, one), TG__ADMITTED);
    assert_int_equal(depth_of(at, 1, &depth), TG_OK);
    assert_int_equal(depth.book.bid_count, 1);
    assert_int_equal(depth.book.ask_count, 0);
}

static void a_loss_doubts_the_book_apart_from_the_row(void **state)
{
    fixture *at = *state;
    tg_depth depth;
    assert_int_equal(admit_at(at->store, 1, quote(1, 1, 100), S), TG__ADMITTED);
    assert_int_equal(admit_book(at, 1, (tg_version){1, 1}, book_of(100)), TG__ADMITTED);
    tg__store_set_link(at->store, TG__LINK_GAP, S);
    assert_int_equal(admit_at(at->store, 1, quote(1, 2, 101), S), TG__ADMITTED);
    assert_int_equal(depth_of(at, 1, &depth), TG_OK);
    assert_int_equal(depth.quality, TG_QUALITY_GAP);
    assert_int_equal(row_at(tg_reader_pin(at->reader), 1, S).quality, TG_QUALITY_LIVE);
    assert_int_equal(admit_book(at, 1, (tg_version){1, 1}, book_of(100)), TG__CONFIRMED);
    assert_int_equal(depth_of(at, 1, &depth), TG_OK);
    assert_int_equal(depth.quality, TG_QUALITY_LIVE);
}

static void a_new_scale_drops_the_levels_and_a_removal_the_book(void **state)
{
    fixture *at = *state;
    tg_depth depth;
    tg_instrument scaled = instrument_of(1, 0, "S1");
    assert_int_equal(admit_book(at, 1, (tg_version){1, 1}, book_of(100)), TG__ADMITTED);
    scaled.price_exponent = -4;
    scaled.epoch = 2;
    assert_int_equal(tg__store_rescale(at->store, &scaled), TG_OK);
    assert_int_equal(depth_of(at, 1, &depth), TG_ERR_NOT_FOUND);
    assert_int_equal(admit_book(at, 1, (tg_version){1, 2}, book_of(100)), TG__REFUSED_EPOCH);
    assert_int_equal(admit_book(at, 1, (tg_version){2, 1}, book_of(10000)), TG__ADMITTED);
    assert_int_equal(depth_of(at, 1, &depth), TG_OK);
    assert_int_equal(tg__store_remove(at->store, 1), TG_OK);
    assert_int_equal(depth_of(at, 1, &depth), TG_ERR_NOT_FOUND);
}

#define WITH_STORE(test) cmocka_unit_test_setup_teardown(test, open_fixture, close_fixture)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_STORE(too_many_levels_and_too_many_books_are_errors),
        WITH_STORE(a_book_and_a_row_of_one_version_do_not_shadow_each_other),
        WITH_STORE(books_go_by_the_same_rule_as_rows),
        WITH_STORE(fewer_levels_replace_more),
        WITH_STORE(a_loss_doubts_the_book_apart_from_the_row),
        WITH_STORE(a_new_scale_drops_the_levels_and_a_removal_the_book),
    };
    return cmocka_run_group_tests_name("store.book", tests, NULL, NULL);
}
