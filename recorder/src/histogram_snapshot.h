/**
 * Histograms in a record file: a window's counts as a byte stream, cut into pieces that are
 * ordinary records of site TG__SITE_HISTOGRAM. FORMAT.md section 6.
 */
#ifndef TICKGLASS_HISTOGRAM_SNAPSHOT_H
#define TICKGLASS_HISTOGRAM_SNAPSHOT_H

#include <tickglass/histogram.h>

#include "log_merge.h"

#define TG__HISTOGRAM_NAME_MAX   63u
#define TG__HISTOGRAM_PIECE_SIZE (UINT32_C(32) << 10)

/**
 * The bytes from … from + size of a histogram's stream; returns the size of the whole stream.
 * Thread: the recording thread. Blocks: no.
 */
uint64_t tg__histogram_stream(const tg_histogram *histogram, uint64_t from, size_t size,
                              unsigned char *out);

/**
 * Add the counts of a stream to a new histogram.
 * @retval TG_ERR_CORRUPT    not a stream
 * @retval TG_ERR_NO_MEMORY
 */
TG_MUST_CHECK tg_err tg__histogram_from_stream(const unsigned char *bytes, size_t size,
                                               tg_histogram **out);

/**
 * The same into one that is there; nothing is added unless all of it can be.
 * @retval TG_ERR_CORRUPT          not a stream
 * @retval TG_ERR_HISTOGRAM_RANGE  another shape
 * Thread: the recording thread of into. Blocks: no.
 */
TG_MUST_CHECK tg_err tg__histogram_add_stream(const unsigned char *bytes, size_t size,
                                              tg_histogram *into);

/** A piece as a record has it; pointers reach into the record. */
typedef struct tg__histogram_piece {
    const char *name;
    uint32_t name_size;
    int64_t from_mono_ns;
    int64_t to_mono_ns;
    uint32_t number; /**< from 1 */
    uint32_t count;
    const unsigned char *bytes;
    uint32_t size;
} tg__histogram_piece;

/** @retval TG_ERR_NOT_FOUND  another site's record. @retval TG_ERR_CORRUPT */
TG_MUST_CHECK tg_err tg__histogram_piece_read(const tg__log_record *record,
                                              tg__histogram_piece *out);

#endif
