#include "dialer.h"

#include <errno.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <tickglass/internal/control_flow.h>

#include "address_race.h"
#include "tls_trust.h"

/* Give up at more: a resolver that never returns must not collect a thread for each attempt. */
#define CALLS_MAX 4u

typedef struct call call;

/* Shared by the owner and the threads that still dial something; the last one frees it. */
struct tg__dialer {
    pthread_mutex_t lock;
    pthread_cond_t idle; /* connecting became 0 */
    uint32_t users;
    uint32_t running;    /* calls under way, given up ones included */
    uint32_t connecting; /* of which beyond the resolver: they have descriptors, and end at once */
    call *current;       /* the call that counts; NULL: none, or it has ended */
    bool ready;          /* result is there to be taken */
    void (*on_ready)(void *ctx);
    void *ctx;
    tg__dialed result;
};

struct call {
    tg__dialer *dialer;
    int cancel_fd; /* -1: the resolver is being asked */
    bool loopback_only;
    bool by_proxy;
    tg__url url;
    tg__proxy proxy;
};

tg_err tg__dialer_open(void (*on_ready)(void *ctx), void *ctx, tg__dialer **out)
{
    *out = NULL;
    tg__dialer *dialer = calloc(1, sizeof *dialer);
    TG_ENSURE(dialer != NULL, TG_ERR_NO_MEMORY);
    if (pthread_mutex_init(&dialer->lock, NULL) != 0) {
        free(dialer);
        return TG_ERR_NO_MEMORY;
    }
    if (pthread_cond_init(&dialer->idle, NULL) != 0) {
        (void)pthread_mutex_destroy(&dialer->lock);
        free(dialer);
        return TG_ERR_NO_MEMORY;
    }
    dialer->users = 1;
    dialer->on_ready = on_ready;
    dialer->ctx = ctx;
    *out = dialer;
    return TG_OK;
}

/* Call with the lock held. */
static void forget(tg__dialer *dialer)
{
    if (dialer->current != NULL) {
        if (dialer->current->cancel_fd >= 0) {
            /* It only fails when the count is full, and then the descriptor is readable. */
            (void)eventfd_write(dialer->current->cancel_fd, 1);
        }
        dialer->current = NULL;
    }
    if (dialer->ready && dialer->result.fd >= 0) {
        (void)close(dialer->result.fd);
    }
    dialer->ready = false;
}

/* Call with the lock held; gives it back. */
static void release(tg__dialer *dialer)
{
    const bool last = --dialer->users == 0;
    (void)pthread_mutex_unlock(&dialer->lock);
    if (last) {
        (void)pthread_cond_destroy(&dialer->idle);
        (void)pthread_mutex_destroy(&dialer->lock);
        free(dialer);
    }
}

void tg__dialer_close(tg__dialer *dialer)
{
    if (dialer == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&dialer->lock);
    forget(dialer);
    while (dialer->connecting > 0) {
        (void)pthread_cond_wait(&dialer->idle, &dialer->lock);
    }
    release(dialer);
}

void tg__dialer_cancel(tg__dialer *dialer)
{
    (void)pthread_mutex_lock(&dialer->lock);
    forget(dialer);
    (void)pthread_mutex_unlock(&dialer->lock);
}

bool tg__dialer_take(tg__dialer *dialer, tg__dialed *out)
{
    (void)pthread_mutex_lock(&dialer->lock);
    const bool ready = dialer->ready;
    if (ready) {
        *out = dialer->result;
        dialer->ready = false;
    }
    (void)pthread_mutex_unlock(&dialer->lock);
    return ready;
}

/* --- the call's thread --- */

static void fail(tg__dialed *out, tg__cause cause, const char *place, const char *reason)
{
    out->closed.cause = cause;
    (void)snprintf(out->closed.text, sizeof out->closed.text, "%.70s: %.54s", place, reason);
}

static void fail_with_errno(tg__dialed *out, const char *place, int failure)
{
    char reason[64] = "";
    (void)strerror_r(failure, reason, sizeof reason);
    fail(out, TG__CAUSE_CONNECT, place, reason);
}

static void dial_socket(const call *job, tg__dialed *out)
{
    const char *path = job->url.socket_path;
    (void)snprintf(out->peer, sizeof out->peer, "%s", path);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    _Static_assert(sizeof address.sun_path >= TG__SOCKET_PATH_SIZE, "a path does not fit");
    memcpy(address.sun_path, path, strlen(path) + 1);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof address) != 0) {
        fail_with_errno(out, path, errno);
        if (fd >= 0) {
            (void)close(fd);
        }
        return;
    }
    out->fd = fd;
}

static bool find_addresses(const char *host, bool loopback_only, tg__addresses *addresses,
                           tg__dialed *out)
{
    tg__resolve(host, addresses);
    if (addresses->failure != 0) {
        fail(out, TG__CAUSE_RESOLVE, host, gai_strerror(addresses->failure));
        return false;
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < addresses->count; i++) {
        if (!loopback_only || tg__address_is_loopback(addresses->text[i])) {
            memmove(addresses->text[kept], addresses->text[i], sizeof addresses->text[i]);
            kept++;
        }
    }
    addresses->count = kept;
    if (kept == 0) {
        fail(out, TG__CAUSE_RESOLVE, host, "no address that may be used");
        return false;
    }
    return true;
}

