/*
 * Runs a fuzz target over the files of the folders and files that are named, without libFuzzer.
 * A folder that is empty or absent is an error: a corpus that is not there tests nothing.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path)
{
    FILE *const file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        return -1;
    }
    /* An exact-size block, so that ASan sees the first byte read past the end. */
    uint8_t *bytes = NULL;
    long size = -1;
    if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0 &&
        fseek(file, 0, SEEK_SET) == 0) {
        bytes = malloc(size > 0 ? (size_t)size : 1);
    }
    int result = -1;
    if (bytes != NULL && fread(bytes, 1, (size_t)size, file) == (size_t)size) {
        result = LLVMFuzzerTestOneInput(bytes, (size_t)size);
    } else {
        fprintf(stderr, "%s: cannot be read\n", path);
    }
    free(bytes);
    (void)fclose(file);
    return result;
}

static int replay_folder(const char *folder, unsigned *count)
{
    DIR *const dir = opendir(folder);
    if (dir == NULL) {
        perror(folder);
        return -1;
    }
    int result = 0;
    for (const struct dirent *entry = readdir(dir); entry != NULL && result == 0;
         entry = readdir(dir)) {
        char path[4096];
        struct stat info;
        const int length = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (length < 0 || (size_t)length >= sizeof path) {
            fprintf(stderr, "%s/%s: name too long\n", folder, entry->d_name);
            result = -1;
        } else if (stat(path, &info) == 0 && S_ISREG(info.st_mode)) {
            result = replay_file(path);
            (*count)++;
        }
    }
    (void)closedir(dir);
    return result;
}

int main(int argc, char **argv)
{
    unsigned count = 0;
    for (int i = 1; i < argc; i++) {
        struct stat info;
        if (stat(argv[i], &info) != 0) {
            perror(argv[i]);
            return 1;
        }
        int result = 0;
        if (S_ISDIR(info.st_mode)) {
            result = replay_folder(argv[i], &count);
        } else {
            result = replay_file(argv[i]);
            count++;
        }
        if (result != 0) {
            return 1;
        }
    }
    printf("%u inputs replayed\n", count);
    return count > 0 ? 0 : 1;
}
