#include "engine.h"

#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

#include "engine_state.h"

typedef tg_err (*input_handler)(tg__engine *engine, const tg__input *input);

typedef struct table_row {
    input_handler handle;
    const char *name;
} table_row;

/* Nothing to do: the wish is already fulfilled, or a deadline was moved after the driver saw it. */
static tg_err nothing(tg__engine *engine, const tg__input *input)
{
    (void)engine;
    (void)input;
    return TG_OK;
}

/* A driver that keeps to the rules cannot bring this about. */
static tg_err refuse(tg__engine *engine, const tg__input *input)
{
    (void)input;
    tg__count(&engine->counters.state_errors, 1);
    return TG_ERR_STATE;
}

/* clang-format off */
#define ROW(handler) {handler, #handler}

static const table_row table[TG__ENGINE_STATE_COUNT][TG__INPUT_COUNT] = {
    [TG__ENGINE_IDLE] = {
        [TG__INPUT_START]       = ROW(tg__on_start),
        [TG__INPUT_STOP]        = ROW(nothing),
        [TG__INPUT_REQUESTED]   = ROW(refuse),
        [TG__INPUT_CONNECTED]   = ROW(refuse),
        [TG__INPUT_MESSAGE]     = ROW(refuse),
        [TG__INPUT_PROGRESS]    = ROW(refuse),
        [TG__INPUT_CLOSED]      = ROW(refuse),
        [TG__INPUT_TIMER]       = ROW(nothing),
        [TG__INPUT_SUBSCRIBE]   = ROW(tg__on_subscribe),
        [TG__INPUT_UNSUBSCRIBE] = ROW(tg__on_unsubscribe),
        [TG__INPUT_FIND]        = ROW(refuse),
        [TG__INPUT_PRIORITISE]  = ROW(tg__on_prioritise),
        [TG__INPUT_TOKEN]       = ROW(refuse),
        [TG__INPUT_CLOCK]       = ROW(tg__on_clock),
        [TG__INPUT_VISIBLE]     = ROW(tg__on_visible),
    },
    [TG__ENGINE_CONNECTING] = {
        [TG__INPUT_START]       = ROW(refuse),
        [TG__INPUT_STOP]        = ROW(tg__on_stop),
        [TG__INPUT_REQUESTED]   = ROW(tg__on_requested),
        [TG__INPUT_CONNECTED]   = ROW(tg__on_connected),
        [TG__INPUT_MESSAGE]     = ROW(refuse),
        [TG__INPUT_PROGRESS]    = ROW(refuse),
        [TG__INPUT_CLOSED]      = ROW(tg__on_closed),
        [TG__INPUT_TIMER]       = ROW(tg__on_connect_timer),
        [TG__INPUT_SUBSCRIBE]   = ROW(tg__on_subscribe),
        [TG__INPUT_UNSUBSCRIBE] = ROW(tg__on_unsubscribe),
        [TG__INPUT_FIND]        = ROW(tg__on_find),
        [TG__INPUT_PRIORITISE]  = ROW(tg__on_prioritise),
        [TG__INPUT_TOKEN]       = ROW(tg__on_token_early),
        [TG__INPUT_CLOCK]       = ROW(tg__on_clock),
        [TG__INPUT_VISIBLE]     = ROW(tg__on_visible),
    },
    [TG__ENGINE_OPENING] = {
        [TG__INPUT_START]       = ROW(refuse),
        [TG__INPUT_STOP]        = ROW(tg__on_stop),
        [TG__INPUT_REQUESTED]   = ROW(refuse),
        [TG__INPUT_CONNECTED]   = ROW(refuse),
        [TG__INPUT_MESSAGE]     = ROW(tg__on_message),
        [TG__INPUT_PROGRESS]    = ROW(nothing),
        [TG__INPUT_CLOSED]      = ROW(tg__on_closed),
        [TG__INPUT_TIMER]       = ROW(tg__on_welcome_timer),
        [TG__INPUT_SUBSCRIBE]   = ROW(tg__on_subscribe),
        [TG__INPUT_UNSUBSCRIBE] = ROW(tg__on_unsubscribe),
        [TG__INPUT_FIND]        = ROW(tg__on_find),
        [TG__INPUT_PRIORITISE]  = ROW(tg__on_prioritise),
        [TG__INPUT_TOKEN]       = ROW(tg__on_token_early),
        [TG__INPUT_CLOCK]       = ROW(tg__on_clock),
        [TG__INPUT_VISIBLE]     = ROW(tg__on_visible),
    },
    [TG__ENGINE_JOINING] = {
        [TG__INPUT_START]       = ROW(refuse),
        [TG__INPUT_STOP]        = ROW(tg__on_stop),
        [TG__INPUT_REQUESTED]   = ROW(refuse),
        [TG__INPUT_CONNECTED]   = ROW(refuse),
        [TG__INPUT_MESSAGE]     = ROW(tg__on_message),
        [TG__INPUT_PROGRESS]    = ROW(tg__on_progress),
        [TG__INPUT_CLOSED]      = ROW(tg__on_closed),
        [TG__INPUT_TIMER]       = ROW(tg__on_session_timer),
        [TG__INPUT_SUBSCRIBE]   = ROW(tg__on_subscribe),
        [TG__INPUT_UNSUBSCRIBE] = ROW(tg__on_unsubscribe),
        [TG__INPUT_FIND]        = ROW(tg__on_find),
        [TG__INPUT_PRIORITISE]  = ROW(tg__on_prioritise),
        [TG__INPUT_TOKEN]       = ROW(tg__on_token_renewed),
        [TG__INPUT_CLOCK]       = ROW(tg__on_clock_in_session),
        [TG__INPUT_VISIBLE]     = ROW(tg__on_visible),
    },
    [TG__ENGINE_LIVE] = {
        [TG__INPUT_START]       = ROW(refuse),
        [TG__INPUT_STOP]        = ROW(tg__on_stop),
        [TG__INPUT_REQUESTED]   = ROW(refuse),
        [TG__INPUT_CONNECTED]   = ROW(refuse),
        [TG__INPUT_MESSAGE]     = ROW(tg__on_message),
        [TG__INPUT_PROGRESS]    = ROW(tg__on_progress),
        [TG__INPUT_CLOSED]      = ROW(tg__on_closed),
        [TG__INPUT_TIMER]       = ROW(tg__on_session_timer),
        [TG__INPUT_SUBSCRIBE]   = ROW(tg__on_subscribe),
        [TG__INPUT_UNSUBSCRIBE] = ROW(tg__on_unsubscribe),
        [TG__INPUT_FIND]        = ROW(tg__on_find),
        [TG__INPUT_PRIORITISE]  = ROW(tg__on_prioritise),
        [TG__INPUT_TOKEN]       = ROW(tg__on_token_renewed),
        [TG__INPUT_CLOCK]       = ROW(tg__on_clock_in_session),
        [TG__INPUT_VISIBLE]     = ROW(tg__on_visible),
    },
    [TG__ENGINE_RESYNCING] = {
        [TG__INPUT_START]       = ROW(refuse),
        [TG__INPUT_STOP]        = ROW(tg__on_stop),
        [TG__INPUT_REQUESTED]   = ROW(refuse),
        [TG__INPUT_CONNECTED]   = ROW(refuse),
        [TG__INPUT_MESSAGE]     = ROW(tg__on_message),
        [TG__INPUT_PROGRESS]    = ROW(tg__on_progress),
        [TG__INPUT_CLOSED]      = ROW(tg__on_closed),
        [TG__INPUT_TIMER]       = ROW(tg__on_session_timer),
        [TG__INPUT_SUBSCRIBE]   = ROW(tg__on_subscribe),
        [TG__INPUT_UNSUBSCRIBE] = ROW(tg__on_unsubscribe),
        [TG__INPUT_FIND]        = ROW(tg__on_find),
        [TG__INPUT_PRIORITISE]  = ROW(tg__on_prioritise),
        [TG__INPUT_TOKEN]       = ROW(tg__on_token_renewed),
        [TG__INPUT_CLOCK]       = ROW(tg__on_clock_in_session),
        [TG__INPUT_VISIBLE]     = ROW(tg__on_visible),
    },
    [TG__ENGINE_WAITING] = {
        [TG__INPUT_START]       = ROW(refuse),
        [TG__INPUT_STOP]        = ROW(tg__on_stop),
        [TG__INPUT_REQUESTED]   = ROW(refuse),
        [TG__INPUT_CONNECTED]   = ROW(refuse),
        [TG__INPUT_MESSAGE]     = ROW(refuse),
        [TG__INPUT_PROGRESS]    = ROW(refuse),
        [TG__INPUT_CLOSED]      = ROW(refuse),
        [TG__INPUT_TIMER]       = ROW(tg__on_waiting_timer),
        [TG__INPUT_SUBSCRIBE]   = ROW(tg__on_subscribe),
        [TG__INPUT_UNSUBSCRIBE] = ROW(tg__on_unsubscribe),
        [TG__INPUT_FIND]        = ROW(tg__on_find),
        [TG__INPUT_PRIORITISE]  = ROW(tg__on_prioritise),
        [TG__INPUT_TOKEN]       = ROW(tg__on_token_early),
        [TG__INPUT_CLOCK]       = ROW(tg__on_clock),
        [TG__INPUT_VISIBLE]     = ROW(tg__on_visible),
    },
    [TG__ENGINE_TOKEN] = {
        [TG__INPUT_START]       = ROW(refuse),
        [TG__INPUT_STOP]        = ROW(tg__on_stop),
        [TG__INPUT_REQUESTED]   = ROW(refuse),
        [TG__INPUT_CONNECTED]   = ROW(refuse),
        [TG__INPUT_MESSAGE]     = ROW(refuse),
        [TG__INPUT_PROGRESS]    = ROW(refuse),
        [TG__INPUT_CLOSED]      = ROW(refuse),
        [TG__INPUT_TIMER]       = ROW(tg__on_token_timer),
        [TG__INPUT_SUBSCRIBE]   = ROW(tg__on_subscribe),
        [TG__INPUT_UNSUBSCRIBE] = ROW(tg__on_unsubscribe),
        [TG__INPUT_FIND]        = ROW(tg__on_find),
        [TG__INPUT_PRIORITISE]  = ROW(tg__on_prioritise),
        [TG__INPUT_TOKEN]       = ROW(tg__on_token_awaited),
        [TG__INPUT_CLOCK]       = ROW(tg__on_clock),
        [TG__INPUT_VISIBLE]     = ROW(tg__on_visible),
    },
};
#undef ROW
/* clang-format on */

