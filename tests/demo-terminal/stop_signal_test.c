#include "stop_signal.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tickglass/clock.h>

#include "tg_cmocka.h"

#include "child_process.h"

#define S       INT64_C(1000000000)
#define LONG_MS 600000

static _Atomic int calls;

static void count_call(void *ctx)
{
    assert_ptr_equal(ctx, &calls);
    (void)atomic_fetch_add(&calls, 1);
}

static void a_signal_becomes_one_call_on_a_thread(void **state)
{
    (void)state;
    static const int numbers[] = {SIGINT, SIGTERM};
    for (int i = 0; i < 2; i++) {
        atomic_store(&calls, 0);
        stop_signal *stop = NULL;
        assert_int_equal(stop_signal_open(LONG_MS, NULL, &stop), TG_OK);
        stop_signal_tell(stop, count_call, &calls);
        assert_false(stop_signal_came(stop));
        assert_int_equal(kill(getpid(), numbers[i]), 0);
        const tg_clock clock = tg_clock_system();
        const int64_t deadline_ns = tg_clock_mono_ns(&clock) + 30 * S;
        while (atomic_load(&calls) == 0 && tg_clock_mono_ns(&clock) < deadline_ns) {
        }
        assert_int_equal(atomic_load(&calls), 1);
        assert_true(stop_signal_came(stop));
        stop_signal_close(stop);
    }
}

static void closing_without_a_signal_calls_nothing(void **state)
{
    (void)state;
    atomic_store(&calls, 0);
    stop_signal *stop = NULL;
    assert_int_equal(stop_signal_open(LONG_MS, NULL, &stop), TG_OK);
    stop_signal_tell(stop, count_call, &calls);
    stop_signal_close(stop);
    stop_signal_close(NULL);
    assert_int_equal(atomic_load(&calls), 0);
}

/* ---- ends of a process ------------------------------------------------------------------------
 */

/* What it said, one letter for each thing that happened, and how it ended. */
typedef struct last_words {
    char text[16];
    int status;
} last_words;

static int words; /* a child's end of the pipe */

static void say(const char *letter)
{
    if (write(words, letter, 1) != 1) {
        _exit(99);
    }
}

static void say_at_end(void)
{
    say("e");
}

static void say_call(void *ctx)
{
    say(ctx);
}

/* Runs play in a child. It says "r" when a signal may come, and gets one; "!" for another one. */
static last_words run(void (*play)(stop_signal *stop), int64_t limit_ms, int number)
{
    last_words last = {.status = 0};
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    const pid_t parent = getpid();
    const pid_t pid = fork();
    if (pid == 0) {
        child_ends_with_parent(parent);
        words = ends[1];
        stop_signal *stop = NULL;
        if (stop_signal_open(limit_ms, say_at_end, &stop) == TG_OK) {
            play(stop);
        }
        _exit(0);
    }
    assert_true(pid > 0);
    (void)close(ends[1]);
    char letter = 0;
    while (read(ends[0], &letter, 1) == 1) {
        last.text[strlen(last.text)] = letter;
        if (letter == 'r' || letter == '!') {
            assert_int_equal(kill(pid, number), 0);
        }
        assert_true(strlen(last.text) < sizeof last.text - 1);
    }
    (void)close(ends[0]);
    while (waitpid(pid, &last.status, 0) < 0 && errno == EINTR) {
    }
    return last;
}

static _Noreturn void hang(void)
{
    for (;;) {
        (void)pause();
    }
}

static void hang_outside(stop_signal *stop)
{
    stop_signal_away(stop, say_call, "c");
    say("r");
    hang();
}

static void come_back_too_late(stop_signal *stop)
{
    stop_signal_away(stop, say_call, "c");
    say("r");
    while (!stop_signal_came(stop)) {
    }
    /* As long as it takes: whoever ends the process is not overtaken by what comes next. */
    stop_signal_back(stop);
    stop_signal_away(stop, say_call, "c");
    hang();
}

static void be_busy_and_go(stop_signal *stop)
{
    say("r");
    while (!stop_signal_came(stop)) {
    }
    say("b");
    stop_signal_away(stop, say_call, "c");
    hang();
}

static void be_busy_and_look(stop_signal *stop)
{
    say("r");
    while (!stop_signal_came(stop)) {
    }
    stop_signal_tell(stop, say_call, "t");
    stop_signal_close(stop);
}

static void never_look(stop_signal *stop)
{
    stop_signal_tell(stop, say_call, "t");
    say("r");
    hang();
}

static void be_asked_twice(stop_signal *stop)
{
    stop_signal_tell(stop, say_call, "!");
    say("r");
    hang();
}

static void hang_in_the_end(stop_signal *stop)
{
    stop_signal_away(stop, say_call, "!");
    say("r");
    hang();
}

static void close_and_hang(stop_signal *stop)
{
    stop_signal_tell(stop, say_call, "t");
    stop_signal_close(stop);
    stop_signal_unblock();
    say("r");
    hang();
}

static void ignore_it(stop_signal *stop)
{
    (void)signal(SIGINT, SIG_IGN);
    hang_outside(stop);
}

static void a_signal_ends_the_process_where_it_may_hang(void **state)
{
    (void)state;
    static const struct {
        void (*play)(stop_signal *stop);
        int64_t limit_ms;
        const char *says;
    } cases[] = {
        {hang_outside, LONG_MS, "rec"},    {come_back_too_late, LONG_MS, "rec"},
        {be_busy_and_go, LONG_MS, "rbec"}, {never_look, 1, "rte"},
        {be_asked_twice, LONG_MS, "r!e"},  {hang_in_the_end, LONG_MS, "re!"},
        {close_and_hang, LONG_MS, "r"},
    };
    static const int numbers[] = {SIGTERM, SIGINT};
    for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
        const int number = numbers[i % 2];
        const last_words last = run(cases[i / 2].play, cases[i / 2].limit_ms, number);
        if (strcmp(last.text, cases[i / 2].says) != 0 || !WIFSIGNALED(last.status) ||
            WTERMSIG(last.status) != number) {
            fail_msg("case %zu: \"%s\" and status %#x, not \"%s\"", i / 2, last.text,
                     (unsigned)last.status, cases[i / 2].says);
        }
    }
}

static void an_ignored_signal_ends_it_with_the_status_of_a_shell(void **state)
{
    (void)state;
    const last_words last = run(ignore_it, LONG_MS, SIGINT);
    assert_string_equal(last.text, "rec");
    assert_true(WIFEXITED(last.status));
    assert_int_equal(WEXITSTATUS(last.status), 128 + SIGINT);
}

static void one_that_came_early_is_told_when_somebody_looks(void **state)
{
    (void)state;
    const last_words last = run(be_busy_and_look, LONG_MS, SIGTERM);
    assert_string_equal(last.text, "rt");
    assert_true(WIFEXITED(last.status));
}

int main(void)
{
    stop_signal_block();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_signal_becomes_one_call_on_a_thread),
        cmocka_unit_test(closing_without_a_signal_calls_nothing),
        cmocka_unit_test(a_signal_ends_the_process_where_it_may_hang),
        cmocka_unit_test(an_ignored_signal_ends_it_with_the_status_of_a_shell),
        cmocka_unit_test(one_that_came_early_is_told_when_somebody_looks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
