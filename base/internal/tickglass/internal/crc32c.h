/**
 * CRC-32C (Castagnoli, reflected polynomial 0x82F63B78), as RFC 3720 appendix B.4 has it.
 *
 * In base because two rooms need the same checksum: codec for set and state digests, recorder for
 * blocks.
 */
#ifndef TICKGLASS_INTERNAL_CRC32C_H
#define TICKGLASS_INTERNAL_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/** Continue a checksum: start with crc = 0, feed pieces in order. Thread: any. Blocks: no. */
uint32_t tg__crc32c(uint32_t crc, const void *bytes, size_t size);

/** The same on a processor without an instruction for it. Thread: any. Blocks: no. */
uint32_t tg__crc32c_by_table(uint32_t crc, const void *bytes, size_t size);

#endif
