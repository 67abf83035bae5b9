#include "tg_cmocka.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "market_fixture.h"
#include "recorder/seeded_random.h"

enum {
    points_max = 8,
    rings = 3
};

static tg_store *store_with_history(uint32_t readers)
{
    const tg__store_options options = {.instruments_max = 16,
                                       .readers_max = readers,
                                       .history_points = points_max,
                                       .history_instruments = rings,
                                       .history_step_ms = 100};
    tg_store *store = store_with(options);
    name_venue(store, 0, "XCME");
    tg__store_set_link(store, TG__LINK_UP, S);
    return store;
}

static void trade(tg_store *store, tg_instrument_id id, uint64_t seq, int64_t last, int64_t now)
{
    tg_image image = quote(1, seq, last - 1);
    set_field(&image, TG_FIELD_ASK_PRICE, last + 1);
    set_field(&image, TG_FIELD_LAST_PRICE, last);
    assert_int_equal(admit_at(store, id, image, now), TG__ADMITTED);
}

static size_t history(const tg_view *view, tg_instrument_id id, tg_history_point *out)
{
    size_t count = 0;
    assert_int_equal(tg_view_history(view, id, out, points_max + 1, &count), TG_OK);
    return count;
}

static bool has_history(const tg_view *view, tg_instrument_id id)
{
    tg_history_point out[points_max + 1];
    size_t count = 0;
    return tg_view_history(view, id, out, points_max + 1, &count) == TG_OK;
}

static void a_point_keeps_the_extremes_of_its_time(void **state)
{
    (void)state;
    tg_store *store = store_with_history(1);
    tg_reader *reader = reader_of(store);
    define(store, 1, "A");
    static const int64_t prices[] = {500, 900, -100, 600};
    for (unsigned i = 0; i < 4; i++) {
        trade(store, 1, i + 1, prices[i], S + (int64_t)i * 10 * MS);
    }
    trade(store, 1, 5, 700, S + 100 * MS); /* the next step */
    tg__store_publish(store, 2 * S);
    tg_history_point out[points_max + 1];
    assert_int_equal(history(tg_reader_pin(reader), 1, out), 2);
    assert_int_equal(out[0].begin_mono_ns, S);
    assert_int_equal(out[0].end_mono_ns, S + 30 * MS);
    assert_int_equal(out[0].first, 500);
    assert_int_equal(out[0].max, 900);
    assert_int_equal(out[0].min, -100);
    assert_int_equal(out[0].last, 600);
    assert_int_equal(out[0].bid, 599);
    assert_int_equal(out[0].ask, 601);
    assert_int_equal(out[0].rows, 4);
    assert_int_equal(out[1].first, 700);
    assert_int_equal(out[1].rows, 1);
    tg_reader_close(reader);
    tg__store_close(store);
}

static void what_is_null_is_said_to_be(void **state)
{
    (void)state;
    tg_store *store = store_with_history(1);
    tg_reader *reader = reader_of(store);
    define(store, 1, "A");
    tg_image image = {.seq = 1, .epoch = 1};
    set_field(&image, TG_FIELD_ASK_PRICE, 7);
    set_field(&image, TG_FIELD_HIGH, 99);
    assert_int_equal(admit_at(store, 1, image, S), TG__ADMITTED);
    tg__store_publish(store, S);
    tg_history_point out[points_max + 1];
    assert_int_equal(history(tg_reader_pin(reader), 1, out), 1);
    assert_int_equal(out[0].present, TG_FIELD_BIT(TG_FIELD_ASK_PRICE));
    assert_int_equal(out[0].ask, 7);
    assert_int_equal(out[0].max, 0);
    trade(store, 1, 2, -40,
          S + MS); /* the first last price of the step is its lowest and highest */
    tg__store_publish(store, S);
    assert_int_equal(history(tg_reader_pin(reader), 1, out), 1);
    assert_true((out[0].present & TG_FIELD_BIT(TG_FIELD_LAST_PRICE)) != 0);
    assert_int_equal(out[0].max, -40);
    assert_int_equal(out[0].first, -40);
    tg_reader_close(reader);
    tg__store_close(store);
}

