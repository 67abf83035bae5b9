#include "fault_runner.h"

#include <tickglass/internal/control_flow.h>

#include "log.h"

#define NS_PER_MS       INT64_C(1000000)
#define RECONNECT_MS    500u
#define CORRUPTION_SEED UINT64_C(1)

/* ---- actions ---- */

static tg_err step_clock(tg__fault_targets *targets, const int64_t *values, tg__cause *cause)
{
    (void)cause;
    targets->clock->offset_ns += values[0] * NS_PER_MS;
    return TG_OK;
}

static tg_err close_all(tg__fault_targets *targets, const int64_t *values, tg__cause *cause)
{
    (void)cause;
    for (tg__peer *peer = targets->hub->first_peer; peer != NULL; peer = peer->next) {
        tg__hub_close_peer(targets->hub, peer, (uint16_t)values[0], RECONNECT_MS);
    }
    return TG_OK;
}

static tg_err corrupt_frames(tg__fault_targets *targets, const int64_t *values, tg__cause *cause)
{
    (void)cause;
    tg__hub_fault_corrupt_frames(targets->hub, (uint32_t)values[0], CORRUPTION_SEED);
    return TG_OK;
}

static tg_err drop_frames(tg__fault_targets *targets, const int64_t *values, tg__cause *cause)
{
    (void)cause;
    tg__hub_fault_drop_frames(targets->hub, (uint32_t)values[0]);
    return TG_OK;
}

static tg_err half_open(tg__fault_targets *targets, const int64_t *values, tg__cause *cause)
{
    (void)cause;
    (void)tg__websocket_fault_half_open(targets->server, 0, values[0] != 0);
    return TG_OK;
}

static tg_err reset_all(tg__fault_targets *targets, const int64_t *values, tg__cause *cause)
{
    (void)values;
    (void)cause;
    tg__websocket_fault_reset_all(targets->server);
    return TG_OK;
}

/* A new action is one line here and its function above. */
const tg__fault_verb tg__fault_verbs[] = {
    {"clock-step", {TG__FAULT_STEP_MS}, step_clock},
    {"close-all", {TG__FAULT_CLOSE_CODE}, close_all},
    {"corrupt-frames", {TG__FAULT_COUNT}, corrupt_frames},
    {"drop-frames", {TG__FAULT_COUNT}, drop_frames},
    {"half-open", {TG__FAULT_SWITCH}, half_open},
    {"reset-all", {TG__FAULT_NONE}, reset_all},
};
const size_t tg__fault_verb_count = sizeof tg__fault_verbs / sizeof tg__fault_verbs[0];

/* ---- times ---- */

tg_err tg__fault_runner_run(tg__fault_runner *runner, int64_t mono_ns, tg__cause *cause)
{
    if (runner->script == NULL || !runner->targets.playback->started) {
        return TG_OK;
    }
    if (!runner->started) {
        runner->started = true;
        runner->start_mono_ns = runner->targets.playback->rebase.mono_start_ns;
    }
    const int64_t elapsed_ns = mono_ns - runner->start_mono_ns;
    const tg__fault_action *action = NULL;
    while ((action = tg__fault_script_take(runner->script, elapsed_ns)) != NULL) {
        /* First, so that nobody sees an effect before the line. */
        tg__log("fault at %.1f ms: %s (line %llu, due at %lld ms)", (double)elapsed_ns / NS_PER_MS,
                action->text, (unsigned long long)action->line,
                (long long)(action->at_ns / NS_PER_MS));
        TG_TRY(action->verb->function(&runner->targets, action->values, cause));
    }
    return TG_OK;
}
