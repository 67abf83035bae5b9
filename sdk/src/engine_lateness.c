/*
 * A backlog is known by the gateway's stamps: frames that lay in a buffer for seconds come one
 * after another, each as fresh as any by its arrival. While they are late every row is stale, those
 * of the priority channel too, as all of it comes through one connection. The chain is whole: when
 * frames are on time again nothing was lost, and each row is at once what it was.
 */
#include "engine_state.h"

void tg__engine_show_lateness(tg__engine *engine)
{
    const tg__session *session = &engine->session;
    tg__store_set_late(engine->store, session->late || session->proof != TG__PROOF_NONE);
    engine->dirty = true;
}

void tg__engine_begin_lateness(tg__engine *engine)
{
    tg__engine_show_lateness(engine); /* what an older session left */
    atomic_store_explicit(&engine->counters.lateness_ns, -1, memory_order_relaxed);
}

static void begin(tg__engine *engine, int64_t now_ns, int64_t late_ns)
{
    engine->session.late = true;
    tg__engine_show_lateness(engine);
    (void)tg__engine_event(engine, TG_EVENT_LATE, now_ns, TG_ERR_TIMEOUT,
                           "frames come %lld ms late: nothing is live until that ends",
                           (long long)(late_ns / TG__MS_NS));
    /* If it is the gateway's clock that was set back, the reply says so at once; through a backlog
     * it comes late, and bounds nothing anew. */
    tg__engine_echo(engine, now_ns);
}

static void end(tg__engine *engine, int64_t now_ns)
{
    engine->session.late = false;
    tg__engine_show_lateness(engine);
    (void)tg__engine_event(engine, TG_EVENT_LATE, now_ns, TG_OK, "frames are on time again");
}

void tg__engine_judge_time(tg__engine *engine, const tg__input *input, int64_t ts_gateway_ns,
                           tg__stamp stamp)
{
    tg__session *session = &engine->session;
    const tg__welcome *welcome = &session->welcome;
    const int64_t late_ns =
        tg__lateness_frame(&session->lateness, input->as.message.received_mono_ns, ts_gateway_ns);
    atomic_store_explicit(&engine->counters.lateness_ns, late_ns, memory_order_relaxed);
    /* Stamps are rounded down, and a SNAPSHOT may have that of its channel's last frame. */
    const int64_t rounded_ns = welcome->time_resolution_ns;
    const int64_t older_ns =
        stamp == TG__STAMP_SNAPSHOT ? welcome->heartbeat_interval_ms * TG__MS_NS : 0;
    if (late_ns > TG__LATE_NS + rounded_ns + older_ns) {
        tg__count(&engine->counters.frames_late, 1);
        if (!session->late) {
            begin(engine, input->now_ns, late_ns);
        }
        return;
    }
    /* A tick ends nothing: frames come at least with each heartbeat, ticks do not. Half as late as
     * at the beginning, or a link at the edge would tell of both all the time. */
    const bool on_time = late_ns <= TG__LATE_NS / 2 + rounded_ns || engine->channel.count == 0;
    if (stamp == TG__STAMP_TICKS || !on_time) {
        return;
    }
    if (session->late) {
        end(engine, input->now_ns);
    }
    tg__engine_frame_on_time(engine, input->now_ns);
}
