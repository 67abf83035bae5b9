#include "swarm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NS_PER_MS       INT64_C(1000000)
#define NS_PER_S        1e9
#define TICK_MS         10u /* how often ended sessions are looked for */
#define STEP_PERIOD_NS  1000000
#define STEP_BUDGET_US  1000u
#define LEAVE_LIMIT_MS  5000u
#define FRAMES_PER_S    25u
#define SAMPLES_SPARE_S 5u

typedef struct received {
    uint64_t frames;
    int64_t present_ns;
} received;

struct swarm {
    swarm_options options;
    swarm_client *clients;
    uint32_t *lists;    /* of indexes, one after the other */
    received *received; /* per client: at the beginning, then from there to the end */
    int64_t begin_ns;
    int64_t end_ns;
    atomic_bool measuring;

    /* The loop of the stepped clients. The lock is held for a round, or by who changes a client. */
    pthread_t stepper;
    pthread_mutex_t step_lock;
    tg_clock clock;           /* of the stepped clients */
    _Atomic int64_t slept_ns; /* for how long it has stood still so far */
    int64_t paused_at_ns;     /* under step_lock */
    bool paused;              /* under step_lock */
    bool stopping;            /* under step_lock */
    bool stepping;            /* the thread exists */
};

static int64_t mono_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static void sleep_ns(int64_t ns)
{
    const struct timespec span = {ns / INT64_C(1000000000), ns % INT64_C(1000000000)};
    (void)nanosleep(&span, NULL);
}

static void *room_for(size_t count, size_t size)
{
    void *const room = calloc(count + 1, size);
    if (room == NULL) {
        perror("swarm");
        exit(1);
    }
    return room;
}

/* ---- the stepped ones ---- */

static void step_round(swarm *s)
{
    for (uint32_t i = s->options.clients - s->options.stepped; i < s->options.clients; i++) {
        tg_client *const client = s->clients[i].client;
        if (client != NULL && tg_client_step(client, STEP_BUDGET_US) != TG_OK) {
            (void)fprintf(stderr, "swarm: client %u cannot be stepped\n", (unsigned)i);
        }
    }
}

static void *step_loop(void *argument)
{
    swarm *const s = argument;
    for (bool stopping = false; !stopping;) {
        (void)pthread_mutex_lock(&s->step_lock);
        if (!s->paused) {
            step_round(s);
        }
        stopping = s->stopping;
        (void)pthread_mutex_unlock(&s->step_lock);
        sleep_ns(STEP_PERIOD_NS);
    }
    return NULL;
}

static int64_t awake_mono_ns(void *ctx)
{
    /* Relaxed: it is written while the only thread that reads it is kept off by the lock. */
    return mono_ns() - atomic_load_explicit(&((swarm *)ctx)->slept_ns, memory_order_relaxed);
}

static int64_t real_utc_ns(void *ctx)
{
    (void)ctx;
    const tg_clock clock = tg_clock_system();
    return tg_clock_utc_ns(&clock);
}

static int64_t boottime_ns(void *ctx)
{
    (void)ctx;
    return mono_ns(); /* goes on while the clients sleep */
}

void swarm_pause(swarm *s, bool paused)
{
    (void)pthread_mutex_lock(&s->step_lock);
    if (paused && !s->paused) {
        s->paused_at_ns = mono_ns();
    } else if (!paused && s->paused) {
        atomic_fetch_add_explicit(&s->slept_ns, mono_ns() - s->paused_at_ns, memory_order_relaxed);
    }
    s->paused = paused;
    (void)pthread_mutex_unlock(&s->step_lock);
}

/* ---- opening ---- */

static void draw_lists(swarm *s)
{
    const swarm_options *const o = &s->options;
    const uint32_t longest = distribution_largest(o->sizes);
    const uint32_t lists = o->lists == 0 || o->lists > o->clients ? o->clients : o->lists;
    splitmix random = {o->seed};
    s->lists = room_for((size_t)lists * longest, sizeof *s->lists);
    for (uint32_t i = 0; i < lists; i++) {
        uint32_t *const list = s->lists + (size_t)i * longest;
        uint32_t size = distribution_draw(o->sizes, &random);
        size = size < o->directory->count ? size : (uint32_t)o->directory->count;
        names_draw(o->directory, &random, size, list);
        for (uint32_t c = i; c < o->clients; c += lists) {
            s->clients[c].list = list;
            s->clients[c].list_count = size;
        }
    }
}

