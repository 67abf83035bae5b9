#include "retention.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tickglass/internal/control_flow.h>

#include "file_head.h"

#define NUMBER_ROOM 16

void tg__retention_init(tg__retention *retention, uint64_t recorder_id, uint32_t keep_files,
                        uint64_t keep_bytes)
{
    memset(retention, 0, sizeof *retention);
    retention->recorder_id = recorder_id;
    retention->keep_files = keep_files;
    retention->keep_bytes = keep_bytes;
}

void tg__retention_deinit(tg__retention *retention)
{
    free(retention->files);
    retention->files = NULL;
    retention->count = 0;
    retention->capacity = 0;
}

void tg__retention_add(tg__retention *retention, uint32_t suffix, uint64_t size)
{
    if (retention->keep_files == 0 && retention->keep_bytes == 0) {
        return;
    }
    if (retention->count == retention->capacity) {
        const size_t capacity = retention->capacity == 0 ? 16 : retention->capacity * 2;
        tg__closed_file *larger = realloc(retention->files, capacity * sizeof *larger);
        if (larger == NULL) {
            return;
        }
        retention->files = larger;
        retention->capacity = capacity;
    }
    retention->files[retention->count++] = (tg__closed_file){suffix, size};
    retention->bytes += size;
}

static bool is_over(const tg__retention *retention)
{
    return retention->count != 0 &&
           ((retention->keep_files != 0 && retention->count > retention->keep_files) ||
            (retention->keep_bytes != 0 && retention->bytes > retention->keep_bytes));
}

/* By what the file says of itself: a number of an inode would be used again for a stranger's. */
static bool is_own(const tg__retention *retention, const char *name)
{
    tg__file_info info;
    return tg__file_head_read(name, &info) == TG_OK && info.recorder_id == retention->recorder_id;
}

tg_err tg__retention_apply(tg__retention *retention, const char *path, char *name,
                           uint32_t *removed)
{
    *removed = 0;
    while (is_over(retention)) {
        const tg__closed_file oldest = retention->files[0];
        const size_t size = strlen(path) + NUMBER_ROOM;
        (void)(oldest.suffix == 0 ? snprintf(name, size, "%s", path)
                                  : snprintf(name, size, "%s.%u", path, (unsigned)oldest.suffix));
        if (is_own(retention, name)) {
            TG_ENSURE(unlink(name) == 0, TG_ERR_IO);
            (*removed)++;
        }
        retention->bytes -= oldest.size;
        retention->count--;
        memmove(retention->files, retention->files + 1,
                retention->count * sizeof *retention->files);
    }
    return TG_OK;
}
