/** Which closed files of a recorder stay: the oldest go first, and only its own. */
#ifndef TICKGLASS_RETENTION_H
#define TICKGLASS_RETENTION_H

#include <stddef.h>
#include <stdint.h>

#include <tickglass/err.h>

/** A file that was ended: `path` itself (suffix 0) or path.suffix. */
typedef struct tg__closed_file {
    uint32_t suffix;
    uint64_t size;
} tg__closed_file;

typedef struct tg__retention {
    uint64_t recorder_id;
    uint32_t keep_files;    /**< 0: any number */
    uint64_t keep_bytes;    /**< 0: any size */
    tg__closed_file *files; /**< oldest first */
    size_t count;
    size_t capacity;
    uint64_t bytes; /**< of all of them */
} tg__retention;

void tg__retention_init(tg__retention *retention, uint64_t recorder_id, uint32_t keep_files,
                        uint64_t keep_bytes);
void tg__retention_deinit(tg__retention *retention);

/** Remember a file that was ended. Without memory it is forgotten, which keeps it. */
void tg__retention_add(tg__retention *retention, uint32_t suffix, uint64_t size);

/**
 * Delete the oldest until no more are left than shall be. A name where another file lies by now is
 * left alone, and forgotten.
 * @param[in]  path     without suffix
 * @param[out] name     room for path and 16 bytes: the file looked at last
 * @param[out] removed  files deleted
 * @retval TG_ERR_IO  name cannot be deleted; errno says why; it is tried again the next time
 * Thread: the writer. Blocks: on the disk.
 */
TG_MUST_CHECK tg_err tg__retention_apply(tg__retention *retention, const char *path, char *name,
                                         uint32_t *removed);

#endif
