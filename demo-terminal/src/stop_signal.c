#include "stop_signal.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define SIGNAL_STATUS 128 /* and the number: what a shell makes of an end by a signal */

/* What the first signal means. */
typedef enum meaning {
    IS_NOTED, /* the owner looks later */
    IS_TOLD,
    IS_THE_END, /* the owner may hang */
    ENDS        /* and whoever was first to say so does it */
} meaning;

struct stop_signal {
    pthread_t thread;
    int64_t limit_ms;
    void (*at_end)(void);
    /* The owner's, for whoever finds the meaning that it has stored after them. */
    void (*call)(void *ctx);
    void *ctx;
    _Atomic meaning meaning;
    _Atomic int number;   /* of the first signal, 0 before; written by the thread */
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

/* A second signal while end() runs ends the process in the middle of it. */
static _Noreturn void end_process(const stop_signal *stop, int number, void (*end)(void *ctx))
{
    if (stop->at_end != NULL) {
        stop->at_end();
    }
    stop_signal_unblock();
    if (end != NULL) {
        end(stop->ctx);
    }
    (void)raise(number);
    _exit(SIGNAL_STATUS + number); /* it was ignored when the program began */
}

/* Whoever is first: the thread with a signal, or the owner that finds one has come. */
static void end_if_it_is_the_end(stop_signal *stop, int number)
{
    meaning now = IS_THE_END;
    if (atomic_compare_exchange_strong(&stop->meaning, &now, ENDS)) {
        end_process(stop, number, stop->call);
    }
}

/* Likewise: once. */
static void tell_if_it_is_told(stop_signal *stop)
{
    meaning now = IS_TOLD;
    if (atomic_compare_exchange_strong(&stop->meaning, &now, IS_NOTED)) {
        stop->call(stop->ctx);
    }
}

/* Negative limit: none. 0: it is over, or it shall close. */
static int await_signal(const stop_signal *stop, int64_t limit_ms)
{
    sigset_t set;
    stop_set(&set);
    const struct timespec limit = {.tv_sec = (time_t)(limit_ms / 1000),
                                   .tv_nsec = (long)(limit_ms % 1000) * 1000000};
    int number = -1;
    do {
        number = limit_ms < 0 ? sigwaitinfo(&set, NULL) : sigtimedwait(&set, NULL, &limit);
    } while (number < 0 && errno == EINTR);
    /* Acquire: pairs with the release in stop_signal_close. */
    const bool closing = atomic_load_explicit(&stop->closing, memory_order_acquire);
    return closing || number < 0 ? 0 : number;
}

static void *wait_for_signals(void *arg)
{
    stop_signal *stop = arg;
    const int first = await_signal(stop, -1);
    if (first == 0) {
        return NULL;
    }
    /* Sequentially consistent, as what follows and the owner's accesses: either the number is seen
     * there, or the meaning that the owner has just given it is seen here. */
    atomic_store(&stop->number, first);
    end_if_it_is_the_end(stop, first);
    tell_if_it_is_told(stop);
    const int second = await_signal(stop, stop->limit_ms);
    /* Acquire: as above. */
    if (!atomic_load_explicit(&stop->closing, memory_order_acquire)) {
        end_process(stop, second != 0 ? second : first, NULL);
    }
    return NULL;
}

tg_err stop_signal_open(int64_t limit_ms, void (*at_end)(void), stop_signal **out)
{
    *out = NULL;
    stop_signal *stop = calloc(1, sizeof *stop);
    if (stop == NULL) {
        return TG_ERR_NO_MEMORY;
    }
    stop->limit_ms = limit_ms;
    stop->at_end = at_end;
    if (pthread_create(&stop->thread, NULL, wait_for_signals, stop) != 0) {
        free(stop);
        return TG_ERR_NO_MEMORY;
    }
    *out = stop;
    return TG_OK;
}

static void give_meaning(stop_signal *stop, meaning now, void (*call)(void *ctx), void *ctx)
{
    stop->call = call;
    stop->ctx = ctx;
    atomic_store(&stop->meaning, now);
}

void stop_signal_away(stop_signal *stop, void (*end)(void *ctx), void *ctx)
{
    give_meaning(stop, IS_THE_END, end, ctx);
    const int number = atomic_load(&stop->number);
    if (number != 0) {
        end_if_it_is_the_end(stop, number);
    }
}

void stop_signal_back(stop_signal *stop)
{
    meaning now = IS_THE_END;
    if (!atomic_compare_exchange_strong(&stop->meaning, &now, IS_NOTED) && now == ENDS) {
        for (;;) {
            (void)pause(); /* the thread ends the process */
        }
    }
}

void stop_signal_tell(stop_signal *stop, void (*on_stop)(void *ctx), void *ctx)
{
    give_meaning(stop, IS_TOLD, on_stop, ctx);
    if (stop_signal_came(stop)) {
        tell_if_it_is_told(stop);
    }
}

bool stop_signal_came(const stop_signal *stop)
{
    return atomic_load(&stop->number) != 0;
}

void stop_signal_close(stop_signal *stop)
{
    if (stop == NULL) {
        return;
    }
    /* Release: pairs with the acquires in await_signal and wait_for_signals. */
    atomic_store_explicit(&stop->closing, true, memory_order_release);
    (void)pthread_kill(stop->thread, SIGTERM);
    (void)pthread_join(stop->thread, NULL);
    free(stop);
}
