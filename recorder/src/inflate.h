/**
 * zlib streams (RFC 1950, 1951), as far as histogram logs need them: reading any, writing stored.
 * Here and not from a library, because the room uses none and a histogram is a few kilobytes.
 */
#ifndef TICKGLASS_INFLATE_H
#define TICKGLASS_INFLATE_H

#include <stddef.h>

#include <tickglass/err.h>

/**
 * @param[out] size  bytes written to out
 * @retval TG_ERR_CORRUPT           not a whole zlib stream, or its checksum is wrong
 * @retval TG_ERR_BUFFER_TOO_SMALL  it is longer than capacity
 * Thread: any. Blocks: no.
 */
TG_MUST_CHECK tg_err tg__zlib_read(const unsigned char *bytes, size_t available, unsigned char *out,
                                   size_t capacity, size_t *size);

/** Most bytes that tg__zlib_store() writes for size bytes. */
size_t tg__zlib_stored_size(size_t size);

/** The bytes as a zlib stream of stored blocks; returns its size. Thread: any. Blocks: no. */
size_t tg__zlib_store(const unsigned char *bytes, size_t size, unsigned char *out);

#endif
