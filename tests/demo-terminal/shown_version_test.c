#include "shown_version.h"

#include <string.h>

#include "tg_cmocka.h"

static tg_row some_row(void)
{
    tg_row row;
    memset(&row, 0, sizeof row);
    row.received_mono_ns = 11;
    row.committed_mono_ns = 12;
    row.image.epoch = 3;
    row.image.seq = 99;
    return row;
}

static void it_is_the_rows_version_under_the_name_that_was_asked_for(void **state)
{
    (void)state;
    const watch_row watch = {.venue = "V", .symbol = "S"};
    tg_row row = some_row();
    shown_version shown = shown_version_of(7, &watch, &row);
    assert_int_equal(shown.slot, 7);
    assert_string_equal(shown.venue, "V");
    assert_string_equal(shown.symbol, "S");
    assert_int_equal(shown.version.epoch, 3);
    assert_int_equal(shown.version.seq, 99);
    assert_int_equal(shown.received_mono_ns, 11);
    assert_int_equal(shown.committed_mono_ns, 12);
    assert_int_equal(shown.ts_exchange_ns, 0);
    row.image.value[TG_FIELD_TS_EXCHANGE] = -5;
    assert_int_equal(shown_version_of(7, &watch, &row).ts_exchange_ns, 0); /* not in the image */
    row.image.present |= UINT32_C(1) << TG_FIELD_TS_EXCHANGE;
    assert_int_equal(shown_version_of(7, &watch, &row).ts_exchange_ns, -5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_the_rows_version_under_the_name_that_was_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
