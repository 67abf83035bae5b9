#include "log_merge.h"

#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>
#include <tickglass/record_inline.h>

#include "bytes.h"

#define SCRATCH_SIZE (TG_RECORD_BYTES_MAX + 4096u)

/* One thread of one file. */
struct tg__log_stream {
    tg__log_file *file;
    const tg__log_thread *thread;
    int64_t offset_ns; /* from CLOCK_MONOTONIC of this file's machine to the common order */
    size_t next_block;
    uint64_t block_offset;
    tg__block block;
    size_t at;     /* in the block's payload */
    uint32_t left; /* records of the block */
    tg__pack pack;
    unsigned char *record; /* the current one, in ring form */
    size_t record_capacity;
    int64_t mono_ns;
    int64_t order_ns;
};

static bool comes_before(const tg__log_stream *a, const tg__log_stream *b)
{
    return a->order_ns != b->order_ns ? a->order_ns < b->order_ns : a < b;
}

static void sift_down(tg__log_merge *merge, size_t at)
{
    for (;;) {
        size_t first = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < merge->heap_count; child++) {
            if (comes_before(merge->heap[child], merge->heap[first])) {
                first = child;
            }
        }
        if (first == at) {
            return;
        }
        tg__log_stream *swapped = merge->heap[at];
        merge->heap[at] = merge->heap[first];
        merge->heap[first] = swapped;
        at = first;
    }
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
    if (size > stream->record_capacity) {
        unsigned char *larger = realloc(stream->record, size * 2);
        TG_ENSURE(larger != NULL, TG_ERR_NO_MEMORY);
        stream->record = larger;
        stream->record_capacity = size * 2;
    }
    memcpy(stream->record, record, size);
    const uint64_t stamp = tg__get_u64(record + 8);
    const bool is_ns = (tg__get_u32(record + 4) & TG__SITE_STAMP_NS) != 0;
    stream->mono_ns = is_ns ? (int64_t)stamp : tg__time_map_mono(&stream->file->times, stamp);
    stream->order_ns = (int64_t)((uint64_t)stream->mono_ns + (uint64_t)stream->offset_ns);
    return TG_OK;
}

/* TG_ERR_NOT_FOUND at the end of the stream. */
static tg_err advance(tg__log_stream *stream, unsigned char *scratch)
{
    for (;;) {
        if (stream->left == 0 && !next_block(stream)) {
            return TG_ERR_NOT_FOUND;
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
        return keep_record(stream, scratch);
    }
}

static tg_err push(tg__log_merge *merge, tg__log_stream *stream)
{
    const tg_err err = advance(stream, merge->scratch);
    if (err == TG_ERR_NOT_FOUND) {
        return TG_OK;
    }
    TG_TRY(err);
    size_t at = merge->heap_count++;
    merge->heap[at] = stream;
    while (at > 0 && comes_before(merge->heap[at], merge->heap[(at - 1) / 2])) {
        tg__log_stream *swapped = merge->heap[at];
        merge->heap[at] = merge->heap[(at - 1) / 2];
        merge->heap[(at - 1) / 2] = swapped;
        at = (at - 1) / 2;
    }
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
    out->streams = calloc(count + 1, sizeof *out->streams);
    out->heap = calloc(count + 1, sizeof *out->heap);
    out->places = calloc(TG__MERGE_WINDOW + 1, sizeof *out->places);
    tg_err err =
        out->scratch != NULL && out->streams != NULL && out->heap != NULL && out->places != NULL
            ? TG_OK
            : TG_ERR_NO_MEMORY;
    for (uint32_t i = 0; err == TG_OK && i <= TG__MERGE_WINDOW; i++) {
        out->waiting[i] = &out->places[i];
    }
    for (size_t i = 0; i < file_count && err == TG_OK; i++) {
        const int64_t offset_ns = order_offset(files, file_count, &files[i]);
        for (size_t t = 0; t < files[i].thread_count && err == TG_OK; t++) {
            tg__log_stream *stream = &out->streams[out->stream_count++];
            stream->file = &files[i];
            stream->thread = &files[i].threads[t];
            stream->offset_ns = offset_ns;
            err = tg__pack_init(&stream->pack, site_places(&files[i]));
            if (err == TG_OK) {
                err = push(out, stream);
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
        free(merge->streams[i].record);
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
        const tg_err err = advance(merge->heap[0], merge->scratch);
        if (err == TG_ERR_NOT_FOUND) {
            merge->heap[0] = merge->heap[--merge->heap_count];
        } else {
            TG_TRY(err);
        }
        sift_down(merge, 0);
    }
    merge->started = true;
    TG_ENSURE(merge->heap_count != 0, TG_ERR_NOT_FOUND);
    const tg__log_stream *stream = merge->heap[0];
    const uint32_t id = tg__get_u32(stream->record + 4) & ~TG__SITE_STAMP_NS;
    out->file = stream->file;
    out->site = &stream->file->sites[id];
    out->thread = stream->thread->number;
    out->stamp = tg__get_u64(stream->record + 8);
    out->mono_ns = stream->mono_ns;
    out->utc_ns = tg__time_map_utc(&stream->file->times, stream->mono_ns);
    out->arguments = stream->record + TG__RECORD_HEADER;
    out->arguments_size = tg__get_u32(stream->record) - TG__RECORD_HEADER;
    *order_ns = stream->order_ns;
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
