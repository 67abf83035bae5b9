/**
 * A host that uses its own TLS library before, during and after a tickglass session, and looks
 * whether its process is left as it was: guest_host URL CA-FILE TOKEN-FILE
 */
#include <dirent.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include <tickglass/client.h>

#include "exchange.h"
#include "session.h"

/* What a guest may not change. */
struct manners {
    size_t descriptors;
    bool pipe_signal_default;
    sigset_t mask;
    char locale[32];
};

static size_t descriptors_open(void)
{
    DIR *folder = opendir("/proc/self/fd");
    size_t count = 0;
    while (folder != NULL && readdir(folder) != NULL) {
        count++;
    }
    if (folder != NULL) {
        (void)closedir(folder);
    }
    return count;
}

static struct manners manners_now(void)
{
    struct manners m;
    memset(&m, 0, sizeof m);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    (void)sigaction(SIGPIPE, NULL, &action);
    m.pipe_signal_default = action.sa_handler == SIG_DFL;
    (void)sigprocmask(SIG_BLOCK, NULL, &m.mask);
    m.descriptors = descriptors_open();
    (void)snprintf(m.locale, sizeof m.locale, "%s", setlocale(LC_ALL, NULL));
    return m;
}

static int manners_compare(const struct manners *before, const struct manners *after)
{
    int faults = 0;
    if (before->descriptors != after->descriptors) {
        fprintf(stderr, "%zu descriptors before, %zu after\n", before->descriptors,
                after->descriptors);
        faults++;
    }
    if (before->pipe_signal_default != after->pipe_signal_default) {
        fprintf(stderr, "the disposition of SIGPIPE was changed\n");
        faults++;
    }
    if (strcmp(before->locale, after->locale) != 0) {
        fprintf(stderr, "the locale was changed to %s\n", after->locale);
        faults++;
    }
    for (int signal = 1; signal < 32; signal++) {
        if (sigismember(&before->mask, signal) != sigismember(&after->mask, signal)) {
            fprintf(stderr, "the mask of signal %d was changed\n", signal);
            faults++;
        }
    }
    return faults;
}

static int own_exchange(const char *when)
{
    char why[256] = "";
    if (guest_exchange(why, sizeof why) != 0) {
        fprintf(stderr, "own exchange %s: %s\n", when, why);
        return -1;
    }
    return 0;
}

static int token_read(const char *path, char *token, size_t size)
{
    FILE *file = fopen(path, "r");
    if (file == NULL || fgets(token, (int)size, file) == NULL) {
        fprintf(stderr, "%s cannot be read\n", path);
        if (file != NULL) {
            (void)fclose(file);
        }
        return -1;
    }
    token[strcspn(token, "\r\n")] = '\0';
    (void)fclose(file);
    return 0;
}

int main(int argc, char **argv)
{
    char token[512];
    char why[256] = "";
    if (argc != 4 || token_read(argv[3], token, sizeof token) != 0 ||
        own_exchange("before the session") != 0) {
        return 1;
    }
    const struct manners before = manners_now();
    session *s = session_open(argv[1], argv[2], token, why, sizeof why);
    int failed = s == NULL || session_wait_for_ticks(s, why, sizeof why) != 0;
    if (failed) {
        fprintf(stderr, "session: %s\n", why);
    } else {
        failed = own_exchange("during the session") != 0;
    }
    session_close(s);
    const struct manners after = manners_now();
    failed = failed || manners_compare(&before, &after) != 0;
    failed = failed || own_exchange("after the session") != 0;
    if (!failed) {
        printf("%s and %s in one process\n", guest_exchange_library(), tg_build_info());
    }
    return failed ? 1 : 0;
}
