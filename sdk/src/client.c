#include <tickglass/client.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tickglass/internal/control_flow.h>
#include <tickglass/internal/dictionary.h>
#include <tickglass/version.h>

#include "client_state.h"
#include "tls_options.h"
#include "tls_random.h"
#include "tls_trust.h"

#define INSTRUMENTS_DEFAULT      4096u
#define READERS_DEFAULT          8u
#define READERS_MAX              63u /* the store has 64 places, one is the client's own */
#define EVENTS_DEFAULT           256u
#define EVENTS_MAX               65536u
#define BACKOFF_FIRST_DEFAULT_MS 500u
#define BACKOFF_CAP_DEFAULT_MS   15000u
#define BACKOFF_MAX_MS           3600000u
#define HISTORY_STEP_DEFAULT_MS  1000u
#define INTERESTS_PER_INSTRUMENT 2u
#define WHY_SIZE                 512u
#define REPORT_SHARE_MAX_PPM     1000000u

const char *tg_session_state_name(tg_session_state state)
{
    switch (state) {
    case TG_SESSION_IDLE:
        return "IDLE";
    case TG_SESSION_CONNECTING:
        return "CONNECTING";
    case TG_SESSION_JOINING:
        return "JOINING";
    case TG_SESSION_LIVE:
        return "LIVE";
    case TG_SESSION_RESYNCING:
        return "RESYNCING";
    case TG_SESSION_WAITING:
        return "WAITING";
    }
    return "?";
}

void tg_client_options_init(tg_client_options *opt)
{
    memset(opt, 0, sizeof *opt);
    opt->struct_size = sizeof *opt;
}

/* A shorter struct takes the defaults of what it lacks; a longer one may only hold zeros there. */
static tg_err copy_options(const tg_client_options *opt, tg_client_options *copy)
{
    TG_ENSURE(opt->struct_size >= offsetof(tg_client_options, url) + sizeof opt->url,
              TG_ERR_INVALID_ARGUMENT);
    const size_t known = opt->struct_size < sizeof *copy ? opt->struct_size : sizeof *copy;
    const unsigned char *bytes = (const unsigned char *)opt;
    memcpy(copy, opt, known);
    for (size_t i = known; i < opt->struct_size; i++) {
        TG_ENSURE(bytes[i] == 0, TG_ERR_UNSUPPORTED);
    }
    return TG_OK;
}

static uint32_t or_default(uint32_t value, uint32_t usual)
{
    return value != 0 ? value : usual;
}

static tg_err settle_options(tg_client_options *o)
{
    TG_ENSURE(o->url != NULL && o->fallback_count < TG__ENDPOINTS_MAX &&
                  (o->fallback_urls != NULL || o->fallback_count == 0),
              TG_ERR_INVALID_ARGUMENT);
    o->instruments_max = or_default(o->instruments_max, INSTRUMENTS_DEFAULT);
    o->readers_max = or_default(o->readers_max, READERS_DEFAULT);
    o->events_max = or_default(o->events_max, EVENTS_DEFAULT);
    o->transitions_max = or_default(o->transitions_max, 2 * o->instruments_max);
    o->history_instruments = or_default(o->history_instruments, o->instruments_max);
    o->history_step_ms = or_default(o->history_step_ms, HISTORY_STEP_DEFAULT_MS);
    o->backoff_first_ms = or_default(o->backoff_first_ms, BACKOFF_FIRST_DEFAULT_MS);
    o->backoff_cap_ms = or_default(o->backoff_cap_ms, BACKOFF_CAP_DEFAULT_MS);
    TG_ENSURE(o->instruments_max <= TG_INSTRUMENT_MAX && o->readers_max <= READERS_MAX,
              TG_ERR_INVALID_ARGUMENT);
    TG_ENSURE(o->transitions_max <= TG__TRANSITIONS_MAX &&
                  o->history_points <= TG__HISTORY_POINTS_MAX &&
                  o->history_instruments <= o->instruments_max,
              TG_ERR_INVALID_ARGUMENT);
    TG_ENSURE(o->events_max <= EVENTS_MAX && o->backoff_cap_ms <= BACKOFF_MAX_MS &&
                  o->backoff_first_ms <= o->backoff_cap_ms,
              TG_ERR_INVALID_ARGUMENT);
    TG_ENSURE(o->token == NULL || tg__token_is_valid(o->token), TG_ERR_INVALID_ARGUMENT);
    TG_ENSURE(o->report_share_ppm <= REPORT_SHARE_MAX_PPM, TG_ERR_INVALID_ARGUMENT);
    return TG_OK;
}

