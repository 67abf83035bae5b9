#include "log_command.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <tickglass/internal/control_flow.h>

#include "log_print.h"
#include "log_siblings.h"

#define WAIT_MS       1000 /* some file systems do not tell what other machines write */
#define WAIT_BLIND_MS 200  /* without inotify */

/* A file that is followed, and what is its own. */
typedef struct followed {
    const log_options *opt;
    int watch_fd; /* of the directory; -1: nobody wakes us */
    char *path;
    tg__log_file file;
    tg__log_text text;
    int status;
} followed;

static int watch_directory(const char *path)
{
    const int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (fd < 0) {
        return -1;
    }
    char *dir = strdup(path);
    char *slash = dir != NULL ? strrchr(dir, '/') : NULL;
    if (slash != NULL) {
        slash[1] = '\0'; /* with its slash, for it may be the root */
    }
    const int watch = dir == NULL ? -1
                                  : inotify_add_watch(fd, slash != NULL ? dir : ".",
                                                      IN_MODIFY | IN_CREATE | IN_MOVED_TO);
    free(dir);
    if (watch < 0) {
        (void)close(fd);
        return -1;
    }
    return fd;
}

/* Until something in the directory changes, or it is time to look. */
static void wait_for_change(int watch_fd)
{
    struct pollfd wake = {watch_fd, POLLIN, 0}; /* a negative one is passed over */
    (void)poll(&wake, 1, watch_fd >= 0 ? WAIT_MS : WAIT_BLIND_MS);
    char events[4096];
    while (watch_fd >= 0 && read(watch_fd, events, sizeof events) > 0) {
    }
}

/* What has been added since. False: nothing has. */
static tg_err extend(followed *f, bool *grown)
{
    const size_t before = f->file.indexed_to;
    TG_TRY(tg__log_file_extend(&f->file));
    *grown = f->file.indexed_to != before;
    return TG_OK;
}

static tg_err open_file(followed *f, const char *path)
{
    f->path = strdup(path);
    TG_ENSURE(f->path != NULL, TG_ERR_NO_MEMORY);
    const tg_err err = tg__log_file_follow(f->path, &f->file);
    if (err != TG_OK) {
        free(f->path);
        f->path = NULL;
    }
    return err;
}

/* Tells its problems too. */
static void close_file(followed *f)
{
    if (f->path == NULL) {
        return;
    }
    log_input input = {&f->file, 1};
    const int status = log_input_problems(&input);
    f->status = status > f->status ? status : f->status;
    tg__log_text_deinit(&f->text);
    tg__log_file_close(&f->file);
    free(f->path);
    f->path = NULL;
}

/* On to the next file of the recorder that there is, unless this one has grown once more before it
 * came. TG_ERR_NOT_FOUND: there is none. */
static tg_err go_on(followed *f)
{
    log_siblings siblings;
    TG_TRY(log_siblings_find(f->path, f->file.info.recorder_id, &siblings));
    const uint32_t number = f->file.info.file_number;
    size_t next = 0;
    while (next < siblings.count && siblings.files[next].number <= number) {
        next++;
    }
    bool grown = false;
    tg_err err = next < siblings.count ? extend(f, &grown) : TG_ERR_NOT_FOUND;
    if (err == TG_OK && !grown) {
        if (siblings.files[next].number != number + 1) {
            (void)fprintf(stderr, "tickglass-log: %s: files between it and %s are gone\n", f->path,
                          siblings.files[next].path);
        }
        close_file(f);
        err = open_file(f, siblings.files[next].path);
    }
    log_siblings_free(&siblings);
    return err;
}

static tg_err print_new(followed *f)
{
    tg__log_merge merge;
    TG_TRY(tg__log_merge_open(&f->file, 1, &merge));
    const tg_err err = log_print_in_turn(f->opt, &f->file, &f->text, &merge);
    log_tell_late(&merge);
    tg__log_merge_close(&merge);
    return err;
}

/* What there is, then what comes, until the last file is closed in order. */
static tg_err follow(followed *f)
{
    for (;;) {
        TG_TRY(print_new(f));
        if (f->file.ended) {
            /* Its successor would have been there before its end was. */
            const tg_err err = go_on(f);
            if (err != TG_OK) {
                return err == TG_ERR_NOT_FOUND ? TG_OK : err;
            }
            continue;
        }
        wait_for_change(f->watch_fd);
        bool grown = false;
        TG_TRY(extend(f, &grown));
        if (!grown) {
            /* The end of a file may be missing, of a full disk for one. */
            const tg_err err = go_on(f);
            TG_ENSURE(err == TG_OK || err == TG_ERR_NOT_FOUND, err);
        }
    }
}

int log_tail(const log_options *opt)
{
    if (opt->path_count != 1) {
        (void)fprintf(stderr, "tickglass-log: tail follows one file\n");
        return LOG_USAGE;
    }
    followed *f = calloc(1, sizeof *f);
    if (f == NULL) {
        return log_fail("memory", TG_ERR_NO_MEMORY);
    }
    f->opt = opt;
    f->watch_fd = watch_directory(opt->paths[0]); /* first, so that no change is missed */
    tg_err err = open_file(f, opt->paths[0]);
    if (err == TG_OK) {
        err = follow(f);
    }
    if (err != TG_OK) {
        const int failure = errno;
        close_file(f);
        errno = failure;
        f->status = log_fail(opt->paths[0], err);
    }
    close_file(f);
    if (f->watch_fd >= 0) {
        (void)close(f->watch_fd);
    }
    const int status = f->status;
    free(f);
    return status;
}
