#include "packet.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void tg__packet_pool_init(tg__packet_pool *pool, size_t bytes_max)
{
    memset(pool, 0, sizeof *pool);
    pool->bytes_max = bytes_max;
}

static size_t capacity_of(uint32_t size_class)
{
    return (size_t)TG__PACKET_SIZE_MIN << size_class;
}

static void give_back_one(tg__packet_pool *pool, uint32_t size_class)
{
    tg__packet *packet = pool->free[size_class];
    pool->free[size_class] = packet->next_free;
    pool->bytes_taken -= capacity_of(size_class);
    free(packet);
}

void tg__packet_pool_deinit(tg__packet_pool *pool)
{
    assert(pool->in_use == 0);
    for (uint32_t i = 0; i < TG__PACKET_CLASSES; i++) {
        while (pool->free[i] != NULL) {
            give_back_one(pool, i);
        }
    }
}

/* What a burst of other sizes has left unused, the largest first. At the limit alone. */
static bool make_room(tg__packet_pool *pool, size_t capacity)
{
    for (uint32_t i = TG__PACKET_CLASSES; i-- > 0;) {
        while (pool->bytes_max - pool->bytes_taken < capacity && pool->free[i] != NULL) {
            give_back_one(pool, i);
        }
    }
    return pool->bytes_max - pool->bytes_taken >= capacity;
}

static tg__packet *take(tg__packet_pool *pool, uint32_t size_class)
{
    tg__packet *packet = pool->free[size_class];
    if (packet != NULL) {
        pool->free[size_class] = packet->next_free;
        return packet;
    }
    const size_t capacity = capacity_of(size_class);
    if (!make_room(pool, capacity)) {
        return NULL;
    }
    packet = malloc(sizeof *packet + capacity);
    if (packet != NULL) {
        pool->bytes_taken += capacity;
        packet->size_class = size_class;
    }
    return packet;
}

tg__packet *tg__packet_copy(tg__packet_pool *pool, const uint8_t *bytes, size_t size)
{
    uint32_t size_class = 0;
    while (size_class < TG__PACKET_CLASSES && capacity_of(size_class) < size) {
        size_class++;
    }
    tg__packet *packet = size_class < TG__PACKET_CLASSES ? take(pool, size_class) : NULL;
    if (packet == NULL) {
        return NULL;
    }
    packet->references = 1;
    packet->size = (uint32_t)size;
    packet->queued_mono_ns = 0;
    packet->base = 0;
    packet->boundary = 0;
    packet->ticks = 0;
    memcpy(packet->bytes, bytes, size);
    pool->in_use++;
    return packet;
}

tg__packet *tg__packet_retain(tg__packet *packet)
{
    packet->references++;
    return packet;
}

void tg__packet_release(tg__packet_pool *pool, tg__packet *packet)
{
    if (--packet->references == 0) {
        packet->next_free = pool->free[packet->size_class];
        pool->free[packet->size_class] = packet;
        pool->in_use--;
    }
}
