/* Descriptors for processes are Linux's own, and older C libraries do not name them. */
#define _DEFAULT_SOURCE

#include "running_gateway.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <tickglass/internal/control_flow.h>

#define STATUS_SIZE 16384u /* of /proc/PID/status */

static tg_err nobody(const tg__state_dir *dir, tg__cause *cause)
{
    return tg__cause_set(cause, TG_ERR_NOT_FOUND, "%s: no gateway uses this folder", dir->path);
}

static tg_err holder_of(const tg__state_dir *dir, int lock_fd, pid_t *pid, tg__cause *cause)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(lock_fd, F_GETLK, &whole) != 0) {
        return tg__cause_set(cause, TG_ERR_IO, "%s/%s: %s", dir->path, TG__STATE_DIR_LOCK,
                             strerror(errno));
    }
    if (whole.l_type == F_UNLCK) {
        return nobody(dir, cause);
    }
    if (whole.l_pid <= 0) {
        return tg__cause_set(cause, TG_ERR_STATE,
                             "%s: who uses this folder cannot be seen from here: it runs in "
                             "another container or on another machine",
                             dir->path);
    }
    *pid = whole.l_pid;
    return TG_OK;
}

/* As the system tells of every process: one bit for each signal that it catches. */
static tg_err check_that_it_catches(const tg__state_dir *dir, pid_t pid, tg__cause *cause)
{
    static const char caught[] = "\nSigCgt:";
    char path[64];
    char text[STATUS_SIZE];
    size_t size = 0;
    (void)snprintf(path, sizeof path, "/proc/%ld/status", (long)pid);
    TG_TRY(tg__file_read(path, text, sizeof text, &size, cause));
    const char *at = strstr(text, caught);
    const uint64_t signals = at == NULL ? 0 : strtoull(at + sizeof caught - 1, NULL, 16);
    if ((signals >> (TG__DRAIN_SIGNAL - 1) & 1) == 0) {
        return tg__cause_set(cause, TG_ERR_STATE,
                             "%s: process %ld, which uses this folder, is not a gateway that can "
                             "be asked to drain",
                             dir->path, (long)pid);
    }
    return TG_OK;
}

static tg_err hold_process(tg__running_gateway *gateway, const tg__state_dir *dir, tg__cause *cause)
{
    gateway->process_fd = (int)syscall(SYS_pidfd_open, gateway->pid, 0u);
    if (gateway->process_fd >= 0) {
        return TG_OK;
    }
    if (errno == ESRCH) {
        return nobody(dir, cause);
    }
    return tg__cause_set(cause, errno == ENOSYS ? TG_ERR_UNSUPPORTED : TG_ERR_IO,
                         "process %ld: cannot be held (%s): SIGTERM drains it, too",
                         (long)gateway->pid, strerror(errno));
}

/* The order is the point: see the header. */
static tg_err find_holder(tg__running_gateway *gateway, const tg__state_dir *dir, int lock_fd,
                          tg__cause *cause)
{
    pid_t still = 0;
    TG_TRY(holder_of(dir, lock_fd, &gateway->pid, cause));
    TG_TRY(hold_process(gateway, dir, cause));
    TG_TRY(check_that_it_catches(dir, gateway->pid, cause));
    TG_TRY(holder_of(dir, lock_fd, &still, cause));
    if (still != gateway->pid) {
        return tg__cause_set(cause, TG_ERR_STATE,
                             "%s: another gateway has just taken this folder: ask again",
                             dir->path);
    }
    return TG_OK;
}

tg_err tg__running_gateway_find(tg__running_gateway *gateway, const tg__state_dir *dir,
                                tg__cause *cause)
{
    char path[TG__PATH_SIZE];
    gateway->pid = 0;
    gateway->process_fd = -1;
    TG_TRY(tg__state_dir_path(dir, TG__STATE_DIR_LOCK, path, cause));
    /* Only asked, never taken: a gateway that starts now must find it free. */
    const int lock_fd = open(path, O_RDONLY | O_CLOEXEC);
    if (lock_fd < 0 && errno == ENOENT) {
        return tg__cause_set(cause, TG_ERR_NOT_FOUND, "%s: no gateway has ever used this folder",
                             dir->path);
    }
    if (lock_fd < 0) {
        return tg__cause_set(cause, TG_ERR_IO, "%s: cannot be opened: %s", path, strerror(errno));
    }
    const tg_err err = find_holder(gateway, dir, lock_fd, cause);
    (void)close(lock_fd);
    return err;
}

tg_err tg__running_gateway_drain(const tg__running_gateway *gateway, tg__cause *cause)
{
    if (syscall(SYS_pidfd_send_signal, gateway->process_fd, TG__DRAIN_SIGNAL, NULL, 0u) == 0) {
        return TG_OK;
    }
    if (errno == ESRCH) {
        return tg__cause_set(cause, TG_ERR_NOT_FOUND, "process %ld has just ended",
                             (long)gateway->pid);
    }
    return tg__cause_set(cause, TG_ERR_IO, "process %ld: cannot be asked to drain: %s",
                         (long)gateway->pid, strerror(errno));
}

tg_err tg__running_gateway_await_end(const tg__running_gateway *gateway, tg__cause *cause)
{
    struct pollfd end = {gateway->process_fd, POLLIN, 0};
    while (poll(&end, 1, -1) < 0) {
        if (errno != EINTR) {
            return tg__cause_set(cause, TG_ERR_IO, "process %ld: cannot be waited for: %s",
                                 (long)gateway->pid, strerror(errno));
        }
    }
    return TG_OK;
}

void tg__running_gateway_close(tg__running_gateway *gateway)
{
    if (gateway->process_fd >= 0) {
        (void)close(gateway->process_fd);
        gateway->process_fd = -1;
    }
}
