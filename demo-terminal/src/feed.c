#include "feed.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/watchlist.h>

#include "directory.h"

#define TOKEN_SIZE 16384
#define NS_PER_MS  INT64_C(1000000)
#define NOTICE_NS  (10000 * NS_PER_MS)

struct feed {
    tg_client *client;
    tg_window *window;
    session_record *record;
    directory *dir; /* NULL: the list of symbols is given */
    watch_row *rows;
    size_t row_count;
    size_t row_capacity;
    size_t subscribed; /* rows before this one are; the others wait for room in the queue */
    size_t followed;   /* row on the priority channel, or FEED_NO_ROW */
    priority_follow priority;
    size_t visible_first;
    size_t visible_count;
    bool visible_told; /* the client knows which rows are on the screen */
    event_log log;
    tg_clock clock;
    char notice[FEED_NOTICE_SIZE];
    bool notice_is_bad;
    int64_t notice_mono_ns;
    tg_err session_err;
    tg_session_state session_state;
    int64_t retry_mono_ns;
};

static void on_publish(void *ctx, uint64_t view_number)
{
    (void)view_number;
    tg_window_wake(((feed *)ctx)->window);
}

static void on_event(void *ctx, const tg_event *event)
{
    (void)event;
    tg_window_wake(((feed *)ctx)->window);
}

static void on_message(void *ctx, const void *bytes, size_t size, int64_t received_mono_ns)
{
    session_record_message(((feed *)ctx)->record, bytes, size, received_mono_ns);
}

static void on_found(void *ctx, uint32_t request, const char *venue,
                     const tg_instrument *instrument, bool more)
{
    feed *self = ctx;
    if (directory_found(self->dir, request, venue, instrument, more)) {
        tg_window_wake(self->window);
    }
}

/* The first line of the token file. The buffer is the caller's to wipe. */
static tg_err read_token(const char *path, char token[TOKEN_SIZE], char *why, size_t why_size)
{
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        (void)snprintf(why, why_size, "%s: %s", path, strerror(errno));
        return TG_ERR_IO;
    }
    /* Unbuffered: no copy of the secret stays behind in the library. */
    (void)setvbuf(file, NULL, _IONBF, 0);
    const bool any = fgets(token, TOKEN_SIZE, file) != NULL;
    (void)fclose(file);
    const size_t length = any ? strcspn(token, "\r\n") : 0;
    token[length] = '\0';
    if (length == 0 || length + 1 >= TOKEN_SIZE) {
        (void)snprintf(why, why_size, "%s: no token in its first line", path);
        return TG_ERR_SYNTAX;
    }
    return TG_OK;
}

/* Through a pointer that the compiler cannot see through: a plain memset of memory that is not read
 * again would be left out. */
static void *(*_Atomic fill_memory)(void *, int, size_t) = memset;

static void wipe(char *secret, size_t size)
{
    (void)atomic_load_explicit(&fill_memory, memory_order_relaxed)(secret, 0, size);
}

static tg_err open_client(feed *self, const terminal_options *options, char *why, size_t why_size)
{
    char token[TOKEN_SIZE] = "";
    tg_client_options client;
    tg_client_options_init(&client);
    client.url = options->url;
    client.ca_file = options->ca_file;
    client.on_publish = on_publish;
    client.on_event = on_event;
    client.on_found = self->dir != NULL ? on_found : NULL;
    client.on_message = self->record != NULL ? on_message : NULL;
    client.ctx = self;
    client.history_points = FEED_HISTORY_POINTS;
    client.history_step_ms = FEED_HISTORY_STEP_MS;
    client.history_instruments = self->row_capacity < FEED_HISTORY_INSTRUMENTS
                                     ? (uint32_t)self->row_capacity
                                     : FEED_HISTORY_INSTRUMENTS;
    tg_err err = TG_OK;
    if (options->token_file != NULL) {
        err = read_token(options->token_file, token, why, why_size);
        client.token = token;
    }
    if (err == TG_OK) {
        err = tg_client_open(&client, &self->client);
        if (err == TG_ERR_CERTIFICATE) {
            (void)snprintf(why, why_size, "%s: %s", options->ca_file, tg_err_text(err));
        } else if (err != TG_OK) {
            (void)snprintf(why, why_size, "%s: %s", options->url, tg_err_text(err));
        }
    }
    wipe(token, sizeof token);
    return err;
}

