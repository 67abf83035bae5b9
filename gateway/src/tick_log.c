#include "tick_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tickglass/internal/control_flow.h>

#include "log.h"
#include "write_all.h"

struct tg__tick_log {
    int fd; /* -1: not open, or the journal has ended */
    char *path;
    tg_version *last; /* by instrument id */
    size_t size;      /* of what is buffered */
    uint8_t buffer[TG__TICK_LOG_BUFFER_SIZE];
};

static void put_le(tg__tick_log *log, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++) {
        log->buffer[log->size++] = (uint8_t)(value >> (8 * i));
    }
}

static void put_header(tg__tick_log *log, uint64_t lineage)
{
    memcpy(log->buffer, TG__TICK_LOG_MAGIC, 8);
    log->size = 8;
    put_le(log, TG__TICK_LOG_RECORD_SIZE, 4);
    put_le(log, lineage, 8);
}

tg_err tg__tick_log_open(const char *path, uint64_t lineage, uint32_t instrument_count,
                         tg__tick_log **out, tg__cause *cause)
{
    *out = NULL;
    tg__tick_log *log = calloc(1, sizeof *log);
    if (log != NULL) {
        log->fd = -1;
        log->path = strdup(path);
        log->last = calloc((size_t)instrument_count + 1, sizeof *log->last);
    }
    if (log == NULL || log->path == NULL || log->last == NULL) {
        tg__tick_log_close(log);
        return tg__cause_set(cause, TG_ERR_NO_MEMORY, "%s: no memory to write it", path);
    }
    log->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    put_header(log, lineage);
    if (log->fd < 0 || !tg__write_all(log->fd, log->buffer, log->size)) {
        const tg_err err =
            tg__cause_set(cause, TG_ERR_IO, "%s: cannot be written: %s", path, strerror(errno));
        log->size = 0;
        tg__tick_log_close(log);
        return err;
    }
    log->size = 0;
    *out = log;
    return TG_OK;
}

void tg__tick_log_add(tg__tick_log *log, tg_instrument_id id, const tg_image *image,
                      int64_t ts_exchange_ns, int64_t admitted_utc_ns)
{
    const tg_version version = tg_image_version(image);
    if (log->fd < 0 || tg_version_compare(log->last[id], version) == 0) {
        return;
    }
    log->last[id] = version;
    if (sizeof log->buffer - log->size < TG__TICK_LOG_RECORD_SIZE) {
        tg__tick_log_flush(log);
    }
    put_le(log, id, 2);
    put_le(log, 0, 2);
    put_le(log, version.epoch, 4);
    put_le(log, version.seq, 8);
    put_le(log, (uint64_t)ts_exchange_ns, 8);
    put_le(log, (uint64_t)admitted_utc_ns, 8);
}

void tg__tick_log_flush(tg__tick_log *log)
{
    if (log == NULL || log->size == 0) {
        return;
    }
    if (log->fd >= 0 && !tg__write_all(log->fd, log->buffer, log->size)) {
        tg__log("%s: the journal of ticks ends here: %s", log->path, strerror(errno));
        (void)close(log->fd);
        log->fd = -1;
    }
    log->size = 0;
}

void tg__tick_log_close(tg__tick_log *log)
{
    if (log == NULL) {
        return;
    }
    tg__tick_log_flush(log);
    if (log->fd >= 0) {
        (void)close(log->fd);
    }
    free(log->path);
    free(log->last);
    free(log);
}
