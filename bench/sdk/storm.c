#include "storm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attempt.h"
#include "drain.h"
#include "engine.h"
#include "prng.h"
#include "reconnect_spread.h"
#include "retry_spread.h"
#include "sim_gateway.h"
#include "storm_queue.h"
#include "token_bucket.h"

#define MS             INT64_C(1000000)
#define S              (1000 * MS)
#define NEVER          INT64_MAX
#define BEAT_NS        (SIM_HEARTBEAT_MS * MS)
#define STABLE_NS      (15 * S) /* of quiet operation before the trouble */
#define ON_PER_S       1000u    /* terminals switched on at the beginning */
#define INSTRUMENTS    32u
#define WANTED         4u /* instruments of each client */
#define DRAIN_LIMIT    60.0
#define PEAK_NS        (100 * MS)
#define RESYNC_SPAN_NS S     /* a second at least: all at once is no mean */
#define ONE_MS         5000u /* of STORM_REFUSAL_ONE */

/* What tickglass-gateway gives those that it sends on (gateway/src/main.c). */
#define SENT_ON_MIN_MS    500u
#define SENT_ON_SPREAD_MS 5000u

typedef enum link_state {
    LINK_NONE,
    LINK_DIALLING,
    LINK_ADMITTED, /* the 101 is on its way */
    LINK_OPEN
} link_state;

typedef struct peer {
    tg_store *store;
    tg__engine *engine;
    sim_session session;
    link_state link;
    uint32_t generation;
    int64_t deadline_ns;
    int64_t one_way_ns;
    int64_t not_before_ns; /* of the next attempt: the floor that was given, the engine's draw */
    bool live;
    bool loses; /* its next frame */
} peer;

typedef struct storm {
    storm_options options;
    int64_t now_ns;
    tg_clock clock;
    storm_queue queue;
    tg__prng prng;
    sim_market market;
    sim_message *messages; /* on their way to the client whose turn it is */
    peer *peers;
    uint32_t live;
    uint32_t open; /* connections, as the gateway counts them */
    tg__reconnect_spread reconnect;
    bool dead;
    bool paused;     /* the gateway hangs */
    bool stalled;    /* it answers, but no frame goes out */
    bool generation; /* another dictionary: of each session the next frame restates it */
    bool suffers;    /* sessions lose their images and not their connection */
    bool hurt;       /* of which one has noticed */
    int64_t resumes_ns;
    bool limited; /* the admission limiter judges; not while the fleet is switched on */
    tg__token_bucket bucket;
    tg__retry_spread retry;
    tg__drain drain;
    uint32_t drained;
    int64_t from_ns; /* recovery; NEVER: not begun */
    int64_t until_ns;
    int64_t *attempt_ns; /* within the recovery */
    size_t attempts_capacity;
    int64_t *resync_ns;
    size_t resyncs_capacity;
    storm_result result;
} storm;

static int64_t storm_mono_ns(void *ctx)
{
    return ((storm *)ctx)->now_ns;
}

static int64_t storm_utc_ns(void *ctx)
{
    return sim_market_utc_ns(&((storm *)ctx)->market);
}

static void must(bool good, const char *what)
{
    if (!good) {
        (void)fprintf(stderr, "storm: %s\n", what);
        abort();
    }
}

void storm_options_init(storm_options *options)
{
    memset(options, 0, sizeof *options);
    options->clients = 10000;
    options->backoff_first_ms = 500;
    options->backoff_cap_ms = 15000;
    options->upgrades_per_s = 1200;
    options->upgrade_burst = 2500;
    options->seed = 1;
}

/* --- what happens later --- */

static void later(storm *s, storm_event_kind kind, uint32_t index, int64_t delay_ns)
{
    const storm_event event = {
        .at_ns = s->now_ns + delay_ns,
        .kind = kind,
        .peer = index,
        .generation = s->peers[index].generation,
    };
    storm_queue_put(&s->queue, &event);
}

static void later_closed(storm *s, uint32_t index, tg__cause cause, uint16_t code,
                         uint32_t floor_ms)
{
    peer *p = &s->peers[index];
    s->open -= p->link == LINK_OPEN;
    p->link = LINK_NONE;
    const storm_event event = {
        .at_ns = s->now_ns + p->one_way_ns,
        .kind = STORM_CLOSED,
        .peer = index,
        .generation = p->generation,
        .cause = cause,
        .code = code,
        .floor_ms = floor_ms,
    };
    storm_queue_put(&s->queue, &event);
}