/* 0: not on this machine's loopback, so that no link can be put in between. */
static uint16_t loopback_port(const char *url)
{
    static const char *const hosts[] = {"wss://127.0.0.1:", "wss://localhost:"};
    for (size_t i = 0; i < sizeof hosts / sizeof hosts[0]; i++) {
        const size_t length = strlen(hosts[i]);
        if (strncmp(url, hosts[i], length) == 0) {
            const unsigned long port = strtoul(url + length, NULL, 10);
            return port <= UINT16_MAX ? (uint16_t)port : 0;
        }
    }
    return 0;
}

bool swarm_open(const swarm_options *options, swarm **out, why *reason)
{
    swarm *const s = room_for(1, sizeof *s);
    s->options = *options;
    s->clock = (tg_clock){awake_mono_ns, real_utc_ns, s, boottime_ns};
    s->clients = room_for(options->clients, sizeof *s->clients);
    s->received = room_for(options->clients, sizeof *s->received);
    draw_lists(s);
    for (uint32_t i = 0; i < options->clients; i++) {
        swarm_client *const c = &s->clients[i];
        c->gateway = &s->options.gateway;
        c->directory = options->directory;
        c->measuring = &s->measuring;
        c->gateway_port = loopback_port(options->gateway.url);
        c->seed = options->seed * 100000 + i + 1;
        c->stepped = i >= options->clients - options->stepped;
        c->clock = c->stepped ? &s->clock : NULL;
        /* At most a row of every instrument in every frame. */
        swarm_client_init(c, (size_t)c->list_count * FRAMES_PER_S *
                                 (options->seconds + SAMPLES_SPARE_S));
    }
    (void)pthread_mutex_init(&s->step_lock, NULL);
    if (options->stepped > 0) {
        s->stepping = pthread_create(&s->stepper, NULL, step_loop, s) == 0;
        if (!s->stepping) {
            swarm_close(s);
            return why_say(reason, "no thread for the stepped clients");
        }
    }
    *out = s;
    return true;
}

void swarm_close(swarm *s)
{
    if (s == NULL) {
        return;
    }
    swarm_leave_all(s);
    if (s->stepping) {
        (void)pthread_mutex_lock(&s->step_lock);
        s->stopping = true;
        (void)pthread_mutex_unlock(&s->step_lock);
        (void)pthread_join(s->stepper, NULL);
    }
    (void)pthread_mutex_destroy(&s->step_lock);
    for (uint32_t i = 0; i < s->options.clients; i++) {
        swarm_client_deinit(&s->clients[i]);
    }
    free(s->clients);
    free(s->lists);
    free(s->received);
    free(s);
}

uint32_t swarm_count(const swarm *s)
{
    return s->options.clients;
}

swarm_client *swarm_at(swarm *s, uint32_t index)
{
    return &s->clients[index];
}

/* ---- coming and going ---- */

static void reap_ended(swarm *s)
{
    (void)pthread_mutex_lock(&s->step_lock);
    for (uint32_t i = 0; i < s->options.clients; i++) {
        (void)swarm_client_reap(&s->clients[i], false);
    }
    (void)pthread_mutex_unlock(&s->step_lock);
}

static bool take_step(swarm *s, const plan_step *step, why *reason)
{
    swarm_client *const c = &s->clients[step->client];
    bool good = true;
    (void)pthread_mutex_lock(&s->step_lock);
    switch (step->kind) {
    case TRACE_CONNECT:
        good = swarm_client_connect(c, step->ends_by_reset, reason);
        break;
    case TRACE_CLOSE:
        swarm_client_leave(c);
        break;
    case TRACE_RESET:
        swarm_client_reset(c);
        break;
    }
    (void)pthread_mutex_unlock(&s->step_lock);
    return good;
}

bool swarm_run(swarm *s, const plan *p, const atomic_bool *stop, why *reason)
{
    const int64_t start_ns = mono_ns();
    for (size_t i = 0; i < p->count;) {
        if (atomic_load_explicit(stop, memory_order_relaxed)) {
            return true;
        }
        const int64_t left_ns = start_ns + p->steps[i].time_ms * NS_PER_MS - mono_ns();
        if (left_ns > 0) {
            sleep_ns(left_ns < TICK_MS * NS_PER_MS ? left_ns : TICK_MS * NS_PER_MS);
            reap_ended(s);
            continue;
        }
        if (!take_step(s, &p->steps[i], reason)) {
            return false;
        }
        i++;
    }
    return true;
}

