/**
 * The records of all threads of all files, in the order of their times, with bounded memory: one
 * block and a kilobyte of each thread, and a window of TG__MERGE_WINDOW records.
 */
#ifndef TICKGLASS_LOG_MERGE_H
#define TICKGLASS_LOG_MERGE_H

#include "log_file.h"
#include "pack.h"

typedef struct tg__log_record {
    tg__log_file *file;
    const tg__site_info *site;
    uint32_t thread;
    const char *thread_name; /**< "" if it has none */
    uint64_t stamp;          /**< as recorded */
    int64_t mono_ns;
    int64_t utc_ns;
    const unsigned char *arguments; /**< ring form; valid until the next record */
    size_t arguments_size;
} tg__log_record;

typedef struct tg__log_stream tg__log_stream;

/** So many records may come before one that is older than they are, and still stand behind it. */
#define TG__MERGE_WINDOW 128u

/** A record that waits for older ones. */
typedef struct tg__log_waiting {
    tg__log_record record;
    int64_t order_ns;
    unsigned char *bytes; /**< its own copy of the arguments */
    size_t capacity;
} tg__log_waiting;

/** A stream by the time of its next record. */
typedef struct tg__log_place {
    int64_t order_ns;
    size_t stream;
} tg__log_place;

typedef struct tg__log_merge {
    tg__log_stream *streams;
    size_t stream_count;
    tg__log_place *heap; /**< those that are not at their end, the first one on top */
    size_t heap_count;
    unsigned char *scratch;
    tg__log_waiting *places; /**< TG__MERGE_WINDOW + 1 */
    /** Places in use, ascending from first on, and behind them the free ones; a ring. */
    tg__log_waiting *waiting[TG__MERGE_WINDOW + 1];
    uint32_t first;
    uint32_t waiting_count;
    bool exhausted;
    int64_t last_order_ns;
    uint64_t late_count;  /**< records that came too late for the window */
    int64_t late_most_ns; /**< by how much at most */
    bool started;
    bool handed_out;
} tg__log_merge;

/** @retval TG_ERR_NO_MEMORY */
TG_MUST_CHECK tg_err tg__log_merge_open(tg__log_file *files, size_t file_count, tg__log_merge *out);
void tg__log_merge_close(tg__log_merge *merge);

/** @retval TG_ERR_NOT_FOUND  that was the last one. A block that cannot be read to its end becomes
 * a problem of its file. */
TG_MUST_CHECK tg_err tg__log_merge_next(tg__log_merge *merge, tg__log_record *out);

#endif
