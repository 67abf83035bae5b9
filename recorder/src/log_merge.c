#include "log_merge.h"

#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>
#include <tickglass/record_inline.h>

#include "bytes.h"

#define SCRATCH_SIZE (TG_RECORD_BYTES_MAX + 4096u)
#define AHEAD_SIZE   1024u /* a stream that is read has so much unpacked ahead, or one record */
#define CACHE_LINE   64u
#define HEAP_WIDTH   4u /* children of a place: half the levels of two, and in one cache line */

/* One thread of one file. What every step of the merge reads is one cache line. */
struct tg__log_stream {
    _Alignas(CACHE_LINE) tg__log_file *file;
    const tg__log_thread *thread;
    int64_t offset_ns;    /* from CLOCK_MONOTONIC of this file's machine to the common order */
    unsigned char *ahead; /* unpacked records in ring form; the current one is at ahead_at */
    size_t ahead_at;
    size_t ahead_size;
    int64_t mono_ns;
    size_t ahead_capacity;
    size_t next_block;
    uint64_t block_offset;
    tg__block block;
    size_t at;     /* in the block's payload */
    uint32_t left; /* records of the block */
    tg__pack pack;
};

/* No branch: which of two streams is next cannot be predicted. */
static inline bool comes_before(const tg__log_place *a, const tg__log_place *b)
{
    return (a->order_ns < b->order_ns) | ((a->order_ns == b->order_ns) & (a->stream < b->stream));
}

/* The first of a place's children, of which there is at least one. */
static inline size_t first_child(const tg__log_place *heap, size_t child, size_t count)
{
    if (count - child >= HEAP_WIDTH) {
        const size_t left = child + comes_before(&heap[child + 1], &heap[child]);
        const size_t right = child + 2 + comes_before(&heap[child + 3], &heap[child + 2]);
        return comes_before(&heap[right], &heap[left]) ? right : left;
    }
    size_t first = child;
    for (size_t i = child + 1; i < count; i++) {
        first = comes_before(&heap[i], &heap[first]) ? i : first;
    }
    return first;
}

/* A stream that comes near the top was last looked at when all others had not had their turn: with
 * very many of them it lies far from the processor. Fetched on the way up, first what it knows,
 * then its record. */
static inline void fetch(const tg__log_merge *merge, size_t at)
{
    const tg__log_stream *stream = &merge->streams[merge->heap[at].stream];
    if (at > HEAP_WIDTH && at <= HEAP_WIDTH + HEAP_WIDTH * HEAP_WIDTH) {
        __builtin_prefetch(stream);
    } else if (at != 0 && at <= HEAP_WIDTH) {
        const unsigned char *record = stream->ahead + stream->ahead_at;
        __builtin_prefetch(record);
        __builtin_prefetch(record + CACHE_LINE);
    }
}

static void sift_down(tg__log_merge *merge)
{
    tg__log_place *heap = merge->heap;
    const tg__log_place sinking = heap[0];
    size_t at = 0;
    for (size_t child = 1; child < merge->heap_count; child = HEAP_WIDTH * at + 1) {
        const size_t first = first_child(heap, child, merge->heap_count);
        if (!comes_before(&heap[first], &sinking)) {
            break;
        }
        heap[at] = heap[first];
        fetch(merge, at);
        at = first;
    }
    heap[at] = sinking;
}

static void sift_up(tg__log_merge *merge, size_t at)
{
    tg__log_place *heap = merge->heap;
    const tg__log_place rising = heap[at];
    for (; at > 0 && comes_before(&rising, &heap[(at - 1) / HEAP_WIDTH]);
         at = (at - 1) / HEAP_WIDTH) {
        heap[at] = heap[(at - 1) / HEAP_WIDTH];
    }
    heap[at] = rising;
}

/* False at the end of the stream. */
static bool next_block(tg__log_stream *stream)
{
    while (stream->next_block < stream->thread->count) {
        stream->block_offset = stream->thread->offsets[stream->next_block++];
        /* Once more, though the index has seen it: a file may be written over meanwhile. */
        if (tg__block_open(stream->file->bytes + stream->block_offset,
                           stream->file->size - (size_t)stream->block_offset,
                           &stream->block) != TG_OK) {
            continue;
        }
        stream->at = 0;
        stream->left = stream->block.record_count;
        tg__pack_begin_block(&stream->pack);
        if (stream->left != 0) {
            return true;
        }
    }
    return false;
}

static tg_err keep_record(tg__log_stream *stream, const unsigned char *record)
{
    const size_t size = tg__get_u32(record);
    if (size > stream->ahead_capacity - stream->ahead_size) {
        const size_t capacity = (stream->ahead_size + size) * 2;
        unsigned char *larger = realloc(stream->ahead, capacity);
        TG_ENSURE(larger != NULL, TG_ERR_NO_MEMORY);
        stream->ahead = larger;
        stream->ahead_capacity = capacity;
    }
    memcpy(stream->ahead + stream->ahead_size, record, size);
    stream->ahead_size += size;
    return TG_OK;
}

