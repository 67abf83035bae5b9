/**
 * Call sites as bytes: what the file, the mapping and the reader share. FORMAT.md section 4.
 */
#ifndef TICKGLASS_DICTIONARY_H
#define TICKGLASS_DICTIONARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tickglass/err.h>
#include <tickglass/recorder.h>

#define TG__SITES_MAX        4096u /**< ids run from 1 to TG__SITES_MAX */
#define TG__DICTIONARY_BYTES (UINT32_C(1) << 20)
#define TG__SITE_FORMAT_MAX  4095u
#define TG__SITE_FILE_MAX    1023u

/** Sites that every dictionary begins with. */
enum {
    TG__SITE_DROPPED = 1,     /**< u64 count, u64 in all, u64 first stamp, u64 last stamp */
    TG__SITE_OVERWRITTEN = 2, /**< likewise */
    TG__SITE_HISTOGRAM = 3,   /**< a piece of a snapshot, see histogram_snapshot.h */
    TG__SITE_FIRST_OF_USER = 4
};

/** An entry; pointers reach into the dictionary's bytes and are not terminated. */
typedef struct tg__site_info {
    uint32_t id; /**< 0: there is none */
    uint32_t line;
    uint8_t level;
    uint8_t argument_count;
    uint8_t nibble_count; /**< length codes of a packed record */
    bool has_bytes;       /**< there is a text or a blob among the arguments */
    const uint8_t *types;
    const char *file;
    const char *format;
    uint16_t file_size;
    uint16_t format_size;
} tg__site_info;

/**
 * Append an entry. Returns its size, 0 if it does not fit into capacity or is too long.
 * Thread: any. Blocks: no.
 */
size_t tg__site_encode(const tg__site_info *site, unsigned char *out, size_t capacity);

/**
 * Read the entry at the beginning of bytes.
 * @param[out] size  of the entry
 * @retval TG_ERR_CORRUPT  not an entry
 */
TG_MUST_CHECK tg_err tg__site_decode(const unsigned char *bytes, size_t available,
                                     tg__site_info *out, size_t *size);

/** True if a record's argument bytes are exactly what site's types say. */
bool tg__site_arguments_fit(const tg__site_info *site, const unsigned char *arguments, size_t size,
                            size_t *used);

#endif
