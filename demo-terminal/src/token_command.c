#include "token_command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tickglass/clock.h>

#define NS_PER_MS INT64_C(1000000)
#define SAID_SIZE (2 * SECRET_SIZE) /* a token in it is masked whole before the line is cut */
#define WORD_SIZE 8                 /* what is shorter is no secret, or no good one */
#define NO_FOLDER 126               /* exit status of a child that could not enter it */

/* One end of the child's output. */
typedef struct intake {
    int fd; /* -1: at its end */
    char *bytes;
    size_t size;
    size_t used;
} intake;

typedef struct run {
    pid_t pid;
    intake out;
    intake said;
} run;

/* The process group of the command that runs, 0: none. Its number is somebody else's once it has
 * been waited for: both happen under the lock. */
static pthread_mutex_t running_lock = PTHREAD_MUTEX_INITIALIZER;
static pid_t running;

void token_command_abandon(void)
{
    (void)pthread_mutex_lock(&running_lock);
    if (running > 0) {
        (void)kill(-running, SIGKILL);
    }
    (void)pthread_mutex_unlock(&running_lock);
}

static void close_end(int *fd)
{
    if (*fd >= 0) {
        (void)close(*fd);
    }
    *fd = -1;
}

/* Neither end is for programs that somebody else starts. */
static bool open_pipe(int ends[2])
{
    return pipe(ends) == 0 && fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 &&
           fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0;
}

/* Between fork and exec only what is safe there: other threads may have held any lock. */
static void become(const char *command, const char *folder, int out, int said)
{
    sigset_t none;
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL); /* ours keeps SIGTERM from threads */
    (void)setpgid(0, 0);
    const int nothing = open("/dev/null", O_RDONLY);
    if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
        dup2(said, STDERR_FILENO) < 0 || (folder != NULL && chdir(folder) != 0)) {
        _exit(NO_FOLDER);
    }
    (void)execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

static bool start(run *self, const char *command, const char *folder)
{
    int out[2] = {-1, -1};
    int said[2] = {-1, -1};
    self->pid = -1;
    if (open_pipe(out) && open_pipe(said)) {
        (void)pthread_mutex_lock(&running_lock);
        self->pid = fork();
        if (self->pid == 0) {
            become(command, folder, out[1], said[1]);
        }
        if (self->pid > 0) {
            (void)setpgid(self->pid, self->pid); /* whoever of the two comes first */
            running = self->pid;
        }
        (void)pthread_mutex_unlock(&running_lock);
    }
    close_end(&out[1]);
    close_end(&said[1]);
    self->out.fd = out[0];
    self->said.fd = said[0];
    return self->pid > 0;
}

/* What does not fit is read and thrown away, so that the child does not hang in its write. */
static void take(intake *from)
{
    char rest[512];
    const size_t room = from->size - 1 - from->used;
    const ssize_t n =
        read(from->fd, room > 0 ? from->bytes + from->used : rest, room > 0 ? room : sizeof rest);
    secret_wipe(rest, sizeof rest);
    if (n > 0 && room > 0) {
        from->used += (size_t)n;
        from->bytes[from->used] = '\0';
    } else if (n == 0 || (n < 0 && errno != EINTR)) {
        close_end(&from->fd);
    }
}

static int wait_ms(int64_t deadline_ns)
{
    const tg_clock clock = tg_clock_system();
    const int64_t left_ns = deadline_ns - tg_clock_mono_ns(&clock);
    return left_ns > 0 ? (int)(left_ns / NS_PER_MS) + 1 : 0;
}

/* Both ends of its output are read until they end. */
static tg_err listen_to(run *self, int64_t deadline_ns, int cancel_fd)
{
    while (self->out.fd >= 0 || self->said.fd >= 0) {
        struct pollfd fds[3] = {
            {cancel_fd, POLLIN, 0}, {self->out.fd, POLLIN, 0}, {self->said.fd, POLLIN, 0}};
        const int ready = poll(fds, 3, wait_ms(deadline_ns));
        if (ready == 0) {
            return TG_ERR_TIMEOUT;
        }
        if (ready > 0 && fds[0].revents != 0) {
            return TG_ERR_CLOSED;
        }
        if (ready > 0 && fds[1].revents != 0) {
            take(&self->out);
        }
        if (ready > 0 && fds[2].revents != 0) {
            take(&self->said);
        }
    }
    return TG_OK;
}