const char *tg__engine_row_name(tg__engine_state state, tg__input_kind kind)
{
    const char *name = table[state][kind].name;
    return name != NULL ? name : "";
}

static tg_err allocate(tg__engine *engine, const tg__engine_options *options)
{
    const uint32_t capacity =
        options->instruments_max < TG__SET_MAX ? options->instruments_max : TG__SET_MAX;
    engine->channel_capacity = capacity;
    engine->channel_ids = calloc(capacity, sizeof *engine->channel_ids);
    engine->channel_images = calloc(capacity, sizeof *engine->channel_images);
    engine->updates = calloc(capacity, sizeof *engine->updates);
    if (engine->channel_ids == NULL || engine->channel_images == NULL || engine->updates == NULL) {
        return TG_ERR_NO_MEMORY;
    }
    TG_TRY(tg__desired_init(&engine->desired, options->instruments_max, options->interests_max));
    return tg__desired_init(&engine->priority,
                            options->instruments_max < TG__PRIORITY_MAX ? options->instruments_max
                                                                        : TG__PRIORITY_MAX,
                            options->interests_max);
}

tg_err tg__engine_open(const tg__engine_options *options, tg__engine **out)
{
    *out = NULL;
    TG_ENSURE(options->store != NULL && options->clock != NULL, TG_ERR_INVALID_ARGUMENT);
    TG_ENSURE(options->instruments_max > 0 && options->instruments_max <= TG_INSTRUMENT_MAX,
              TG_ERR_INVALID_ARGUMENT);
    TG_ENSURE(options->endpoint_count > 0 && options->endpoint_count <= TG__ENDPOINTS_MAX,
              TG_ERR_INVALID_ARGUMENT);
    tg__engine *engine = calloc(1, sizeof *engine);
    TG_ENSURE(engine != NULL, TG_ERR_NO_MEMORY);
    engine->random.state = options->random_seed;
    tg_err err = allocate(engine, options);
    if (err == TG_OK) {
        err = tg__engine_report_open(engine, options->report_share_ppm);
    }
    if (err != TG_OK) {
        tg__engine_close(engine);
        return err;
    }
    engine->store = options->store;
    engine->clock = *options->clock;
    memcpy(engine->stage, options->stage, sizeof engine->stage);
    engine->renews = options->renews_tokens;
    engine->token = options->has_token ? TG__TOKEN_READY : TG__TOKEN_NONE;
    engine->token_until_ns = TG__NEVER; /* the host's own choice */
    engine->token_fresh_ns = TG__TOKEN_FRESH_NS;
    engine->next_request = 1;
    engine->timer_ns = TG__NEVER;
    tg__backoff_init(&engine->backoff, options->backoff_first_ms, options->backoff_cap_ms);
    tg__endpoints_init(&engine->endpoints, options->endpoint_count);
    atomic_store_explicit(&engine->counters.rtt_ns, -1, memory_order_relaxed);
    atomic_store_explicit(&engine->counters.lateness_ns, -1, memory_order_relaxed);
    tg__channel_init(&engine->channel, engine->channel_ids, engine->channel_images,
                     engine->channel_capacity, 1);
    *out = engine;
    return TG_OK;
}