/* --- a client --- */

static void note_time(int64_t **times, size_t *capacity, uint64_t *count, int64_t now_ns)
{
    if (*count == *capacity) {
        *capacity = *capacity == 0 ? 4096 : 2 * *capacity;
        *times = realloc(*times, *capacity * sizeof **times);
        must(*times != NULL, "no memory");
    }
    (*times)[(*count)++] = now_ns;
}

static void count_attempt(storm *s, peer *p)
{
    s->result.early_connects += s->now_ns < p->not_before_ns;
    if (s->from_ns == NEVER) {
        s->result.attempts_dead += s->dead;
        return;
    }
    note_time(&s->attempt_ns, &s->attempts_capacity, &s->result.attempts, s->now_ns);
}

static void send_request(storm *s, uint32_t index, const tg__action *action)
{
    const peer *p = &s->peers[index];
    uint8_t *bytes = malloc(action->as.send.size);
    must(bytes != NULL, "no memory");
    memcpy(bytes, action->as.send.bytes, action->as.send.size);
    const storm_event event = {
        .at_ns = s->now_ns + 2 * p->one_way_ns,
        .kind = STORM_REQUEST,
        .peer = index,
        .generation = p->generation,
        .size = action->as.send.size,
        .bytes = bytes,
    };
    storm_queue_put(&s->queue, &event);
}

/* The connection has ended, as far as the gateway knows. */
static void unlink_peer(storm *s, peer *p)
{
    s->open -= p->link == LINK_OPEN;
    p->link = LINK_NONE;
}

static void begin_recovery(storm *s, double limit_seconds)
{
    s->limited = true;
    tg__token_bucket_init(&s->bucket, s->options.upgrades_per_s, s->options.upgrade_burst,
                          s->now_ns);
    tg__retry_spread_init(&s->retry, s->options.upgrades_per_s, s->options.seed, s->now_ns);
    s->from_ns = s->now_ns;
    s->result.limit_seconds = limit_seconds;
    s->until_ns = s->now_ns + (int64_t)(limit_seconds * (double)S);
}

static double outage_limit(const storm_options *o)
{
    const double cap_s = o->backoff_cap_ms / 1000.0;
    const double served_s = (double)o->clients / o->upgrades_per_s;
    return 1.5 * (cap_s > served_s ? cap_s : served_s);
}

static void perform(storm *s, uint32_t index, const tg__action *action)
{
    peer *p = &s->peers[index];
    if (action->kind == TG__ACTION_CONNECT) {
        count_attempt(s, p);
        p->generation = action->generation;
        p->link = LINK_DIALLING;
        later(s, STORM_SYN, index, p->one_way_ns);
    } else if (action->kind == TG__ACTION_SEND) {
        if (s->from_ns != NEVER && action->as.send.bytes[0] == TG__KIND_RESYNC) {
            note_time(&s->resync_ns, &s->resyncs_capacity, &s->result.resyncs, s->now_ns);
        }
        send_request(s, index, action);
    } else if (action->kind == TG__ACTION_TIMER) {
        p->deadline_ns = action->as.deadline_ns;
        if (p->deadline_ns != NEVER) {
            later(s, STORM_TIMER, index, p->deadline_ns - s->now_ns);
        }
    } else if (action->kind == TG__ACTION_CLOSE || action->kind == TG__ACTION_DROP) {
        unlink_peer(s, p);
        if ((s->paused || s->generation) && s->from_ns == NEVER) {
            begin_recovery(s, outage_limit(&s->options)); /* the first one that gave it up */
        }
    } else if (action->kind == TG__ACTION_EVENT && action->as.event.state == TG_SESSION_WAITING) {
        const int64_t own_ns = s->now_ns + action->as.event.wait_ms * MS;
        p->not_before_ns = own_ns > p->not_before_ns ? own_ns : p->not_before_ns;
    }
}

