#include "tg_cmocka.h"

#include "market_fixture.h"

static void refusals_are_counted_by_instrument_venue_and_cause(void **state)
{
    (void)state;
    tg_store *store = store_of(4, 1);
    tg_reader *reader = reader_of(store);
    const tg_instrument other = instrument_of(2, 3, "B");
    tg_refusals refusals;
    define(store, 1, "A");
    assert_int_equal(tg__store_define_instrument(store, &other), TG_OK);
    for (tg_instrument_id id = 1; id <= 2; id++) {
        assert_int_equal(admit_at(store, id, quote(2, 10, 5), S), TG__ADMITTED);
        assert_int_equal(admit_at(store, id, quote(2, 9, 4), S), TG__REFUSED_REGRESSION);
    }
    assert_int_equal(admit_at(store, 1, quote(1, 11, 4), S), TG__REFUSED_EPOCH);
    assert_int_equal(admit_at(store, 1, quote(2, 10, 4), S), TG__REFUSED_INTEGRITY);
    assert_int_equal(admit_at(store, 1, quote(2, 10, 5), S), TG__CONFIRMED);
    tg__store_publish(store, S);
    const tg_view *view = tg_reader_pin(reader);
    assert_int_equal(tg_view_refusals(view, 9, &refusals), TG_ERR_NOT_FOUND);
    assert_int_equal(tg_view_venue_refusals(view, TG_VENUE_MAX, &refusals), TG_ERR_NOT_FOUND);
    assert_int_equal(tg_view_refusals(view, 1, &refusals), TG_OK);
    assert_int_equal(refusals.regression, 1);
    assert_int_equal(refusals.epoch, 1);
    assert_int_equal(refusals.integrity, 1);
    assert_int_equal(tg_view_venue_refusals(view, 3, &refusals), TG_OK);
    assert_int_equal(refusals.regression, 1);
    assert_int_equal(refusals.epoch, 0);
    tg_reader_close(reader);
    tg__store_close(store);
}

static void a_new_instrument_starts_with_none(void **state)
{
    (void)state;
    tg_store *store = store_of(1, 1);
    tg_reader *reader = reader_of(store);
    tg_refusals refusals;
    define(store, 1, "A");
    assert_int_equal(admit_at(store, 1, quote(2, 10, 5), S), TG__ADMITTED);
    assert_int_equal(admit_at(store, 1, quote(2, 9, 4), S), TG__REFUSED_REGRESSION);
    assert_int_equal(tg__store_remove(store, 1), TG_OK);
    define(store, 2, "B"); /* in the same row */
    tg__store_publish(store, S);
    assert_int_equal(tg_view_refusals(tg_reader_pin(reader), 2, &refusals), TG_OK);
    assert_int_equal(refusals.regression, 0);
    tg_reader_close(reader);
    tg__store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refusals_are_counted_by_instrument_venue_and_cause),
        cmocka_unit_test(a_new_instrument_starts_with_none),
    };
    return cmocka_run_group_tests_name("store.refusals", tests, NULL, NULL);
}
