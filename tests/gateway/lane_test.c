#include "tg_cmocka.h"

#include "lane.h"

#define RESOLUTION_NS 100000u

typedef struct one_lane {
    tg__lane lane;
    uint32_t index;
} one_lane;

static int set_up(void **state)
{
    static one_lane one;
    assert_int_equal(tg__lane_init(&one.lane, 2, 7, RESOLUTION_NS), TG_OK);
    one.index = tg__lane_add(&one.lane, 42);
    *state = &one;
    return 0;
}

static int tear_down(void **state)
{
    one_lane *one = *state;
    tg__lane_deinit(&one->lane);
    return 0;
}

static const tg_image *image(const one_lane *one)
{
    return &one->lane.instruments[one->index].image;
}

static tg__verdict offer(one_lane *one, tg__row_kind kind, uint64_t id, int64_t price,
                         int64_t quantity)
{
    const tg__row row = {.ts_ns = (int64_t)id * 1000123,
                         .exchange_id = id,
                         .has_id = true,
                         .kind = kind,
                         .price = price,
                         .quantity = quantity};
    return tg__lane_offer(&one->lane, one->index, &row);
}

static void seq_counts_ticks_not_rows(void **state)
{
    one_lane *one = *state;
    assert_int_equal(offer(one, TG__ROW_BID, 5, 100, 1), TG__VERDICT_NEW);
    assert_int_equal(image(one)->seq, 1);
    assert_int_equal(image(one)->epoch, 7);
    assert_int_equal(offer(one, TG__ROW_ASK, 5, 102, 2), TG__VERDICT_COMPLETES);
    assert_int_equal(image(one)->seq, 1);
    assert_int_equal(image(one)->value[TG_FIELD_ASK_PRICE], 102);
    assert_int_equal(offer(one, TG__ROW_TRADE, 3, 101, 1), TG__VERDICT_NEW);
    assert_int_equal(image(one)->seq, 2);
    assert_int_equal(image(one)->value[TG_FIELD_TS_EXCHANGE],
                     3000000); /* 3000369, quantised to 100 us */
}

static void rejected_rows_change_nothing(void **state)
{
    one_lane *one = *state;
    assert_int_equal(offer(one, TG__ROW_BID, 1000, 184275, 1), TG__VERDICT_NEW);
    const tg_image before = *image(one);
    assert_int_equal(offer(one, TG__ROW_BID, 995, 184225, 1), TG__VERDICT_REGRESSION);
    assert_int_equal(offer(one, TG__ROW_BID, 1000, 1, 1), TG__VERDICT_DUPLICATE);
    assert_memory_equal(&before, image(one), sizeof before);
    assert_int_equal(offer(one, TG__ROW_BID, 1001, 184300, 1), TG__VERDICT_NEW);
}

static void a_session_keeps_open_high_low_and_volume(void **state)
{
    one_lane *one = *state;
    static const int64_t prices[] = {-3763, 120, -4000, 0};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(offer(one, TG__ROW_TRADE, 10 + i, prices[i], 5), TG__VERDICT_NEW);
    }
    assert_int_equal(image(one)->value[TG_FIELD_OPEN], -3763);
    assert_int_equal(image(one)->value[TG_FIELD_HIGH], 120);
    assert_int_equal(image(one)->value[TG_FIELD_LOW], -4000);
    assert_int_equal(image(one)->value[TG_FIELD_VOLUME], 20);
    assert_int_equal(image(one)->value[TG_FIELD_LAST_PRICE], 0);
    assert_true(tg_image_has(image(one), TG_FIELD_LAST_PRICE));
}

static void a_volume_over_64_bits_is_null_not_wrong(void **state)
{
    one_lane *one = *state;
    assert_int_equal(offer(one, TG__ROW_TRADE, 1, 1, INT64_MAX), TG__VERDICT_NEW);
    assert_int_equal(image(one)->value[TG_FIELD_VOLUME], INT64_MAX);
    assert_int_equal(offer(one, TG__ROW_TRADE, 2, 1, 1), TG__VERDICT_NEW);
    assert_false(tg_image_has(image(one), TG_FIELD_VOLUME));
    assert_int_equal(image(one)->value[TG_FIELD_VOLUME], 0);
    assert_int_equal(offer(one, TG__ROW_TRADE, 3, 1, 1), TG__VERDICT_NEW);
    assert_false(tg_image_has(image(one), TG_FIELD_VOLUME));
}

static void a_reset_raises_the_epoch_and_forgets_the_ids(void **state)
{
    one_lane *one = *state;
    assert_int_equal(offer(one, TG__ROW_TRADE, 900, 50, 5), TG__VERDICT_NEW);
    assert_int_equal(offer(one, TG__ROW_BID, 900, 49, 5), TG__VERDICT_NEW);
    tg__lane_reset(&one->lane, 9);
    assert_int_equal(image(one)->epoch, 7); /* until its next tick */
    assert_int_equal(offer(one, TG__ROW_BID, 3, 70, 5), TG__VERDICT_NEW);
    assert_int_equal(image(one)->epoch, 9);
    assert_int_equal(image(one)->seq, 3);
    assert_false(tg_image_has(image(one), TG_FIELD_OPEN));
    assert_false(tg_image_has(image(one), TG_FIELD_VOLUME));
    assert_int_equal(image(one)->value[TG_FIELD_LAST_PRICE], 50);
}

static void a_version_that_left_the_lane_never_gets_other_values(void **state)
{
    one_lane *one = *state;
    assert_int_equal(offer(one, TG__ROW_BID, 5, 100, 1), TG__VERDICT_NEW);
    assert_ptr_equal(tg__lane_cut_next(&one->lane), &one->lane.instruments[one->index]);
    assert_null(tg__lane_cut_next(&one->lane));
    assert_int_equal(offer(one, TG__ROW_ASK, 5, 102, 2), TG__VERDICT_COMPLETES);
    assert_int_equal(image(one)->seq, 2);
}

static void a_cut_yields_each_changed_instrument_once(void **state)
{
    one_lane *one = *state;
    const uint32_t other = tg__lane_add(&one->lane, 43);
    (void)offer(one, TG__ROW_BID, 5, 100, 1);
    (void)offer(one, TG__ROW_BID, 6, 101, 1);
    const tg__row row = {.kind = TG__ROW_BID, .price = 1};
    (void)tg__lane_offer(&one->lane, other, &row);
    unsigned seen = 0;
    for (const tg__lane_instrument *cut = tg__lane_cut_next(&one->lane); cut != NULL;
         cut = tg__lane_cut_next(&one->lane)) {
        seen += cut->id;
    }
    assert_int_equal(seen, 42 + 43);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(seq_counts_ticks_not_rows, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rejected_rows_change_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_session_keeps_open_high_low_and_volume, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_volume_over_64_bits_is_null_not_wrong, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_reset_raises_the_epoch_and_forgets_the_ids, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_version_that_left_the_lane_never_gets_other_values,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_cut_yields_each_changed_instrument_once, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests_name("gateway.lane", tests, NULL, NULL);
}
