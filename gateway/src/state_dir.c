#include "state_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tickglass/internal/control_flow.h>

#include "write_all.h"

static tg_err system_fault(tg__cause *cause, const char *path, const char *what)
{
    return tg__cause_set(cause, TG_ERR_IO, "%s: %s: %s", path, what, strerror(errno));
}

static tg_err default_path(char out[TG__PATH_SIZE], tg__cause *cause)
{
    const char *state_home = getenv("XDG_STATE_HOME");
    const char *home = getenv("HOME");
    int length = -1;
    if (state_home != NULL && state_home[0] == '/') {
        length = snprintf(out, TG__PATH_SIZE, "%s/tickglass-gateway", state_home);
    } else if (home != NULL && home[0] == '/') {
        length = snprintf(out, TG__PATH_SIZE, "%s/.local/state/tickglass-gateway", home);
    }
    if (length < 0 || (size_t)length >= TG__PATH_SIZE) {
        return tg__cause_set(cause, TG_ERR_IO,
                             "neither XDG_STATE_HOME nor HOME names a folder: use --state-dir");
    }
    return TG_OK;
}

static tg_err make_folders(const char *path, tg__cause *cause)
{
    char part[TG__PATH_SIZE];
    const size_t length = strlen(path);
    for (size_t i = 1; i <= length; i++) {
        if (path[i] != '/' && path[i] != '\0') {
            continue;
        }
        memcpy(part, path, i);
        part[i] = '\0';
        if (mkdir(part, 0700) != 0 && errno != EEXIST) {
            return system_fault(cause, part, "cannot be made");
        }
    }
    return TG_OK;
}

static tg_err take_lock(tg__state_dir *dir, tg__cause *cause)
{
    char path[TG__PATH_SIZE];
    TG_TRY(tg__state_dir_path(dir, TG__STATE_DIR_LOCK, path, cause));
    dir->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (dir->lock_fd < 0) {
        return system_fault(cause, path, "cannot be opened");
    }
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(dir->lock_fd, F_SETLK, &whole) == 0) {
        return TG_OK;
    }
    long holder = 0;
    if (fcntl(dir->lock_fd, F_GETLK, &whole) == 0 && whole.l_type != F_UNLCK) {
        holder = (long)whole.l_pid;
    }
    return tg__cause_set(cause, TG_ERR_STATE,
                         "%s: another gateway (process %ld) uses this folder: give this one its "
                         "own with --state-dir",
                         dir->path, holder);
}

tg_err tg__state_dir_locate(tg__state_dir *dir, const char *path, tg__cause *cause)
{
    dir->lock_fd = -1;
    if (path == NULL) {
        return default_path(dir->path, cause);
    }
    if (path[0] == '\0' || strlen(path) >= sizeof dir->path) {
        return tg__cause_set(cause, TG_ERR_INVALID_ARGUMENT, "--state-dir is empty or too long");
    }
    memcpy(dir->path, path, strlen(path) + 1);
    return TG_OK;
}

tg_err tg__state_dir_open(tg__state_dir *dir, const char *path, tg__cause *cause)
{
    TG_TRY(tg__state_dir_locate(dir, path, cause));
    TG_TRY(make_folders(dir->path, cause));
    const tg_err err = take_lock(dir, cause);
    if (err != TG_OK) {
        tg__state_dir_close(dir);
    }
    return err;
}

void tg__state_dir_close(tg__state_dir *dir)
{
    if (dir->lock_fd >= 0) {
        (void)close(dir->lock_fd); /* gives the lock back */
        dir->lock_fd = -1;
    }
}

tg_err tg__state_dir_path(const tg__state_dir *dir, const char *name, char out[TG__PATH_SIZE],
                          tg__cause *cause)
{
    const int length = snprintf(out, TG__PATH_SIZE, "%s/%s", dir->path, name);
    if (length < 0 || (size_t)length >= TG__PATH_SIZE) {
        return tg__cause_set(cause, TG_ERR_BUFFER_TOO_SMALL, "%s: the path is too long", dir->path);
    }
    return TG_OK;
}

tg_err tg__file_read(const char *path, char *out, size_t capacity, size_t *size, tg__cause *cause)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        if (errno == ENOENT) {
            return tg__cause_set(cause, TG_ERR_NOT_FOUND, "%s: there is no such file", path);
        }
        return system_fault(cause, path, "cannot be opened");
    }
    *size = fread(out, 1, capacity, file);
    const bool failed = ferror(file) != 0;
    const tg_err err = failed ? system_fault(cause, path, "cannot be read") : TG_OK;
    (void)fclose(file); /* opened for reading: nothing can be lost */
    TG_TRY(err);
    if (*size == capacity) {
        return tg__cause_set(cause, TG_ERR_FORMAT, "%s: is longer than it can be", path);
    }
    out[*size] = '\0';
    return TG_OK;
}

static tg_err write_through(int fd, const char *path, const void *bytes, size_t size,
                            tg__cause *cause)
{
    if (!tg__write_all(fd, bytes, size)) {
        return system_fault(cause, path, "cannot be written");
    }
    return fsync(fd) == 0 ? TG_OK : system_fault(cause, path, "cannot be written to the disk");
}

/* The new name itself must survive a crash, too. */
static tg_err sync_folder_of(const char *path, tg__cause *cause)
{
    char folder[TG__PATH_SIZE];
    const char *slash = strrchr(path, '/');
    const size_t length = slash == NULL ? 0 : (size_t)(slash - path) + 1;
    memcpy(folder, path, length);
    (void)snprintf(folder + length, sizeof folder - length, ".");
    const int fd = open(folder, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return system_fault(cause, folder, "cannot be opened");
    }
    const tg_err err =
        fsync(fd) == 0 ? TG_OK : system_fault(cause, folder, "cannot be written to the disk");
    (void)close(fd);
    return err;
}

tg_err tg__file_write(const char *path, const void *bytes, size_t size, mode_t mode,
                      tg__cause *cause)
{
    char beside[TG__PATH_SIZE];
    const int length = snprintf(beside, sizeof beside, "%s.new", path);
    if (length < 0 || (size_t)length >= sizeof beside - 2) {
        return tg__cause_set(cause, TG_ERR_BUFFER_TOO_SMALL, "%s: the path is too long", path);
    }
    (void)unlink(beside); /* left by a crash; its mode may be another one */
    const int fd = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd < 0) {
        return system_fault(cause, beside, "cannot be made");
    }
    tg_err err = write_through(fd, beside, bytes, size, cause);
    if (close(fd) != 0 && err == TG_OK) {
        err = system_fault(cause, beside, "cannot be written");
    }
    if (err == TG_OK && rename(beside, path) != 0) {
        err = system_fault(cause, path, "cannot be replaced");
    }
    if (err != TG_OK) {
        (void)unlink(beside);
        return err;
    }
    return sync_folder_of(path, cause);
}
