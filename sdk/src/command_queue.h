/*
 * Commands of any thread for the network thread. Bounded; when full, a command is refused.
 *
 * Producers take a lock of a few instructions among themselves; the consumer takes none.
 */
#ifndef TG_SDK_COMMAND_QUEUE_H
#define TG_SDK_COMMAND_QUEUE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <tickglass/err.h>

#include <tickglass/internal/control.h>

typedef enum tg__command_kind {
    TG__COMMAND_SUBSCRIBE,
    TG__COMMAND_UNSUBSCRIBE,
    TG__COMMAND_PRIORITISE,
    TG__COMMAND_FIND,
    TG__COMMAND_SET_VISIBLE
} tg__command_kind;

typedef struct tg__command {
    tg__command_kind kind;
    uint32_t number; /* FIND: its place in finds; else the tg_sub_id */
} tg__command;

#define TG__FIND_SLOTS 16u

typedef struct tg__command_queue {
    tg__command *commands;
    uint32_t mask;
    pthread_mutex_t lock;               /* among producers */
    _Atomic uint32_t tail;              /* producers' */
    _Alignas(64) _Atomic uint32_t head; /* consumer's */
    /* A find's slot belongs to the producer while free, to the consumer while taken. */
    _Atomic bool find_taken[TG__FIND_SLOTS];
    tg__find finds[TG__FIND_SLOTS];
} tg__command_queue;

/* capacity is rounded up to a power of two. TG_ERR_NO_MEMORY. */
TG_MUST_CHECK tg_err tg__command_queue_init(tg__command_queue *queue, uint32_t capacity);
void tg__command_queue_deinit(tg__command_queue *queue);

/* TG_ERR_FULL. Thread: any. */
TG_MUST_CHECK tg_err tg__command_queue_put(tg__command_queue *queue, tg__command_kind kind,
                                           uint32_t number);
TG_MUST_CHECK tg_err tg__command_queue_put_find(tg__command_queue *queue, const tg__find *find);

/* Thread: the consumer. */
bool tg__command_queue_is_empty(const tg__command_queue *queue);
/* Thread: the consumer. False: empty. A FIND names a slot of
 * finds, which tg__command_queue_free_find() gives back. */
bool tg__command_queue_take(tg__command_queue *queue, tg__command *command);
void tg__command_queue_free_find(tg__command_queue *queue, uint32_t slot);

#endif