static void the_oldest_points_go_and_a_smaller_buffer_gets_the_newest(void **state)
{
    (void)state;
    tg_store *store = store_with_history(1);
    tg_reader *reader = reader_of(store);
    define(store, 1, "A");
    for (int64_t i = 1; i <= 30; i++) {
        trade(store, 1, (uint64_t)i, i, S + i * 100 * MS);
    }
    tg__store_publish(store, 9 * S);
    tg_history_point out[points_max + 1];
    const tg_view *view = tg_reader_pin(reader);
    assert_int_equal(history(view, 1, out), points_max + 1);
    for (int64_t i = 0; i <= points_max; i++) {
        assert_int_equal(out[i].last, 30 - points_max + i);
    }
    size_t count = 0;
    assert_int_equal(tg_view_history(view, 1, out, 3, &count), TG_OK);
    assert_int_equal(count, 3);
    assert_int_equal(out[0].last, 28);
    assert_int_equal(out[2].last, 30);
    assert_int_equal(tg_view_history(view, 1, out, 0, &count), TG_OK);
    assert_int_equal(count, 0);
    tg_reader_close(reader);
    tg__store_close(store);
}

static void a_pinned_view_sees_nothing_newer_than_its_cut(void **state)
{
    (void)state;
    tg_store *store = store_with_history(1);
    tg_reader *reader = reader_of(store);
    define(store, 1, "A");
    trade(store, 1, 1, 10, S);
    trade(store, 1, 2, 20, S + 100 * MS);
    tg__store_publish(store, S);
    const tg_view *view = tg_reader_pin(reader);
    tg_history_point out[points_max + 1];
    for (int64_t i = 3; i < 40; i++) {
        trade(store, 1, (uint64_t)i, 1000, S + i * 50 * MS);
        tg__store_publish(store, S);
        const size_t count = history(view, 1, out);
        assert_in_range(count, 1, 2); /* the closed one may be overwritten, and is so in the end */
        assert_int_equal(out[count - 1].max, 20);
        assert_true(count == 1 || out[0].max == 10);
    }
    assert_int_equal(history(view, 1, out), 1);
    tg_reader_close(reader);
    tg__store_close(store);
}

static void rings_go_from_those_not_followed_to_those_that_tick(void **state)
{
    (void)state;
    tg_store *store = store_with_history(1);
    tg_reader *reader = reader_of(store);
    char symbol[] = "A";
    for (tg_instrument_id id = 1; id <= rings + 1; id++, symbol[0]++) {
        define(store, id, symbol);
        trade(store, id, 1, 10 * id - 1, S);
        trade(store, id, 2, 10 * id, S + 200 * MS);
    }
    tg__store_publish(store, S);
    const tg_view *view = tg_reader_pin(reader);
    assert_true(has_history(view, rings));
    assert_false(has_history(view, rings + 1)); /* all rings are given */
    assert_false(has_history(view, 9));         /* no such instrument */
    tg__store_set_unfollowed(store, 2);
    for (int version = 0; version < 4; version++) {
        tg__store_publish(store, S); /* all versions know it before the ring goes */
    }
    for (uint64_t i = 3; i < 3 + rings; i++) {
        trade(store, rings + 1, i, 70, S + (int64_t)i * 200 * MS);
    }
    tg__store_publish(store, S);
    tg_history_point out[points_max + 1];
    assert_int_equal(history(view, 2, out), 2); /* the old view has its cut */
    assert_int_equal(out[1].last, 20);
    for (int version = 0; version < 4; version++) {
        view = tg_reader_pin(reader);
        assert_true(has_history(view, 1) && has_history(view, 3));
        assert_false(has_history(view, 2));
        tg__store_publish(store, S);
    }
    const size_t count = history(view, rings + 1, out);
    assert_in_range(count, 1, rings);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(out[i].last, 70); /* nothing of the one before */
    }
    assert_int_equal(tg__store_remove(store, 1), TG_OK);
    trade(store, 2, 3, 21, 9 * S); /* followed again, and a ring is free */
    tg__store_publish(store, S);
    view = tg_reader_pin(reader);
    assert_int_equal(history(view, 2, out), 1);
    assert_int_equal(out[0].last, 21);
    tg_reader_close(reader);
    tg__store_close(store);
}

