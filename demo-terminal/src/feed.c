#include "feed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/watchlist.h>

#include "client_setup.h"
#include "directory.h"
#include "echo_watch.h"
#include "instrument_search.h"
#include "publication_news.h"
#include "token_source.h"

#define NS_PER_MS INT64_C(1000000)
#define NOTICE_NS (10000 * NS_PER_MS)

struct feed {
    tg_client *client;
    token_source *tokens; /* NULL: no token is needed */
    tg_window *window;
    session_record *record;
    directory *dir; /* NULL: the list of symbols is given */
    instrument_search *search;
    watch_row *rows;
    size_t row_count;
    size_t listed_count;
    uint64_t list_number;
    bool all_asked;  /* the client knows what is wanted; the others wait for room in its queue */
    size_t held;     /* row that a panel shows, or FEED_NO_ROW */
    size_t followed; /* row on the priority channel, or FEED_NO_ROW */
    priority_follow priority;
    size_t *visible;
    size_t visible_count;
    bool visible_told;            /* the client knows which rows are on the screen */
    publication_counts published; /* the network thread's */
    /* Set by the network thread, taken by the owner. */
    news_gate news;
    event_log log;
    tg_clock clock;
    echo_watch echoes; /* the network thread's */
    char notice[FEED_NOTICE_SIZE];
    bool notice_is_bad;
    char token_trouble[TOKEN_TROUBLE_SIZE];
    int64_t notice_mono_ns;
    tg_err session_err;
    tg_session_state session_state;
    int64_t retry_mono_ns;
};

/* Counters are of this moment, and the thread that counts is this one: what they say is in the view
 * that was just published. */
static void on_publish(void *ctx, uint64_t view_number)
{
    feed *self = ctx;
    session_record_published(self->record, view_number, &self->clock);
    tg_client_counters client = {.struct_size = sizeof client};
    tg_store_counters store = {.struct_size = sizeof store};
    /* They fail for a wrong size only. */
    (void)!tg_client_counters_get(self->client, &client);
    (void)!tg_store_counters_get(tg_client_store(self->client), &store);
    const publication_counts now = {client.frames, client.priority_rows, store.transitions};
    const bool priority_only = publication_is_priority_only(&self->published, &now);
    self->published = now;
    if (news_gate_tell(&self->news, priority_only ? NEWS_OF_PRIORITY : NEWS_OF_ROWS)) {
        tg_window_wake(self->window);
    }
}

static void on_event(void *ctx, const tg_event *event)
{
    (void)event;
    tg_window_wake(((feed *)ctx)->window);
}

static void on_message(void *ctx, const void *bytes, size_t size, int64_t received_mono_ns)
{
    feed *self = ctx;
    echo_times echo;
    if (echo_watch_take(&self->echoes, self->client, &echo)) {
        session_record_echo(self->record, &echo);
    }
    echo_watch_message(&self->echoes, bytes, size, received_mono_ns);
    session_record_message(self->record, bytes, size, received_mono_ns);
}

static void on_found(void *ctx, uint32_t request, const char *venue,
                     const tg_instrument *instrument, bool more)
{
    feed *self = ctx;
    const bool of_list =
        self->dir != NULL && directory_found(self->dir, request, venue, instrument, more);
    if (of_list || instrument_search_found(self->search, request, venue, instrument, more)) {
        tg_window_wake(self->window);
    }
}

static void on_token_trouble(void *ctx)
{
    tg_window_wake(((feed *)ctx)->window);
}

static void token_provider(void *ctx, tg_client *client, tg_token_reason reason)
{
    token_source_ask(((feed *)ctx)->tokens, client, reason);
}

static tg_err open_client(feed *self, const settings *from, char *why, size_t why_size)
{
    client_setup setup;
    tg_client_options client;
    tg_client_options_init(&client);
    client.on_publish = on_publish;
    client.on_event = on_event;
    client.on_found = on_found;
    client.on_message = self->record != NULL ? on_message : NULL;
    client.ctx = self;
    client.history_points = FEED_HISTORY_POINTS;
    client.history_step_ms = FEED_HISTORY_STEP_MS;
    client.history_instruments = FEED_HISTORY_INSTRUMENTS;
    client.error_text = why;
    client.error_text_size = why_size;
    tg_err err = token_source_open(from, on_token_trouble, self, &self->tokens, why, why_size);
    if (err != TG_OK) {
        return err;
    }
    client.token_provider = self->tokens != NULL ? token_provider : NULL;
    err = client_setup_open(from, &setup, &client, why, why_size);
    if (err == TG_OK) {
        err = tg_client_open(&client, &self->client);
    }
    client_setup_close(&setup);
    return err;
}

