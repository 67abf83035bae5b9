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

/* What the wrong lane of below does: its epochs belong to a handler, not to the lane. */
typedef void (*on_handler_restart)(tg__lane *lane);

static void nothing_happens(tg__lane *lane)
{
    (void)lane;
}

static void epoch_is_raised_and_ids_are_forgotten(tg__lane *lane)
{
    tg__lane_reset(lane, lane->epoch + 1);
}

/*
 * Handler A has brought tick 1000 at version (7, 1000): 1842.75. Handler B restarts 9 ms behind,
 * and brings 995, which was 1842.25; then A brings 1001. Returns the lowest price that was shown
 * behind 1842.75.
 */
static int64_t restart_beside_the_living_twin(on_handler_restart react)
{
    static tg__lane lane;
    assert_int_equal(tg__lane_init(&lane, 1, 7, RESOLUTION_NS), TG_OK);
    const uint32_t index = tg__lane_add(&lane, 0);
    tg_image *shown = &lane.instruments[index].image;
    shown->seq = 999;
    tg__row row = {.ts_ns = 1000, .price = 184275, .exchange_id = 1000, .has_id = true};
    assert_int_equal(tg__lane_offer(&lane, index, &row), TG__VERDICT_NEW);
    assert_int_equal(shown->epoch, 7);
    assert_int_equal(shown->seq, 1000);
    int64_t lowest = shown->value[TG_FIELD_BID_PRICE];
    react(&lane);
    row.ts_ns = 991;
    row.exchange_id = 995;
    row.price = 184225;
    (void)tg__lane_offer(&lane, index, &row);
    lowest = shown->value[TG_FIELD_BID_PRICE] < lowest ? shown->value[TG_FIELD_BID_PRICE] : lowest;
    row.ts_ns = 1001;
    row.exchange_id = 1001;
    row.price = 184300;
    assert_int_equal(tg__lane_offer(&lane, index, &row), TG__VERDICT_NEW);
    assert_int_equal(shown->value[TG_FIELD_BID_PRICE], 184300);
    if (react == nothing_happens) {
        assert_int_equal(shown->epoch, 7);
        assert_int_equal(shown->seq, 1001);
    }
    tg__lane_deinit(&lane);
    return lowest;
}

static void a_handlers_restart_beside_its_twin_lets_no_price_go_back(void **state)
{
    (void)state;
    assert_int_equal(restart_beside_the_living_twin(nothing_happens), 184275);
}

static void where_a_restart_raises_the_epoch_and_forgets_ids_the_price_goes_back(void **state)
{
    (void)state;
    assert_int_equal(restart_beside_the_living_twin(epoch_is_raised_and_ids_are_forgotten), 184225);
}

static void a_raise_keeps_the_ids_and_goes_on_under_the_new_epoch(void **state)
{
    one_lane *one = *state;
    assert_int_equal(offer(one, TG__ROW_TRADE, 899, 50, 5), TG__VERDICT_NEW);
    assert_int_equal(offer(one, TG__ROW_BID, 900, 49, 5), TG__VERDICT_NEW);
    tg__lane_raise(&one->lane, one->index, 9);
    assert_int_equal(offer(one, TG__ROW_BID, 900, 1, 5), TG__VERDICT_DUPLICATE);
    assert_int_equal(offer(one, TG__ROW_BID, 899, 1, 5), TG__VERDICT_REGRESSION);
    assert_int_equal(offer(one, TG__ROW_TRADE, 899, 1, 5), TG__VERDICT_DUPLICATE);
    assert_int_equal(image(one)->epoch, 7);
    assert_int_equal(image(one)->seq, 2);
    assert_int_equal(offer(one, TG__ROW_BID, 901, 48, 5), TG__VERDICT_NEW);
    assert_int_equal(image(one)->epoch, 9);
    assert_int_equal(image(one)->seq, 3);
}

static void behind_a_raise_rows_without_ids_must_be_newer(void **state)
{
    one_lane *one = *state;
    tg__row row = {.ts_ns = 10, .kind = TG__ROW_BID, .price = 1};
    assert_int_equal(tg__lane_offer(&one->lane, one->index, &row), TG__VERDICT_NEW);
    tg__lane_raise(&one->lane, one->index, 9);
    assert_int_equal(tg__lane_offer(&one->lane, one->index, &row), TG__VERDICT_DUPLICATE);
    row.ts_ns = 11;
    assert_int_equal(tg__lane_offer(&one->lane, one->index, &row), TG__VERDICT_NEW);
    assert_int_equal(image(one)->epoch, 9);
}

static void a_raise_between_the_halves_of_a_tick_makes_two(void **state)
{
    one_lane *one = *state;
    assert_int_equal(offer(one, TG__ROW_BID, 900, 49, 5), TG__VERDICT_NEW);
    tg__lane_raise(&one->lane, one->index, 9);
    assert_int_equal(offer(one, TG__ROW_ASK, 900, 51, 5), TG__VERDICT_COMPLETES);
    assert_int_equal(image(one)->epoch, 9);
    assert_int_equal(image(one)->seq, 2);
}

