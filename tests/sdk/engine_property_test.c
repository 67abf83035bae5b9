/*
 * Days of trouble in milliseconds: seeded. TG_TEST_FRAMES=n lives through as many as it takes for n
 * frames, TG_TEST_SEED=n through that one, TG_TEST_SCRIPT="…" through what a failure printed.
 *
 * A child process lives through the days, so that of the seed at which it ends, however that is,
 * a short script can be found.
 */
#include "tg_cmocka.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "day.h"

#define FRAMES        200000u
#define LOGGED_SEEDS  40u
#define EXACT_LEDGERS 6u /* instruments with one, on an average day */

/* What the child tells before and after each day. */
typedef struct progress {
    uint64_t seed; /* that it lives through */
    day_result result;
} progress;

static void begin_child(bool quiet)
{
    const struct rlimit no_core = {0, 0};
    (void)setrlimit(RLIMIT_CORE, &no_core);
    (void)setenv("CMOCKA_TEST_ABORT", "1", 1); /* a failure ends it, and its status says so */
    if (quiet) {
        const int nowhere = open("/dev/null", O_WRONLY);
        (void)dup2(nowhere, STDOUT_FILENO);
        (void)dup2(nowhere, STDERR_FILENO);
    }
}

static bool ended_well(pid_t child)
{
    int status = -1;
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool fails(void *ctx, const day_script *script)
{
    const pid_t child = fork();
    if (child == 0) {
        day_result result;
        memset(&result, 0, sizeof result);
        begin_child(true);
        day_live(script, ctx, &result);
        _exit(0);
    }
    return !ended_well(child);
}

static void tell_shortest(uint64_t seed)
{
    static char text[DAY_TEXT_SIZE];
    day_options options = {NULL, DAY_NO_MISTAKE};
    day_script script;
    day_script_draw(&script, seed);
    const uint32_t before = script.count;
    if (!fails(&options, &script)) {
        fail_msg("seed %llu failed, but not a second time", (unsigned long long)seed);
    }
    const unsigned days = day_script_shrink(&script, fails, &options);
    day_script_write(&script, text);
    fail_msg("seed %llu fails; %u of its %u faults are enough (%u days):\nTG_TEST_SCRIPT=\"%s\"",
             (unsigned long long)seed, (unsigned)script.count, (unsigned)before, days, text);
}

static void live_one(const day_script *script)
{
    day_result result;
    day_options options = {NULL, DAY_NO_MISTAKE};
    memset(&result, 0, sizeof result);
    day_live(script, &options, &result);
}

static void tell(int fd, const progress *so_far)
{
    if (write(fd, so_far, sizeof *so_far) != (ssize_t)sizeof *so_far) {
        abort();
    }
}

static void live_all(uint64_t frames)
{
    int ends[2];
    progress so_far;
    memset(&so_far, 0, sizeof so_far);
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        day_options options = {NULL, DAY_NO_MISTAKE};
        day_script script;
        begin_child(false);
        for (so_far.seed = 1; so_far.result.frames < frames; so_far.seed++) {
            tell(ends[1], &so_far);
            day_script_draw(&script, so_far.seed);
            day_live(&script, &options, &so_far.result);
        }
        tell(ends[1], &so_far);
        _exit(0);
    }
    (void)close(ends[1]);
    progress next;
    while (read(ends[0], &next, sizeof next) == (ssize_t)sizeof next) {
        so_far = next;
    }
    (void)close(ends[0]);
    if (!ended_well(child)) {
        tell_shortest(so_far.seed);
    }
    const day_result *r = &so_far.result;
    const uint64_t seeds = so_far.seed - 1;
    print_message("%llu days, %llu frames, %llu faults, %llu ledgers, %llu jumps, %llu late rows, "
                  "%llu renewals, %llu books\n",
                  (unsigned long long)seeds, (unsigned long long)r->frames,
                  (unsigned long long)r->faults, (unsigned long long)r->ledgers,
                  (unsigned long long)r->jumps, (unsigned long long)r->late,
                  (unsigned long long)r->renewals, (unsigned long long)r->books);
    for (int fault = 0; fault < DAY_FAULT_COUNT; fault++) {
        assert_true(r->by_fault[fault] > 0);
    }
    assert_true(r->frames >= frames);
    assert_true(r->faults > seeds * 20);
    assert_true(r->ledgers >= seeds * EXACT_LEDGERS);
    assert_true(r->renewals > seeds);
    assert_true(r->books > seeds);
    assert_true(r->jumps > seeds / 2);
    assert_true(r->late > seeds);
}

