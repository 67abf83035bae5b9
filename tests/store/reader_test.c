#include "tg_cmocka.h"

#include "market_fixture.h"

static void opening_refuses_bad_arguments(void **state)
{
    (void)state;
    tg_store *store = store_of(4, 2);
    tg_reader *reader = (void *)store;
    assert_int_equal(tg_reader_open(store, NULL), TG_ERR_INVALID_ARGUMENT);
    assert_int_equal(tg_reader_open(NULL, &reader), TG_ERR_INVALID_ARGUMENT);
    assert_null(reader);
    tg_reader_close(NULL);
    tg__store_close(store);
}

static void one_reader_too_many_has_its_own_error(void **state)
{
    (void)state;
    tg_store *store = store_of(4, 2);
    tg_reader *first = reader_of(store);
    tg_reader *second = reader_of(store);
    tg_reader *third = NULL;
    assert_ptr_not_equal(first, second);
    assert_int_equal(tg_reader_open(store, &third), TG_ERR_READERS);
    assert_null(third);
    tg_reader_close(first);
    assert_int_equal(tg_reader_open(store, &third), TG_OK);
    tg_reader_close(second);
    tg_reader_close(third);
    tg__store_close(store);
}

static void a_reader_before_the_first_publication_sees_an_empty_view(void **state)
{
    (void)state;
    tg_store *store = store_of(4, 1);
    define(store, 1, "A");
    tg_reader *reader = reader_of(store);
    const tg_view *view = tg_reader_pin(reader);
    tg_row row;
    assert_int_equal(tg_view_number(view), 0);
    assert_int_equal(tg_view_count(view), 0);
    assert_int_equal(tg_view_row(view, 1, 0, &row), TG_ERR_NOT_FOUND);
    assert_int_equal(tg_view_changed(view, 0, NULL, 0), 0);
    tg_reader_close(reader);
    tg__store_close(store);
}

static void a_pinned_view_stays_as_it_is_while_the_writer_goes_on(void **state)
{
    (void)state;
    tg_store *store = store_of(4, 1);
    tg_reader *reader = reader_of(store);
    define(store, 1, "A");
    assert_int_equal(admit_at(store, 1, quote(1, 1, 100), S), TG__ADMITTED);
    tg__store_publish(store, S);
    const tg_view *view = tg_reader_pin(reader);
    for (uint64_t seq = 2; seq < 50; seq++) {
        assert_int_equal(admit_at(store, 1, quote(1, seq, 100 + (int64_t)seq), S), TG__ADMITTED);
        tg__store_publish(store, S);
        assert_int_equal(row_at(view, 1, S).image.seq, 1);
        assert_int_equal(tg_view_number(view), 1);
    }
    assert_int_equal(tg__store_rename(store, 1, "B"), TG_OK);
    assert_int_equal(tg__store_remove(store, 1), TG_OK);
    tg__store_publish(store, S);
    assert_string_equal(entry_at(view, 1).symbol, "A");
    view = tg_reader_pin(reader);
    assert_false(is_known(view, 1));
    assert_int_equal(tg_view_number(view), 50);
    tg_reader_close(reader);
    tg__store_close(store);
}

static void every_reader_may_sleep_on_another_view_and_publications_go_on(void **state)
{
    (void)state;
    enum {
        readers = 5
    };
    tg_store *store = store_of(2, readers);
    tg_reader *reader[readers];
    const tg_view *view[readers];
    define(store, 1, "A");
    for (uint64_t i = 0; i < readers; i++) {
        reader[i] = reader_of(store);
        assert_int_equal(admit_at(store, 1, quote(1, i + 1, (int64_t)i), S), TG__ADMITTED);
        tg__store_publish(store, S);
        view[i] = tg_reader_pin(reader[i]);
    }
    for (uint64_t seq = 100; seq < 200; seq++) {
        assert_int_equal(admit_at(store, 1, quote(1, seq, 7), S), TG__ADMITTED);
        tg__store_publish(store, S);
        for (uint64_t i = 0; i < readers; i++) {
            assert_int_equal(row_at(view[i], 1, S).image.seq, i + 1);
        }
    }
    for (uint64_t i = 0; i < readers; i++) {
        assert_int_equal(row_at(tg_reader_pin(reader[i]), 1, S).image.seq, 199);
        tg_reader_close(reader[i]);
    }
    tg__store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opening_refuses_bad_arguments),
        cmocka_unit_test(one_reader_too_many_has_its_own_error),
        cmocka_unit_test(a_reader_before_the_first_publication_sees_an_empty_view),
        cmocka_unit_test(a_pinned_view_stays_as_it_is_while_the_writer_goes_on),
        cmocka_unit_test(every_reader_may_sleep_on_another_view_and_publications_go_on),
    };
    return cmocka_run_group_tests_name("store.reader", tests, NULL, NULL);
}
