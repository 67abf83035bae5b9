#include "tg_cmocka.h"

#include "sim_book.h"

#define EVENTS 200000

static const tg__sim_traits calm = {
    .tick_size = 1, .anchor_ticks = 6183200, .lot = 1, .spread_ticks = 1};
static const tg__sim_traits wide = {
    .tick_size = 1, .anchor_ticks = 152430, .lot = 1, .spread_ticks = 24};
static const tg__sim_traits cheap = {
    .tick_size = 1, .anchor_ticks = 3, .lot = 1, .spread_ticks = 1};
static const tg__sim_traits through_zero = {
    .tick_size = 1, .anchor_ticks = 0, .lot = 1, .spread_ticks = 1, .may_be_negative = true};

typedef struct outcome {
    unsigned changes[4]; /* by tg__sim_change */
    unsigned moved;      /* one-sided quotes with another price */
    unsigned one_sided;
    unsigned turns; /* trades on the other side than the trade before */
    int64_t lowest;
    int64_t highest;
} outcome;

static void check_told(const tg__sim_book *before, const tg__sim_book *after, tg__sim_change change)
{
    const int64_t ask_before = before->bid_ticks + before->spread_ticks;
    const int64_t ask_after = after->bid_ticks + after->spread_ticks;
    assert_true(after->spread_ticks >= 1);
    assert_true(after->bid_lots > 0 && after->ask_lots > 0);
    if (change == TG__SIM_CHANGE_BID || change == TG__SIM_CHANGE_TRADE) {
        assert_true(ask_before == ask_after && before->ask_lots == after->ask_lots);
    }
    if (change == TG__SIM_CHANGE_ASK || change == TG__SIM_CHANGE_TRADE) {
        assert_true(before->bid_ticks == after->bid_ticks && before->bid_lots == after->bid_lots);
    }
    if (change == TG__SIM_CHANGE_TRADE) {
        assert_int_equal(after->trade_id, before->trade_id + 1);
        assert_true(after->trade_lots > 0);
        assert_true(after->trade_ticks == after->bid_ticks || after->trade_ticks == ask_after);
    }
}

/* Every event tells what it has changed, and nothing that it has not told is another. */
static outcome play(const tg__sim_traits *traits, uint32_t spread_q8)
{
    outcome o = {.lowest = INT64_MAX, .highest = INT64_MIN};
    tg__prng prng = {11};
    tg__sim_book book;
    tg__sim_book_open(&book, traits, 50000, &prng);
    for (unsigned i = 0; i < EVENTS; i++) {
        const tg__sim_book before = book;
        const tg__sim_change change = tg__sim_book_event(&book, traits, spread_q8, &prng);
        check_told(&before, &book, change);
        o.changes[change]++;
        if (change == TG__SIM_CHANGE_BID || change == TG__SIM_CHANGE_ASK) {
            o.one_sided++;
            o.moved += before.spread_ticks != book.spread_ticks;
        }
        o.turns += before.buys != book.buys;
        o.lowest = book.bid_ticks < o.lowest ? book.bid_ticks : o.lowest;
        o.highest = book.bid_ticks > o.highest ? book.bid_ticks : o.highest;
    }
    return o;
}

static void most_updates_are_sizes_on_one_side(void **state)
{
    (void)state;
    const outcome o = play(&calm, 256);
    assert_in_range(o.changes[TG__SIM_CHANGE_TRADE], EVENTS / 100 * 13, EVENTS / 100 * 15);
    assert_in_range(o.changes[TG__SIM_CHANGE_BOTH], EVENTS / 100 * 2, EVENTS / 100 * 4);
    assert_in_range(o.moved, o.one_sided / 100 * 3, o.one_sided / 100 * 9);
    assert_in_range(o.changes[TG__SIM_CHANGE_TRADE] / o.turns, 5, 7);
    assert_true(o.highest - o.lowest > 1000);
    assert_true(o.lowest > calm.anchor_ticks * 9 / 10);
    assert_true(o.highest < calm.anchor_ticks * 11 / 10);
}

static void wide_spreads_never_rest(void **state)
{
    (void)state;
    const outcome o = play(&wide, 256);
    assert_in_range(o.moved, o.one_sided / 100 * 65, o.one_sided / 100 * 85);
}

static void only_prices_that_may_fall_below_zero(void **state)
{
    (void)state;
    const outcome o = play(&cheap, 1024);
    assert_int_equal(o.lowest, 1);
    assert_true(o.highest > 3);
    const outcome negative = play(&through_zero, 256);
    assert_true(negative.lowest < 0 && negative.highest > 0);
}

static void a_jump_moves_both_sides_one_way_and_widens(void **state)
{
    (void)state;
    tg__prng prng = {3};
    tg__sim_book book;
    tg__sim_book_open(&book, &wide, 50000, &prng);
    const int64_t bid = book.bid_ticks;
    tg__sim_book_jump(&book, &wide, true, 1024, &prng);
    assert_in_range(book.bid_ticks - bid, wide.anchor_ticks / 500, wide.anchor_ticks / 250 + 4);
    assert_int_equal(book.spread_ticks, 4 * 24);
    const int64_t high = book.bid_ticks;
    tg__sim_book_jump(&book, &wide, false, 256, &prng);
    assert_true(book.bid_ticks < high);
    assert_int_equal(book.spread_ticks, 24);
    tg__sim_book_open(&book, &cheap, 50000, &prng);
    tg__sim_book_jump(&book, &cheap, false, 1024, &prng);
    assert_true(book.bid_ticks >= 1 && book.spread_ticks == 4);
}

static void spreads_follow_the_market_out_and_back(void **state)
{
    (void)state;
    tg__prng prng = {8};
    tg__sim_book book;
    tg__sim_book_open(&book, &calm, 50000, &prng);
    int64_t sums[2] = {0, 0};
    for (unsigned i = 0; i < 2000; i++) {
        const bool stressed = i < 1000;
        (void)tg__sim_book_event(&book, &calm, stressed ? 1024 : 256, &prng);
        sums[stressed] += book.spread_ticks >= 4;
    }
    assert_true(sums[true] > 900);
    assert_true(sums[false] < 150);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(most_updates_are_sizes_on_one_side),
        cmocka_unit_test(wide_spreads_never_rest),
        cmocka_unit_test(only_prices_that_may_fall_below_zero),
        cmocka_unit_test(a_jump_moves_both_sides_one_way_and_widens),
        cmocka_unit_test(spreads_follow_the_market_out_and_back),
    };
    return cmocka_run_group_tests_name("gateway.sim_book", tests, NULL, NULL);
}
