#include "session.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <tickglass/client.h>

#define TIMEOUT_S 30

struct session {
    tg_client *client;
    tg_reader *reader;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* under lock, written by callbacks on the network thread */
    uint64_t views;
    unsigned events;
    bool live;
    bool found;
    char venue[TG_VENUE_NAME_SIZE];
    char symbol[TG_SYMBOL_SIZE];
};

static void on_publish(void *ctx, uint64_t view_number)
{
    session *s = ctx;
    pthread_mutex_lock(&s->lock);
    s->views = view_number;
    pthread_cond_signal(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

static void on_event(void *ctx, const tg_event *event)
{
    session *s = ctx;
    pthread_mutex_lock(&s->lock);
    s->events++;
    if (event->kind == TG_EVENT_SESSION) {
        s->live = event->state == TG_SESSION_LIVE;
    }
    pthread_cond_signal(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

static void on_found(void *ctx, uint32_t request, const char *venue,
                     const tg_instrument *instrument, bool more)
{
    session *s = ctx;
    (void)request;
    (void)more;
    pthread_mutex_lock(&s->lock);
    if (instrument != NULL && !s->found) {
        s->found = true;
        (void)snprintf(s->venue, sizeof s->venue, "%s", venue);
        (void)snprintf(s->symbol, sizeof s->symbol, "%s", instrument->symbol);
        pthread_cond_signal(&s->changed);
    }
    pthread_mutex_unlock(&s->lock);
}

session *session_open(const char *url, const char *ca_file, const char *token, char *why,
                      size_t size)
{
    session *s = calloc(1, sizeof *s);
    if (s == NULL) {
        return NULL;
    }
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);

    tg_client_options opt;
    tg_client_options_init(&opt);
    opt.url = url;
    opt.ca_file = ca_file;
    opt.token = token;
    opt.on_publish = on_publish;
    opt.on_event = on_event;
    opt.on_found = on_found;
    opt.ctx = s;
    tg_err err = tg_client_open(&opt, &s->client);
    if (err == TG_OK) {
        err = tg_reader_open(tg_client_store(s->client), &s->reader);
    }
    if (err == TG_OK) {
        err = tg_client_start(s->client);
    }
    if (err != TG_OK) {
        (void)snprintf(why, size, "open: %s", tg_err_text(err));
        session_close(s);
        return NULL;
    }
    return s;
}

/* One instrument with a version in the pinned view: something real has arrived. */
static bool is_drawn(session *s, int64_t now_mono_ns)
{
    const tg_view *view = tg_reader_pin(s->reader);
    tg_instrument_id id = TG_INSTRUMENT_NONE;
    tg_row row;
    const bool drawn = tg_view_find(view, s->venue, s->symbol, &id) == TG_OK &&
                       tg_view_row(view, id, now_mono_ns, &row) == TG_OK && row.image.seq > 0 &&
                       row.quality <= TG_QUALITY_DELAYED;
    tg_reader_unpin(s->reader);
    return drawn;
}

/* What to do next; called without the lock because it calls the client. */
static tg_err advance(session *s, bool live, bool found, bool *asked, bool *subscribed)
{
    tg_err err = TG_OK;
    if (live && !*asked) {
        uint32_t request = 0;
        err = tg_client_find(s->client, NULL, NULL, NULL, NULL, 1, &request);
        *asked = err == TG_OK;
    }
    if (found && !*subscribed) {
        tg_sub_id sub;
        err = tg_client_subscribe(s->client, s->venue, s->symbol, &sub);
        *subscribed = err == TG_OK;
    }
    return err;
}

int session_wait_for_ticks(session *s, char *why, size_t size)
{
    const tg_clock clock = tg_clock_system();
    struct timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += TIMEOUT_S;
    bool asked = false;
    bool subscribed = false;
    for (;;) {
        pthread_mutex_lock(&s->lock);
        const bool live = s->live;
        const bool found = s->found;
        const uint64_t seen_views = s->views;
        const unsigned seen_events = s->events;
        pthread_mutex_unlock(&s->lock);

        const tg_err err = advance(s, live, found, &asked, &subscribed);
        if (err != TG_OK) {
            (void)snprintf(why, size, "ask: %s", tg_err_text(err));
            return -1;
        }
        if (subscribed && is_drawn(s, tg_clock_mono_ns(&clock))) {
            return 0;
        }
        pthread_mutex_lock(&s->lock);
        int timed_out = 0;
        while (timed_out == 0 && s->views == seen_views && s->events == seen_events &&
               s->found == found) {
            timed_out = pthread_cond_timedwait(&s->changed, &s->lock, &deadline);
        }
        pthread_mutex_unlock(&s->lock);
        if (timed_out != 0) {
            char cause[192];
            tg_client_last_error(s->client, cause, sizeof cause);
            (void)snprintf(why, size, "no tick in %d s (session %s): %s", TIMEOUT_S,
                           tg_session_state_name(tg_client_state(s->client)), cause);
            return -1;
        }
    }
}

void session_close(session *s)
{
    if (s == NULL) {
        return;
    }
    tg_reader_close(s->reader);
    tg_client_close(s->client);
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->lock);
    free(s);
}