static void another_scale_begins_anew_and_another_id_goes_on(void **state)
{
    (void)state;
    tg_store *store = store_with_history(1);
    tg_reader *reader = reader_of(store);
    define(store, 1, "A");
    trade(store, 1, 1, 10, S);
    trade(store, 1, 2, 11, S + 200 * MS);
    tg__store_restart(store, 0, 5); /* a new generation */
    name_venue(store, 0, "XCME");
    define(store, 4, "A");
    trade(store, 4, 3, 12, S + 300 * MS);
    tg__store_publish(store, S);
    tg_history_point out[points_max + 1];
    const tg_view *view = tg_reader_pin(reader);
    assert_int_equal(history(view, 4, out), 3);
    assert_int_equal(out[0].last, 10);
    tg_instrument finer = instrument_of(4, 0, "A");
    finer.price_exponent = -4;
    assert_int_equal(tg__store_define_instrument(store, &finer), TG_OK);
    tg__store_publish(store, S);
    assert_int_equal(history(view, 4, out), 3); /* in the scale that this view shows */
    view = tg_reader_pin(reader);
    assert_int_equal(history(view, 4, out), 0);
    trade(store, 4, 4, 1300, S + 400 * MS);
    tg__store_publish(store, S);
    view = tg_reader_pin(reader);
    assert_int_equal(history(view, 4, out), 1);
    assert_int_equal(out[0].min, 1300);
    tg_reader_close(reader);
    tg__store_close(store);
}

static void a_store_without_history_has_none(void **state)
{
    (void)state;
    tg_store *store = store_of(4, 1);
    tg_reader *reader = reader_of(store);
    define(store, 1, "A");
    trade(store, 1, 1, 10, S);
    tg__store_publish(store, S);
    assert_false(has_history(tg_reader_pin(reader), 1));
    tg_reader_close(reader);
    tg__store_close(store);
}

/* Beside a history that forgets nothing, with readers that sleep. */
enum {
    kept_max = 4000,
    sleepers = 3,
    rounds = 60000
};

typedef struct naive_history {
    tg_history_point point[kept_max];
    size_t count;
} naive_history;

typedef struct sleeper {
    tg_reader *reader;
    const tg_view *view;
    size_t count[rings];          /* points that belong to the view */
    tg_history_point last[rings]; /* the last of them, as it was */
} sleeper;

static void naive_add(naive_history *of, int64_t last, int64_t now)
{
    const bool same =
        of->count > 0 && of->point[of->count - 1].begin_mono_ns / (100 * MS) == now / (100 * MS);
    if (!same) {
        assert_true(of->count < kept_max);
        of->point[of->count++] = (tg_history_point){
            .begin_mono_ns = now, .first = last, .min = last, .max = last, .present = 0x23};
    }
    tg_history_point *point = &of->point[of->count - 1];
    point->end_mono_ns = now;
    point->min = last < point->min ? last : point->min;
    point->max = last > point->max ? last : point->max;
    point->last = last;
    point->bid = last - 1;
    point->ask = last + 1;
    point->rows++;
}

static void check_sleeper(const sleeper *by, const naive_history *naive)
{
    for (unsigned i = 0; i < rings; i++) {
        tg_history_point out[points_max + 1];
        size_t count = 0;
        const tg_err err =
            tg_view_history(by->view, (tg_instrument_id)i, out, points_max + 1, &count);
        assert_int_equal(err == TG_OK, by->count[i] > 0);
        const size_t most = by->count[i] < points_max + 1 ? by->count[i] : points_max + 1;
        assert_true(count <= most && (by->count[i] == 0 || count >= 1));
        for (size_t k = 0; k < count; k++) {
            const size_t at = by->count[i] - count + k;
            const tg_history_point *expected =
                at + 1 == by->count[i] ? &by->last[i] : &naive[i].point[at];
            assert_memory_equal(&out[k], expected, sizeof out[k]);
        }
    }
}

static void the_history_of_each_view_is_that_of_its_cut(void **state)
{
    (void)state;
    seeded_random random = random_start("store.history", 11);
    naive_history *naive = calloc(rings, sizeof *naive);
    naive_history *published = calloc(rings, sizeof *published);
    assert_true(naive != NULL && published != NULL);
    tg_store *store = store_with_history(sleepers);
    sleeper by[sleepers] = {{.view = NULL}};
    for (unsigned i = 0; i < sleepers; i++) {
        by[i].reader = reader_of(store);
    }
    for (unsigned i = 0; i < rings; i++) {
        const char symbol[] = {(char)('A' + i), '\0'};
        define(store, (tg_instrument_id)i, symbol);
    }
    int64_t now = S;
    uint64_t seq = 0;
    for (unsigned round = 0; round < rounds; round++) {
        const unsigned i = (unsigned)random_below(&random, rings);
        const uint64_t kind = random_below(&random, 10);
        if (kind < 6) {
            const int64_t last = (int64_t)random_any_size(&random, 40) - (1 << 20);
            now += (int64_t)random_below(&random, 10) * MS;
            trade(store, (tg_instrument_id)i, ++seq, last, now);
            naive_add(&naive[i], last, now);
        } else if (kind < 8) {
            tg__store_publish(store, now);
            for (unsigned k = 0; k < rings; k++) {
                published[k].count = naive[k].count;
                if (naive[k].count > 0) {
                    published[k].point[0] = naive[k].point[naive[k].count - 1];
                }
            }
        } else {
            sleeper *one = &by[random_below(&random, sleepers)];
            if (one->view != NULL) {
                check_sleeper(one, naive);
            }
            one->view = tg_reader_pin(one->reader);
            for (unsigned k = 0; k < rings; k++) {
                one->count[k] = published[k].count;
                one->last[k] = published[k].point[0];
            }
            check_sleeper(one, naive);
        }
    }
    assert_true(naive[0].count > 10 * points_max);
    for (unsigned i = 0; i < sleepers; i++) {
        tg_reader_close(by[i].reader);
    }
    tg__store_close(store);
    free(naive);
    free(published);
}

