#include "tg_cmocka.h"

#include <stdlib.h>

#include "market_fixture.h"
#include "naive_store.h"
#include "recorder/seeded_random.h"

/*
 * The store beside the naive one, over a long random day: ticks lost, doubled, reordered and
 * contradicted, epochs raised, numbers near their limits, instruments renamed, removed, rescaled,
 * new generations and lineages, breaks of the link. What each reader pins must equal the naive
 * copy of that publication, when pinned and when unpinned.
 */
enum {
    readers = 3,
    steps = 60000
};

/* What the other end knows of an instrument: where its lane stands. */
typedef struct lane {
    uint32_t epoch;
    uint64_t seq;
} lane;

typedef struct sleeper {
    tg_reader *reader;
    const tg_view *view; /* NULL: not pinned */
    naive_view expected;
    uint64_t seen; /* number of the view before */
} sleeper;

typedef struct day {
    seeded_random random;
    int64_t now_mono_ns;
    tg_store *store;
    naive_store naive;
    lane lanes[naive_venues][naive_names];
    sleeper sleepers[readers];
    unsigned step;
    bool calm; /* nothing restarts, is removed or jumps to the edge of its numbers, and losses are
                  few: rows are where their ids say, go on, and most are live */
    uint64_t live_crossed; /* reads of rows that are both */
} day;

static uint64_t below(day *at, uint64_t limit)
{
    return random_below(&at->random, limit);
}

/* From none to all of them; few different ones, so that instruments have the same. */
static void random_bands(day *at, tg_instrument *entry)
{
    static const uint8_t counts[] = {0, 1, 1, 2, TG_TICK_BAND_MAX};
    const int64_t from_price = below(at, 2) == 0 ? INT64_MIN : (int64_t)below(at, 2);
    entry->band_count = counts[below(at, sizeof counts)];
    for (unsigned i = 0; i < entry->band_count; i++) {
        entry->band[i] = (tg_tick_band){from_price + 10 * (int64_t)i, 1 + (int64_t)below(at, 2)};
    }
}

static tg_instrument random_entry(day *at, unsigned row)
{
    /* Some differ only behind what an entry keeps by itself. */
    static const char *const heads[] = {"SYM-", "A-SYMBOL-THAT-IS-LONGER-THAN-ITS-HEAD-", "S-"};
    const unsigned name = (unsigned)below(at, naive_names);
    char symbol[TG_SYMBOL_SIZE];
    (void)snprintf(symbol, sizeof symbol, "%s%u", heads[name % 3], name);
    tg_instrument entry =
        instrument_of(naive_id(row), (tg_venue_id)below(at, naive_venues), symbol);
    entry.price_exponent = (int8_t)(below(at, 8) == 0 ? -3 : -2);
    entry.delayed = below(at, 10) == 0;
    entry.cadence_ms = below(at, 2) == 0 ? 0 : (uint32_t)below(at, 50) + (at->calm ? 100 : 0);
    entry.epoch = (uint32_t)random_any_size(&at->random, 4);
    random_bands(at, &entry);
    return entry;
}

/* The same version always has the same values, unless they are corrupted on the way. */
static tg_image image_of(uint64_t lineage, const tg_instrument *entry, lane version)
{
    seeded_random values = {lineage * 31 + version.epoch * UINT64_C(77777) + version.seq +
                            naive_name_of(entry->symbol) * UINT64_C(1000003) + entry->venue};
    tg_image image = {.seq = version.seq, .epoch = version.epoch};
    const bool quote_only = random_u64(&values) % 3 == 0;
    for (unsigned field = 0; field < (quote_only ? TG_FIELD_TS_EXCHANGE : TG_FIELD_COUNT);
         field++) {
        const uint64_t roll = random_u64(&values);
        if (roll % 3 != 0) {
            set_field(&image, (tg_field)field, (int64_t)random_any_size(&values, 64));
        }
    }
    if (!quote_only && random_u64(&values) % 8 == 0) {
        set_field(&image, TG_FIELD_STATUS, TG_TRADING_HALTED);
    }
    image.present |= TG_FIELD_BIT(TG_FIELD_BID_PRICE); /* so that no image is empty */
    return image;
}

