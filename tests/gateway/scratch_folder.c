#include "tg_cmocka.h"

#include "scratch_folder.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kept_folder.h"

void scratch_folder_open(scratch_folder *folder)
{
    const char *base = getenv("TMPDIR");
    (void)snprintf(folder->path, sizeof folder->path, "%s/tickglass-gateway-test-XXXXXX",
                   base != NULL && strlen(base) < 64 ? base : "/tmp");
    assert_non_null(mkdtemp(folder->path));
    kept_folder_made(folder->path);
}

static void empty_folder(const char *path)
{
    DIR *listing = opendir(path);
    if (listing == NULL) {
        return;
    }
    for (struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
        char inner[512];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) {
            continue;
        }
        (void)snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        if (unlink(inner) != 0) {
            empty_folder(inner);
            (void)rmdir(inner);
        }
    }
    (void)closedir(listing);
}

void scratch_folder_close(scratch_folder *folder)
{
    empty_folder(folder->path);
    assert_int_equal(rmdir(folder->path), 0);
}

const char *scratch_path(const scratch_folder *folder, const char *name)
{
    static char paths[4][256];
    static unsigned next;
    char *path = paths[next++ % 4];
    (void)snprintf(path, sizeof paths[0], "%s/%s", folder->path, name);
    return path;
}

void scratch_write(const scratch_folder *folder, const char *name, const void *bytes, size_t size)
{
    FILE *file = fopen(scratch_path(folder, name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

void scratch_read(const scratch_folder *folder, const char *name, char *out, size_t size)
{
    FILE *file = fopen(scratch_path(folder, name), "rb");
    assert_non_null(file);
    const size_t got = fread(out, 1, size, file);
    assert_true(got < size);
    out[got] = '\0';
    assert_int_equal(fclose(file), 0);
}
