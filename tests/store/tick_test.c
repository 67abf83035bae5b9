#include "tg_cmocka.h"

#include "market_fixture.h"

typedef struct fixture {
    tg_store *store;
    tg_reader *reader;
} fixture;

static int open_fixture(void **state)
{
    static fixture at;
    at.store = store_of(4, 1);
    at.reader = reader_of(at.store);
    name_venue(at.store, 0, "XCME");
    define(at.store, 7, "ESZ6");
    tg__store_set_link(at.store, TG__LINK_UP, 0);
    *state = &at;
    return 0;
}

static int close_fixture(void **state)
{
    fixture *at = *state;
    tg_reader_close(at->reader);
    tg__store_close(at->store);
    return 0;
}

static tg_row published_row(fixture *at, int64_t now_mono_ns)
{
    tg__store_publish(at->store, now_mono_ns);
    return row_at(tg_reader_pin(at->reader), 7, now_mono_ns);
}

static void an_unknown_instrument_is_refused(void **state)
{
    fixture *at = *state;
    assert_int_equal(admit_at(at->store, 8, quote(1, 1, 100), S), TG__REFUSED_UNKNOWN);
    assert_int_equal(counters_of(at->store).admitted, 0);
}

static void an_older_tick_changes_nothing_and_is_counted_by_cause(void **state)
{
    fixture *at = *state;
    assert_int_equal(admit_at(at->store, 7, quote(5, 100, 4000), S), TG__ADMITTED);
    assert_int_equal(admit_at(at->store, 7, quote(5, 99, 3999), 2 * S), TG__REFUSED_REGRESSION);
    assert_int_equal(admit_at(at->store, 7, quote(4, 900, 3998), 2 * S), TG__REFUSED_EPOCH);
    const tg_row row = published_row(at, 3 * S);
    assert_int_equal(row.image.value[TG_FIELD_BID_PRICE], 4000);
    assert_int_equal(row.age_ns, 2 * S);
    const tg_store_counters counters = counters_of(at->store);
    assert_int_equal(counters.rejected_regression, 1);
    assert_int_equal(counters.rejected_epoch, 1);
    assert_int_equal(counters.admitted, 1);
}

static void an_equal_version_with_other_values_is_an_integrity_fault(void **state)
{
    fixture *at = *state;
    assert_int_equal(admit_at(at->store, 7, quote(1, 1, 4000), S), TG__ADMITTED);
    assert_int_equal(admit_at(at->store, 7, quote(1, 1, 4001), 2 * S), TG__REFUSED_INTEGRITY);
    tg_image null_ask = quote(1, 1, 4000);
    null_ask.present &= ~TG_FIELD_BIT(TG_FIELD_ASK_PRICE);
    null_ask.value[TG_FIELD_ASK_PRICE] = 0;
    assert_int_equal(admit_at(at->store, 7, null_ask, 2 * S), TG__REFUSED_INTEGRITY);
    assert_int_equal(counters_of(at->store).integrity_faults, 2);
    tg_row row = published_row(at, 2 * S);
    assert_int_equal(row.image.value[TG_FIELD_BID_PRICE], 4000);
    assert_int_equal(row.quality, TG_QUALITY_GAP);
    assert_int_equal(row.cause, TG_QUALITY_CAUSE_CONTRADICTED);
    assert_int_equal(admit_at(at->store, 7, quote(1, 1, 4000), 2 * S), TG__CONFIRMED);
    assert_int_equal(published_row(at, 2 * S).quality, TG_QUALITY_LIVE);
    assert_int_equal(admit_at(at->store, 7, quote(1, 1, 4001), 2 * S), TG__REFUSED_INTEGRITY);
    assert_int_equal(published_row(at, 2 * S).quality, TG_QUALITY_GAP);
    assert_int_equal(admit_at(at->store, 7, quote(1, 2, 4001), 2 * S), TG__ADMITTED);
    assert_int_equal(published_row(at, 2 * S).quality, TG_QUALITY_LIVE);
}

static void an_equal_tick_renews_the_age_and_nothing_else(void **state)
{
    fixture *at = *state;
    assert_int_equal(admit_at(at->store, 7, quote(1, 1, 4000), S), TG__ADMITTED);
    const tg_row before = published_row(at, S);
    assert_int_equal(admit_at(at->store, 7, quote(1, 1, 4000), 9 * S), TG__CONFIRMED);
    const tg_row after = published_row(at, 9 * S);
    assert_int_equal(before.age_ns, 0);
    assert_int_equal(after.age_ns, 0);
    assert_int_equal(after.received_mono_ns, before.received_mono_ns);
    assert_int_equal(after.committed_mono_ns, before.committed_mono_ns);
    assert_int_equal(after.ts_gateway_ns, before.ts_gateway_ns);
    assert_int_equal(after.changed_in, before.changed_in);
    assert_int_equal(counters_of(at->store).confirmed, 1);
}