static lane next_version(day *at, lane *now)
{
    static const lane edges[] = {{1, UINT32_MAX - 2},
                                 {1, UINT64_MAX - 3},
                                 {UINT32_MAX - 1, UINT64_MAX - 2},
                                 {3, (UINT64_C(1) << 32) - 1},
                                 {5, INT64_MAX - 1}};
    switch (below(at, 200)) {
    case 0: /* the lane starts somewhere else */
        *now = at->calm ? *now : edges[below(at, sizeof edges / sizeof edges[0])];
        break;
    case 1:
    case 2:
        *now = (lane){now->epoch + 1, below(at, 2)};
        break;
    default:
        break;
    }
    lane sent = *now;
    switch (below(at, 10)) {
    case 0: /* late: an older one, of an older epoch now and then */
        sent.seq -= below(at, 4);
        sent.epoch -= below(at, 6) == 0 && sent.epoch > 0 ? 1 : 0;
        break;
    case 1: /* doubled */
        break;
    default: /* new, with or without a hole */
        now->seq += 1 + (below(at, 5) == 0 ? below(at, 1000) : 0);
        sent = *now;
        break;
    }
    return sent.epoch == 0 && sent.seq == 0 ? (lane){0, 1} : sent;
}

static void step_admit(day *at, unsigned row)
{
    const naive_row *known = &at->naive.now.row[row];
    lane *now = &at->lanes[known->known ? known->entry.venue : 0]
                          [known->known ? naive_name_of(known->entry.symbol) : 0];
    tg_image image = image_of(at->naive.lineage, &known->entry, next_version(at, now));
    if (below(at, 50) == 0) {
        image.value[TG_FIELD_BID_PRICE] ^= 1;
    }
    const tg__arrival arrival = {at->now_mono_ns, at->now_mono_ns + (int64_t)below(at, 5000),
                                 (int64_t)random_u64(&at->random)};
    /* Mostly just what the seq was raised by, as without losses; sums stay far from 2^64. */
    const uint64_t raised = image.seq - known->version.seq;
    const uint64_t covered = raised < 2000 && below(at, 3) != 0 ? raised : below(at, 100);
    const tg__admission expected = naive_admit(&at->naive, row, &image, covered, &arrival);
    assert_int_equal(tg__store_admit(at->store, naive_id(row), &image, covered, &arrival),
                     expected);
}

/* Two ids with one name are allowed, but which of them a later generation goes on from is not said:
 * the day does without. */
static bool is_taken(const day *at, unsigned row, tg_venue_id venue, const char *symbol)
{
    for (unsigned i = 0; i < naive_rows; i++) {
        const naive_row *other = &at->naive.now.row[i];
        if (i != row && other->known && other->entry.venue == venue &&
            strcmp(other->entry.symbol, symbol) == 0) {
            return true;
        }
    }
    return false;
}

static void random_levels(seeded_random *values, uint8_t *count, tg_level *levels)
{
    *count = (uint8_t)random_below(values, TG_BOOK_DEPTH_MAX + 1);
    for (unsigned i = 0; i < *count; i++) {
        levels[i].price = (int64_t)random_any_size(values, 64);
        levels[i].quantity = (int64_t)random_any_size(values, 64);
    }
}

