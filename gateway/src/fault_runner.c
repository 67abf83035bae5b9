#include "fault_runner.h"

#include <tickglass/internal/control_flow.h>

#include "fault_actions.h"
#include "log.h"

#define NS_PER_MS    INT64_C(1000000)
#define RECONNECT_MS 500u
#define FRAME_SEED   UINT64_C(1)

/* ---- actions ---- */

static tg_err step_clock(tg__fault_targets *targets, const int64_t *values, tg__cause *cause)
{
    (void)cause;
    targets->clock->offset_ns += values[0] * NS_PER_MS;
    return TG_OK;
}

static tg_err change_certificate(tg__fault_targets *targets, const int64_t *values,
                                 tg__cause *cause)
{
    (void)values;
    return tg__websocket_fault_change_certificate(targets->server, cause);
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
    tg__hub_fault_corrupt_frames(targets->hub, (uint32_t)values[0], FRAME_SEED);
    return TG_OK;
}

static tg_err cut_ticks(tg__fault_targets *targets, const int64_t *values, tg__cause *cause)
{
    (void)cause;
    tg__hub_fault_cut_ticks(targets->hub, (uint32_t)values[0]);
    return TG_OK;
}

static tg_err begin_drain(tg__fault_targets *targets, const int64_t *values, tg__cause *cause)
{
    (void)values;
    (void)cause;
    *targets->drain_asked = true;
    return TG_OK;
}

static tg_err drop_frames(tg__fault_targets *targets, const int64_t *values, tg__cause *cause)
{
    (void)cause;
    tg__hub_fault_drop_frames(targets->hub, (uint32_t)values[0]);
    return TG_OK;
}

static tg_err drop_rate(tg__fault_targets *targets, const int64_t *values, tg__cause *cause)
{
    (void)cause;
    tg__hub_fault_drop_rate(targets->hub, (uint32_t)values[0], FRAME_SEED);
    return TG_OK;
}

static tg_err half_open(tg__fault_targets *targets, const int64_t *values, tg__cause *cause)
{
    (void)cause;
    (void)tg__websocket_fault_half_open(targets->server, 0, values[0] != 0);
    return TG_OK;
}

/* From everybody, the gateway's own token included. */
static tg_err revoke(tg__fault_targets *targets, const int64_t *values, tg__cause *cause)
{
    const tg__directory *directory = targets->hub->options.directory;
    const char *venue =
        values[0] == TG__FAULT_ALL_VENUES ? NULL : directory->venues[values[0]].name;
    uint32_t closed = 0;
    const tg_err err = tg__hub_revoke(targets->hub, NULL, venue, &closed);
    return err == TG_OK ? TG_OK : tg__cause_set(cause, err, "fault revoke: %s", tg_err_text(err));
}

static tg_err reset_all(tg__fault_targets *targets, const int64_t *values, tg__cause *cause)
{
    (void)values;
    (void)cause;
    tg__websocket_fault_reset_all(targets->server);
    return TG_OK;
}

/* ---- what happens to handlers, lanes and the sequencer ---- */

static tg_venue_id venue_of(const int64_t *values)
{
    return values[0] == TG__FAULT_ALL_VENUES ? TG__VENUE_ALL : (tg_venue_id)values[0];
}

/* The error of an action with a word for the log. */
static tg_err named(tg_err err, const char *what, tg__cause *cause)
{
    return err == TG_OK ? TG_OK : tg__cause_set(cause, err, "fault %s: %s", what, tg_err_text(err));
}

static tg_err delay_handler(tg__fault_targets *targets, const int64_t *values, tg__cause *cause)
{
    return named(tg__fault_delay_handler(targets->playback, venue_of(values), (unsigned)values[1],
                                         values[2] * NS_PER_MS),
                 "delay", cause);
}

static tg_err duplicate_handler(tg__fault_targets *targets, const int64_t *values, tg__cause *cause)
{
    return named(tg__fault_duplicate_handler(targets->playback, venue_of(values),
                                             (unsigned)values[1], (uint32_t)values[2]),
                 "duplicate", cause);
}

static tg_err freeze_lane(tg__fault_targets *targets, const int64_t *values, tg__cause *cause)
{
    return named(tg__fault_freeze_lane(targets->playback, (uint32_t)values[0], true), "freeze-lane",
                 cause);
}

static tg_err freeze_venue(tg__fault_targets *targets, const int64_t *values, tg__cause *cause)
{
    return named(tg__fault_freeze_venue(targets->playback, venue_of(values), true), "freeze-venue",
                 cause);
}

static tg_err kill_handler(tg__fault_targets *targets, const int64_t *values, tg__cause *cause)
{
    return named(tg__fault_kill_handler(targets->playback, venue_of(values), (unsigned)values[1]),
                 "kill", cause);
}

static tg_err lose_ticks(tg__fault_targets *targets, const int64_t *values, tg__cause *cause)
{
    return named(tg__fault_lose_handler(targets->playback, venue_of(values), (unsigned)values[1],
                                        (uint32_t)values[2]),
                 "lose", cause);
}