void tg__engine_close(tg__engine *engine)
{
    if (engine == NULL) {
        return;
    }
    tg__desired_deinit(&engine->desired);
    tg__desired_deinit(&engine->priority);
    free(engine->channel_ids);
    free(engine->channel_images);
    free(engine->updates);
    tg__engine_report_close(engine);
    free(engine);
}

static bool is_late(const tg__engine *engine, const tg__input *input)
{
    const bool of_a_connection =
        input->kind == TG__INPUT_REQUESTED || input->kind == TG__INPUT_CONNECTED ||
        input->kind == TG__INPUT_MESSAGE || input->kind == TG__INPUT_PROGRESS ||
        input->kind == TG__INPUT_CLOSED;
    return of_a_connection && input->generation != engine->generation;
}

static void record(tg__engine *engine, tg_stage stage, int64_t duration_ns)
{
    if (engine->stage[stage] != NULL) {
        tg_histogram_record(engine->stage[stage], duration_ns);
    }
    tg__engine_report_value(engine, stage, duration_ns);
}

/*
 * Everything that an input changed becomes visible at once. The clock is read here a second time
 * (the first is where a message was decoded): the two stages of the product are these differences.
 */
static void publish(tg__engine *engine, const tg__input *input)
{
    if (!engine->dirty) {
        return;
    }
    engine->dirty = false;
    tg__store_publish(engine->store, engine->decoded_ns != 0 ? engine->decoded_ns : input->now_ns);
    (void)tg__engine_push(engine, TG__ACTION_PUBLISHED);
    if (engine->decoded_ns == 0) {
        return;
    }
    record(engine, TG_STAGE_DECODE, engine->decoded_ns - input->as.message.received_mono_ns);
    record(engine, TG_STAGE_COMMIT, tg_clock_mono_ns(&engine->clock) - engine->decoded_ns);
}

