#include "token_source.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "secret.h"
#include "token_command.h"

/* The client asks again after 30 s without an answer. */
#define COMMAND_LIMIT_MS 25000

/* Which contents a file had, without keeping them. */
typedef struct file_mark {
    dev_t device;
    ino_t inode;
    off_t size;
    struct timespec changed;
} file_mark;

struct token_source {
    const settings *from;
    void (*on_trouble)(void *ctx);
    void *ctx;
    int cancel[2]; /* readable once it shall stop */
    pthread_t thread;
    bool has_thread;
    file_mark given; /* of the token given last; the thread's own */
    pthread_mutex_t lock;
    pthread_cond_t asked;
    /* Under the lock: */
    bool is_asked;
    bool stopping;
    tg_client *client;
    tg_token_reason reason;
    char trouble[TOKEN_TROUBLE_SIZE];
};

static file_mark mark_of(const char *path)
{
    struct stat found;
    file_mark mark;
    memset(&mark, 0, sizeof mark);
    if (stat(path, &found) == 0) {
        mark.device = found.st_dev;
        mark.inode = found.st_ino;
        mark.size = found.st_size;
        mark.changed = found.st_mtim;
    }
    return mark;
}

static bool is_same(const file_mark *a, const file_mark *b)
{
    return a->inode == b->inode && a->device == b->device && a->size == b->size &&
           a->changed.tv_sec == b->changed.tv_sec && a->changed.tv_nsec == b->changed.tv_nsec;
}

/* A token that was refused is given again all the same: the gateway may have learnt to like it, and
 * the client is in no hurry then. */
static tg_err take_from_file(token_source *self, const char *path, tg_token_reason reason,
                             char token[SECRET_SIZE], char *why, size_t why_size)
{
    char detail[TOKEN_TROUBLE_SIZE] = "";
    const file_mark mark = mark_of(path); /* before reading: a change after it is not missed */
    const tg_err err = secret_read(path, token, detail, sizeof detail);
    if (err != TG_OK) {
        (void)snprintf(why, why_size, "token_file: %.200s", detail);
        return err;
    }
    if (reason == TG_TOKEN_REFUSED && is_same(&mark, &self->given)) {
        (void)snprintf(why, why_size,
                       "token_file: %.150s has not changed since its token was refused", path);
    }
    self->given = mark;
    return TG_OK;
}

static void set_trouble(token_source *self, const char *why)
{
    (void)pthread_mutex_lock(&self->lock);
    const bool changed = strcmp(self->trouble, why) != 0;
    (void)snprintf(self->trouble, sizeof self->trouble, "%s", why);
    (void)pthread_mutex_unlock(&self->lock);
    if (changed && self->on_trouble != NULL) {
        self->on_trouble(self->ctx);
    }
}

static void answer(token_source *self, tg_client *client, tg_token_reason reason)
{
    char token[SECRET_SIZE] = "";
    char why[TOKEN_TROUBLE_SIZE] = "";
    const char *path = settings_text(self->from, SETTING_TOKEN_FILE);
    tg_err err = TG_OK;
    if (path != NULL) {
        err = take_from_file(self, path, reason, token, why, sizeof why);
    } else {
        err = token_command_run(settings_text(self->from, SETTING_TOKEN_COMMAND),
                                settings_command_folder(self->from), COMMAND_LIMIT_MS,
                                self->cancel[0], token, why, sizeof why);
    }
    if (err == TG_ERR_CLOSED) {
        return;
    }
    /* Told before the client draws its conclusions, so that they can be explained. */
    set_trouble(self, why);
    err = tg_client_token(client, err == TG_OK ? token : NULL);
    secret_wipe(token, sizeof token);
    if (err == TG_ERR_INVALID_ARGUMENT) {
        (void)snprintf(why, sizeof why, "%s: that is no token: 1 to 8,192 signs of visible ASCII",
                       settings_key(path != NULL ? SETTING_TOKEN_FILE : SETTING_TOKEN_COMMAND));
        set_trouble(self, why);
        /* Still the same question. It may have been withdrawn by now; then nobody waits. */
        (void)!tg_client_token(client, NULL);
    }
}

