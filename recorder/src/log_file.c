#include "log_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tickglass/internal/control_flow.h>

#include "bytes.h"

#define RINGS_MAX (sizeof((tg__log_file *)0)->position_end / sizeof(uint64_t))

#define WATCH_EVERY ((size_t)1 << 20)

/* Address space beyond the end of a followed file. Pages there appear as the file grows; nothing
 * else is taken for them. */
#define FOLLOW_AHEAD (SIZE_MAX > UINT32_MAX ? (size_t)1 << 36 : (size_t)1 << 28)

/* Room for one more item behind count; the array may move. */
static tg_err grow(void **items, size_t count, size_t *capacity, size_t item_size)
{
    if (count < *capacity) {
        return TG_OK;
    }
    const size_t wanted = *capacity == 0 ? 16 : *capacity * 2;
    void *larger = realloc(*items, wanted * item_size);
    TG_ENSURE(larger != NULL, TG_ERR_NO_MEMORY);
    *items = larger;
    *capacity = wanted;
    return TG_OK;
}

void tg__log_file_problem(tg__log_file *file, tg_err err, uint64_t offset, uint64_t size,
                          const char *what)
{
    if (file->problem_count < TG__PROBLEMS_MAX) {
        tg__problem *problem = &file->problems[file->problem_count];
        problem->err = err;
        problem->offset = offset;
        problem->size = size;
        (void)snprintf(problem->text, sizeof problem->text, "%s", what);
    }
    file->problem_count++;
}

static tg_err thread_of(tg__log_file *file, uint32_t number, tg__log_thread **out)
{
    for (size_t i = file->thread_count; i > 0; i--) {
        if (file->threads[i - 1].number == number) {
            *out = &file->threads[i - 1];
            return TG_OK;
        }
    }
    void *items = file->threads;
    const tg_err err =
        grow(&items, file->thread_count, &file->thread_capacity, sizeof *file->threads);
    file->threads = items;
    TG_TRY(err);
    *out = &file->threads[file->thread_count++];
    memset(*out, 0, sizeof **out);
    (*out)->number = number;
    return TG_OK;
}

const char *tg__log_file_thread_name(const tg__log_file *file, uint32_t number)
{
    for (size_t i = 0; i < file->thread_count; i++) {
        if (file->threads[i].number == number) {
            return file->threads[i].name;
        }
    }
    return "";
}

static tg_err take_dictionary(tg__log_file *file, const tg__block *block)
{
    size_t at = 0;
    while (at < block->payload_size) {
        tg__site_info info;
        size_t size = 0;
        TG_TRY(tg__site_decode(block->payload + at, block->payload_size - at, &info, &size));
        /* The first one wins: records before a second one were written with it. */
        if (file->sites[info.id].id == 0) {
            file->sites[info.id] = info;
            file->site_end = info.id < file->site_end ? file->site_end : info.id + 1;
        }
        at += size;
    }
    return TG_OK;
}

static tg_err take_records(tg__log_file *file, const tg__block *block, uint64_t offset)
{
    tg__log_thread *thread = NULL;
    TG_TRY(thread_of(file, block->thread, &thread));
    void *items = thread->offsets;
    const tg_err err = grow(&items, thread->count, &thread->capacity, sizeof *thread->offsets);
    thread->offsets = items;
    TG_TRY(err);
    thread->offsets[thread->count++] = offset;
    file->record_count += block->record_count;
    TG_ENSURE(block->ring < RINGS_MAX, TG_ERR_CORRUPT);
    if (block->position_end > file->position_end[block->ring]) {
        file->position_end[block->ring] = block->position_end;
    }
    return TG_OK;
}

static tg_err take_note(tg__log_file *file, const tg__block *block)
{
    tg__note note;
    TG_TRY(tg__note_decode(block, &note));
    void *items = file->notes;
    const tg_err err = grow(&items, file->note_count, &file->note_capacity, sizeof *file->notes);
    file->notes = items;
    TG_TRY(err);
    file->notes[file->note_count++] = note;
    return TG_OK;
}

static tg_err take_thread(tg__log_file *file, const tg__block *block)
{
    tg__log_thread *thread = NULL;
    TG_TRY(thread_of(file, block->thread, &thread));
    const size_t size =
        block->payload_size < sizeof thread->name ? block->payload_size : sizeof thread->name - 1;
    memcpy(thread->name, block->payload, size);
    thread->name[size] = '\0';
    return TG_OK;
}

