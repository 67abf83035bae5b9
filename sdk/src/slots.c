#include "slots.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

/* word: generation (16) | use (16) | err (16) | id (16) */
typedef enum slot_use {
    SLOT_FREE,
    SLOT_TAKEN,
    SLOT_GIVEN_UP /* the unsubscription is on its way */
} slot_use;

static uint64_t make_word(uint32_t generation, slot_use use, tg_err err, tg_instrument_id id)
{
    return (uint64_t)(generation & 0xffffu) << 48 | (uint64_t)use << 32 |
           (uint64_t)((uint32_t)err & 0xffffu) << 16 | id;
}

static uint32_t generation_of(uint64_t word)
{
    return (uint32_t)(word >> 48);
}

static slot_use use_of(uint64_t word)
{
    return (slot_use)(word >> 32 & 0xffffu);
}

tg_err tg__slots_init(tg__slots *slots, uint32_t capacity)
{
    memset(slots, 0, sizeof *slots);
    TG_ENSURE(capacity > 0 && capacity <= 65536, TG_ERR_INVALID_ARGUMENT);
    slots->slots = calloc(capacity, sizeof *slots->slots);
    TG_ENSURE(slots->slots != NULL, TG_ERR_NO_MEMORY);
    if (pthread_mutex_init(&slots->lock, NULL) != 0) {
        free(slots->slots);
        slots->slots = NULL;
        return TG_ERR_NO_MEMORY;
    }
    slots->capacity = capacity;
    return TG_OK;
}

void tg__slots_deinit(tg__slots *slots)
{
    if (slots->slots != NULL) {
        (void)pthread_mutex_destroy(&slots->lock);
        free(slots->slots);
        slots->slots = NULL;
    }
}

tg_err tg__slots_take(tg__slots *slots, const char *venue, const char *symbol, tg_sub_id *sub)
{
    tg_err err = TG_ERR_FULL;
    (void)pthread_mutex_lock(&slots->lock);
    for (uint32_t i = 0; i < slots->capacity && err != TG_OK; i++) {
        const uint32_t at = (slots->next + i) % slots->capacity;
        tg__slot *slot = &slots->slots[at];
        /* Acquire: pairs with the release in tg__slots_free(); the name was read for the last time.
         */
        const uint64_t word = atomic_load_explicit(&slot->word, memory_order_acquire);
        if (use_of(word) != SLOT_FREE) {
            continue;
        }
        /* 0 is left out, so that no valid tg_sub_id is 0. */
        const uint32_t generation = generation_of(word) == 0xffffu ? 1 : generation_of(word) + 1;
        slot->priority = false;
        slot->priority_told = false;
        slot->hidden = false;
        slot->hidden_told = false;
        memcpy(slot->venue, venue, strlen(venue) + 1);
        memcpy(slot->symbol, symbol, strlen(symbol) + 1);
        /* The name reaches the network thread with the command queue's release. */
        atomic_store_explicit(&slot->word,
                              make_word(generation, SLOT_TAKEN, TG_ERR_STATE, TG_INSTRUMENT_NONE),
                              memory_order_relaxed);
        sub->v = generation << 16 | at;
        slots->next = at + 1;
        err = TG_OK;
    }
    (void)pthread_mutex_unlock(&slots->lock);
    return err;
}

static tg__slot *slot_of(const tg__slots *slots, tg_sub_id sub)
{
    const uint32_t at = sub.v & 0xffffu;
    return sub.v != 0 && at < slots->capacity ? &slots->slots[at] : NULL;
}

static bool is_tenant(uint64_t word, tg_sub_id sub)
{
    return generation_of(word) == sub.v >> 16 && use_of(word) == SLOT_TAKEN;
}

tg_err tg__slots_give_up(tg__slots *slots, tg_sub_id sub)
{
    tg__slot *slot = slot_of(slots, sub);
    TG_ENSURE(slot != NULL, TG_ERR_NOT_FOUND);
    /* The network thread may store an answer at the same time: exchange, and see what was there. */
    uint64_t word = atomic_load_explicit(&slot->word, memory_order_relaxed);
    do {
        TG_ENSURE(is_tenant(word, sub), TG_ERR_NOT_FOUND);
    } while (!atomic_compare_exchange_weak_explicit(
        &slot->word, &word,
        make_word(sub.v >> 16, SLOT_GIVEN_UP, TG_ERR_NOT_FOUND, TG_INSTRUMENT_NONE),
        memory_order_relaxed, memory_order_relaxed));
    return TG_OK;
}

