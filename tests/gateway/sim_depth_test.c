#include "tg_cmocka.h"

#include <string.h>

#include "sequencer.h"
#include "sim.h"
#include "sim_depth.h"
#include "sim_universe.h"

#define ROWS  120000u
#define STEPS 2000u

/* The market of a seed, sequenced, with its depth. */
typedef struct market {
    tg__directory directory;
    tg__sim *sim;
    tg__sequencer sequencer;
    tg__sim_depth *depth;
    tg__sim_traits traits[TG__SIM_INSTRUMENTS];
} market;

static void open_market(market *m, uint64_t seed)
{
    tg__directory names;
    tg__directory_init(&m->directory);
    assert_int_equal(tg__sim_open(seed, &tg__sim_usual, &m->directory, &m->sim), TG_OK);
    assert_int_equal(tg__sequencer_init(&m->sequencer, &m->directory, 1, 100000), TG_OK);
    assert_int_equal(tg__sim_depth_open(seed, &m->depth), TG_OK);
    tg__directory_init(&names);
    assert_int_equal(tg__sim_universe_fill(&names, m->traits, seed), TG_OK);
    tg__directory_deinit(&names);
}

static void close_market(market *m)
{
    tg__sim_depth_close(m->depth);
    tg__sequencer_deinit(&m->sequencer);
    tg__sim_close(m->sim);
    tg__directory_deinit(&m->directory);
}

static void check_side(const tg__sim_traits *traits, const tg_level *levels, uint8_t count,
                       bool is_bid)
{
    for (uint8_t i = 0; i < count; i++) {
        assert_int_equal(levels[i].price % traits->tick_size, 0);
        assert_int_equal(levels[i].quantity % traits->lot, 0);
        assert_true(levels[i].quantity > 0);
        assert_true(traits->may_be_negative || levels[i].price > 0);
        if (i > 0) {
            assert_true(is_bid ? levels[i].price < levels[i - 1].price
                               : levels[i].price > levels[i - 1].price);
        }
    }
}

static void check_top(const tg_image *image, const tg_book *book)
{
    assert_int_equal(book->bid_count > 0, tg_image_has(image, TG_FIELD_BID_PRICE));
    assert_int_equal(book->ask_count > 0, tg_image_has(image, TG_FIELD_ASK_PRICE));
    if (book->bid_count > 0) {
        assert_true(book->bid[0].price == image->value[TG_FIELD_BID_PRICE]);
        assert_true(book->bid[0].quantity == image->value[TG_FIELD_BID_QUANTITY]);
    }
    if (book->ask_count > 0) {
        assert_true(book->ask[0].price == image->value[TG_FIELD_ASK_PRICE]);
        assert_true(book->ask[0].quantity == image->value[TG_FIELD_ASK_QUANTITY]);
    }
}

static void every_version_of_the_market_has_an_ordered_book_behind_its_top(void **state)
{
    (void)state;
    static market m;
    unsigned sides = 0;
    unsigned full = 0;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        open_market(&m, seed);
        for (unsigned i = 0; i < ROWS; i++) {
            tg__row row;
            tg_book book;
            tg__sim_next(m.sim, &row);
            const tg_image *image = tg__sequencer_offer(&m.sequencer, &row);
            if (image == NULL) {
                continue;
            }
            assert_true(tg__sim_depth_book(m.depth, row.instrument, image, &book));
            const tg__sim_traits *traits = &m.traits[row.instrument];
            check_top(image, &book);
            check_side(traits, book.bid, book.bid_count, true);
            check_side(traits, book.ask, book.ask_count, false);
            /* Bid and ask of one update come as two rows. */
            if (row.kind != TG__ROW_BID && book.bid_count > 0 && book.ask_count > 0) {
                assert_true(book.bid[0].price < book.ask[0].price);
            }
            sides += book.bid_count > 0;
            sides += book.ask_count > 0;
            full += book.bid_count == TG_BOOK_DEPTH_MAX;
            full += book.ask_count == TG_BOOK_DEPTH_MAX;
        }
        close_market(&m);
    }
    /* What has fewer is a bid side that ends at zero. */
    assert_in_range(full, sides / 1000 * 995, sides);
}