static void statistics_of_trades_that_nobody_saw_are_null(void **state)
{
    one_lane *one = *state;
    assert_int_equal(offer(one, TG__ROW_TRADE, 1, 50, 5), TG__VERDICT_NEW);
    tg__lane_raise(&one->lane, one->index, 9);
    assert_int_equal(offer(one, TG__ROW_TRADE, 2, 70, 5), TG__VERDICT_NEW);
    assert_int_equal(image(one)->value[TG_FIELD_LAST_PRICE], 70);
    assert_int_equal(image(one)->value[TG_FIELD_OPEN], 50);
    assert_false(tg_image_has(image(one), TG_FIELD_HIGH));
    assert_false(tg_image_has(image(one), TG_FIELD_LOW));
    assert_false(tg_image_has(image(one), TG_FIELD_VOLUME));
    tg__lane_reset(&one->lane, 10);
    assert_int_equal(offer(one, TG__ROW_TRADE, 1, 60, 5), TG__VERDICT_NEW);
    assert_int_equal(image(one)->value[TG_FIELD_HIGH], 60);
    assert_int_equal(image(one)->value[TG_FIELD_VOLUME], 5);
}

static void a_frozen_lane_owes_its_marker_and_is_late_after_the_deadline(void **state)
{
    one_lane *one = *state;
    assert_true(tg__lane_mark(&one->lane, 100));
    one->lane.frozen = true;
    for (uint64_t boundary = 101; boundary < 110; boundary++) {
        assert_false(tg__lane_mark(&one->lane, boundary));
        assert_int_equal(tg__lane_is_late(&one->lane, boundary),
                         boundary >= 101 + TG__LANE_DEADLINE_CUTS);
    }
    one->lane.frozen = false;
    assert_true(tg__lane_mark(&one->lane, 110));
    assert_false(tg__lane_is_late(&one->lane, 110));
}

static void rows_wait_for_a_frozen_lane_in_their_order(void **state)
{
    one_lane *one = *state;
    tg__row row = {0};
    uint64_t next = 0;
    for (unsigned round = 0; round < 3; round++) { /* the ring goes round */
        one->lane.frozen = true;
        for (uint64_t i = 0; i < 5000; i++) {
            row.exchange_id = round * 5000 + i;
            tg__lane_hold(&one->lane, &row);
        }
        assert_false(tg__lane_take_pending(&one->lane, &row));
        one->lane.frozen = false;
        while (tg__lane_take_pending(&one->lane, &row)) {
            assert_int_equal(row.exchange_id, next++);
        }
    }
    assert_int_equal(next, 15000);
    assert_false(one->lane.missed);
}

/* A boundary may come between the thaw and the next turn of the rows. */
static void a_lane_that_thaws_answers_when_nothing_waits_any_more(void **state)
{
    one_lane *one = *state;
    tg__row row = {0};
    one->lane.frozen = true;
    tg__lane_hold(&one->lane, &row);
    one->lane.frozen = false;
    assert_false(tg__lane_mark(&one->lane, 7));
    assert_true(tg__lane_take_pending(&one->lane, &row));
    one->lane.missed = true; /* until it goes on under a new epoch */
    assert_false(tg__lane_mark(&one->lane, 8));
    one->lane.missed = false;
    assert_true(tg__lane_mark(&one->lane, 9));
}

static void a_full_queue_drops_the_newest_rows_and_counts_them(void **state)
{
    one_lane *one = *state;
    tg__row row = {0};
    one->lane.frozen = true;
    for (uint64_t i = 0; i < TG__LANE_PENDING_MAX + 3; i++) {
        row.exchange_id = i;
        tg__lane_hold(&one->lane, &row);
    }
    assert_int_equal(one->lane.pending_dropped, 3);
    assert_true(one->lane.missed);
    one->lane.frozen = false;
    uint64_t taken = 0;
    while (tg__lane_take_pending(&one->lane, &row)) {
        assert_int_equal(row.exchange_id, taken++);
    }
    assert_int_equal(taken, TG__LANE_PENDING_MAX);
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
        cmocka_unit_test(a_handlers_restart_beside_its_twin_lets_no_price_go_back),
        cmocka_unit_test(where_a_restart_raises_the_epoch_and_forgets_ids_the_price_goes_back),
        cmocka_unit_test_setup_teardown(a_raise_keeps_the_ids_and_goes_on_under_the_new_epoch,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(behind_a_raise_rows_without_ids_must_be_newer, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_raise_between_the_halves_of_a_tick_makes_two, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(statistics_of_trades_that_nobody_saw_are_null, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(
            a_frozen_lane_owes_its_marker_and_is_late_after_the_deadline, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_lane_that_thaws_answers_when_nothing_waits_any_more,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(rows_wait_for_a_frozen_lane_in_their_order, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_full_queue_drops_the_newest_rows_and_counts_them, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_version_that_left_the_lane_never_gets_other_values,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_cut_yields_each_changed_instrument_once, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests_name("gateway.lane", tests, NULL, NULL);
}