/* It may have closed its output and go on: its end is awaited until the deadline, too. */
static tg_err await_end(const run *self, int64_t deadline_ns, int cancel_fd, int *status)
{
    for (;;) {
        (void)pthread_mutex_lock(&running_lock);
        const pid_t ended = waitpid(self->pid, status, WNOHANG);
        if (ended == self->pid) {
            running = 0;
        }
        (void)pthread_mutex_unlock(&running_lock);
        if (ended == self->pid || (ended < 0 && errno != EINTR)) {
            return TG_OK;
        }
        struct pollfd cancel = {cancel_fd, POLLIN, 0};
        const int left_ms = wait_ms(deadline_ns);
        if (left_ms == 0) {
            return TG_ERR_TIMEOUT;
        }
        if (poll(&cancel, 1, left_ms < 5 ? left_ms : 5) > 0) {
            return TG_ERR_CLOSED;
        }
    }
}

/* A program may tell on standard error what it prints. */
static void mask(char *said, const char *secret)
{
    const size_t size = strlen(secret);
    for (char *at = size > 0 ? strstr(said, secret) : NULL; at != NULL; at = strstr(at, secret)) {
        memset(at, '*', size);
    }
}

/* Or parts of it, where the output is more than the token. */
static void mask_words(char *said, const char *output)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  "-._~+/";
    for (char *at = said + strcspn(said, letters); *at != '\0'; at += strcspn(at, letters)) {
        const size_t size = strspn(at, letters);
        const char after = at[size];
        at[size] = '\0';
        if (size >= WORD_SIZE && strstr(output, at) != NULL) {
            memset(at, '*', size);
        }
        at[size] = after;
        at += size;
    }
}

static void explain(tg_err err, int status, char *said, char *why, size_t why_size)
{
    char end[64];
    said[strcspn(said, "\r\n")] = '\0';
    for (char *at = said; *at != '\0'; at++) {
        *at = (unsigned char)*at < ' ' || *at == 0x7f ? '?' : *at;
    }
    if (err == TG_ERR_TIMEOUT) {
        (void)snprintf(end, sizeof end, "did not end in time");
    } else if (WIFSIGNALED(status)) {
        (void)snprintf(end, sizeof end, "was ended by signal %d", WTERMSIG(status));
    } else if (WEXITSTATUS(status) != 0) {
        (void)snprintf(end, sizeof end, "ended with status %d", WEXITSTATUS(status));
    } else {
        (void)snprintf(end, sizeof end, "printed no token");
    }
    (void)snprintf(why, why_size, "token_command: it %s%s%s", end, said[0] != '\0' ? ": " : "",
                   said);
}

static void end_group(const run *self, int *status)
{
    (void)pthread_mutex_lock(&running_lock);
    (void)kill(-self->pid, SIGKILL);
    running = 0; /* nothing is left to be ended */
    (void)pthread_mutex_unlock(&running_lock);
    while (waitpid(self->pid, status, 0) < 0 && errno == EINTR) {
    }
}

/* The first line, alone. */
static bool take_token(char token[SECRET_SIZE], size_t used)
{
    const size_t start = strspn(token, " \t\r\n");
    const size_t line = start + strcspn(token + start, "\r\n");
    const bool has_zero = line < used && token[line] == '\0';
    secret_wipe(token + line, SECRET_SIZE - line);
    return !has_zero && secret_trim(token) > 0 && line < SECRET_SIZE - 1;
}

tg_err token_command_run(const char *command, const char *folder, int64_t limit_ms, int cancel_fd,
                         char token[SECRET_SIZE], char *why, size_t why_size)
{
    char said[SAID_SIZE] = "";
    run self = {.out = {-1, token, SECRET_SIZE, 0}, .said = {-1, said, sizeof said, 0}};
    memset(token, 0, SECRET_SIZE);
    const tg_clock clock = tg_clock_system();
    const int64_t deadline_ns = tg_clock_mono_ns(&clock) + limit_ms * NS_PER_MS;
    int status = 0;
    tg_err err = TG_ERR_IO;
    if (start(&self, command, folder)) {
        err = listen_to(&self, deadline_ns, cancel_fd);
        if (err == TG_OK) {
            err = await_end(&self, deadline_ns, cancel_fd, &status);
        }
        if (err != TG_OK) {
            end_group(&self, &status);
        }
    } else {
        (void)snprintf(why, why_size, "token_command: it could not be started: %s",
                       strerror(errno));
    }
    close_end(&self.out.fd);
    close_end(&self.said.fd);
    mask_words(said, token);
    const bool has_token = take_token(token, self.out.used);
    mask(said, token);
    if (err == TG_OK && (status != 0 || !has_token)) {
        err = TG_ERR_UNAUTHORIZED;
    }
    if (err != TG_OK && err != TG_ERR_IO) {
        explain(err, status, said, why, why_size);
    }
    if (err != TG_OK) {
        secret_wipe(token, SECRET_SIZE);
    }
    secret_wipe(said, sizeof said);
    return err;
}
