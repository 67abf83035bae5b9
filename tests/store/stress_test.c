/*
 * One writer and several readers on real threads, for the thread sanitizer and for the machine's
 * own memory order. The writer keeps a rule across all rows; a reader that ever sees it broken, or
 * a view older than one before, or a pinned row that changes, has found a torn view.
 */
#include "tg_cmocka.h"

#include <pthread.h>
#include <stdatomic.h>

#include "recorder/seeded_random.h"
#include "rounds.h"

enum {
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

static void *read_views(void *ctx)
{
    reading *mine = ctx;
    seeded_random random = {mine->seed};
    tg_reader *reader = NULL;
    uint64_t seen = 0;
    uint64_t told = 0;
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
        if (mine->broken == NULL) {
            mine->broken = check_transitions(mine->with->store, &told);
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
    shared with = {.store = store_of_rounds(readers)};
    atomic_init(&with.finished, false);
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
