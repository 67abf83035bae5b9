#include "log_merge.h"

#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>
#include <tickglass/record_inline.h>

#include "bytes.h"
#include "large_pages.h"

/* Read ahead of each stream. Looking at one of thousands costs as much as unpacking some records,
 * so each look is to be worth it; but what is ahead of four thousand should still be in the second
 * cache when it is handed out. */
#define CHUNK_FIRST  512u
#define CHUNK_MAX    (UINT32_C(64) << 10)
#define CHUNKS_EXTRA ((size_t)8 << 20)    /* beyond the first of each */
#define SLICE_ENOUGH 1024u                /* its records make up for a look at all streams */
#define IN_WAITING   UINT32_C(0x80000000) /* or-ed to a place: in merge->waiting */
#define CACHE_LINE   64u
#define ROOM_SIZE    (CHUNK_FIRST + 2u * CACHE_LINE)
#define FETCH_STREAM 12u /* records between fetching and handing out: what a stream knows */
#define FETCH_RECORD 6u  /* and then its record */
#define FETCH_FILL   4u  /* streams between fetching and filling */
#define FETCH_TAKE   8u  /* streams between fetching and taking */

static const unsigned char *row_of(const tg__log_merge *merge, const tg__timed *item)
{
    return (item->place & IN_WAITING) != 0 ? merge->waiting[item->place & ~IN_WAITING].bytes
                                           : merge->streams[item->stream].ahead + item->place;
}

static uint32_t row_size(const unsigned char *row)
{
    return TG__AHEAD_PREFIX + tg__get_u32(row + TG__AHEAD_PREFIX);
}

static int64_t row_order_ns(const unsigned char *row)
{
    return (int64_t)tg__get_u64(row);
}

/* Files of one recorder share its first file's relation of monotonic to UTC: a step of the wall
 * clock between two of them must not reorder them. */
static int64_t order_offset(const tg__log_file *files, size_t count, const tg__log_file *file)
{
    const tg__log_file *first = file;
    for (size_t i = 0; i < count; i++) {
        if (files[i].info.recorder_id == file->info.recorder_id &&
            files[i].info.file_number < first->info.file_number && files[i].times.count != 0) {
            first = &files[i];
        }
    }
    return first->times.count == 0 ? 0
                                   : (int64_t)((uint64_t)first->times.anchors[0].utc_ns -
                                               (uint64_t)first->times.anchors[0].mono_ns);
}

static tg_err slice_reserve(tg__log_merge *merge, size_t count)
{
    if (count <= merge->slice_capacity) {
        return TG_OK;
    }
    const size_t capacity = count * 2;
    tg__timed *larger = tg__large_grow(merge->slice, merge->slice_count * sizeof *larger,
                                       capacity * sizeof *larger);
    TG_ENSURE(larger != NULL, TG_ERR_NO_MEMORY);
    merge->slice = larger;
    larger = tg__large_grow(merge->slice_other, merge->offered_count * sizeof *larger,
                            capacity * sizeof *larger);
    TG_ENSURE(larger != NULL, TG_ERR_NO_MEMORY);
    merge->slice_other = larger;
    merge->slice_capacity = capacity;
    return TG_OK;
}

/* Read a stream on, note to which times it is known, and offer all that is ahead of it to the next
 * slice: now it is in the cache. */
static tg_err read_on(tg__log_merge *merge, uint32_t number)
{
    tg__log_stream *stream = &merge->streams[number];
    tg__log_span *span = &merge->spans[number];
    int64_t known_ns = stream->ahead_at != stream->ahead_size ? span->known_ns : INT64_MIN;
    TG_TRY(slice_reserve(merge, merge->offered_count + tg__log_stream_rows_max(stream)));
    const tg__timed *offered = merge->slice_other + merge->offered_count;
    size_t count = 0;
    TG_TRY(tg__log_stream_fill(stream, merge->scratch, merge->slice_other + merge->offered_count,
                               &count));
    for (size_t i = 0; i < count; i++) {
        known_ns = offered[i].order_ns > known_ns ? offered[i].order_ns : known_ns;
    }
    span->offered_at = (uint32_t)merge->offered_count;
    span->offered = (uint32_t)count;
    span->known_ns = stream->ended ? INT64_MAX : known_ns;
    span->next_ns = count == 0 ? INT64_MAX : offered[0].order_ns;
    merge->offered_count += count;
    return TG_OK;
}

