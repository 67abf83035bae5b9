/*
 * One writer and several readers on real threads, for the thread sanitizer and for the machine's
 * own memory order. The writer keeps a rule across all rows; a reader that ever sees it broken, or
 * a view older than one before, or a pinned row that changes, has found a torn view.
 */
#include "tg_cmocka.h"

#include <pthread.h>
#include <stdatomic.h>

#include "market_fixture.h"
#include "recorder/seeded_random.h"

enum {
    instruments = 24,
    readers = 4,
    publications = 20000
};

typedef struct shared {
    tg_store *store;
    _Atomic bool finished; /* release by the writer, acquire by readers: only to end the loops */
} shared;

typedef struct reading {
    shared *with;
    uint64_t seed;
    uint64_t views;
    const char *broken; /* NULL: nothing was */
} reading;

/*
 * Rule of a cut with round r in it: instrument i stands at seq r * instruments + i, its bid is the
 * round, its ask the sum of all other bids, its name carries r / 64, its scale too.
 */
static tg_image image_of_round(uint64_t round, unsigned i)
{
    tg_image image = quote(1 + (uint32_t)(round / 64), round * instruments + i, (int64_t)round);
    image.value[TG_FIELD_ASK_PRICE] = (int64_t)round * (instruments - 1);
    set_field(&image, TG_FIELD_HIGH, (int64_t)round * 3);
    return image;
}

static void name_of_round(uint64_t round, unsigned i, char *symbol)
{
    (void)snprintf(symbol, TG_SYMBOL_SIZE, "S%u-%u", i, (unsigned)(round / 64));
}

static bool write_book(tg_store *store, unsigned i, uint64_t round, const tg__arrival *arrival)
{
    const tg_book book = {.bid_count = 1, .bid = {{(int64_t)round, (int64_t)i}}};
    const tg_version version = {1, round};
    tg__admission admission = TG__REFUSED_UNKNOWN;
    return tg__store_admit_book(store, (tg_instrument_id)i, version, &book, arrival, &admission) ==
               TG_OK &&
           admission == TG__ADMITTED;
}

static bool write_round(tg_store *store, uint64_t round)
{
    const tg__arrival arrival = {(int64_t)round, (int64_t)round, (int64_t)round};
    for (unsigned i = 0; i < instruments; i++) {
        const tg_image image = image_of_round(round, i);
        char symbol[TG_SYMBOL_SIZE];
        name_of_round(round, i, symbol);
        if (round % 64 == 0 && tg__store_rename(store, (tg_instrument_id)i, symbol) != TG_OK) {
            return false;
        }
        if (tg__store_admit(store, (tg_instrument_id)i, &image, 1, &arrival) != TG__ADMITTED ||
            (i % 4 == 0 && !write_book(store, i, round, &arrival))) {
            return false;
        }
    }
    tg__store_publish(store, (int64_t)round);
    return true;
}

static const char *check_cut(const tg_view *view)
{
    int64_t sum = 0;
    uint64_t round = 0;
    tg_row row;
    for (unsigned i = 0; i < instruments; i++) {
        if (tg_view_row(view, (tg_instrument_id)i, INT64_MAX, &row) != TG_OK) {
            return "an instrument is missing";
        }
        round = i == 0 ? (uint64_t)row.image.value[TG_FIELD_BID_PRICE] : round;
        const tg_image expected = image_of_round(round, i);
        if (row.image.seq != expected.seq || row.image.epoch != expected.epoch ||
            !tg_image_values_equal(&row.image, &expected)) {
            return "rows come from different rounds";
        }
        sum += row.image.value[TG_FIELD_BID_PRICE];
        char symbol[TG_SYMBOL_SIZE];
        name_of_round(round, i, symbol);
        const tg_instrument *entry = tg_view_instrument(view, (tg_instrument_id)i);
        tg_instrument_id found = TG_INSTRUMENT_NONE;
        if (strcmp(entry->symbol, symbol) != 0 ||
            tg_view_find(view, "XCME", symbol, &found) != TG_OK || found != i) {
            return "a name comes from another round";
        }
        tg_depth depth;
        if (i % 4 == 0 && (tg_view_depth(view, (tg_instrument_id)i, 0, &depth) != TG_OK ||
                           depth.book.bid[0].price != (int64_t)round)) {
            return "a book comes from another round";
        }
        if (row.changed_in != tg_view_number(view)) {
            return "a stamp comes from another view";
        }
    }
    if (sum != row.image.value[TG_FIELD_ASK_PRICE] + row.image.value[TG_FIELD_BID_PRICE]) {
        return "the sum over all rows is wrong";
    }
    if (tg_view_published_mono_ns(view) != (int64_t)round) {
        return "the time comes from another view";
    }
    const uint64_t number = tg_view_number(view);
    tg_instrument_id changed[instruments];
    return tg_view_changed(view, number - 1, changed, instruments) == instruments
               ? NULL
               : "the list of changes is wrong";
}