/* Unpack some records of one block: one at a time, each would find that the others have driven its
 * stream's bytes and state out of the cache. TG_ERR_NOT_FOUND at the end of the stream. */
static tg_err read_ahead(tg__log_stream *stream, unsigned char *scratch)
{
    stream->ahead_at = 0;
    stream->ahead_size = 0;
    while (stream->ahead_size < AHEAD_SIZE) {
        if (stream->left == 0 && (stream->ahead_size != 0 || !next_block(stream))) {
            break;
        }
        tg__packed in = {stream->block.payload + stream->at,
                         stream->block.payload + stream->block.payload_size};
        const tg_err err =
            tg__unpack_record(&stream->pack, stream->file->sites, &in, scratch, SCRATCH_SIZE);
        if (err != TG_OK) {
            tg__log_file_problem(stream->file, err,
                                 stream->block_offset + TG__BLOCK_HEADER + stream->at,
                                 stream->block.payload_size - stream->at,
                                 "a record that its dictionary does not explain");
            stream->left = 0;
            continue;
        }
        stream->at = (size_t)(in.at - stream->block.payload);
        stream->left--;
        TG_TRY(keep_record(stream, scratch));
    }
    return stream->ahead_size != 0 ? TG_OK : TG_ERR_NOT_FOUND;
}

/* To the next record, whose time goes to *order_ns. TG_ERR_NOT_FOUND at the end of the stream. */
static tg_err advance(tg__log_stream *stream, unsigned char *scratch, int64_t *order_ns)
{
    if (stream->ahead_size != 0) {
        stream->ahead_at += tg__get_u32(stream->ahead + stream->ahead_at);
    }
    if (stream->ahead_at == stream->ahead_size) {
        TG_TRY(read_ahead(stream, scratch));
    }
    const unsigned char *record = stream->ahead + stream->ahead_at;
    const uint64_t stamp = tg__get_u64(record + 8);
    const bool is_ns = (tg__get_u32(record + 4) & TG__SITE_STAMP_NS) != 0;
    stream->mono_ns = is_ns ? (int64_t)stamp : tg__time_map_mono(&stream->file->times, stamp);
    *order_ns = (int64_t)((uint64_t)stream->mono_ns + (uint64_t)stream->offset_ns);
    return TG_OK;
}

