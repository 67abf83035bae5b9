/* Callbacks of an adapter whose connections are never made: any of these fails the test. */
#ifndef UNWANTED_IO_H
#define UNWANTED_IO_H

#include <stddef.h>
#include <stdint.h>

#include "tg_cmocka.h"

static inline void unwanted_connection(void *ctx, uint32_t generation, const char *peer)
{
    (void)ctx;
    fail_msg("connection %lu was made to %s", (unsigned long)generation, peer);
}

static inline void unwanted_message(void *ctx, uint32_t generation, const uint8_t *bytes,
                                    size_t size, int64_t received_mono_ns)
{
    (void)ctx;
    (void)bytes;
    (void)received_mono_ns;
    fail_msg("connection %lu brought %zu bytes", (unsigned long)generation, size);
}

static inline void unwanted_progress(void *ctx, uint32_t generation, size_t size)
{
    (void)ctx;
    fail_msg("connection %lu brought %zu bytes of a message", (unsigned long)generation, size);
}

#endif
