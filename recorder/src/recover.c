#include "recover.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tickglass/internal/control_flow.h>

#include "bytes.h"
#include "pack.h"
#include "rings_read.h"

#define PAGE_SIZE   4096u
#define SOFT_SIZE   (UINT32_C(96) << 10)
#define BUFFER_SIZE (SOFT_SIZE + TG_RECORD_BYTES_MAX + 4096u)
#define FILE_MODE   0600

typedef struct recovery {
    const tg__log_file *files;
    size_t file_count;
    tg__recover_report *report;
    tg__rings_image rings; /* not open: there are none */
    tg__site_info *sites;
    tg__pack pack;
    unsigned char *buffer;
    int fd;
} recovery;

static tg_err write_all(int fd, const unsigned char *bytes, size_t size)
{
    while (size != 0) {
        const ssize_t wrote = write(fd, bytes, size);
        if (wrote < 0 && errno == EINTR) {
            continue;
        }
        TG_ENSURE(wrote > 0, TG_ERR_IO);
        bytes += wrote;
        size -= (size_t)wrote;
    }
    return TG_OK;
}

static tg_err write_block(recovery *r, const tg__block *block)
{
    return write_all(r->fd, r->buffer, tg__block_seal(block, r->buffer));
}

/* TG_OK without an image: there are no rings. */
static tg_err find_rings(recovery *r, const char *asked)
{
    char beside[TG__RINGS_PATH_SIZE];
    const tg__file_info *info = &r->files[0].info;
    const char *path = asked != NULL ? asked : info->rings_path;
    tg_err err = tg__rings_image_open(path, &r->rings);
    if (err == TG_ERR_IO && errno == ENOENT && asked == NULL) {
        const int length = snprintf(beside, sizeof beside, "%s.rings", r->files[0].path);
        if (length > 0 && (size_t)length < sizeof beside) {
            path = beside;
            err = tg__rings_image_open(path, &r->rings);
        }
    }
    r->report->no_rings = err == TG_ERR_IO;
    const bool gone = r->report->no_rings && (errno == ENOENT || errno == ENOTDIR);
    (void)snprintf(r->report->rings_path, sizeof r->report->rings_path, "%s",
                   gone && asked == NULL ? info->rings_path : path);
    if (r->report->no_rings) {
        return gone && asked == NULL ? TG_OK : TG_ERR_IO;
    }
    TG_TRY(err);
    TG_ENSURE(r->rings.header->recorder_id == info->recorder_id, TG_ERR_FORMAT);
    r->report->running = r->rings.running;
    return TG_OK;
}

static tg_err copy_blocks(recovery *r)
{
    for (size_t i = 0; i < r->file_count; i++) {
        const tg__log_file *file = &r->files[i];
        size_t at = 0;
        while (at < file->size) {
            tg__block block;
            if (tg__block_open(file->bytes + at, file->size - at, &block) != TG_OK) {
                at++; /* damaged: the index has reported it; look for the next whole one */
                continue;
            }
            const size_t size = TG__BLOCK_HEADER + (size_t)block.payload_size;
            if (block.kind != TG__BLOCK_END && (i == 0 || block.kind != TG__BLOCK_FILE)) {
                TG_TRY(write_all(r->fd, file->bytes + at, size));
                r->report->blocks++;
            }
            at += size;
        }
    }
    return TG_OK;
}

/* Entries of the mapping that the files lack; all of them go into r->sites. */
static tg_err copy_dictionary(recovery *r)
{
    const unsigned char *bytes = r->rings.base + PAGE_SIZE;
    const uint64_t said =
        atomic_load_explicit(&r->rings.header->dictionary_size, memory_order_acquire);
    const size_t end = said < TG__DICTIONARY_BYTES ? (size_t)said : TG__DICTIONARY_BYTES;
    size_t at = 0;
    while (at < end) {
        tg__site_info info;
        size_t size = 0;
        if (tg__site_decode(bytes + at, end - at, &info, &size) != TG_OK) {
            (void)snprintf(r->report->problem, sizeof r->report->problem,
                           "the dictionary in the rings is damaged at byte %zu", at);
            return TG_OK;
        }
        bool known = false;
        for (size_t i = 0; i < r->file_count; i++) {
            known = known || r->files[i].sites[info.id].id != 0;
        }
        if (!known) {
            memcpy(r->buffer + TG__BLOCK_HEADER, bytes + at, size);
            const tg__block block = {.kind = TG__BLOCK_DICTIONARY, .payload_size = (uint32_t)size};
            TG_TRY(write_block(r, &block));
        }
        r->sites[info.id] = info;
        at += size;
    }
    return TG_OK;
}

