#include "publications.h"

#include <string.h>

bool publications_init(publications *p)
{
    pthread_condattr_t attributes;
    memset(p, 0, sizeof *p);
    return pthread_mutex_init(&p->mutex, NULL) == 0 && pthread_condattr_init(&attributes) == 0 &&
           pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0 &&
           pthread_cond_init(&p->changed, &attributes) == 0;
}

void publications_deinit(publications *p)
{
    (void)pthread_cond_destroy(&p->changed);
    (void)pthread_mutex_destroy(&p->mutex);
}

void publications_add(publications *p)
{
    (void)pthread_mutex_lock(&p->mutex);
    p->count++;
    (void)pthread_cond_signal(&p->changed);
    (void)pthread_mutex_unlock(&p->mutex);
}

bool publications_await(publications *p, uint64_t *seen, const struct timespec *until)
{
    int waited = 0;
    (void)pthread_mutex_lock(&p->mutex);
    while (p->count == *seen && waited == 0) {
        waited = pthread_cond_timedwait(&p->changed, &p->mutex, until);
    }
    *seen = p->count;
    (void)pthread_mutex_unlock(&p->mutex);
    return waited == 0;
}
