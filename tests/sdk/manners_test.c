/* A guest in the host's process: whatever belongs to the host is afterwards as it was before. */
#include "tg_cmocka.h"

#include <dirent.h>
#include <locale.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <tickglass/client.h>

#include "../integration/gateway_process.h"
#include "client_rig.h"

#define SIGNALS 65

extern char **environ;

static gateway_process gateway;

static tg_client_options options_of(const char *url)
{
    tg_client_options opt;
    tg_client_options_init(&opt);
    opt.url = url;
    opt.ca_file = gateway.ca;
    opt.token = gateway.token;
    opt.backoff_first_ms = 1;
    opt.backoff_cap_ms = 1;
    return opt;
}

/* --- what belongs to the host --- */

typedef struct belongings {
    struct sigaction actions[SIGNALS];
    sigset_t blocked;
    char locale[256];
    locale_t thread_locale;
    mode_t mask;
    char folder[512];
    char environment[65536];
    struct rlimit descriptors_max;
    struct itimerval timer;
    char descriptors[65536]; /* each with what it leads to */
    unsigned threads;
} belongings;

static void append(char *text, size_t size, const char *more)
{
    const size_t used = strlen(text);
    assert_true(used + strlen(more) + 2 < size);
    (void)snprintf(text + used, size - used, "%s\n", more);
}

static void list_descriptors(char *text, size_t size)
{
    text[0] = '\0';
    for (int fd = 0; fd < 1024; fd++) {
        char path[32];
        char target[256];
        char line[512];
        (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        const ssize_t n = readlink(path, target, sizeof target - 1);
        if (n >= 0) {
            target[n] = '\0';
            (void)snprintf(line, sizeof line, "%d %s", fd, target);
            append(text, size, line);
        }
    }
}

static unsigned count_threads(void)
{
    unsigned count = 0;
    DIR *folder = opendir("/proc/self/task");
    assert_non_null(folder);
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        count += entry->d_name[0] != '.';
    }
    (void)closedir(folder);
    return count;
}

static void look(belongings *b)
{
    memset(b, 0, sizeof *b);
    for (int i = 1; i < SIGNALS; i++) {
        (void)sigaction(i, NULL, &b->actions[i]); /* two of them belong to the C library */
    }
    assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &b->blocked), 0);
    (void)snprintf(b->locale, sizeof b->locale, "%s", setlocale(LC_ALL, NULL));
    b->thread_locale = uselocale((locale_t)0);
    b->mask = umask(0);
    (void)umask(b->mask);
    assert_non_null(getcwd(b->folder, sizeof b->folder));
    for (char **entry = environ; *entry != NULL; entry++) {
        append(b->environment, sizeof b->environment, *entry);
    }
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &b->descriptors_max), 0);
    assert_int_equal(getitimer(ITIMER_REAL, &b->timer), 0);
    list_descriptors(b->descriptors, sizeof b->descriptors);
    b->threads = count_threads();
}

/* A thread that was joined stands in the system's list for a moment longer. */
static void await_threads(unsigned count)
{
    const tg_clock clock = tg_clock_system();
    const int64_t until = tg_clock_mono_ns(&clock) + INT64_C(60000000000);
    while (count_threads() > count && tg_clock_mono_ns(&clock) < until) {
        (void)poll(NULL, 0, 1);
    }
    assert_int_equal(count_threads(), count);
}

/* Not byte by byte: the C library fills only that part of a set that the kernel knows. */
static bool is_same_set(const sigset_t *a, const sigset_t *b)
{
    for (int i = 1; i < SIGNALS; i++) {
        if (sigismember(a, i) != sigismember(b, i)) {
            return false;
        }
    }
    return true;
}