static tg_err take_anchor(tg__log_file *file, const tg__block *block)
{
    tg__anchor anchor;
    TG_TRY(tg__anchor_decode(block, &anchor));
    const tg_err err = tg__time_map_add(&file->times, &anchor);
    if (err != TG_ERR_STATE) {
        return err;
    }
    /* One that does not ascend says nothing that the others do not: it is left out. But if only the
     * counter fell, as after a deep sleep of some machines, it cannot be mapped from here on. */
    const tg__anchor *last = &file->times.anchors[file->times.count - 1];
    return anchor.mono_ns > last->mono_ns ? TG_ERR_STATE : TG_OK;
}

static tg_err take_block(tg__log_file *file, const tg__block *block, uint64_t offset)
{
    file->block_count++;
    file->ended = block->kind == TG__BLOCK_END;
    switch (block->kind) {
    case TG__BLOCK_FILE: {
        tg__file_info info;
        TG_TRY(tg__file_info_decode(block, &info));
        if (!file->has_info) {
            file->info = info;
            file->times.clock_kind = info.clock_kind;
            file->has_info = true;
        }
        return TG_OK;
    }
    case TG__BLOCK_DICTIONARY:
        return take_dictionary(file, block);
    case TG__BLOCK_THREAD:
        return take_thread(file, block);
    case TG__BLOCK_RECORDS:
        return take_records(file, block, offset);
    case TG__BLOCK_ANCHOR:
        return take_anchor(file, block);
    case TG__BLOCK_NOTE:
        return take_note(file, block);
    case TG__BLOCK_END:
        return TG_OK;
    default:
        file->unknown_blocks++; /* of a newer writer: passed over by its length */
        return TG_OK;
    }
}

/* The next place after `from` where a whole block stands, or the file's end. */
static size_t find_block(const tg__log_file *file, size_t from)
{
    for (size_t at = from; file->size - at >= TG__BLOCK_HEADER; at++) {
        const unsigned char *hit =
            memchr(file->bytes + at, 'T', file->size - at - TG__BLOCK_HEADER + 1);
        if (hit == NULL) {
            break;
        }
        at = (size_t)(hit - file->bytes);
        tg__block block;
        if (tg__block_open(hit, file->size - at, &block) == TG_OK) {
            return at;
        }
    }
    return file->size;
}

static tg_err index_blocks(tg__log_file *file)
{
    size_t at = file->indexed_to;
    size_t told = 0;
    while (at < file->size) {
        if (file->watch != NULL && at - told >= WATCH_EVERY) {
            told = at;
            file->watch->read(file->watch->ctx, at);
        }
        tg__block block;
        tg_err err = tg__block_open(file->bytes + at, file->size - at, &block);
        if (err != TG_OK) {
            TG_ENSURE(at != 0, TG_ERR_FORMAT);
            const size_t next = find_block(file, at + 1);
            /* Torn is what nothing follows; damage in the middle may look like a torn block. */
            const bool is_tail = next == file->size && err == TG_ERR_TORN;
            if (is_tail && file->fd >= 0) {
                break; /* it is being written */
            }
            tg__log_file_problem(file, is_tail ? TG_ERR_TORN : TG_ERR_CORRUPT, at, next - at,
                                 is_tail ? "the file ends in the middle of a block"
                                         : "bytes that are not a block");
            file->ended = false;
            at = next;
            continue;
        }
        TG_ENSURE(at != 0 || block.kind == TG__BLOCK_FILE, TG_ERR_FORMAT);
        err = take_block(file, &block, at);
        if (err == TG_ERR_NO_MEMORY || (err == TG_ERR_UNSUPPORTED && at == 0)) {
            return err;
        }
        if (err != TG_OK) {
            tg__log_file_problem(
                file, err == TG_ERR_STATE ? err : TG_ERR_CORRUPT, at,
                TG__BLOCK_HEADER + block.payload_size,
                err == TG_ERR_STATE
                    ? "the cycle counter began anew: times from here on are not known"
                    : "a block whose content contradicts itself");
        }
        at += TG__BLOCK_HEADER + (size_t)block.payload_size;
    }
    file->indexed_to = at;
    return TG_OK;
}

