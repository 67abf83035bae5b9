#include "tg_cmocka.h"

#include <stdio.h>
#include <string.h>

#include "fault_script.h"
#include "scratch_folder.h"

#define MS INT64_C(1000000)

static tg_err do_nothing(struct tg__fault_targets *targets, const int64_t *values, tg__cause *cause)
{
    (void)targets;
    (void)values;
    (void)cause;
    return TG_OK;
}

/* Every action that the gateway is to know in the end, by the kinds of its arguments. */
static const tg__fault_verb verbs[] = {
    {"delay", {TG__FAULT_VENUE, TG__FAULT_HANDLER, TG__FAULT_MS}, do_nothing},
    {"reorder", {TG__FAULT_VENUE, TG__FAULT_HANDLER, TG__FAULT_MS}, do_nothing},
    {"duplicate", {TG__FAULT_VENUE, TG__FAULT_HANDLER, TG__FAULT_COPIES}, do_nothing},
    {"lose", {TG__FAULT_VENUE, TG__FAULT_HANDLER, TG__FAULT_PPM}, do_nothing},
    {"kill", {TG__FAULT_VENUE, TG__FAULT_HANDLER}, do_nothing},
    {"revive", {TG__FAULT_VENUE, TG__FAULT_HANDLER}, do_nothing},
    {"freeze-venue", {TG__FAULT_VENUE}, do_nothing},
    {"thaw-venue", {TG__FAULT_VENUE}, do_nothing},
    {"freeze-lane", {TG__FAULT_LANE}, do_nothing},
    {"thaw-lane", {TG__FAULT_LANE}, do_nothing},
    {"restart-sequencer", {TG__FAULT_NONE}, do_nothing},
    {"drop-frames", {TG__FAULT_COUNT}, do_nothing},
    {"corrupt-frames", {TG__FAULT_COUNT}, do_nothing},
    {"wrong-boundary", {TG__FAULT_BY}, do_nothing},
    {"clock-step", {TG__FAULT_STEP_MS}, do_nothing},
    {"half-open", {TG__FAULT_SWITCH}, do_nothing},
    {"change-certificate", {TG__FAULT_NONE}, do_nothing},
    {"revoke", {TG__FAULT_VENUE}, do_nothing},
    {"entitle", {TG__FAULT_VENUE}, do_nothing},
    {"close-all", {TG__FAULT_CLOSE_CODE}, do_nothing},
    {"reset-all", {TG__FAULT_NONE}, do_nothing},
};

static tg__directory directory;
static const tg__fault_grammar grammar = {verbs, sizeof verbs / sizeof verbs[0], &directory};

static int set_up(void **state)
{
    (void)state;
    tg_venue_id id = 0;
    tg__directory_init(&directory);
    return tg__directory_venue(&directory, "ORION", &id) == TG_OK &&
                   tg__directory_venue(&directory, "龍門", &id) == TG_OK
               ? 0
               : -1;
}

static int tear_down(void **state)
{
    (void)state;
    tg__directory_deinit(&directory);
    return 0;
}

static tg_err parse(const char *line, tg__fault_action *action, tg__cause *cause)
{
    cause->text[0] = '\0';
    return tg__fault_line_parse(&grammar, line, strlen(line), action, cause);
}

