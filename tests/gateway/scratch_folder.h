/* A folder of its own for a test, removed with what the test put there. */
#ifndef TG_TESTS_SCRATCH_FOLDER_H
#define TG_TESTS_SCRATCH_FOLDER_H

#include <stddef.h>

typedef struct scratch_folder {
    char path[128];
} scratch_folder;

void scratch_folder_open(scratch_folder *folder);
void scratch_folder_close(scratch_folder *folder);

/* folder/name in a static buffer; valid until the fourth call from now. */
const char *scratch_path(const scratch_folder *folder, const char *name);
void scratch_write(const scratch_folder *folder, const char *name, const void *bytes, size_t size);
/* NUL-terminated; fails the test if it is not there or longer. */
void scratch_read(const scratch_folder *folder, const char *name, char *out, size_t size);

#endif
