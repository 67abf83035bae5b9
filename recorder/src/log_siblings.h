/** The files that one recorder has written beside each other. */
#ifndef TICKGLASS_LOG_SIBLINGS_H
#define TICKGLASS_LOG_SIBLINGS_H

#include <stddef.h>
#include <stdint.h>

#include <tickglass/err.h>

typedef struct log_sibling {
    char *path;
    uint32_t number; /**< of the file, from 1 */
} log_sibling;

typedef struct log_siblings {
    log_sibling *files; /**< oldest first */
    size_t count;
} log_siblings;

/**
 * Those whose name is the path's but for a number at its end, and which say that they are of this
 * recorder. Numbers may be missing, and path itself may be gone.
 * @retval TG_ERR_IO  the directory cannot be read
 * @retval TG_ERR_NO_MEMORY
 */
TG_MUST_CHECK tg_err log_siblings_find(const char *path, uint64_t recorder_id, log_siblings *out);
void log_siblings_free(log_siblings *siblings);

#endif
