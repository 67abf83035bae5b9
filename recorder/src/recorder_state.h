/** The inside of a tg_recorder, for the files that make it up. */
#ifndef TICKGLASS_RECORDER_STATE_H
#define TICKGLASS_RECORDER_STATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include <tickglass/recorder.h>

#include "rings.h"
#include "writer.h"

struct tg_recorder {
    tg__recorder_hot hot; /**< first: TG_RECORD reads it */

    /* Set by open, then read only. */
    tg_overflow overflow[TG_RECORD_LEVEL_COUNT];
    bool host_driven;
    bool overwrites; /**< some level's policy is TG_OVERFLOW_OVERWRITE */
    uint32_t idle_us;
    tg_clock clock;
    pthread_key_t key; /**< value: 1 + number of the calling thread's ring, with the serial */
    tg__rings rings;
    tg__producer *producers; /**< threads_max, each on lines of its own */

    _Atomic uint32_t closing; /**< nobody waits for the writer any more */
    _Atomic uint32_t forked;  /**< this is the child's copy: hands off */
    _Atomic uint64_t refused; /**< records that never had a ring or a site */
    _Atomic uint32_t threads; /**< rings not free */

    uint32_t thread_number; /**< of the latest thread; under the registry's lock */
    tg_recorder *next;      /**< in the registry's list; under its lock */

    /* The writer's side: its thread's, or the polling host's. */
    tg__writer writer;
    pthread_t thread;
    bool thread_started;
    _Atomic uint64_t poller; /**< host_driven: the thread that polled last, as tg__thread_token */
};

#endif
