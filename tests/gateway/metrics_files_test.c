#include "tg_cmocka.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "metrics_files.h"
#include "scratch_folder.h"

#define S     INT64_C(1000000000)
#define START (INT64_C(1796074427) * S) /* 2026-11-30T21:33:47Z */

typedef struct fixture {
    scratch_folder folder;
    tg__metrics_files *files;
    tg_histogram *stages[TG__STAGE_COUNT];
    int64_t utc_ns;
    tg__cause cause;
} fixture;

static void open_files(fixture *f)
{
    memset(f, 0, sizeof *f);
    f->utc_ns = START;
    scratch_folder_open(&f->folder);
    for (unsigned i = 0; i < TG__STAGE_COUNT; i++) {
        tg_histogram_options options;
        tg_histogram_options_init(&options);
        options.lowest = 1;
        assert_int_equal(tg_histogram_open(&options, &f->stages[i]), TG_OK);
    }
    assert_int_equal(
        tg__metrics_files_open(scratch_path(&f->folder, "metrics"), &f->files, &f->cause), TG_OK);
}

static void close_files(fixture *f)
{
    tg__metrics_files_close(f->files);
    for (unsigned i = 0; i < TG__STAGE_COUNT; i++) {
        tg_histogram_close(f->stages[i]);
    }
    scratch_folder_close(&f->folder);
}

static void add_interval(fixture *f)
{
    for (unsigned i = 0; i < TG__STAGE_COUNT; i++) {
        tg__metrics_files_add(f->files, (tg__stage)i, f->stages[i], f->utc_ns, f->utc_ns + 10 * S);
    }
    f->utc_ns += 10 * S;
}

/* Every stage has had one value of (stage + 1) ms. */
static void record_all(fixture *f)
{
    for (unsigned i = 0; i < TG__STAGE_COUNT; i++) {
        tg_histogram_record(f->stages[i], (int64_t)(i + 1) * 1000000);
    }
}

static unsigned file_count(const fixture *f)
{
    unsigned count = 0;
    DIR *listing = opendir(scratch_path(&f->folder, "metrics"));
    assert_non_null(listing);
    while (readdir(listing) != NULL) {
        count++;
    }
    assert_int_equal(closedir(listing), 0);
    return count - 2; /* the folder and its parent */
}

static off_t file_size(const fixture *f, const char *name)
{
    struct stat about;
    return stat(scratch_path(&f->folder, name), &about) == 0 ? about.st_size : -1;
}

/* The output has a line of that histogram with that count and a median of about ms. */
static void check_line(const char *out, const char *tag, unsigned count, unsigned ms)
{
    char text[128];
    (void)snprintf(text, sizeof text, "{\"histogram\":\"%s\",", tag);
    const char *line = strstr(out, text);
    assert_non_null(line);
    const char *end = strchr(line, '\n');
    const char *counted = strstr(line, "\"count\":");
    const char *median = strstr(line, "\"p50\":");
    assert_true(counted != NULL && counted < end && median != NULL && median < end);
    assert_int_equal(strtoul(counted + strlen("\"count\":"), NULL, 10), count);
    assert_int_equal(strtoul(median + strlen("\"p50\":"), NULL, 10) / 1000000, ms);
}

static void tickglass_log_reads_and_merges_them(void **state)
{
    (void)state;
    fixture f;
    char command[1024];
    static char out[16384];
    open_files(&f);
    record_all(&f);
    for (unsigned i = 0; i < 5; i++) {
        add_interval(&f);
    }
    assert_int_equal(file_count(&f), 1);
    f.utc_ns = START + TG__METRICS_FILE_TIME_NS;
    add_interval(&f);
    assert_int_equal(file_count(&f), 2);
    (void)snprintf(command, sizeof command, "'%s' hist --json '%s'/stages-*.hlog", TG_LOG_PROGRAM,
                   scratch_path(&f.folder, "metrics"));
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    out[fread(out, 1, sizeof out - 1, pipe)] = '\0';
    assert_int_equal(pclose(pipe), 0);
    for (unsigned i = 0; i < TG__STAGE_COUNT; i++) {
        check_line(out, tg__stage_names[i], 6, i + 1);
    }
    close_files(&f);
}

static void a_name_that_is_taken_is_not_written_to(void **state)
{
    (void)state;
    fixture f;
    open_files(&f);
    scratch_write(&f.folder, "metrics/stages-20261130T213347Z.hlog", "mine", 4);
    add_interval(&f);
    assert_int_equal(file_size(&f, "metrics/stages-20261130T213347Z.hlog"), 4);
    assert_true(file_size(&f, "metrics/stages-20261130T213348Z.hlog") > 500);
    close_files(&f);
}

static void only_the_newest_are_kept_and_nothing_else_is_touched(void **state)
{
    (void)state;
    fixture f;
    open_files(&f);
    scratch_write(&f.folder, "metrics/stages-of-another-kind.hlog", "x", 1);
    scratch_write(&f.folder, "metrics/stages-20260101T000000Z.hlog.bak", "x", 1);
    for (unsigned i = 0; i < TG__METRICS_FILES_MAX + 3; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "metrics/stages-202601%02uT0000%02uZ.hlog", i / 60 + 1,
                       i % 60);
        scratch_write(&f.folder, name, "x", 1);
    }
    add_interval(&f);
    assert_int_equal(file_count(&f), TG__METRICS_FILES_MAX + 2);
    assert_int_equal(file_size(&f, "metrics/stages-20260101T000003Z.hlog"), -1);
    assert_int_equal(file_size(&f, "metrics/stages-20260101T000004Z.hlog"), 1);
    assert_true(file_size(&f, "metrics/stages-20261130T213347Z.hlog") > 500);
    close_files(&f);
}

static void a_full_disk_loses_intervals_and_damages_none(void **state)
{
    (void)state;
    static const char name[] = "metrics/stages-20261130T213347Z.hlog";
    fixture f;
    struct rlimit before;
    open_files(&f);
    record_all(&f);
    add_interval(&f);
    const off_t whole = file_size(&f, name);
    assert_true(whole > 500);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    const struct rlimit little = {(rlim_t)whole + 100, before.rlim_max};
    assert_true(signal(SIGXFSZ, SIG_IGN) != SIG_ERR); /* a write then fails with EFBIG */
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
    add_interval(&f);
    add_interval(&f);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(file_size(&f, name), whole);
    add_interval(&f);
    assert_int_equal(file_count(&f), 1);
    assert_true(file_size(&f, name) > whole + 500);
    close_files(&f);
}

static void a_folder_that_cannot_be_used_is_named(void **state)
{
    (void)state;
    tg__metrics_files *files = NULL;
    tg__cause cause;
    assert_int_equal(tg__metrics_files_open("/nonexistent/metrics", &files, &cause), TG_ERR_IO);
    assert_null(files);
    assert_non_null(strstr(cause.text, "--metrics-dir /nonexistent/metrics: "));
    assert_int_equal(tg__metrics_files_open("", &files, &cause), TG_ERR_INVALID_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tickglass_log_reads_and_merges_them),
        cmocka_unit_test(a_name_that_is_taken_is_not_written_to),
        cmocka_unit_test(only_the_newest_are_kept_and_nothing_else_is_touched),
        cmocka_unit_test(a_full_disk_loses_intervals_and_damages_none),
        cmocka_unit_test(a_folder_that_cannot_be_used_is_named),
    };
    return cmocka_run_group_tests_name("gateway.metrics_files", tests, NULL, NULL);
}
