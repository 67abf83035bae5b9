/** A directory of the test's own under TMPDIR, removed with what is in it. */
#ifndef TG_TESTS_RECORDER_SCRATCH_DIR_H
#define TG_TESTS_RECORDER_SCRATCH_DIR_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../kept_folder.h"

typedef struct scratch_dir {
    char path[512];
} scratch_dir;

static inline scratch_dir scratch_make(void)
{
    scratch_dir dir;
    const char *base = getenv("TMPDIR");
    (void)snprintf(dir.path, sizeof dir.path, "%s/tg-recorder-XXXXXX",
                   base != NULL && base[0] != '\0' ? base : "/tmp");
    if (mkdtemp(dir.path) == NULL) {
        perror("mkdtemp");
        abort();
    }
    kept_folder_made(dir.path);
    return dir;
}

static inline const char *scratch_name(const scratch_dir *dir, const char *name, char *out,
                                       size_t size)
{
    (void)snprintf(out, size, "%s/%s", dir->path, name);
    return out;
}

/** The number of entries whose name ends like this. */
static inline int scratch_count(const scratch_dir *dir, const char *ending)
{
    int count = 0;
    DIR *entries = opendir(dir->path);
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        const size_t length = strlen(entry->d_name);
        const size_t wanted = strlen(ending);
        count += length >= wanted && strcmp(entry->d_name + length - wanted, ending) == 0;
    }
    (void)closedir(entries);
    return count;
}

static inline void scratch_remove(const scratch_dir *dir)
{
    DIR *entries = opendir(dir->path);
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        if (entry->d_name[0] != '.') {
            char name[1024];
            (void)unlink(scratch_name(dir, entry->d_name, name, sizeof name));
        }
    }
    (void)closedir(entries);
    (void)rmdir(dir->path);
}

#endif
