#include "latency_export.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tickglass/internal/hlog.h>

#include "../gateway/scratch_folder.h"
#include "tg_cmocka.h"

#define S   INT64_C(1000000000)
#define UTC (INT64_C(1723161300) * S)

static atomic_int woken;

static void wake(void *ctx)
{
    (void)ctx;
    (void)atomic_fetch_add(&woken, 1);
}

/* Twenty windows; window w has w + 1 values in two of the stages. */
static stage_windows *play(tg_histogram *all[LATENCY_STAGE_COUNT])
{
    stage_windows *windows = NULL;
    assert_int_equal(stage_windows_open(STAGE_WINDOWS_BYTES, 0, &windows), TG_OK);
    const stall_tally none = {0};
    for (int64_t w = 0; w < 20; w++) {
        for (int64_t i = 0; i <= w; i++) {
            const int64_t value = 1000 + w * 777777 + i * 1234567;
            stage_windows_record(windows, LATENCY_DRAW, value);
            stage_windows_record(windows, LATENCY_EXCHANGE_TO_HANDED, i == 3 ? -value : value);
            if (w >= 4 && w < 8) {
                tg_histogram_record(all[LATENCY_DRAW], value);
                tg_histogram_record(all[LATENCY_EXCHANGE_TO_HANDED], i == 3 ? -value : value);
            }
        }
        stage_windows_end(windows, (w + 1) * STAGE_WINDOW_NS, UTC + (w + 1) * STAGE_WINDOW_NS,
                          &none);
    }
    return windows;
}

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        fail_msg("%s was not written", path);
    }
    char *text = calloc(1, (size_t)1 << 20);
    assert_non_null(text);
    (void)fread(text, 1, ((size_t)1 << 20) - 1, file);
    (void)fclose(file);
    return text;
}

/* Adds the log's windows of that tag up. */
static unsigned add_log(const char *path, const char *tag, tg_histogram *sum)
{
    char *text = read_file(path);
    char start[80];
    (void)snprintf(start, sizeof start, "Tag=%s,", tag);
    unsigned lines = 0;
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        if (strncmp(line, start, strlen(start)) == 0) {
            const char *counts = strrchr(line, ',') + 1;
            tg_histogram *window = NULL;
            assert_int_equal(tg__hlog_decode(counts, strlen(counts), &window), TG_OK);
            assert_int_equal(tg_histogram_add(sum, window), TG_OK);
            tg_histogram_close(window);
            lines++;
        }
    }
    free(text);
    return lines;
}

static tg_histogram *open_histogram(int64_t lowest)
{
    tg_histogram_options options;
    tg_histogram_options_init(&options);
    options.lowest = lowest;
    tg_histogram *histogram = NULL;
    assert_int_equal(tg_histogram_open(&options, &histogram), TG_OK);
    return histogram;
}

static bool wait_for(latency_export *files, char *text, size_t size, bool *bad)
{
    while (!latency_export_take_result(files, text, size, bad)) {
        (void)sched_yield();
    }
    return !*bad;
}

typedef struct fixture {
    scratch_folder folder;
    tg_histogram *all[LATENCY_STAGE_COUNT];
    stage_windows *windows;
    latency_export *files;
} fixture;

static fixture begin(void)
{
    fixture f = {0};
    scratch_folder_open(&f.folder);
    assert_int_equal(chdir(f.folder.path), 0);
    for (int i = 0; i < LATENCY_STAGE_COUNT; i++) {
        f.all[i] = open_histogram(0);
    }
    f.windows = play(f.all);
    assert_int_equal(latency_export_open(wake, NULL, &f.files), TG_OK);
    return f;
}

static void end(fixture *f)
{
    latency_export_close(f->files);
    stage_windows_close(f->windows);
    for (int i = 0; i < LATENCY_STAGE_COUNT; i++) {
        tg_histogram_close(f->all[i]);
    }
    assert_int_equal(chdir("/"), 0);
    scratch_folder_close(&f->folder);
}

