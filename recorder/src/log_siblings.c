#include "log_siblings.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

#include "file_head.h"

/* The length of a name without ".number" at its end. */
static size_t stem_length(const char *name)
{
    const char *dot = strrchr(name, '.');
    const bool is_numbered = dot != NULL && dot != name && dot[1] != '\0' &&
                             dot[1 + strspn(dot + 1, "0123456789")] == '\0';
    return is_numbered ? (size_t)(dot - name) : strlen(name);
}

/* True for the name itself with a number at its end or without, or with another number. */
static bool is_of_row(const char *name, const char *other)
{
    const size_t stem = stem_length(name);
    const size_t other_stem = stem_length(other);
    return strcmp(name, other) == 0 || (other_stem == stem && memcmp(name, other, stem) == 0) ||
           (other_stem == strlen(name) && memcmp(name, other, other_stem) == 0);
}

static tg_err add(log_siblings *siblings, const char *dir, size_t dir_length, const char *name,
                  uint64_t recorder_id)
{
    const size_t size = dir_length + strlen(name) + 1;
    char *path = malloc(size);
    TG_ENSURE(path != NULL, TG_ERR_NO_MEMORY);
    (void)snprintf(path, size, "%.*s%s", (int)dir_length, dir, name);
    tg__file_info info;
    if (tg__file_head_read(path, &info) != TG_OK || info.recorder_id != recorder_id) {
        free(path); /* somebody else's */
        return TG_OK;
    }
    log_sibling *larger = realloc(siblings->files, (siblings->count + 1) * sizeof *siblings->files);
    if (larger == NULL) {
        free(path);
        return TG_ERR_NO_MEMORY;
    }
    siblings->files = larger;
    siblings->files[siblings->count++] = (log_sibling){path, info.file_number};
    return TG_OK;
}

static int compare_numbers(const void *left, const void *right)
{
    const uint32_t a = ((const log_sibling *)left)->number;
    const uint32_t b = ((const log_sibling *)right)->number;
    return (a > b) - (a < b);
}

tg_err log_siblings_find(const char *path, uint64_t recorder_id, log_siblings *out)
{
    memset(out, 0, sizeof *out);
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    const size_t dir_length = (size_t)(name - path);
    char *dir = malloc(dir_length + 2);
    TG_ENSURE(dir != NULL, TG_ERR_NO_MEMORY);
    (void)snprintf(dir, dir_length + 2, "%.*s", (int)dir_length, path);
    DIR *entries = opendir(dir_length != 0 ? dir : ".");
    tg_err err = entries != NULL ? TG_OK : TG_ERR_IO;
    while (err == TG_OK) {
        const struct dirent *entry = readdir(entries);
        if (entry == NULL) {
            break;
        }
        if (is_of_row(name, entry->d_name)) {
            err = add(out, dir, dir_length, entry->d_name, recorder_id);
        }
    }
    if (entries != NULL) {
        (void)closedir(entries);
    }
    free(dir);
    if (err != TG_OK) {
        log_siblings_free(out);
        return err;
    }
    if (out->count != 0) {
        qsort(out->files, out->count, sizeof *out->files, compare_numbers);
    }
    return TG_OK;
}

void log_siblings_free(log_siblings *siblings)
{
    for (size_t i = 0; i < siblings->count; i++) {
        free(siblings->files[i].path);
    }
    free(siblings->files);
    siblings->files = NULL;
    siblings->count = 0;
}