static tg_err reorder_handler(tg__fault_targets *targets, const int64_t *values, tg__cause *cause)
{
    return named(tg__fault_reorder_handler(targets->playback, venue_of(values), (unsigned)values[1],
                                           values[2] * NS_PER_MS),
                 "reorder", cause);
}

static tg_err restart_sequencer(tg__fault_targets *targets, const int64_t *values, tg__cause *cause)
{
    (void)values;
    (void)cause;
    tg__fault_restart_sequencer(targets->playback);
    return TG_OK;
}

static tg_err revive_handler(tg__fault_targets *targets, const int64_t *values, tg__cause *cause)
{
    return named(
        tg__fault_restart_handler(targets->playback, venue_of(values), (unsigned)values[1]),
        "revive", cause);
}

static tg_err thaw_lane(tg__fault_targets *targets, const int64_t *values, tg__cause *cause)
{
    return named(tg__fault_freeze_lane(targets->playback, (uint32_t)values[0], false), "thaw-lane",
                 cause);
}

static tg_err thaw_venue(tg__fault_targets *targets, const int64_t *values, tg__cause *cause)
{
    return named(tg__fault_freeze_venue(targets->playback, venue_of(values), false), "thaw-venue",
                 cause);
}

static tg_err wrong_boundary(tg__fault_targets *targets, const int64_t *values, tg__cause *cause)
{
    return named(tg__fault_wrong_boundary(targets->playback, values[0]), "wrong-boundary", cause);
}

/* A new action is one line here and its function above. */
const tg__fault_verb tg__fault_verbs[] = {
    {"change-certificate", {TG__FAULT_NONE}, change_certificate},
    {"clock-step", {TG__FAULT_STEP_MS}, step_clock},
    {"close-all", {TG__FAULT_CLOSE_CODE}, close_all},
    {"corrupt-frames", {TG__FAULT_COUNT}, corrupt_frames},
    {"cut-ticks", {TG__FAULT_COUNT}, cut_ticks},
    {"delay", {TG__FAULT_VENUE, TG__FAULT_HANDLER, TG__FAULT_MS}, delay_handler},
    {"drain", {TG__FAULT_NONE}, begin_drain},
    {"drop-frames", {TG__FAULT_COUNT}, drop_frames},
    {"drop-rate", {TG__FAULT_PPM}, drop_rate},
    {"duplicate", {TG__FAULT_VENUE, TG__FAULT_HANDLER, TG__FAULT_COPIES}, duplicate_handler},
    {"freeze-lane", {TG__FAULT_LANE}, freeze_lane},
    {"freeze-venue", {TG__FAULT_VENUE}, freeze_venue},
    {"half-open", {TG__FAULT_SWITCH}, half_open},
    {"kill", {TG__FAULT_VENUE, TG__FAULT_HANDLER}, kill_handler},
    {"lose", {TG__FAULT_VENUE, TG__FAULT_HANDLER, TG__FAULT_PPM}, lose_ticks},
    {"reorder", {TG__FAULT_VENUE, TG__FAULT_HANDLER, TG__FAULT_MS}, reorder_handler},
    {"reset-all", {TG__FAULT_NONE}, reset_all},
    {"restart-sequencer", {TG__FAULT_NONE}, restart_sequencer},
    {"revive", {TG__FAULT_VENUE, TG__FAULT_HANDLER}, revive_handler},
    {"revoke", {TG__FAULT_VENUE}, revoke},
    {"thaw-lane", {TG__FAULT_LANE}, thaw_lane},
    {"thaw-venue", {TG__FAULT_VENUE}, thaw_venue},
    {"wrong-boundary", {TG__FAULT_BY}, wrong_boundary},
};
const size_t tg__fault_verb_count = sizeof tg__fault_verbs / sizeof tg__fault_verbs[0];

/* ---- times ---- */

/*
 * How far in the script we may go. A gateway that is late, on a busy machine, must not do the end
 * of a fault together with its beginning: that would be no fault. So after an action the script's
 * time goes on with the boundaries, until a lane that was frozen by it is late for certain.
 */
static int64_t script_time_ns(const tg__fault_runner *runner, int64_t elapsed_ns)
{
    const uint64_t cuts = runner->targets.hub->table.boundary - runner->last_boundary;
    if (!runner->acted || cuts > TG__LANE_DEADLINE_CUTS) {
        return elapsed_ns;
    }
    const int64_t limit_ns = runner->last_at_ns + (int64_t)(cuts + 1) * TG__BOUNDARY_NS;
    return limit_ns < elapsed_ns ? limit_ns : elapsed_ns;
}

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
    while ((action = tg__fault_script_take(runner->script, script_time_ns(runner, elapsed_ns))) !=
           NULL) {
        runner->acted = true;
        runner->last_at_ns = action->at_ns;
        runner->last_boundary = runner->targets.hub->table.boundary;
        /* First, so that nobody sees an effect before the line. */
        tg__log("fault at %.1f ms: %s (line %llu, due at %lld ms)", (double)elapsed_ns / NS_PER_MS,
                action->text, (unsigned long long)action->line,
                (long long)(action->at_ns / NS_PER_MS));
        TG_TRY(action->verb->function(&runner->targets, action->values, cause));
    }
    return TG_OK;
}