static void equal_versions_have_equal_books_wherever_they_are_asked_for(void **state)
{
    (void)state;
    static market m;
    open_market(&m, 7);
    tg__sim_depth *other = NULL;
    tg__sim_depth *stranger = NULL;
    assert_int_equal(tg__sim_depth_open(7, &other), TG_OK);
    assert_int_equal(tg__sim_depth_open(8, &stranger), TG_OK);
    unsigned differing = 0;
    for (unsigned i = 0; i < ROWS; i++) {
        tg__row row;
        tg_book here;
        tg_book there;
        tg__sim_next(m.sim, &row);
        const tg_image *image = tg__sequencer_offer(&m.sequencer, &row);
        if (i % 50 != 0 || image == NULL) { /* who asks seldom is told the same */
            continue;
        }
        assert_true(tg__sim_depth_book(m.depth, row.instrument, image, &here));
        assert_true(tg__sim_depth_book(other, row.instrument, image, &there));
        assert_memory_equal(&here, &there, sizeof here);
        assert_true(tg__sim_depth_book(stranger, row.instrument, image, &there));
        differing += memcmp(&here, &there, sizeof here) != 0;
    }
    assert_true(differing > ROWS / 50 / 2);
    tg__sim_depth_close(other);
    tg__sim_depth_close(stranger);
    close_market(&m);
}

/* ---- one instrument, moved by hand ---- */

typedef struct scene {
    tg__sim_depth *depth;
    tg__sim_traits traits[TG__SIM_INSTRUMENTS];
    tg_instrument_id id;
    tg_image image;
} scene;

static void set(scene *s, tg_field field, int64_t value)
{
    s->image.value[field] = value;
    s->image.present |= TG_FIELD_BIT(field);
}

static void quote(scene *s, int64_t bid_ticks, int64_t ask_ticks)
{
    const tg__sim_traits *traits = &s->traits[s->id];
    s->image.seq++;
    set(s, TG_FIELD_BID_PRICE, bid_ticks * traits->tick_size);
    set(s, TG_FIELD_ASK_PRICE, ask_ticks * traits->tick_size);
    set(s, TG_FIELD_BID_QUANTITY, 5 * traits->lot);
    set(s, TG_FIELD_ASK_QUANTITY, 6 * traits->lot);
}

static void trade(scene *s, int64_t ticks)
{
    s->image.seq++;
    set(s, TG_FIELD_LAST_PRICE, ticks * s->traits[s->id].tick_size);
}

/* The first instrument whose spread is usually so many ticks, and whose bids are far from zero. */
static void open_scene(scene *s, uint32_t spread_ticks)
{
    tg__directory names;
    memset(s, 0, sizeof *s);
    tg__directory_init(&names);
    assert_int_equal(tg__sim_universe_fill(&names, s->traits, 1), TG_OK);
    tg__directory_deinit(&names);
    assert_int_equal(tg__sim_depth_open(1, &s->depth), TG_OK);
    while (s->traits[s->id].spread_ticks != spread_ticks ||
           s->traits[s->id].anchor_ticks < 100000) {
        s->id++;
        assert_true(s->id < TG__SIM_INSTRUMENTS);
    }
    s->image.epoch = 1;
}

static tg_book book_of(const scene *s)
{
    tg_book book;
    assert_true(tg__sim_depth_book(s->depth, s->id, &s->image, &book));
    return book;
}

static int64_t quantity_at(const tg_level *levels, uint8_t count, int64_t price)
{
    for (uint8_t i = 0; i < count; i++) {
        if (levels[i].price == price) {
            return levels[i].quantity;
        }
    }
    return 0;
}

static void levels_stand_at_their_prices_and_change_one_by_one(void **state)
{
    (void)state;
    static scene s;
    open_scene(&s, 1);
    const int64_t tick = s.traits[s.id].tick_size;
    const int64_t at = s.traits[s.id].anchor_ticks;
    trade(&s, at);
    unsigned kept = 0;
    unsigned changed = 0;
    unsigned gone = 0;
    unsigned appeared = 0;
    for (unsigned i = 0; i < STEPS; i++) {
        const int64_t bid = at + (int64_t)(i % 2); /* the top moves in front of them */
        quote(&s, bid, bid + 1);
        const tg_book before = book_of(&s);
        quote(&s, at + (int64_t)((i + 1) % 2), at + (int64_t)((i + 1) % 2) + 1);
        const tg_book after = book_of(&s);
        for (int64_t behind = 2; behind < 8; behind++) {
            const int64_t price = (at - behind) * tick;
            const int64_t had = quantity_at(before.bid, before.bid_count, price);
            const int64_t has = quantity_at(after.bid, after.bid_count, price);
            kept += had == has && had != 0;
            changed += had != has && had != 0 && has != 0;
            gone += had != 0 && has == 0;
            appeared += had == 0 && has != 0;
        }
    }
    const unsigned all = 6 * STEPS;
    assert_in_range(kept, all / 100 * 70, all / 100 * 95);
    assert_in_range(changed, all / 200, all / 10);
    assert_in_range(gone, all / 1000, all / 50);
    assert_in_range(appeared, all / 1000, all / 50);
    tg__sim_depth_close(s.depth);
}