/* Threads: the last price counts the ticks, so buckets that belong together are gapless. */
typedef struct shared {
    tg_store *store;
    _Atomic bool finished;
    const char *broken; /* the reader's */
    uint64_t read;      /* points */
} shared;

static const char *check_gapless(const tg_view *view)
{
    tg_history_point out[points_max + 1];
    tg_row row;
    size_t count = 0;
    if (tg_view_history(view, 1, out, points_max + 1, &count) != TG_OK || count == 0 ||
        tg_view_row(view, 1, INT64_MAX, &row) != TG_OK) {
        return "no history";
    }
    for (size_t i = 0; i < count; i++) {
        if (out[i].min != out[i].first || out[i].max != out[i].last ||
            out[i].last - out[i].first + 1 != (int64_t)out[i].rows) {
            return "a point is torn";
        }
        if (i > 0 && out[i].first != out[i - 1].last + 1) {
            return "points do not belong together";
        }
    }
    return out[count - 1].last == row.image.value[TG_FIELD_LAST_PRICE]
               ? NULL
               : "the history does not end with the view's row";
}

static void *read_history(void *ctx)
{
    shared *with = ctx;
    tg_reader *reader = NULL;
    if (tg_reader_open(with->store, &reader) != TG_OK) {
        with->broken = "no reader";
        return NULL;
    }
    while (with->broken == NULL && !atomic_load_explicit(&with->finished, memory_order_acquire)) {
        const tg_view *view = tg_reader_pin(reader);
        for (int times = 0; times < 20 && with->broken == NULL; times++) {
            with->broken = check_gapless(view); /* while the writer overwrites */
            with->read++;
        }
    }
    tg_reader_close(reader);
    return NULL;
}

static void readers_never_see_a_torn_point(void **state)
{
    (void)state;
    shared with = {.store = store_with_history(2)};
    atomic_init(&with.finished, false);
    define(with.store, 1, "A");
    trade(with.store, 1, 1, 1, S);
    tg__store_publish(with.store, S);
    pthread_t reader;
    assert_int_equal(pthread_create(&reader, NULL, read_history, &with), 0);
    for (int64_t i = 2; i < 200000; i++) {
        trade(with.store, 1, (uint64_t)i, i, S + i * 40 * MS);
        if (i % 5 == 0) {
            tg__store_publish(with.store, S);
        }
    }
    atomic_store_explicit(&with.finished, true, memory_order_release);
    assert_int_equal(pthread_join(reader, NULL), 0);
    if (with.broken != NULL) {
        fail_msg("after %" PRIu64 " looks: %s", with.read, with.broken);
    }
    tg__store_close(with.store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_point_keeps_the_extremes_of_its_time),
        cmocka_unit_test(what_is_null_is_said_to_be),
        cmocka_unit_test(the_oldest_points_go_and_a_smaller_buffer_gets_the_newest),
        cmocka_unit_test(a_pinned_view_sees_nothing_newer_than_its_cut),
        cmocka_unit_test(rings_go_from_those_not_followed_to_those_that_tick),
        cmocka_unit_test(another_scale_begins_anew_and_another_id_goes_on),
        cmocka_unit_test(a_store_without_history_has_none),
        cmocka_unit_test(the_history_of_each_view_is_that_of_its_cut),
        cmocka_unit_test(readers_never_see_a_torn_point),
    };
    return cmocka_run_group_tests_name("store.history", tests, NULL, NULL);
}
