/** Runs a fuzz target over files that are kept, where there is no libFuzzer: replay FOLDER... */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Into a block of exactly the file's size, so that a sanitizer sees the first byte read past it. */
static int replay_file(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) {
        return 0;
    }
    const size_t size = (size_t)status.st_size;
    uint8_t *data = malloc(size > 0 ? size : 1);
    FILE *file = fopen(path, "rb");
    const int good = data != NULL && file != NULL && fread(data, 1, size, file) == size;
    if (good) {
        (void)LLVMFuzzerTestOneInput(data, size);
    } else {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    free(data);
    return good ? 1 : -1;
}

static int replay_folder(const char *folder)
{
    DIR *entries = opendir(folder);
    if (entries == NULL) {
        fprintf(stderr, "%s: %s\n", folder, strerror(errno));
        return -1;
    }
    int count = 0;
    const struct dirent *entry = NULL;
    while (count >= 0 && (entry = readdir(entries)) != NULL) {
        char path[4096];
        if (snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= (int)sizeof path) {
            continue;
        }
        const int replayed = replay_file(path);
        count = replayed < 0 ? -1 : count + replayed;
    }
    (void)closedir(entries);
    return count;
}

int main(int argc, char **argv)
{
    (void)LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
    for (int i = 1; i < argc; i++) {
        const int count = replay_folder(argv[i]);
        if (count < 0) {
            return 1;
        }
        printf("%s: %d inputs replayed\n", argv[i], count);
    }
    return 0;
}