static tg_err open_store(tg_client *client)
{
    const tg__store_options options = {
        .instruments_max = client->options.instruments_max,
        .readers_max = client->options.readers_max + 1,
        .transitions_max = client->options.transitions_max,
        .history_points = client->options.history_points,
        .history_instruments = client->options.history_instruments,
        .history_step_ms = client->options.history_step_ms,
    };
    TG_TRY(tg__store_open(&options, &client->store));
    TG_TRY(tg_reader_open(client->store, &client->reader));
    for (int i = 0; i < TG_STAGE_COUNT; i++) {
        TG_TRY(tg_histogram_open(NULL, &client->stage[i]));
    }
    return TG_OK;
}

static uint32_t interests_max(const tg_client *client)
{
    const uint32_t wanted = client->options.instruments_max * INTERESTS_PER_INSTRUMENT;
    return wanted < TG__INTEREST_CAPACITY_MAX ? wanted : TG__INTEREST_CAPACITY_MAX;
}

static tg_err open_queues(tg_client *client)
{
    const uint32_t interests = interests_max(client);
    TG_TRY(tg__event_queue_init(&client->events, client->options.events_max));
    TG_TRY(tg__slots_init(&client->slots, interests));
    TG_TRY(tg__credential_init(&client->credential, client->options.token,
                               client->options.token_provider == NULL));
    /* Each slot has at most one command of each kind under way: never full. */
    return tg__command_queue_init(&client->commands, 4 * interests + TG__FIND_SLOTS);
}

static uint32_t endpoint_count(const tg_client *client)
{
    return client->options.fallback_count + 1;
}

/* Without the URL itself: its path may hold a secret. */
static tg_err refuse_url(uint32_t number, tg_err err, const char *reason, char *why,
                         size_t why_size)
{
    if (number == 0) {
        (void)snprintf(why, why_size, "url %s", reason);
    } else {
        (void)snprintf(why, why_size, "fallback_urls[%u] %s", (unsigned)number - 1, reason);
    }
    return err;
}

static tg_err parse_urls(const tg_client_options *o, tg__url urls[TG__ENDPOINTS_MAX],
                         tg__tls_use *use, char *why, size_t why_size)
{
    for (uint32_t i = 0; i <= o->fallback_count; i++) {
        const char *text = i == 0 ? o->url : o->fallback_urls[i - 1];
        if (text == NULL) {
            return refuse_url(i, TG_ERR_INVALID_ARGUMENT, "is NULL", why, why_size);
        }
        if (tg__url_parse(text, &urls[i]) != TG_OK) {
            return refuse_url(i, TG_ERR_URL, "is not wss://host[:port][/path]", why, why_size);
        }
        /* A proxy is another machine, whatever the name behind it. */
        const bool leaves = !tg__url_is_private(&urls[i]) ||
                            (o->proxy != NULL && !urls[i].tls && urls[i].socket_path[0] == '\0');
        if (leaves && !o->allow_plain_text_to_other_machines) {
            return refuse_url(i, TG_ERR_URL, "would go to another machine without TLS", why,
                              why_size);
        }
        use->anywhere |= urls[i].tls;
        use->everywhere &= urls[i].tls;
    }
    return TG_OK;
}