static void step_book(day *at, unsigned row)
{
    const naive_row *known = &at->naive.now.row[row];
    const bool is_known = known->known;
    lane *now = &at->lanes[is_known ? known->entry.venue : 0]
                          [is_known ? naive_name_of(known->entry.symbol) : 0];
    const lane version = next_version(at, now);
    seeded_random values = {at->naive.lineage * 31 + version.epoch * UINT64_C(77777) + version.seq +
                            row * UINT64_C(1000003)};
    tg_book book = {.bid_count = 0};
    random_levels(&values, &book.bid_count, book.bid);
    random_levels(&values, &book.ask_count, book.ask);
    if (below(at, 30) == 0) {
        book.bid[0].price ^= 1;
    }
    const tg__arrival arrival = {at->now_mono_ns, at->now_mono_ns, 1};
    tg__admission real = TG__ADMITTED;
    tg__admission expected = TG__ADMITTED;
    const tg_version offered = {version.epoch, version.seq};
    const tg_err err = naive_admit_book(&at->naive, row, offered, &book, &arrival, &expected);
    assert_int_equal(
        tg__store_admit_book(at->store, naive_id(row), offered, &book, &arrival, &real), err);
    assert_int_equal(real, expected);
    if (below(at, 40) == 0) {
        tg__store_drop_book(at->store, naive_id(row));
        memset(&at->naive.now.row[row].depth, 0, sizeof at->naive.now.row[row].depth);
    }
}

static void step_define(day *at, unsigned row)
{
    tg_instrument entry = random_entry(at, row);
    const naive_row *known = &at->naive.now.row[row];
    if (known->known && below(at, 3) != 0) { /* restated, more often than contradicted */
        entry.venue = known->entry.venue;
        memcpy(entry.symbol, known->entry.symbol, sizeof entry.symbol);
    }
    if (is_taken(at, row, entry.venue, entry.symbol)) {
        return;
    }
    const tg_err expected = naive_define(&at->naive, row, &entry);
    assert_int_equal(tg__store_define_instrument(at->store, &entry), expected);
}

static void step_dictionary(day *at, unsigned row)
{
    tg_instrument entry = random_entry(at, row);
    switch (below(at, 8)) {
    case 0:
        if (is_taken(at, row, at->naive.now.row[row].entry.venue, entry.symbol)) {
            return;
        }
        assert_int_equal(tg__store_rename(at->store, naive_id(row), entry.symbol),
                         naive_rename(&at->naive, row, entry.symbol));
        return;
    case 1:
        if (!at->calm) {
            assert_int_equal(tg__store_remove(at->store, naive_id(row)),
                             naive_remove(&at->naive, row));
        }
        return;
    case 2:
        entry = at->naive.now.row[row].known ? at->naive.now.row[row].entry : entry;
        entry.epoch += (uint32_t)below(at, 3);
        entry.price_exponent = (int8_t)(-2 - (int)below(at, 2));
        if (entry.epoch > at->naive.now.row[row].entry.epoch || !at->naive.now.row[row].known) {
            assert_int_equal(tg__store_rescale(at->store, &entry),
                             naive_rescale(&at->naive, row, &entry));
        }
        return;
    default:
        step_define(at, row);
    }
}

static void step_restart(day *at)
{
    static const uint64_t lineages[] = {21, 21, 21, 22};
    const uint64_t lineage = lineages[below(at, 4)];
    const uint32_t generation = (uint32_t)below(at, 3);
    tg__store_restart(at->store, lineage, generation);
    naive_restart(&at->naive, lineage, generation);
    const unsigned turn = (unsigned)below(at, naive_venues); /* venues get other ids */
    for (unsigned venue = 0; venue < naive_venues; venue++) {
        char name[TG_VENUE_NAME_SIZE];
        (void)snprintf(name, sizeof name, "VENUE-%u", (venue + turn) % naive_venues);
        name_venue(at->store, (tg_venue_id)venue, name);
        naive_name_venue(&at->naive, venue, name);
    }
}