static void every_field_survives_with_its_nulls(void **state)
{
    fixture *at = *state;
    for (unsigned null_field = 0; null_field <= TG_FIELD_COUNT; null_field++) {
        tg_image image = {.seq = null_field + 1, .epoch = 1};
        for (unsigned field = 0; field < TG_FIELD_COUNT; field++) {
            if (field != null_field) {
                set_field(&image, (tg_field)field, field % 2 == 0 ? INT64_MIN + field : INT64_MAX);
            }
        }
        assert_int_equal(admit_at(at->store, 7, image, S), TG__ADMITTED);
        const tg_row row = published_row(at, S);
        assert_int_equal(row.image.seq, image.seq);
        assert_true(tg_image_values_equal(&row.image, &image));
        assert_int_equal(admit_at(at->store, 7, image, S), TG__CONFIRMED);
    }
}

static void versions_order_across_the_edges_of_their_numbers(void **state)
{
    fixture *at = *state;
    static const tg_version ascending[] = {
        {1, UINT32_MAX},
        {1, (uint64_t)UINT32_MAX + 1},
        {1, UINT64_MAX - 1},
        {1, UINT64_MAX},
        {2, 0},
        {INT32_MAX, 1},
        {UINT32_MAX, 0},
        {UINT32_MAX, 1},
        {UINT32_MAX, UINT64_MAX},
    };
    const size_t count = sizeof ascending / sizeof ascending[0];
    for (size_t i = 0; i < count; i++) {
        const tg_version version = ascending[i];
        const tg_image image = quote(version.epoch, version.seq, (int64_t)i);
        assert_int_equal(admit_at(at->store, 7, image, S), TG__ADMITTED);
        for (size_t k = 0; k < i; k++) {
            const tg_image older = quote(ascending[k].epoch, ascending[k].seq, (int64_t)k);
            assert_int_equal(admit_at(at->store, 7, older, S), ascending[k].epoch < version.epoch
                                                                   ? TG__REFUSED_EPOCH
                                                                   : TG__REFUSED_REGRESSION);
        }
    }
    assert_int_equal(published_row(at, S).image.value[TG_FIELD_BID_PRICE], (int64_t)count - 1);
}

static void nothing_published_yet_confirms_but_stays_unknown(void **state)
{
    fixture *at = *state;
    const tg_image nothing = {.seq = 0};
    assert_int_equal(admit_at(at->store, 7, nothing, S), TG__CONFIRMED);
    const tg_row row = published_row(at, S);
    assert_int_equal(row.quality, TG_QUALITY_UNKNOWN);
    assert_int_equal(row.age_ns, -1);
    assert_int_equal(admit_at(at->store, 7, quote(0, 0, 5), S), TG__REFUSED_INTEGRITY);
}

static void stamps_and_covered_ticks_are_kept(void **state)
{
    fixture *at = *state;
    const tg__arrival arrival = {5 * S, 5 * S + 800, 77};
    const tg_image image = quote(1, 40, 4000);
    assert_int_equal(tg__store_admit(at->store, 7, &image, 40, &arrival), TG__ADMITTED);
    const tg_row row = published_row(at, 6 * S);
    assert_int_equal(row.received_mono_ns, 5 * S);
    assert_int_equal(row.committed_mono_ns, 5 * S + 800);
    assert_int_equal(row.ts_gateway_ns, 77);
    assert_int_equal(row.age_ns, S);
    assert_int_equal(counters_of(at->store).covered_ticks, 40);
}

static void crossed_and_locked_books_are_flagged_and_kept(void **state)
{
    fixture *at = *state;
    tg_image image = quote(1, 1, 4000);
    image.value[TG_FIELD_ASK_PRICE] = 3999;
    assert_int_equal(admit_at(at->store, 7, image, S), TG__ADMITTED);
    tg_row row = published_row(at, S);
    assert_true(row.crossed);
    assert_int_equal(row.image.value[TG_FIELD_ASK_PRICE], 3999);
    image.seq = 2;
    image.value[TG_FIELD_ASK_PRICE] = 4000;
    assert_int_equal(admit_at(at->store, 7, image, S), TG__ADMITTED);
    row = published_row(at, S);
    assert_false(row.crossed);
    assert_true(row.locked);
    image.seq = 3;
    image.present = TG_FIELD_BIT(TG_FIELD_BID_PRICE);
    image.value[TG_FIELD_BID_PRICE] = 0;
    image.value[TG_FIELD_ASK_PRICE] = 0; /* null is not zero */
    assert_int_equal(admit_at(at->store, 7, image, S), TG__ADMITTED);
    row = published_row(at, S);
    assert_false(row.crossed);
    assert_false(row.locked);
}

