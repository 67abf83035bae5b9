#include "report.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tg_cmocka.h"

#define REPORT "report_test.json"

typedef struct fixture {
    glass_times *times;
    tg_histogram *stage;
    terminal_report report;
} fixture;

static fixture open_fixture(void)
{
    fixture f = {0};
    assert_int_equal(glass_times_open(&f.times), TG_OK);
    assert_int_equal(tg_histogram_open(NULL, &f.stage), TG_OK);
    const pass_stamps stamps = {2000000, 2500000, 9000000, 1500000};
    const fresh_row row = {1000000, 1500000, 8000000, false};
    const fresh_row ahead = {1000000, 1500000, 9999999, false};
    glass_times_record(f.times, &row, &stamps);
    glass_times_record(f.times, &ahead, &stamps);
    f.report.times = f.times;
    f.report.decode = f.stage;
    f.report.commit = f.stage;
    f.report.client.frames = 501;
    f.report.store.rejected_regression = 17;
    f.report.store.confirmed = 4;
    f.report.glass.regressions = 3;
    f.report.passes = 77;
    f.report.elapsed_ns = INT64_C(20012345678);
    f.report.build = "quote \" back \\ tab \t end";
    return f;
}

static void close_fixture(fixture *f)
{
    glass_times_close(f->times);
    tg_histogram_close(f->stage);
}

static char *read_report(void)
{
    FILE *file = fopen(REPORT, "r");
    assert_non_null(file);
    char *text = calloc(1, 16384);
    assert_non_null(text);
    assert_true(fread(text, 1, 16383, file) > 0);
    (void)fclose(file);
    return text;
}

/* Enough of JSON to tell a whole object from a torn one. Returns what follows the value. */
static const char *skip_value(const char *at);

static const char *skip_blanks(const char *at)
{
    while (*at == ' ' || *at == '\n') {
        at++;
    }
    return at;
}

static const char *skip_string(const char *at)
{
    assert_int_equal(*at++, '"');
    while (*at != '"') {
        assert_true((unsigned char)*at >= 0x20);
        at += *at == '\\' ? 2 : 1;
    }
    return at + 1;
}

static const char *skip_value(const char *at)
{
    at = skip_blanks(at);
    if (*at == '"') {
        return skip_string(at);
    }
    if (*at != '{') {
        char *end = NULL;
        (void)strtod(at, &end);
        assert_true(end > at);
        return end;
    }
    do {
        at = skip_blanks(skip_string(skip_blanks(at + 1)));
        assert_int_equal(*at, ':');
        at = skip_blanks(skip_value(at + 1));
    } while (*at == ',');
    assert_int_equal(*at, '}');
    return at + 1;
}

static void the_report_is_one_whole_json_object_with_every_key(void **state)
{
    (void)state;
    fixture f = open_fixture();
    assert_int_equal(report_write(&f.report, REPORT), TG_OK);
    char *text = read_report();
    assert_string_equal(skip_blanks(skip_value(text)), "");
    static const char *const keys[] = {
        "\"frames\": 501,",
        "\"bytes\": 0,",
        "\"ticks_admitted\": 0,",
        "\"rejected_regression\": 17,",
        "\"rejected_duplicate\": 4,",
        "\"rejected_epoch\": 0,",
        "\"gaps\": 0,",
        "\"resyncs\": 0,",
        "\"reconnects\": 0,",
        "\"handoff_us\": {\"p50\": 1500",
        "\"tick_to_glass_us\": {",
        "\"negative\": 1",
        "\"stages\": {",
        "\"decode_us\": {\"p50\": 0.000",
        "\"commit_us\": {",
        "\"draw_us\": {",
        "\"present_us\": {",
        "\"cpu_ms\": ",
        "\"rss_kb\": ",
        "\"drawn_regressions\": 3,",
        "\"passes\": 77,",
        "\"cells_drawn\": 0,",
        "\"seconds\": 20.012,",
        "\"build\": \"quote \\\" back \\\\ tab \\u0009 end\"",
        "\"p999\": ",
        "\"max\": ",
    };
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (strstr(text, keys[i]) == NULL) {
            fail_msg("%s is missing in %s", keys[i], text);
        }
    }
    free(text);
    assert_int_equal(unlink(REPORT), 0);
    close_fixture(&f);
}

static void a_comma_locale_leaves_the_points(void **state)
{
    (void)state;
    if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL && setlocale(LC_ALL, "fr_FR.UTF-8") == NULL) {
        print_message("SKIP: no locale with a decimal comma is installed\n");
        skip();
    }
    fixture f = open_fixture();
    assert_int_equal(report_write(&f.report, REPORT), TG_OK);
    assert_non_null(setlocale(LC_ALL, "C"));
    char *text = read_report();
    assert_string_equal(skip_blanks(skip_value(text)), "");
    assert_non_null(strstr(text, "\"seconds\": 20.012"));
    free(text);
    assert_int_equal(unlink(REPORT), 0);
    close_fixture(&f);
}

static void a_report_that_cannot_be_written_leaves_nothing(void **state)
{
    (void)state;
    fixture f = open_fixture();
    assert_int_equal(report_write(&f.report, "nowhere/report.json"), TG_ERR_IO);
    assert_int_equal(errno, ENOENT);
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_report_is_one_whole_json_object_with_every_key),
        cmocka_unit_test(a_comma_locale_leaves_the_points),
        cmocka_unit_test(a_report_that_cannot_be_written_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