static tg_err open_connection(tg_client *client, char *why, size_t why_size)
{
    tg__url urls[TG__ENDPOINTS_MAX];
    tg__io_options options;
    memset(&options, 0, sizeof options);
    tg__tls_use use = {.anywhere = false, .everywhere = true};
    TG_TRY(parse_urls(&client->options, urls, &use, why, why_size));
    if (client->options.proxy != NULL) {
        if (tg__proxy_parse(client->options.proxy, &client->proxy) != TG_OK) {
            (void)snprintf(why, why_size, "proxy is not http://[user:password@]host:port");
            return TG_ERR_URL;
        }
        options.proxy = &client->proxy;
    }
    options.urls = urls;
    options.url_count = endpoint_count(client);
    options.plain_anywhere = client->options.allow_plain_text_to_other_machines;
    TG_TRY(tg__tls_options_load(&client->options, use, &client->tls, why, why_size));
    options.ca_pem = client->tls.ca_pem;
    options.ca_pem_size = client->tls.ca_pem_size;
    options.identity = client->tls.has_identity ? &client->tls.identity : NULL;
    options.pins = client->tls.pins;
    options.dangerous_disable_verification = client->options.dangerous_disable_verification;
    options.credential = &client->credential;
    options.message_size_max = TG__MESSAGE_SIZE_MAX;
    options.clock = &client->clock;
    options.handler = tg__client_handler(client);
    const tg_err err = tg__io_open(&options, &client->io);
    tg__tls_identity_release(&client->tls.identity); /* the TLS stack has parsed it */
    return err;
}

static tg_err open_engine(tg_client *client, char *why, size_t why_size)
{
    tg__engine_options options;
    memset(&options, 0, sizeof options);
    options.random_seed = client->options.random_seed;
    const tg_err err = options.random_seed == 0 ? tg__tls_random(&options.random_seed) : TG_OK;
    if (err != TG_OK) {
        (void)snprintf(why, why_size, "%s",
                       err == TG_ERR_IO ? "the system gives no random numbers" : "");
        return err;
    }
    options.store = client->store;
    options.instruments_max = client->options.instruments_max;
    options.interests_max = interests_max(client);
    options.backoff_first_ms = client->options.backoff_first_ms;
    options.backoff_cap_ms = client->options.backoff_cap_ms;
    options.endpoint_count = endpoint_count(client);
    options.renews_tokens = client->options.token_provider != NULL;
    options.has_token = client->options.token != NULL;
    options.clock = &client->clock;
    options.report_share_ppm = client->options.report_share_ppm;
    memcpy(options.stage, client->stage, sizeof options.stage);
    return tg__engine_open(&options, &client->engine);
}

static void release(tg_client *client)
{
    tg__io_close(client->io);
    tg__engine_close(client->engine);
    tg_reader_close(client->reader);
    tg__store_close(client->store);
    for (int i = 0; i < TG_STAGE_COUNT; i++) {
        tg_histogram_close(client->stage[i]);
    }
    tg__command_queue_deinit(&client->commands);
    tg__slots_deinit(&client->slots);
    tg__event_queue_deinit(&client->events);
    tg__credential_deinit(&client->credential);
    (void)pthread_mutex_destroy(&client->error_lock);
    tg__wipe(&client->proxy, sizeof client->proxy);
    tg__tls_material_release(&client->tls);
    free(client);
}

/* What the host owns: not ours any more once open returns. */
static void forget_pointers(tg_client_options *o)
{
    o->url = NULL;
    o->ca_file = NULL;
    o->token = NULL;
    o->fallback_urls = NULL;
    o->proxy = NULL;
    o->clock = NULL;
    o->spki_pins = NULL;
    o->client_cert_file = NULL;
    o->client_key_file = NULL;
    o->client_key_password = NULL;
    o->error_text = NULL;
}

static tg_err open_client(const tg_client_options *options, tg_client **out, char *why,
                          size_t why_size)
{
    tg_client *client = calloc(1, sizeof *client);
    TG_ENSURE(client != NULL, TG_ERR_NO_MEMORY);
    if (pthread_mutex_init(&client->error_lock, NULL) != 0) {
        free(client);
        return TG_ERR_NO_MEMORY;
    }
    client->options = *options;
    client->clock = options->clock != NULL ? *options->clock : tg_clock_system();
    client->pid = getpid();
    tg__clock_watch_init(&client->clock_watch, &client->clock);
    atomic_store_explicit(&client->next_find, 1, memory_order_relaxed);
    atomic_store_explicit(&client->dialled_ns, -1, memory_order_relaxed);
    atomic_store_explicit(&client->requested_ns, -1, memory_order_relaxed);

    tg_err err = open_store(client);
    if (err == TG_OK) {
        err = open_queues(client);
    }
    if (err == TG_OK) {
        err = open_connection(client, why, why_size);
    }
    if (err == TG_OK) {
        err = open_engine(client, why, why_size);
    }
    forget_pointers(&client->options);
    if (err != TG_OK) {
        release(client);
        return err;
    }
    *out = client;
    return TG_OK;
}

