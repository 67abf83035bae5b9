#include "tg_cmocka.h"

#include <stdlib.h>

#include "market_fixture.h"

/*
 * Linked with --wrap for the allocating functions: every allocation of this program comes here, is
 * counted, and fails when it is its turn.
 */
static unsigned allocations;
static unsigned fail_at; /* 0: never */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
int __real_posix_memalign(void **block, size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
int __wrap_posix_memalign(void **block, size_t alignment, size_t size);

static bool allowed(void)
{
    return ++allocations != fail_at;
}

void *__wrap_malloc(size_t size)
{
    return allowed() ? __real_malloc(size) : NULL;
}

void *__wrap_calloc(size_t count, size_t size)
{
    return allowed() ? __real_calloc(count, size) : NULL;
}

void *__wrap_realloc(void *block, size_t size)
{
    return allowed() ? __real_realloc(block, size) : NULL;
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return allowed() ? __real_aligned_alloc(alignment, size) : NULL;
}

int __wrap_posix_memalign(void **block, size_t alignment, size_t size)
{
    return allowed() ? __real_posix_memalign(block, alignment, size) : 12; /* ENOMEM */
}

static void options_out_of_range_are_refused(void **state)
{
    (void)state;
    static const tg__store_options bad[] = {
        {.instruments_max = 0, .readers_max = 1},
        {.instruments_max = TG_INSTRUMENT_MAX + 1, .readers_max = 1},
        {.instruments_max = 1, .readers_max = 0},
        {.instruments_max = 1, .readers_max = 65},
        {.instruments_max = 1, .readers_max = 1, .transitions_max = TG__TRANSITIONS_MAX + 1},
        {.instruments_max = 1, .readers_max = 1, .history_points = 1, .history_step_ms = 1},
        {.instruments_max = 1, .readers_max = 1, .history_points = 1, .history_instruments = 1},
        {.instruments_max = 1,
         .readers_max = 1,
         .history_points = 1,
         .history_instruments = 2,
         .history_step_ms = 1},
        {.instruments_max = 1,
         .readers_max = 1,
         .history_points = TG__HISTORY_POINTS_MAX + 1,
         .history_instruments = 1,
         .history_step_ms = 1},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        tg_store *store = (void *)&allocations;
        assert_int_equal(tg__store_open(&bad[i], &store), TG_ERR_INVALID_ARGUMENT);
        assert_null(store);
    }
    tg_store *store = NULL;
    assert_int_equal(tg__store_open(NULL, &store), TG_ERR_INVALID_ARGUMENT);
    assert_int_equal(tg__store_open(&bad[0], NULL), TG_ERR_INVALID_ARGUMENT);
    tg__store_close(NULL);
}

static void every_failing_allocation_is_reported_and_leaves_nothing(void **state)
{
    (void)state;
    const tg__store_options options = {
        .instruments_max = 100, .readers_max = 4, .transitions_max = 10};
    tg_err err = TG_ERR_NO_MEMORY;
    unsigned refused = 0;
    for (unsigned n = 1; err == TG_ERR_NO_MEMORY; n++) {
        tg_store *store = (void *)&allocations;
        allocations = 0;
        fail_at = n;
        err = tg__store_open(&options, &store);
        fail_at = 0;
        if (err == TG_OK) {
            assert_true(allocations < n);
            tg__store_close(store);
        } else {
            assert_int_equal(err, TG_ERR_NO_MEMORY);
            assert_null(store);
            refused++;
        }
    }
    assert_true(refused > 0);
}

static void a_desk_fits_into_four_megabytes(void **state)
{
    (void)state;
    tg_store *store = store_of(2400, 4);
    assert_in_range(tg__store_memory_size(store), 1, 4 * 1000 * 1000);
    tg__store_close(store);
}

static void the_parts_of_the_memory_are_all_of_it(void **state)
{
    (void)state;
    tg_store *store = store_with((tg__store_options){.instruments_max = 500,
                                                     .readers_max = 2,
                                                     .transitions_max = 100,
                                                     .history_points = 8,
                                                     .history_instruments = 20,
                                                     .history_step_ms = 1});
    size_t sum = 0;
    for (int part = 0; part < TG__STORE_PART_COUNT; part++) {
        assert_int_not_equal(tg__store_memory_part(store, (tg__store_part)part), 0);
        sum += tg__store_memory_part(store, (tg__store_part)part);
    }
    assert_int_equal(sum, tg__store_memory_size(store));
    assert_true(tg__store_memory_part(store, TG__STORE_CELLS) >= (size_t)4 * 500 * 192);
    assert_true(tg__store_memory_part(store, TG__STORE_HISTORY) >= (size_t)20 * 8 * 72);
    tg__store_close(store);
}

static void read_identity(const tg_view *view, tg_instrument_id id)
{
    tg_instrument entry;
    tg_instrument_id found = TG_INSTRUMENT_NONE;
    assert_int_equal(tg_view_instrument(view, id, &entry), TG_OK);
    const char *venue = tg_view_venue_name(view, entry.venue);
    assert_int_equal(tg_view_find(view, venue, entry.symbol, &found), TG_OK);
}

static void nothing_allocates_after_open(void **state)
{
    (void)state;
    tg_store *store = store_with((tg__store_options){.instruments_max = 64,
                                                     .readers_max = 4,
                                                     .transitions_max = 100,
                                                     .history_points = 8,
                                                     .history_instruments = 20,
                                                     .history_step_ms = 1});
    tg_history_point points[9];
    size_t point_count = 0;
    unsigned drawn = 0;
    const tg_book book = {.bid_count = 1, .bid = {{5, 1}}};
    tg_depth depth;
    tg_transition told[100];
    tg_ledger ledger;
    tg_refusals refusals;
    tg_reader *reader = NULL;
    char venue[TG_VENUE_NAME_SIZE];
    char symbol[TG_SYMBOL_SIZE];
    tg_row row;
    tg_instrument_id ids[64];
    allocations = 0;
    assert_int_equal(tg_reader_open(store, &reader), TG_OK);
    for (unsigned round = 0; round < 200; round++) {
        tg__store_restart(store, 1, round / 50);
        (void)snprintf(venue, sizeof venue, "VENUE-%u", round);
        name_venue(store, 0, venue);
        tg__store_set_link(store, (tg__link_state)(round % 4), S);
        for (tg_instrument_id id = 0; id < 64; id++) {
            (void)snprintf(symbol, sizeof symbol, "S%u", (unsigned)id);
            tg_instrument entry = instrument_of(id, 0, symbol);
            entry.band[0].tick_size = 1 + round;
            const tg_err defined = tg__store_define_instrument(store, &entry);
            assert_true(defined == TG_OK || defined == TG_ERR_ID_REUSED);
            const int64_t now = S + (int64_t)round * 10 * MS;
            const tg__arrival arrival = {now, now, now};
            tg__admission admission = TG__ADMITTED;
            (void)admit_at(store, id, quote(1, 2 * round + id % 2 + 1, 5), now);
            assert_int_equal(tg__store_admit_book(store, id, (tg_version){1, round + 1}, &book,
                                                  &arrival, &admission),
                             TG_OK);
        }
        tg_err err = tg__store_rename(store, (tg_instrument_id)(round % 64), "renamed");
        assert_true(err == TG_OK || err == TG_ERR_NOT_FOUND);
        err = tg__store_remove(store, (tg_instrument_id)(round * 7 % 64));
        assert_true(err == TG_OK || err == TG_ERR_NOT_FOUND);
        tg__store_publish(store, S);
        const tg_view *view = tg_reader_pin(reader);
        for (size_t i = 0; i < tg_view_count(view); i++) {
            assert_int_equal(tg_view_row(view, tg_view_id(view, i), S, &row), TG_OK);
            const tg_err found =
                tg_view_history(view, tg_view_id(view, i), points, 9, &point_count);
            assert_true(found == TG_OK || found == TG_ERR_NOT_FOUND);
            drawn += found == TG_OK && point_count > 1 ? 1 : 0;
            assert_int_equal(tg_view_depth(view, tg_view_id(view, i), S, &depth), TG_OK);
            assert_int_equal(tg_view_ledger(view, tg_view_id(view, i), &ledger), TG_OK);
            assert_int_equal(tg_view_refusals(view, tg_view_id(view, i), &refusals), TG_OK);
            read_identity(view, tg_view_id(view, i));
        }
        (void)tg_view_changed(view, 0, ids, 64);
        tg__store_sweep(store, S * round);
        (void)tg_store_transitions(store, 0, told, 100);
        if (round % 3 == 0) {
            tg_reader_unpin(reader);
        }
    }
    (void)counters_of(store);
    tg_reader_close(reader);
    assert_int_equal(allocations, 0);
    assert_true(drawn > 0 && tg_store_transitions(store, 0, told, 100) > 0);
    tg__store_close(store);
}

static void counters_need_their_size_and_older_callers_get_theirs(void **state)
{
    (void)state;
    tg_store *store = store_of(4, 1);
    define(store, 1, "A");
    assert_int_equal(admit_at(store, 1, quote(1, 1, 5), S), TG__ADMITTED);
    tg_store_counters counters = {.struct_size = 0};
    assert_int_equal(tg_store_counters_get(store, &counters), TG_ERR_INVALID_ARGUMENT);
    assert_int_equal(tg_store_counters_get(store, NULL), TG_ERR_INVALID_ARGUMENT);
    assert_int_equal(tg_store_counters_get(NULL, &counters), TG_ERR_INVALID_ARGUMENT);
    counters.struct_size = offsetof(tg_store_counters, covered_ticks);
    counters.covered_ticks = 99;
    assert_int_equal(tg_store_counters_get(store, &counters), TG_OK);
    assert_int_equal(counters.admitted, 1);
    assert_int_equal(counters.covered_ticks, 99); /* not the older caller's */
    tg__store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_out_of_range_are_refused),
        cmocka_unit_test(every_failing_allocation_is_reported_and_leaves_nothing),
        cmocka_unit_test(a_desk_fits_into_four_megabytes),
        cmocka_unit_test(the_parts_of_the_memory_are_all_of_it),
        cmocka_unit_test(nothing_allocates_after_open),
        cmocka_unit_test(counters_need_their_size_and_older_callers_get_theirs),
    };
    return cmocka_run_group_tests_name("store.store", tests, NULL, NULL);
}
