#include "writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tickglass/internal/control_flow.h>

#include "bytes.h"
#include "recorder_state.h"
#include "registry.h"

#define BUFFER_SIZE     (UINT32_C(512) << 10)
#define BLOCK_SOFT_SIZE (UINT32_C(96) << 10) /* a block is ended when its payload reaches this */
#define FLUSH_SIZE      (UINT32_C(192) << 10)
#define RECORD_ROOM     (TG_RECORD_BYTES_MAX + 256u)
#define HEAD_BUSY       UINT64_C(1)
#define ANCHOR_EVERY_NS INT64_C(1000000000)
#define PARTED_NS       INT64_C(1000000)   /* by so much clocks do not drift in a second */
#define SLOW_NS         INT64_C(100000000) /* from here on a write is worth a note */
#define FILE_MODE       0600               /* records may hold what only their owner should see */
#define NUMBER_ROOM     16
#define FILES_MAX       1000000u

static int64_t now_ns(const tg_recorder *recorder)
{
    return tg_clock_mono_ns(&recorder->clock);
}

static void add_relaxed(_Atomic uint64_t *counter, uint64_t by)
{
    /* One writer; the counters say nothing about other memory. */
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + by,
                          memory_order_relaxed);
}

/* Records that were lost up to now; one pass over all rings, so never once for each write. */
static uint64_t lost_so_far(const tg_recorder *recorder)
{
    uint64_t lost = atomic_load_explicit(&recorder->refused, memory_order_relaxed);
    for (uint32_t i = 0; i < recorder->rings.header->threads_max; i++) {
        const tg__ring_control *control = &recorder->rings.controls[i];
        lost += atomic_load_explicit(&control->dropped, memory_order_relaxed) +
                atomic_load_explicit(&control->overwritten, memory_order_relaxed);
    }
    return lost;
}

static tg_err note_refusal(tg_recorder *recorder, int error, const char *what, const char *path)
{
    tg__writer *writer = &recorder->writer;
    const int64_t now = now_ns(recorder);
    if (writer->stall.count == 0) {
        writer->stall.kind = TG__NOTE_STALL;
        writer->stall.from_mono_ns = now;
        writer->lost_at_refusal = writer->lost_at_round;
    }
    writer->stall.count++;
    writer->stall.error = error;
    writer->stall.to_mono_ns = now;
    add_relaxed(&writer->write_errors, 1);
    tg__registry_lock();
    (void)snprintf(writer->error, sizeof writer->error, "%s of %.160s at offset %llu: errno %d",
                   what, path, (unsigned long long)writer->offset, error);
    tg__registry_unlock();
    errno = error;
    return TG_ERR_IO;
}

/* A write that was done: if it took long, or others had been refused before it, say how long the
 * rings could not be emptied and what that cost. */
static void note_done(tg_recorder *recorder, int64_t from_ns)
{
    tg__writer *writer = &recorder->writer;
    const int64_t now = now_ns(recorder);
    const bool is_slow = now - from_ns >= SLOW_NS;
    if (writer->stall.count == 0 && !is_slow) {
        return;
    }
    const uint64_t lost = lost_so_far(recorder);
    if (writer->stall.count != 0) {
        writer->stall.to_mono_ns = now;
        writer->stall.lost = lost - writer->lost_at_refusal;
        return;
    }
    if (writer->slow.count == 0) {
        writer->slow.kind = TG__NOTE_SLOW;
        writer->slow.from_mono_ns = from_ns;
        writer->slow.lost = 0;
    }
    writer->slow.count++;
    writer->slow.to_mono_ns = now;
    writer->slow.lost += lost - writer->lost_at_round;
    writer->lost_at_round = lost;
}

/* Give what is in the file back to the producers. Release pairs with their acquire of head. */
static void publish_heads(tg_recorder *recorder)
{
    for (uint32_t i = 0; i < recorder->rings.header->threads_max; i++) {
        tg__writer_ring *ring = &recorder->writer.rings[i];
        if (ring->published != ring->position) {
            ring->published = ring->position;
            atomic_store_explicit(&recorder->rings.controls[i].head, ring->position,
                                  memory_order_release);
        }
    }
}