/* Behind the publication: nothing is told that readers do not see yet. */
static void sweep(tg__engine *engine, int64_t now_ns)
{
    if (now_ns >= engine->session.sweep_at_ns) {
        engine->session.sweep_at_ns = now_ns + TG__SWEEP_NS;
        tg__store_sweep(engine->store, now_ns);
    }
}

/* Sums that many places change. */
static void show_sums(tg__engine *engine)
{
    tg__engine_counters *counters = &engine->counters;
    atomic_store_explicit(&counters->wanted, engine->desired.want_count, memory_order_relaxed);
    atomic_store_explicit(&counters->held, engine->desired.held_count, memory_order_relaxed);
}

tg_err tg__engine_input(tg__engine *engine, const tg__input *input)
{
    TG_ENSURE((unsigned)input->kind < TG__INPUT_COUNT, TG_ERR_INVALID_ARGUMENT);
    if (is_late(engine, input)) {
        tg__count(&engine->counters.late_inputs, 1);
        return TG_OK;
    }
    if (engine->action_count == 0) {
        engine->out_used = 0;
    }
    engine->decoded_ns = 0;
    if (input->kind == TG__INPUT_TIMER) {
        /* It rang; if that was too early it has to be set anew, though the deadline is the same. */
        engine->timer_ns = TG__NEVER;
    }
    const tg_err err = table[engine->state][input->kind].handle(engine, input);
    publish(engine, input);
    sweep(engine, input->now_ns);
    show_sums(engine);
    return err;
}

tg__engine_state tg__engine_state_of(const tg__engine *engine)
{
    return engine->state;
}

tg_session_state tg__engine_session_state(const tg__engine *engine)
{
    static const tg_session_state states[TG__ENGINE_STATE_COUNT] = {
        [TG__ENGINE_IDLE] = TG_SESSION_IDLE,       [TG__ENGINE_CONNECTING] = TG_SESSION_CONNECTING,
        [TG__ENGINE_OPENING] = TG_SESSION_JOINING, [TG__ENGINE_JOINING] = TG_SESSION_JOINING,
        [TG__ENGINE_LIVE] = TG_SESSION_LIVE,       [TG__ENGINE_RESYNCING] = TG_SESSION_RESYNCING,
        [TG__ENGINE_WAITING] = TG_SESSION_WAITING, [TG__ENGINE_TOKEN] = TG_SESSION_CONNECTING,
    };
    return states[engine->state];
}

const char *tg__engine_venue_name(const tg__engine *engine, tg_venue_id venue)
{
    const bool named = venue < TG_VENUE_MAX && engine->knowledge.venues[venue].name[0] != '\0';
    return named ? engine->knowledge.venues[venue].name : "?";
}

const tg__desired *tg__engine_desired(const tg__engine *engine)
{
    return &engine->desired;
}

const tg__engine_counters *tg__engine_counters_of(const tg__engine *engine)
{
    return &engine->counters;
}
