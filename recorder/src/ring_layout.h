/**
 * The shared mapping that outlives the process: header, dictionary, controls of all rings side by
 * side, rings. Written by the recorder, read by the recorder and, after a crash, by `recover`.
 *
 *     0                 tg__rings_header
 *     4096              dictionary, TG__DICTIONARY_BYTES
 *     controls_offset   threads_max x tg__ring_control
 *     data_offset       threads_max x ring_size, page aligned
 */
#ifndef TICKGLASS_RING_LAYOUT_H
#define TICKGLASS_RING_LAYOUT_H

#include <stdatomic.h>
#include <stdint.h>

#include "anchor.h"

#define TG__RINGS_MAGIC       UINT64_C(0x31534e4952475421) /* "!TGRINS1" */
#define TG__RINGS_HEADER_SIZE 4096u
#define TG__RING_LINE         64
#define TG__RING_PAD          UINT32_C(0x7fffffff) /**< site id of the mark at the end of a lap */
#define TG__THREAD_NAME_SIZE  32
#define TG__RINGS_PATH_SIZE   1024

typedef struct tg__rings_header {
    uint64_t magic;
    uint64_t recorder_id; /**< the same in the file's header block */
    uint64_t controls_offset;
    uint64_t data_offset;
    uint64_t total_size;
    uint32_t threads_max;
    uint32_t ring_size;
    uint32_t clock_kind;
    uint32_t pid;
    uint32_t overwrites; /**< heads may be ahead of the file */
    uint32_t unused;
    tg__anchor first_anchor;
    char boot_id[40]; /**< of the running system, so that `recover` may add an anchor of now */
    /** Bytes of the dictionary that are complete. Stored under the registry's lock. */
    _Alignas(TG__RING_LINE) _Atomic uint64_t dictionary_size;
    char record_path[TG__RINGS_PATH_SIZE]; /**< of the first file, absolute; "": too long */
} tg__rings_header;

_Static_assert(sizeof(tg__rings_header) <= TG__RINGS_HEADER_SIZE, "the dictionary follows");

typedef enum tg__ring_state {
    TG__RING_FREE = 0,
    TG__RING_LIVE = 1,   /**< a thread owns it */
    TG__RING_RETIRED = 2 /**< its thread has gone; free once it is drained */
} tg__ring_state;

/** Positions count bytes since the ring was made; they never wrap and never step back. */
typedef struct tg__ring_control {
    /** First line: stored by the producing thread. */
    _Alignas(TG__RING_LINE) _Atomic uint64_t tail; /**< end of the last complete record */
    /** The producer may write below this position, so bytes before claimed - ring_size are gone. */
    _Atomic uint64_t claimed;
    _Atomic uint64_t dropped;      /**< in all */
    _Atomic uint64_t overwritten;  /**< in all */
    _Atomic uint64_t dropped_told; /**< of them, what markers or notes have told */
    _Atomic uint64_t overwritten_told;
    _Atomic uint64_t lost_first; /**< stamps of what no marker tells yet */
    _Atomic uint64_t lost_last;

    /** Second line: stored by the writer and, to give up the oldest, by the producer (see
     * producer.c). The lowest bit says that the writer is reading. */
    _Alignas(TG__RING_LINE) _Atomic uint64_t head;

    /** Third line: stored when a thread takes or leaves the ring. */
    _Alignas(TG__RING_LINE) _Atomic uint32_t state; /**< a tg__ring_state */
    uint32_t thread;                                /**< number of the owner, from 1 */
    char name[TG__THREAD_NAME_SIZE];
} tg__ring_control;

#endif
