/**
 * The folder in which a gateway keeps what outlives it: certificate, token, epochs.
 *
 * Files are replaced whole (written beside, fsynced, renamed), so that a crash leaves the old or
 * the new one. A lock keeps a second gateway out: two would give equal versions to different ticks.
 */
#ifndef TG_GATEWAY_STATE_DIR_H
#define TG_GATEWAY_STATE_DIR_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "cause.h"

#define TG__PATH_SIZE      1024u
#define TG__STATE_DIR_LOCK "lock" /* the file whose lock a gateway holds as long as it runs */

typedef struct tg__state_dir {
    char path[TG__PATH_SIZE];
    int lock_fd; /* -1: not open */
} tg__state_dir;

/*
 * Where it is, and nothing more: makes nothing and takes no lock. path NULL: as below. TG_ERR_IO,
 * TG_ERR_INVALID_ARGUMENT.
 */
TG_MUST_CHECK tg_err tg__state_dir_locate(tg__state_dir *dir, const char *path, tg__cause *cause);

/*
 * path NULL: $XDG_STATE_HOME/tickglass-gateway, else $HOME/.local/state/tickglass-gateway. Makes
 * missing folders, readable by the owner alone. TG_ERR_IO; TG_ERR_STATE: another gateway has it.
 */
TG_MUST_CHECK tg_err tg__state_dir_open(tg__state_dir *dir, const char *path, tg__cause *cause);
void tg__state_dir_close(tg__state_dir *dir);

/* folder/name. TG_ERR_BUFFER_TOO_SMALL. */
TG_MUST_CHECK tg_err tg__state_dir_path(const tg__state_dir *dir, const char *name,
                                        char out[TG__PATH_SIZE], tg__cause *cause);

/* The whole file, NUL behind it. TG_ERR_NOT_FOUND: there is none; TG_ERR_IO; TG_ERR_FORMAT: it is
 * longer than capacity - 1. */
TG_MUST_CHECK tg_err tg__file_read(const char *path, char *out, size_t capacity, size_t *size,
                                   tg__cause *cause);

/* Replaces the file; on TG_OK it has reached the disk under its name. */
TG_MUST_CHECK tg_err tg__file_write(const char *path, const void *bytes, size_t size, mode_t mode,
                                    tg__cause *cause);

#endif