static tg_err allocate(tg__log_merge *merge, size_t count, size_t file_count)
{
    merge->scratch = malloc(TG__LOG_SCRATCH_SIZE);
    merge->streams = tg__large_alloc(count * sizeof *merge->streams);
    merge->rooms = tg__large_alloc(count * ROOM_SIZE);
    merge->sites = calloc(file_count + 1, sizeof(tg__pack_site *));
    merge->spans = calloc(count + 1, sizeof *merge->spans);
    merge->active = calloc(count + 1, sizeof *merge->active);
    merge->read = calloc(count + 1, sizeof *merge->read);
    return merge->scratch != NULL && merge->streams != NULL && merge->rooms != NULL &&
                   merge->sites != NULL && merge->spans != NULL && merge->active != NULL &&
                   merge->read != NULL
               ? TG_OK
               : TG_ERR_NO_MEMORY;
}

static tg_err open_streams(tg__log_merge *merge, tg__log_file *file, int64_t offset_ns)
{
    tg__pack_site *sites = calloc((size_t)file->site_end * file->thread_count + 1, sizeof *sites);
    TG_ENSURE(sites != NULL, TG_ERR_NO_MEMORY);
    merge->sites[merge->file_count++] = sites;
    for (size_t i = 0; i < file->thread_count; i++) {
        const uint32_t number = (uint32_t)merge->stream_count++;
        const tg__log_source source = {.file = file,
                                       .thread = &file->threads[i],
                                       .offset_ns = offset_ns,
                                       .number = number,
                                       .sites = sites + i,
                                       .stride = (uint32_t)file->thread_count,
                                       .room = merge->rooms + (size_t)number * ROOM_SIZE,
                                       .room_size = ROOM_SIZE};
        tg__log_stream_init(&merge->streams[number], &source, CHUNK_FIRST);
        merge->read[merge->read_count++] = number; /* that is: to be read on */
        merge->active[merge->active_count++] = number;
    }
    return TG_OK;
}

tg_err tg__log_merge_open(tg__log_file *files, size_t file_count, tg__log_merge *out)
{
    memset(out, 0, sizeof *out);
    size_t count = 0;
    for (size_t i = 0; i < file_count; i++) {
        count += files[i].thread_count;
    }
    tg_err err = allocate(out, count, file_count);
    out->spare = CHUNKS_EXTRA;
    for (uint32_t i = 0; i < TG__MERGE_WINDOW; i++) {
        out->free_places[out->free_count++] = i;
    }
    for (size_t i = 0; i < file_count && err == TG_OK; i++) {
        err = open_streams(out, &files[i], order_offset(files, file_count, &files[i]));
    }
    if (err != TG_OK) {
        tg__log_merge_close(out);
    }
    return err;
}

void tg__log_merge_close(tg__log_merge *merge)
{
    for (size_t i = 0; i < merge->stream_count; i++) {
        tg__log_stream_deinit(&merge->streams[i]);
    }
    for (size_t i = 0; i < merge->file_count; i++) {
        free(merge->sites[i]);
    }
    for (uint32_t i = 0; i < TG__MERGE_WINDOW; i++) {
        free(merge->waiting[i].bytes);
    }
    free(merge->slice);
    free(merge->slice_other);
    free(merge->streams);
    free(merge->rooms);
    free(merge->sites);
    free(merge->spans);
    free(merge->active);
    free(merge->read);
    free(merge->scratch);
    memset(merge, 0, sizeof *merge);
}

/* What the latest slice held back is first of the next one. Its streams are about to be read on, so
 * it gets places of its own. */
static tg_err keep_waiting(tg__log_merge *merge)
{
    size_t kept = 0;
    for (size_t i = merge->slice_end; i < merge->slice_count; i++) {
        tg__timed item = merge->slice[i];
        if ((item.place & IN_WAITING) == 0) {
            const unsigned char *row = row_of(merge, &item);
            const size_t size = row_size(row);
            const uint32_t place = merge->free_places[merge->free_count - 1];
            tg__log_waiting *waiting = &merge->waiting[place];
            if (size > waiting->capacity) {
                unsigned char *larger = realloc(waiting->bytes, size * 2);
                TG_ENSURE(larger != NULL, TG_ERR_NO_MEMORY);
                waiting->bytes = larger;
                waiting->capacity = size * 2;
            }
            memcpy(waiting->bytes, row, size);
            merge->free_count--;
            item.place = place | IN_WAITING;
        }
        merge->slice[kept++] = item;
    }
    merge->slice_next = 0;
    merge->slice_end = 0;
    merge->slice_count = kept;
    return TG_OK;
}