bool swarm_connect_all(swarm *s, why *reason)
{
    for (uint32_t i = 0; i < s->options.clients; i++) {
        const plan_step step = {0, TRACE_CONNECT, i, false};
        if (!take_step(s, &step, reason)) {
            return false;
        }
    }
    return true;
}

uint32_t swarm_live(const swarm *s)
{
    uint32_t live = 0;
    for (uint32_t i = 0; i < s->options.clients; i++) {
        const tg_client *const client = s->clients[i].client;
        live += client != NULL && tg_client_state(client) == TG_SESSION_LIVE;
    }
    return live;
}

void swarm_sleep(swarm *s, uint32_t ms)
{
    const int64_t until_ns = mono_ns() + ms * NS_PER_MS;
    for (int64_t left = until_ns - mono_ns(); left > 0; left = until_ns - mono_ns()) {
        sleep_ns(left < TICK_MS * NS_PER_MS ? left : TICK_MS * NS_PER_MS);
        reap_ended(s);
    }
}

bool swarm_await_live(swarm *s, uint32_t limit_ms)
{
    const int64_t until_ns = mono_ns() + limit_ms * NS_PER_MS;
    while (swarm_live(s) < s->options.clients) {
        if (mono_ns() > until_ns) {
            return false;
        }
        swarm_sleep(s, TICK_MS);
    }
    return true;
}

static uint32_t present(const swarm *s)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->options.clients; i++) {
        count += s->clients[i].client != NULL;
    }
    return count;
}

void swarm_leave_all(swarm *s)
{
    swarm_pause(s, false);
    (void)pthread_mutex_lock(&s->step_lock);
    for (uint32_t i = 0; i < s->options.clients; i++) {
        if (s->clients[i].client != NULL) {
            swarm_client_leave(&s->clients[i]);
        }
    }
    (void)pthread_mutex_unlock(&s->step_lock);
    for (uint32_t waited_ms = 0; present(s) > 0 && waited_ms < LEAVE_LIMIT_MS;
         waited_ms += TICK_MS) {
        swarm_sleep(s, TICK_MS);
    }
    (void)pthread_mutex_lock(&s->step_lock);
    for (uint32_t i = 0; i < s->options.clients; i++) {
        (void)swarm_client_reap(&s->clients[i], true);
    }
    (void)pthread_mutex_unlock(&s->step_lock);
}

/* ---- measuring ---- */

static received received_by(const swarm_client *c)
{
    const received so_far = {swarm_client_frames(c), swarm_client_present_ns(c)};
    return so_far;
}

void swarm_measure_begin(swarm *s)
{
    for (uint32_t i = 0; i < s->options.clients; i++) {
        s->received[i] = received_by(&s->clients[i]);
    }
    s->begin_ns = mono_ns();
    /* Relaxed: a sample more or less at the edge is no matter. */
    atomic_store_explicit(&s->measuring, true, memory_order_relaxed);
}

void swarm_measure_end(swarm *s)
{
    atomic_store_explicit(&s->measuring, false, memory_order_relaxed);
    s->end_ns = mono_ns();
    for (uint32_t i = 0; i < s->options.clients; i++) {
        const received now = received_by(&s->clients[i]);
        s->received[i].frames = now.frames - s->received[i].frames;
        s->received[i].present_ns = now.present_ns - s->received[i].present_ns;
    }
}

double swarm_measured_s(const swarm *s)
{
    return (double)(s->end_ns - s->begin_ns) / NS_PER_S;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return x < y ? -1 : x > y;
}

void swarm_frames_of(const swarm *s, uint32_t first, uint32_t end, swarm_frames *out)
{
    double *const rates = room_for(end - first, sizeof *rates);
    uint64_t sum = 0;
    size_t count = 0;
    memset(out, 0, sizeof *out);
    for (uint32_t i = first; i < end; i++) {
        const received *const of = &s->received[i];
        sum += of->frames;
        if (of->present_ns > 0) {
            rates[count++] = (double)of->frames * NS_PER_S / (double)of->present_ns;
        }
    }
    qsort(rates, count, sizeof *rates, ascending);
    if (count > 0) {
        out->least_per_s = rates[0];
        out->median_per_s = rates[count / 2];
        out->all_per_s = (double)sum / swarm_measured_s(s);
    }
    free(rates);
}

void swarm_counts_of(const swarm *s, uint32_t first, uint32_t end, swarm_counts *out)
{
    swarm_counts_init(out);
    for (uint32_t i = first; i < end; i++) {
        swarm_counts one;
        swarm_client_counts(&s->clients[i], &one);
        swarm_counts_add(out, &one);
    }
}
