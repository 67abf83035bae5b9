#include "kept_folder.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "child_process.h"
#include "tg_cmocka.h"

#define FIRST  "kept_folder_first"
#define SECOND "kept_folder_second"

/* What a process says that makes the two folders one after the other, and removes one, or both. */
static void run(bool removes_second, char *said, size_t size)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    (void)fflush(NULL);
    const pid_t parent = getpid();
    const pid_t pid = fork();
    if (pid == 0) {
        child_ends_with_parent(parent);
        (void)dup2(ends[1], STDERR_FILENO);
        (void)mkdir(FIRST, 0700);
        kept_folder_made(FIRST);
        (void)rmdir(FIRST);
        (void)mkdir(SECOND, 0700);
        kept_folder_made(SECOND);
        if (fork() == 0) {
            exit(0); /* somebody else's */
        }
        (void)wait(NULL);
        if (removes_second) {
            (void)rmdir(SECOND);
        }
        exit(0);
    }
    (void)close(ends[1]);
    size_t used = 0;
    ssize_t n = 1;
    while (n > 0 && used < size - 1) {
        n = read(ends[0], said + used, size - 1 - used);
        used += n > 0 ? (size_t)n : 0;
    }
    said[used] = '\0';
    (void)close(ends[0]);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
    }
}

static void what_is_left_at_the_end_is_told_once(void **state)
{
    (void)state;
    char said[256];
    run(false, said, sizeof said);
    assert_int_equal(rmdir(SECOND), 0);
    assert_string_equal(said, "kept: " SECOND "\n");
}

static void what_was_removed_is_not(void **state)
{
    (void)state;
    char said[256];
    run(true, said, sizeof said);
    assert_string_equal(said, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_left_at_the_end_is_told_once),
        cmocka_unit_test(what_was_removed_is_not),
    };
    return cmocka_run_group_tests_name("base.kept_folder", tests, NULL, NULL);
}
