/*
 * The negative control: linked with the room's objects built without admission. A checker that
 * looks for regressions must find this build guilty.
 */
#include "tg_cmocka.h"

#include "market_fixture.h"

static void without_admission_a_price_goes_backwards(void **state)
{
    (void)state;
    tg_store *store = store_of(4, 1);
    tg_reader *reader = reader_of(store);
    define(store, 1, "A");
    assert_int_equal(admit_at(store, 1, quote(2, 10, 100), S), TG__ADMITTED);
    assert_int_equal(admit_at(store, 1, quote(1, 9, 99), S), TG__ADMITTED);
    tg__store_publish(store, S);
    const tg_row row = row_at(tg_reader_pin(reader), 1, S);
    assert_int_equal(row.image.value[TG_FIELD_BID_PRICE], 99);
    tg_reader_close(reader);
    tg__store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_admission_a_price_goes_backwards),
    };
    return cmocka_run_group_tests_name("store.no_admission", tests, NULL, NULL);
}