/* The size of the whole record at position, or 0: then it is not one. */
static size_t sound_record(const recovery *r, const unsigned char *data, uint64_t position,
                           uint64_t end)
{
    const uint64_t mask = r->rings.header->ring_size - 1u;
    const unsigned char *record = data + (position & mask);
    const uint64_t room = (position | mask) + 1 - position < end - position
                              ? (position | mask) + 1 - position
                              : end - position;
    if (room < 8) {
        return 0;
    }
    const uint32_t size = tg__get_u32(record);
    const uint32_t id = tg__get_u32(record + 4) & ~TG__SITE_STAMP_NS;
    if (size > room || size < 8 || size % 8 != 0) {
        return 0;
    }
    if (id == TG__RING_PAD) {
        return size;
    }
    size_t used = 0;
    if (size < TG__RECORD_HEADER || id == 0 || id > TG__SITES_MAX || r->sites[id].id == 0 ||
        !tg__site_arguments_fit(&r->sites[id], record + TG__RECORD_HEADER, size - TG__RECORD_HEADER,
                                &used) ||
        ((used + 7u) & ~(size_t)7u) != size - TG__RECORD_HEADER) {
        return 0;
    }
    return size;
}

static tg_err copy_ring(recovery *r, uint32_t ring, uint64_t start, uint64_t end)
{
    const unsigned char *data =
        r->rings.base + r->rings.header->data_offset + (uint64_t)ring * r->rings.header->ring_size;
    const uint64_t mask = r->rings.header->ring_size - 1u;
    uint64_t position = start;
    while (position < end) {
        tg__block block = {.kind = TG__BLOCK_RECORDS,
                           .thread = r->rings.controls[ring].thread,
                           .ring = ring,
                           .position = position};
        unsigned char *begin = r->buffer + TG__BLOCK_HEADER;
        unsigned char *at = begin;
        tg__pack_begin_block(&r->pack);
        while (position < end && (size_t)(at - begin) < SOFT_SIZE) {
            const size_t size = sound_record(r, data, position, end);
            if (size == 0) {
                (void)snprintf(r->report->problem, sizeof r->report->problem,
                               "ring %u (thread %u) is damaged at position %llu", ring,
                               r->rings.controls[ring].thread, (unsigned long long)position);
                end = position;
                break;
            }
            const unsigned char *record = data + (position & mask);
            const uint32_t id = tg__get_u32(record + 4) & ~TG__SITE_STAMP_NS;
            if (id != TG__RING_PAD) {
                at += tg__pack_record(&r->pack, &r->sites[id], record, at);
                block.record_count++;
            }
            position += size;
        }
        block.payload_size = (uint32_t)(at - begin);
        block.position_end = position;
        TG_TRY(write_block(r, &block));
        r->report->ring_records += block.record_count;
    }
    return TG_OK;
}

static tg_err write_note(recovery *r, uint32_t ring, uint32_t kind, uint64_t all, uint64_t told)
{
    if (all <= told) {
        return TG_OK;
    }
    r->report->lost += all - told;
    const tg__note note = {
        .kind = kind, .thread = r->rings.controls[ring].thread, .count = all - told};
    const tg__block block = {.kind = TG__BLOCK_NOTE,
                             .payload_size =
                                 (uint32_t)tg__note_encode(&note, r->buffer + TG__BLOCK_HEADER)};
    return write_block(r, &block);
}

/* Then the files that there are do not say which part of a ring has been written, but the rings do,
 * unless heads are ahead of the files or go on while we read. */
static bool older_files_are_gone(const recovery *r)
{
    bool gone = r->files[0].info.file_number != 1;
    for (size_t i = 1; i < r->file_count; i++) {
        gone = gone || r->files[i].info.file_number > r->files[i - 1].info.file_number + 1;
    }
    return gone && r->rings.header->overwrites == 0 && !r->report->running;
}

