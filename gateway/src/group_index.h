/** Every group, found by its set. */
#ifndef TG_GATEWAY_GROUP_INDEX_H
#define TG_GATEWAY_GROUP_INDEX_H

#include "group.h"

#define TG__GROUP_BUCKETS 4096u

typedef struct tg__group_index {
    tg__group *buckets[TG__GROUP_BUCKETS];
    tg__group *first;
    uint32_t count;
} tg__group_index;

/* The smallest with this set, so that they fill evenly; NULL: there is none. */
tg__group *tg__group_index_find(const tg__group_index *index, const tg_instrument_id *ids,
                                uint32_t count);
void tg__group_index_add(tg__group_index *index, tg__group *group);
void tg__group_index_remove(tg__group_index *index, tg__group *group);

#endif