size_t feed_find(const feed *self, const char *venue, const char *symbol)
{
    for (size_t i = 0; i < self->row_count; i++) {
        if (strcmp(self->rows[i].symbol, symbol) == 0 && strcmp(self->rows[i].venue, venue) == 0) {
            return i;
        }
    }
    return FEED_NO_ROW;
}

static void want(feed *self, size_t index)
{
    self->rows[index].wanted_by++;
    self->all_asked = false;
}

static void let_go(feed *self, size_t index)
{
    self->rows[index].wanted_by--;
    self->all_asked = false;
}

tg_err feed_reserve(feed *self, const char *venue, const char *symbol, size_t *index)
{
    *index = feed_find(self, venue, symbol);
    if (*index != FEED_NO_ROW) {
        return TG_OK;
    }
    if (self->row_count == FEED_ROWS_MAX) {
        return TG_ERR_FULL;
    }
    *index = self->row_count++;
    watch_row *row = &self->rows[*index];
    (void)snprintf(row->venue, sizeof row->venue, "%s", venue);
    (void)snprintf(row->symbol, sizeof row->symbol, "%s", symbol);
    return TG_OK;
}

static void list_row(feed *self, size_t index)
{
    if (!self->rows[index].listed) {
        self->rows[index].listed = true;
        self->listed_count++;
        self->list_number++;
        want(self, index);
    }
}

static tg_err take_given(feed *self, const char *venue, const char *symbol)
{
    size_t index = 0;
    const tg_err err = feed_reserve(self, venue, symbol, &index);
    if (err == TG_OK) {
        self->rows[index].given = true;
        if (!self->rows[index].refused) {
            list_row(self, index);
        }
    }
    return err;
}

tg_err feed_add(feed *self, const char *venue, const char *symbol, size_t *index)
{
    const tg_err err = feed_reserve(self, venue, symbol, index);
    if (err != TG_OK) {
        return err;
    }
    if (self->rows[*index].listed) {
        return TG_ERR_STATE;
    }
    self->rows[*index].refused = false;
    list_row(self, *index);
    return TG_OK;
}

bool feed_remove(feed *self, size_t index)
{
    if (index >= self->row_count) {
        return false;
    }
    watch_row *row = &self->rows[index];
    const bool was_listed = row->listed;
    /* Of what nobody gives there is nothing to be refused; unless it is still to come. */
    row->refused = row->given || !was_listed;
    if (was_listed) {
        row->listed = false;
        self->listed_count--;
        self->list_number++;
        let_go(self, index);
    }
    return was_listed;
}

void feed_hold(feed *self, size_t index)
{
    if (index == self->held) {
        return;
    }
    if (self->held < self->row_count) {
        let_go(self, self->held);
    }
    self->held = index;
    if (index < self->row_count) {
        want(self, index);
    }
}

static tg_err open_rows(feed *self, const settings *from, char *why, size_t why_size)
{
    tg_watchlist *list = NULL;
    char detail[160] = "";
    tg_err err =
        tg_watchlist_open(settings_text(from, SETTING_SYMBOLS), &list, detail, sizeof detail);
    if (err != TG_OK) {
        (void)snprintf(why, why_size, "symbols: %s", detail[0] != '\0' ? detail : tg_err_text(err));
        return err;
    }
    const size_t count = tg_watchlist_count(list);
    if (tg_watchlist_is_everything(list)) {
        err = directory_open(FEED_DIRECTORY_ROWS, &self->dir);
    } else if (count > FEED_ROWS_MAX) {
        err = TG_ERR_FULL;
    }
    if (err == TG_OK) {
        self->rows = calloc(FEED_ROWS_MAX, sizeof *self->rows);
        self->visible = calloc(FEED_ROWS_MAX, sizeof *self->visible);
        err = self->rows != NULL && self->visible != NULL ? TG_OK : TG_ERR_NO_MEMORY;
    }
    if (err != TG_OK) {
        (void)snprintf(why, why_size, "symbols: %s",
                       err == TG_ERR_FULL ? "more than 4,096 instruments" : tg_err_text(err));
    }
    for (size_t i = 0; err == TG_OK && self->dir == NULL && i < count; i++) {
        err = take_given(self, tg_watchlist_venue(list, i), tg_watchlist_symbol(list, i));
    }
    tg_watchlist_close(list);
    return err;
}