/* 0, or errno. */
static int write_all(int fd, const unsigned char *bytes, size_t size, uint64_t offset)
{
    size_t done = 0;
    while (done < size) {
        const ssize_t wrote = pwrite(fd, bytes + done, size - done, (off_t)(offset + done));
        if (wrote < 0 && errno == EINTR) {
            continue;
        }
        if (wrote <= 0) {
            return wrote < 0 ? errno : ENOSPC;
        }
        done += (size_t)wrote;
    }
    return 0;
}

/* The whole buffer or nothing: a refused write is repeated from its beginning, over what it may
 * have left. */
static tg_err flush(tg_recorder *recorder)
{
    tg__writer *writer = &recorder->writer;
    if (writer->used != 0) {
        /* Two looks at the clock for up to half a megabyte: a disk that stalls must be told. */
        const int64_t from_ns = now_ns(recorder);
        const int error = write_all(writer->fd, writer->buffer, writer->used, writer->offset);
        if (error != 0) {
            return note_refusal(recorder, error, "write", writer->path_now);
        }
        writer->offset += writer->used;
        add_relaxed(&writer->file_bytes, writer->used);
        writer->used = 0;
        note_done(recorder, from_ns);
    }
    if (!recorder->overwrites) {
        publish_heads(recorder);
    }
    return TG_OK;
}

static tg_err make_room(tg_recorder *recorder, size_t size)
{
    return recorder->writer.used + size <= BUFFER_SIZE ? TG_OK : flush(recorder);
}

static unsigned char *payload_place(tg__writer *writer)
{
    return writer->buffer + writer->used + TG__BLOCK_HEADER;
}

static void append_block(tg__writer *writer, const tg__block *block)
{
    writer->used += tg__block_seal(block, writer->buffer + writer->used);
}

static tg_err append_anchor(tg_recorder *recorder)
{
    tg__writer *writer = &recorder->writer;
    TG_TRY(make_room(recorder, 256));
    const tg__anchor anchor = tg__anchor_take(recorder->hot.clock_kind, &recorder->clock);
    const tg__block block = {.kind = TG__BLOCK_ANCHOR,
                             .payload_size =
                                 (uint32_t)tg__anchor_encode(&anchor, payload_place(writer))};
    append_block(writer, &block);
    writer->utc_offset_ns = anchor.utc_ns - anchor.mono_ns;
    /* The first second has more, so that a short record has a good rate too. */
    static const int64_t first_steps[] = {2000000, 20000000, 200000000};
    const uint32_t count = writer->anchor_count++;
    writer->anchor_due_ns =
        now_ns(recorder) +
        (count < sizeof first_steps / sizeof first_steps[0] ? first_steps[count] : ANCHOR_EVERY_NS);
    return TG_OK;
}

/* The wall clock was set, or the machine slept: what is recorded from now on needs an anchor of
 * now, or it would be told with the older offset until the next one is due. */
static bool clocks_have_parted(const tg_recorder *recorder, int64_t now)
{
    const int64_t by_ns = tg_clock_utc_ns(&recorder->clock) - now - recorder->writer.utc_offset_ns;
    return by_ns > PARTED_NS || by_ns < -PARTED_NS;
}

static tg_err append_note(tg_recorder *recorder, const tg__note *note)
{
    TG_TRY(make_room(recorder, 256));
    tg__writer *writer = &recorder->writer;
    const tg__block block = {.kind = TG__BLOCK_NOTE,
                             .payload_size =
                                 (uint32_t)tg__note_encode(note, payload_place(writer))};
    append_block(writer, &block);
    return TG_OK;
}

static tg_err append_file_info(tg_recorder *recorder, uint32_t number)
{
    tg__writer *writer = &recorder->writer;
    const tg__rings_header *header = recorder->rings.header;
    tg__file_info info = {.version = TG__FORMAT_VERSION,
                          .clock_kind = recorder->hot.clock_kind,
                          .threads_max = header->threads_max,
                          .ring_size = header->ring_size,
                          .pid = header->pid,
                          .file_number = number,
                          .recorder_id = header->recorder_id};
    memcpy(info.rings_path, recorder->rings.path, sizeof info.rings_path);
    const tg__block block = {.kind = TG__BLOCK_FILE,
                             .payload_size =
                                 (uint32_t)tg__file_info_encode(&info, payload_place(writer))};
    append_block(writer, &block);
    return append_anchor(recorder);
}

