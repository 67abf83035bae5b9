/**
 * The records of all threads of all files, in the order of their times, with bounded memory.
 *
 * Of every thread some records are unpacked ahead. Up to the earliest of the times to which threads
 * are known, all records are there: this slice is sorted as a whole and handed out, then the
 * threads are read on. So a record costs the same whether two threads are merged or four thousand.
 *
 * Memory: of each thread a block (mapped), two thirds of a kilobyte, or its largest record, and
 * what its call sites said last; 8 MiB more for those that are read fastest; 64 bytes for each
 * record that is ahead.
 */
#ifndef TICKGLASS_LOG_MERGE_H
#define TICKGLASS_LOG_MERGE_H

#include "log_file.h"
#include "log_stream.h"
#include "time_sort.h"

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

/** At least so many records may come before one that is older than they are, and still stand behind
 * it. */
#define TG__MERGE_WINDOW 128u

/** A record that waits for the next slice, in a place of its own: its stream is read on. */
typedef struct tg__log_waiting {
    unsigned char *bytes;
    size_t capacity;
} tg__log_waiting;

/** To which times a stream is known. */
typedef struct tg__log_span {
    int64_t next_ns;     /**< of its next record */
    int64_t known_ns;    /**< of its latest record that is ahead; INT64_MAX: no other will come */
    uint32_t offered_at; /**< in merge->slice_other: all that is ahead, if it was just read on */
    uint32_t offered;    /**< so many; 0: it was not, or is at its end */
} tg__log_span;

typedef struct tg__log_merge {
    tg__log_stream *streams;
    size_t stream_count;
    tg__log_span *spans; /**< by stream */
    uint32_t *active;    /**< streams that are not at their end, ascending */
    size_t active_count;
    uint32_t *read; /**< those of them that the latest slice took records of */
    size_t read_count;
    size_t spare; /**< bytes that streams may still be given to read further ahead */
    size_t offered_count;
    unsigned char *scratch;
    unsigned char *rooms;  /**< of each stream, side by side, for what is ahead of it */
    tg__pack_site **sites; /**< by file: all that its streams know of sites */
    size_t file_count;

    tg__timed *slice; /**< sorted; slice_next to slice_end can be handed out */
    tg__timed *slice_other;
    size_t slice_capacity;
    size_t slice_next;
    size_t slice_end;
    size_t slice_count;

    tg__log_waiting waiting[TG__MERGE_WINDOW];
    uint32_t free_places[TG__MERGE_WINDOW];
    uint32_t free_count;

    bool handed_out;
    int64_t last_order_ns;
    uint64_t late_count;  /**< records that came too late for the window */
    int64_t late_most_ns; /**< by how much at most */
} tg__log_merge;

/** @retval TG_ERR_NO_MEMORY */
TG_MUST_CHECK tg_err tg__log_merge_open(tg__log_file *files, size_t file_count, tg__log_merge *out);
void tg__log_merge_close(tg__log_merge *merge);

/** @retval TG_ERR_NOT_FOUND  that was the last one. A block that cannot be read to its end becomes
 * a problem of its file. */
TG_MUST_CHECK tg_err tg__log_merge_next(tg__log_merge *merge, tg__log_record *out);

#endif
