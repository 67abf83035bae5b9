/*
 * Subscriptions as other threads see them: names on the way in, answers on the way out.
 *
 * A slot's word holds the generation, what it is used for and the answer. A slot is taken by the
 * thread that subscribes (under a lock among those), and freed by the network thread once the
 * unsubscription has passed through: so no command in flight can meet the slot's next tenant.
 */
#ifndef TG_SDK_SLOTS_H
#define TG_SDK_SLOTS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <tickglass/client.h>

typedef struct tg__slot {
    _Atomic uint64_t word;
    bool priority;      /* wanted; under the lock */
    bool priority_told; /* a command that will read it is on its way; under the lock */
    bool hidden;        /* the same two of what is on screen */
    bool hidden_told;
    char venue[TG_VENUE_NAME_SIZE]; /* written before the command that carries the slot */
    char symbol[TG_SYMBOL_SIZE];
} tg__slot;

typedef struct tg__slots {
    tg__slot *slots;
    uint32_t capacity;
    uint32_t next; /* where the search for a free slot starts; under the lock */
    pthread_mutex_t lock;
} tg__slots;

/* capacity: at most 65,536. */
TG_MUST_CHECK tg_err tg__slots_init(tg__slots *slots, uint32_t capacity);
void tg__slots_deinit(tg__slots *slots);

/* TG_ERR_FULL. Thread: any. */
TG_MUST_CHECK tg_err tg__slots_take(tg__slots *slots, const char *venue, const char *symbol,
                                    tg_sub_id *sub);
/* Marks the slot as given up, once. TG_ERR_NOT_FOUND: sub is not a subscription. Thread: any. */
TG_MUST_CHECK tg_err tg__slots_give_up(tg__slots *slots, tg_sub_id sub);
/* As tg_client_subscription(). Thread: any. */
TG_MUST_CHECK tg_err tg__slots_answer_get(const tg__slots *slots, tg_sub_id sub,
                                          tg_instrument_id *id);

/* Notes whether the subscription is to have priority; tell says that no command to read it is on
 * its way yet. TG_ERR_NOT_FOUND: sub is not a subscription. Thread: any. */
TG_MUST_CHECK tg_err tg__slots_prioritise(tg__slots *slots, tg_sub_id sub, bool on, bool *tell);

/* Likewise whether it is on screen; a new one is. */
TG_MUST_CHECK tg_err tg__slots_set_visible(tg__slots *slots, tg_sub_id sub, bool visible,
                                           bool *tell);

/* True: the slot is this subscription's, given up or not; err is the answer in it. Thread: network.
 */
bool tg__slots_has(const tg__slots *slots, tg_sub_id sub, tg_err *err);

/* What was noted last. Thread: network. */
bool tg__slots_priority(tg__slots *slots, tg_sub_id sub);
bool tg__slots_visible(tg__slots *slots, tg_sub_id sub);
/* Thread: network. */
const tg__slot *tg__slots_name(const tg__slots *slots, tg_sub_id sub);
void tg__slots_answer_set(tg__slots *slots, tg_sub_id sub, tg_err err, tg_instrument_id id);
void tg__slots_free(tg__slots *slots, tg_sub_id sub);

#endif
