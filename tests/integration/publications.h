/* Counts what clients publish and wakes the test that waits for it. */
#ifndef PUBLICATIONS_H
#define PUBLICATIONS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

typedef struct publications {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    uint64_t count;
} publications;

bool publications_init(publications *p);
void publications_deinit(publications *p);

/* Any thread. */
void publications_add(publications *p);

/* Waits until there are others than *seen, at most until a time of CLOCK_MONOTONIC; false: in vain.
 * *seen is what there are then. */
bool publications_await(publications *p, uint64_t *seen, const struct timespec *until);

#endif
