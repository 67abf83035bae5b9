#include "session_walk.h"

#include <poll.h>
#include <string.h>

#include <tickglass/clock.h>
#include <tickglass/watchlist.h>

#include "client_setup.h"
#include "endpoint.h"
#include "token_source.h"

#define NS_PER_MS INT64_C(1000000)
#define NS_PER_S  INT64_C(1000000000)
#define BUDGET_US 2000
#define NAMES_MAX 16 /* that are asked for: one that ticks is enough */

typedef struct wanted {
    char venue[TG_VENUE_NAME_SIZE];
    char symbol[TG_SYMBOL_SIZE];
    tg_sub_id sub;
} wanted;

typedef enum walk_phase {
    WALK_TOKEN,   /* the client waits for one */
    WALK_LINK,    /* it connects */
    WALK_WELCOME, /* it is upgraded */
    WALK_TICK,    /* it is welcome */
    WALK_OVER
} walk_phase;

typedef struct walk {
    const settings *from;
    diagnosis *found;
    endpoint to;
    tg_clock clock;
    tg_client *client;
    token_source *tokens;
    tg_reader *reader;
    bool everything; /* names come from the directory */
    wanted names[NAMES_MAX];
    size_t name_count;
    size_t subscribed;
    size_t refused;
    bool page_is_over;
    walk_phase phase;
    bool waited_for_token;
    int64_t phase_ns; /* when it began */
    int64_t limit_ns; /* for the first values, from WELCOME on */
    char refusal[192];
} walk;

static void token_provider(void *ctx, tg_client *client, tg_token_reason reason)
{
    token_source_ask(((walk *)ctx)->tokens, client, reason);
}

static void add_name(walk *self, const char *venue, const char *symbol)
{
    if (self->name_count < NAMES_MAX) {
        wanted *name = &self->names[self->name_count++];
        (void)snprintf(name->venue, sizeof name->venue, "%s", venue);
        (void)snprintf(name->symbol, sizeof name->symbol, "%s", symbol);
    }
}

static void on_found(void *ctx, uint32_t request, const char *venue,
                     const tg_instrument *instrument, bool more)
{
    walk *self = ctx;
    (void)request;
    (void)more;
    if (instrument != NULL) {
        add_name(self, venue, instrument->symbol);
    } else {
        self->page_is_over = true;
    }
}

/* --- what the events say --- */

static void fail_since(walk *self, diagnosis_stage stage, int64_t from_ns, const char *advice,
                       const char *text)
{
    diagnosis_fail(self->found, stage, tg_clock_mono_ns(&self->clock) - from_ns, advice, "%s",
                   text);
    self->phase = WALK_OVER;
}

static void fail(walk *self, diagnosis_stage stage, const char *advice, const char *text)
{
    fail_since(self, stage, self->phase_ns, advice, text);
}

/* How far the attempt came. */
static tg_client_counters look_at_attempt(const walk *self)
{
    tg_client_counters counters = {.struct_size = sizeof counters};
    if (tg_client_counters_get(self->client, &counters) != TG_OK) {
        counters.dialled_mono_ns = -1;
        counters.requested_mono_ns = -1;
    }
    return counters;
}

static void pass_tls(walk *self, const tg_client_counters *attempt)
{
    if (!self->to.tls) {
        diagnosis_skip(self->found, STAGE_TLS, "ws://");
        return;
    }
    const bool pinned = settings_text(self->from, SETTING_SPKI_PINS) != NULL;
    diagnosis_pass(self->found, STAGE_TLS, attempt->requested_mono_ns - attempt->dialled_mono_ns,
                   "the certificate is good for %s%s", self->to.host,
                   pinned ? ", its key is pinned" : "");
}

static void fail_tls(walk *self, const tg_event *event, int64_t from_ns)
{
    const char *advice =
        event->err != TG_ERR_CERTIFICATE
            ? "host and port: is it a gateway's, and does it speak TLS 1.2 or 1.3; "
              "client_cert_file if the gateway asks for one; something in between that opens TLS"
            : NULL;
    fail_since(self, STAGE_TLS, from_ns, advice, event->text);
}

static void fail_link(walk *self, const tg_event *event)
{
    const char *token_advice =
        self->tokens != NULL
            ? "the token: is it the one for this gateway, and has it expired"
            : "token_file or token_command: none is named, and the gateway wants a token";
    const tg_client_counters attempt = look_at_attempt(self);
    if (event->err == TG_ERR_CONNECT || attempt.dialled_mono_ns < 0) {
        fail(self, STAGE_TCP, NULL, event->text);
    } else if (event->err == TG_ERR_TLS || event->err == TG_ERR_CERTIFICATE ||
               attempt.requested_mono_ns < 0) {
        /* With TLS 1.3 a gateway judges this side's certificate after the upgrade is asked for. */
        fail_tls(self, event, attempt.dialled_mono_ns);
    } else {
        pass_tls(self, &attempt);
        fail_since(self, STAGE_UPGRADE, attempt.requested_mono_ns,
                   event->err == TG_ERR_UNAUTHORIZED ? token_advice : NULL, event->text);
    }
}