static bool is_same_action(const struct sigaction *a, const struct sigaction *b)
{
    /* Setting an action leaves a mark of the C library's own among the flags. */
    const int flags =
        SA_NOCLDSTOP | SA_NOCLDWAIT | SA_SIGINFO | SA_RESTART | SA_NODEFER | (int)SA_RESETHAND;
    if (a->sa_handler != b->sa_handler) {
        return false;
    }
    /* Without a function to call the rest means nothing; thread sanitizer fills it as it likes. */
    return a->sa_handler == SIG_DFL || a->sa_handler == SIG_IGN ||
           ((a->sa_flags & flags) == (b->sa_flags & flags) &&
            is_same_set(&a->sa_mask, &b->sa_mask));
}

static void compare(const belongings *before, const belongings *after)
{
    for (int i = 1; i < SIGNALS; i++) {
        if (!is_same_action(&before->actions[i], &after->actions[i])) {
            fail_msg("signal %d is handled in another way", i);
        }
    }
    assert_true(is_same_set(&before->blocked, &after->blocked));
    assert_string_equal(before->locale, after->locale);
    assert_ptr_equal(before->thread_locale, after->thread_locale);
    assert_int_equal(before->mask, after->mask);
    assert_string_equal(before->folder, after->folder);
    assert_string_equal(before->environment, after->environment);
    assert_int_equal(before->descriptors_max.rlim_cur, after->descriptors_max.rlim_cur);
    assert_int_equal(before->descriptors_max.rlim_max, after->descriptors_max.rlim_max);
    assert_memory_equal(&before->timer, &after->timer, sizeof before->timer);
    assert_string_equal(before->descriptors, after->descriptors);
}

/* --- lives of a client --- */

static bool has_tried_often(const client_rig *rig)
{
    tg_client_counters counters = {.struct_size = sizeof counters};
    return tg_client_counters_get(rig->client, &counters) == TG_OK && counters.attempts >= 5;
}

static void live_with_a_thread(void)
{
    client_rig rig;
    tg_client_options opt = options_of(gateway.url);
    client_rig_open(&rig, &opt);
    assert_int_equal(tg_client_start(rig.client), TG_OK);
    client_rig_await(&rig, client_rig_is_live);
    client_rig_close(&rig);
}

static void live_by_steps(void)
{
    char url[64];
    (void)snprintf(url, sizeof url, "wss://localhost:%d", gateway.port); /* and its resolver */
    client_rig rig;
    tg_client_options opt = options_of(url);
    client_rig_open(&rig, &opt);
    client_rig_step_until(&rig, client_rig_is_live);
    client_rig_close(&rig);
}

static void fail_to_connect(void)
{
    client_rig rig;
    tg_client_options opt = options_of("wss://127.0.0.1:1");
    client_rig_open(&rig, &opt);
    assert_int_equal(tg_client_start(rig.client), TG_OK);
    client_rig_await(&rig, has_tried_often);
    client_rig_close(&rig);
}

static void fail_to_open(void)
{
    tg_client *client = NULL;
    tg_client_options opt = options_of("wss://localhost:1");
    opt.ca_file = "/nowhere/at/all.pem";
    assert_int_equal(tg_client_open(&opt, &client), TG_ERR_CERTIFICATE);
    opt = options_of("ws://example.com");
    assert_int_equal(tg_client_open(&opt, &client), TG_ERR_URL);
}

/* The judgement of what was printed needs stdout and stderr back. */
typedef struct silence {
    char path[32];
    int file;
    int out;
    int err;
} silence;

static void listen_to(silence *s)
{
    (void)snprintf(s->path, sizeof s->path, "tg_printed_XXXXXX");
    s->file = mkstemp(s->path);
    (void)fflush(NULL);
    s->out = dup(STDOUT_FILENO);
    s->err = dup(STDERR_FILENO);
    assert_true(s->file >= 0 && s->out >= 0 && s->err >= 0);
    assert_true(dup2(s->file, STDOUT_FILENO) >= 0 && dup2(s->file, STDERR_FILENO) >= 0);
}

static off_t listened(silence *s)
{
    (void)fflush(NULL);
    (void)dup2(s->out, STDOUT_FILENO);
    (void)dup2(s->err, STDERR_FILENO);
    (void)close(s->out);
    (void)close(s->err);
    struct stat printed;
    assert_int_equal(fstat(s->file, &printed), 0);
    (void)close(s->file);
    (void)unlink(s->path);
    return printed.st_size;
}