static void enter_tunnel(const call *job, tg__dialed *out, int fd, const char *place)
{
    if (tg__proxy_tunnel(&job->proxy, fd, job->url.host, job->url.port, job->cancel_fd,
                         &out->closed)) {
        (void)snprintf(out->peer, sizeof out->peer, "%s through %s", job->url.host, place);
        out->fd = fd;
        return;
    }
    char reason[TG__CAUSE_TEXT_SIZE];
    memcpy(reason, out->closed.text, sizeof reason);
    (void)snprintf(out->closed.text, sizeof out->closed.text, "%.70s%s%.54s", place,
                   reason[0] != '\0' ? ": " : "", reason);
    (void)close(fd);
}

/* From here on the call can be ended at any moment. False: it was given up meanwhile, or failed. */
static bool begin_connecting(call *job, tg__dialed *out)
{
    tg__dialer *dialer = job->dialer;
    (void)pthread_mutex_lock(&dialer->lock);
    const bool wanted = dialer->current == job;
    if (wanted) {
        job->cancel_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        dialer->connecting += job->cancel_fd >= 0;
    }
    (void)pthread_mutex_unlock(&dialer->lock);
    if (wanted && job->cancel_fd < 0) {
        fail_with_errno(out, "no descriptor", errno);
    }
    return job->cancel_fd >= 0;
}

static void dial_host(call *job, tg__dialed *out)
{
    const char *host = job->by_proxy ? job->proxy.host : job->url.host;
    const uint16_t port = job->by_proxy ? job->proxy.port : job->url.port;
    tg__addresses addresses;
    if (!find_addresses(host, job->loopback_only, &addresses, out) || !begin_connecting(job, out)) {
        return;
    }
    tg__race_result race;
    tg__address_race(&addresses, port, job->cancel_fd, &race);
    char place[TG__ADDRESS_TEXT_SIZE + 16];
    (void)snprintf(place, sizeof place, "%s port %u", addresses.text[race.index], (unsigned)port);
    if (race.fd < 0) {
        fail_with_errno(out, place, race.failure);
    } else if (job->by_proxy) {
        enter_tunnel(job, out, race.fd, place);
    } else {
        memcpy(out->peer, place, sizeof place);
        out->fd = race.fd;
    }
}

static void *run(void *argument)
{
    call *job = argument;
    tg__dialer *dialer = job->dialer;
    tg__dialed result;
    memset(&result, 0, sizeof result);
    result.fd = -1;
    if (job->url.socket_path[0] != '\0') {
        if (begin_connecting(job, &result)) {
            dial_socket(job, &result);
        }
    } else {
        dial_host(job, &result);
    }
    (void)pthread_mutex_lock(&dialer->lock);
    dialer->running--;
    if (dialer->current == job) {
        dialer->current = NULL;
        dialer->result = result;
        dialer->ready = true;
        result.fd = -1;
        /* Under the lock, so that close can promise silence: on_ready only wakes somebody up. */
        dialer->on_ready(dialer->ctx);
    }
    if (result.fd >= 0) {
        (void)close(result.fd);
    }
    if (job->cancel_fd >= 0) {
        (void)close(job->cancel_fd); /* under the lock: whoever cancels writes to it */
        dialer->connecting--;
        (void)pthread_cond_broadcast(&dialer->idle);
    }
    release(dialer);
    tg__wipe(job, sizeof *job);
    free(job);
    return NULL;
}

static tg_err start_thread(call *job)
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
    const int failed = pthread_create(&thread, &attributes, run, job);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)pthread_attr_destroy(&attributes);
    return failed == 0 ? TG_OK : TG_ERR_NO_MEMORY;
}

static tg_err make_call(const tg__url *url, const tg__proxy *proxy, bool loopback_only, call **out)
{
    call *job = calloc(1, sizeof *job);
    TG_ENSURE(job != NULL, TG_ERR_NO_MEMORY);
    job->cancel_fd = -1;
    job->url = *url;
    job->loopback_only = loopback_only;
    job->by_proxy = proxy != NULL;
    if (proxy != NULL) {
        job->proxy = *proxy;
    }
    *out = job;
    return TG_OK;
}

tg_err tg__dialer_dial(tg__dialer *dialer, const tg__url *url, const tg__proxy *proxy,
                       bool loopback_only)
{
    call *job = NULL;
    TG_TRY(make_call(url, proxy, loopback_only, &job));
    job->dialer = dialer;
    (void)pthread_mutex_lock(&dialer->lock);
    forget(dialer);
    tg_err err = dialer->running < CALLS_MAX ? TG_OK : TG_ERR_FULL;
    if (err == TG_OK) {
        err = start_thread(job);
    }
    if (err == TG_OK) {
        dialer->current = job;
        dialer->users++;
        dialer->running++;
    }
    (void)pthread_mutex_unlock(&dialer->lock);
    if (err != TG_OK) {
        tg__wipe(job, sizeof *job);
        free(job);
    }
    return err;
}
