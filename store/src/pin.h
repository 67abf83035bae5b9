/**
 * Which version is current and who holds which: the only atomics between writer and readers.
 *
 * A reader pins in three steps, with no loop and no lock:
 *   1. announce  store ANNOUNCED in my slot
 *   2. choose    load the current version
 *   3. settle    compare-and-swap my slot from ANNOUNCED to what I chose
 * The writer never waits for step 3. When it looks for a version to reuse and finds a slot
 * announced, it settles that slot itself, on the version that is current at that moment; the
 * reader's own step 3 then fails and hands it the writer's choice. So a slot holds at most one
 * version at every moment, a reader that stops between any two steps included, and with
 * readers + 2 versions one is always free: nothing is ever put off.
 *
 * Progress: pin and unpin are wait-free (three and one atomic operations); publishing and looking
 * for a free version are wait-free (one, and at most two per reader slot).
 *
 * Why a version that the scan calls free is not read by anybody: it is not current, so a reader can
 * only hold it if it chose it earlier. Announce, choose, publish and scan are sequentially
 * consistent. If the scan reads a slot's value from before an announce, that announce and the
 * choice after it come later in the total order than the scan and the publication before it, so the
 * choice is the current version or a later one, never the free one. If the scan reads the announce,
 * it settles the slot or finds it settled.
 */
#ifndef TICKGLASS_STORE_PIN_H
#define TICKGLASS_STORE_PIN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define TG__CACHE_LINE 64

#define TG__SLOT_FREE      UINT32_C(0xffffffff)
#define TG__SLOT_ANNOUNCED UINT32_C(0xfffffffe)

/* One reader's slot. Alone on its cache line; written by its reader, and settled by the writer. */
typedef struct tg__pin_slot {
    _Alignas(TG__CACHE_LINE) _Atomic uint32_t held; /* a version, or TG__SLOT_* */
} tg__pin_slot;

typedef struct tg__pins {
    /* Written by the writer alone. */
    _Alignas(TG__CACHE_LINE) _Atomic uint32_t current;
    uint32_t slot_count; /* constant */
    tg__pin_slot *slots; /* constant; zeroed storage of slot_count */
} tg__pins;

void tg__pins_init(tg__pins *pins, tg__pin_slot *slots, uint32_t slot_count, uint32_t current);

/* The reader's steps; tg__pin_take() is all three and gives the pinned version. */
static inline void tg__pin_announce(tg__pin_slot *slot)
{
    /* seq_cst: before the load in tg__pin_choose(), against tg__pin_look(). As a release it also
     * ends the reads of a version that was still pinned; pairs with the same load. */
    atomic_store_explicit(&slot->held, TG__SLOT_ANNOUNCED, memory_order_seq_cst);
}

static inline uint32_t tg__pin_choose(const tg__pins *pins)
{
    /* seq_cst, and as an acquire it pairs with the store in tg__pins_publish(): what the writer
     * put into the version before is seen. */
    return atomic_load_explicit(&pins->current, memory_order_seq_cst);
}

/*
 * Decide an announced slot; the result is what it holds then. Reader and writer both come here, the
 * first one decides.
 */
static inline uint32_t tg__pin_settle(tg__pin_slot *slot, uint32_t chosen)
{
    uint32_t held = TG__SLOT_ANNOUNCED;
    /* The release of the one who decides pairs with the acquire of the one who comes too late: the
     * reader sees what the writer put into the version, the writer that the reader has finished
     * with the one before. */
    const bool decided = atomic_compare_exchange_strong_explicit(
        &slot->held, &held, chosen, memory_order_acq_rel, memory_order_acquire);
    return decided ? chosen : held;
}

static inline uint32_t tg__pin_take(const tg__pins *pins, tg__pin_slot *slot)
{
    tg__pin_announce(slot);
    return tg__pin_settle(slot, tg__pin_choose(pins));
}

static inline void tg__pin_drop(tg__pin_slot *slot)
{
    /* Release: the reads of the version end here; pairs with the load in tg__pin_look(). */
    atomic_store_explicit(&slot->held, TG__SLOT_FREE, memory_order_release);
}

/* The writer's look at a slot. */
static inline uint32_t tg__pin_look(const tg__pin_slot *slot)
{
    /* seq_cst: after the store in tg__pins_publish(), against tg__pin_announce(). As an acquire it
     * pairs with tg__pin_drop(), tg__pin_announce() and tg__pin_settle(): the reader has finished
     * with what it held before. */
    return atomic_load_explicit(&slot->held, memory_order_seq_cst);
}

/* Writer: version becomes current. Everything in it must have been written. */
void tg__pins_publish(tg__pins *pins, uint32_t version);

/*
 * Writer: mark in held[0 .. version_count - 1] which versions must not be written: the current one
 * and those that a reader holds. At most slot_count + 1 are marked.
 */
void tg__pins_held(tg__pins *pins, bool *held, uint32_t version_count);

#endif