static void versions_never_go_back_ledgers_balance_and_everything_heals(void **state)
{
    (void)state;
    const char *text = getenv("TG_TEST_SCRIPT");
    const char *one = getenv("TG_TEST_SEED");
    const char *more = getenv("TG_TEST_FRAMES");
    day_script script;
    if (text != NULL) {
        assert_true(day_script_read(&script, text));
        live_one(&script);
    } else if (one != NULL) {
        day_script_draw(&script, strtoull(one, NULL, 10));
        live_one(&script);
    } else {
        live_all(more != NULL ? strtoull(more, NULL, 10) : FRAMES);
    }
}

static void one_seed_gives_one_log_byte_for_byte(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= LOGGED_SEEDS; seed++) {
        day_log logs[3];
        memset(logs, 0, sizeof logs);
        for (unsigned i = 0; i < 3; i++) {
            day_script script;
            day_result result;
            const day_options options = {&logs[i], DAY_NO_MISTAKE};
            memset(&result, 0, sizeof result);
            day_script_draw(&script, i < 2 ? seed : seed + LOGGED_SEEDS);
            day_live(&script, &options, &result);
        }
        assert_true(logs[0].size > 10000);
        assert_int_equal(logs[0].size, logs[1].size);
        assert_memory_equal(logs[0].bytes, logs[1].bytes, logs[0].size);
        /* Another seed, another log: the comparison sees something. */
        assert_true(logs[2].size != logs[0].size ||
                    memcmp(logs[0].bytes, logs[2].bytes, logs[0].size) != 0);
        for (unsigned i = 0; i < 3; i++) {
            day_log_deinit(&logs[i]);
        }
    }
}

/* The first seed that fails by this mistake, made short and read again from its text. */
static void shrink_planted(day_mistake mistake, day_script *script)
{
    static char text[DAY_TEXT_SIZE];
    day_options options = {NULL, mistake};
    uint64_t seed = 0;
    do {
        day_script_draw(script, ++seed);
    } while (!fails(&options, script));
    assert_true(script->count > 20);
    (void)day_script_shrink(script, fails, &options);
    day_script_write(script, text);
    print_message("seed %llu: %s\n", (unsigned long long)seed, text);
    day_script again;
    assert_true(day_script_read(&again, text));
    assert_int_equal(again.seed, seed);
    assert_int_equal(again.count, script->count);
    assert_memory_equal(again.entries, script->entries, script->count * sizeof script->entries[0]);
    assert_true(fails(&options, &again));
}

static void a_failing_day_shrinks_to_the_faults_that_it_needs(void **state)
{
    (void)state;
    day_script script;
    shrink_planted(DAY_BREAK_AFTER_OVERFLOW, &script);
    assert_int_equal(script.count, 2);
    assert_int_equal(script.entries[0].fault, DAY_OVERFLOW);
    assert_int_equal(script.entries[1].fault, DAY_BREAK);
    shrink_planted(DAY_TORN_TICKS, &script);
    assert_int_equal(script.count, 2);
    assert_int_equal(script.entries[0].fault + script.entries[1].fault, DAY_TICKET + DAY_TORN);
    shrink_planted(DAY_OLD_TOKEN, &script);
    assert_in_range(script.count, 1, 2); /* and what ends a session, if that does not by itself */
    assert_int_equal(script.entries[0].fault, DAY_TOKEN_OLD);
    assert_false(day_script_read(&script, "5 7.NOTHING.3"));
    assert_false(day_script_read(&script, "5 7.BREAK"));
    assert_false(day_script_read(&script, "x"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(versions_never_go_back_ledgers_balance_and_everything_heals),
        cmocka_unit_test(one_seed_gives_one_log_byte_for_byte),
        cmocka_unit_test(a_failing_day_shrinks_to_the_faults_that_it_needs),
    };
    return cmocka_run_group_tests_name("sdk.engine_property", tests, NULL, NULL);
}
