#include "redraw.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/clock.h>

#include "../gateway/scratch_folder.h"
#include "session_record.h"
#include "tg_cmocka.h"

#define S       INT64_C(1000000000)
#define UTC_NS  (INT64_C(1796121067) * S) /* 2026-12-01T10:31:07Z */
#define COLUMNS 4

static int64_t base_mono_ns;
static int64_t base_utc_ns = UTC_NS;
static scratch_folder folder;
static char path[160];
static char out[4096];
static char err[4096];

static void nobody(void *ctx)
{
    (void)ctx;
}

/* A pass a second from 10:31:08 on, with its number on the glass; what some drew is no picture. */
static void record_passes(uint64_t passes, const char *lost)
{
    static const tg_style plain = {0xffffff, 0, 0};
    static const tg_draw_run run = {0, 0, 1, 0};
    static const tg_cell no_colour = {.foreground = 0x1000000};
    const tg_draw_list no_picture = {.full = true,
                                     .columns = COLUMNS,
                                     .rows = 1,
                                     .run_count = 1,
                                     .cell_count = 1,
                                     .runs = &run,
                                     .cells = &no_colour};
    session_record *record = NULL;
    tg_grid *grid = NULL;
    char why[400];
    (void)snprintf(path, sizeof path, "%s", scratch_path(&folder, "glass.tgrec"));
    (void)remove(path);
    assert_int_equal(tg_grid_open(COLUMNS, 1, &grid), TG_OK);
    (void)tg_grid_damage(grid);
    assert_int_equal(session_record_open(4, nobody, NULL, &record), TG_OK);
    assert_int_equal(session_record_start_now(record, path), TG_OK);
    for (uint64_t pass = 1; pass <= passes; pass++) {
        const pass_stamps stamps = {.handed_mono_ns = base_mono_ns + (int64_t)pass * S,
                                    .handed_utc_ns = base_utc_ns + (int64_t)pass * S};
        const char text[] = {(char)('0' + pass / 10), (char)('0' + pass % 10), '\0'};
        (void)tg_grid_put(grid, 0, 1, plain, text);
        const tg_draw_list *list = tg_grid_damage(grid);
        const bool is_lost = strchr(lost, (int)('a' + pass)) != NULL;
        const drawn_pass drawn = {pass, is_lost ? &no_picture : list, grid, {100, 40, 14}};
        session_record_drew(record, &drawn, &stamps);
    }
    tg_grid_close(grid);
    assert_int_equal(session_record_close(record, why, sizeof why), TG_OK);
}

static void read_all(FILE *from, char *text, size_t size)
{
    rewind(from);
    text[fread(text, 1, size - 1, from)] = '\0';
    (void)fclose(from);
}

static int redraw(terminal_options options)
{
    FILE *to = tmpfile();
    FILE *wrong_to = tmpfile();
    assert_true(to != NULL && wrong_to != NULL);
    options.redraw = path;
    const int code = redraw_run(&options, to, wrong_to);
    read_all(to, out, sizeof out);
    read_all(wrong_to, err, sizeof err);
    return code;
}

static void expect(int code, const char *at, const char *pass, const char *said, const char *wrong)
{
    const terminal_options options = {.at = at, .pass = pass, .text = true};
    const int is = redraw(options);
    if (is != code || strstr(out, said) == NULL || strstr(err, wrong) == NULL) {
        fail_msg("%s%s: %d, not %d: %s%s", at != NULL ? at : "", pass != NULL ? pass : "", is, code,
                 out, err);
    }
}

static void a_pass_is_found_by_its_number(void **state)
{
    (void)state;
    record_passes(30, "");
    expect(0, NULL, NULL,
           "pass         30\nhanded over  2026-12-01T10:31:37.000000000Z, monotonic "
           "30000000000 ns\nstood        until the record ended or longer: ",
           "");
    expect(0, NULL, NULL, "\n\n 30\n", "");
    expect(0, NULL, "1", "stood        1000.000 ms, until pass 2\n", "");
    expect(0, NULL, "1", "\n\n 01\n", "");
    expect(0, NULL, "17", "\n\n 17\n", ""); /* some passes after a whole one */
    expect(2, NULL, "0", "",
           "no picture was drawn until then; the next is pass 1, handed over 2026-12-01T10:31:08.");
    expect(2, NULL, "31", "", "it has no pass 31: the one before is pass 30\n");
}

static void what_is_missing_is_not_guessed(void **state)
{
    (void)state;
    record_passes(20, "fgh"); /* 5, 6 and 7 */
    expect(0, NULL, "4",
           "stood        until a pass that is missing from the record, 4000.000 ms at "
           "most\n",
           "");
    expect(2, NULL, "5", "",
           "it has no pass 5: the one before is pass 4; the next is pass 8, handed over "
           "2026-12-01T10:31:15.000000000Z\n");
    expect(0, NULL, "8", "\n\n 08\n", ""); /* whole again */
    record_passes(3, "bcd");
    expect(2, NULL, NULL, "", "no pictures are in this record");
}

/* What stood there so long after the base. */
static void expect_at(int code, int64_t after_ns, const char *said, const char *wrong)
{
    char at[32];
    (void)snprintf(at, sizeof at, "%" PRId64, base_utc_ns + after_ns);
    expect(code, at, NULL, said, wrong);
}

static void what_stood_there_is_found_by_its_time(void **state)
{
    (void)state;
    /* The record's times are of now: those of its passes have to be. */
    const tg_clock clock = tg_clock_system();
    base_mono_ns = tg_clock_mono_ns(&clock);
    base_utc_ns = tg_clock_utc_ns(&clock);
    record_passes(40, "fgh"); /* 5, 6 and 7 */
    for (int64_t pass = 1; pass < 40; pass++) {
        char text[16];
        (void)snprintf(text, sizeof text, "\n\n %02d\n", (int)pass);
        if (pass < 4 || pass > 7) {
            expect_at(0, pass * S, text, "");
            expect_at(0, pass * S + S - 1, text, "");
        } else {
            expect_at(2, pass * S + S / 2, "",
                      "what stood there then is not known: the record misses what was drawn after "
                      "pass 4; the next is pass 8, handed over ");
        }
    }
    expect_at(0, 40 * S, "\n\n 40\n", "");
    expect_at(2, S / 2, "", "the record is of another time: from ");
    expect_at(2, 42 * S, "", "the record is of another time: from ");
    base_mono_ns = 0;
    base_utc_ns = UTC_NS;
}

static void without_its_fonts_there_is_no_picture_but_its_text(void **state)
{
    (void)state;
    record_passes(3, "");
    char picture[160];
    (void)snprintf(picture, sizeof picture, "%s", scratch_path(&folder, "again.png"));
    const terminal_options options = {.screenshot = picture, .text = true};
    assert_int_equal(redraw(options), 2);
    assert_non_null(strstr(err, "it was drawn in other fonts (not known) than there are here ("));
    assert_non_null(strstr(out, "\n\n 03\n"));
    assert_null(fopen(picture, "rb"));
}

static int open_folder(void **state)
{
    (void)state;
    scratch_folder_open(&folder);
    return 0;
}

static int close_folder(void **state)
{
    (void)state;
    scratch_folder_close(&folder);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pass_is_found_by_its_number),
        cmocka_unit_test(what_is_missing_is_not_guessed),
        cmocka_unit_test(what_stood_there_is_found_by_its_time),
        cmocka_unit_test(without_its_fonts_there_is_no_picture_but_its_text),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
