#include "names.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <tickglass/client.h>
#include <tickglass/watchlist.h>

#define PAGE_ENTRIES 1000u
#define PAGE_LIMIT_S 20

static void add(names *into, const char *venue, const char *symbol)
{
    if (into->count == into->capacity) {
        const size_t capacity = into->capacity == 0 ? 1024 : into->capacity * 2;
        instrument_name *const grown = realloc(into->at, capacity * sizeof *grown);
        if (grown == NULL) {
            perror("names");
            exit(1);
        }
        into->at = grown;
        into->capacity = capacity;
    }
    instrument_name *const one = &into->at[into->count++];
    (void)snprintf(one->venue, sizeof one->venue, "%s", venue);
    (void)snprintf(one->symbol, sizeof one->symbol, "%s", symbol);
    one->weight = 1;
}

/* A search: pages come on the network thread. */
typedef struct search {
    pthread_mutex_t lock;
    pthread_cond_t page_came;
    names *into;
    bool complete;
    bool more;
} search;

static void on_found(void *ctx, uint32_t request, const char *venue,
                     const tg_instrument *instrument, bool more)
{
    (void)request;
    search *const s = ctx;
    (void)pthread_mutex_lock(&s->lock);
    if (instrument != NULL) {
        add(s->into, venue, instrument->symbol);
    } else {
        s->complete = true;
        s->more = more;
        (void)pthread_cond_signal(&s->page_came);
    }
    (void)pthread_mutex_unlock(&s->lock);
}

/* The last entry of the page before is the cursor. */
static bool find_page(search *s, tg_client *client, why *reason)
{
    uint32_t request = 0;
    const instrument_name last =
        s->into->count > 0 ? s->into->at[s->into->count - 1] : (instrument_name){"", "", 1};
    s->complete = false;
    const tg_err err =
        tg_client_find(client, NULL, NULL, last.venue, last.symbol, PAGE_ENTRIES, &request);
    if (err != TG_OK) {
        return why_say(reason, "the directory: %s", tg_err_text(err));
    }
    struct timespec until;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PAGE_LIMIT_S;
    int late = 0;
    (void)pthread_mutex_lock(&s->lock);
    while (!s->complete && late == 0) {
        late = pthread_cond_timedwait(&s->page_came, &s->lock, &until);
    }
    (void)pthread_mutex_unlock(&s->lock);
    if (late != 0) {
        char error[256];
        tg_client_last_error(client, error, sizeof error);
        return why_say(reason, "the directory did not come within %d s%s%s", PAGE_LIMIT_S,
                       error[0] != '\0' ? ": " : "", error);
    }
    return true;
}

bool names_find(names *out, const gateway_address *gateway, why *reason)
{
    search s = {.into = out, .more = true};
    tg_client *client = NULL;
    tg_client_options options;
    tg_client_options_init(&options);
    options.url = gateway->url;
    options.ca_file = gateway->ca_file;
    options.token = gateway->token;
    options.on_found = on_found;
    options.ctx = &s;
    (void)pthread_mutex_init(&s.lock, NULL);
    (void)pthread_cond_init(&s.page_came, NULL);
    memset(out, 0, sizeof *out);
    tg_err err = tg_client_open(&options, &client);
    if (err == TG_OK) {
        err = tg_client_start(client);
    }
    bool good = err == TG_OK || why_say(reason, "%s: %s", gateway->url, tg_err_text(err));
    while (good && s.more) {
        good = find_page(&s, client, reason);
    }
    tg_client_close(client);
    (void)pthread_cond_destroy(&s.page_came);
    (void)pthread_mutex_destroy(&s.lock);
    if (good && out->count == 0) {
        good = why_say(reason, "%s: the directory is empty", gateway->url);
    }
    if (!good) {
        names_deinit(out);
    }
    return good;
}

bool names_read(names *out, const char *list, why *reason)
{
    tg_watchlist *watchlist = NULL;
    char what[256];
    memset(out, 0, sizeof *out);
    if (tg_watchlist_open(list, &watchlist, what, sizeof what) != TG_OK) {
        return why_say(reason, "%s", what);
    }
    for (size_t i = 0; i < tg_watchlist_count(watchlist); i++) {
        add(out, tg_watchlist_venue(watchlist, i), tg_watchlist_symbol(watchlist, i));
    }
    tg_watchlist_close(watchlist);
    return out->count > 0 || why_say(reason, "\"%s\" names no instrument", list);
}

void names_deinit(names *n)
{
    free(n->at);
    memset(n, 0, sizeof *n);
}

typedef struct ticket {
    double arrives;
    uint32_t index;
} ticket;

static int earlier(const void *a, const void *b)
{
    const double x = ((const ticket *)a)->arrives;
    const double y = ((const ticket *)b)->arrives;
    return x < y ? -1 : x > y;
}

/*
 * Without replacement, after Efraimidis and Spirakis: each arrives at an exponential time with its
 * weight as rate, and the first count are taken.
 */
void names_draw(const names *n, splitmix *random, uint32_t count, uint32_t *indexes)
{
    ticket *const tickets = calloc(n->count, sizeof *tickets);
    if (tickets == NULL) {
        perror("names");
        exit(1);
    }
    for (uint32_t i = 0; i < n->count; i++) {
        tickets[i] = (ticket){-log(1 - splitmix_unit(random)) / (double)n->at[i].weight, i};
    }
    qsort(tickets, n->count, sizeof *tickets, earlier);
    for (uint32_t i = 0; i < count; i++) {
        indexes[i] = tickets[i].index;
    }
    free(tickets);
}
