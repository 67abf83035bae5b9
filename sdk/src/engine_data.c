/* Images and deltas into the store, and what happens when a frame does not fit. */
#include <string.h>

#include "engine_state.h"

static void admit(tg__engine *engine, tg_instrument_id id, const tg_image *image, uint64_t covered,
                  const tg__arrival *arrival)
{
    const tg__admission admission = tg__store_admit(engine->store, id, image, covered, arrival);
    if (admission == TG__REFUSED_UNKNOWN) {
        tg__count(&engine->counters.unknown_rows, 1);
        engine->session.unknown_row = true;
    } else if (admission == TG__REFUSED_INTEGRITY) {
        tg__engine_contradicted(engine, id);
    }
}

/* Depth has a place in the store for some instruments only; over that it is not shown. What is not
 * on the priority channel, whatever the gateway sends, takes no place: nobody would free it. */
static void admit_book(tg__engine *engine, const tg__tick *tick, const tg__arrival *arrival)
{
    tg__admission admission = TG__ADMITTED;
    if (!tg__desired_holds(&engine->priority, tick->update.id)) {
        tg__count(&engine->counters.books_refused, 1);
        return;
    }
    if (tg__store_admit_book(engine->store, tick->update.id, tg_image_version(&tick->update.image),
                             &tick->book, arrival, &admission) != TG_OK) {
        tg__count(&engine->counters.books_refused, 1);
    }
}

/* Entries come before what uses their id (PROTOCOL.md 5.1). Without one the instrument would never
 * be seen: the next session brings it. */
static void check_unknown_row(tg__engine *engine, int64_t now_ns)
{
    if (engine->session.unknown_row && !engine->session.store_full) {
        tg__engine_leave(engine, now_ns, TG__CAUSE_PEER_FAULT, TG__CLOSE_BAD_MESSAGE,
                         "a row names an id that no dictionary entry explained");
    }
}

/*
 * Takes over a frame that was validated whole. The clock is read once here, after decoding: it is
 * the end of the DECODE stage and the time at which the rows entered the store.
 */
static void admit_frame(tg__engine *engine, const tg__input *input, const tg__frame *frame,
                        tg__stamp stamp)
{
    tg__engine_judge_time(engine, input, frame->ts_gateway_ns, stamp);
    engine->decoded_ns = tg_clock_mono_ns(&engine->clock);
    const tg__arrival arrival = {input->as.message.received_mono_ns, engine->decoded_ns,
                                 frame->ts_gateway_ns};
    for (uint32_t i = 0; i < frame->count; i++) {
        if (i + TG__EXPECT_AHEAD < frame->count) {
            tg__store_expect(engine->store, engine->updates[i + TG__EXPECT_AHEAD].id);
        }
        admit(engine, engine->updates[i].id, &engine->updates[i].image, engine->updates[i].covered,
              &arrival);
    }
    tg__engine_ask_for_contradicted(engine);
    tg__store_channel_alive(engine->store, engine->decoded_ns);
    engine->dirty = true;
    tg__count(&engine->counters.frames, 1);
    atomic_store_explicit(&engine->counters.ts_gateway_ns, frame->ts_gateway_ns,
                          memory_order_relaxed);
    tg__session *session = &engine->session;
    session->data_late = false;
    session->continued = true;
    tg__engine_count_stable(engine, input->now_ns);
}

/* An empty set may have no heartbeats: then only the link can be proved. */
static void renew_data_clock(tg__engine *engine, int64_t now_ns)
{
    engine->session.data_at_ns =
        engine->channel.count > 0 ? now_ns + engine->session.alive_ns : TG__NEVER;
}

bool tg__engine_is_current(const tg__engine *engine)
{
    const tg__desired *desired = &engine->desired;
    if (desired->unasked > 0 || desired->unwanted > 0 || tg__engine_is_unanswered(engine)) {
        return false;
    }
    if (!engine->session.have_images) {
        return desired->held_count == 0;
    }
    return engine->channel.count == desired->held_count &&
           engine->channel.set_digest == tg__desired_digest(desired);
}

void tg__engine_check_live(tg__engine *engine, int64_t now_ns)
{
    const bool joining = engine->state == TG__ENGINE_JOINING;
    if ((!joining && engine->state != TG__ENGINE_LIVE) || !tg__engine_is_current(engine)) {
        return;
    }
    engine->session.step_at_ns = TG__NEVER;
    if (joining) {
        engine->state = TG__ENGINE_LIVE;
        engine->session.lived = true;
        tg__store_set_link(engine->store, TG__LINK_UP, now_ns);
        engine->dirty = true;
        /* Without a number: what is followed changes after the event was told. */
        (void)tg__engine_event(engine, TG_EVENT_SESSION, now_ns, TG_OK, "live");
    }
}

/*
 * A frame that one client lost is asked for at once if its gateway serves few. One that serves many
 * may have lost it for all: they spread by the time that it told. A silence ends for all at the
 * same deadline, so that there is a second at least.
 */
