#include "watch_row.h"

#include "tg_cmocka.h"

#define MS INT64_C(1000000)

static tg_image image_of(uint32_t epoch, uint64_t seq, int64_t last)
{
    tg_image image = {.epoch = epoch, .seq = seq, .present = TG_FIELD_BIT(TG_FIELD_LAST_PRICE)};
    image.value[TG_FIELD_LAST_PRICE] = last;
    return image;
}

static void a_change_has_a_direction_and_flashes_for_a_while(void **state)
{
    (void)state;
    watch_row row = {0};
    tg_image image = image_of(1, 1, 100);
    watch_row_take(&row, &image, 1000 * MS);
    assert_true(row.drawn);
    assert_int_equal(row.last.direction, 0);
    assert_int_equal(watch_price_phase(&row.last, 1000 * MS), FLASH_NONE);
    assert_int_equal(watch_row_next_phase_mono_ns(&row, 1000 * MS), INT64_MAX);
    image = image_of(1, 2, 101);
    watch_row_take(&row, &image, 2000 * MS);
    assert_int_equal(row.last.direction, 1);
    assert_int_equal(watch_price_phase(&row.last, 2000 * MS), FLASH_STRONG);
    const int64_t fades_ns = watch_row_next_phase_mono_ns(&row, 2000 * MS);
    assert_true(fades_ns > 2000 * MS);
    assert_int_equal(watch_price_phase(&row.last, fades_ns - 1), FLASH_STRONG);
    assert_int_equal(watch_price_phase(&row.last, fades_ns), FLASH_FADING);
    const int64_t ends_ns = watch_row_next_phase_mono_ns(&row, fades_ns);
    assert_int_equal(watch_price_phase(&row.last, ends_ns - 1), FLASH_FADING);
    assert_int_equal(watch_price_phase(&row.last, ends_ns), FLASH_NONE);
    /* The same price once more keeps the direction and flashes no more. */
    image = image_of(1, 3, 101);
    watch_row_take(&row, &image, ends_ns);
    assert_int_equal(row.last.direction, 1);
    assert_int_equal(watch_price_phase(&row.last, ends_ns), FLASH_NONE);
    image = image_of(1, 4, -101);
    watch_row_take(&row, &image, ends_ns);
    assert_int_equal(row.last.direction, -1);
}

static void prices_of_two_epochs_are_not_compared(void **state)
{
    (void)state;
    watch_row row = {0};
    tg_image image = image_of(1, 1, 100);
    watch_row_take(&row, &image, 0);
    image = image_of(1, 2, 200);
    watch_row_take(&row, &image, 0);
    assert_int_equal(row.last.direction, 1);
    image = image_of(2, 1, 20);
    watch_row_take(&row, &image, 0);
    assert_int_equal(row.last.direction, 0);
    assert_int_equal(row.version.epoch, 2);
}

static void a_price_that_comes_or_goes_has_no_direction(void **state)
{
    (void)state;
    watch_row row = {0};
    tg_image image = image_of(1, 1, 100);
    image.present = 0;
    watch_row_take(&row, &image, 0);
    assert_false(row.last.present);
    image = image_of(1, 2, 100);
    watch_row_take(&row, &image, 0);
    assert_true(row.last.present);
    assert_int_equal(row.last.direction, 0);
    assert_false(row.bid.present);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_change_has_a_direction_and_flashes_for_a_while),
        cmocka_unit_test(prices_of_two_epochs_are_not_compared),
        cmocka_unit_test(a_price_that_comes_or_goes_has_no_direction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
