#include "tg_cmocka.h"

#include "market_fixture.h"

enum {
    readers_max = 64,
    rows = 3
};

typedef struct sleeper {
    tg_reader *reader;
    const tg_view *view;
    uint64_t seq; /* of every row in it */
} sleeper;

static void tick_all(tg_store *store, uint64_t seq)
{
    for (tg_instrument_id id = 0; id < rows; id++) {
        assert_int_equal(admit_at(store, id, quote(1, seq, (int64_t)seq), S), TG__ADMITTED);
    }
    tg__store_publish(store, S);
}

static void fall_asleep(sleeper *by, uint64_t seq)
{
    by->view = tg_reader_pin(by->reader);
    by->seq = seq;
}

static void expect_undisturbed(const sleeper *by)
{
    for (tg_instrument_id id = 0; id < rows; id++) {
        const tg_row row = row_at(by->view, id, S);
        assert_int_equal(row.image.seq, by->seq);
        assert_int_equal(row.image.value[TG_FIELD_BID_PRICE], by->seq);
        assert_int_equal(row.changed_in, tg_view_number(by->view));
    }
}

/* Every cell of every row is in use, but for one. */
static void each_reader_sleeps_on_a_version_of_its_own_and_the_writer_goes_on(void **state)
{
    (void)state;
    static sleeper sleepers[readers_max];
    tg_store *store = store_of(rows, readers_max);
    tg__store_set_link(store, TG__LINK_UP, S);
    name_venue(store, 0, "XCME");
    for (tg_instrument_id id = 0; id < rows; id++) {
        const char symbol[] = {(char)('A' + id), '\0'};
        define(store, id, symbol);
    }
    uint64_t seq = 0;
    for (unsigned i = 0; i < readers_max; i++) {
        sleepers[i].reader = reader_of(store);
        tick_all(store, ++seq);
        fall_asleep(&sleepers[i], seq);
    }
    for (unsigned turn = 0; turn < 500; turn++) {
        tick_all(store, ++seq);
        assert_int_equal(admit_at(store, 0, quote(1, seq, (int64_t)seq), S), TG__CONFIRMED);
        for (unsigned i = 0; i < readers_max; i++) {
            expect_undisturbed(&sleepers[i]);
        }
        /* One wakes up and falls asleep again, while a row has been confirmed meanwhile. */
        fall_asleep(&sleepers[turn * 7 % readers_max], seq);
    }
    for (unsigned i = 0; i < readers_max; i++) {
        tg_reader_close(sleepers[i].reader);
    }
    tg__store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_reader_sleeps_on_a_version_of_its_own_and_the_writer_goes_on),
    };
    return cmocka_run_group_tests_name("store.publish", tests, NULL, NULL);
}
