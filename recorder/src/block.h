/** Blocks of a record file: envelope and the payloads that are not records. FORMAT.md section 3. */
#ifndef TICKGLASS_BLOCK_H
#define TICKGLASS_BLOCK_H

#include <stddef.h>
#include <stdint.h>

#include "anchor.h"
#include "ring_layout.h"
#include "rings.h"

#define TG__BLOCK_MAGIC       UINT32_C(0x42524754) /* "TGRB" */
#define TG__BLOCK_HEADER      48u
#define TG__BLOCK_PAYLOAD_MAX (UINT32_C(1) << 20)
#define TG__FORMAT_VERSION    1u

typedef enum tg__block_kind {
    TG__BLOCK_FILE = 1,       /**< first in each file */
    TG__BLOCK_DICTIONARY = 2, /**< entries, before the first record that needs them */
    TG__BLOCK_THREAD = 3,     /**< a thread has taken a ring */
    TG__BLOCK_RECORDS = 4,
    TG__BLOCK_ANCHOR = 5,
    TG__BLOCK_NOTE = 6, /**< a loss or a stall outside the rings */
    TG__BLOCK_END = 7   /**< the file was closed in order */
} tg__block_kind;

typedef struct tg__block {
    uint32_t kind;
    uint32_t payload_size;
    uint32_t thread;       /**< RECORDS, THREAD: number of the thread */
    uint32_t record_count; /**< RECORDS */
    uint32_t ring;         /**< RECORDS, THREAD */
    uint64_t position;     /**< RECORDS: where in the ring's history it begins */
    uint64_t position_end; /**< and ends */
    const unsigned char *payload;
} tg__block;

/** Write the header in front of payload_size bytes at out + TG__BLOCK_HEADER; returns the whole
 * size. */
size_t tg__block_seal(const tg__block *block, unsigned char *out);

/**
 * Read the block at the beginning of bytes.
 * @retval TG_ERR_FORMAT   no magic number
 * @retval TG_ERR_TORN     it goes on after the bytes that there are
 * @retval TG_ERR_CORRUPT  impossible size or wrong checksum
 */
TG_MUST_CHECK tg_err tg__block_open(const unsigned char *bytes, size_t available, tg__block *out);

typedef struct tg__file_info {
    uint32_t version;
    uint32_t clock_kind;
    uint32_t threads_max;
    uint32_t ring_size;
    uint32_t pid;
    uint32_t file_number; /**< from 1, of one recorder */
    uint64_t recorder_id;
    char rings_path[TG__RINGS_PATH_SIZE];
} tg__file_info;

size_t tg__file_info_encode(const tg__file_info *info, unsigned char *out);
TG_MUST_CHECK tg_err tg__file_info_decode(const tg__block *block, tg__file_info *out);

size_t tg__anchor_encode(const tg__anchor *anchor, unsigned char *out);
TG_MUST_CHECK tg_err tg__anchor_decode(const tg__block *block, tg__anchor *out);

typedef enum tg__note_kind {
    TG__NOTE_REFUSED = 1, /**< records that had no ring or no place in the dictionary */
    TG__NOTE_STALL = 2,   /**< writes that the system refused, with errno */
    TG__NOTE_DROPPED = 3, /**< a thread's losses that it did not tell itself */
    TG__NOTE_OVERWRITTEN = 4,
    TG__NOTE_SLOW = 5,   /**< writes that were done in the end, but took long */
    TG__NOTE_REMOVED = 6 /**< oldest files that were deleted, as the options ask */
} tg__note_kind;

typedef struct tg__note {
    uint32_t kind;
    int32_t error; /**< errno */
    uint32_t thread;
    uint64_t count;
    int64_t from_mono_ns;
    int64_t to_mono_ns;
    uint64_t lost; /**< STALL, SLOW: records that no ring had room for meanwhile */
} tg__note;

size_t tg__note_encode(const tg__note *note, unsigned char *out);
TG_MUST_CHECK tg_err tg__note_decode(const tg__block *block, tg__note *out);

#endif
