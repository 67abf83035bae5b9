#include "tg_cmocka.h"

#include <string.h>

#include "fault_runner.h"
#include "hub_fixture.h"
#include "scratch_folder.h"

#define MS INT64_C(1000000)

typedef struct fixture {
    scratch_folder folder;
    hub_fixture hub;
    tg__playback playback;
    tg__stepped_clock stepped;
    tg_clock clock;
    tg__fault_runner runner;
    tg__cause cause;
} fixture;

static int64_t seventeen(void *ctx)
{
    (void)ctx;
    return 17;
}

static void complain(const char *text)
{
    print_error("%s\n", text);
    fail();
}

static void open_fixture(fixture *f, const char *script)
{
    const tg_clock base = {seventeen, seventeen, NULL, NULL};
    memset(f, 0, sizeof *f);
    scratch_folder_open(&f->folder);
    hub_fixture_open(&f->hub, 1);
    f->clock = tg__stepped_clock_open(&f->stepped, &base);
    const tg__fault_grammar grammar = {tg__fault_verbs, tg__fault_verb_count, &f->hub.directory};
    const tg__fault_targets targets = {
        .hub = f->hub.hub, .playback = &f->playback, .clock = &f->stepped};
    f->runner.targets = targets;
    if (script != NULL) {
        scratch_write(&f->folder, "faults", script, strlen(script));
        assert_int_equal(tg__fault_script_open(scratch_path(&f->folder, "faults"), &grammar,
                                               complain, &f->runner.script, &f->cause),
                         TG_OK);
    }
}

static void close_fixture(fixture *f)
{
    tg__fault_script_close(f->runner.script);
    hub_fixture_close(&f->hub);
    scratch_folder_close(&f->folder);
}

static void run_at(fixture *f, int64_t mono_ns)
{
    assert_int_equal(tg__fault_runner_run(&f->runner, mono_ns, &f->cause), TG_OK);
}

static void start_market(fixture *f, int64_t mono_ns)
{
    f->playback.started = true;
    tg__rebase_start(&f->playback.rebase, 0, mono_ns, 0);
}

static void cut_boundaries(fixture *f, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        hub_fixture_boundary(&f->hub);
    }
}

static void times_count_from_the_first_start_of_the_market(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, "100 clock-step 5000\n200 clock-step -1000\n");
    run_at(&f, 10000 * MS); /* nobody has subscribed yet */
    assert_int_equal(f.stepped.offset_ns, 0);
    start_market(&f, 10500 * MS);
    run_at(&f, 10600 * MS - 1);
    assert_int_equal(f.stepped.offset_ns, 0);
    run_at(&f, 10600 * MS);
    assert_int_equal(f.stepped.offset_ns, 5000 * MS);
    cut_boundaries(&f, 10);
    start_market(&f, 10650 * MS); /* the tape begins again */
    run_at(&f, 10700 * MS);
    assert_int_equal(f.stepped.offset_ns, 4000 * MS);
    close_fixture(&f);
}

static void a_late_gateway_does_not_end_a_fault_with_its_beginning(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, "100 clock-step 5000\n500 clock-step -5000\n900 clock-step 7000\n");
    start_market(&f, 0);
    run_at(&f, 10000 * MS); /* all of it is due */
    for (uint32_t cuts = 0; cuts <= TG__LANE_DEADLINE_CUTS; cuts++) {
        run_at(&f, 10000 * MS);
        assert_int_equal(f.stepped.offset_ns, 5000 * MS);
        cut_boundaries(&f, 1);
    }
    run_at(&f, 10000 * MS);
    assert_int_equal(f.stepped.offset_ns, 0);
    cut_boundaries(&f, TG__LANE_DEADLINE_CUTS + 1);
    run_at(&f, 10000 * MS);
    assert_int_equal(f.stepped.offset_ns, 7000 * MS);
    close_fixture(&f);
}

static void a_late_gateway_does_at_once_what_the_script_has_in_one_boundary(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, "100 clock-step 5000\n100 clock-step 300\n109 clock-step 20\n"
                     "125 clock-step 1\n");
    start_market(&f, 0);
    run_at(&f, 10000 * MS);
    assert_int_equal(f.stepped.offset_ns, 5320 * MS);
    run_at(&f, 10000 * MS);
    assert_int_equal(f.stepped.offset_ns, 5320 * MS);
    cut_boundaries(&f, 1);
    run_at(&f, 10000 * MS);
    assert_int_equal(f.stepped.offset_ns, 5321 * MS);
    close_fixture(&f);
}

static void a_step_moves_the_wall_clock_alone(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, "0 clock-step -3\n");
    assert_int_equal(tg_clock_utc_ns(&f.clock), 17);
    start_market(&f, 0);
    run_at(&f, 0);
    assert_int_equal(tg_clock_utc_ns(&f.clock), 17 - 3 * MS);
    assert_int_equal(tg_clock_mono_ns(&f.clock), 17);
    close_fixture(&f);
}

static void close_all_marks_every_connection(void **state)
{
    (void)state;
    fixture f;
    hub_client clients[3];
    open_fixture(&f, "0 close-all 4003\n");
    for (unsigned i = 0; i < 3; i++) {
        hub_client_open(&clients[i], &f.hub);
    }
    start_market(&f, 0);
    run_at(&f, 0);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(clients[i].peer->close_code, 4003);
        hub_client_close(&clients[i]);
    }
    close_fixture(&f);
}

static void without_a_script_nothing_happens(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, NULL);
    start_market(&f, 0);
    run_at(&f, INT64_MAX);
    assert_int_equal(f.stepped.offset_ns, 0);
    close_fixture(&f);
}

static tg_err fail_always(tg__fault_targets *targets, const int64_t *values, tg__cause *cause)
{
    (void)targets;
    (void)values;
    return tg__cause_set(cause, TG_ERR_STATE, "it cannot be done");
}

static void an_action_that_fails_ends_the_run(void **state)
{
    (void)state;
    static const tg__fault_verb failing[] = {{"fail", {TG__FAULT_NONE}, fail_always}};
    fixture f;
    open_fixture(&f, NULL);
    const tg__fault_grammar grammar = {failing, 1, &f.hub.directory};
    scratch_write(&f.folder, "faults", "0 fail\n", 7);
    assert_int_equal(tg__fault_script_open(scratch_path(&f.folder, "faults"), &grammar, complain,
                                           &f.runner.script, &f.cause),
                     TG_OK);
    start_market(&f, 0);
    assert_int_equal(tg__fault_runner_run(&f.runner, 0, &f.cause), TG_ERR_STATE);
    assert_string_equal(f.cause.text, "it cannot be done");
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_count_from_the_first_start_of_the_market),
        cmocka_unit_test(a_late_gateway_does_not_end_a_fault_with_its_beginning),
        cmocka_unit_test(a_late_gateway_does_at_once_what_the_script_has_in_one_boundary),
        cmocka_unit_test(a_step_moves_the_wall_clock_alone),
        cmocka_unit_test(close_all_marks_every_connection),
        cmocka_unit_test(without_a_script_nothing_happens),
        cmocka_unit_test(an_action_that_fails_ends_the_run),
    };
    return cmocka_run_group_tests_name("gateway.fault_runner", tests, NULL, NULL);
}