static void every_action_takes_its_arguments(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        int64_t values[TG__FAULT_ARGUMENTS_MAX];
    } cases[] = {
        {"0 delay ORION A 250", {0, 0, 250}},
        {"0 reorder 龍門 B 16", {1, 1, 16}},
        {"0 duplicate * A 2", {TG__FAULT_ALL_VENUES, 0, 2}},
        {"0 lose ORION B 1000000", {0, 1, 1000000}},
        {"0 kill ORION A", {0, 0, 0}},
        {"0 revive * B", {TG__FAULT_ALL_VENUES, 1, 0}},
        {"0 freeze-venue 龍門", {1, 0, 0}},
        {"0 thaw-venue *", {TG__FAULT_ALL_VENUES, 0, 0}},
        {"0 freeze-lane 3", {3, 0, 0}},
        {"0 thaw-lane 0", {0, 0, 0}},
        {"0 restart-sequencer", {0, 0, 0}},
        {"0 drop-frames 7", {7, 0, 0}},
        {"0 corrupt-frames 1", {1, 0, 0}},
        {"0 wrong-boundary -4", {-4, 0, 0}},
        {"0 clock-step -3600000", {-3600000, 0, 0}},
        {"0 half-open on", {1, 0, 0}},
        {"0 half-open off", {0, 0, 0}},
        {"0 change-certificate", {0, 0, 0}},
        {"0 revoke ORION", {0, 0, 0}},
        {"0 entitle ORION", {0, 0, 0}},
        {"0 close-all 4008", {4008, 0, 0}},
        {"0 reset-all", {0, 0, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tg__fault_action action;
        tg__cause cause;
        assert_int_equal(parse(cases[i].line, &action, &cause), TG_OK);
        assert_string_equal(action.text, cases[i].line + 2);
        assert_memory_equal(action.values, cases[i].values, sizeof action.values);
        assert_memory_equal(action.verb->name, action.text, strlen(action.verb->name));
    }
}

static void a_bad_line_says_what_is_wrong(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"soon reset-all", "soon: expected milliseconds, 0 to 604800000"},
        {"-1 reset-all", "-1: expected milliseconds"},
        {"604800001 reset-all", "604800001: expected milliseconds"},
        {"99999999999999999999 reset-all", "expected milliseconds"},
        {"10", "an action is missing"},
        {"10 # reset-all", "an action is missing"},
        {"10 explode", "explode: there is no such action"},
        {"10 Reset-All", "Reset-All: there is no such action"},
        {"10 reset-all now", "reset-all: expected 0 arguments"},
        {"10 kill ORION", "kill: expected 2 arguments"},
        {"10 kill ORION A B C D E F", "kill: expected 2 arguments"},
        {"10 kill MARS A", "kill: MARS: expected a venue's name or *"},
        {"10 kill ORIO A", "kill: ORIO: expected a venue's name or *"},
        {"10 kill ORION C", "kill: C: expected A or B"},
        {"10 kill ORION AB", "kill: AB: expected A or B"},
        {"10 delay ORION A 3600001", "delay: 3600001: expected milliseconds, 0 to 3600000"},
        {"10 delay ORION A -1", "delay: -1: expected milliseconds"},
        {"10 delay ORION A 1.5", "delay: 1.5: expected milliseconds"},
        {"10 lose ORION A 1000001", "lose: 1000001: expected parts per million"},
        {"10 drop-frames 0", "drop-frames: 0: expected a number from 1 to 1000000"},
        {"10 freeze-lane 4", "freeze-lane: 4: expected a lane's number"},
        {"10 wrong-boundary -", "wrong-boundary: -: expected a number from -1000000"},
        {"10 clock-step 86400001", "clock-step: 86400001: expected milliseconds, -86400000"},
        {"10 half-open maybe", "half-open: maybe: expected on or off"},
        {"10 close-all 999", "close-all: 999: expected a close code, 1000 to 4999"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tg__fault_action action;
        tg__cause cause;
        assert_int_equal(parse(cases[i][0], &action, &cause), TG_ERR_SYNTAX);
        assert_non_null(strstr(cause.text, cases[i][1]));
    }
}

static void blanks_and_comments_are_nothing(void **state)
{
    (void)state;
    static const char *const empty[] = {"", " \t ", "# 10 reset-all", "  # x", "#"};
    tg__fault_action action;
    tg__cause cause;
    for (size_t i = 0; i < sizeof empty / sizeof empty[0]; i++) {
        assert_int_equal(parse(empty[i], &action, &cause), TG_ERR_NOT_FOUND);
    }
    assert_int_equal(parse("\t1500   kill\tORION  B  # the standby", &action, &cause), TG_OK);
    assert_int_equal(action.at_ns, 1500 * MS);
    assert_string_equal(action.text, "kill ORION B");
}

static unsigned complaints;
static char complaint[4][TG__CAUSE_SIZE];

static void complain(const char *text)
{
    assert_true(complaints < 4);
    (void)snprintf(complaint[complaints++], TG__CAUSE_SIZE, "%s", text);
}

static tg_err open_script(const scratch_folder *folder, const char *text, tg__fault_script **script,
                          tg__cause *cause)
{
    complaints = 0;
    scratch_write(folder, "faults.txt", text, strlen(text));
    return tg__fault_script_open(scratch_path(folder, "faults.txt"), &grammar, complain, script,
                                 cause);
}

