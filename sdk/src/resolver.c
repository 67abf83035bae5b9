#include "resolver.h"

#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include <tickglass/internal/control_flow.h>

#define HOST_SIZE 256

/* Shared by the owner and the threads that still look something up; the last one frees it. */
struct tg__resolver {
    pthread_mutex_t lock;
    uint32_t users;
    uint32_t running; /* look-ups under way, given up ones included */
    uint32_t asked;   /* number of the look-up that counts; 0: none */
    uint32_t next;
    bool ready;
    bool closed;
    void (*on_ready)(void *ctx);
    void *ctx;
    tg__addresses addresses;
};

typedef struct lookup {
    tg__resolver *resolver;
    uint32_t number;
    char host[HOST_SIZE];
} lookup;

/* Give up at more: a resolver that never returns must not collect a thread per attempt. */
#define LOOKUPS_MAX 4u

tg_err tg__resolver_open(void (*on_ready)(void *ctx), void *ctx, tg__resolver **out)
{
    *out = NULL;
    tg__resolver *resolver = calloc(1, sizeof *resolver);
    TG_ENSURE(resolver != NULL, TG_ERR_NO_MEMORY);
    if (pthread_mutex_init(&resolver->lock, NULL) != 0) {
        free(resolver);
        return TG_ERR_NO_MEMORY;
    }
    resolver->users = 1;
    resolver->on_ready = on_ready;
    resolver->ctx = ctx;
    *out = resolver;
    return TG_OK;
}

/* Call with the lock held; gives it back. */
static void release(tg__resolver *resolver)
{
    const bool last = --resolver->users == 0;
    (void)pthread_mutex_unlock(&resolver->lock);
    if (last) {
        (void)pthread_mutex_destroy(&resolver->lock);
        free(resolver);
    }
}

void tg__resolver_close(tg__resolver *resolver)
{
    if (resolver == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&resolver->lock);
    resolver->closed = true;
    resolver->asked = 0;
    release(resolver);
}

static void collect(const struct addrinfo *list, tg__addresses *out)
{
    for (const struct addrinfo *at = list; at != NULL && out->count < TG__ADDRESSES_MAX;
         at = at->ai_next) {
        char *text = out->text[out->count];
        if (getnameinfo(at->ai_addr, at->ai_addrlen, text, TG__ADDRESS_TEXT_SIZE, NULL, 0,
                        NI_NUMERICHOST) == 0) {
            out->count++;
        }
    }
}

/* RFC 6761 6.3: "localhost" and every name under it have the loopback addresses, whatever the
 * system's tables say or lack. */
static bool is_localhost(const char *host, tg__addresses *out)
{
    static const char under[] = ".localhost";
    const size_t length = strlen(host);
    const size_t tail = sizeof under - 1;
    if (strcasecmp(host, "localhost") != 0 &&
        (length <= tail || strcasecmp(host + length - tail, under) != 0)) {
        return false;
    }
    (void)snprintf(out->text[0], sizeof out->text[0], "127.0.0.1");
    (void)snprintf(out->text[1], sizeof out->text[1], "::1");
    out->count = 2;
    return true;
}

static void *look_up(void *argument)
{
    lookup *job = argument;
    tg__resolver *resolver = job->resolver;
    tg__addresses addresses;
    memset(&addresses, 0, sizeof addresses);
    struct addrinfo hints;
    memset(&hints, 0, sizeof hints);
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_family = AF_UNSPEC;
    struct addrinfo *list = NULL;
    if (!is_localhost(job->host, &addresses)) {
        addresses.failure = getaddrinfo(job->host, NULL, &hints, &list);
    }
    if (list != NULL) {
        collect(list, &addresses);
        freeaddrinfo(list);
    }
    (void)pthread_mutex_lock(&resolver->lock);
    resolver->running--;
    if (!resolver->closed && resolver->asked == job->number) {
        resolver->addresses = addresses;
        resolver->ready = true;
        /* Under the lock, so that close can promise silence: on_ready only wakes somebody up. */
        resolver->on_ready(resolver->ctx);
    }
    release(resolver);
    free(job);
    return NULL;
}

static tg_err start_thread(lookup *job)
{
    pthread_attr_t attributes;
    TG_ENSURE(pthread_attr_init(&attributes) == 0, TG_ERR_NO_MEMORY);
    (void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    /* The host's signals are for the host's threads. */
    sigset_t all;
    sigset_t before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    const int failed = pthread_create(&thread, &attributes, look_up, job);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)pthread_attr_destroy(&attributes);
    return failed == 0 ? TG_OK : TG_ERR_NO_MEMORY;
}

tg_err tg__resolver_ask(tg__resolver *resolver, const char *host)
{
    TG_ENSURE(strlen(host) < HOST_SIZE, TG_ERR_INVALID_ARGUMENT);
    lookup *job = calloc(1, sizeof *job);
    TG_ENSURE(job != NULL, TG_ERR_NO_MEMORY);
    memcpy(job->host, host, strlen(host) + 1);
    job->resolver = resolver;
    (void)pthread_mutex_lock(&resolver->lock);
    tg_err err = resolver->running < LOOKUPS_MAX ? TG_OK : TG_ERR_FULL;
    if (err == TG_OK) {
        resolver->next = resolver->next == UINT32_MAX ? 1 : resolver->next + 1;
        job->number = resolver->next;
        resolver->asked = job->number;
        resolver->ready = false;
        err = start_thread(job);
    }
    if (err == TG_OK) {
        resolver->users++;
        resolver->running++;
    } else {
        resolver->asked = 0;
    }
    (void)pthread_mutex_unlock(&resolver->lock);
    if (err != TG_OK) {
        free(job);
    }
    return err;
}

void tg__resolver_cancel(tg__resolver *resolver)
{
    (void)pthread_mutex_lock(&resolver->lock);
    resolver->asked = 0;
    resolver->ready = false;
    (void)pthread_mutex_unlock(&resolver->lock);
}

bool tg__resolver_take(tg__resolver *resolver, tg__addresses *out)
{
    (void)pthread_mutex_lock(&resolver->lock);
    const bool ready = resolver->ready;
    if (ready) {
        *out = resolver->addresses;
        resolver->ready = false;
        resolver->asked = 0;
    }
    (void)pthread_mutex_unlock(&resolver->lock);
    return ready;
}