static void step_condition(day *at, unsigned row)
{
    const bool on = below(at, at->calm ? 20 : 2) == 0;
    switch (below(at, 6)) {
    case 5:
        tg__store_set_late(at->store, on);
        at->naive.now.late = on;
        return;
    case 0: {
        const tg__link_state link = at->calm && !on ? TG__LINK_UP : (tg__link_state)below(at, 4);
        tg__store_set_link(at->store, link, at->now_mono_ns);
        naive_set_link(&at->naive, link, at->now_mono_ns);
        return;
    }
    case 1:
        tg__store_set_link(at->store, TG__LINK_UP, at->now_mono_ns);
        naive_set_link(&at->naive, TG__LINK_UP, at->now_mono_ns);
        return;
    case 2:
        tg__store_set_venue_stale(at->store, (tg_venue_id)(row % naive_venues), on);
        naive_set_venue_stale(&at->naive, row % naive_venues, on);
        return;
    case 3:
        tg__store_set_not_entitled(at->store, naive_id(row), on);
        at->naive.now.row[row].not_entitled = at->naive.now.row[row].known && on;
        return;
    default:
        tg__store_channel_alive(at->store, at->now_mono_ns);
        at->naive.now.alive_mono_ns = at->now_mono_ns;
        at->naive.now.timeout_ns = on ? 0 : at->calm ? S : 40 * MS;
        tg__store_set_channel_timeout(at->store, at->naive.now.timeout_ns);
        return;
    }
}

static void compare_entry(const tg_instrument *entry, const tg_instrument *expected)
{
    assert_string_equal(entry->symbol, expected->symbol);
    assert_string_equal(entry->currency, expected->currency);
    assert_int_equal(entry->venue, expected->venue);
    assert_int_equal(entry->price_exponent, expected->price_exponent);
    assert_int_equal(entry->delayed, expected->delayed);
    assert_int_equal(entry->epoch, expected->epoch);
    assert_int_equal(entry->cadence_ms, expected->cadence_ms);
    assert_int_equal(entry->band_count, expected->band_count);
    assert_memory_equal(entry->band, expected->band,
                        expected->band_count * sizeof expected->band[0]);
}

static void compare_flags(const tg_row *row, const tg_image *expected)
{
    const int64_t bid = expected->value[TG_FIELD_BID_PRICE];
    const int64_t ask = expected->value[TG_FIELD_ASK_PRICE];
    const bool two_sided =
        tg_image_has(expected, TG_FIELD_BID_PRICE) && tg_image_has(expected, TG_FIELD_ASK_PRICE);
    assert_int_equal(row->crossed, two_sided && bid > ask);
    assert_int_equal(row->locked, two_sided && bid == ask);
}

static void compare_row(day *at, const tg_view *view, const naive_view *expected, unsigned index,
                        int64_t now_mono_ns)
{
    const naive_row *naive = &expected->row[index];
    tg_row row;
    const tg_err err = tg_view_row(view, naive_id(index), now_mono_ns, &row);
    tg_instrument entry;
    const tg_err entry_err = tg_view_instrument(view, naive_id(index), &entry);
    if (!naive->known) {
        assert_int_equal(err, TG_ERR_NOT_FOUND);
        assert_int_equal(entry_err, TG_ERR_NOT_FOUND);
        return;
    }
    assert_int_equal(err, TG_OK);
    assert_int_equal(entry_err, TG_OK);
    assert_int_equal(row.quality, naive_quality(expected, naive, now_mono_ns));
    assert_int_equal(row.history_restarted, naive->restarted);
    assert_int_equal(row.changed_in, naive->changed_in);
    compare_entry(&entry, &naive->entry);
    assert_int_equal(entry.id, naive_id(index));
    if (!naive->has_value) {
        assert_int_equal(row.age_ns, -1);
        assert_int_equal(row.image.present, 0);
        return;
    }
    assert_int_equal(row.image.seq, naive->image.seq);
    assert_int_equal(row.image.epoch, naive->image.epoch);
    assert_true(tg_image_values_equal(&row.image, &naive->image));
    compare_flags(&row, &naive->image);
    at->live_crossed += row.crossed && row.quality == TG_QUALITY_LIVE;
    assert_int_equal(row.age_ns,
                     now_mono_ns > naive->proved_mono_ns ? now_mono_ns - naive->proved_mono_ns : 0);
    assert_int_equal(row.received_mono_ns, naive->received_mono_ns);
    assert_int_equal(row.ts_gateway_ns, naive->ts_gateway_ns);
}