static void give(storm *s, uint32_t index, tg__input *input)
{
    peer *p = &s->peers[index];
    input->generation = p->generation;
    input->now_ns = s->now_ns;
    must(tg__engine_input(p->engine, input) == TG_OK, "the engine refuses an input");
    tg__action action;
    while (tg__engine_next(p->engine, &action)) {
        perform(s, index, &action);
    }
    const bool live = tg__engine_state_of(p->engine) == TG__ENGINE_LIVE;
    s->live = s->live + live - p->live;
    s->hurt = s->hurt || (s->suffers && p->live && !live);
    p->live = live;
}

static void give_plain(storm *s, uint32_t index, tg__input_kind kind)
{
    tg__input input = {.kind = kind};
    give(s, index, &input);
}

/* Whatever its session has for it. */
static void deliver(storm *s, uint32_t index)
{
    peer *p = &s->peers[index];
    const sim_message *message = NULL;
    while ((message = sim_session_take(&p->session)) != NULL && p->link == LINK_OPEN) {
        tg__input input = {.kind = TG__INPUT_MESSAGE,
                           .as.message = {message->bytes, message->size, s->now_ns}};
        give(s, index, &input);
    }
}

static void give_closed(storm *s, const storm_event *event)
{
    peer *p = &s->peers[event->peer];
    const bool told = s->options.refusal != STORM_REFUSAL_IGNORED;
    p->not_before_ns = s->now_ns + event->floor_ms * MS;
    tg__input input = {.kind = TG__INPUT_CLOSED,
                       .as.closed = {event->cause, event->code, told ? event->floor_ms : 0, ""}};
    give(s, event->peer, &input);
}

/* --- the gateway --- */

static void judge_upgrade(storm *s, uint32_t index)
{
    peer *p = &s->peers[index];
    const bool counted = s->from_ns != NEVER;
    if (s->dead) {
        later_closed(s, index, TG__CAUSE_CONNECT, 0, 0);
    } else if (!s->limited || tg__token_bucket_take(&s->bucket, s->now_ns)) {
        s->result.admissions += counted;
        p->link = LINK_ADMITTED;
        later(s, STORM_OPEN, index, p->one_way_ns);
    } else {
        const uint32_t turn_s = tg__retry_spread_next(&s->retry, s->now_ns);
        s->result.refusals += counted;
        later_closed(s, index, TG__CAUSE_HTTP_STATUS, 503,
                     s->options.refusal == STORM_REFUSAL_ONE ? ONE_MS : turn_s * 1000);
    }
}

/* By the gateway's own measure, and as seldom. */
static void tell_spread(storm *s)
{
    s->market.reconnect_spread_ms = tg__reconnect_spread_ms(&s->reconnect, s->open);
    if (!tg__reconnect_spread_is_due(&s->reconnect, s->open, s->now_ns)) {
        return;
    }
    for (uint32_t i = 0; i < s->options.clients; i++) {
        if (s->peers[i].link == LINK_OPEN) {
            sim_session_tell_limits(&s->peers[i].session);
            deliver(s, i);
        }
    }
}

static void beat(storm *s)
{
    later(s, STORM_BEAT, 0, BEAT_NS);
    if (s->paused) {
        return;
    }
    tell_spread(s);
    sim_market_step(&s->market);
    if (s->stalled) {
        return;
    }
    for (uint32_t i = 0; i < s->options.clients; i++) {
        if (s->peers[i].link == LINK_OPEN) {
            later(s, STORM_FRAME, i, s->peers[i].one_way_ns);
        }
    }
}

static void die(storm *s)
{
    s->dead = true;
    for (uint32_t i = 0; i < s->options.clients; i++) {
        if (s->peers[i].link >= LINK_ADMITTED && !s->options.silent) {
            later_closed(s, i, TG__CAUSE_LOST, 0, 0);
        }
        unlink_peer(s, &s->peers[i]);
    }
}

/* The adapter's own words for a handshake that ended before it began. */
static tg__cause cause_of_hanging_up(void)
{
    const tg__attempt attempt = {
        "gateway", "balancer", false, 0, "tls handshake: mbedtls -0x7280 verify 0xffffffff alert 0",
        "",        "",         0};
    tg__closed closed;
    tg__attempt_explain(&attempt, &closed);
    return closed.cause;
}

/* A second later, two after that, four, eight (RFC 6298). */
static void send_again(storm *s, const storm_event *syn)
{
    storm_event event = *syn;
    event.at_ns = s->now_ns + (S << syn->again);
    event.again++;
    storm_queue_put(&s->queue, &event);
}

