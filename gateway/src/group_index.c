#include "group_index.h"

tg__group *tg__group_index_find(const tg__group_index *index, const tg_instrument_id *ids,
                                uint32_t count)
{
    const uint32_t digest = tg__set_digest(ids, count);
    tg__group *smallest = NULL;
    for (tg__group *group = index->buckets[digest % TG__GROUP_BUCKETS]; group != NULL;
         group = group->next_in_bucket) {
        if ((smallest == NULL || group->member_count < smallest->member_count) &&
            tg__group_has_set(group, digest, ids, count)) {
            smallest = group;
        }
    }
    return smallest;
}

void tg__group_index_add(tg__group_index *index, tg__group *group)
{
    tg__group **bucket = &index->buckets[group->channel.set_digest % TG__GROUP_BUCKETS];
    group->next_in_bucket = *bucket;
    *bucket = group;
    group->previous = NULL;
    group->next = index->first;
    if (index->first != NULL) {
        index->first->previous = group;
    }
    index->first = group;
    index->count++;
}

void tg__group_index_remove(tg__group_index *index, tg__group *group)
{
    tg__group **link = &index->buckets[group->channel.set_digest % TG__GROUP_BUCKETS];
    while (*link != group) {
        link = &(*link)->next_in_bucket;
    }
    *link = group->next_in_bucket;
    if (group->previous != NULL) {
        group->previous->next = group->next;
    } else {
        index->first = group->next;
    }
    if (group->next != NULL) {
        group->next->previous = group->previous;
    }
    index->count--;
}
