#include "log_stream.h"

#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>
#include <tickglass/record_inline.h>

#include "bytes.h"

#define SLACK 128u /* behind the chunk, for the record that crosses its end */

void tg__log_stream_init(tg__log_stream *stream, const tg__log_source *source, uint32_t chunk)
{
    memset(stream, 0, sizeof *stream);
    stream->file = source->file;
    stream->thread = source->thread;
    stream->offset_ns = source->offset_ns;
    stream->number = source->number;
    stream->chunk = chunk;
    stream->ahead = source->room;
    stream->capacity = source->room_size;
    stream->is_lent = true;
    tg__pack_init_among(&stream->pack, source->sites, source->file->site_end, source->stride);
}

void tg__log_stream_deinit(tg__log_stream *stream)
{
    if (!stream->is_lent) {
        free(stream->ahead);
    }
    stream->ahead = NULL;
}

/* False at the end of the stream. */
static bool next_block(tg__log_stream *stream)
{
    while (stream->next_block < stream->thread->count) {
        const size_t offset = (size_t)stream->thread->offsets[stream->next_block++];
        /* Once more, though the index has seen it: a file may be written over meanwhile. */
        tg__block block;
        if (tg__block_open(stream->file->bytes + offset, stream->file->size - offset, &block) !=
            TG_OK) {
            continue;
        }
        stream->in = (tg__packed){block.payload, block.payload + block.payload_size};
        stream->left = block.record_count;
        tg__pack_begin_block(&stream->pack);
        if (stream->left != 0) {
            return true;
        }
    }
    return false;
}

static tg_err reserve(tg__log_stream *stream, size_t size)
{
    if (size > stream->capacity) {
        unsigned char *larger = realloc(stream->is_lent ? NULL : stream->ahead, size);
        TG_ENSURE(larger != NULL, TG_ERR_NO_MEMORY);
        if (stream->is_lent) {
            memcpy(larger, stream->ahead, stream->ahead_size);
        }
        stream->is_lent = false;
        stream->ahead = larger;
        stream->capacity = (uint32_t)size; /* of a chunk and a record */
    }
    return TG_OK;
}

/* A record that may be larger than the room that is left: by way of the scratch. */
static tg_err unpack_large(tg__log_stream *stream, unsigned char *scratch)
{
    TG_TRY(tg__unpack_record(&stream->pack, stream->file->sites, &stream->in, scratch,
                             TG__LOG_SCRATCH_SIZE));
    const size_t size = tg__get_u32(scratch);
    TG_TRY(reserve(stream, stream->ahead_size + TG__AHEAD_PREFIX + size));
    memcpy(stream->ahead + stream->ahead_size + TG__AHEAD_PREFIX, scratch, size);
    return TG_OK;
}

/* The next record behind what is ahead, or none if the rest of the block cannot be read. */
static tg_err unpack_one(tg__log_stream *stream, unsigned char *scratch, tg__timed **timed)
{
    tg__log_file *file = stream->file;
    unsigned char *row = stream->ahead + stream->ahead_size;
    /* Nothing is changed when it fails, be it for want of room. */
    if (tg__unpack_record(&stream->pack, file->sites, &stream->in, row + TG__AHEAD_PREFIX,
                          stream->capacity - stream->ahead_size - TG__AHEAD_PREFIX) != TG_OK) {
        const tg_err err = unpack_large(stream, scratch);
        if (err == TG_ERR_NO_MEMORY) {
            return err;
        }
        if (err != TG_OK) {
            tg__log_file_problem(file, err, (uint64_t)(stream->in.at - file->bytes),
                                 (uint64_t)(stream->in.end - stream->in.at),
                                 "a record that its dictionary does not explain");
            stream->left = 0;
            return TG_OK;
        }
        row = stream->ahead + stream->ahead_size;
    }
    stream->left--;
    const unsigned char *record = row + TG__AHEAD_PREFIX;
    const uint64_t stamp = tg__get_u64(record + 8);
    const bool is_ns = (tg__get_u32(record + 4) & TG__SITE_STAMP_NS) != 0;
    const int64_t mono_ns = is_ns ? (int64_t)stamp : tg__time_map_mono(&file->times, stamp);
    const uint64_t order_ns = (uint64_t)mono_ns + (uint64_t)stream->offset_ns;
    tg__put_u64(row, order_ns);
    *(*timed)++ = (tg__timed){(int64_t)order_ns, stream->number, stream->ahead_size};
    stream->ahead_size += TG__AHEAD_PREFIX + tg__get_u32(record);
    return TG_OK;
}

size_t tg__log_stream_rows_max(const tg__log_stream *stream)
{
    /* What is ahead is over the chunk by one record at most. */
    const uint32_t bytes = stream->ahead_size > stream->chunk ? stream->ahead_size : stream->chunk;
    return bytes / (TG__AHEAD_PREFIX + TG__RECORD_HEADER) + 1;
}

tg_err tg__log_stream_fill(tg__log_stream *stream, unsigned char *scratch, tg__timed *timed,
                           size_t *count)
{
    tg__timed *out = timed;
    stream->ahead_size -= stream->ahead_at;
    if (stream->ahead_at != 0 && stream->ahead_size != 0) {
        memmove(stream->ahead, stream->ahead + stream->ahead_at, stream->ahead_size);
    }
    stream->ahead_at = 0;
    TG_TRY(reserve(stream, (size_t)stream->chunk + SLACK));
    for (uint32_t at = 0; at < stream->ahead_size;) {
        const unsigned char *row = stream->ahead + at;
        *out++ = (tg__timed){(int64_t)tg__get_u64(row), stream->number, at};
        at += TG__AHEAD_PREFIX + tg__get_u32(row + TG__AHEAD_PREFIX);
    }
    while (stream->ahead_size < stream->chunk) {
        if (stream->left == 0 && !next_block(stream)) {
            stream->ended = true;
            break;
        }
        TG_TRY(unpack_one(stream, scratch, &out));
    }
    *count = (size_t)(out - timed);
    return TG_OK;
}
