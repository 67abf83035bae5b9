#include "snapshot.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct snapshot {
    bool running; /* the owner's: a thread was started and not joined */
    pthread_t thread;
    tg_window *window;
    tg_picture *picture;
    char path[SNAPSHOT_PATH_SIZE];
    tg_err err;
    int why;            /* errno, with TG_ERR_IMAGE */
    _Atomic bool ended; /* written by the thread after err and why */
};

tg_err snapshot_open(snapshot **out)
{
    *out = calloc(1, sizeof **out);
    return *out != NULL ? TG_OK : TG_ERR_NO_MEMORY;
}

static void join(snapshot *shot)
{
    if (shot->running) {
        (void)pthread_join(shot->thread, NULL);
        tg_picture_close(shot->picture);
        shot->picture = NULL;
        shot->running = false;
    }
}

void snapshot_close(snapshot *shot)
{
    if (shot != NULL) {
        join(shot);
        free(shot);
    }
}

static void *write_picture(void *arg)
{
    snapshot *shot = arg;
    shot->err = tg_picture_write(shot->picture, shot->path);
    shot->why = errno;
    /* Release: pairs with the acquire in snapshot_take_result. */
    atomic_store_explicit(&shot->ended, true, memory_order_release);
    tg_window_wake(shot->window);
    return NULL;
}

tg_err snapshot_start(snapshot *shot, tg_window *window, const char *path)
{
    if (shot->running) {
        return TG_ERR_FULL;
    }
    if (strlen(path) >= sizeof shot->path) {
        return TG_ERR_INVALID_ARGUMENT;
    }
    (void)strcpy(shot->path, path);
    shot->window = window;
    const tg_err err = tg_picture_open(window, &shot->picture);
    if (err != TG_OK) {
        return err;
    }
    atomic_store_explicit(&shot->ended, false, memory_order_relaxed);
    if (pthread_create(&shot->thread, NULL, write_picture, shot) != 0) {
        tg_picture_close(shot->picture);
        shot->picture = NULL;
        return TG_ERR_NO_MEMORY;
    }
    shot->running = true;
    return TG_OK;
}

bool snapshot_take_result(snapshot *shot, char *text, size_t size, bool *bad)
{
    /* Acquire: pairs with the release in write_picture. */
    if (!shot->running || !atomic_load_explicit(&shot->ended, memory_order_acquire)) {
        return false;
    }
    join(shot);
    *bad = shot->err != TG_OK;
    if (shot->err == TG_OK) {
        (void)snprintf(text, size, "written: %s", shot->path);
    } else {
        (void)snprintf(text, size, "%s: %s", shot->path,
                       shot->err == TG_ERR_IMAGE ? strerror(shot->why) : tg_err_text(shot->err));
    }
    return true;
}
