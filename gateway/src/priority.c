#include "priority.h"

#include <stddef.h>

void tg__priority_link(tg__priority_slot **heads, tg__priority_slot *slots, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        tg__priority_slot *slot = &slots[i];
        slot->previous = NULL;
        slot->next = heads[slot->id];
        if (slot->next != NULL) {
            slot->next->previous = slot;
        }
        heads[slot->id] = slot;
    }
}

void tg__priority_unlink(tg__priority_slot **heads, tg__priority_slot *slots, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const tg__priority_slot *slot = &slots[i];
        if (slot->previous != NULL) {
            slot->previous->next = slot->next;
        } else {
            heads[slot->id] = slot->next;
        }
        if (slot->next != NULL) {
            slot->next->previous = slot->previous;
        }
    }
}

bool tg__priority_update(tg__priority_slot *slot, const tg_image *image)
{
    if (tg_version_compare(tg_image_version(&slot->image), tg_image_version(image)) >= 0) {
        return false;
    }
    slot->image = *image;
    slot->dirty = true;
    return true;
}