/* Modulo 2^64, as numbers near the limit are part of the day. */
static void check_ledger(const tg_view *view, unsigned index)
{
    tg_ledger ledger;
    if (tg_view_ledger(view, naive_id(index), &ledger) == TG_OK) {
        assert_int_equal(ledger.received + ledger.conflated + ledger.lost + ledger.superseded,
                         ledger.lane_ticks);
    }
}

static void compare_depth(const tg_view *view, const naive_view *expected, unsigned index,
                          int64_t now_mono_ns)
{
    const naive_row *naive = &expected->row[index];
    tg_depth depth;
    const tg_err err = tg_view_depth(view, naive_id(index), now_mono_ns, &depth);
    if (!naive->known || !naive->depth.has_value) {
        assert_int_equal(err, TG_ERR_NOT_FOUND);
        return;
    }
    assert_int_equal(err, TG_OK);
    assert_true(naive_books_equal(&depth.book, &naive->depth.book));
    assert_int_equal(depth.version.seq, naive->depth.version.seq);
    assert_int_equal(depth.version.epoch, naive->depth.version.epoch);
    assert_int_equal(depth.changed_in, naive->depth.changed_in);
    assert_int_equal(depth.quality, naive_depth_quality(expected, naive, now_mono_ns));
}

static void compare_lists(const tg_view *view, const naive_view *expected, uint64_t since)
{
    tg_instrument_id changed[naive_rows];
    const size_t changed_count = tg_view_changed(view, since, changed, naive_rows);
    size_t known_expected = 0;
    size_t changed_expected = 0;
    for (unsigned i = 0; i < naive_rows; i++) {
        const naive_row *row = &expected->row[i];
        unsigned listed = 0;
        unsigned reported = 0;
        for (size_t k = 0; k < tg_view_count(view); k++) {
            listed += tg_view_id(view, k) == naive_id(i) ? 1 : 0;
        }
        for (size_t k = 0; k < changed_count; k++) {
            reported += changed[k] == naive_id(i) ? 1 : 0;
        }
        assert_int_equal(listed, row->known ? 1 : 0);
        assert_int_equal(reported, row->known && row->changed_in > since ? 1 : 0);
        known_expected += listed;
        changed_expected += reported;
        tg_instrument_id found = TG_INSTRUMENT_NONE;
        if (row->known) {
            const char *venue = tg_view_venue_name(view, row->entry.venue);
            assert_int_equal(tg_view_find(view, venue, row->entry.symbol, &found), TG_OK);
            assert_int_equal(found, naive_id(i));
        }
    }
    assert_int_equal(tg_view_count(view), known_expected);
    assert_int_equal(changed_count, changed_expected);
}

static void compare(day *at, const sleeper *by)
{
    const naive_view *expected = &by->expected;
    assert_int_equal(tg_view_number(by->view), expected->number);
    assert_int_equal(tg_view_published_mono_ns(by->view), expected->published_mono_ns);
    for (unsigned i = 0; i < naive_rows; i++) {
        const int64_t now_mono_ns = at->now_mono_ns + (int64_t)below(at, 3) * 30 * MS;
        compare_row(at, by->view, expected, i, now_mono_ns);
        compare_depth(by->view, expected, i, now_mono_ns);
        check_ledger(by->view, i);
    }
    for (unsigned venue = 0; venue < naive_venues; venue++) {
        const char *name = expected->venue_name[venue];
        assert_string_equal(tg_view_venue_name(by->view, (tg_venue_id)venue),
                            name[0] == '\0' ? "?" : name);
    }
    compare_lists(by->view, expected, below(at, expected->number + 2));
    compare_lists(by->view, expected, by->seen);
}

static void let_go(sleeper *by)
{
    by->seen = by->expected.number;
    by->view = NULL;
    tg_reader_unpin(by->reader);
}