static void on_signal(int number)
{
    (void)number;
}

static void live_and_compare(void (*live)(void))
{
    static belongings before;
    static belongings after;
    silence quiet;
    listen_to(&quiet);
    look(&before);
    live();
    look(&after);
    assert_int_equal(listened(&quiet), 0);
    compare(&before, &after);
    await_threads(before.threads);
}

static void the_host_process_is_left_as_it_was(void **state)
{
    (void)state;
    /* Nothing that a process has anyway: a library that sets a default would not be seen. */
    assert_non_null(setlocale(LC_ALL, "C.UTF-8"));
    const mode_t mask = umask(027);
    const struct sigaction own = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    const int numbers[] = {SIGPIPE, SIGALRM, SIGCHLD, SIGHUP, SIGUSR1};
    struct sigaction old[sizeof numbers / sizeof numbers[0]];
    void (*const lives[])(void) = {live_with_a_thread, live_by_steps, fail_to_connect,
                                   fail_to_open};
    for (unsigned with_handlers = 0; with_handlers < 2; with_handlers++) {
        for (size_t i = 0; i < sizeof lives / sizeof lives[0]; i++) {
            live_and_compare(lives[i]);
        }
        for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
            if (with_handlers == 0) {
                assert_int_equal(sigaction(numbers[i], &own, &old[i]), 0);
            } else {
                assert_int_equal(sigaction(numbers[i], &old[i], NULL), 0);
            }
        }
    }
    (void)umask(mask);
    assert_non_null(setlocale(LC_ALL, "C"));
}

static size_t heap(void)
{
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

static size_t heap_of_a_client(void)
{
    tg_client *client = NULL;
    const tg_client_options opt = options_of(gateway.url);
    const size_t before = heap();
    assert_int_equal(tg_client_open(&opt, &client), TG_OK);
    const size_t taken = heap() - before;
    tg_client_close(client);
    return taken;
}

static void the_heap_of_a_client_does_not_depend_on_the_descriptor_limit(void **state)
{
    (void)state;
    if (heap() == 0) {
        print_message("skipped: this allocator does not report to mallinfo2()\n");
        skip();
    }
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    const struct rlimit low = {256, before.rlim_max};
    const struct rlimit high = {before.rlim_max < 65536 ? before.rlim_max : 65536, before.rlim_max};
    if (high.rlim_cur < 4096) {
        print_message("skipped: no more than %llu descriptors may be had here\n",
                      (unsigned long long)high.rlim_cur);
        skip();
    }
    (void)heap_of_a_client(); /* what the first one sets up for good */
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
    const size_t with_low = heap_of_a_client();
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &high), 0);
    const size_t with_high = heap_of_a_client();
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    print_message("%zu bytes with 256 descriptors, %zu with %llu\n", with_low, with_high,
                  (unsigned long long)high.rlim_cur);
    assert_true(with_low > 0);
    assert_true(with_high < with_low + 1024 && with_low < with_high + 1024);
}

static void *end_at_once(void *argument)
{
    return argument;
}

static int start(void **state)
{
    (void)state;
    /* Thread sanitizer starts one of its own with the first thread, and keeps it. */
    pthread_t first;
    if (pthread_create(&first, NULL, end_at_once, NULL) != 0 || pthread_join(first, NULL) != 0) {
        return -1;
    }
    return gateway_process_start(&gateway, TG_GATEWAY_PROGRAM, NULL) ? 0 : -1;
}

static int stop(void **state)
{
    (void)state;
    (void)gateway_process_stop(&gateway);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_host_process_is_left_as_it_was),
        cmocka_unit_test(the_heap_of_a_client_does_not_depend_on_the_descriptor_limit),
    };
    return cmocka_run_group_tests_name("sdk.manners", tests, start, stop);
}
