#include "stop_signal.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

struct stop_signal {
    pthread_t thread;
    void (*on_stop)(void *ctx);
    void *ctx;
    _Atomic bool came;    /* written by the thread, read by the owner */
    _Atomic bool closing; /* written by the owner before it sends itself the signal */
};

static void stop_set(sigset_t *set)
{
    (void)sigemptyset(set);
    (void)sigaddset(set, SIGINT);
    (void)sigaddset(set, SIGTERM);
}

void stop_signal_block(void)
{
    sigset_t set;
    stop_set(&set);
    (void)pthread_sigmask(SIG_BLOCK, &set, NULL);
}

void stop_signal_unblock(void)
{
    sigset_t set;
    stop_set(&set);
    (void)pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

static void *wait_for_signal(void *arg)
{
    stop_signal *stop = arg;
    sigset_t set;
    stop_set(&set);
    int number = 0;
    if (sigwait(&set, &number) != 0) {
        return NULL;
    }
    /* Acquire: pairs with the release in stop_signal_close. */
    if (!atomic_load_explicit(&stop->closing, memory_order_acquire)) {
        /* Release: pairs with the acquire in stop_signal_came. */
        atomic_store_explicit(&stop->came, true, memory_order_release);
        stop->on_stop(stop->ctx);
    }
    return NULL;
}

tg_err stop_signal_open(void (*on_stop)(void *ctx), void *ctx, stop_signal **out)
{
    *out = NULL;
    stop_signal *stop = calloc(1, sizeof *stop);
    if (stop == NULL) {
        return TG_ERR_NO_MEMORY;
    }
    stop->on_stop = on_stop;
    stop->ctx = ctx;
    if (pthread_create(&stop->thread, NULL, wait_for_signal, stop) != 0) {
        free(stop);
        return TG_ERR_NO_MEMORY;
    }
    *out = stop;
    return TG_OK;
}

void stop_signal_close(stop_signal *stop)
{
    if (stop == NULL) {
        return;
    }
    /* Release: pairs with the acquire in wait_for_signal. */
    atomic_store_explicit(&stop->closing, true, memory_order_release);
    if (!stop_signal_came(stop)) {
        (void)pthread_kill(stop->thread, SIGTERM);
    }
    (void)pthread_join(stop->thread, NULL);
    free(stop);
}

bool stop_signal_came(const stop_signal *stop)
{
    /* Acquire: pairs with the release in wait_for_signal. */
    return atomic_load_explicit(&stop->came, memory_order_acquire);
}
