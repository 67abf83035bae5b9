/* The program itself against a real gateway: exit codes, files, and what it says. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tickglass/clock.h>

#include "../integration/gateway_process.h"
#include "child_process.h"
#include "report_file.h"
#include "text_file.h"

#define ARGUMENTS_MAX 32
#define REPORT        "terminal_test.json"
#define PICTURE       "terminal_test.png"
#define RECORD        "terminal_test.tgrec"
#define SAID          "terminal_test.said"

/* A running terminal. */
static pid_t start_terminal(const gateway_process *gateway, const char *const *more)
{
    char token_file[128];
    (void)snprintf(token_file, sizeof token_file, "%s/state/token", gateway->folder);
    const char *argv[ARGUMENTS_MAX + 1] = {TG_TEST_TERMINAL, "--headless", "--url", gateway->url,
                                           "--token-file",   token_file,   "--ca",  gateway->ca};
    size_t count = 8;
    for (size_t i = 0; more[i] != NULL && count < ARGUMENTS_MAX; i++) {
        argv[count++] = more[i];
    }
    const pid_t parent = getpid();
    const pid_t pid = fork();
    if (pid == 0) {
        child_ends_with_parent(parent);
        const int said = open(SAID, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        (void)dup2(said, STDERR_FILENO);
        (void)execv(TG_TEST_TERMINAL, (char *const *)argv);
        _exit(127);
    }
    assert_true(pid > 0);
    return pid;
}

static int exit_code_of(pid_t pid)
{
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void expect_said(const char *part)
{
    const char *said = file_text(SAID);
    if (strstr(said, part) == NULL) {
        fail_msg("it said \"%s\", not \"%s\"", said, part);
    }
}

static void remove_files(void)
{
    (void)unlink(REPORT);
    (void)unlink(PICTURE);
    (void)unlink(RECORD);
    (void)unlink(SAID);
}

static uint64_t random_state = 99;

static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((random_state >> 33) % limit);
}

/* Four instruments that quote and trade for four seconds. Prices wander: few states come twice. */
static text_file write_tape(void)
{
    static char text[400000];
    size_t length = (size_t)snprintf(text, sizeof text,
                                     "ts_ns,venue,symbol,kind,price_decimal_text,"
                                     "qty_decimal_text,exchange_seq\n");
    int64_t bid[4] = {1000000, 2000000, -37000, 500};
    uint64_t quote_id = 1000;
    uint64_t trade_id = 5;
    for (int64_t ms = 0; ms < 4000; ms += 4) {
        const unsigned i = random_below(4);
        const int64_t ts_ns = INT64_C(1700000000000000000) + ms * 1000000;
        bid[i] += (int64_t)random_below(7) - 3;
        quote_id += 1 + random_below(3);
        length += (size_t)snprintf(text + length, sizeof text - length,
                                   "%" PRId64 ",TEST,INS%u,bid,%" PRId64 ",%u,%" PRIu64 "\n"
                                   "%" PRId64 ",TEST,INS%u,ask,%" PRId64 ",%u,%" PRIu64 "\n",
                                   ts_ns, i, bid[i], 1 + random_below(900), quote_id, ts_ns, i,
                                   bid[i] + 2, 1 + random_below(900), quote_id);
        if (random_below(3) == 0) {
            trade_id++;
            length += (size_t)snprintf(text + length, sizeof text - length,
                                       "%" PRId64 ",TEST,INS%u,trade,%" PRId64 ",1,%" PRIu64 "\n",
                                       ts_ns, i, bid[i] + 2, trade_id);
        }
    }
    return text_file_write(text, length);
}

static void a_replayed_tape_is_drawn_in_its_order(void **state)
{
    (void)state;
    const text_file tape = write_tape();
    const char *const play[] = {
        "--tape", tape.path, "--hold-until-subscribed", "--feeds", "2", "--skew-ms", "60:90", NULL};
    gateway_process gateway;
    assert_true(gateway_process_start(&gateway, TG_TEST_GATEWAY, play));
    const char *const more[] = {"--seconds",    "5",       "--report", REPORT,
                                "--screenshot", PICTURE,   "--record", RECORD,
                                "--check-tape", tape.path, NULL};
    assert_int_equal(exit_code_of(start_terminal(&gateway, more)), 0);
    assert_string_equal(file_text(SAID), "");
    assert_int_equal(report_count(REPORT, "instruments"), 4);
    assert_int_equal(report_count(REPORT, "drawn_regressions"), 0);
    assert_int_equal(report_count(REPORT, "drawn_unknown"), 0);
    assert_int_equal(report_count(REPORT, "drawn_not_judged"), 0);
    assert_true(report_count(REPORT, "drawn_judged_by_tape") > 100);
    assert_true(report_count(REPORT, "ticks_admitted") > 100);
    assert_int_equal(strncmp(file_text(PICTURE), "\x89PNG", 4), 0);
    assert_true(file_text(RECORD)[0] != '\0');
    (void)gateway_process_stop(&gateway);
    remove_files();
    text_file_remove(&tape);
}

/* The check that the test above relies on can fail. */
static void a_gateway_that_steps_back_is_found_out(void **state)
{
    (void)state;
    const text_file tape = write_tape();
    const char *const play[] = {
        "--tape", tape.path, "--hold-until-subscribed", "--feeds", "2", "--skew-ms", "60:90", NULL};
    gateway_process gateway;
    assert_true(gateway_process_start(&gateway, TG_TEST_GATEWAY_NOADMISSION, play));
    const char *const more[] = {"--seconds",    "5",       "--report", REPORT,
                                "--check-tape", tape.path, NULL};
    assert_int_equal(exit_code_of(start_terminal(&gateway, more)), 0);
    assert_true(report_count(REPORT, "drawn_regressions") > 0);
    (void)gateway_process_stop(&gateway);
    remove_files();
    text_file_remove(&tape);
}

#define STATE  "terminal_test.state"
#define SCRIPT "terminal_test.script"

static void write_script(const char *text)
{
    FILE *file = fopen(SCRIPT, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void expect_kept(const char *part)
{
    if (strstr(file_text(STATE), part) == NULL) {
        fail_msg("the state \"%s\" lacks \"%s\"", file_text(STATE), part);
    }
}

/* Filter, order, zoom, sizes, palettes, search and panels while the market runs: nothing that is
 * older than what was drawn before, nothing of another instrument. */
static void whatever_is_done_to_the_watchlist_only_the_truth_is_drawn(void **state)
{
    (void)state;
    const text_file tape = write_tape();
    const char *const play[] = {
        "--tape", tape.path, "--hold-until-subscribed", "--feeds", "2", "--skew-ms", "60:90", NULL};
    gateway_process gateway;
    assert_true(gateway_process_start(&gateway, TG_TEST_GATEWAY, play));
    write_script("wait rows 4\n"
                 "click 3 60\n"
                 "type ins\n"
                 "type 2\n"
                 "wait text 1 of 4 instruments\n"
                 "key Ctrl-+\n"
                 "key Ctrl-+\n"
                 "key Backspace\n"
                 "wait text 1\xE2\x80\x93"
                 "4 of 4\n"
                 "key Ctrl-r\n"
                 "resize 640x300\n"
                 "key Ctrl-r\n"
                 "key Ctrl-p\n"
                 "key Right\n"
                 "key Ctrl-s\n"
                 "resize 1600x700\n"
                 "key Ctrl-s\n"
                 "key Esc\n"
                 "key Ctrl-0\n"
                 "key Home\n"
                 "key Ctrl-h\n"
                 "key Ctrl-a\n"
                 "key Del"
                 "ete\n"
                 "wait text of 3\n"
                 "key Ctrl-f\n"
                 "type ins\n"
                 "wait text 4 found\n"
                 "key Down\n"
                 "key Enter\n"
                 "key Up\n"
                 "key Enter\n"
                 "key Enter\n"
                 "key Esc\n"
                 "wait text of 4\n"
                 "key Ctrl-r\n"
                 "wheel 6 10 -3\n"
                 "double 5 10\n"
                 "key Ctrl-r\n"
                 "key Esc\n"
                 "key Ctrl-l\n"
                 "screenshot " PICTURE "\n");
    const char *const more[] = {
        "--seconds",    "7",       "--report", REPORT,     "--script", SCRIPT,
        "--check-tape", tape.path, "--size",   "1200x400", NULL};
    assert_int_equal(exit_code_of(start_terminal(&gateway, more)), 0);
    assert_string_equal(file_text(SAID), "");
    assert_int_equal(report_count(REPORT, "instruments"), 4);
    assert_int_equal(report_count(REPORT, "drawn_regressions"), 0);
    assert_int_equal(report_count(REPORT, "drawn_unknown"), 0);
    assert_int_equal(report_count(REPORT, "drawn_not_judged"), 0);
    assert_true(report_count(REPORT, "drawn_judged_by_tape") > 50);
    (void)gateway_process_stop(&gateway);
    (void)unlink(SCRIPT);
    remove_files();
    text_file_remove(&tape);
}

/* A letter that the latency panel may take must not be half of a filter, and the other way round.
 */
static void letters_go_to_the_filter_unless_the_latency_panel_has_the_focus(void **state)
{
    (void)state;
    gateway_process gateway;
    assert_true(gateway_process_start(&gateway, TG_TEST_GATEWAY, NULL));
    write_script("wait rows 2\n"
                 "key F10\n"
                 "type q\n"
                 "wait text filter q\n"
                 "key Esc\n"
                 "wait no-text filter q\n"
                 "key Shift-Tab\n"
                 "type -\n"
                 "key -\n"
                 "type q\n"
                 "wait no-text filter q\n"
                 "key Tab\n"
                 "type q\n"
                 "wait text filter q\n"
                 "key Shift-Tab\n"
                 "type x\n"
                 "wait text filter q\n"
                 "key Esc\n"
                 "key Esc\n"
                 "wait no-text filter q\n"
                 "check\n"
                 "quit\n");
    const char *const more[] = {"--script", SCRIPT, "--size", "1600x900", "--seconds", "60", NULL};
    assert_int_equal(exit_code_of(start_terminal(&gateway, more)), 0);
    assert_string_equal(file_text(SAID), "");
    (void)gateway_process_stop(&gateway);
    (void)unlink(SCRIPT);
    remove_files();
}

static void write_random_script(unsigned steps)
{
    static const char *const things[] = {
        "key Up",        "key Down",        "key PgDn",       "key PgUp",
        "key Home",      "key End",         "key Left",       "key Right",
        "key Ctrl-s",    "key Ctrl-r",      "key Ctrl-l",     "key Ctrl-h",
        "key Ctrl-a",    "key Ctrl-f",      "key Ctrl-b",     "key Ctrl-c",
        "key Ctrl-p",    "key Ctrl-+",      "key Ctrl-+",     "key Ctrl--",
        "key Ctrl-0",    "key Enter",       "key Esc",        "key Esc",
        "key Tab",       "key Delete",      "key Backspace",  "key Space",
        "key F1",        "key F4",          "key F7",         "type i",
        "type ins",      "type 1 ",         "type 0.5",       "wheel 5 9 -3",
        "wheel 5 90 3",  "click 3 40",      "click 5 9",      "double 6 30",
        "click 9 90",    "resize 1280x720", "resize 600x200", "resize 1901x1003",
        "resize 333x97", "key F11",         "key F10",        "key Shift-Tab",
        "key +",         "key -",
    };
    FILE *file = fopen(SCRIPT, "w");
    assert_non_null(file);
    (void)fputs("wait rows 4\n", file);
    for (unsigned i = 0; i < steps; i++) {
        (void)fprintf(file, "%s\ncheck\n", things[random_below(sizeof things / sizeof things[0])]);
    }
    assert_int_equal(fclose(file), 0);
}

/* Over a running market, whatever is pressed: the picture that damage made is byte by byte the one
 * that drawing everything makes, and only the truth stands in it. */
static void incremental_drawing_equals_drawing_everything_whatever_is_done(void **state)
{
    (void)state;
    static const struct {
        const char *scale;
        const char *renderer;
    } ways[] = {{"1", "surface"}, {"1.5", "surface"}, {"1.5", "gpu"}};
    const text_file tape = write_tape();
    const char *const play[] = {"--tape", tape.path, "--hold-until-subscribed", NULL};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        gateway_process gateway;
        assert_true(gateway_process_start(&gateway, TG_TEST_GATEWAY, play));
        write_random_script(TG_TEST_SCRIPT_STEPS);
        const char *const more[] = {
            "--report",  REPORT,    "--script",    SCRIPT,       "--check-tape",
            tape.path,   "--scale", ways[i].scale, "--renderer", ways[i].renderer,
            "--seconds", "300",     NULL};
        FILE *file = fopen(SCRIPT, "a");
        assert_non_null(file);
        (void)fputs("quit\n", file);
        assert_int_equal(fclose(file), 0);
        const int code = exit_code_of(start_terminal(&gateway, more));
        if (code != 0) {
            fail_msg("scale %s %s: %d, \"%s\"", ways[i].scale, ways[i].renderer, code,
                     file_text(SAID));
        }
        assert_int_equal(report_count(REPORT, "drawn_regressions"), 0);
        assert_int_equal(report_count(REPORT, "drawn_unknown"), 0);
        (void)gateway_process_stop(&gateway);
    }
    (void)unlink(SCRIPT);
    remove_files();
    text_file_remove(&tape);
}

static void the_watchlist_is_as_it_was_left(void **state)
{
    (void)state;
    gateway_process gateway;
    assert_true(gateway_process_start(&gateway, TG_TEST_GATEWAY, NULL));
    write_script("wait rows 2\n"
                 "key Ctrl-f\n"
                 "type auriga:brent\n"
                 "wait text found\n"
                 "wait text \xE2\x9C\x93 BRENT-DA\n"
                 "key Esc\n"
                 "key Delete\n"
                 "wait text taken away\n"
                 "key Ctrl-b\n"
                 "type 0.5x\n"
                 "key Enter\n"
                 "wait text digits with a point\n"
                 "key Backspace\n"
                 "key Enter\n"
                 "wait text waits for 0.5\n"
                 "key Right\n"
                 "key Ctrl-s\n"
                 "key Ctrl-s\n"
                 "key Left\n"
                 "key Ctrl-h\n"
                 "wait text always shown\n"
                 "key Left\n"
                 "key Ctrl-h\n"
                 "type o\n"
                 "key Ctrl-+\n"
                 "key Ctrl-p\n"
                 "wait text quote F3\n"
                 "key F3\n"
                 "key F7\n"
                 "wait text connection F7\n"
                 "quit\n");
    (void)unlink(STATE);
    const char *const more[] = {"--script", SCRIPT, "--state", STATE, NULL};
    assert_int_equal(exit_code_of(start_terminal(&gateway, more)), 0);
    assert_string_equal(file_text(SAID), "");
    expect_kept("columns_off = venue\n");
    expect_kept("sort = bid down\n");
    expect_kept("filter = o\n");
    expect_kept("removed = ");
    expect_kept("alert = ");
    expect_kept("font_size = 15\n");
    expect_kept("palette = green-red\n");
    expect_kept("panels = ladder, trades, chart, connection\n");
    write_script("wait rows 1\n"
                 "wait text filter o\n"
                 "wait text connection F7\n"
                 "wait no-text quote F3\n"
                 "wait no-text venue\n"
                 "key Ctrl-r\n"
                 "wait text bid\xE2\x86\x93\n"
                 "quit\n");
    assert_int_equal(exit_code_of(start_terminal(&gateway, more)), 0);
    assert_string_equal(file_text(SAID), "");
    expect_kept("columns_off = venue\n");
    (void)gateway_process_stop(&gateway);
    (void)unlink(SCRIPT);
    (void)unlink(STATE);
    remove_files();
}

/* What somebody waits for is there from run to run, and is seen on the way up. */
static void a_price_that_is_crossed_is_marked_until_it_is_confirmed(void **state)
{
    (void)state;
    static const char rows[] = "ts_ns,venue,symbol,kind,price_decimal_text,qty_decimal_text,"
                               "exchange_seq\n"
                               "1700000000000000000,TEST,A,bid,10.00,1,1\n"
                               "1700000000000000000,TEST,A,ask,10.50,1,1\n"
                               "1700000000000000000,TEST,A,trade,10.25,1,1\n"
                               "1700000002000000000,TEST,A,trade,14.99,1,2\n"
                               "1700000004000000000,TEST,A,trade,20.00,1,3\n";
    const text_file tape = text_file_write(rows, sizeof rows - 1);
    const char *const play[] = {"--tape", tape.path, "--hold-until-subscribed", NULL};
    gateway_process gateway;
    assert_true(gateway_process_start(&gateway, TG_TEST_GATEWAY, play));
    write_script("wait text 14.99\n"
                 "wait no-text risen\n"
                 "wait text TEST:A has \xE2\x96\xB2 risen to 15.0\n"
                 "wait text \xE2\x97\x86TEST\n"
                 "key Esc\n"
                 "wait no-text \xE2\x97\x86TEST\n"
                 "quit\n");
    static const char kept[] = "tickglass-terminal state 2\nalert = TEST:A 15.0\nend\n";
    FILE *file = fopen(STATE, "w");
    assert_non_null(file);
    assert_true(fputs(kept, file) >= 0);
    assert_int_equal(fclose(file), 0);
    const char *const more[] = {"--script", SCRIPT, "--state", STATE, NULL};
    assert_int_equal(exit_code_of(start_terminal(&gateway, more)), 0);
    assert_string_equal(file_text(SAID), "");
    expect_kept("alert = TEST:A 15.0\n");
    (void)gateway_process_stop(&gateway);
    (void)unlink(SCRIPT);
    (void)unlink(STATE);
    remove_files();
    text_file_remove(&tape);
}

static void a_profile_says_which_renderer_draws(void **state)
{
    (void)state;
    static const char *const renderers[] = {"surface", "gpu"};
    gateway_process gateway;
    assert_true(gateway_process_start(&gateway, TG_TEST_GATEWAY, NULL));
    for (size_t i = 0; i < sizeof renderers / sizeof renderers[0]; i++) {
        char text[256];
        const int size = snprintf(text, sizeof text, "[profile p]\nendpoints = %s\nrenderer = %s\n",
                                  gateway.url, renderers[i]);
        const text_file config = text_file_write(text, (size_t)size);
        write_script("wait rows 2\ncheck\nquit\n");
        const char *const more[] = {"--script", SCRIPT,     "--config", config.path, "--profile",
                                    "p",        "--report", REPORT,     NULL};
        assert_int_equal(exit_code_of(start_terminal(&gateway, more)), 0);
        assert_string_equal(file_text(SAID), "");
        assert_int_equal(strstr(file_text(REPORT), " renderer ") != NULL, i == 1);
        text_file_remove(&config);
    }
    (void)gateway_process_stop(&gateway);
    (void)unlink(SCRIPT);
    remove_files();
}

static void a_script_that_goes_wrong_says_where(void **state)
{
    (void)state;
    gateway_process gateway;
    assert_true(gateway_process_start(&gateway, TG_TEST_GATEWAY, NULL));
    write_script("key Enter\npress Enter\n");
    const char *const more[] = {"--script", SCRIPT, "--seconds", "2", NULL};
    assert_int_equal(exit_code_of(start_terminal(&gateway, more)), 2);
    expect_said(SCRIPT ":2: press: there is no such step");
    write_script("wait rows 1\nwait text NO SUCH TEXT\nquit\n");
    assert_int_equal(exit_code_of(start_terminal(&gateway, more)), 5);
    expect_said(SCRIPT ":2: the run ended before this step");
    write_script("wait rows 1\nscreenshot nowhere/x.png\n");
    assert_int_equal(exit_code_of(start_terminal(&gateway, more)), 5);
    expect_said(SCRIPT ":2: nowhere/x.png: No such file");
    (void)gateway_process_stop(&gateway);
    (void)unlink(SCRIPT);
    remove_files();
}

static void what_keeps_it_from_connecting_is_said_in_one_line(void **state)
{
    (void)state;
    gateway_process gateway;
    assert_true(gateway_process_start(&gateway, TG_TEST_GATEWAY, NULL));
    const text_file token = text_file_write("wrong\n", 6);
    const char *const wrong_token[] = {"--seconds", "60", "--token-file", token.path, NULL};
    assert_int_equal(exit_code_of(start_terminal(&gateway, wrong_token)), 3);
    expect_said("token");
    text_file_remove(&token);
    /* Some certificate, but none that signed the gateway's. */
    gateway_process stranger;
    assert_true(gateway_process_start(&stranger, TG_TEST_GATEWAY, NULL));
    const char *const wrong_ca[] = {"--seconds", "60", "--ca", stranger.ca, NULL};
    assert_int_equal(exit_code_of(start_terminal(&gateway, wrong_ca)), 3);
    expect_said("certificate of 127.0.0.1");
    (void)gateway_process_stop(&stranger);
    const char *const no_port[] = {"--seconds", "1", "--url", "wss://127.0.0.1:1/", NULL};
    assert_int_equal(exit_code_of(start_terminal(&gateway, no_port)), 3);
    expect_said("127.0.0.1 port 1");
    const char *const no_name[] = {"--seconds", "1", "--symbols", "NO:SUCH", NULL};
    assert_int_equal(exit_code_of(start_terminal(&gateway, no_name)), 3);
    expect_said("no data");
    (void)gateway_process_stop(&gateway);
    remove_files();
}

static void what_cannot_be_written_ends_with_four(void **state)
{
    (void)state;
    gateway_process gateway;
    assert_true(gateway_process_start(&gateway, TG_TEST_GATEWAY, NULL));
    const char *const more[] = {"--seconds",     "2", "--report", "nowhere/r.json", "--screenshot",
                                "nowhere/p.png", NULL};
    assert_int_equal(exit_code_of(start_terminal(&gateway, more)), 4);
    expect_said("--report nowhere/r.json: ");
    expect_said("--screenshot nowhere/p.png: ");
    (void)gateway_process_stop(&gateway);
    remove_files();
}

static void a_signal_ends_it_orderly_with_its_files(void **state)
{
    (void)state;
    gateway_process gateway;
    assert_true(gateway_process_start(&gateway, TG_TEST_GATEWAY, NULL));
    const char *const more[] = {"--seconds", "600",      "--report", REPORT, "--screenshot",
                                PICTURE,     "--record", RECORD,     NULL};
    const pid_t pid = start_terminal(&gateway, more);
    /* Once the gateway has seen it, the terminal has long been in its loop. */
    const tg_clock clock = tg_clock_system();
    const int64_t deadline_ns = tg_clock_mono_ns(&clock) + INT64_C(60000000000);
    while (strstr(file_text(gateway.log), "connection 1 ") == NULL &&
           tg_clock_mono_ns(&clock) < deadline_ns) {
    }
    assert_int_equal(kill(pid, SIGTERM), 0);
    const int code = exit_code_of(pid);
    assert_true(code == 0 || code == 3); /* 3: it came before the first image */
    (void)report_count(REPORT, "frames");
    assert_int_equal(strncmp(file_text(PICTURE), "\x89PNG", 4), 0);
    (void)gateway_process_stop(&gateway);
    remove_files();
}

int main(void)
{
    remove_files();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_replayed_tape_is_drawn_in_its_order),
        cmocka_unit_test(a_gateway_that_steps_back_is_found_out),
        cmocka_unit_test(whatever_is_done_to_the_watchlist_only_the_truth_is_drawn),
        cmocka_unit_test(incremental_drawing_equals_drawing_everything_whatever_is_done),
        cmocka_unit_test(the_watchlist_is_as_it_was_left),
        cmocka_unit_test(a_price_that_is_crossed_is_marked_until_it_is_confirmed),
        cmocka_unit_test(a_profile_says_which_renderer_draws),
        cmocka_unit_test(a_script_that_goes_wrong_says_where),
        cmocka_unit_test(letters_go_to_the_filter_unless_the_latency_panel_has_the_focus),
        cmocka_unit_test(what_keeps_it_from_connecting_is_said_in_one_line),
        cmocka_unit_test(what_cannot_be_written_ends_with_four),
        cmocka_unit_test(a_signal_ends_it_orderly_with_its_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