tg_err tg_client_open(const tg_client_options *opt, tg_client **out)
{
    TG_ENSURE(out != NULL, TG_ERR_INVALID_ARGUMENT);
    *out = NULL;
    TG_ENSURE(opt != NULL, TG_ERR_INVALID_ARGUMENT);
    tg_client_options options;
    memset(&options, 0, sizeof options);
    char why[WHY_SIZE] = "";
    tg_err err = copy_options(opt, &options);
    if (err == TG_OK) {
        err = settle_options(&options);
    }
    if (err == TG_OK) {
        err = open_client(&options, out, why, sizeof why);
    }
    if (options.error_text != NULL && options.error_text_size > 0) {
        const char *reason = why[0] != '\0' ? why : tg_err_text(err);
        (void)snprintf(options.error_text, options.error_text_size, "%s",
                       err != TG_OK ? reason : "");
    }
    return err;
}

bool tg__client_is_forked(const tg_client *client)
{
    return getpid() != client->pid;
}

void tg_client_close(tg_client *client)
{
    if (client == NULL || tg__client_is_forked(client)) {
        return;
    }
    switch ((tg__drive)atomic_load_explicit(&client->drive, memory_order_relaxed)) {
    case TG__DRIVE_THREAD:
        /* Release: pairs with the acquire in the thread's loop. */
        atomic_store_explicit(&client->close_requested, true, memory_order_release);
        tg__io_wake(client->io);
        tg__client_join_thread(client);
        break;
    case TG__DRIVE_STEP:
        tg__client_leave(client);
        break;
    case TG__DRIVE_NONE:
        break;
    }
    release(client);
}

static bool claim_drive(tg_client *client, tg__drive drive)
{
    int none = TG__DRIVE_NONE;
    return atomic_compare_exchange_strong_explicit(&client->drive, &none, (int)drive,
                                                   memory_order_relaxed, memory_order_relaxed);
}

tg_err tg_client_start(tg_client *client)
{
    TG_ENSURE(client != NULL, TG_ERR_INVALID_ARGUMENT);
    TG_ENSURE(!tg__client_is_forked(client), TG_ERR_FORKED);
    TG_ENSURE(claim_drive(client, TG__DRIVE_THREAD), TG_ERR_STATE);
    /* Started from here on for whoever asks, though the thread has not run yet. */
    atomic_store_explicit(&client->state, TG_SESSION_CONNECTING, memory_order_relaxed);
    const tg_err err = tg__client_start_thread(client);
    if (err != TG_OK) {
        atomic_store_explicit(&client->state, TG_SESSION_IDLE, memory_order_relaxed);
        atomic_store_explicit(&client->drive, TG__DRIVE_NONE, memory_order_relaxed);
    }
    return err;
}

void tg_client_stop(tg_client *client)
{
    if (client == NULL || tg__client_is_forked(client)) {
        return;
    }
    /* Release: pairs with the acquire in tg__client_take_commands(). */
    atomic_store_explicit(&client->stop_requested, true, memory_order_release);
    tg__io_wake(client->io);
}

tg_err tg_client_step(tg_client *client, uint32_t budget_us)
{
    TG_ENSURE(client != NULL, TG_ERR_INVALID_ARGUMENT);
    TG_ENSURE(!tg__client_is_forked(client), TG_ERR_FORKED);
    const int64_t until_ns = tg_clock_mono_ns(&client->clock) + (int64_t)budget_us * 1000;
    if (atomic_load_explicit(&client->drive, memory_order_relaxed) == TG__DRIVE_NONE) {
        int fd = -1; /* before the first socket, so that every one is in it */
        TG_TRY(tg__io_fd(client->io, &fd));
    }
    if (claim_drive(client, TG__DRIVE_STEP)) {
        tg__client_connect(client);
    }
    TG_ENSURE(atomic_load_explicit(&client->drive, memory_order_relaxed) == TG__DRIVE_STEP,
              TG_ERR_STATE);
    uint64_t before = 0;
    do {
        before = client->activity;
        tg__client_take_commands(client);
        tg__io_service(client->io, false);
    } while (client->activity != before && tg_clock_mono_ns(&client->clock) < until_ns);
    return TG_OK;
}