static void fail_phase(walk *self, const tg_event *event)
{
    char trouble[TOKEN_TROUBLE_SIZE] = "";
    switch (self->phase) {
    case WALK_TOKEN:
        token_source_trouble(self->tokens, trouble);
        fail(self, STAGE_TOKEN, NULL, trouble[0] != '\0' ? trouble : event->text);
        break;
    case WALK_LINK:
        fail_link(self, event);
        break;
    case WALK_WELCOME:
        fail(self, STAGE_WELCOME, NULL, event->text);
        break;
    case WALK_TICK:
        fail(self, STAGE_FIRST_TICK,
             "the connection ended before the first values: the gateway's log, and what is in "
             "between",
             event->text);
        break;
    case WALK_OVER:
        break;
    }
}

static void enter(walk *self, walk_phase phase, int64_t now_ns)
{
    self->phase = phase;
    self->phase_ns = now_ns;
}

static void ask_directory(walk *self)
{
    uint32_t request = 0;
    const tg_err err = tg_client_find(self->client, NULL, NULL, NULL, NULL, NAMES_MAX, &request);
    if (err != TG_OK) {
        fail(self, STAGE_FIRST_TICK, NULL, tg_err_text(err));
    }
}

static void take_session(walk *self, const tg_event *event)
{
    const int64_t took_ns = event->mono_ns - self->phase_ns;
    if (event->err != TG_OK) {
        fail_phase(self, event);
    } else if (event->state == TG_SESSION_CONNECTING && self->phase == WALK_TOKEN) {
        /* The first one says that the client waits, the second that it has it. */
        if (self->waited_for_token) {
            diagnosis_pass(self->found, STAGE_TOKEN, took_ns, "by %s",
                           settings_key(settings_text(self->from, SETTING_TOKEN_FILE) != NULL
                                            ? SETTING_TOKEN_FILE
                                            : SETTING_TOKEN_COMMAND));
            enter(self, WALK_LINK, event->mono_ns);
        }
        self->waited_for_token = true;
    } else if (event->state == TG_SESSION_JOINING && self->phase == WALK_LINK) {
        const tg_client_counters attempt = look_at_attempt(self);
        pass_tls(self, &attempt);
        diagnosis_pass(self->found, STAGE_UPGRADE, event->mono_ns - attempt.requested_mono_ns, "%s",
                       "the token is accepted, tickglass.1 is spoken");
        enter(self, WALK_WELCOME, event->mono_ns);
    } else if (event->state == TG_SESSION_JOINING && self->phase == WALK_WELCOME) {
        diagnosis_pass(self->found, STAGE_WELCOME, took_ns, "%s", event->text);
        enter(self, WALK_TICK, event->mono_ns);
        if (self->everything) {
            ask_directory(self);
        }
    }
}

static void take_events(walk *self)
{
    tg_event event;
    while (self->phase != WALK_OVER && tg_client_event(self->client, &event) == TG_OK) {
        if (event.kind == TG_EVENT_SESSION) {
            take_session(self, &event);
        } else if (event.kind == TG_EVENT_ANSWER && event.err != TG_OK) {
            self->refused++;
            (void)snprintf(self->refusal, sizeof self->refusal, "%s", event.text);
        }
    }
}

/* --- the first values --- */

static void subscribe(walk *self)
{
    while (self->subscribed < self->name_count) {
        wanted *name = &self->names[self->subscribed];
        if (tg_client_subscribe(self->client, name->venue, name->symbol, &name->sub) != TG_OK) {
            return; /* the queue empties: again after the next step */
        }
        self->subscribed++;
    }
}

static const wanted *first_with_values(const walk *self, const tg_view *view, int64_t now_ns,
                                       tg_row *row)
{
    for (size_t i = 0; i < self->subscribed; i++) {
        tg_instrument_id id = TG_INSTRUMENT_NONE;
        if (tg_client_subscription(self->client, self->names[i].sub, &id) == TG_OK &&
            tg_view_row(view, id, now_ns, row) == TG_OK && row->quality != TG_QUALITY_UNKNOWN) {
            return &self->names[i];
        }
    }
    return NULL;
}

static void look_for_values(walk *self)
{
    const int64_t now_ns = tg_clock_mono_ns(&self->clock);
    const tg_view *view = tg_reader_pin(self->reader);
    tg_row row;
    const wanted *name = first_with_values(self, view, now_ns, &row);
    if (name != NULL) {
        diagnosis_pass(self->found, STAGE_FIRST_TICK, now_ns - self->phase_ns, "%s:%s %s",
                       name->venue, name->symbol, tg_quality_name(row.quality));
        self->phase = WALK_OVER;
    }
    tg_reader_unpin(self->reader);
    if (self->phase == WALK_OVER) {
        return;
    }
    if (self->page_is_over && self->name_count == 0) {
        fail(self, STAGE_FIRST_TICK, NULL, "the gateway's directory is empty");
    } else if (self->name_count > 0 && self->refused >= self->name_count) {
        fail(self, STAGE_FIRST_TICK, NULL, self->refusal);
    } else if (now_ns - self->phase_ns >= self->limit_ns) {
        fail(self, STAGE_FIRST_TICK, NULL, "no values came in the time given");
    }
}