/* Entries that the current file lacks, in blocks of whole entries. */
static tg_err append_dictionary(tg_recorder *recorder)
{
    tg__writer *writer = &recorder->writer;
    /* Acquire pairs with the release in the registry. Tails were read before: their sites are in.
     */
    const uint64_t end =
        atomic_load_explicit(&recorder->rings.header->dictionary_size, memory_order_acquire);
    const unsigned char *bytes = recorder->rings.dictionary;
    while (writer->dictionary_read < end) {
        tg__site_info info;
        size_t size = 0;
        TG_TRY(tg__site_decode(bytes + writer->dictionary_read,
                               (size_t)(end - writer->dictionary_read), &info, &size));
        writer->sites[info.id] = info;
        writer->dictionary_read += size;
    }
    while (writer->dictionary_written < end) {
        TG_TRY(make_room(recorder, BLOCK_SOFT_SIZE + TG__BLOCK_HEADER));
        const unsigned char *begin = bytes + writer->dictionary_written;
        size_t size = 0;
        while (writer->dictionary_written + size < end) {
            const uint32_t entry = tg__get_u32(begin + size);
            if (size + entry > BLOCK_SOFT_SIZE) {
                break;
            }
            size += entry;
        }
        memcpy(payload_place(writer), begin, size);
        const tg__block block = {.kind = TG__BLOCK_DICTIONARY, .payload_size = (uint32_t)size};
        append_block(writer, &block);
        writer->dictionary_written += size;
    }
    return TG_OK;
}

static tg_err append_thread(tg_recorder *recorder, uint32_t index)
{
    tg__writer *writer = &recorder->writer;
    const tg__ring_control *control = &recorder->rings.controls[index];
    TG_TRY(make_room(recorder, 256));
    const size_t size = strlen(control->name);
    memcpy(payload_place(writer), control->name, size);
    const tg__block block = {.kind = TG__BLOCK_THREAD,
                             .payload_size = (uint32_t)size,
                             .thread = control->thread,
                             .ring = index};
    append_block(writer, &block);
    writer->rings[index].thread = control->thread;
    return TG_OK;
}

/* So much of a ring is given back at once: little enough that its producer goes on meanwhile. */
static uint64_t share_of_ring(const tg_recorder *recorder)
{
    return recorder->rings.header->ring_size / 4;
}

/* One block of records from the ring's position on, at most to its snapshot. */
static void append_records(tg_recorder *recorder, uint32_t index, uint64_t *moved)
{
    tg__writer *writer = &recorder->writer;
    tg__writer_ring *ring = &writer->rings[index];
    const unsigned char *data = tg__rings_data(&recorder->rings, index);
    const uint64_t mask = recorder->rings.header->ring_size - 1u;
    tg__block block = {.kind = TG__BLOCK_RECORDS,
                       .thread = recorder->rings.controls[index].thread,
                       .ring = index,
                       .position = ring->position};
    unsigned char *begin = payload_place(writer);
    unsigned char *at = begin;
    tg__pack_begin_block(&writer->pack);
    const uint64_t stop = ring->position + share_of_ring(recorder);
    while (ring->position < ring->snapshot && ring->position < stop &&
           (size_t)(at - begin) < BLOCK_SOFT_SIZE) {
        const unsigned char *record = data + (ring->position & mask);
        const uint32_t id = tg__get_u32(record + 4) & ~TG__SITE_STAMP_NS;
        ring->position += tg__get_u32(record);
        if (id == TG__RING_PAD) {
            continue;
        }
        at += tg__pack_record(&writer->pack, &writer->sites[id], record, at);
        block.record_count++;
    }
    block.payload_size = (uint32_t)(at - begin);
    block.position_end = ring->position;
    *moved += block.record_count;
    add_relaxed(&writer->records, block.record_count);
    append_block(writer, &block);
}

/* False: the producer gives up this ring's oldest at this moment; next round again. */
static bool claim_ring(tg_recorder *recorder, uint32_t index)
{
    _Atomic uint64_t *head = &recorder->rings.controls[index].head;
    uint64_t at = atomic_load_explicit(head, memory_order_relaxed);
    /* Pairs with the producer's compare and swap in give_up_oldest. */
    if (!atomic_compare_exchange_strong_explicit(head, &at, at | HEAD_BUSY, memory_order_acq_rel,
                                                 memory_order_relaxed)) {
        return false;
    }
    recorder->writer.rings[index].position = at;
    return true;
}