int64_t tg__engine_resync_lag_ns(const tg__engine *engine, tg_err err)
{
    const uint32_t told_ms = engine->session.limits.reconnect_spread_ms;
    const uint32_t cap_ms = engine->backoff.cap_ms;
    const int64_t told_ns = (told_ms < cap_ms ? told_ms : cap_ms) * TG__MS_NS / TG__RESYNC_PART;
    const int64_t least_ns = err == TG_ERR_TIMEOUT ? TG__RESYNC_FIRST_NS : 0;
    const int64_t spread_us = (told_ns > least_ns ? told_ns : least_ns) / 1000;
    return (int64_t)((uint64_t)spread_us * engine->session.place >> 32) * 1000;
}

void tg__engine_resync(tg__engine *engine, int64_t now_ns)
{
    tg__session *session = &engine->session;
    if (session->resync_tries == TG__RESYNC_TRIES) {
        tg__engine_leave(engine, now_ns, TG__CAUSE_TIMEOUT, 0, "%u RESYNCs brought no snapshot",
                         TG__RESYNC_TRIES);
        return;
    }
    const tg__request request = {TG__KIND_RESYNC, tg__engine_request_number(engine),
                                 TG__CHANNEL_CONFLATED};
    size_t capacity = 0;
    size_t size = 0;
    uint8_t *out = tg__engine_out(engine, &capacity);
    if (tg__engine_room(engine) < 4 ||
        tg__request_encode(&request, NULL, 0, out, capacity, &size) != TG_OK) {
        session->resync_at_ns = now_ns + TG__MS_NS;
        return;
    }
    tg__engine_send(engine, size);
    tg__count(&engine->counters.resyncs, 1);
    session->resync_tries++;
    session->resync_last_ns = now_ns;
    tg__engine_resync_priority(engine); /* a snapshot restates rows, but not depth */
    /* With jitter: who lost the same frame as a whole fleet repeats his request with it, too. */
    session->resync_at_ns =
        now_ns + session->resync_gap_ns / 2 +
        (int64_t)tg__random_upto(&engine->random, (uint64_t)session->resync_gap_ns);
    session->resync_gap_ns = tg__min_ns(session->resync_gap_ns * 2, TG__RESYNC_LAST_NS);
    tg__store_set_link(engine->store, TG__LINK_RESYNCING, now_ns);
    engine->dirty = true;
}

/* A hole behind a hole: the chain went on for a while (after a frame that came twice, it does), and
 * what was proved meanwhile is in doubt again. */
static void doubt_anew(tg__engine *engine, int64_t now_ns)
{
    tg__store_set_link(engine->store, TG__LINK_GAP, now_ns);
    if (engine->session.resync_tries > 0) {
        tg__store_set_link(engine->store, TG__LINK_RESYNCING, now_ns);
    }
    engine->dirty = true;
}

void tg__engine_gap(tg__engine *engine, int64_t now_ns, tg_err err, const char *text)
{
    tg__session *session = &engine->session;
    const bool continued = session->continued;
    session->continued = false;
    if (engine->state == TG__ENGINE_RESYNCING) {
        if (continued) {
            doubt_anew(engine, now_ns);
        }
        return; /* the snapshot that is under way repairs this, too */
    }
    tg__count(&engine->counters.gaps, 1);
    engine->state = TG__ENGINE_RESYNCING;
    session->gap_told = true;
    session->resync_tries = 0;
    session->step_at_ns = TG__NEVER;
    if (tg__engine_was_unbroken(engine)) {
        session->resync_gap_ns = TG__RESYNC_FIRST_NS; /* the last hole is long ago */
    }
    tg__engine_break_stable(engine);
    tg__store_set_link(engine->store, TG__LINK_GAP, now_ns);
    engine->dirty = true;
    (void)tg__engine_event(engine, TG_EVENT_GAP, now_ns, err, "gap: %s", text);
    /* Paced: a hole right after the last repair waits, or holes and repairs feed each other. */
    const bool first = session->resync_last_ns == INT64_MIN;
    session->resync_at_ns = first ? now_ns : session->resync_last_ns + session->resync_gap_ns / 2;
    session->resync_at_ns =
        tg__max_ns(session->resync_at_ns, now_ns) + tg__engine_resync_lag_ns(engine, err);
    if (now_ns >= session->resync_at_ns) {
        tg__engine_resync(engine, now_ns);
    }
}

/* A whole image is there: the end of a hole, and perhaps of joining. */
static void repaired(tg__engine *engine, int64_t now_ns)
{
    tg__session *session = &engine->session;
    session->have_images = true;
    if (engine->state == TG__ENGINE_RESYNCING) {
        engine->state = TG__ENGINE_JOINING;
        session->resync_at_ns = TG__NEVER;
    }
    /* An image of a set that nobody asked for is not ours, either: another must follow. */
    if (engine->state == TG__ENGINE_JOINING || session->step_at_ns != TG__NEVER ||
        !tg__engine_is_current(engine)) {
        session->step_at_ns = now_ns + TG__JOIN_NS;
    }
    const bool told = session->gap_told;
    session->gap_told = false;
    tg__engine_check_live(engine, now_ns);
    if (told) {
        (void)tg__engine_event(engine, TG_EVENT_RESYNCED, now_ns, TG_OK,
                               "resynced at boundary %llu",
                               (unsigned long long)engine->channel.boundary);
    }
}