/* Those that the slice took records of, unless enough is left of what is ahead. */
static tg_err read_all_on(tg__log_merge *merge)
{
    merge->offered_count = 0;
    for (size_t i = 0; i < merge->read_count; i++) {
        /* First what filling knows of a stream, then where it reads and writes. Of what it reads
         * only that: the page is another one for each stream, and a fetch of it that is not waited
         * for costs more than the load. Not in a function of its own: gcc takes one that only
         * prefetches for one that does nothing. */
        if (i + 2u * FETCH_FILL < merge->read_count) {
            const char *later = (const char *)&merge->streams[merge->read[i + 2u * FETCH_FILL]];
            __builtin_prefetch(later);
            __builtin_prefetch(later + CACHE_LINE);
            const tg__log_stream *soon = &merge->streams[merge->read[i + FETCH_FILL]];
            __builtin_prefetch(soon->ahead + soon->ahead_at);
            __builtin_prefetch(soon->ahead, 1);
            if (soon->in.at != soon->in.end && *soon->in.at < soon->pack.site_count) {
                __builtin_prefetch(&soon->pack.sites[(size_t)*soon->in.at * soon->pack.stride], 1);
            }
        }
        const uint32_t number = merge->read[i];
        const tg__log_stream *stream = &merge->streams[number];
        if (!stream->ended && stream->ahead_size - stream->ahead_at < stream->chunk / 2) {
            TG_TRY(read_on(merge, number));
        }
    }
    merge->read_count = 0;
    return TG_OK;
}

/* The time up to which every stream is known, and the stream that holds it down. */
static int64_t known_to(tg__log_merge *merge, uint32_t *holder)
{
    int64_t known_ns = INT64_MAX;
    size_t kept = 0;
    for (size_t i = 0; i < merge->active_count; i++) {
        const uint32_t number = merge->active[i];
        const tg__log_span *span = &merge->spans[number];
        if (span->next_ns == INT64_MAX && span->known_ns == INT64_MAX &&
            merge->streams[number].ahead_size == merge->streams[number].ahead_at) {
            continue;
        }
        merge->active[kept++] = number;
        *holder = span->known_ns < known_ns ? number : *holder;
        known_ns = span->known_ns < known_ns ? span->known_ns : known_ns;
    }
    merge->active_count = kept;
    return known_ns;
}

/* Of what a stream has offered, that up to a time, to the end of the slice. */
static tg_err take_offered(tg__log_merge *merge, uint32_t number, int64_t to_ns)
{
    tg__log_stream *stream = &merge->streams[number];
    tg__log_span *span = &merge->spans[number];
    TG_TRY(slice_reserve(merge, merge->slice_count + span->offered));
    const tg__timed *in = merge->slice_other + span->offered_at;
    const tg__timed *end = in + span->offered;
    tg__timed *out = merge->slice + merge->slice_count;
    while (in < end && in->order_ns <= to_ns) {
        *out++ = *in++;
    }
    merge->slice_count = (size_t)(out - merge->slice);
    stream->ahead_at = in < end ? in->place : stream->ahead_size;
    span->next_ns = in < end ? in->order_ns : INT64_MAX;
    return TG_OK;
}

/* The same of a stream that was not read on. */
static tg_err take_ahead(tg__log_merge *merge, uint32_t number, int64_t to_ns)
{
    tg__log_stream *stream = &merge->streams[number];
    TG_TRY(slice_reserve(merge, merge->slice_count + tg__log_stream_rows_max(stream)));
    tg__timed *out = merge->slice + merge->slice_count;
    uint32_t at = stream->ahead_at;
    while (at < stream->ahead_size && row_order_ns(stream->ahead + at) <= to_ns) {
        *out++ = (tg__timed){row_order_ns(stream->ahead + at), number, at};
        at += row_size(stream->ahead + at);
    }
    merge->slice_count = (size_t)(out - merge->slice);
    stream->ahead_at = at;
    merge->spans[number].next_ns =
        at < stream->ahead_size ? row_order_ns(stream->ahead + at) : INT64_MAX;
    return TG_OK;
}