static void the_chosen_windows_are_in_both_files(void **state)
{
    (void)state;
    fixture f = begin();
    char text[300];
    bool bad = true;
    const int woken_before = atomic_load(&woken);
    assert_int_equal(latency_export_start(f.files, f.windows, 4, 4, "four"), TG_OK);
    assert_int_equal(latency_export_start(f.files, f.windows, 4, 4, "five"), TG_ERR_FULL);
    assert_true(wait_for(f.files, text, sizeof text, &bad));
    assert_string_equal(text, "written: four.hlog and .csv");
    assert_int_equal(atomic_load(&woken), woken_before + 1);
    assert_false(latency_export_take_result(f.files, text, sizeof text, &bad));
    tg_histogram *sum = open_histogram(1); /* as logs have it */
    assert_int_equal(add_log("four.hlog", "terminal_draw", sum), 4);
    tg_histogram_summary summary;
    tg_histogram_summary_get(sum, &summary);
    assert_int_equal(summary.count, 5 + 6 + 7 + 8);
    tg_histogram_close(sum);
    char *table = read_file("four.csv");
    char row[300];
    const tg_histogram *draw = f.all[LATENCY_DRAW];
    tg_histogram_summary_get(draw, &summary);
    (void)snprintf(row, sizeof row,
                   "\nterminal_draw,%" PRId64 ",%" PRId64 ",26,0,0,%" PRId64 ",%" PRId64,
                   UTC + 40 * S, UTC + 80 * S, summary.min, tg_histogram_percentile(draw, 50));
    assert_non_null(strstr(table, row));
    (void)snprintf(row, sizeof row, ",%" PRId64 ",%" PRId64 "\n",
                   tg_histogram_percentile(draw, 99.99), summary.max);
    assert_non_null(strstr(table, row));
    /* What is below 0 is counted apart. */
    (void)snprintf(row, sizeof row, "\nterminal_exchange_to_handed,%" PRId64 ",%" PRId64 ",22,4,0,",
                   UTC + 40 * S, UTC + 80 * S);
    assert_non_null(strstr(table, row));
    free(table);
    end(&f);
}

static void all_that_is_kept_goes_into_one_log(void **state)
{
    (void)state;
    fixture f = begin();
    assert_int_equal(latency_export_write_log(f.windows, "all.hlog"), TG_OK);
    tg_histogram *sum = open_histogram(1);
    assert_int_equal(add_log("all.hlog", "terminal_draw", sum), 20);
    assert_int_equal(stage_figures_of(sum).count, 20 * 21 / 2);
    assert_int_equal(add_log("all.hlog", "terminal_wait", sum), 0); /* nothing came */
    tg_histogram_close(sum);
    end(&f);
}

static void a_file_that_exists_is_never_overwritten(void **state)
{
    (void)state;
    fixture f = begin();
    FILE *own = fopen("mine.csv", "w");
    assert_non_null(own);
    (void)fputs("precious\n", own);
    (void)fclose(own);
    char text[300];
    bool bad = false;
    assert_int_equal(latency_export_start(f.files, f.windows, 0, 1, "mine"), TG_OK);
    assert_false(wait_for(f.files, text, sizeof text, &bad));
    assert_string_equal(text, "mine: File exists");
    char *kept = read_file("mine.csv");
    assert_string_equal(kept, "precious\n");
    free(kept);
    assert_int_equal(latency_export_write_log(f.windows, "mine.csv"), TG_ERR_IO);
    assert_int_equal(errno, EEXIST);
    assert_int_equal(latency_export_start(f.files, f.windows, 0, 0, "none"), TG_ERR_NOT_FOUND);
    end(&f);
}

/* For exported_hlog.sh: what others are to read. */
static int write_for_others(const char *path)
{
    tg_histogram *all[LATENCY_STAGE_COUNT];
    for (int i = 0; i < LATENCY_STAGE_COUNT; i++) {
        all[i] = open_histogram(0);
    }
    stage_windows *windows = play(all);
    const tg_err err = latency_export_write_log(windows, path);
    stage_windows_close(windows);
    for (int i = 0; i < LATENCY_STAGE_COUNT; i++) {
        tg_histogram_close(all[i]);
    }
    return err == TG_OK ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        return write_for_others(argv[1]);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_chosen_windows_are_in_both_files),
        cmocka_unit_test(all_that_is_kept_goes_into_one_log),
        cmocka_unit_test(a_file_that_exists_is_never_overwritten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