/* What leaves the set is not told of any more: a channel that lives proves nothing of it. */
static void let_go_of_leavers(tg__engine *engine, const tg__frame *frame)
{
    uint32_t next = 0;
    for (uint32_t slot = 0; slot < engine->channel.count; slot++) {
        const tg_instrument_id id = engine->channel.ids[slot];
        while (next < frame->count && engine->updates[next].id < id) {
            next++;
        }
        if (next == frame->count || engine->updates[next].id != id) {
            tg__store_set_unfollowed(engine->store, id);
        }
    }
}

tg_err tg__on_snapshot(tg__engine *engine, const tg__input *input)
{
    tg__frame frame;
    tg__snapshot_reason reason = TG__SNAPSHOT_SET_CHANGE;
    tg__fault fault = {0, TG__NO_ROW};
    const tg_err err = tg__snapshot_decode(
        input->as.message.bytes, input->as.message.size, engine->session.welcome.time_resolution_ns,
        &frame, &reason, engine->updates, engine->channel_capacity, &fault);
    if (err != TG_OK) {
        tg__engine_reject(engine, input, err, &fault);
        return TG_OK;
    }
    if (reason == TG__SNAPSHOT_GAP && !engine->session.gap_told) {
        /* The gateway dropped frames for us and restates everything in one message. */
        tg__count(&engine->counters.gaps, 1);
        engine->session.gap_told = true;
        (void)tg__engine_event(engine, TG_EVENT_GAP, input->now_ns, TG_OK,
                               "gap: the gateway dropped frames that this client read too slowly");
    }
    let_go_of_leavers(engine, &frame);
    if (engine->channel.count == 0 && frame.count > 0) {
        tg__engine_break_stable(engine); /* what spoke for the empty set says nothing of data */
    }
    tg__channel_replace(&engine->channel, &frame, engine->updates);
    admit_frame(engine, input, &frame, TG__STAMP_SNAPSHOT);
    renew_data_clock(engine, input->now_ns);
    repaired(engine, input->now_ns);
    check_unknown_row(engine, input->now_ns);
    return TG_OK;
}

static void frame_unfit(tg__engine *engine, const tg__input *input, tg_err err)
{
    tg__count(&engine->counters.frames_unfit, 1);
    if (engine->session.have_images) {
        tg__engine_gap(engine, input->now_ns, err, tg_err_text(err));
    }
    /* Before the first image nothing can fit, and nothing is lost. */
}

tg_err tg__on_delta(tg__engine *engine, const tg__input *input)
{
    tg__frame frame;
    tg__fault fault = {0, TG__NO_ROW};
    const tg_err err =
        tg__delta_decode(&engine->channel, input->as.message.bytes, input->as.message.size, &frame,
                         engine->updates, engine->channel_capacity, &fault);
    if (err == TG_ERR_BASE_MISMATCH || err == TG_ERR_SET_MISMATCH) {
        frame_unfit(engine, input, err);
        return TG_OK;
    }
    if (err != TG_OK) {
        tg__engine_reject(engine, input, err, &fault);
        return TG_OK;
    }
    tg__channel_apply(&engine->channel, &frame, engine->updates);
    admit_frame(engine, input, &frame, TG__STAMP_DELTA);
    renew_data_clock(engine, input->now_ns);
    return TG_OK;
}

/* Rows outside the conflated channel: its image and its continuity are not touched. */
tg_err tg__on_ticks(tg__engine *engine, const tg__input *input)
{
    int64_t ts_gateway_ns = 0;
    tg__ticks_reader reader;
    tg__fault fault = {0, TG__NO_ROW};
    const tg_err err = tg__ticks_decode(input->as.message.bytes, input->as.message.size,
                                        engine->session.welcome.time_resolution_ns, &ts_gateway_ns,
                                        &reader, &fault);
    if (err != TG_OK) {
        tg__engine_reject(engine, input, err, &fault);
        return TG_OK;
    }
    tg__engine_judge_time(engine, input, ts_gateway_ns, TG__STAMP_TICKS);
    engine->decoded_ns = tg_clock_mono_ns(&engine->clock);
    const tg__arrival arrival = {input->as.message.received_mono_ns, engine->decoded_ns,
                                 ts_gateway_ns};
    tg__tick tick;
    tg__count(&engine->counters.priority_rows, reader.left);
    while (tg__ticks_next(&reader, &tick)) {
        admit(engine, tick.update.id, &tick.update.image, tick.update.covered, &arrival);
        if (tick.has_book) {
            admit_book(engine, &tick, &arrival);
        }
    }
    engine->dirty = true;
    tg__engine_ask_for_contradicted(engine);
    tg__engine_ticks_applied(engine, input->now_ns);
    check_unknown_row(engine, input->now_ns);
    return TG_OK;
}