static void drain_step(storm *s)
{
    if (!s->drain.started) {
        begin_recovery(s, DRAIN_LIMIT);
        tg__drain_start(&s->drain, s->options.clients, TG__DRAIN_PERCENT, TG__DRAIN_INTERVAL_MS,
                        s->now_ns);
    }
    uint32_t told = tg__drain_step(&s->drain, s->now_ns);
    for (; told > 0 && s->drained < s->options.clients; told--) {
        later_closed(s, s->drained++, TG__CAUSE_CLOSE_CODE, 1012,
                     SENT_ON_MIN_MS + tg__prng_below(&s->prng, SENT_ON_SPREAD_MS));
    }
    if (s->drain.steps_left > 0) {
        later(s, STORM_DRAIN, 0, s->drain.next_mono_ns - s->now_ns);
    }
}

/* --- the course of things --- */

/* It is there when the gateway goes on. */
static void put_off(storm *s, const storm_event *event)
{
    storm_event again = *event;
    again.at_ns = s->resumes_ns;
    if (event->size > 0) {
        again.bytes = malloc(event->size);
        must(again.bytes != NULL, "no memory");
        memcpy(again.bytes, event->bytes, event->size);
    }
    storm_queue_put(&s->queue, &again);
}

static void take_frame(storm *s, peer *p)
{
    if (s->generation && p->session.cut.generation != s->market.generation) {
        sim_session_frame(&p->session);
        sim_session_overflow(&p->session); /* restates the dictionary, of the new generation */
        return;
    }
    sim_session_frame(&p->session);
    if (p->loses) {
        p->loses = false;
        (void)sim_session_take(&p->session);
    }
}

/* Nothing ends: all have lost something. */
static void hurt_all(storm *s)
{
    s->suffers = true;
    begin_recovery(s, outage_limit(&s->options));
}

static void happen_to_peer(storm *s, const storm_event *event)
{
    peer *p = &s->peers[event->peer];
    const bool late = event->generation != p->generation;
    if (event->kind == STORM_START) {
        give_plain(s, event->peer, TG__INPUT_START);
    } else if (event->kind == STORM_TIMER) {
        if (event->at_ns == p->deadline_ns) {
            give_plain(s, event->peer, TG__INPUT_TIMER);
        }
    } else if (late) {
        return;
    } else if (event->kind == STORM_SYN) {
        if (s->dead && s->options.silent) {
            send_again(s, event);
        } else if (s->dead) {
            later_closed(s, event->peer,
                         s->options.hangs_up ? cause_of_hanging_up() : TG__CAUSE_CONNECT, 0, 0);
        } else {
            later(s, STORM_UPGRADE, event->peer, 4 * p->one_way_ns); /* TCP's and TLS's answers */
        }
    } else if (s->paused && (event->kind == STORM_UPGRADE || event->kind == STORM_REQUEST ||
                             event->kind == STORM_FRAME)) {
        put_off(s, event);
    } else if (event->kind == STORM_UPGRADE && p->link == LINK_DIALLING) {
        judge_upgrade(s, event->peer);
    } else if (event->kind == STORM_OPEN && p->link == LINK_ADMITTED) {
        p->link = LINK_OPEN;
        s->open++;
        sim_session_open(&p->session, &s->market, s->messages);
        give_plain(s, event->peer, TG__INPUT_REQUESTED);
        give_plain(s, event->peer, TG__INPUT_CONNECTED);
        deliver(s, event->peer);
    } else if (event->kind == STORM_CLOSED) {
        give_closed(s, event);
    } else if (event->kind == STORM_REQUEST && p->link == LINK_OPEN) {
        sim_session_receive(&p->session, event->bytes, event->size);
        deliver(s, event->peer);
    } else if (event->kind == STORM_FRAME && p->link == LINK_OPEN) {
        take_frame(s, p);
        deliver(s, event->peer);
    }
}