static tg_err copy_rings(recovery *r)
{
    for (uint32_t ring = 0; ring < r->rings.header->threads_max; ring++) {
        const tg__ring_control *control = &r->rings.controls[ring];
        /* Acquire pairs with tg__record_commit, should the process still run. */
        const uint64_t end = atomic_load_explicit(&control->tail, memory_order_acquire);
        const uint64_t claimed = atomic_load_explicit(&control->claimed, memory_order_acquire);
        /* What the producer had not begun to overwrite, and no file has. */
        uint64_t start =
            claimed > r->rings.header->ring_size ? claimed - r->rings.header->ring_size : 0;
        if (older_files_are_gone(r)) {
            /* Acquire pairs with the writer's release: what is before it has been in some file. */
            const uint64_t head = atomic_load_explicit(&control->head, memory_order_acquire);
            start = head > start ? head : start;
        }
        for (size_t i = 0; i < r->file_count; i++) {
            start = r->files[i].position_end[ring] > start ? r->files[i].position_end[ring] : start;
        }
        if (start < end && end - start <= r->rings.header->ring_size) {
            const size_t size = strnlen(control->name, sizeof control->name);
            memcpy(r->buffer + TG__BLOCK_HEADER, control->name, size);
            const tg__block block = {.kind = TG__BLOCK_THREAD,
                                     .payload_size = (uint32_t)size,
                                     .thread = control->thread,
                                     .ring = ring};
            TG_TRY(write_block(r, &block));
            TG_TRY(copy_ring(r, ring, start, end));
            r->report->rings++;
        }
        TG_TRY(write_note(r, ring, TG__NOTE_DROPPED,
                          atomic_load_explicit(&control->dropped, memory_order_relaxed),
                          atomic_load_explicit(&control->dropped_told, memory_order_relaxed)));
        TG_TRY(write_note(r, ring, TG__NOTE_OVERWRITTEN,
                          atomic_load_explicit(&control->overwritten, memory_order_relaxed),
                          atomic_load_explicit(&control->overwritten_told, memory_order_relaxed)));
    }
    return TG_OK;
}

static tg_err write_anchor(recovery *r, const tg__anchor *anchor)
{
    const tg__block block = {.kind = TG__BLOCK_ANCHOR,
                             .payload_size =
                                 (uint32_t)tg__anchor_encode(anchor, r->buffer + TG__BLOCK_HEADER)};
    return write_block(r, &block);
}

/* If the machine has not been started anew since, a reading of now gives the last records a rate
 * too. */
static tg_err add_anchor_of_now(recovery *r)
{
    char boot_id[sizeof r->rings.header->boot_id] = "";
    const int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return TG_OK;
    }
    const ssize_t got = read(fd, boot_id, sizeof boot_id - 1);
    (void)close(fd);
    boot_id[got > 0 ? (size_t)got : 0] = '\0';
    boot_id[strcspn(boot_id, "\n")] = '\0';
    if (boot_id[0] == '\0' || strncmp(boot_id, r->rings.header->boot_id, sizeof boot_id) != 0 ||
        r->rings.header->clock_kind != tg__clock_kind_best()) {
        return TG_OK;
    }
    const tg__anchor now = tg__anchor_take(r->rings.header->clock_kind, NULL);
    return write_anchor(r, &now);
}

static tg_err write_recovered(recovery *r)
{
    TG_TRY(copy_blocks(r));
    if (r->rings.base != NULL) {
        TG_TRY(copy_dictionary(r));
        TG_TRY(copy_rings(r));
        TG_TRY(add_anchor_of_now(r));
    }
    const tg__block end = {.kind = TG__BLOCK_END};
    return write_block(r, &end);
}

tg_err tg__recover(const tg__log_file *files, size_t file_count, const char *rings_path,
                   const char *out_path, tg__recover_report *report)
{
    memset(report, 0, sizeof *report);
    recovery r = {.files = files, .file_count = file_count, .report = report, .fd = -1};
    bool made = false;
    tg_err err = tg__pack_init(&r.pack, TG__SITES_MAX + 1);
    r.sites = calloc(TG__SITES_MAX + 1, sizeof *r.sites);
    r.buffer = malloc(BUFFER_SIZE);
    if (err != TG_OK || r.sites == NULL || r.buffer == NULL) {
        err = TG_ERR_NO_MEMORY;
        goto done;
    }
    err = find_rings(&r, rings_path);
    if (err != TG_OK) {
        goto done;
    }
    r.fd = open(out_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, FILE_MODE);
    if (r.fd < 0) {
        err = TG_ERR_IO;
        goto done;
    }
    made = true;
    err = write_recovered(&r);

done:;
    const int failure = errno;
    if (r.fd >= 0 && close(r.fd) != 0 && err == TG_OK) {
        err = TG_ERR_IO;
    }
    if (made && err != TG_OK) {
        (void)unlink(out_path);
    }
    tg__rings_image_close(&r.rings);
    tg__pack_deinit(&r.pack);
    free(r.sites);
    free(r.buffer);
    errno = failure;
    return err;
}