static tg_err drain_ring(tg_recorder *recorder, uint32_t index, uint64_t *moved)
{
    tg__writer *writer = &recorder->writer;
    tg__writer_ring *ring = &writer->rings[index];
    bool more = true;
    while (more) {
        TG_TRY(make_room(recorder, TG__BLOCK_HEADER + BLOCK_SOFT_SIZE + RECORD_ROOM));
        if (recorder->overwrites && !claim_ring(recorder, index)) {
            return TG_OK;
        }
        if (ring->position < ring->snapshot) {
            append_records(recorder, index, moved);
        }
        more = ring->position < ring->snapshot;
        if (recorder->overwrites) {
            /* Given back before it is written: what comes new matters more than what is in hand,
             * and `recover` still finds it as long as it is not overwritten. */
            ring->published = ring->position;
            atomic_store_explicit(&recorder->rings.controls[index].head, ring->position,
                                  memory_order_release);
        }
        if (writer->used >= FLUSH_SIZE ||
            ring->position - ring->published >= share_of_ring(recorder)) {
            TG_TRY(flush(recorder));
        }
    }
    return TG_OK;
}

/* What the ring's thread lost and did not tell. It has gone, or records no more: its counters are
 * ours until the next thread takes the ring. */
static tg_err tell_untold(tg_recorder *recorder, uint32_t index)
{
    tg__ring_control *control = &recorder->rings.controls[index];
    struct {
        uint32_t kind;
        _Atomic uint64_t *all;
        _Atomic uint64_t *told;
    } const rows[] = {
        {TG__NOTE_DROPPED, &control->dropped, &control->dropped_told},
        {TG__NOTE_OVERWRITTEN, &control->overwritten, &control->overwritten_told},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const uint64_t all = atomic_load_explicit(rows[i].all, memory_order_relaxed);
        const uint64_t told = atomic_load_explicit(rows[i].told, memory_order_relaxed);
        if (all != told) {
            const tg__note note = {.kind = rows[i].kind,
                                   .thread = control->thread,
                                   .count = all - told,
                                   .to_mono_ns = now_ns(recorder)};
            TG_TRY(append_note(recorder, &note));
            atomic_store_explicit(rows[i].told, all, memory_order_relaxed);
        }
    }
    return TG_OK;
}

static void take_snapshots(tg_recorder *recorder)
{
    recorder->writer.fullest = 0;
    for (uint32_t i = 0; i < recorder->rings.header->threads_max; i++) {
        tg__ring_control *control = &recorder->rings.controls[i];
        tg__writer_ring *ring = &recorder->writer.rings[i];
        /* Acquire pairs with the owner's release on leaving, so the tail read next is its last. */
        const uint32_t state = atomic_load_explicit(&control->state, memory_order_acquire);
        ring->retired = state == TG__RING_RETIRED;
        ring->held = state != TG__RING_FREE;
        /* Acquire pairs with tg__record_commit. */
        ring->snapshot = state == TG__RING_FREE
                             ? ring->position
                             : atomic_load_explicit(&control->tail, memory_order_acquire);
        const uint64_t held = ring->snapshot - ring->position;
        recorder->writer.fullest =
            held > recorder->writer.fullest ? held : recorder->writer.fullest;
    }
}

static void free_retired(tg_recorder *recorder)
{
    for (uint32_t i = 0; i < recorder->rings.header->threads_max; i++) {
        tg__writer_ring *ring = &recorder->writer.rings[i];
        if (ring->retired && ring->position == ring->snapshot) {
            ring->retired = false;
            (void)atomic_fetch_sub_explicit(&recorder->threads, 1, memory_order_relaxed);
            /* Pairs with the acquire of the next thread that takes it. */
            atomic_store_explicit(&recorder->rings.controls[i].state, TG__RING_FREE,
                                  memory_order_release);
        }
    }
}

/* Once: the note is in the buffer, or as before. */
static tg_err tell_once(tg_recorder *recorder, tg__note *note)
{
    if (note->count != 0) {
        TG_TRY(append_note(recorder, note));
        note->count = 0;
    }
    return TG_OK;
}