static void happen(storm *s, const storm_event *event)
{
    s->now_ns = event->at_ns;
    switch (event->kind) {
    case STORM_BEAT:
        beat(s);
        break;
    case STORM_DEATH:
        must(s->live == s->options.clients, "not all were live before the trouble");
        die(s);
        break;
    case STORM_PAUSE:
        must(s->live == s->options.clients, "not all were live before the trouble");
        s->paused = true;
        s->limited = true;
        break;
    case STORM_GO_ON:
        s->paused = false;
        break;
    case STORM_GENERATION:
        must(s->live == s->options.clients, "not all were live before the trouble");
        s->market.generation++;
        s->generation = true;
        break;
    case STORM_GAP:
        must(s->live == s->options.clients, "not all were live before the trouble");
        for (uint32_t i = 0; i < s->options.clients; i++) {
            s->peers[i].loses = true;
        }
        hurt_all(s);
        break;
    case STORM_STALL:
        must(s->live == s->options.clients, "not all were live before the trouble");
        s->stalled = true;
        hurt_all(s);
        break;
    case STORM_STALL_END:
        s->stalled = false;
        break;
    case STORM_RETURN:
        s->dead = false;
        begin_recovery(s, outage_limit(&s->options));
        break;
    case STORM_DRAIN:
        must(s->drain.started || s->live == s->options.clients,
             "not all were live before the trouble");
        drain_step(s);
        break;
    case STORM_START:
    case STORM_TIMER:
    case STORM_SYN:
    case STORM_UPGRADE:
    case STORM_OPEN:
    case STORM_CLOSED:
    case STORM_REQUEST:
    case STORM_FRAME:
        happen_to_peer(s, event);
        break;
    }
}

static bool is_over(const storm *s)
{
    const bool all_told = !s->drain.started || s->drained == s->options.clients;
    return s->from_ns != NEVER && s->now_ns > s->from_ns && all_told && !s->paused &&
           (!s->suffers || s->hurt) && s->live == s->options.clients;
}

static void run(storm *s)
{
    storm_event event;
    while (!is_over(s) && storm_queue_take(&s->queue, &event)) {
        if (event.at_ns > s->until_ns) {
            s->now_ns = s->until_ns;
            free(event.bytes);
            return;
        }
        happen(s, &event);
        free(event.bytes);
    }
}

/* --- opening, closing, the account --- */

static void open_peer(storm *s, uint32_t index)
{
    peer *p = &s->peers[index];
    const tg__store_options store = {.instruments_max = INSTRUMENTS, .readers_max = 1};
    must(tg__store_open(&store, &p->store) == TG_OK, "no store");
    tg__engine_options options;
    memset(&options, 0, sizeof options);
    options.store = p->store;
    options.instruments_max = INSTRUMENTS;
    options.endpoint_count = 1;
    options.interests_max = INSTRUMENTS;
    options.backoff_first_ms = s->options.backoff_first_ms;
    options.backoff_cap_ms = s->options.backoff_cap_ms;
    options.random_seed = s->options.equal_steps ? s->options.seed : tg__prng_next(&s->prng);
    options.clock = &s->clock;
    must(tg__engine_open(&options, &p->engine) == TG_OK, "no engine");
    p->deadline_ns = NEVER;
    /* 0.2 to 40 ms: from the next rack to the other side of an ocean. */
    p->one_way_ns = MS / 5 + tg__prng_below(&s->prng, 40) * MS;
    for (uint32_t i = 0; i < WANTED; i++) {
        char symbol[TG_SYMBOL_SIZE];
        sim_symbol((tg_instrument_id)((index + i) % 20), symbol); /* all that it is entitled to */
        tg__input input = {.kind = TG__INPUT_SUBSCRIBE,
                           .as.subscribe = {{UINT32_C(0x10000) | i}, SIM_VENUE, symbol}};
        give(s, index, &input);
    }
    later(s, STORM_START, index, (int64_t)index * S / ON_PER_S);
}

static void open_storm(storm *s, const storm_options *options)
{
    memset(s, 0, sizeof *s);
    s->options = *options;
    s->now_ns = S;
    s->from_ns = NEVER;
    s->until_ns = NEVER;
    s->clock = (tg_clock){storm_mono_ns, storm_utc_ns, s, NULL};
    s->prng.state = options->seed;
    s->peers = calloc(options->clients, sizeof *s->peers);
    s->messages = calloc(SIM_MESSAGES_MAX, sizeof *s->messages);
    must(s->peers != NULL && s->messages != NULL, "no memory");
    sim_market_init(&s->market, 0x51, &s->now_ns);
    tg__reconnect_spread_init(&s->reconnect, options->untold ? 0 : options->upgrades_per_s);
    for (uint32_t i = 0; i < options->clients; i++) {
        open_peer(s, i);
    }
    later(s, STORM_BEAT, 0, BEAT_NS);
}

