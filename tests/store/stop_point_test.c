/*
 * The writer stops for ever, at each place where it may, and readers go on: they pin, read all that
 * there is, and unpin. Built with the room's objects that call tg__stop_point(). Everything runs in
 * one thread, so a reader that waited for the writer at any of these places would never come back.
 */
#include "tg_cmocka.h"

#include "rounds.h"
#include "store_state.h"

enum {
    rounds = 300,
    readers = 3
};

/* Every label of the room: one that is missing here, or never reached, fails the test. */
static const char *const labels[] = {
    "a row has a new cell and not its values",
    "a row has its new values and not their times",
    "a row is in no chain of names",
    "a book has its new bids and its old asks",
    "a record of a ring is written in part",
    "a record of a ring is written and not said to be",
    "a view is whole and not published",
    "a view is published and nothing told of it",
    "a slot was looked at and not settled",
    "a row of the next version has its identity and not its values",
    "the next version is up to date and has its old number",
};
enum {
    label_count = sizeof labels / sizeof labels[0]
};

/* A reader that does one step of a pin at each stop of the writer. */
typedef enum slow_step {
    SLOW_ANNOUNCE,
    SLOW_CHOOSE,
    SLOW_SETTLE,
    SLOW_READ,
    SLOW_DROP
} slow_step;

static struct {
    tg_store *store; /* NULL: readers do nothing yet */
    tg_reader *quick;
    tg_reader *sleepy; /* keeps its view over many stops */
    tg_reader *slow;
    const tg_view *slept_on;
    uint64_t slept_number;
    slow_step step;
    uint32_t chosen;
    const tg_view *slow_view;
    uint64_t slow_number;
    uint64_t newest; /* view that any reader has seen */
    uint64_t told;
    uint64_t stops;
    unsigned reached[label_count];
} now;

static void assert_cut(const tg_view *view, const char *label)
{
    const char *broken = check_cut(view);
    if (broken != NULL) {
        fail_msg("writer stopped where %s: %s", label, broken);
    }
}

static void read_quickly(const char *label)
{
    const tg_view *view = tg_reader_pin(now.quick);
    assert_true(tg_view_number(view) >= now.newest);
    now.newest = tg_view_number(view);
    assert_cut(view, label);
    tg_ledger ledger;
    tg_refusals refusals;
    assert_int_equal(tg_view_ledger(view, 0, &ledger), TG_OK);
    assert_int_equal(tg_view_refusals(view, 0, &refusals), TG_OK);
    assert_int_equal(counters_of(now.store).rejected_regression, 0);
    tg_reader_unpin(now.quick);
    assert_null(check_transitions(now.store, &now.told));
}

static void sleep_on(const char *label)
{
    if (now.slept_on != NULL) {
        assert_int_equal(tg_view_number(now.slept_on), now.slept_number);
        assert_cut(now.slept_on, label);
    }
    if (now.slept_on == NULL || now.stops % 257 == 0) {
        now.slept_on = tg_reader_pin(now.sleepy);
        now.slept_number = tg_view_number(now.slept_on);
    }
}

static void do_one_slow_step(const char *label)
{
    tg__pin_slot *slot = now.slow->slot;
    switch (now.step) {
    case SLOW_ANNOUNCE:
        tg__pin_announce(slot);
        now.step = SLOW_CHOOSE;
        return;
    case SLOW_CHOOSE:
        now.chosen = tg__pin_choose(&now.store->pins);
        now.step = SLOW_SETTLE;
        return;
    case SLOW_SETTLE:
        now.slow_view = &now.store->versions[tg__pin_settle(slot, now.chosen)];
        now.slow_number = tg_view_number(now.slow_view);
        assert_cut(now.slow_view, label);
        now.step = SLOW_READ;
        return;
    case SLOW_READ:
        assert_cut(now.slow_view, label);
        now.step = SLOW_DROP;
        return;
    case SLOW_DROP:
        assert_cut(now.slow_view, label);
        assert_int_equal(tg_view_number(now.slow_view), now.slow_number);
        tg__pin_drop(slot);
        now.step = SLOW_ANNOUNCE;
        return;
    }
}

void tg__stop_point(const char *label)
{
    if (now.store == NULL) {
        return;
    }
    unsigned at = 0;
    while (at < label_count && strcmp(labels[at], label) != 0) {
        at++;
    }
    if (at == label_count) {
        fail_msg("a label that this test does not know: %s", label);
    }
    now.reached[at]++;
    now.stops++;
    /* Of the thousands of times at each place some: the rest differ in the row only. */
    if (now.reached[at] % 7 == 1) {
        read_quickly(label);
        sleep_on(label);
    }
    if (now.stops % 1009 == 0) { /* publications come and go between two of its steps */
        do_one_slow_step(label);
    }
}

static void readers_complete_wherever_the_writer_stops(void **state)
{
    (void)state;
    tg_store *store = store_of_rounds(readers);
    now.quick = reader_of(store);
    now.sleepy = reader_of(store);
    now.slow = reader_of(store);
    assert_true(write_round(store, 1));
    now.store = store;
    for (uint64_t round = 2; round <= rounds; round++) {
        assert_true(write_round(store, round));
    }
    now.store = NULL;
    for (unsigned i = 0; i < label_count; i++) {
        if (now.reached[i] == 0) {
            fail_msg("never reached: %s", labels[i]);
        }
    }
    assert_true(now.newest + 1 >= rounds && now.told > rounds);
    tg_reader_close(now.quick);
    tg_reader_close(now.sleepy);
    tg_reader_close(now.slow);
    tg__store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readers_complete_wherever_the_writer_stops),
    };
    return cmocka_run_group_tests_name("store.stop_point", tests, NULL, NULL);
}
