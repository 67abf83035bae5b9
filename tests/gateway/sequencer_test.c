#include "tg_cmocka.h"

#include <stdio.h>

#include "sequencer.h"

#define INSTRUMENTS 40u /* even ids on venue 0, odd ones on venue 1 */

typedef struct market {
    tg__directory directory;
    tg__sequencer sequencer;
    uint64_t next_id;
} market;

static int set_up(void **state)
{
    static market m;
    static const char *const venues[] = {"EVEN", "ODD"};
    tg__directory_init(&m.directory);
    for (uint32_t i = 0; i < INSTRUMENTS; i++) {
        tg_instrument instrument = {.band_count = 1, .band = {{INT64_MIN, 1}}};
        tg_instrument_id id = 0;
        assert_int_equal(tg__directory_venue(&m.directory, venues[i % 2], &instrument.venue),
                         TG_OK);
        (void)snprintf(instrument.symbol, sizeof instrument.symbol, "SYM%02u", (unsigned)(i / 2));
        assert_int_equal(tg__directory_add(&m.directory, &instrument, &id), TG_OK);
    }
    assert_int_equal(tg__sequencer_init(&m.sequencer, &m.directory, 1, 1), TG_OK);
    *state = &m;
    return 0;
}

static int tear_down(void **state)
{
    market *m = *state;
    tg__sequencer_deinit(&m->sequencer);
    tg__directory_deinit(&m->directory);
    return 0;
}

static const tg_image *tick(market *m, tg_instrument_id id)
{
    const tg__row row = {.ts_ns = 1,
                         .price = 1,
                         .exchange_id = ++m->next_id,
                         .has_id = true,
                         .kind = TG__ROW_BID,
                         .instrument = id};
    return tg__sequencer_offer(&m->sequencer, &row);
}

static void tick_all(market *m)
{
    for (uint32_t id = 0; id < INSTRUMENTS; id++) {
        assert_non_null(tick(m, (tg_instrument_id)id));
    }
}

static uint32_t epoch_of(market *m, tg_instrument_id id)
{
    return tick(m, id)->epoch;
}

static void one_symbol_has_one_lane_on_every_venue(void **state)
{
    market *m = *state;
    uint8_t used = 0;
    for (uint32_t id = 0; id < INSTRUMENTS; id += 2) {
        assert_int_equal(m->sequencer.routes[id].lane, m->sequencer.routes[id + 1].lane);
        used |= (uint8_t)(1u << m->sequencer.routes[id].lane);
    }
    assert_int_equal(m->sequencer.lanes_of[0], used);
    assert_int_equal(m->sequencer.lanes_of[1], used);
    assert_int_equal(m->sequencer.lanes_of[2], 0);
}

static void a_raise_is_the_venues_own(void **state)
{
    market *m = *state;
    tick_all(m);
    tg__sequencer_raise(&m->sequencer, 1, 5);
    for (uint32_t id = 0; id < INSTRUMENTS; id++) {
        assert_int_equal(epoch_of(m, (tg_instrument_id)id), id % 2 == 0 ? 1 : 5);
    }
}

static void a_raise_of_a_lane_is_the_lanes_own(void **state)
{
    market *m = *state;
    tick_all(m);
    const uint32_t lane = m->sequencer.routes[7].lane;
    tg__sequencer_raise_lane(&m->sequencer, lane, 6);
    for (uint32_t id = 0; id < INSTRUMENTS; id++) {
        assert_int_equal(epoch_of(m, (tg_instrument_id)id),
                         m->sequencer.routes[id].lane == lane ? 6 : 1);
    }
}

static void while_it_is_away_rows_are_lost_and_counted(void **state)
{
    market *m = *state;
    tick_all(m);
    tg__sequencer_stop(&m->sequencer);
    for (uint32_t id = 0; id < INSTRUMENTS; id++) {
        assert_null(tick(m, (tg_instrument_id)id));
    }
    assert_int_equal(m->sequencer.venues[0].missed, INSTRUMENTS / 2);
    assert_false(tg__sequencer_mark(&m->sequencer, 0, 9));
    tg__sequencer_restart(&m->sequencer, 4);
    assert_true(tg__sequencer_mark(&m->sequencer, 0, 10));
    const tg_image *image = tick(m, 3);
    assert_int_equal(image->epoch, 4);
    assert_int_equal(image->seq, 2); /* the ticks that it admitted */
}

static void what_waited_for_a_frozen_lane_is_lost_with_the_sequencer(void **state)
{
    market *m = *state;
    const uint32_t at = m->sequencer.routes[3].lane;
    tg__row row;
    m->sequencer.lanes[at].frozen = true;
    assert_null(tick(m, 3));
    assert_int_equal(m->sequencer.lanes[at].pending_count, 1);
    tg__sequencer_stop(&m->sequencer);
    tg__sequencer_restart(&m->sequencer, 4);
    m->sequencer.lanes[at].frozen = false;
    assert_false(tg__lane_take_pending(&m->sequencer.lanes[at], &row));
    assert_int_equal(m->sequencer.venues[1].missed, 1);
}

static void offer_plain(market *m, int64_t ts_ns, int64_t price)
{
    const tg__row row = {.ts_ns = ts_ns, .price = price, .kind = TG__ROW_BID, .instrument = 3};
    (void)tg__sequencer_offer(&m->sequencer, &row);
}

/* Rows of one time, of which the standby brings all once more. */
static void a_take_over_while_a_lane_is_frozen_lets_no_price_go_back(void **state)
{
    market *m = *state;
    const tg__route route = m->sequencer.routes[3];
    tg__lane *lane = &m->sequencer.lanes[route.lane];
    const tg_image *image = &lane->instruments[route.index].image;
    tg__row row;
    offer_plain(m, 5, 90);
    lane->frozen = true;
    offer_plain(m, 10, 100);
    offer_plain(m, 10, 101);
    tg__sequencer_take_over(&m->sequencer, 1);
    offer_plain(m, 10, 100);
    offer_plain(m, 10, 101);
    lane->frozen = false;
    int64_t highest = 90;
    while (tg__lane_take_pending(lane, &row)) {
        (void)tg__sequencer_offer(&m->sequencer, &row);
        assert_true(image->value[TG_FIELD_BID_PRICE] >= highest);
        highest = image->value[TG_FIELD_BID_PRICE];
    }
    assert_int_equal(highest, 101);
    assert_int_equal(image->seq, 3);
    assert_true(lane->missed); /* what waited was dropped for it */
    assert_int_equal(m->sequencer.venues[1].missed, 2);
}

static void late_lanes_are_those_without_a_marker(void **state)
{
    market *m = *state;
    m->sequencer.lanes[2].frozen = true;
    for (uint64_t boundary = 1; boundary < 9; boundary++) {
        for (uint32_t i = 0; i < TG__LANE_COUNT; i++) {
            assert_int_equal(tg__sequencer_mark(&m->sequencer, i, boundary), i != 2);
        }
        assert_int_equal(tg__sequencer_late_lanes(&m->sequencer, boundary),
                         boundary > TG__LANE_DEADLINE_CUTS ? 1u << 2 : 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_symbol_has_one_lane_on_every_venue, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_raise_is_the_venues_own, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_raise_of_a_lane_is_the_lanes_own, set_up, tear_down),
        cmocka_unit_test_setup_teardown(while_it_is_away_rows_are_lost_and_counted, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(what_waited_for_a_frozen_lane_is_lost_with_the_sequencer,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_take_over_while_a_lane_is_frozen_lets_no_price_go_back,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(late_lanes_are_those_without_a_marker, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("gateway.sequencer", tests, NULL, NULL);
}