static void append_row(feed *self, const char *venue, const char *symbol)
{
    if (self->row_count < self->row_capacity) {
        watch_row *row = &self->rows[self->row_count++];
        (void)snprintf(row->venue, sizeof row->venue, "%s", venue);
        (void)snprintf(row->symbol, sizeof row->symbol, "%s", symbol);
    }
}

static tg_err open_rows(feed *self, const terminal_options *options, char *why, size_t why_size)
{
    tg_watchlist *list = NULL;
    char detail[160] = "";
    tg_err err = tg_watchlist_open(options->symbols, &list, detail, sizeof detail);
    if (err != TG_OK) {
        (void)snprintf(why, why_size, "--symbols: %s",
                       detail[0] != '\0' ? detail : tg_err_text(err));
        return err;
    }
    const size_t count = tg_watchlist_count(list);
    if (tg_watchlist_is_everything(list)) {
        self->row_capacity = FEED_DIRECTORY_ROWS;
        err = directory_open(FEED_DIRECTORY_ROWS, &self->dir);
    } else if (count > FEED_ROWS_MAX) {
        err = TG_ERR_FULL;
    } else {
        self->row_capacity = count;
    }
    if (err == TG_OK) {
        self->rows = calloc(self->row_capacity, sizeof *self->rows);
        err = self->rows != NULL ? TG_OK : TG_ERR_NO_MEMORY;
    }
    if (err != TG_OK) {
        (void)snprintf(why, why_size, "--symbols: %s",
                       err == TG_ERR_FULL ? "more than 4,096 instruments" : tg_err_text(err));
    }
    for (size_t i = 0; err == TG_OK && self->dir == NULL && i < count; i++) {
        append_row(self, tg_watchlist_venue(list, i), tg_watchlist_symbol(list, i));
    }
    tg_watchlist_close(list);
    return err;
}

tg_err feed_open(const terminal_options *options, tg_window *window, session_record *record,
                 feed **out, char *why, size_t why_size)
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
    self->visible_told = true;
    self->clock = tg_clock_system();
    tg_err err = open_rows(self, options, why, why_size);
    if (err == TG_OK) {
        err = open_client(self, options, why, why_size);
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
    tg_client_close(self->client);
    directory_close(self->dir);
    free(self->rows);
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

static void subscribe_rows(feed *self)
{
    while (self->subscribed < self->row_count) {
        watch_row *row = &self->rows[self->subscribed];
        const tg_err err = tg_client_subscribe(self->client, row->venue, row->symbol, &row->sub);
        if (err == TG_ERR_FULL) {
            return; /* the queue empties: again at the next poll */
        }
        self->subscribed++;
        self->visible_told = false; /* a new subscription counts as visible */
    }
}

static bool is_on_screen(const feed *self, size_t index)
{
    return index == self->followed ||
           (index >= self->visible_first && index - self->visible_first < self->visible_count);
}

/* A few at a time: the queue is there for subscriptions too. */
static void tell_visible(feed *self)
{
    unsigned room = 64;
    for (size_t i = 0; !self->visible_told && i < self->subscribed; i++) {
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

void feed_set_visible(feed *self, size_t first, size_t count)
{
    if (first != self->visible_first || count != self->visible_count) {
        self->visible_first = first;
        self->visible_count = count;
        self->visible_told = false;
    }
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
        (void)snprintf(self->notice, sizeof self->notice, "%s", event->text);
        self->notice_is_bad = event->err != TG_OK;
        self->notice_mono_ns = event->mono_ns;
    }
}

bool feed_poll(feed *self, int64_t now_mono_ns)
{
    bool anything = false;
    if (!self->notice_is_bad && now_mono_ns - self->notice_mono_ns > NOTICE_NS) {
        self->notice[0] = '\0';
    }
    tg_event event;
    while (tg_client_event(self->client, &event) == TG_OK) {
        take_event(self, &event);
        anything = true;
    }
    if (self->dir != NULL) {
        tg_client_counters counters = {.struct_size = sizeof counters};
        if (tg_client_counters_get(self->client, &counters) == TG_OK) {
            directory_poll(self->dir, self->client, counters.connects);
        }
        char venue[TG_VENUE_NAME_SIZE];
        char symbol[TG_SYMBOL_SIZE];
        while (directory_next(self->dir, venue, symbol)) {
            append_row(self, venue, symbol);
            anything = true;
        }
    }
    subscribe_rows(self);
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
