#include "swarm_client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "latency.h"

#define INSTRUMENTS_MIN 64u
#define CHANGED_MAX     4096u /* the longest watchlist */

static int64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    (void)clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Relaxed, here and where they are read: no memory is read because of such a count. */
static void count(_Atomic uint64_t *counter)
{
    atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

static uint64_t read_count(const _Atomic uint64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

static void take_row(swarm_client *c, tg_instrument_id id, const tg_row *row, int64_t published_ns)
{
    uint64_t before = 0;
    switch (shown_take(&c->versions, id, row->image.epoch, row->image.seq, row->history_restarted,
                       &before)) {
    case SHOWN_AGAIN:
        return;
    case SHOWN_REGRESSION:
        count(&c->regressions);
        return;
    case SHOWN_RESTART:
        count(&c->restarts);
        return;
    case SHOWN_FIRST:
        count(&c->rows);
        count(&c->first_rows);
        return;
    case SHOWN_FOLLOWS:
        count(&c->rows);
        break;
    }
    if (!atomic_load_explicit(c->measuring, memory_order_relaxed)) {
        return;
    }
    const admission one = {published_ns, row->image.seq, (uint32_t)(row->image.seq - before), id};
    admissions_add(&c->samples, &one);
    tg_histogram_record(c->newest, published_ns - row->image.value[TG_FIELD_TS_EXCHANGE]);
}

static void on_publish(void *ctx, uint64_t view_number)
{
    (void)view_number;
    swarm_client *const c = ctx;
    const int64_t published_ns = clock_ns(CLOCK_REALTIME);
    tg_instrument_id ids[CHANGED_MAX];
    (void)pthread_mutex_lock(&c->reader_lock);
    if (c->reader == NULL) {
        (void)pthread_mutex_unlock(&c->reader_lock);
        return;
    }
    const tg_view *const view = tg_reader_pin(c->reader);
    const size_t changed = tg_view_changed(view, c->view_number, ids, CHANGED_MAX);
    for (size_t i = 0; i < changed && i < CHANGED_MAX; i++) {
        tg_row row;
        if (tg_view_row(view, ids[i], tg_view_published_mono_ns(view), &row) == TG_OK) {
            take_row(c, ids[i], &row, published_ns);
        }
    }
    c->view_number = tg_view_number(view);
    tg_reader_unpin(c->reader);
    (void)pthread_mutex_unlock(&c->reader_lock);
    count(&c->publications);
}

static void take_session(swarm_client *c, const tg_event *event)
{
    switch (event->state) {
    case TG_SESSION_LIVE:
        c->live = true;
        break;
    case TG_SESSION_WAITING:
        if (c->live && !atomic_load_explicit(&c->leaving, memory_order_relaxed)) {
            count(&c->lost_links);
        }
        c->live = false;
        break;
    case TG_SESSION_CONNECTING:
        shown_new_session(&c->versions);
        break;
    case TG_SESSION_IDLE:
    case TG_SESSION_JOINING:
    case TG_SESSION_RESYNCING:
        break;
    }
}

static void on_event(void *ctx, const tg_event *event)
{
    swarm_client *const c = ctx;
    switch (event->kind) {
    case TG_EVENT_SESSION:
        take_session(c, event);
        break;
    case TG_EVENT_ANSWER:
        if (event->err != TG_OK) {
            count(&c->refused);
        }
        break;
    case TG_EVENT_FAULT:
        count(&c->faults);
        break;
    case TG_EVENT_GAP:
    case TG_EVENT_RESYNCED:
    case TG_EVENT_TOKEN:
    case TG_EVENT_PRIORITY:
    case TG_EVENT_CLOCK:
    case TG_EVENT_LATE:
    case TG_EVENT_AUDIT:
        break; /* among the client's own counters */
    }
}

void swarm_counts_init(swarm_counts *out)
{
    memset(out, 0, sizeof *out);
    out->session.struct_size = sizeof out->session;
    out->store.struct_size = sizeof out->store;
    out->session.rtt_ns = -1;
    out->session.lateness_ns = -1;
}

void swarm_client_init(swarm_client *c, size_t samples)
{
    c->newest = latency_open();
    swarm_counts_init(&c->before);
    (void)pthread_mutex_init(&c->reader_lock, NULL);
    if (!shown_init(&c->versions) || !admissions_init(&c->samples, samples)) {
        (void)fputs("swarm: no memory\n", stderr);
        exit(1);
    }
}

void swarm_client_deinit(swarm_client *c)
{
    (void)swarm_client_reap(c, true);
    (void)pthread_mutex_destroy(&c->reader_lock);
    tg_histogram_close(c->newest);
    shown_deinit(&c->versions);
    admissions_deinit(&c->samples);
}

/* The gateway's own path behind the link's address. */
static void link_url(const swarm_client *c, char *url, size_t size)
{
    const char *const path = strchr(c->gateway->url + strlen("wss://"), '/');
    (void)snprintf(url, size, "wss://127.0.0.1:%u%s", (unsigned)reset_link_port(c->link),
                   path != NULL ? path : "");
}

static bool open_client(swarm_client *c, why *reason)
{
    char url[256];
    tg_client_options options;
    tg_client_options_init(&options);
    options.url = c->gateway->url;
    if (c->link != NULL) {
        link_url(c, url, sizeof url);
        options.url = url;
    }
    options.ca_file = c->gateway->ca_file;
    options.token = c->gateway->token;
    options.instruments_max = c->list_count > INSTRUMENTS_MIN ? c->list_count : INSTRUMENTS_MIN;
    options.random_seed = c->seed;
    options.on_publish = on_publish;
    options.on_event = on_event;
    options.ctx = c;
    options.clock = c->clock;
    tg_err err = tg_client_open(&options, &c->client);
    if (err == TG_OK) {
        err = tg_reader_open(tg_client_store(c->client), &c->reader);
    }
    for (uint32_t i = 0; i < c->list_count && err == TG_OK; i++) {
        const instrument_name *const one = &c->directory->at[c->list[i]];
        tg_sub_id sub;
        err = tg_client_subscribe(c->client, one->venue, one->symbol, &sub);
    }
    if (err == TG_OK && !c->stepped) {
        err = tg_client_start(c->client);
    }
    return err == TG_OK || why_say(reason, "%s: %s", options.url, tg_err_text(err));
}

bool swarm_client_connect(swarm_client *c, bool through_link, why *reason)
{
    if (c->client != NULL) {
        (void)swarm_client_reap(c, true); /* its good-bye has not been answered yet */
    }
    atomic_store_explicit(&c->leaving, false, memory_order_relaxed);
    c->live = false;
    c->view_number = 0;
    if (through_link && c->gateway_port == 0) {
        return why_say(reason, "%s: a reset needs a gateway at wss://127.0.0.1:PORT",
                       c->gateway->url);
    }
    if (through_link && !reset_link_open(&c->link, c->gateway_port, reason)) {
        return false;
    }
    if (!open_client(c, reason)) {
        (void)swarm_client_reap(c, true);
        reset_link_close(c->link);
        c->link = NULL;
        return false;
    }
    c->came_ns = clock_ns(CLOCK_MONOTONIC);
    return true;
}

int64_t swarm_client_present_ns(const swarm_client *c)
{
    return c->stayed_ns + (c->came_ns != 0 ? clock_ns(CLOCK_MONOTONIC) - c->came_ns : 0);
}

void swarm_client_leave(swarm_client *c)
{
    c->stayed_ns = swarm_client_present_ns(c);
    c->came_ns = 0;
    atomic_store_explicit(&c->leaving, true, memory_order_relaxed);
    tg_client_stop(c->client);
}

void swarm_client_reset(swarm_client *c)
{
    /* First: what its network thread sees next is our doing. */
    atomic_store_explicit(&c->leaving, true, memory_order_relaxed);
    reset_link_close(c->link);
    c->link = NULL;
    swarm_client_leave(c);
}

/* What one session has counted in the client and its store. */
static void session_counts(const swarm_client *c, swarm_counts *out)
{
    swarm_counts_init(out);
    if (c->client != NULL &&
        (tg_client_counters_get(c->client, &out->session) != TG_OK ||
         tg_store_counters_get(tg_client_store(c->client), &out->store) != TG_OK)) {
        (void)fputs("swarm: counters cannot be read\n", stderr);
    }
}

/* One after the other: where it is, and what it holds there, is the latest's. */
static void add_session(swarm_counts *into, const swarm_counts *latest)
{
    swarm_counts_add(into, latest);
    into->session.endpoint = latest->session.endpoint;
    into->session.priority_held = latest->session.priority_held;
    into->session.wanted = latest->session.wanted;
    into->session.held = latest->session.held;
}

bool swarm_client_reap(swarm_client *c, bool forced)
{
    if (c->client == NULL) {
        return true;
    }
    if (!forced && (!atomic_load_explicit(&c->leaving, memory_order_relaxed) ||
                    tg_client_state(c->client) != TG_SESSION_IDLE)) {
        return false;
    }
    tg_client *const client = c->client;
    swarm_counts session;
    session_counts(c, &session);
    add_session(&c->before, &session);
    (void)pthread_mutex_lock(&c->reader_lock);
    tg_reader_close(c->reader);
    c->reader = NULL;
    (void)pthread_mutex_unlock(&c->reader_lock);
    c->client = NULL;
    tg_client_close(client);
    reset_link_close(c->link);
    c->link = NULL;
    return true;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Those that are no counts: the newest or the worst. rtt_mono_ns belongs to the RTT that is kept.
 */
static void add_client_counters(tg_client_counters *into, const tg_client_counters *more)
{
    into->bytes += more->bytes;
    into->messages += more->messages;
    into->frames += more->frames;
    into->frames_rejected += more->frames_rejected;
    into->frames_unfit += more->frames_unfit;
    into->unknown_messages += more->unknown_messages;
    into->gaps += more->gaps;
    into->resyncs += more->resyncs;
    into->connects += more->connects;
    into->attempts += more->attempts;
    into->reconnects += more->reconnects;
    into->events_dropped += more->events_dropped;
    if (more->rtt_ns > into->rtt_ns) {
        into->rtt_ns = more->rtt_ns;
        into->rtt_mono_ns = more->rtt_mono_ns;
    }
    into->ts_gateway_ns = larger(into->ts_gateway_ns, more->ts_gateway_ns);
    into->token_requests += more->token_requests;
    into->tokens_renewed += more->tokens_renewed;
    into->tokens_refused += more->tokens_refused;
    into->priority_rows += more->priority_rows;
    into->priority_held += more->priority_held;
    into->books_refused += more->books_refused;
    into->unknown_rows += more->unknown_rows;
    into->late_inputs += more->late_inputs;
    into->state_errors += more->state_errors;
    into->set_mismatches += more->set_mismatches;
    into->endpoint = more->endpoint > into->endpoint ? more->endpoint : into->endpoint;
    into->failovers += more->failovers;
    into->sleeps += more->sleeps;
    into->clock_steps += more->clock_steps;
    into->frames_late += more->frames_late;
    into->lateness_ns = larger(into->lateness_ns, more->lateness_ns);
    into->dialled_mono_ns = larger(into->dialled_mono_ns, more->dialled_mono_ns);
    into->requested_mono_ns = larger(into->requested_mono_ns, more->requested_mono_ns);
    into->audits += more->audits;
    into->audits_failed += more->audits_failed;
    into->reports_sent += more->reports_sent;
    into->reports_failed += more->reports_failed;
    into->ended_resolve += more->ended_resolve;
    into->ended_connect += more->ended_connect;
    into->ended_tls += more->ended_tls;
    into->ended_certificate += more->ended_certificate;
    into->ended_http += more->ended_http;
    into->ended_upgrade += more->ended_upgrade;
    into->ended_proxy += more->ended_proxy;
    into->ended_token += more->ended_token;
    into->ended_close += more->ended_close;
    into->ended_lost += more->ended_lost;
    into->ended_timeout += more->ended_timeout;
    into->ended_fault += more->ended_fault;
    into->link_timeouts += more->link_timeouts;
    into->data_timeouts += more->data_timeouts;
    into->delays_told += more->delays_told;
    into->stops += more->stops;
    into->wanted += more->wanted;
    into->held += more->held;
    into->reconnect_spread_ms = more->reconnect_spread_ms > into->reconnect_spread_ms
                                    ? more->reconnect_spread_ms
                                    : into->reconnect_spread_ms;
}

static void add_store_counters(tg_store_counters *into, const tg_store_counters *more)
{
    into->admitted += more->admitted;
    into->covered_ticks += more->covered_ticks;
    into->confirmed += more->confirmed;
    into->rejected_regression += more->rejected_regression;
    into->rejected_epoch += more->rejected_epoch;
    into->integrity_faults += more->integrity_faults;
    into->views_published += more->views_published;
    into->history_restarts += more->history_restarts;
    into->depth_admitted += more->depth_admitted;
    into->depth_refused += more->depth_refused;
    into->lane_ticks += more->lane_ticks;
    into->received += more->received;
    into->conflated += more->conflated;
    into->lost += more->lost;
    into->superseded += more->superseded;
    into->repeated += more->repeated;
    into->transitions += more->transitions;
}

void swarm_counts_add(swarm_counts *into, const swarm_counts *more)
{
    add_client_counters(&into->session, &more->session);
    add_store_counters(&into->store, &more->store);
    into->publications += more->publications;
    into->rows += more->rows;
    into->first_rows += more->first_rows;
    into->regressions += more->regressions;
    into->restarts += more->restarts;
    into->faults += more->faults;
    into->refused += more->refused;
    into->lost_links += more->lost_links;
    into->samples_left_out += more->samples_left_out;
}

void swarm_client_counts(const swarm_client *c, swarm_counts *out)
{
    *out = c->before;
    if (c->client != NULL) {
        swarm_counts session;
        session_counts(c, &session);
        add_session(out, &session);
    }
    out->publications = read_count(&c->publications);
    out->rows = read_count(&c->rows);
    out->first_rows = read_count(&c->first_rows);
    out->regressions = read_count(&c->regressions);
    out->restarts = read_count(&c->restarts);
    out->faults = read_count(&c->faults);
    out->refused = read_count(&c->refused);
    out->lost_links = read_count(&c->lost_links);
    /* The network thread's while there is a client. */
    out->samples_left_out = c->client == NULL ? c->samples.left_out : 0;
}

uint64_t swarm_client_frames(const swarm_client *c)
{
    swarm_counts counts;
    session_counts(c, &counts);
    return counts.session.frames + c->before.session.frames;
}
