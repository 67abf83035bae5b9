#include "tick_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEADER_SIZE     20u
#define RECORD_SIZE_MIN 32u
#define RECORD_SIZE_MAX 4096u
#define IDS             65536u

typedef struct track {
    uint64_t first_seq;
    uint64_t count;
    uint64_t place; /* of its first time among all */
} track;

struct tick_log {
    uint64_t count; /* records */
    int64_t first_ns;
    int64_t last_ns;
    int64_t *times; /* instrument after instrument, seq after seq */
    track tracks[IDS];
};

typedef struct bytes {
    const uint8_t *at;
    size_t size;
    size_t record_size;
} bytes;

static uint64_t get(const uint8_t *at, size_t size)
{
    uint64_t value = 0;
    while (size-- > 0) {
        value = value << 8 | at[size];
    }
    return value;
}

static uint16_t id_of(const uint8_t *record)
{
    return (uint16_t)get(record, 2);
}

static uint64_t seq_of(const uint8_t *record)
{
    return get(record + 8, 8);
}

static bool check_header(bytes *file, why *what)
{
    if (file->size < HEADER_SIZE || memcmp(file->at, "TGTICKS1", 8) != 0) {
        return why_say(what, "not a tick log");
    }
    file->record_size = (size_t)get(file->at + 8, 4);
    if (file->record_size < RECORD_SIZE_MIN || file->record_size > RECORD_SIZE_MAX) {
        return why_say(what, "records of %zu bytes", file->record_size);
    }
    return true;
}

/* How many ticks each instrument has; a hole would shift every later tick. */
static bool survey(tick_log *log, const bytes *file, why *what)
{
    log->count = (file->size - HEADER_SIZE) / file->record_size;
    for (uint64_t i = 0; i < log->count; i++) {
        const uint8_t *const record = file->at + HEADER_SIZE + i * file->record_size;
        track *const t = &log->tracks[id_of(record)];
        const uint64_t seq = seq_of(record);
        if (t->count == 0) {
            t->first_seq = seq;
            t->count = 1;
        } else if (seq == t->first_seq + t->count) {
            t->count++;
        } else if (seq != t->first_seq + t->count - 1) {
            return why_say(what, "record %llu: instrument %u goes from seq %llu to %llu",
                           (unsigned long long)i, (unsigned)id_of(record),
                           (unsigned long long)(t->first_seq + t->count - 1),
                           (unsigned long long)seq);
        }
    }
    return true;
}

static void fill(tick_log *log, const bytes *file)
{
    uint64_t place = 0;
    for (size_t id = 0; id < IDS; id++) {
        log->tracks[id].place = place;
        place += log->tracks[id].count;
        log->tracks[id].count = 0;
    }
    for (uint64_t i = 0; i < log->count; i++) {
        const uint8_t *const record = file->at + HEADER_SIZE + i * file->record_size;
        track *const t = &log->tracks[id_of(record)];
        const int64_t scheduled_ns = (int64_t)get(record + 16, 8);
        log->first_ns = i == 0 || scheduled_ns < log->first_ns ? scheduled_ns : log->first_ns;
        log->last_ns = i == 0 || scheduled_ns > log->last_ns ? scheduled_ns : log->last_ns;
        if (seq_of(record) == t->first_seq + t->count) {
            log->times[t->place + t->count++] = scheduled_ns;
        }
    }
}

static bool load(tick_log *log, bytes *file, why *what)
{
    if (!check_header(file, what) || !survey(log, file, what)) {
        return false;
    }
    log->times = calloc(log->count + 1, sizeof *log->times);
    if (log->times == NULL) {
        return why_say(what, "%s", strerror(errno));
    }
    fill(log, file);
    return true;
}

static bool map(const char *path, bytes *out, why *what)
{
    struct stat status;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &status) != 0 || status.st_size < 0) {
        const int cause = errno;
        if (fd >= 0) {
            (void)close(fd);
        }
        return why_say(what, "%s", strerror(cause));
    }
    out->size = (size_t)status.st_size;
    if (out->size > 0) {
        void *const at = mmap(NULL, out->size, PROT_READ, MAP_PRIVATE, fd, 0);
        out->at = at != MAP_FAILED ? at : NULL;
    }
    (void)close(fd);
    return out->size == 0 || out->at != NULL || why_say(what, "cannot be mapped");
}

bool tick_log_open(const char *path, tick_log **out, why *reason)
{
    bytes file = {NULL, 0, 0};
    why what;
    *out = NULL;
    if (!map(path, &file, &what)) {
        return why_say(reason, "%s: %s", path, what.text);
    }
    tick_log *const log = calloc(1, sizeof *log);
    const bool good = log != NULL ? load(log, &file, &what) : why_say(&what, "no memory");
    if (file.at != NULL) {
        (void)munmap((void *)(uintptr_t)file.at, file.size);
    }
    if (!good) {
        tick_log_close(log);
        return why_say(reason, "%s: %s", path, what.text);
    }
    *out = log;
    return true;
}

void tick_log_close(tick_log *log)
{
    if (log != NULL) {
        free(log->times);
        free(log);
    }
}

uint64_t tick_log_count(const tick_log *log)
{
    return log->count;
}

double tick_log_rate(const tick_log *log)
{
    return log->last_ns > log->first_ns
               ? (double)log->count * 1e9 / (double)(log->last_ns - log->first_ns)
               : 0;
}

bool tick_log_scheduled(const tick_log *log, uint16_t id, uint64_t seq, int64_t *utc_ns)
{
    const track *const t = &log->tracks[id];
    if (seq < t->first_seq || seq - t->first_seq >= t->count) {
        return false;
    }
    *utc_ns = log->times[t->place + (seq - t->first_seq)];
    return true;
}