/* By turns readers sleep on their views, and look and let go: the writer's usual case. */
static void step_reader(day *at)
{
    sleeper *by = &at->sleepers[below(at, readers)];
    const bool awake = at->step / 1000 % 2 != 0;
    if (by->view != NULL) {
        compare(at, by); /* still what it was */
        by->seen = by->expected.number;
        if (awake || below(at, 2) == 0) {
            let_go(by);
            return;
        }
    }
    by->view = tg_reader_pin(by->reader);
    by->expected = at->naive.published;
    assert_true(tg_view_number(by->view) >= by->seen);
    compare(at, by);
    if (awake) {
        let_go(by);
    }
}

static void compare_counters(const day *at)
{
    const tg_store_counters real = counters_of(at->store);
    const tg_store_counters *naive = &at->naive.counters;
    assert_int_equal(real.admitted, naive->admitted);
    assert_int_equal(real.covered_ticks, naive->covered_ticks);
    assert_int_equal(real.confirmed, naive->confirmed);
    assert_int_equal(real.rejected_regression, naive->rejected_regression);
    assert_int_equal(real.rejected_epoch, naive->rejected_epoch);
    assert_int_equal(real.integrity_faults, naive->integrity_faults);
    assert_int_equal(real.views_published, naive->views_published);
    assert_int_equal(real.history_restarts, naive->history_restarts);
    assert_int_equal(real.depth_admitted, naive->depth_admitted);
    assert_int_equal(real.depth_refused, naive->depth_refused);
    assert_int_equal(real.received + real.conflated + real.lost + real.superseded, real.lane_ticks);
}

static void step(day *at)
{
    const unsigned row = (unsigned)below(at, naive_rows);
    at->now_mono_ns += (int64_t)random_any_size(&at->random, 26);
    const uint64_t kind = below(at, 1000);
    if (kind < 4 && !at->calm) {
        step_restart(at);
    } else if (kind < 100) {
        step_dictionary(at, row);
    } else if (kind < 140) {
        step_condition(at, row);
    } else if (kind < 300) {
        tg__store_publish(at->store, at->now_mono_ns);
        naive_publish(&at->naive, at->now_mono_ns);
    } else if (kind < 400) {
        step_reader(at);
    } else if (kind < 500) {
        step_book(at, row);
    } else {
        step_admit(at, row);
    }
}

static void live_through(bool calm)
{
    day *at = calloc(1, sizeof *at);
    assert_non_null(at);
    at->random = random_start("store.property", 20260817);
    at->now_mono_ns = S;
    at->calm = calm;
    for (unsigned i = 0; calm && i < naive_venues * naive_names; i++) {
        at->lanes[i / naive_names][i % naive_names].epoch = 40; /* few scales begin later */
    }
    at->store = store_of(naive_store_rows, readers);
    naive_open(&at->naive);
    for (unsigned i = 0; i < readers; i++) {
        at->sleepers[i].reader = reader_of(at->store);
    }
    step_restart(at);
    for (at->step = 0; at->step < steps; at->step++) {
        step(at);
    }
    compare_counters(at);
    assert_true(at->naive.counters.integrity_faults > 0); /* the day had everything in it */
    assert_true(at->naive.counters.rejected_epoch > 0);
    assert_true(at->naive.counters.rejected_regression > 0);
    assert_true(at->naive.counters.confirmed > 0);
    assert_true(calm || at->naive.counters.history_restarts > 0);
    assert_true(!calm || at->live_crossed > 1000);
    for (unsigned i = 0; i < readers; i++) {
        tg_reader_close(at->sleepers[i].reader);
    }
    tg__store_close(at->store);
    free(at);
}

static void the_store_equals_a_naive_one_through_a_random_day(void **state)
{
    (void)state;
    live_through(false);
}

static void the_store_equals_a_naive_one_through_a_day_without_restarts(void **state)
{
    (void)state;
    live_through(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_store_equals_a_naive_one_through_a_random_day),
        cmocka_unit_test(the_store_equals_a_naive_one_through_a_day_without_restarts),
    };
    return cmocka_run_group_tests_name("store.property", tests, NULL, NULL);
}
