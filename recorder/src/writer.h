/**
 * The writer's side: from the rings into blocks, from blocks into the file. Runs on the recorder's
 * thread or under the host's tg_recorder_poll(); never on both.
 */
#ifndef TICKGLASS_WRITER_H
#define TICKGLASS_WRITER_H

#include <stdatomic.h>
#include <stdbool.h>

#include <tickglass/recorder.h>

#include "block.h"
#include "pack.h"
#include "retention.h"

#define TG__WRITER_ERROR_SIZE 256

/** What the writer knows of one ring. */
typedef struct tg__writer_ring {
    uint64_t position;  /**< packed up to here */
    uint64_t published; /**< given back to the producer up to here */
    uint64_t snapshot;  /**< tail at the beginning of the round */
    uint32_t thread;    /**< whose THREAD block is in the file; 0: none */
    bool held;    /**< at the beginning of the round a thread had it, or has left it undrained */
    bool retired; /**< at the beginning of the round its thread had gone */
} tg__writer_ring;

typedef struct tg__writer {
    int fd;
    uint64_t offset; /**< in the file, where buffer begins */
    unsigned char *buffer;
    size_t used;
    tg__pack pack;
    tg__site_info *sites;        /**< by id */
    uint64_t dictionary_read;    /**< bytes of the mapping's dictionary that `sites` knows */
    uint64_t dictionary_written; /**< that the current file has */
    tg__writer_ring *rings;
    char *path;
    char *path_now;  /**< of the current file */
    char *path_next; /**< of the one after it, while that is being made */
    uint64_t rotate_bytes;
    int64_t rotate_ns;
    int64_t file_opened_ns;
    int64_t anchor_due_ns;
    int64_t utc_offset_ns; /* UTC minus monotonic at the latest anchor */
    uint32_t anchor_count;
    uint64_t refused_told;
    uint64_t fullest;       /**< most bytes that a ring held at the beginning of the latest round */
    tg__note stall;         /**< refused writes that nobody told yet; count 0: none */
    tg__note slow;          /**< likewise, those that took long */
    uint64_t lost_at_round; /**< records lost in all when the round began */
    uint64_t lost_at_refusal; /**< likewise, when the first write of `stall` was refused */
    tg__retention retention;
    uint32_t suffix;                   /**< of path_now, 0: none */
    uint64_t removed_told;             /**< of the files that retention has deleted */
    char error[TG__WRITER_ERROR_SIZE]; /**< under the registry's lock */
    /* One writer each, any reader; no order among them is needed. */
    _Atomic uint64_t records;
    _Atomic uint64_t file_bytes;
    _Atomic uint64_t write_errors;
    _Atomic uint32_t files;
    _Atomic uint32_t files_removed;
    _Atomic uint64_t rounds; /**< that brought everything to the file */
} tg__writer;

/** Make the first file with everything that has to stand in front. @retval TG_ERR_IO errno says
 * why; nothing is left behind. @retval TG_ERR_NO_MEMORY */
TG_MUST_CHECK tg_err tg__writer_init(tg_recorder *recorder, const tg_recorder_options *opt);

/** Close the descriptor and free; the file stays unless remove is true. */
void tg__writer_deinit(tg_recorder *recorder, bool remove);

/** Once round all rings. @retval TG_ERR_IO  the disk refuses; call again. */
TG_MUST_CHECK tg_err tg__writer_round(tg_recorder *recorder, uint64_t *moved);

/** After the last round that moved nothing: what nobody told yet, anchor, END. */
TG_MUST_CHECK tg_err tg__writer_end(tg_recorder *recorder);

#endif