/* The records of all streams up to a time, to the end of the slice. */
static tg_err take_all(tg__log_merge *merge, int64_t to_ns)
{
    for (size_t i = 0; i < merge->active_count; i++) {
        if (i + FETCH_TAKE < merge->active_count) {
            __builtin_prefetch(&merge->streams[merge->active[i + FETCH_TAKE]], 1);
        }
        const uint32_t number = merge->active[i];
        tg__log_span *span = &merge->spans[number];
        if (span->next_ns <= to_ns &&
            merge->streams[number].ahead_at < merge->streams[number].ahead_size) {
            TG_TRY(span->offered != 0 ? take_offered(merge, number, to_ns)
                                      : take_ahead(merge, number, to_ns));
            merge->read[merge->read_count++] = number;
        }
        span->offered = 0;
    }
    return TG_OK;
}

/* A stream that alone decides where slices end is read further ahead, while there is memory: else
 * one that is far busier than thousands of others would have us look at all of them for each few of
 * its records. */
static void widen(tg__log_merge *merge, uint32_t holder, size_t new_count)
{
    tg__log_stream *stream = &merge->streams[holder];
    if (new_count < SLICE_ENOUGH && stream->chunk < CHUNK_MAX && stream->chunk <= merge->spare) {
        merge->spare -= stream->chunk;
        stream->chunk *= 2;
    }
}

static tg_err next_slice(tg__log_merge *merge)
{
    TG_TRY(keep_waiting(merge));
    TG_TRY(read_all_on(merge));
    uint32_t holder = 0;
    const int64_t to_ns = known_to(merge, &holder);
    TG_ENSURE(merge->active_count != 0 || merge->slice_count != 0, TG_ERR_NOT_FOUND);
    const size_t before = merge->slice_count;
    TG_TRY(take_all(merge, to_ns));
    if (to_ns != INT64_MAX) {
        widen(merge, holder, merge->slice_count - before);
    }
    tg__timed *sorted = tg__time_sort(merge->slice, merge->slice_other, merge->slice_count);
    merge->slice_other = sorted == merge->slice ? merge->slice_other : merge->slice;
    merge->slice = sorted;
    /* A stream is in the order of its calls, which with stamps of the caller is not quite that of
     * its times: while more can come, the latest wait for what is older. */
    const size_t held = to_ns == INT64_MAX ? 0 : TG__MERGE_WINDOW;
    merge->slice_end = merge->slice_count > held ? merge->slice_count - held : 0;
    return TG_OK;
}

static void note_late(tg__log_merge *merge, int64_t order_ns)
{
    if (merge->handed_out && order_ns < merge->last_order_ns) {
        const int64_t by_ns = merge->last_order_ns - order_ns;
        merge->late_count++;
        merge->late_most_ns = by_ns > merge->late_most_ns ? by_ns : merge->late_most_ns;
    } else {
        merge->last_order_ns = order_ns;
    }
    merge->handed_out = true;
}

tg_err tg__log_merge_next(tg__log_merge *merge, tg__log_record *out)
{
    while (merge->slice_next == merge->slice_end) {
        TG_TRY(next_slice(merge));
    }
    /* A slice jumps from stream to stream, but it is known beforehand to which. */
    if (merge->slice_next + FETCH_STREAM < merge->slice_end) {
        __builtin_prefetch(&merge->streams[merge->slice[merge->slice_next + FETCH_STREAM].stream]);
        const tg__timed *soon = &merge->slice[merge->slice_next + FETCH_RECORD];
        const unsigned char *soon_row = row_of(merge, soon);
        __builtin_prefetch(soon_row);
        __builtin_prefetch(soon_row + CACHE_LINE);
        __builtin_prefetch(merge->streams[soon->stream].thread);
    }
    const tg__timed item = merge->slice[merge->slice_next++];
    const unsigned char *row = row_of(merge, &item);
    const unsigned char *record = row + TG__AHEAD_PREFIX;
    if ((item.place & IN_WAITING) != 0) {
        /* Not used again before the next slice is made, which is in a later call. */
        merge->free_places[merge->free_count++] = item.place & ~IN_WAITING;
    }
    note_late(merge, item.order_ns);
    const tg__log_stream *stream = &merge->streams[item.stream];
    const uint32_t id = tg__get_u32(record + 4) & ~TG__SITE_STAMP_NS;
    out->file = stream->file;
    out->site = &stream->file->sites[id];
    out->thread = stream->thread->number;
    out->thread_name = stream->thread->name;
    out->stamp = tg__get_u64(record + 8);
    out->mono_ns = (int64_t)((uint64_t)item.order_ns - (uint64_t)stream->offset_ns);
    out->utc_ns = tg__time_map_utc(&stream->file->times, out->mono_ns);
    out->arguments = record + TG__RECORD_HEADER;
    out->arguments_size = tg__get_u32(record) - TG__RECORD_HEADER;
    return TG_OK;
}
