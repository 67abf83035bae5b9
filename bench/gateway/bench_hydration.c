/*
 * gateway.hydration: a live terminal asks for another watchlist of 40 instruments, while the tier's
 * terminals are served. Measured from before the first tg_client_subscribe() of the list to the
 * publication of the view in which each of the 40 was received or confirmed since then.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "bench_scene.h"

#define LIST_SIZE     40u
#define ANSWER_S      10
#define BETWEEN_MS    50u /* the watchlist before is gone by then */
#define BETWEEN_RANGE 40u /* of more, so that all phases of the frames are met */

typedef struct probe {
    tg_client *client;
    tg_reader *reader;
    pthread_mutex_t lock;
    pthread_cond_t full;
    const names *directory;
    uint32_t list[LIST_SIZE];
    int64_t asked_ns; /* monotonic; 0: nothing is asked */
    int64_t full_ns;
} probe;

static int64_t mono_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static bool is_full(const probe *p, const tg_view *view, int64_t now_ns)
{
    for (uint32_t i = 0; i < LIST_SIZE; i++) {
        const instrument_name *const one = &p->directory->at[p->list[i]];
        tg_instrument_id id = 0;
        tg_row row;
        if (tg_view_find(view, one->venue, one->symbol, &id) != TG_OK ||
            tg_view_row(view, id, now_ns, &row) != TG_OK || row.age_ns < 0 ||
            now_ns - row.age_ns < p->asked_ns) {
            return false;
        }
    }
    return true;
}

/* The main thread holds the lock only while nothing is asked, or to wait. */
static void on_publish(void *ctx, uint64_t view_number)
{
    (void)view_number;
    probe *const p = ctx;
    const int64_t now_ns = mono_ns();
    (void)pthread_mutex_lock(&p->lock);
    if (p->asked_ns != 0 && p->full_ns == 0) {
        if (is_full(p, tg_reader_pin(p->reader), now_ns)) {
            p->full_ns = now_ns;
            (void)pthread_cond_signal(&p->full);
        }
        tg_reader_unpin(p->reader);
    }
    (void)pthread_mutex_unlock(&p->lock);
}

static bool open_probe(probe *p, const bench_scene *s, why *reason)
{
    tg_client_options options;
    memset(p, 0, sizeof *p);
    p->directory = &s->directory;
    (void)pthread_mutex_init(&p->lock, NULL);
    (void)pthread_cond_init(&p->full, NULL);
    tg_client_options_init(&options);
    options.url = s->gateway.address.url;
    options.ca_file = s->gateway.address.ca_file;
    options.token = s->gateway.address.token;
    options.on_publish = on_publish;
    options.ctx = p;
    tg_err err = tg_client_open(&options, &p->client);
    if (err == TG_OK) {
        err = tg_reader_open(tg_client_store(p->client), &p->reader);
    }
    if (err == TG_OK) {
        err = tg_client_start(p->client);
    }
    return err == TG_OK || why_say(reason, "the probe: %s", tg_err_text(err));
}

static void close_probe(probe *p)
{
    (void)pthread_mutex_lock(&p->lock);
    p->asked_ns = 0; /* no callback touches the reader from here on */
    (void)pthread_mutex_unlock(&p->lock);
    tg_reader_close(p->reader);
    tg_client_close(p->client);
    (void)pthread_cond_destroy(&p->full);
    (void)pthread_mutex_destroy(&p->lock);
}

static bool await_full(probe *p, int64_t *took_ns, why *reason)
{
    struct timespec until;
    int late = 0;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += ANSWER_S;
    (void)pthread_mutex_lock(&p->lock);
    while (p->full_ns == 0 && late == 0) {
        late = pthread_cond_timedwait(&p->full, &p->lock, &until);
    }
    *took_ns = p->full_ns - p->asked_ns;
    p->asked_ns = 0;
    (void)pthread_mutex_unlock(&p->lock);
    return late == 0 || why_say(reason, "a watchlist was not complete after %d s", ANSWER_S);
}

static bool hydrate(probe *p, int64_t *took_ns, why *reason)
{
    tg_sub_id subs[LIST_SIZE];
    tg_err err = TG_OK;
    (void)pthread_mutex_lock(&p->lock);
    p->full_ns = 0;
    p->asked_ns = mono_ns();
    (void)pthread_mutex_unlock(&p->lock);
    for (uint32_t i = 0; i < LIST_SIZE && err == TG_OK; i++) {
        const instrument_name *const one = &p->directory->at[p->list[i]];
        err = tg_client_subscribe(p->client, one->venue, one->symbol, &subs[i]);
    }
    if (err != TG_OK) {
        return why_say(reason, "the probe: %s", tg_err_text(err));
    }
    const bool good = await_full(p, took_ns, reason);
    for (uint32_t i = 0; i < LIST_SIZE && err == TG_OK; i++) {
        err = tg_client_unsubscribe(p->client, subs[i]);
    }
    return good && (err == TG_OK || why_say(reason, "the probe: %s", tg_err_text(err)));
}

static bool run(bench_scene *s, const bench_settings *settings, probe *p, tg_histogram *times,
                why *reason)
{
    splitmix random = {settings->seed};
    for (int waited = 0; tg_client_state(p->client) != TG_SESSION_LIVE; waited++) {
        swarm_sleep(s->swarm, 10);
        if (waited == 1000) {
            return why_say(reason, "the probe is not live after 10 s");
        }
    }
    for (uint32_t i = 0; i < settings->hydrations; i++) {
        int64_t took_ns = 0;
        swarm_sleep(s->swarm, BETWEEN_MS + splitmix_below(&random, BETWEEN_RANGE));
        names_draw(&s->directory, &random, LIST_SIZE, p->list);
        if (!hydrate(p, &took_ns, reason)) {
            return false;
        }
        tg_histogram_record(times, took_ns);
    }
    return true;
}

static bool judge(const latency_summary *times, bool told)
{
    return bench_judge(told, "subscribed to complete, p99, ms", times->p99_ms, times->p99_ms <= 5,
                       "<= 5");
}

bool bench_hydration(const bench_settings *settings, why *reason)
{
    bench_scene scene;
    probe p;
    if (!bench_scene_open(&scene, settings, 0, 0, reason)) {
        return false;
    }
    tg_histogram *const times = latency_open();
    const bool good = open_probe(&p, &scene, reason) && run(&scene, settings, &p, times, reason);
    latency_summary summary;
    latency_summarise(times, &summary);
    if (good && settings->json) {
        printf("{\"bench\":\"gateway.hydration\",\"terminals\":%u,\"instruments\":%u,"
               "\"count\":%u,\"p50_ms\":%.3f,\"p99_ms\":%.3f,\"max_ms\":%.3f,\"met\":%s}\n",
               (unsigned)settings->terminals, LIST_SIZE, (unsigned)settings->hydrations,
               summary.p50_ms, summary.p99_ms, summary.max_ms,
               judge(&summary, false) ? "true" : "false");
    } else if (good) {
        printf("gateway.hydration: %u times %u instruments, beside %u terminals\n",
               (unsigned)settings->hydrations, LIST_SIZE, (unsigned)settings->terminals);
        (void)judge(&summary, true);
        printf("  p50 %.3f max %.3f ms\n", summary.p50_ms, summary.max_ms);
    }
    tg_histogram_close(times);
    close_probe(&p);
    bench_scene_close(&scene);
    return good;
}