static void every_bad_line_is_told_before_anything_happens(void **state)
{
    (void)state;
    scratch_folder folder;
    tg__fault_script *script = NULL;
    tg__cause cause;
    scratch_folder_open(&folder);
    assert_int_equal(open_script(&folder,
                                 "# bad day\n"
                                 "10 reset-all\n"
                                 "x reset-all\n"
                                 "\n"
                                 "20 kill MARS A\n",
                                 &script, &cause),
                     TG_ERR_SYNTAX);
    assert_null(script);
    assert_int_equal(complaints, 2);
    assert_non_null(strstr(complaint[0], "/faults.txt:3: x: expected milliseconds"));
    assert_non_null(strstr(complaint[1], "/faults.txt:5: kill: MARS: expected a venue's name"));
    assert_non_null(strstr(cause.text, "/faults.txt: 2 bad lines"));
    assert_int_equal(
        tg__fault_script_open("/nonexistent/faults", &grammar, complain, &script, &cause),
        TG_ERR_IO);
    assert_non_null(strstr(cause.text, "/nonexistent/faults"));
    scratch_folder_close(&folder);
}

static void check_next(tg__fault_script *script, int64_t elapsed_ns, const char *text)
{
    const tg__fault_action *action = tg__fault_script_take(script, elapsed_ns);
    if (text == NULL) {
        assert_null(action);
        return;
    }
    assert_non_null(action);
    assert_string_equal(action->text, text);
}

static void actions_come_when_due_in_order_of_time_and_line(void **state)
{
    (void)state;
    scratch_folder folder;
    tg__fault_script *script = NULL;
    tg__cause cause;
    scratch_folder_open(&folder);
    assert_int_equal(open_script(&folder,
                                 "2000 revive ORION A\r\n"
                                 "1000 kill ORION A\r\n"
                                 "1000 kill ORION B\r\n"
                                 "0 reset-all\r\n"
                                 "1000 freeze-lane 1",
                                 &script, &cause),
                     TG_OK);
    assert_int_equal(tg__fault_script_size(script), 5);
    check_next(script, 0, "reset-all");
    check_next(script, 1000 * MS - 1, NULL);
    check_next(script, 1000 * MS, "kill ORION A");
    check_next(script, 1000 * MS, "kill ORION B");
    check_next(script, 1000 * MS, "freeze-lane 1");
    check_next(script, 1000 * MS, NULL);
    check_next(script, 9000 * MS, "revive ORION A"); /* late, but not lost */
    check_next(script, INT64_MAX, NULL);
    tg__fault_script_close(script);
    assert_int_equal(open_script(&folder, "", &script, &cause), TG_OK);
    check_next(script, INT64_MAX, NULL);
    tg__fault_script_close(script);
    tg__fault_script_close(NULL);
    scratch_folder_close(&folder);
}

static void a_script_has_a_limit(void **state)
{
    (void)state;
    static char text[(TG__FAULT_ACTIONS_MAX + 1) * 13 + 1];
    scratch_folder folder;
    tg__fault_script *script = NULL;
    tg__cause cause;
    scratch_folder_open(&folder);
    for (unsigned i = 0; i <= TG__FAULT_ACTIONS_MAX; i++) {
        memcpy(text + (size_t)i * 13, "10 reset-all\n", 13);
    }
    assert_int_equal(open_script(&folder, text, &script, &cause), TG_ERR_FULL);
    assert_non_null(strstr(cause.text, "/faults.txt:10001: "));
    text[TG__FAULT_ACTIONS_MAX * 13] = '\0';
    assert_int_equal(open_script(&folder, text, &script, &cause), TG_OK);
    assert_int_equal(tg__fault_script_size(script), TG__FAULT_ACTIONS_MAX);
    tg__fault_script_close(script);
    scratch_folder_close(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_action_takes_its_arguments),
        cmocka_unit_test(a_bad_line_says_what_is_wrong),
        cmocka_unit_test(blanks_and_comments_are_nothing),
        cmocka_unit_test(every_bad_line_is_told_before_anything_happens),
        cmocka_unit_test(actions_come_when_due_in_order_of_time_and_line),
        cmocka_unit_test(a_script_has_a_limit),
    };
    return cmocka_run_group_tests_name("gateway.fault_script", tests, set_up, tear_down);
}
