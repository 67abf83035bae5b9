/*
 * Temporary folders of tests. Whoever passes removes his own; one that fails leaves it with what
 * may explain the failure, and this says where it is when the process ends.
 */
#ifndef KEPT_FOLDER_H
#define KEPT_FOLDER_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

#define KEPT_FOLDERS_MAX      64 /* more in one process are not told */
#define KEPT_FOLDER_PATH_SIZE 512

static char kept_folders[KEPT_FOLDERS_MAX][KEPT_FOLDER_PATH_SIZE];
static size_t kept_folder_count;
static pid_t kept_folder_owner; /* children have copies of the list, and it is not theirs */

static inline void kept_folder_tell(void)
{
    for (size_t i = 0; i < kept_folder_count && getpid() == kept_folder_owner; i++) {
        if (access(kept_folders[i], F_OK) == 0) {
            (void)fprintf(stderr, "kept: %s\n", kept_folders[i]);
        }
    }
}

/* Call it when a folder has been made; nothing needs to be said when it is removed. */
static inline void kept_folder_made(const char *path)
{
    if (kept_folder_owner != getpid()) {
        kept_folder_count = 0;
        kept_folder_owner = getpid();
        (void)atexit(kept_folder_tell);
    }
    /* The place of one that is gone is free again. */
    size_t at = 0;
    while (at < kept_folder_count && access(kept_folders[at], F_OK) == 0) {
        at++;
    }
    if (at < KEPT_FOLDERS_MAX) {
        (void)snprintf(kept_folders[at], KEPT_FOLDER_PATH_SIZE, "%s", path);
        kept_folder_count = at == kept_folder_count ? at + 1 : kept_folder_count;
    }
}

#endif