static int ascending(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a;
    const int64_t y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* In any 100 ms, wherever they begin. */
static uint32_t peak_of(int64_t *times, uint64_t count)
{
    uint32_t peak = 0;
    uint64_t first = 0;
    if (count > 0) {
        qsort(times, count, sizeof *times, ascending);
    }
    for (uint64_t i = 0; i < count; i++) {
        while (times[i] - times[first] >= PEAK_NS) {
            first++;
        }
        const uint32_t within = (uint32_t)(i - first + 1);
        peak = within > peak ? within : peak;
    }
    return peak;
}

static void find_peak(storm *s)
{
    storm_result *result = &s->result;
    result->peak_attempts_100ms = peak_of(s->attempt_ns, result->attempts);
    result->peak_resyncs_100ms = peak_of(s->resync_ns, result->resyncs);
    if (result->resyncs > 0) {
        const int64_t span_ns = s->resync_ns[result->resyncs - 1] - s->resync_ns[0];
        const int64_t over_ns = span_ns > RESYNC_SPAN_NS ? span_ns : RESYNC_SPAN_NS;
        result->resync_peak_over_mean =
            result->peak_resyncs_100ms /
            ((double)result->resyncs * (double)PEAK_NS / (double)over_ns);
    }
    const double mean =
        (double)result->attempts * (double)PEAK_NS / (double)(s->now_ns - s->from_ns);
    result->peak_over_mean = result->attempts > 0 ? result->peak_attempts_100ms / mean : 0;
}

static void close_storm(storm *s)
{
    for (uint32_t i = 0; i < s->options.clients; i++) {
        tg__engine_close(s->peers[i].engine);
        tg__store_close(s->peers[i].store);
    }
    storm_queue_deinit(&s->queue);
    free(s->peers);
    free(s->messages);
    free(s->attempt_ns);
    free(s->resync_ns);
}

static void finish(storm *s, storm_result *result)
{
    run(s);
    must(s->from_ns != NEVER, "the trouble never came");
    s->result.not_live = s->options.clients - s->live;
    s->result.seconds = (double)(s->now_ns - s->from_ns) / (double)S;
    find_peak(s);
    *result = s->result;
    close_storm(s);
}

static int64_t trouble_ns(const storm_options *options)
{
    return (int64_t)options->clients * S / ON_PER_S + STABLE_NS;
}

/* One thing happens to the whole fleet, and nothing has to end it. */
static void meet(const storm_options *options, storm_event_kind what, storm_result *result)
{
    storm s;
    open_storm(&s, options);
    later(&s, what, 0, trouble_ns(options));
    finish(&s, result);
}

void storm_outage(const storm_options *options, uint32_t outage_ms, storm_result *result)
{
    storm s;
    open_storm(&s, options);
    later(&s, STORM_DEATH, 0, trouble_ns(options));
    later(&s, STORM_RETURN, 0, trouble_ns(options) + outage_ms * MS);
    finish(&s, result);
}

void storm_drain(const storm_options *options, storm_result *result)
{
    meet(options, STORM_DRAIN, result);
}

void storm_pause(const storm_options *options, uint32_t pause_ms, storm_result *result)
{
    storm s;
    open_storm(&s, options);
    s.resumes_ns = s.now_ns + trouble_ns(options) + pause_ms * MS;
    later(&s, STORM_PAUSE, 0, trouble_ns(options));
    later(&s, STORM_GO_ON, 0, trouble_ns(options) + pause_ms * MS);
    finish(&s, result);
}

void storm_generation(const storm_options *options, storm_result *result)
{
    meet(options, STORM_GENERATION, result);
}

void storm_gap(const storm_options *options, storm_result *result)
{
    meet(options, STORM_GAP, result);
}

void storm_stall(const storm_options *options, uint32_t stall_ms, storm_result *result)
{
    storm s;
    open_storm(&s, options);
    later(&s, STORM_STALL, 0, trouble_ns(options));
    later(&s, STORM_STALL_END, 0, trouble_ns(options) + stall_ms * MS);
    finish(&s, result);
}