static tg_err push(tg__log_merge *merge, size_t stream)
{
    tg__log_place *place = &merge->heap[merge->heap_count];
    const tg_err err = advance(&merge->streams[stream], merge->scratch, &place->order_ns);
    if (err == TG_ERR_NOT_FOUND) {
        return TG_OK;
    }
    TG_TRY(err);
    place->stream = stream;
    sift_up(merge, merge->heap_count++);
    return TG_OK;
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

static uint32_t site_places(const tg__log_file *file)
{
    uint32_t places = 1;
    for (uint32_t id = 1; id <= TG__SITES_MAX; id++) {
        places = file->sites[id].id != 0 ? id + 1 : places;
    }
    return places;
}

tg_err tg__log_merge_open(tg__log_file *files, size_t file_count, tg__log_merge *out)
{
    memset(out, 0, sizeof *out);
    size_t count = 0;
    for (size_t i = 0; i < file_count; i++) {
        count += files[i].thread_count;
    }
    out->scratch = malloc(SCRATCH_SIZE);
    out->streams = aligned_alloc(CACHE_LINE, (count + 1) * sizeof *out->streams);
    out->heap = calloc(count + 1, sizeof *out->heap);
    out->places = calloc(TG__MERGE_WINDOW + 1, sizeof *out->places);
    tg_err err =
        out->scratch != NULL && out->streams != NULL && out->heap != NULL && out->places != NULL
            ? TG_OK
            : TG_ERR_NO_MEMORY;
    if (out->streams != NULL) {
        memset(out->streams, 0, (count + 1) * sizeof *out->streams);
    }
    for (uint32_t i = 0; err == TG_OK && i <= TG__MERGE_WINDOW; i++) {
        out->waiting[i] = &out->places[i];
    }
    for (size_t i = 0; i < file_count && err == TG_OK; i++) {
        const int64_t offset_ns = order_offset(files, file_count, &files[i]);
        for (size_t t = 0; t < files[i].thread_count && err == TG_OK; t++) {
            const size_t number = out->stream_count++;
            tg__log_stream *stream = &out->streams[number];
            stream->file = &files[i];
            stream->thread = &files[i].threads[t];
            stream->offset_ns = offset_ns;
            err = tg__pack_init(&stream->pack, site_places(&files[i]));
            if (err == TG_OK) {
                err = push(out, number);
            }
        }
    }
    if (err != TG_OK) {
        tg__log_merge_close(out);
    }
    return err;
}

void tg__log_merge_close(tg__log_merge *merge)
{
    for (size_t i = 0; i < merge->stream_count; i++) {
        tg__pack_deinit(&merge->streams[i].pack);
        free(merge->streams[i].ahead);
    }
    for (uint32_t i = 0; merge->places != NULL && i <= TG__MERGE_WINDOW; i++) {
        free(merge->places[i].bytes);
    }
    free(merge->places);
    free(merge->streams);
    free(merge->heap);
    free(merge->scratch);
    memset(merge, 0, sizeof *merge);
}

/* The next one of the streams; its arguments are valid until the next call. */
static tg_err next_of_streams(tg__log_merge *merge, tg__log_record *out, int64_t *order_ns)
{
    /* The stream on top was handed out last: only now may its record go. */
    if (merge->started && merge->heap_count != 0) {
        tg__log_place *top = &merge->heap[0];
        const tg_err err = advance(&merge->streams[top->stream], merge->scratch, &top->order_ns);
        if (err == TG_ERR_NOT_FOUND) {
            merge->heap[0] = merge->heap[--merge->heap_count];
        } else {
            TG_TRY(err);
        }
        sift_down(merge);
    }
    merge->started = true;
    TG_ENSURE(merge->heap_count != 0, TG_ERR_NOT_FOUND);
    const tg__log_stream *stream = &merge->streams[merge->heap[0].stream];
    const unsigned char *record = stream->ahead + stream->ahead_at;
    const uint32_t id = tg__get_u32(record + 4) & ~TG__SITE_STAMP_NS;
    out->file = stream->file;
    out->site = &stream->file->sites[id];
    out->thread = stream->thread->number;
    out->thread_name = stream->thread->name;
    out->stamp = tg__get_u64(record + 8);
    out->mono_ns = stream->mono_ns;
    out->utc_ns = tg__time_map_utc(&stream->file->times, stream->mono_ns);
    out->arguments = record + TG__RECORD_HEADER;
    out->arguments_size = tg__get_u32(record) - TG__RECORD_HEADER;
    *order_ns = merge->heap[0].order_ns;
    return TG_OK;
}

static tg__log_waiting **place_at(tg__log_merge *merge, uint32_t index)
{
    return &merge->waiting[(merge->first + index) % (TG__MERGE_WINDOW + 1)];
}

/* A stream is in the order of its calls, which with stamps of the caller is not quite that of its
 * times. Most records go to the end at once. */
static tg_err let_wait(tg__log_merge *merge, const tg__log_record *record, int64_t order_ns)
{
    tg__log_waiting *place = *place_at(merge, merge->waiting_count);
    if (record->arguments_size > place->capacity) {
        const size_t capacity = record->arguments_size * 2;
        unsigned char *larger = realloc(place->bytes, capacity);
        TG_ENSURE(larger != NULL, TG_ERR_NO_MEMORY);
        place->bytes = larger;
        place->capacity = capacity;
    }
    place->record = *record;
    place->order_ns = order_ns;
    if (record->arguments_size != 0) {
        memcpy(place->bytes, record->arguments, record->arguments_size);
    }
    /* Never NULL, so that no reader has to think of records without arguments. */
    place->record.arguments = place->bytes != NULL ? place->bytes : (const unsigned char *)"";
    uint32_t at = merge->waiting_count++;
    while (at > 0 && (*place_at(merge, at - 1))->order_ns > order_ns) {
        *place_at(merge, at) = *place_at(merge, at - 1);
        at--;
    }
    *place_at(merge, at) = place;
    return TG_OK;
}

tg_err tg__log_merge_next(tg__log_merge *merge, tg__log_record *out)
{
    while (!merge->exhausted && merge->waiting_count < TG__MERGE_WINDOW) {
        tg__log_record record;
        int64_t order_ns = 0;
        const tg_err err = next_of_streams(merge, &record, &order_ns);
        merge->exhausted = err == TG_ERR_NOT_FOUND;
        if (err == TG_OK) {
            TG_TRY(let_wait(merge, &record, order_ns));
        } else if (!merge->exhausted) {
            return err;
        }
    }
    TG_ENSURE(merge->waiting_count != 0, TG_ERR_NOT_FOUND);
    /* One place more than the window holds, so that this one is not taken before the next call. */
    tg__log_waiting *oldest = merge->waiting[merge->first];
    merge->first = (merge->first + 1) % (TG__MERGE_WINDOW + 1);
    merge->waiting_count--;
    if (merge->handed_out && oldest->order_ns < merge->last_order_ns) {
        const int64_t by_ns = merge->last_order_ns - oldest->order_ns;
        merge->late_count++;
        merge->late_most_ns = by_ns > merge->late_most_ns ? by_ns : merge->late_most_ns;
    } else {
        merge->last_order_ns = oldest->order_ns;
    }
    merge->handed_out = true;
    *out = oldest->record;
    return TG_OK;
}
