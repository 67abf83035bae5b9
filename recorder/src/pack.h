/**
 * Records as they lie in a ring, packed for the file and back. FORMAT.md section 5.
 *
 * A packed record: site and kind of stamp (1 byte, or 1 + varint), difference of the stamp to the
 * one before (zigzag varint), one nibble per number that says its length, the numbers without
 * leading zero bytes, then texts and blobs. Integers are differences to the same argument of the
 * site's record before in the block, doubles are xor-ed with it. A block begins from zeros, so that
 * each can be read alone.
 */
#ifndef TICKGLASS_PACK_H
#define TICKGLASS_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dictionary.h"

/** A packed record is never larger than its ring form plus this. */
#define TG__PACK_GROWTH 64u

/** What was last seen of a site in the current block. */
typedef struct tg__pack_site {
    uint64_t block; /**< which block the rest belongs to */
    uint64_t words[TG_RECORD_ARGUMENTS_MAX];
    int8_t exponents[TG_RECORD_ARGUMENTS_MAX];
} tg__pack_site;

typedef struct tg__pack {
    tg__pack_site *sites; /**< of id, at id * stride */
    uint32_t site_count;  /**< ids below this have a place */
    uint32_t stride;
    uint64_t block;    /**< number of the current one, from 1 */
    uint64_t stamp;    /**< of the record before */
    uint64_t stamp_ns; /**< likewise, of those with a caller's stamp */
} tg__pack;

/** @param[in] site_count  1 + the largest id. @retval TG_ERR_NO_MEMORY */
TG_MUST_CHECK tg_err tg__pack_init(tg__pack *pack, uint32_t site_count);
void tg__pack_deinit(tg__pack *pack);

/** One of several that read side by side: their places of one site are neighbours, for what is read
 * of thousands at a time must lie close together.
 * @param[in] sites  its first place, zeroed; the caller's. It is not to be deinited. */
void tg__pack_init_among(tg__pack *pack, tg__pack_site *sites, uint32_t site_count,
                         uint32_t stride);

/** Forget what came before. */
void tg__pack_begin_block(tg__pack *pack);

/**
 * Pack one ring record of a known site, which must be whole.
 * @param[out] out  room for the ring record's size + TG__PACK_GROWTH
 * Returns the bytes written. Thread: the pack's owner. Blocks: no.
 */
size_t tg__pack_record(tg__pack *pack, const tg__site_info *site, const unsigned char *record,
                       unsigned char *out);

/** Packed records that are still to be read; reading one moves `at` behind it. */
typedef struct tg__packed {
    const unsigned char *at;
    const unsigned char *end;
} tg__packed;

/**
 * Read one packed record into ring form.
 * @param[in]  sites     dictionary by id; site_count places as in init
 * @param[in]  capacity  of out; TG_RECORD_BYTES_MAX + 64 is always enough
 * @retval TG_ERR_CORRUPT  not a record of a known site; nothing is changed but out
 */
TG_MUST_CHECK tg_err tg__unpack_record(tg__pack *pack, const tg__site_info *sites, tg__packed *in,
                                       unsigned char *out, size_t capacity);

/** One number of one site's records. */
typedef struct tg__skim {
    const tg__site_info *site;
    uint8_t index; /**< of an argument that is a number, not a decimal */
} tg__skim;

/** How long the numbers of a record are, and so where its wanted one and the next record begin. */
typedef struct tg__skim_shape {
    uint64_t nibbles;
    uint64_t mask; /**< of the wanted number's bytes */
    uint8_t wanted_at;
    uint8_t end_at; /**< both from where the numbers begin */
} tg__skim_shape;

/** Shapes as they are met: the same few come again and again. Zeroed at first; for one wanted
 * number, of one thread. */
typedef struct tg__skim_shapes {
    tg__skim_shape places[64]; /**< by a hash of their nibbles */
} tg__skim_shapes;

/** A block whose records are passed over, and what has been taken of it. */
typedef struct tg__skim_lane {
    tg__pack *pack; /**< its own; it must not unpack in the same block: what it knows of other
                       arguments is old */
    tg__packed in;
    uint64_t *words; /**< values as in ring form, sign-extended */
    size_t capacity;
    size_t count;
    tg__skim_shapes *shapes; /**< lanes may share them */
} tg__skim_lane;

/**
 * Pass over packed records and take a single number of each that is wanted's, many times faster
 * than unpacking. Ends when the lane is full or no record is left.
 * @retval TG_ERR_CORRUPT  in.at is not a record of a known site; what was before it is taken
 */
TG_MUST_CHECK tg_err tg__skim_on(const tg__site_info *sites, const tg__skim *wanted,
                                 tg__skim_lane *lane);

/** The same for one record at most. */
TG_MUST_CHECK tg_err tg__skim_one(const tg__site_info *sites, const tg__skim *wanted,
                                  tg__skim_lane *lane);

#define TG__SKIM_LANES 4u

/** The same for several lanes in turn, which is faster than one after the other. They share the
 * first one's shapes. Ends as well when a lane comes to what only tg__skim_one() reads. */
void tg__skim_row(const tg__skim *wanted, tg__skim_lane *const lanes[TG__SKIM_LANES]);

#endif