static void *serve(void *arg)
{
    token_source *self = arg;
    (void)pthread_mutex_lock(&self->lock);
    while (!self->stopping) {
        if (!self->is_asked) {
            (void)pthread_cond_wait(&self->asked, &self->lock);
            continue;
        }
        self->is_asked = false;
        tg_client *client = self->client;
        const tg_token_reason reason = self->reason;
        (void)pthread_mutex_unlock(&self->lock);
        answer(self, client, reason);
        (void)pthread_mutex_lock(&self->lock);
    }
    (void)pthread_mutex_unlock(&self->lock);
    return NULL;
}

/* What would only be said after the window is open, if at all. */
static tg_err try_file(const char *path, char *why, size_t why_size)
{
    char token[SECRET_SIZE];
    char detail[256] = "";
    const tg_err err = secret_read(path, token, detail, sizeof detail);
    secret_wipe(token, sizeof token);
    if (err != TG_OK) {
        (void)snprintf(why, why_size, "token_file: %s", detail);
    }
    return err;
}

/* Neither end is for the command, which would keep it open. */
static bool open_pipe(int ends[2])
{
    return pipe(ends) == 0 && fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 &&
           fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0;
}

tg_err token_source_open(const settings *from, void (*on_trouble)(void *ctx), void *ctx,
                         token_source **out, char *why, size_t why_size)
{
    *out = NULL;
    const char *path = settings_text(from, SETTING_TOKEN_FILE);
    if (path == NULL && settings_text(from, SETTING_TOKEN_COMMAND) == NULL) {
        return TG_OK;
    }
    const tg_err err = path != NULL ? try_file(path, why, why_size) : TG_OK;
    if (err != TG_OK) {
        return err;
    }
    token_source *self = calloc(1, sizeof *self);
    if (self != NULL) {
        self->from = from;
        self->on_trouble = on_trouble;
        self->ctx = ctx;
        (void)pthread_mutex_init(&self->lock, NULL);
        (void)pthread_cond_init(&self->asked, NULL);
        self->cancel[0] = -1;
        self->cancel[1] = -1;
        self->has_thread =
            open_pipe(self->cancel) && pthread_create(&self->thread, NULL, serve, self) == 0;
    }
    if (self == NULL || !self->has_thread) {
        token_source_close(self);
        (void)snprintf(why, why_size, "token: %s", tg_err_text(TG_ERR_NO_MEMORY));
        return TG_ERR_NO_MEMORY;
    }
    *out = self;
    return TG_OK;
}

void token_source_ask(token_source *self, tg_client *client, tg_token_reason reason)
{
    (void)pthread_mutex_lock(&self->lock);
    self->is_asked = true;
    self->client = client;
    self->reason = reason;
    (void)pthread_cond_signal(&self->asked);
    (void)pthread_mutex_unlock(&self->lock);
}

void token_source_stop(token_source *self)
{
    if (self == NULL || !self->has_thread) {
        return;
    }
    (void)pthread_mutex_lock(&self->lock);
    self->stopping = true;
    (void)pthread_cond_signal(&self->asked);
    (void)pthread_mutex_unlock(&self->lock);
    (void)close(self->cancel[1]); /* its other end reads as ended */
    self->cancel[1] = -1;
    (void)pthread_join(self->thread, NULL);
    self->has_thread = false;
}

void token_source_close(token_source *self)
{
    if (self == NULL) {
        return;
    }
    token_source_stop(self);
    for (int i = 0; i < 2; i++) {
        if (self->cancel[i] >= 0) {
            (void)close(self->cancel[i]);
        }
    }
    (void)pthread_cond_destroy(&self->asked);
    (void)pthread_mutex_destroy(&self->lock);
    free(self);
}

void token_source_trouble(token_source *self, char text[TOKEN_TROUBLE_SIZE])
{
    (void)pthread_mutex_lock(&self->lock);
    (void)snprintf(text, TOKEN_TROUBLE_SIZE, "%s", self->trouble);
    (void)pthread_mutex_unlock(&self->lock);
}