tg_err feed_open(const settings *from, tg_window *window, session_record *record, feed **out,
                 char *why, size_t why_size)
{
    *out = NULL;
    feed *self = calloc(1, sizeof *self);
    if (self == NULL) {
        (void)snprintf(why, why_size, "%s", tg_err_text(TG_ERR_NO_MEMORY));
        return TG_ERR_NO_MEMORY;
    }
    self->window = window;
    self->record = record;
    self->followed = FEED_NO_ROW;
    self->held = FEED_NO_ROW;
    self->visible_told = true;
    self->clock = tg_clock_system();
    tg_err err = open_rows(self, from, why, why_size);
    if (err == TG_OK) {
        err = instrument_search_open(&self->search);
    }
    if (err == TG_OK) {
        err = open_client(self, from, why, why_size);
    }
    if (err != TG_OK) {
        feed_close(self);
        return err;
    }
    *out = self;
    return TG_OK;
}

void feed_close(feed *self)
{
    if (self == NULL) {
        return;
    }
    token_source_stop(self->tokens);
    tg_client_close(self->client);
    token_source_close(self->tokens);
    directory_close(self->dir);
    instrument_search_close(self->search);
    free(self->rows);
    free(self->visible);
    free(self);
}

tg_err feed_start(feed *self)
{
    return tg_client_start(self->client);
}

void feed_stop(feed *self)
{
    tg_client_stop(self->client);
}

news_gate *feed_news(feed *self)
{
    return &self->news;
}

tg_client *feed_client(feed *self)
{
    return self->client;
}

size_t feed_row_count(const feed *self)
{
    return self->row_count;
}

watch_row *feed_row(feed *self, size_t index)
{
    return &self->rows[index];
}

size_t feed_listed_count(const feed *self)
{
    return self->listed_count;
}

uint64_t feed_list_number(const feed *self)
{
    return self->list_number;
}

/* False: the client's queue is full, again at the next poll. */
static bool ask_for(feed *self, watch_row *row)
{
    const bool wanted = row->wanted_by > 0;
    if (wanted == row->asked) {
        return true;
    }
    if (wanted) {
        if (tg_client_subscribe(self->client, row->venue, row->symbol, &row->sub) == TG_ERR_FULL) {
            return false;
        }
        row->hidden = false; /* a new subscription counts as visible */
    } else if (row->sub.v != 0) {
        if (tg_client_unsubscribe(self->client, row->sub) == TG_ERR_FULL) {
            return false;
        }
        row->sub.v = 0;
    }
    row->asked = wanted;
    self->visible_told = false;
    return true;
}

/* The client's subscriptions follow what is wanted. */
static void ask_for_rows(feed *self)
{
    for (size_t i = 0; !self->all_asked && i < self->row_count; i++) {
        if (!ask_for(self, &self->rows[i])) {
            return;
        }
    }
    self->all_asked = true;
}

static bool is_on_screen(const feed *self, size_t index)
{
    return index == self->followed || self->rows[index].on_screen;
}

/* A few at a time: the queue is there for subscriptions too. */
static void tell_visible(feed *self)
{
    unsigned room = 64;
    for (size_t i = 0; !self->visible_told && i < self->row_count; i++) {
        watch_row *row = &self->rows[i];
        if (row->sub.v == 0 || row->hidden != is_on_screen(self, i)) {
            continue;
        }
        if (room-- == 0 || tg_client_set_visible(self->client, row->sub, row->hidden) != TG_OK) {
            return;
        }
        row->hidden = !row->hidden;
    }
    self->visible_told = true;
}

void feed_set_visible(feed *self, const size_t *indices, size_t count)
{
    if (count == self->visible_count &&
        (count == 0 || memcmp(indices, self->visible, count * sizeof *indices) == 0)) {
        return;
    }
    for (size_t i = 0; i < self->visible_count; i++) {
        self->rows[self->visible[i]].on_screen = false;
    }
    self->visible_count = count < FEED_ROWS_MAX ? count : FEED_ROWS_MAX;
    for (size_t i = 0; i < self->visible_count; i++) {
        self->visible[i] = indices[i];
        self->rows[indices[i]].on_screen = true;
    }
    self->visible_told = false;
}

void feed_follow(feed *self, size_t index)
{
    if (index != self->followed) {
        self->followed = index;
        self->visible_told = false;
    }
}

const priority_follow *feed_priority(const feed *self)
{
    return &self->priority;
}

instrument_search *feed_search(feed *self)
{
    return self->search;
}

const event_log *feed_log(const feed *self)
{
    return &self->log;
}

/* The row's subscription may not be there yet. */
static void poll_priority(feed *self)
{
    const tg_sub_id none = {0};
    priority_follow_want(&self->priority,
                         self->followed < self->row_count ? self->rows[self->followed].sub : none);
    priority_follow_poll(&self->priority, self->client);
}