/* Of the prices between the best one and the tenth level, those without a level. */
static unsigned gaps_of(const scene *s, const tg_book *book)
{
    const int64_t tick = s->traits[s->id].tick_size;
    return (unsigned)((book->bid[0].price - book->bid[book->bid_count - 1].price) / tick + 1) -
           book->bid_count;
}

static int64_t size_behind(const tg_book *book)
{
    int64_t sum = 0;
    for (uint8_t i = 1; i < book->bid_count; i++) {
        sum += book->bid[i].quantity;
    }
    return sum;
}

static void there_are_gaps_at_times(void **state)
{
    (void)state;
    static scene s;
    open_scene(&s, 1);
    unsigned with_gaps = 0;
    for (unsigned i = 0; i < STEPS; i++) {
        quote(&s, s.traits[s.id].anchor_ticks, s.traits[s.id].anchor_ticks + 1);
        const tg_book book = book_of(&s);
        assert_int_equal(book.bid_count, TG_BOOK_DEPTH_MAX);
        assert_int_equal(book.ask_count, TG_BOOK_DEPTH_MAX);
        with_gaps += gaps_of(&s, &book) > 0;
    }
    assert_in_range(with_gaps, STEPS / 4, STEPS - STEPS / 100);
    tg__sim_depth_close(s.depth);
}

static void a_jump_leaves_little_behind_it_until_it_trades_there(void **state)
{
    (void)state;
    static scene s;
    open_scene(&s, 1);
    const int64_t at = s.traits[s.id].anchor_ticks;
    int64_t before = 0;
    int64_t jumped = 0;
    int64_t filled = 0;
    unsigned gaps = 0;
    unsigned gaps_filled = 0;
    for (int64_t i = 1; i <= 200; i++) {
        trade(&s, at + (i - 1) * 1000);
        quote(&s, at + (i - 1) * 1000, at + (i - 1) * 1000 + 1);
        tg_book book = book_of(&s);
        before += size_behind(&book);
        quote(&s, at + i * 1000, at + i * 1000 + 1);
        book = book_of(&s);
        jumped += size_behind(&book);
        gaps += gaps_of(&s, &book);
        trade(&s, at + i * 1000);
        book = book_of(&s);
        filled += size_behind(&book);
        gaps_filled += gaps_of(&s, &book);
    }
    assert_true(jumped * 4 < before && jumped * 4 < filled);
    assert_true(gaps > 2 * gaps_filled);
    tg__sim_depth_close(s.depth);
}

static void wide_spreads_have_levels_far_apart(void **state)
{
    (void)state;
    static scene s;
    open_scene(&s, 32);
    quote(&s, s.traits[s.id].anchor_ticks, s.traits[s.id].anchor_ticks + 32);
    const tg_book book = book_of(&s);
    assert_int_equal(book.bid_count, TG_BOOK_DEPTH_MAX);
    assert_in_range(gaps_of(&s, &book), 15, 120);
    tg__sim_depth_close(s.depth);
}

static void what_is_not_of_this_market_has_no_depth_and_strange_prices_have_one_level(void **state)
{
    (void)state;
    static scene s;
    tg_book book;
    open_scene(&s, 1);
    assert_false(tg__sim_depth_book(s.depth, s.id, &s.image, &book)); /* never published */
    quote(&s, 100000, 100001);
    assert_false(tg__sim_depth_book(s.depth, TG__SIM_INSTRUMENTS, &s.image, &book));
    s.image.present &= ~TG_FIELD_BIT(TG_FIELD_ASK_PRICE);
    set(&s, TG_FIELD_BID_PRICE, INT64_MAX - 3);
    book = book_of(&s);
    assert_int_equal(book.bid_count, 1);
    assert_true(book.bid[0].price == INT64_MAX - 3);
    assert_int_equal(book.ask_count, 0);
    set(&s, TG_FIELD_BID_PRICE, INT64_MIN);
    book = book_of(&s);
    assert_int_equal(book.bid_count, 1);
    set(&s, TG_FIELD_BID_PRICE, 2 * s.traits[s.id].tick_size);
    book = book_of(&s);
    assert_in_range(book.bid_count, 1, 2); /* nobody bids nothing */
    tg__sim_depth_close(s.depth);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_version_of_the_market_has_an_ordered_book_behind_its_top),
        cmocka_unit_test(equal_versions_have_equal_books_wherever_they_are_asked_for),
        cmocka_unit_test(levels_stand_at_their_prices_and_change_one_by_one),
        cmocka_unit_test(there_are_gaps_at_times),
        cmocka_unit_test(a_jump_leaves_little_behind_it_until_it_trades_there),
        cmocka_unit_test(wide_spreads_have_levels_far_apart),
        cmocka_unit_test(what_is_not_of_this_market_has_no_depth_and_strange_prices_have_one_level),
    };
    return cmocka_run_group_tests_name("gateway.sim_depth", tests, NULL, NULL);
}