/* What the writer itself went through. */
static tg_err tell_own(tg_recorder *recorder)
{
    tg__writer *writer = &recorder->writer;
    TG_TRY(tell_once(recorder, &writer->stall));
    TG_TRY(tell_once(recorder, &writer->slow));
    const uint64_t removed = atomic_load_explicit(&writer->files_removed, memory_order_relaxed);
    if (removed != writer->removed_told) {
        const tg__note note = {.kind = TG__NOTE_REMOVED,
                               .count = removed - writer->removed_told,
                               .to_mono_ns = now_ns(recorder)};
        TG_TRY(append_note(recorder, &note));
        writer->removed_told = removed;
    }
    const uint64_t refused = atomic_load_explicit(&recorder->refused, memory_order_relaxed);
    if (refused != writer->refused_told) {
        const tg__note note = {.kind = TG__NOTE_REFUSED,
                               .count = refused - writer->refused_told,
                               .to_mono_ns = now_ns(recorder)};
        TG_TRY(append_note(recorder, &note));
        writer->refused_told = refused;
    }
    return TG_OK;
}

/* No record follows in the file that there was. Its successor is there by name and head, so that
 * who reads an END without a successor knows that none comes. */
static void end_file(tg__writer *writer)
{
    unsigned char bytes[TG__BLOCK_HEADER];
    const tg__block end = {.kind = TG__BLOCK_END};
    const size_t size = tg__block_seal(&end, bytes);
    if (write_all(writer->fd, bytes, size, writer->offset) == 0) {
        writer->offset += size;
        add_relaxed(&writer->file_bytes, size);
    } /* else the file is as that of a killed process: all that it has can be read */
    (void)close(writer->fd);
    tg__retention_add(&writer->retention, writer->suffix, writer->offset);
}

/* Make path_next the current file. The buffer is empty, before and after. */
static tg_err start_file(tg_recorder *recorder, uint32_t number, uint32_t suffix)
{
    tg__writer *writer = &recorder->writer;
    const int fd = open(writer->path_next, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, FILE_MODE);
    TG_ENSURE(fd >= 0, TG_ERR_IO);
    TG_TRY(append_file_info(recorder, number)); /* always has room in an empty buffer */
    const size_t size = writer->used;
    writer->used = 0;
    const int error = write_all(fd, writer->buffer, size, 0);
    if (error != 0) {
        (void)close(fd);
        (void)unlink(writer->path_next);
        errno = error;
        return TG_ERR_IO;
    }
    if (writer->fd >= 0) {
        end_file(writer);
    }
    char *path = writer->path_now;
    writer->path_now = writer->path_next;
    writer->path_next = path;
    writer->fd = fd;
    writer->suffix = suffix;
    writer->offset = size;
    add_relaxed(&writer->file_bytes, size);
    writer->file_opened_ns = now_ns(recorder);
    writer->dictionary_written = 0;
    for (uint32_t i = 0; i < recorder->rings.header->threads_max; i++) {
        writer->rings[i].thread = 0;
    }
    atomic_store_explicit(&writer->files, number, memory_order_relaxed);
    return TG_OK;
}

/* After a rotation. What cannot be deleted now is tried again after the next one. */
static void remove_oldest(tg_recorder *recorder)
{
    tg__writer *writer = &recorder->writer;
    uint32_t removed = 0;
    if (tg__retention_apply(&writer->retention, writer->path, writer->path_next, &removed) !=
        TG_OK) {
        (void)note_refusal(recorder, errno, "removal", writer->path_next);
    }
    atomic_store_explicit(&writer->files_removed,
                          atomic_load_explicit(&writer->files_removed, memory_order_relaxed) +
                              removed,
                          memory_order_relaxed); /* one writer, no order needed */
}

/* The buffer is empty. A name that is taken is passed over: no file is ever overwritten. */
static tg_err rotate_if_due(tg_recorder *recorder)
{
    tg__writer *writer = &recorder->writer;
    const bool large = writer->rotate_bytes != 0 && writer->offset >= writer->rotate_bytes;
    const bool old =
        writer->rotate_ns != 0 && now_ns(recorder) - writer->file_opened_ns >= writer->rotate_ns;
    if (!large && !old) {
        return TG_OK;
    }
    const uint32_t number = atomic_load_explicit(&writer->files, memory_order_relaxed) + 1;
    tg_err err = TG_ERR_IO;
    errno = EEXIST;
    for (uint32_t suffix = writer->suffix + 1;
         err == TG_ERR_IO && errno == EEXIST && suffix < FILES_MAX; suffix++) {
        (void)snprintf(writer->path_next, strlen(writer->path) + NUMBER_ROOM, "%s.%u", writer->path,
                       (unsigned)suffix);
        err = start_file(recorder, number, suffix);
    }
    if (err != TG_OK) {
        /* Go on with the file that there is; the next attempt comes after its own due time. */
        writer->rotate_bytes *= 2;
        writer->file_opened_ns = now_ns(recorder);
        return note_refusal(recorder, errno, "rotation", writer->path_next);
    }
    remove_oldest(recorder);
    return TG_OK;
}