static void take_event(feed *self, const tg_event *event)
{
    const bool shown_by_its_row = event->kind == TG_EVENT_ANSWER && event->err == TG_OK;
    priority_follow_event(&self->priority, event);
    if (!shown_by_its_row) {
        event_log_take(&self->log, event, tg_clock_utc_ns(&self->clock));
    }
    switch (event->kind) {
    case TG_EVENT_SESSION:
        self->session_state = event->state;
        self->session_err = event->err;
        self->retry_mono_ns =
            event->state == TG_SESSION_WAITING ? event->mono_ns + event->wait_ms * NS_PER_MS : 0;
        break;
    case TG_EVENT_ANSWER:
        if (shown_by_its_row) {
            return;
        }
        break;
    case TG_EVENT_GAP:
    case TG_EVENT_RESYNCED:
    case TG_EVENT_FAULT:
    case TG_EVENT_TOKEN:
    case TG_EVENT_PRIORITY:
    case TG_EVENT_CLOCK:
    case TG_EVENT_LATE:
    case TG_EVENT_AUDIT:
        break;
    }
    if (event->text[0] != '\0') {
        /* "The provider has none" is what the client knows; why, is ours to say. */
        const bool explained = event->err == TG_ERR_UNAUTHORIZED && self->token_trouble[0] != '\0';
        (void)snprintf(self->notice, sizeof self->notice, "%s",
                       explained ? self->token_trouble : event->text);
        self->notice_is_bad = event->err != TG_OK;
        self->notice_mono_ns = event->mono_ns;
    }
}

/* True: there is a new trouble, which is shown until something better happens. */
static bool take_token_trouble(feed *self, int64_t now_mono_ns)
{
    char trouble[TOKEN_TROUBLE_SIZE] = "";
    if (self->tokens != NULL) {
        token_source_trouble(self->tokens, trouble);
    }
    const bool changed = strcmp(trouble, self->token_trouble) != 0;
    (void)snprintf(self->token_trouble, sizeof self->token_trouble, "%s", trouble);
    if (changed && trouble[0] != '\0') {
        (void)snprintf(self->notice, sizeof self->notice, "%s", trouble);
        self->notice_is_bad = true;
        self->notice_mono_ns = now_mono_ns;
    }
    return changed;
}

bool feed_poll(feed *self, int64_t now_mono_ns)
{
    bool anything = take_token_trouble(self, now_mono_ns);
    if (!self->notice_is_bad && now_mono_ns - self->notice_mono_ns > NOTICE_NS) {
        self->notice[0] = '\0';
    }
    tg_event event;
    while (tg_client_event(self->client, &event) == TG_OK) {
        take_event(self, &event);
        anything = true;
    }
    tg_client_counters counters = {.struct_size = sizeof counters};
    if (tg_client_counters_get(self->client, &counters) == TG_OK) {
        anything =
            instrument_search_poll(self->search, self->client, counters.connects) || anything;
    }
    if (self->dir != NULL) {
        directory_poll(self->dir, self->client, counters.connects);
        char venue[TG_VENUE_NAME_SIZE];
        char symbol[TG_SYMBOL_SIZE];
        while (directory_next(self->dir, venue, symbol)) {
            /* No room: there is nothing to say about one of many. */
            (void)!take_given(self, venue, symbol);
            anything = true;
        }
    }
    ask_for_rows(self);
    poll_priority(self);
    tell_visible(self);
    return anything;
}

const char *feed_notice(const feed *self)
{
    return self->notice;
}

bool feed_notice_is_bad(const feed *self)
{
    return self->notice_is_bad;
}

const char *feed_token_trouble(const feed *self)
{
    return self->token_trouble;
}

int64_t feed_wait_ms(const feed *self, int64_t now_mono_ns)
{
    const int64_t left_ns = self->retry_mono_ns - now_mono_ns;
    return self->retry_mono_ns != 0 && left_ns > 0 ? left_ns / NS_PER_MS : 0;
}

bool feed_is_hopeless(const feed *self)
{
    tg_client_counters counters = {.struct_size = sizeof counters};
    if (tg_client_counters_get(self->client, &counters) != TG_OK || counters.connects > 0) {
        return false;
    }
    if (self->session_state == TG_SESSION_IDLE && self->session_err != TG_OK) {
        return true; /* the client itself gave up */
    }
    return self->session_err == TG_ERR_CERTIFICATE || self->session_err == TG_ERR_UNAUTHORIZED ||
           self->session_err == TG_ERR_URL;
}
