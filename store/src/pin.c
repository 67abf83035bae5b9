#include "pin.h"

#include <string.h>

#include "stop_point.h"

void tg__pins_init(tg__pins *pins, tg__pin_slot *slots, uint32_t slot_count, uint32_t current)
{
    pins->slots = slots;
    pins->slot_count = slot_count;
    atomic_init(&pins->current, current);
    for (uint32_t i = 0; i < slot_count; i++) {
        atomic_init(&slots[i].held, TG__SLOT_FREE);
    }
}

void tg__pins_publish(tg__pins *pins, uint32_t version)
{
    /* seq_cst: before the looks that follow. As a release it pairs with tg__pin_choose(). */
    atomic_store_explicit(&pins->current, version, memory_order_seq_cst);
}

void tg__pins_held(tg__pins *pins, bool *held, uint32_t version_count)
{
    memset(held, 0, version_count * sizeof *held);
    /* Relaxed: only this thread writes it. */
    const uint32_t current = atomic_load_explicit(&pins->current, memory_order_relaxed);
    held[current] = true;
    for (uint32_t i = 0; i < pins->slot_count; i++) {
        uint32_t at = tg__pin_look(&pins->slots[i]);
        TG__STOP_POINT("a slot was looked at and not settled");
        if (at == TG__SLOT_ANNOUNCED) {
            at = tg__pin_settle(&pins->slots[i], current);
        }
        if (at < version_count) {
            held[at] = true;
        }
    }
}