tg_err tg__slots_answer_get(const tg__slots *slots, tg_sub_id sub, tg_instrument_id *id)
{
    const tg__slot *slot = slot_of(slots, sub);
    TG_ENSURE(slot != NULL, TG_ERR_NOT_FOUND);
    /* The word is the whole answer: nothing else is read because of it. */
    const uint64_t word = atomic_load_explicit(&slot->word, memory_order_relaxed);
    TG_ENSURE(is_tenant(word, sub), TG_ERR_NOT_FOUND);
    *id = (tg_instrument_id)(word & 0xffffu);
    return (tg_err)(word >> 16 & 0xffffu);
}

bool tg__slots_has(const tg__slots *slots, tg_sub_id sub, tg_err *err)
{
    const tg__slot *slot = slot_of(slots, sub);
    /* Relaxed: what is of interest in it this thread has written, or nobody. */
    const uint64_t word =
        slot != NULL ? atomic_load_explicit(&slot->word, memory_order_relaxed) : 0;
    *err = (tg_err)(word >> 16 & 0xffffu);
    return slot != NULL && generation_of(word) == sub.v >> 16 && use_of(word) != SLOT_FREE;
}

/* A wish of the subscriber, and whether the network thread has still to read it. */
typedef struct wish {
    const tg__slot *slot;
    bool *on;
    bool *told;
} wish;

static tg_err note(tg__slots *slots, tg_sub_id sub, wish of, bool on, bool *tell)
{
    (void)pthread_mutex_lock(&slots->lock);
    const bool tenant = is_tenant(atomic_load_explicit(&of.slot->word, memory_order_relaxed), sub);
    if (tenant) {
        *tell = !*of.told;
        *of.on = on;
        *of.told = true;
    }
    (void)pthread_mutex_unlock(&slots->lock);
    return tenant ? TG_OK : TG_ERR_NOT_FOUND;
}

/* none: where the slot has its next tenant already, with a command of its own. */
static bool read_note(tg__slots *slots, tg_sub_id sub, wish of, bool none)
{
    (void)pthread_mutex_lock(&slots->lock);
    const uint64_t word = atomic_load_explicit(&of.slot->word, memory_order_relaxed);
    const bool ours = generation_of(word) == sub.v >> 16;
    const bool on = ours ? *of.on : none;
    if (ours) {
        *of.told = false;
    }
    (void)pthread_mutex_unlock(&slots->lock);
    return on;
}

tg_err tg__slots_prioritise(tg__slots *slots, tg_sub_id sub, bool on, bool *tell)
{
    tg__slot *slot = slot_of(slots, sub);
    TG_ENSURE(slot != NULL, TG_ERR_NOT_FOUND);
    return note(slots, sub, (wish){slot, &slot->priority, &slot->priority_told}, on, tell);
}

tg_err tg__slots_set_visible(tg__slots *slots, tg_sub_id sub, bool visible, bool *tell)
{
    tg__slot *slot = slot_of(slots, sub);
    TG_ENSURE(slot != NULL, TG_ERR_NOT_FOUND);
    return note(slots, sub, (wish){slot, &slot->hidden, &slot->hidden_told}, !visible, tell);
}

bool tg__slots_priority(tg__slots *slots, tg_sub_id sub)
{
    tg__slot *slot = slot_of(slots, sub);
    return read_note(slots, sub, (wish){slot, &slot->priority, &slot->priority_told}, false);
}

bool tg__slots_visible(tg__slots *slots, tg_sub_id sub)
{
    tg__slot *slot = slot_of(slots, sub);
    return !read_note(slots, sub, (wish){slot, &slot->hidden, &slot->hidden_told}, true);
}

const tg__slot *tg__slots_name(const tg__slots *slots, tg_sub_id sub)
{
    return slot_of(slots, sub);
}

void tg__slots_answer_set(tg__slots *slots, tg_sub_id sub, tg_err err, tg_instrument_id id)
{
    tg__slot *slot = slot_of(slots, sub);
    if (slot == NULL) {
        return;
    }
    uint64_t word = atomic_load_explicit(&slot->word, memory_order_relaxed);
    while (is_tenant(word, sub) &&
           !atomic_compare_exchange_weak_explicit(&slot->word, &word,
                                                  make_word(sub.v >> 16, SLOT_TAKEN, err, id),
                                                  memory_order_relaxed, memory_order_relaxed)) {
    }
}

void tg__slots_free(tg__slots *slots, tg_sub_id sub)
{
    tg__slot *slot = slot_of(slots, sub);
    if (slot != NULL) {
        /* Release: pairs with the acquire in tg__slots_take(). */
        atomic_store_explicit(&slot->word,
                              make_word(sub.v >> 16, SLOT_FREE, TG_OK, TG_INSTRUMENT_NONE),
                              memory_order_release);
    }
}