static tg_err open_bytes(tg__log_file *file)
{
    file->sites = calloc(TG__SITES_MAX + 1, sizeof *file->sites);
    file->problems = calloc(TG__PROBLEMS_MAX, sizeof *file->problems);
    TG_ENSURE(file->sites != NULL && file->problems != NULL, TG_ERR_NO_MEMORY);
    TG_ENSURE(file->size >= TG__BLOCK_HEADER, TG_ERR_FORMAT);
    TG_TRY(index_blocks(file));
    TG_ENSURE(file->has_info, TG_ERR_FORMAT);
    return TG_OK;
}

tg_err tg__log_file_from_memory(const void *bytes, size_t size, tg__log_file *out)
{
    memset(out, 0, sizeof *out);
    out->path = "memory";
    out->fd = -1;
    out->bytes = bytes;
    out->size = size;
    const tg_err err = open_bytes(out);
    if (err != TG_OK) {
        tg__log_file_close(out);
    }
    return err;
}

static tg_err map_file(const char *path, tg__log_file *file, size_t ahead)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    TG_ENSURE(fd >= 0, TG_ERR_IO);
    struct stat facts;
    if (fstat(fd, &facts) != 0) {
        goto fail;
    }
    if (!S_ISREG(facts.st_mode)) {
        errno = EINVAL;
        goto fail;
    }
    file->size = (size_t)facts.st_size;
    if (file->size + ahead != 0) {
        void *bytes = mmap(NULL, file->size + ahead, PROT_READ, MAP_SHARED, fd, 0);
        if (bytes == MAP_FAILED) {
            goto fail;
        }
        file->bytes = bytes;
        file->mapped_size = file->size + ahead;
    }
    file->fd = fd;
    return TG_OK;

fail:;
    const int failure = errno;
    (void)close(fd);
    errno = failure;
    return TG_ERR_IO;
}

static tg_err open_path(const char *path, size_t ahead, const tg__log_watch *watch,
                        tg__log_file *out)
{
    memset(out, 0, sizeof *out);
    out->path = path;
    out->fd = -1;
    out->watch = watch;
    tg_err err = map_file(path, out, ahead);
    if (err == TG_OK && ahead == 0) {
        (void)close(out->fd); /* the mapping stays */
        out->fd = -1;
    }
    if (err == TG_OK) {
        err = open_bytes(out);
        out->watch = NULL;
    }
    if (err != TG_OK) {
        const int failure = errno;
        tg__log_file_close(out);
        errno = failure;
    }
    return err;
}

tg_err tg__log_file_open(const char *path, tg__log_file *out)
{
    return open_path(path, 0, NULL, out);
}

tg_err tg__log_file_open_watched(const char *path, const tg__log_watch *watch, tg__log_file *out)
{
    return open_path(path, 0, watch, out);
}

tg_err tg__log_file_follow(const char *path, tg__log_file *out)
{
    return open_path(path, FOLLOW_AHEAD, NULL, out);
}

tg_err tg__log_file_extend(tg__log_file *file)
{
    struct stat facts;
    TG_ENSURE(file->fd >= 0 && fstat(file->fd, &facts) == 0, TG_ERR_IO);
    for (size_t i = 0; i < file->thread_count; i++) {
        file->threads[i].count = 0;
    }
    /* A file that was cut has nothing new; one that outgrew the mapping is read up to its end. */
    if ((size_t)facts.st_size > file->size) {
        file->size =
            (size_t)facts.st_size < file->mapped_size ? (size_t)facts.st_size : file->mapped_size;
    }
    return index_blocks(file);
}

void tg__log_file_close(tg__log_file *file)
{
    for (size_t i = 0; i < file->thread_count; i++) {
        free(file->threads[i].offsets);
    }
    free(file->threads);
    free(file->notes);
    free(file->problems);
    free(file->sites);
    tg__time_map_deinit(&file->times);
    if (file->mapped_size != 0) {
        (void)munmap((void *)(uintptr_t)file->bytes, file->mapped_size);
    }
    if (file->fd >= 0) {
        (void)close(file->fd);
    }
    memset(file, 0, sizeof *file);
    file->fd = -1;
}