static void *read_views(void *ctx)
{
    reading *mine = ctx;
    seeded_random random = {mine->seed};
    tg_reader *reader = NULL;
    uint64_t seen = 0;
    if (tg_reader_open(mine->with->store, &reader) != TG_OK) {
        mine->broken = "no reader slot";
        return NULL;
    }
    /* Ends after the last view was seen, so that even a late starter has read something. */
    for (bool last = false; mine->broken == NULL;) {
        last = atomic_load_explicit(&mine->with->finished, memory_order_acquire);
        const tg_view *view = tg_reader_pin(reader);
        if (tg_view_number(view) < seen) {
            mine->broken = "an older view than before";
            break;
        }
        seen = tg_view_number(view);
        for (uint64_t times = 1 + random_below(&random, 3); times > 0 && mine->broken == NULL;
             times--) {
            mine->broken = check_cut(view); /* as long as it is pinned, the same */
        }
        if (tg_view_number(view) != seen) {
            mine->broken = "a pinned view changed";
        }
        mine->views++;
        if (random_below(&random, 4) == 0) {
            tg_reader_close(reader);
            if (tg_reader_open(mine->with->store, &reader) != TG_OK) {
                mine->broken = "no reader slot";
                return NULL;
            }
        } else if (random_below(&random, 2) == 0) {
            tg_reader_unpin(reader);
        }
        if (last) {
            break;
        }
    }
    tg_reader_close(reader);
    return NULL;
}

static void readers_never_see_a_torn_view(void **state)
{
    (void)state;
    const seeded_random random = random_start("store.stress", 7);
    /* Room for every entry that each reader's view and the writer's may refer to. */
    shared with = {.store = store_of(instruments * (readers + 2) / 2, readers)};
    atomic_init(&with.finished, false);
    name_venue(with.store, 0, "XCME");
    for (unsigned i = 0; i < instruments; i++) {
        char symbol[TG_SYMBOL_SIZE];
        name_of_round(0, i, symbol);
        define(with.store, (tg_instrument_id)i, symbol);
    }
    tg__store_set_link(with.store, TG__LINK_UP, 0);
    assert_true(write_round(with.store, 1));

    reading readings[readers];
    pthread_t threads[readers];
    for (unsigned i = 0; i < readers; i++) {
        readings[i] = (reading){.with = &with, .seed = random.state + i};
        assert_int_equal(pthread_create(&threads[i], NULL, read_views, &readings[i]), 0);
    }
    bool written = true;
    for (uint64_t round = 2; round <= publications && written; round++) {
        written = write_round(with.store, round);
    }
    atomic_store_explicit(&with.finished, true, memory_order_release);
    for (unsigned i = 0; i < readers; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    for (unsigned i = 0; i < readers; i++) {
        if (readings[i].broken != NULL) {
            fail_msg("reader %u, view %" PRIu64 ": %s", i, readings[i].views, readings[i].broken);
        }
        printf("reader %u: %" PRIu64 " views\n", i, readings[i].views);
    }
    assert_true(written);
    assert_int_equal(counters_of(with.store).views_published, publications);
    tg__store_close(with.store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readers_never_see_a_torn_view),
    };
    return cmocka_run_group_tests_name("store.stress", tests, NULL, NULL);
}
