/** The records of one thread of one file, unpacked some ahead. */
#ifndef TICKGLASS_LOG_STREAM_H
#define TICKGLASS_LOG_STREAM_H

#include <stdbool.h>

#include "log_file.h"
#include "pack.h"
#include "time_sort.h"

/** Bytes in front of each record that is ahead: its time in the common order. */
#define TG__AHEAD_PREFIX 8u

/** Room for any unpacked record. */
#define TG__LOG_SCRATCH_SIZE (TG_RECORD_BYTES_MAX + 4096u)

/** Two cache lines: of thousands that are read in turn, little is in the cache. */
typedef struct tg__log_stream {
    /** First line: all that handing a record out needs. */
    _Alignas(64) tg__log_file *file;
    const tg__log_thread *thread;
    int64_t offset_ns;    /**< from CLOCK_MONOTONIC of this file's machine to the common order */
    unsigned char *ahead; /**< rows of time and record in ring form */
    uint32_t ahead_at;    /**< what is before it has been taken */
    uint32_t ahead_size;
    uint32_t capacity; /**< of ahead */
    uint32_t chunk;    /**< so much is read ahead, or one record */
    uint32_t left;     /**< records of the block */
    uint32_t number;   /**< what it is called in tg__timed.stream */
    bool is_lent;      /**< ahead is the caller's */
    bool ended;        /**< nothing but what is ahead will come */

    /** Second: what unpacking needs. */
    tg__packed in; /**< what is left of the block */
    size_t next_block;
    tg__pack pack;
} tg__log_stream;

/** What a stream is made of; all of it outlives the stream. */
typedef struct tg__log_source {
    tg__log_file *file;
    const tg__log_thread *thread;
    int64_t offset_ns;
    uint32_t number;
    tg__pack_site *sites; /**< as tg__pack_init_among() has them, file->site_end places */
    uint32_t stride;
    uint32_t room_size;
    unsigned char *room; /**< for what is ahead, while that fits */
} tg__log_source;

/** @param[in] chunk  at most 64 KiB */
void tg__log_stream_init(tg__log_stream *stream, const tg__log_source *source, uint32_t chunk);
void tg__log_stream_deinit(tg__log_stream *stream);

/** At most so many records are ahead of a stream. */
size_t tg__log_stream_rows_max(const tg__log_stream *stream);

/**
 * Move what is ahead to the front and unpack behind it until the chunk is full. What was ahead and
 * taken is gone. A block that cannot be read to its end becomes a problem of its file.
 * @param[in]  scratch  TG__LOG_SCRATCH_SIZE bytes
 * @param[out] timed    all that is ahead then: room for tg__log_stream_rows_max()
 * @param[out] count    so many
 * @retval TG_ERR_NO_MEMORY
 */
TG_MUST_CHECK tg_err tg__log_stream_fill(tg__log_stream *stream, unsigned char *scratch,
                                         tg__timed *timed, size_t *count);

#endif