tg_err tg_client_token(tg_client *client, const char *token)
{
    TG_ENSURE(client != NULL && (token == NULL || tg__token_is_valid(token)),
              TG_ERR_INVALID_ARGUMENT);
    TG_ENSURE(!tg__client_is_forked(client), TG_ERR_FORKED);
    TG_TRY(tg__credential_answer(&client->credential, token));
    tg__io_wake(client->io);
    return TG_OK;
}

tg_err tg_client_fd(tg_client *client, int *fd)
{
    TG_ENSURE(client != NULL && fd != NULL, TG_ERR_INVALID_ARGUMENT);
    *fd = -1;
    TG_ENSURE(!tg__client_is_forked(client), TG_ERR_FORKED);
    TG_ENSURE(atomic_load_explicit(&client->drive, memory_order_relaxed) != TG__DRIVE_THREAD,
              TG_ERR_STATE);
    return tg__io_fd(client->io, fd);
}

tg_err tg_client_next_deadline(tg_client *client, int64_t *mono_ns)
{
    TG_ENSURE(client != NULL && mono_ns != NULL, TG_ERR_INVALID_ARGUMENT);
    *mono_ns = INT64_MAX;
    TG_ENSURE(!tg__client_is_forked(client), TG_ERR_FORKED);
    const int drive = atomic_load_explicit(&client->drive, memory_order_relaxed);
    TG_ENSURE(drive != TG__DRIVE_THREAD, TG_ERR_STATE);
    const bool at_once = drive == TG__DRIVE_NONE || !tg__command_queue_is_empty(&client->commands);
    *mono_ns = at_once ? tg_clock_mono_ns(&client->clock) : tg__io_deadline(client->io);
    return TG_OK;
}

static bool is_name(const char *text, size_t size)
{
    return text != NULL && tg__text_is_valid(text, strlen(text), size - 1);
}

tg_err tg_client_subscribe(tg_client *client, const char *venue, const char *symbol, tg_sub_id *out)
{
    TG_ENSURE(client != NULL && out != NULL, TG_ERR_INVALID_ARGUMENT);
    out->v = 0;
    TG_ENSURE(!tg__client_is_forked(client), TG_ERR_FORKED);
    TG_ENSURE(is_name(venue, TG_VENUE_NAME_SIZE) && is_name(symbol, TG_SYMBOL_SIZE),
              TG_ERR_INVALID_ARGUMENT);
    tg_sub_id sub = {0};
    TG_TRY(tg__slots_take(&client->slots, venue, symbol, &sub));
    const tg_err err = tg__command_queue_put(&client->commands, TG__COMMAND_SUBSCRIBE, sub.v);
    if (err != TG_OK) {
        tg__slots_free(&client->slots, sub);
        return err;
    }
    *out = sub;
    tg__io_wake(client->io);
    return TG_OK;
}

tg_err tg_client_unsubscribe(tg_client *client, tg_sub_id sub)
{
    TG_ENSURE(client != NULL, TG_ERR_INVALID_ARGUMENT);
    TG_ENSURE(!tg__client_is_forked(client), TG_ERR_FORKED);
    TG_TRY(tg__slots_give_up(&client->slots, sub));
    TG_TRY(tg__command_queue_put(&client->commands, TG__COMMAND_UNSUBSCRIBE, sub.v));
    tg__io_wake(client->io);
    return TG_OK;
}

tg_err tg_client_prioritise(tg_client *client, tg_sub_id sub, bool on)
{
    TG_ENSURE(client != NULL, TG_ERR_INVALID_ARGUMENT);
    TG_ENSURE(!tg__client_is_forked(client), TG_ERR_FORKED);
    bool tell = false;
    TG_TRY(tg__slots_prioritise(&client->slots, sub, on, &tell));
    if (tell) {
        TG_TRY(tg__command_queue_put(&client->commands, TG__COMMAND_PRIORITISE, sub.v));
        tg__io_wake(client->io);
    }
    return TG_OK;
}