/* Nobody holds a view afterwards: that an old one is held is unusual too. */
static tg_row row_shown(fixture *at, int64_t now_mono_ns)
{
    tg__store_publish(at->store, now_mono_ns);
    const tg_row row = row_at(tg_reader_pin(at->reader), 2, now_mono_ns);
    tg_reader_unpin(at->reader);
    tg__store_publish(at->store, now_mono_ns);
    return row;
}

/* Each lacks one thing that the usual next tick has. */
static void the_next_tick_of_an_unusual_row_is_not_taken_for_a_usual_one(void **state)
{
    fixture *at = *state;
    tg_store *store = at->store;
    define(store, 2, "NQZ6");
    assert_int_equal(admit_at(store, 2, quote(5, 1, 5), S), TG__ADMITTED);
    tg__store_set_unfollowed(store, 2);
    assert_int_equal(row_shown(at, S).cause, TG_QUALITY_CAUSE_UNSUBSCRIBED);
    assert_int_equal(admit_at(store, 2, quote(5, 2, 6), S), TG__ADMITTED);
    assert_int_equal(row_shown(at, S).quality, TG_QUALITY_LIVE);

    tg_instrument entry = instrument_of(2, 0, "NQZ6");
    entry.price_exponent = -4;
    entry.epoch = 2;
    assert_int_equal(tg__store_rescale(store, &entry), TG_OK);
    assert_int_equal(row_shown(at, S).quality, TG_QUALITY_UNKNOWN);
    assert_int_equal(admit_at(store, 2, quote(5, 3, 700), S), TG__ADMITTED);
    assert_int_equal(row_shown(at, S).image.value[TG_FIELD_BID_PRICE], 700);

    tg__store_restart(store, 99, 1);
    name_venue(store, 0, "XCME");
    assert_int_equal(tg__store_define_instrument(store, &entry), TG_OK);
    assert_int_equal(admit_at(store, 2, quote(5, 4, 701), 2 * S), TG__ADMITTED);
    assert_true(row_shown(at, 2 * S).history_restarted);
    assert_int_equal(admit_at(store, 2, quote(5, 5, 702), 2 * S), TG__ADMITTED);
    assert_true(row_shown(at, 2 * S).history_restarted);

    entry.epoch = 6;
    assert_int_equal(tg__store_rescale(store, &entry), TG_OK);
    assert_int_equal(admit_at(store, 2, quote(5, 6, 703), 2 * S), TG__REFUSED_EPOCH);
    assert_int_equal(admit_at(store, 2, quote(6, 6, 704), 2 * S), TG__ADMITTED);
    assert_int_equal(row_shown(at, 2 * S).image.epoch, 6);
    assert_int_equal(admit_at(store, 2, quote(5, 7, 705), 2 * S), TG__REFUSED_EPOCH);
}

static void expecting_a_tick_changes_nothing(void **state)
{
    fixture *at = *state;
    tg__store_expect(at->store, 7);
    tg__store_expect(at->store, 2);
    tg__store_expect(at->store, TG_INSTRUMENT_NONE);
    assert_int_equal(admit_at(at->store, 7, quote(1, 1, 5), S), TG__ADMITTED);
    tg__store_expect(at->store, 7);
    const tg_row row = published_row(at, 2 * S);
    assert_int_equal(row.image.seq, 1);
    assert_int_equal(row.age_ns, S);
    assert_int_equal(tg_view_count(tg_reader_pin(at->reader)), 1);
}

#define WITH_STORE(test) cmocka_unit_test_setup_teardown(test, open_fixture, close_fixture)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_STORE(an_unknown_instrument_is_refused),
        WITH_STORE(an_older_tick_changes_nothing_and_is_counted_by_cause),
        WITH_STORE(an_equal_version_with_other_values_is_an_integrity_fault),
        WITH_STORE(an_equal_tick_renews_the_age_and_nothing_else),
        WITH_STORE(every_field_survives_with_its_nulls),
        WITH_STORE(versions_order_across_the_edges_of_their_numbers),
        WITH_STORE(nothing_published_yet_confirms_but_stays_unknown),
        WITH_STORE(stamps_and_covered_ticks_are_kept),
        WITH_STORE(crossed_and_locked_books_are_flagged_and_kept),
        WITH_STORE(the_next_tick_of_an_unusual_row_is_not_taken_for_a_usual_one),
        WITH_STORE(expecting_a_tick_changes_nothing),
    };
    return cmocka_run_group_tests_name("store.tick", tests, NULL, NULL);
}
