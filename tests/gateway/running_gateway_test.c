/* What is asked to drain, and what is left alone. Processes that lock the folder stand for it. */
#include "child_process.h"
#include "tg_cmocka.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "running_gateway.h"
#include "scratch_folder.h"

#define DRAINED 7
#define NOBODY  65534 /* the user */

typedef struct fixture {
    scratch_folder folder;
    tg__state_dir dir;
    pid_t holder; /* 0: none */
    tg__running_gateway found;
    tg__cause cause;
} fixture;

static void on_drain(int number)
{
    (void)number;
    _exit(DRAINED);
}

static int set_up(void **state)
{
    static fixture f;
    memset(&f, 0, sizeof f);
    f.found.process_fd = -1;
    scratch_folder_open(&f.folder);
    assert_int_equal(tg__state_dir_locate(&f.dir, f.folder.path, &f.cause), TG_OK);
    *state = &f;
    return 0;
}

/* How the holder has ended, as waitpid() tells it. */
static int end_of_holder(fixture *f)
{
    int status = 0;
    while (waitpid(f->holder, &status, 0) < 0 && errno == EINTR) {
    }
    f->holder = 0;
    return status;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    tg__running_gateway_close(&f->found);
    tg__running_gateway_close(&f->found);
    if (f->holder > 0) {
        (void)kill(f->holder, SIGKILL);
        (void)end_of_holder(f);
    }
    scratch_folder_close(&f->folder);
    return 0;
}

/* A process that has the folder, and catches the signal or does not. */
static void open_holder(fixture *f, bool catches)
{
    int ready[2];
    char byte = 0;
    assert_int_equal(pipe(ready), 0);
    (void)fflush(NULL);
    const pid_t parent = getpid();
    f->holder = fork();
    if (f->holder == 0) {
        tg__state_dir dir;
        tg__cause cause;
        child_ends_with_parent(parent);
        struct sigaction action = {.sa_handler = catches ? on_drain : SIG_DFL};
        (void)sigaction(TG__DRAIN_SIGNAL, &action, NULL);
        if (tg__state_dir_open(&dir, f->folder.path, &cause) != TG_OK ||
            write(ready[1], "r", 1) != 1) {
            _exit(1);
        }
        for (;;) {
            (void)pause();
        }
    }
    assert_true(f->holder > 0);
    (void)close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    (void)close(ready[0]);
}

static void who_has_the_folder_is_found_and_asked(void **state)
{
    fixture *f = *state;
    open_holder(f, true);
    assert_int_equal(tg__running_gateway_find(&f->found, &f->dir, &f->cause), TG_OK);
    assert_int_equal(f->found.pid, f->holder);
    assert_int_equal(tg__running_gateway_drain(&f->found, &f->cause), TG_OK);
    assert_int_equal(tg__running_gateway_await_end(&f->found, &f->cause), TG_OK);
    const int status = end_of_holder(f);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), DRAINED);
}

static void a_stranger_that_locks_the_file_is_left_alone(void **state)
{
    fixture *f = *state;
    open_holder(f, false);
    assert_int_equal(tg__running_gateway_find(&f->found, &f->dir, &f->cause), TG_ERR_STATE);
    assert_non_null(strstr(f->cause.text, "is not a gateway that can be asked to drain"));
    assert_int_equal(waitpid(f->holder, NULL, WNOHANG), 0);
}

static void nobody_there_is_told_from_nobody_ever(void **state)
{
    fixture *f = *state;
    assert_int_equal(tg__running_gateway_find(&f->found, &f->dir, &f->cause), TG_ERR_NOT_FOUND);
    assert_non_null(strstr(f->cause.text, ": no gateway has ever used this folder"));
    open_holder(f, true);
    assert_int_equal(kill(f->holder, SIGKILL), 0);
    (void)end_of_holder(f);
    assert_int_equal(tg__running_gateway_find(&f->found, &f->dir, &f->cause), TG_ERR_NOT_FOUND);
    assert_non_null(strstr(f->cause.text, ": no gateway uses this folder"));
    assert_int_equal(f->found.process_fd, -1);
}

static void one_that_has_ended_meanwhile_is_not_asked(void **state)
{
    fixture *f = *state;
    open_holder(f, true);
    assert_int_equal(tg__running_gateway_find(&f->found, &f->dir, &f->cause), TG_OK);
    assert_int_equal(kill(f->holder, SIGKILL), 0);
    (void)end_of_holder(f);
    assert_int_equal(tg__running_gateway_drain(&f->found, &f->cause), TG_ERR_NOT_FOUND);
    assert_non_null(strstr(f->cause.text, " has just ended"));
    assert_int_equal(tg__running_gateway_await_end(&f->found, &f->cause), TG_OK);
}

/* Looking must not keep a gateway out that starts at that moment: it leaves the lock as it is. */
static void looking_changes_nothing_in_the_folder(void **state)
{
    fixture *f = *state;
    assert_int_equal(tg__running_gateway_find(&f->found, &f->dir, &f->cause), TG_ERR_NOT_FOUND);
    assert_int_equal(access(scratch_path(&f->folder, TG__STATE_DIR_LOCK), F_OK), -1);
}

/* As another user, in a child: 0 if both errors are right. */
static int ask_as_nobody(fixture *f)
{
    if (setgid(NOBODY) != 0 || setuid(NOBODY) != 0) {
        return 1;
    }
    if (tg__running_gateway_find(&f->found, &f->dir, &f->cause) != TG_OK) {
        return 2;
    }
    return tg__running_gateway_drain(&f->found, &f->cause) == TG_ERR_IO &&
                   strstr(f->cause.text, "cannot be asked to drain: Operation not permitted") !=
                       NULL
               ? 0
               : 3;
}

static void who_may_not_ask_is_told_so(void **state)
{
    fixture *f = *state;
    if (geteuid() != 0) {
        skip(); /* nobody else to be */
    }
    open_holder(f, true);
    assert_int_equal(chmod(f->folder.path, 0755), 0);
    assert_int_equal(chmod(scratch_path(&f->folder, TG__STATE_DIR_LOCK), 0644), 0);
    (void)fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        _exit(ask_as_nobody(f));
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(waitpid(f->holder, NULL, WNOHANG), 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(who_has_the_folder_is_found_and_asked),
        CASE(a_stranger_that_locks_the_file_is_left_alone),
        CASE(nobody_there_is_told_from_nobody_ever),
        CASE(one_that_has_ended_meanwhile_is_not_asked),
        CASE(looking_changes_nothing_in_the_folder),
        CASE(who_may_not_ask_is_told_so),
    };
    return cmocka_run_group_tests_name("gateway.running_gateway", tests, NULL, NULL);
}
