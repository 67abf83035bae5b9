#include "tg_cmocka.h"

#include "market_fixture.h"

static tg_store *store;
static tg_reader *reader;

static int open_store(void **state)
{
    (void)state;
    store = store_of(100, 1);
    reader = reader_of(store);
    name_venue(store, 0, "XCME");
    tg__store_set_link(store, TG__LINK_UP, S);
    for (tg_instrument_id id = 0; id < 100; id++) {
        char symbol[TG_SYMBOL_SIZE];
        (void)snprintf(symbol, sizeof symbol, "S%u", (unsigned)id);
        define(store, id, symbol);
    }
    return 0;
}

static int close_store(void **state)
{
    (void)state;
    tg_reader_close(reader);
    tg__store_close(store);
    return 0;
}

static const tg_view *publish(void)
{
    tg__store_publish(store, S);
    return tg_reader_pin(reader);
}

static void changed_rows_come_once_and_newest_first_up_to_the_capacity(void **state)
{
    (void)state;
    tg_instrument_id ids[4] = {77, 77, 77, 77};
    assert_int_equal(admit_at(store, 5, quote(1, 1, 10), S), TG__ADMITTED);
    assert_int_equal(admit_at(store, 6, quote(1, 1, 10), S), TG__ADMITTED);
    const uint64_t first = tg_view_number(publish());
    assert_int_equal(admit_at(store, 5, quote(1, 2, 11), S), TG__ADMITTED);
    assert_int_equal(admit_at(store, 5, quote(1, 3, 12), S), TG__ADMITTED);
    const tg_view *view = publish();
    assert_int_equal(tg_view_changed(view, first, ids, 4), 1);
    assert_int_equal(ids[0], 5);
    assert_int_equal(tg_view_changed(view, first - 1, ids, 1), 2);
    assert_int_equal(ids[0], 5);
    assert_int_equal(ids[1], 77); /* over the capacity: not written */
    assert_int_equal(tg_view_changed(view, first - 1, NULL, 0), 2);
    assert_int_equal(tg_view_changed(view, tg_view_number(view), ids, 4), 0);
    assert_int_equal(tg_view_changed(view, UINT64_MAX, ids, 4), 0);
}

static void a_confirmation_is_no_change(void **state)
{
    (void)state;
    assert_int_equal(admit_at(store, 5, quote(1, 1, 10), S), TG__ADMITTED);
    const uint64_t first = tg_view_number(publish());
    assert_int_equal(admit_at(store, 5, quote(1, 1, 10), 2 * S), TG__CONFIRMED);
    const tg_view *view = publish();
    assert_int_equal(tg_view_changed(view, first, NULL, 0), 0);
    assert_int_equal(row_at(view, 5, 2 * S).age_ns, 0);
    assert_int_equal(row_at(view, 5, 2 * S).changed_in, first);
}

static void a_live_row_says_that_it_is_crossed_or_locked(void **state)
{
    (void)state;
    tg_image image = quote(1, 1, 10);
    for (int64_t ask = 9; ask <= 11; ask++, image.seq++) {
        image.value[TG_FIELD_ASK_PRICE] = ask;
        assert_int_equal(admit_at(store, 5, image, S), TG__ADMITTED);
        const tg_row row = row_at(publish(), 5, S);
        assert_int_equal(row.quality, TG_QUALITY_LIVE);
        assert_int_equal(row.crossed, ask < 10);
        assert_int_equal(row.locked, ask == 10);
    }
}

static void a_removed_instrument_is_no_longer_listed(void **state)
{
    (void)state;
    assert_int_equal(admit_at(store, 5, quote(1, 1, 10), S), TG__ADMITTED);
    (void)publish();
    assert_int_equal(tg__store_remove(store, 5), TG_OK);
    const tg_view *view = publish();
    tg_instrument_id id = 0;
    assert_int_equal(tg_view_count(view), 99);
    assert_int_equal(tg_view_changed(view, 0, &id, 1), 0);
    assert_int_equal(tg_view_find(view, "XCME", "S5", &id), TG_ERR_NOT_FOUND);
    for (size_t i = 0; i < 99; i++) {
        assert_int_not_equal(tg_view_id(view, i), 5);
    }
}

static void each_publication_has_a_greater_number_and_its_own_time(void **state)
{
    (void)state;
    uint64_t number = 0;
    for (int64_t i = 1; i < 50; i++) {
        tg__store_publish(store, i * S);
        const tg_view *view = tg_reader_pin(reader);
        assert_true(tg_view_number(view) > number);
        assert_int_equal(tg_view_published_mono_ns(view), i * S);
        number = tg_view_number(view);
    }
    assert_int_equal(counters_of(store).views_published, 49);
}