tg_err tg__writer_round(tg_recorder *recorder, uint64_t *moved)
{
    tg__writer *writer = &recorder->writer;
    *moved = 0;
    TG_TRY(flush(recorder)); /* what an earlier round could not */
    writer->lost_at_round = lost_so_far(recorder);
    TG_TRY(rotate_if_due(recorder));
    take_snapshots(recorder);
    TG_TRY(append_dictionary(recorder));
    TG_TRY(tell_own(recorder));
    for (uint32_t i = 0; i < recorder->rings.header->threads_max; i++) {
        if (writer->rings[i].held &&
            writer->rings[i].thread != recorder->rings.controls[i].thread) {
            TG_TRY(append_thread(recorder, i));
        }
        if (writer->rings[i].position < writer->rings[i].snapshot) {
            TG_TRY(drain_ring(recorder, i, moved));
        }
        if (writer->rings[i].retired) {
            TG_TRY(tell_untold(recorder, i));
        }
    }
    const int64_t now = now_ns(recorder);
    if (now >= writer->anchor_due_ns || clocks_have_parted(recorder, now)) {
        TG_TRY(append_anchor(recorder));
    }
    TG_TRY(flush(recorder));
    free_retired(recorder);
    (void)atomic_fetch_add_explicit(&writer->rounds, 1, memory_order_release); /* see flush */
    return TG_OK;
}

tg_err tg__writer_end(tg_recorder *recorder)
{
    tg__writer *writer = &recorder->writer;
    TG_TRY(tell_own(recorder));
    for (uint32_t i = 0; i < recorder->rings.header->threads_max; i++) {
        TG_TRY(tell_untold(recorder, i));
    }
    TG_TRY(append_anchor(recorder));
    TG_TRY(make_room(recorder, TG__BLOCK_HEADER));
    const tg__block block = {.kind = TG__BLOCK_END};
    append_block(writer, &block);
    return flush(recorder);
}

tg_err tg__writer_init(tg_recorder *recorder, const tg_recorder_options *opt)
{
    tg__writer *writer = &recorder->writer;
    writer->fd = -1;
    const size_t path_size = strlen(opt->path);
    tg__retention_init(&writer->retention, recorder->rings.header->recorder_id, opt->keep_files,
                       opt->keep_bytes);
    writer->rotate_bytes = opt->rotate_bytes;
    writer->rotate_ns = (int64_t)opt->rotate_seconds * 1000000000;
    writer->buffer = malloc(BUFFER_SIZE);
    writer->sites = calloc(TG__SITES_MAX + 1, sizeof *writer->sites);
    writer->rings = calloc(recorder->rings.header->threads_max, sizeof *writer->rings);
    writer->path = malloc(path_size + 1);
    writer->path_now = malloc(path_size + NUMBER_ROOM);
    writer->path_next = malloc(path_size + NUMBER_ROOM);
    TG_ENSURE(writer->buffer != NULL && writer->sites != NULL && writer->rings != NULL &&
                  writer->path != NULL && writer->path_now != NULL && writer->path_next != NULL,
              TG_ERR_NO_MEMORY);
    TG_TRY(tg__pack_init(&writer->pack, TG__SITES_MAX + 1));
    memcpy(writer->path, opt->path, path_size + 1);
    memcpy(writer->path_next, opt->path, path_size + 1);
    TG_TRY(start_file(recorder, 1, 0));
    TG_TRY(append_dictionary(recorder));
    return flush(recorder);
}

void tg__writer_deinit(tg_recorder *recorder, bool remove)
{
    tg__writer *writer = &recorder->writer;
    if (writer->fd >= 0) {
        (void)close(writer->fd);
        writer->fd = -1;
        if (remove) {
            (void)unlink(writer->path_now);
        }
    }
    tg__retention_deinit(&writer->retention);
    tg__pack_deinit(&writer->pack);
    free(writer->buffer);
    free(writer->sites);
    free(writer->rings);
    free(writer->path);
    free(writer->path_now);
    free(writer->path_next);
}
