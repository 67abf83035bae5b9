/* A tick log as the gateway writes it, made by hand: shares no code with the reader. */
#ifndef SWARM_TICK_LOG_WRITER_H
#define SWARM_TICK_LOG_WRITER_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct tick_log_writer {
    char path[32];
    int fd;
} tick_log_writer;

static inline void tick_log_put(tick_log_writer *w, uint64_t value, size_t size)
{
    unsigned char bytes[8];
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (unsigned char)(value >> 8 * i);
    }
    if (write(w->fd, bytes, size) != (ssize_t)size) {
        abort();
    }
}

static inline void tick_log_begin(tick_log_writer *w, const char *magic, uint32_t record_size)
{
    (void)strcpy(w->path, "tick-log-XXXXXX");
    w->fd = mkstemp(w->path);
    if (w->fd < 0 || write(w->fd, magic, 8) != 8) {
        abort();
    }
    tick_log_put(w, record_size, 4);
    tick_log_put(w, UINT64_C(0x1122334455667788), 8);
}

static inline void tick_log_write(tick_log_writer *w, uint16_t id, uint32_t epoch, uint64_t seq,
                                  int64_t scheduled_ns)
{
    tick_log_put(w, id, 2);
    tick_log_put(w, 0, 2);
    tick_log_put(w, epoch, 4);
    tick_log_put(w, seq, 8);
    tick_log_put(w, (uint64_t)scheduled_ns, 8);
    tick_log_put(w, (uint64_t)scheduled_ns + 1000, 8);
}

/* Closes and removes it; whoever has it open keeps it. */
static inline void tick_log_end(tick_log_writer *w)
{
    (void)close(w->fd);
    (void)unlink(w->path);
}

#endif