static void unpublished_changes_are_not_seen(void **state)
{
    (void)state;
    (void)publish();
    assert_int_equal(admit_at(store, 5, quote(1, 1, 10), S), TG__ADMITTED);
    assert_int_equal(tg__store_rename(store, 6, "NEW"), TG_OK);
    tg__store_set_link(store, TG__LINK_DOWN, S);
    const tg_view *view = tg_reader_pin(reader);
    assert_int_equal(row_at(view, 5, S).quality, TG_QUALITY_UNKNOWN);
    assert_string_equal(entry_at(view, 6).symbol, "S6");
    view = publish();
    assert_int_equal(row_at(view, 5, S).quality, TG_QUALITY_DISCONNECTED);
    assert_string_equal(entry_at(view, 6).symbol, "NEW");
}

/* The log has room for fewer changes than there are rows. */
static void who_comes_after_more_changes_than_the_log_holds_gets_each_row_once(void **state)
{
    (void)state;
    const uint64_t first = tg_view_number(publish());
    for (uint64_t seq = 1; seq <= 50; seq++) {
        for (tg_instrument_id id = 10; id < 20; id++) {
            assert_int_equal(admit_at(store, id, quote(1, seq, 10), S), TG__ADMITTED);
        }
        (void)publish();
    }
    const tg_view *view = publish();
    tg_instrument_id ids[100];
    bool told[100] = {false};
    assert_int_equal(tg_view_changed(view, first, ids, 100), 10);
    for (unsigned i = 0; i < 10; i++) {
        assert_in_range(ids[i], 10, 19);
        assert_false(told[ids[i]]);
        told[ids[i]] = true;
    }
    assert_int_equal(tg_view_changed(view, tg_view_number(view) - 3, NULL, 0), 10);
}

static void a_view_keeps_its_rows_however_often_they_change_after_it(void **state)
{
    (void)state;
    assert_int_equal(admit_at(store, 5, quote(1, 1, 10), S), TG__ADMITTED);
    const tg_view *kept = publish();
    const uint64_t number = tg_view_number(kept);
    for (uint64_t seq = 2; seq < 300; seq++) {
        assert_int_equal(admit_at(store, 5, quote(1, seq, 10), S), TG__ADMITTED);
        assert_int_equal(admit_at(store, 6, quote(1, seq, 20), S), TG__ADMITTED);
        if (seq == 100) {
            assert_int_equal(tg__store_remove(store, 7), TG_OK);
            assert_int_equal(tg__store_rename(store, 8, "NEW"), TG_OK);
        }
        tg__store_publish(store, S);
        assert_int_equal(row_at(kept, 5, S).image.seq, 1);
        assert_int_equal(row_at(kept, 6, S).quality, TG_QUALITY_UNKNOWN);
    }
    assert_int_equal(tg_view_number(kept), number);
    assert_int_equal(tg_view_changed(kept, number - 1, NULL, 0), 1);
    tg_reader_unpin(reader);
    /* The version that was slept on is filled again, from further back than the log reaches. */
    for (uint64_t seq = 300; seq < 306; seq++) {
        assert_int_equal(admit_at(store, 6, quote(1, seq, 20), S), TG__ADMITTED);
        const tg_view *view = publish();
        assert_int_equal(row_at(view, 5, S).image.seq, 299);
        assert_int_equal(row_at(view, 6, S).image.seq, seq);
        assert_int_equal(tg_view_count(view), 99);
        assert_string_equal(entry_at(view, 8).symbol, "NEW");
        tg_reader_unpin(reader);
        (void)tg_reader_pin(reader); /* so that the next one goes into another version */
    }
}

#define WITH_STORE(test) cmocka_unit_test_setup_teardown(test, open_store, close_store)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_STORE(changed_rows_come_once_and_newest_first_up_to_the_capacity),
        WITH_STORE(a_confirmation_is_no_change),
        WITH_STORE(a_live_row_says_that_it_is_crossed_or_locked),
        WITH_STORE(a_removed_instrument_is_no_longer_listed),
        WITH_STORE(each_publication_has_a_greater_number_and_its_own_time),
        WITH_STORE(unpublished_changes_are_not_seen),
        WITH_STORE(who_comes_after_more_changes_than_the_log_holds_gets_each_row_once),
        WITH_STORE(a_view_keeps_its_rows_however_often_they_change_after_it),
    };
    return cmocka_run_group_tests_name("store.view", tests, NULL, NULL);
}
