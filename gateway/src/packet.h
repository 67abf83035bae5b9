/**
 * Encoded messages, shared by every connection that sends them: written once, counted references.
 *
 * The pool keeps what it once took from the system, in power-of-two sizes, so that a steady stream
 * allocates nothing. At its limit it gives back unused ones of other sizes; if all are in use it
 * gives none: the caller then drops the message and restates.
 */
#ifndef TG_GATEWAY_PACKET_H
#define TG_GATEWAY_PACKET_H

#include <stddef.h>
#include <stdint.h>

#define TG__PACKET_SIZE_MIN 256u
#define TG__PACKET_CLASSES  13u /* 256 bytes to 1 MiB */

typedef struct tg__packet {
    struct tg__packet *next_free;
    uint32_t references;
    uint32_t size;
    uint32_t size_class;
    int64_t queued_mono_ns; /* a shared frame's, if it is measured; else 0 */
    /* Of a shared frame; 0 with other messages: */
    uint64_t base;     /* the boundary that it follows */
    uint64_t boundary; /* the one that it reaches; a snapshot has it, too */
    uint64_t ticks;    /* of lanes that it covers */
    uint8_t bytes[];
} tg__packet;

typedef struct tg__packet_pool {
    tg__packet *free[TG__PACKET_CLASSES];
    size_t bytes_taken; /* from the system */
    size_t bytes_max;
    size_t in_use; /* packets */
} tg__packet_pool;

void tg__packet_pool_init(tg__packet_pool *pool, size_t bytes_max);
/* Every packet must have come back. */
void tg__packet_pool_deinit(tg__packet_pool *pool);

/* A copy of the message with one reference; NULL at the limit or if it is over 1 MiB. */
tg__packet *tg__packet_copy(tg__packet_pool *pool, const uint8_t *bytes, size_t size);
tg__packet *tg__packet_retain(tg__packet *packet);
void tg__packet_release(tg__packet_pool *pool, tg__packet *packet);

#endif