tg_err tg_client_set_visible(tg_client *client, tg_sub_id sub, bool visible)
{
    TG_ENSURE(client != NULL, TG_ERR_INVALID_ARGUMENT);
    TG_ENSURE(!tg__client_is_forked(client), TG_ERR_FORKED);
    bool tell = false;
    TG_TRY(tg__slots_set_visible(&client->slots, sub, visible, &tell));
    if (tell) {
        TG_TRY(tg__command_queue_put(&client->commands, TG__COMMAND_SET_VISIBLE, sub.v));
        tg__io_wake(client->io);
    }
    return TG_OK;
}

static tg_err copy_part(const char *text, char *part, size_t size)
{
    if (text == NULL || text[0] == '\0') {
        part[0] = '\0';
        return TG_OK;
    }
    TG_ENSURE(is_name(text, size), TG_ERR_INVALID_ARGUMENT);
    memcpy(part, text, strlen(text) + 1);
    return TG_OK;
}

tg_err tg_client_find(tg_client *client, const char *venue, const char *prefix,
                      const char *after_venue, const char *after_symbol, uint32_t limit,
                      uint32_t *request)
{
    TG_ENSURE(client != NULL && request != NULL, TG_ERR_INVALID_ARGUMENT);
    TG_ENSURE(!tg__client_is_forked(client), TG_ERR_FORKED);
    TG_ENSURE(limit >= 1 && limit <= TG__ITEM_MAX, TG_ERR_INVALID_ARGUMENT);
    TG_ENSURE(tg_client_state(client) != TG_SESSION_IDLE, TG_ERR_STATE);
    tg__find find;
    memset(&find, 0, sizeof find);
    find.limit = limit;
    TG_TRY(copy_part(prefix, find.prefix, sizeof find.prefix));
    TG_TRY(copy_part(venue, find.venue, sizeof find.venue));
    TG_TRY(copy_part(after_venue, find.after_venue, sizeof find.after_venue));
    TG_TRY(copy_part(after_symbol, find.after_symbol, sizeof find.after_symbol));
    /* Relaxed: only distinct numbers are wanted. */
    find.request = atomic_fetch_add_explicit(&client->next_find, 1, memory_order_relaxed);
    *request = find.request;
    TG_TRY(tg__command_queue_put_find(&client->commands, &find));
    tg__io_wake(client->io);
    return TG_OK;
}

tg_err tg_client_subscription(const tg_client *client, tg_sub_id sub, tg_instrument_id *id)
{
    TG_ENSURE(client != NULL && id != NULL, TG_ERR_INVALID_ARGUMENT);
    TG_ENSURE(!tg__client_is_forked(client), TG_ERR_FORKED);
    return tg__slots_answer_get(&client->slots, sub, id);
}

tg_err tg_client_event(tg_client *client, tg_event *out)
{
    TG_ENSURE(client != NULL && out != NULL, TG_ERR_INVALID_ARGUMENT);
    TG_ENSURE(!tg__client_is_forked(client), TG_ERR_FORKED);
    return tg__event_queue_take(&client->events, out) ? TG_OK : TG_ERR_NOT_FOUND;
}

tg_store *tg_client_store(tg_client *client)
{
    return client->store;
}

tg_session_state tg_client_state(const tg_client *client)
{
    return (tg_session_state)atomic_load_explicit(&client->state, memory_order_relaxed);
}

tg_err tg_client_stage(const tg_client *client, tg_stage stage, tg_histogram *into)
{
    TG_ENSURE(client != NULL && into != NULL && (unsigned)stage < TG_STAGE_COUNT,
              TG_ERR_INVALID_ARGUMENT);
    TG_ENSURE(!tg__client_is_forked(client), TG_ERR_FORKED);
    tg_histogram_reset(into);
    return tg_histogram_add(into, client->stage[stage]);
}

void tg_client_last_error(const tg_client *client, char *buf, size_t size)
{
    if (size == 0) {
        return;
    }
    buf[0] = '\0';
    if (client == NULL || tg__client_is_forked(client)) {
        return;
    }
    /* The lock is not part of what const promises to leave alone. */
    pthread_mutex_t *lock = (pthread_mutex_t *)&client->error_lock;
    (void)pthread_mutex_lock(lock);
    (void)snprintf(buf, size, "%s", client->last_error);
    (void)pthread_mutex_unlock(lock);
}