/* --- the loop --- */

static void await(const walk *self)
{
    int fd = -1;
    int64_t deadline_ns = 0;
    if (tg_client_fd(self->client, &fd) != TG_OK ||
        tg_client_next_deadline(self->client, &deadline_ns) != TG_OK) {
        return;
    }
    if (self->phase == WALK_TICK && deadline_ns > self->phase_ns + self->limit_ns) {
        deadline_ns = self->phase_ns + self->limit_ns;
    }
    const int64_t left_ns = deadline_ns - tg_clock_mono_ns(&self->clock);
    const int64_t wait_ms = left_ns <= 0             ? 0
                            : left_ns > 1 * NS_PER_S ? 1000
                                                     : left_ns / NS_PER_MS + 1;
    struct pollfd one = {fd, POLLIN, 0};
    (void)poll(&one, 1, (int)wait_ms);
}

static tg_err go(walk *self)
{
    enter(self, self->tokens != NULL ? WALK_TOKEN : WALK_LINK, tg_clock_mono_ns(&self->clock));
    if (self->tokens == NULL) {
        diagnosis_skip(self->found, STAGE_TOKEN, "none is named");
    }
    tg_err err = TG_OK;
    while (self->phase != WALK_OVER && err == TG_OK) {
        subscribe(self);
        err = tg_client_step(self->client, BUDGET_US);
        take_events(self);
        if (self->phase == WALK_TICK) {
            look_for_values(self);
        }
        if (self->phase != WALK_OVER && err == TG_OK) {
            await(self);
        }
    }
    return err;
}

static tg_err open_names(walk *self, char *why, size_t why_size)
{
    tg_watchlist *list = NULL;
    const tg_err err =
        tg_watchlist_open(settings_text(self->from, SETTING_SYMBOLS), &list, why, why_size);
    if (err != TG_OK) {
        return err;
    }
    self->everything = tg_watchlist_is_everything(list);
    for (size_t i = 0; !self->everything && i < tg_watchlist_count(list); i++) {
        add_name(self, tg_watchlist_venue(list, i), tg_watchlist_symbol(list, i));
    }
    tg_watchlist_close(list);
    return TG_OK;
}

/* A file that cannot be read fails its stage; the rest is not gone. True: go on. */
static bool open_tokens(walk *self, tg_err *err, char *why, size_t why_size)
{
    *err = token_source_open(self->from, NULL, NULL, &self->tokens, why, why_size);
    if (*err == TG_ERR_IO || *err == TG_ERR_SYNTAX) {
        diagnosis_fail(self->found, STAGE_TOKEN, DIAGNOSIS_NO_TIME, NULL, "%s", why);
        *err = TG_OK;
        return false;
    }
    return *err == TG_OK;
}

static tg_err open_client(walk *self, const char *url, char *why, size_t why_size)
{
    client_setup setup;
    tg_client_options options;
    tg_client_options_init(&options);
    options.error_text = why;
    options.error_text_size = why_size;
    options.on_found = on_found;
    options.token_provider = self->tokens != NULL ? token_provider : NULL;
    options.ctx = self;
    tg_err err = client_setup_open(self->from, &setup, &options, why, why_size);
    if (err == TG_OK) {
        options.url = url;
        options.fallback_count = 0;
        err = tg_client_open(&options, &self->client);
    }
    client_setup_close(&setup);
    return err;
}

tg_err session_walk(const settings *from, const char *url, int seconds, diagnosis *found, char *why,
                    size_t why_size)
{
    walk self = {
        .from = from, .found = found, .clock = tg_clock_system(), .limit_ns = seconds * NS_PER_S};
    tg_err err = endpoint_parse(url, &self.to);
    if (err == TG_OK) {
        err = open_names(&self, why, why_size);
    }
    if (err == TG_OK && open_tokens(&self, &err, why, why_size)) {
        err = open_client(&self, url, why, why_size);
        if (err == TG_OK) {
            err = tg_reader_open(tg_client_store(self.client), &self.reader);
        }
        if (err == TG_OK) {
            err = go(&self);
        }
    }
    if (err != TG_OK && why[0] == '\0') {
        (void)snprintf(why, why_size, "%s", tg_err_text(err));
    }
    tg_reader_close(self.reader);
    token_source_stop(self.tokens);
    tg_client_close(self.client);
    token_source_close(self.tokens);
    return err;
}
