#include "tg_cmocka.h"

#include <inttypes.h>
#include <pthread.h>
#include <string.h>

#include <tickglass/recorder.h>

#include "bytes.h"
#include "log_merge.h"
#include "log_skim.h"
#include "scratch_dir.h"

enum {
    THREADS = 3,
    EACH = 40000 /* some blocks for each thread */
};

static void *work(void *arg)
{
    tg_recorder *recorder = arg;
    for (uint32_t i = 0; i < EACH; i++) {
        TG_RECORD(recorder, TG_RECORD_INFO, "tick %u %" PRId64 " %f", i % 40,
                  INT64_C(4000) - (int64_t)(i % 8000), (double)i / 3);
        if (i % 3 == 0) { /* has texts, so that it cannot be passed over quickly */
            TG_RECORD(recorder, TG_RECORD_INFO, "said %s", i % 2 == 0 ? "yes" : "no");
        }
    }
    return NULL;
}

typedef struct fixture {
    scratch_dir dir;
    tg__log_file file;
    const tg__site_info *ticks;
} fixture;

static void fixture_make(fixture *f)
{
    char path[1024];
    f->dir = scratch_make();
    tg_recorder_options opt;
    tg_recorder_options_init(&opt);
    opt.path = scratch_name(&f->dir, "skim.tgrec", path, sizeof path);
    opt.rings_dir = f->dir.path;
    opt.ring_size = 1 << 18;
    opt.threads_max = THREADS;
    opt.overflow[TG_RECORD_INFO] = TG_OVERFLOW_WAIT;
    tg_recorder *recorder = NULL;
    assert_int_equal(tg_recorder_open(&opt, &recorder), TG_OK);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, work, recorder), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    tg_recorder_close(recorder);
    assert_int_equal(tg__log_file_open(path, &f->file), TG_OK);
    f->ticks = NULL;
    for (uint32_t id = TG__SITE_FIRST_OF_USER; id <= TG__SITES_MAX; id++) {
        if (f->file.sites[id].argument_count == 3) {
            f->ticks = &f->file.sites[id];
        }
    }
    assert_non_null(f->ticks);
}

static void fixture_end(fixture *f)
{
    tg__log_file_close(&f->file);
    scratch_remove(&f->dir);
}

static void assert_near(double got, double expected)
{
    const double error = got - expected;
    const double allowed = (expected < 0 ? -expected : expected) * 1e-9;
    assert_true(error <= allowed && error >= -allowed);
}

static void skimming_finds_what_reading_every_record_finds(void **state)
{
    (void)state;
    fixture f;
    fixture_make(&f);
    tg__number_stats read[3];
    memset(read, 0, sizeof read);
    tg__log_merge merge;
    tg__log_record record;
    assert_int_equal(tg__log_merge_open(&f.file, 1, &merge), TG_OK);
    while (tg__log_merge_next(&merge, &record) == TG_OK) {
        tg__log_argument arguments[TG_RECORD_ARGUMENTS_MAX];
        tg__log_arguments(&record, arguments);
        for (int i = 0; record.site == f.ticks && i < 3; i++) {
            assert_int_equal(tg__number_stats_add(&read[i], &arguments[i]), TG_OK);
        }
    }
    tg__log_merge_close(&merge);
    assert_int_equal(read[0].count, THREADS * EACH);
    for (unsigned threads = 1; threads <= TG__SKIM_THREADS_MAX + 1; threads += 4) {
        for (uint8_t i = 0; i < 3; i++) {
            const tg__skim wanted = {f.ticks, i};
            tg__number_stats skimmed = {0};
            assert_int_equal(tg__log_skim(&f.file, &wanted, threads, &skimmed), TG_OK);
            assert_int_equal(skimmed.count, read[i].count);
            assert_near(skimmed.min, read[i].min);
            assert_near(skimmed.max, read[i].max);
            assert_near(skimmed.sum, read[i].sum);
            for (int percent = 0; i < 2 && percent <= 100; percent += 10) {
                assert_near(tg__number_stats_percentile(&skimmed, percent),
                            tg__number_stats_percentile(&read[i], percent));
            }
            tg__number_stats_deinit(&skimmed);
        }
    }
    for (int i = 0; i < 3; i++) {
        tg__number_stats_deinit(&read[i]);
    }
    assert_int_equal(f.file.problem_count, 0);
    fixture_end(&f);
}

static void a_block_that_ends_early_is_told_and_what_is_before_it_counts(void **state)
{
    (void)state;
    fixture f;
    fixture_make(&f);
    /* The dictionary forgets the site with texts: no block can be read beyond its first such one.
     */
    for (uint32_t id = TG__SITE_FIRST_OF_USER; id <= TG__SITES_MAX; id++) {
        if (f.file.sites[id].argument_count == 1) {
            f.file.sites[id].id = 0;
        }
    }
    size_t blocks = 0;
    for (size_t t = 0; t < f.file.thread_count; t++) {
        blocks += f.file.threads[t].count;
    }
    const tg__skim wanted = {f.ticks, 0};
    tg__number_stats stats = {0};
    assert_int_equal(tg__log_skim(&f.file, &wanted, 2, &stats), TG_OK);
    assert_true(f.file.problem_count > 0 && f.file.problem_count <= blocks);
    assert_true(stats.count > 0 && stats.count <= 4 * blocks);
    tg__number_stats_deinit(&stats);
    fixture_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(skimming_finds_what_reading_every_record_finds),
        cmocka_unit_test(a_block_that_ends_early_is_told_and_what_is_before_it_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
