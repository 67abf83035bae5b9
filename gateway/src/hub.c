#include "hub.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

#define POOL_BYTES_MAX         ((size_t)256 << 20)
#define SUBSCRIBE_BURST_FACTOR 2u
#define NS_PER_MS              INT64_C(1000000)

static tg_err allocate(tg__hub *hub, uint32_t instruments)
{
    hub->message = malloc(TG__MESSAGE_SIZE_MAX);
    hub->updates = calloc(TG__SET_MAX, sizeof *hub->updates);
    hub->ticks = calloc(TG__ITEM_MAX, sizeof *hub->ticks);
    hub->results = calloc(TG__ITEM_MAX, sizeof *hub->results);
    hub->entries = calloc(TG__ITEM_MAX, sizeof *hub->entries);
    hub->ids = calloc(TG_INSTRUMENT_MAX, sizeof *hub->ids);
    hub->marks = calloc((TG_INSTRUMENT_MAX + 8u) / 8u, 1);
    hub->tallies = calloc((size_t)instruments + 1, sizeof *hub->tallies);
    hub->priority_heads = calloc((size_t)instruments + 1, sizeof(tg__priority_slot *));
    TG_ENSURE(hub->message != NULL && hub->updates != NULL && hub->ticks != NULL &&
                  hub->results != NULL && hub->entries != NULL && hub->ids != NULL &&
                  hub->marks != NULL && hub->tallies != NULL && hub->priority_heads != NULL,
              TG_ERR_NO_MEMORY);
    if (hub->options.metrics != NULL) {
        TG_TRY(
            tg__client_reports_open(tg_clock_mono_ns(&hub->options.metrics->clock), &hub->reports));
    }
    return tg__image_table_init(&hub->table, instruments, hub->options.time_resolution_ns);
}

tg_err tg__hub_open(const tg__hub_options *options, tg__hub **out)
{
    *out = NULL;
    /* A snapshot of the largest set must fit one message. */
    TG_ENSURE(options->limits.instruments_max <= TG__MESSAGE_SIZE_MAX / (TG__SNAPSHOT_ROW_MAX + 1),
              TG_ERR_INVALID_ARGUMENT);
    TG_ENSURE(options->boundaries_per_frame > 0 && options->limits.priority_max <= TG__PRIORITY_MAX,
              TG_ERR_INVALID_ARGUMENT);
    tg__hub *hub = calloc(1, sizeof *hub);
    TG_ENSURE(hub != NULL, TG_ERR_NO_MEMORY);
    hub->options = *options;
    if (options->frames_per_digest == 0) {
        hub->options.frames_per_digest = TG__FRAMES_PER_DIGEST;
    }
    tg__packet_pool_init(&hub->pool, POOL_BYTES_MAX);
    tg__reconnect_spread_init(&hub->reconnect_spread, options->upgrades_per_second);
    const tg_err err = allocate(hub, options->directory->count);
    if (err != TG_OK) {
        tg__hub_close(hub);
        return err;
    }
    *out = hub;
    return TG_OK;
}

void tg__hub_close(tg__hub *hub)
{
    if (hub == NULL) {
        return;
    }
    assert(hub->peer_count == 0 && hub->groups.count == 0);
    tg__packet_pool_deinit(&hub->pool);
    tg__image_table_deinit(&hub->table);
    tg__client_reports_close(hub->reports);
    free(hub->message);
    free(hub->updates);
    free(hub->ticks);
    free(hub->results);
    free(hub->entries);
    free(hub->ids);
    free(hub->marks);
    free(hub->tallies);
    free(hub->priority_heads);
    free(hub);
}

int64_t tg__hub_stamp_ns(const tg__hub *hub, tg__moment now)
{
    return now.utc_ns - now.utc_ns % (int64_t)hub->options.time_resolution_ns;
}

void tg__hub_wake(tg__hub *hub, tg__peer *peer)
{
    if (!peer->asked_to_write) {
        peer->asked_to_write = true;
        hub->options.wake(hub->options.ctx, peer);
    }
}

void tg__hub_close_peer(tg__hub *hub, tg__peer *peer, uint16_t code, uint32_t reconnect_after_ms)
{
    if (peer->close_code == 0) {
        peer->close_code = code;
        peer->reconnect_after_ms = reconnect_after_ms;
        peer->asked_to_write = false; /* a transport that waits for its client must hear of this */
        tg__hub_wake(hub, peer);
    }
}

tg__peer *tg__hub_oldest(const tg__hub *hub)
{
    tg__peer *peer = hub->first_peer;
    while (peer != NULL && peer->close_code != 0) {
        peer = peer->next;
    }
    return peer;
}

static void drop_frame(tg__hub *hub, uint64_t ticks)
{
    hub->counts.frames_dropped++;
    hub->counts.ticks_dropped += ticks;
}

/*
 * A frame is lost for this connection. Dropping the oldest one would leave the others without their
 * base: so all that is queued goes, and everything is restated when it can be sent.
 */
static void mark_gap(tg__hub *hub, tg__peer *peer)
{
    if (peer->gap_due || peer->close_code != 0) { /* who is on his way out misses nothing */
        return;
    }
    hub->counts.gaps++;
    peer->gaps++;
    for (tg__packet *packet = tg__packet_queue_pop(&peer->frames); packet != NULL;
         packet = tg__packet_queue_pop(&peer->frames)) {
        drop_frame(hub, packet->ticks);
        tg__packet_release(&hub->pool, packet);
    }
    peer->gap_due = true;
    tg__hub_wake(hub, peer);
}

void tg__hub_queue_snapshot(tg__hub *hub, tg__peer *peer, tg__snapshot_reason reason)
{
    if (peer->gap_due) {
        return; /* its snapshot will be of the new group and restate everything */
    }
    const tg__packet *newest = tg__packet_queue_newest(&peer->frames);
    if (newest != NULL && newest->bytes[0] == TG__KIND_SNAPSHOT) {
        /* Many small requests in a row: only the last snapshot tells anything. */
        tg__packet_release(&hub->pool, tg__packet_queue_pop_newest(&peer->frames));
    }
    size_t size = 0;
    tg__packet *packet = NULL;
    if (tg__group_snapshot(peer->group, &hub->table, reason, hub->message, TG__MESSAGE_SIZE_MAX,
                           &size) == TG_OK) {
        packet = tg__packet_copy(&hub->pool, hub->message, size);
    }
    if (packet != NULL && tg__packet_queue_push(&peer->frames, packet)) {
        packet->boundary = peer->group->channel.boundary;
        hub->counts.snapshots_queued++;
        tg__hub_wake(hub, peer);
        return;
    }
    if (packet != NULL) {
        tg__packet_release(&hub->pool, packet);
    }
    mark_gap(hub, peer);
}

/* ---- groups ---- */

static void leave_group(tg__hub *hub, tg__peer *peer)
{
    tg__group *group = peer->group;
    if (group == NULL) {
        return;
    }
    if (peer->previous_member != NULL) {
        peer->previous_member->next_member = peer->next_member;
    } else {
        group->members = peer->next_member;
    }
    if (peer->next_member != NULL) {
        peer->next_member->previous_member = peer->previous_member;
    }
    peer->group = NULL;
    peer->next_member = NULL;
    peer->previous_member = NULL;
    group->member_count--;
    if (group->member_count == 0) {
        tg__group_index_remove(&hub->groups, group);
        tg__group_close(group);
    }
}

/* full: a group of the same set without room, or NULL. */
static tg__group *open_group(tg__hub *hub, const tg_instrument_id *ids, uint32_t count,
                             const tg__group *full, tg__moment now)
{
    tg__group *group = tg__group_open(&hub->table, ids, count, tg__hub_stamp_ns(hub, now));
    if (group == NULL) {
        return NULL;
    }
    group->phase =
        (full != NULL ? full->phase + 1 : hub->next_phase++) % hub->options.boundaries_per_frame;
    group->frames_until_digest = hub->options.frames_per_digest;
    group->last_frame_mono_ns = now.mono_ns;
    tg__group_index_add(&hub->groups, group);
    return group;
}

tg_err tg__hub_join(tg__hub *hub, tg__peer *peer, const tg_instrument_id *ids, uint32_t count,
                    tg__moment now)
{
    tg__group *group = tg__group_index_find(&hub->groups, ids, count);
    if (group == NULL || group->member_count == TG__GROUP_MEMBERS_MAX) {
        group = open_group(hub, ids, count, group, now);
        TG_ENSURE(group != NULL, TG_ERR_NO_MEMORY);
    }
    /* Joined before the old group is left: it may be the same one, with no other member. */
    group->member_count++;
    leave_group(hub, peer);
    peer->group = group;
    peer->next_member = group->members;
    if (group->members != NULL) {
        group->members->previous_member = peer;
    }
    group->members = peer;
    tg__hub_queue_snapshot(hub, peer, TG__SNAPSHOT_SET_CHANGE);
    return TG_OK;
}

/* ---- connections ---- */

/* Takes no reference over. Full: the connection is marked to be closed. */
static tg_err queue_control(tg__hub *hub, tg__peer *peer, tg__packet *packet)
{
    if (peer->control.bytes + packet->size <= TG__PEER_CONTROL_BYTES_MAX) {
        if (tg__packet_queue_push(&peer->control, tg__packet_retain(packet))) {
            tg__hub_wake(hub, peer);
            return TG_OK;
        }
        tg__packet_release(&hub->pool, packet);
    }
    tg__hub_close_peer(hub, peer, TG__CLOSE_SLOW_CONSUMER, 1000);
    return TG_ERR_FULL;
}

tg_err tg__hub_send_control(tg__hub *hub, tg__peer *peer, size_t size)
{
    tg__packet *packet = tg__packet_copy(&hub->pool, hub->message, size);
    if (packet == NULL) {
        tg__hub_close_peer(hub, peer, TG__CLOSE_SLOW_CONSUMER, 1000);
        return TG_ERR_FULL;
    }
    const tg_err err = queue_control(hub, peer, packet);
    tg__packet_release(&hub->pool, packet);
    return err;
}

static tg__limits limits_now(const tg__hub *hub)
{
    tg__limits limits = hub->options.limits;
    limits.reconnect_spread_ms = tg__reconnect_spread_ms(&hub->reconnect_spread, hub->peer_count);
    return limits;
}

/* The fleet has grown or shrunk by much: encoded once for all. Whose queue is full ends anyway. */
static void tell_limits(tg__hub *hub, tg__moment now)
{
    if (!tg__reconnect_spread_is_due(&hub->reconnect_spread, hub->peer_count, now.mono_ns)) {
        return;
    }
    const tg__limits limits = limits_now(hub);
    size_t size = 0;
    tg__packet *packet = NULL;
    if (tg__limits_encode(&limits, hub->message, TG__MESSAGE_SIZE_MAX, &size) == TG_OK) {
        packet = tg__packet_copy(&hub->pool, hub->message, size);
    }
    if (packet == NULL) {
        return; /* no memory: it is advice, and the next change is told again */
    }
    for (tg__peer *peer = hub->first_peer; peer != NULL; peer = peer->next) {
        hub->counts.limits_sent += queue_control(hub, peer, packet) == TG_OK;
    }
    tg__packet_release(&hub->pool, packet);
}

static tg_err send_welcome(tg__hub *hub, tg__peer *peer, tg__moment now)
{
    const tg__hub_options *options = &hub->options;
    const tg__welcome welcome = {
        .instance = options->instance,
        .lineage = options->lineage,
        .boundary = hub->table.boundary,
        .features = TG__FEATURE_STATE_DIGEST,
        .ts_gateway_ns = now.utc_ns,
        .dictionary_generation = options->directory->generation,
        .dictionary_size = options->directory->count,
        .frame_interval_ms = options->frame_interval_ms,
        .heartbeat_interval_ms = options->heartbeat_interval_ms,
        .time_resolution_ns = options->time_resolution_ns,
        .token_lifetime_s = tg__entitlement_lifetime_s(&peer->entitlement, now.utc_ns),
        .limits = limits_now(hub),
    };
    size_t size = 0;
    TG_TRY(tg__welcome_encode(&welcome, hub->message, TG__MESSAGE_SIZE_MAX, &size));
    return tg__hub_send_control(hub, peer, size);
}

static tg_err send_venue_state(tg__hub *hub, tg__peer *peer, tg_venue_id venue,
                               tg__venue_condition condition, uint64_t boundary)
{
    const tg__venue_state state = {venue, condition, boundary};
    size_t size = 0;
    TG_TRY(tg__venue_state_encode(&state, hub->message, TG__MESSAGE_SIZE_MAX, &size));
    hub->counts.venue_states_sent++;
    return tg__hub_send_control(hub, peer, size);
}

/* A session starts with every venue live: what is not is told right behind WELCOME. */
static tg_err send_stale_venues(tg__hub *hub, tg__peer *peer)
{
    for (uint32_t venue = 0; venue < hub->options.directory->venue_count; venue++) {
        if (hub->stale_since[venue] != 0) {
            TG_TRY(send_venue_state(hub, peer, (tg_venue_id)venue, TG__VENUE_STALE,
                                    hub->stale_since[venue]));
        }
    }
    return TG_OK;
}

tg__peer *tg__hub_connect(tg__hub *hub, void *owner, const tg__entitlement *entitlement,
                          tg__moment now)
{
    if (hub->peer_count == hub->options.peers_max) {
        return NULL;
    }
    tg__peer *peer = calloc(1, sizeof *peer);
    if (peer == NULL) {
        return NULL;
    }
    peer->known = calloc(hub->options.directory->count / 8u + 1u, 1);
    tg__packet_queue_init(&peer->control, peer->control_slots, TG__PEER_CONTROL_MAX);
    tg__packet_queue_init(&peer->frames, peer->frame_slots, TG__PEER_FRAMES_MAX);
    peer->owner = owner;
    peer->entitlement = *entitlement;
    peer->number = ++hub->next_number;
    tg__token_bucket_init(&peer->subscribe_rate, hub->options.limits.subscribe_per_second,
                          hub->options.limits.subscribe_per_second * SUBSCRIBE_BURST_FACTOR,
                          now.mono_ns);
    peer->previous = hub->last_peer;
    if (hub->last_peer != NULL) {
        hub->last_peer->next = peer;
    } else {
        hub->first_peer = peer;
    }
    hub->last_peer = peer;
    hub->peer_count++;
    if (peer->known == NULL || tg__hub_join(hub, peer, hub->ids, 0, now) != TG_OK ||
        send_welcome(hub, peer, now) != TG_OK || send_stale_venues(hub, peer) != TG_OK) {
        tg__hub_teardown(hub, &peer, TG__END_RESOURCES);
    }
    return peer;
}

void tg__hub_teardown(tg__hub *hub, tg__peer **peer, tg__end_reason seen)
{
    tg__peer *gone = *peer;
    if (gone == NULL) {
        return;
    }
    *peer = NULL;
    /* Indexes first: nothing may find the record any more. */
    tg__door_own(hub->options.door, gone->renewal, NULL);
    leave_group(hub, gone);
    tg__priority_unlink(hub->priority_heads, gone->priority, gone->priority_count);
    if (gone->previous != NULL) {
        gone->previous->next = gone->next;
    } else {
        hub->first_peer = gone->next;
    }
    if (gone->next != NULL) {
        gone->next->previous = gone->previous;
    } else {
        hub->last_peer = gone->previous;
    }
    hub->peer_count--;
    hub->counts.ends[tg__end_reason_of(gone->close_code, seen)]++;
    tg__packet_queue_clear(&gone->control, &hub->pool);
    tg__packet_queue_clear(&gone->frames, &hub->pool);
    free(gone->priority);
    free(gone->known);
    free(gone);
}

/* ---- venues ---- */

/* The step could not be told (a difference over 64 bits, or no memory): state everything instead.
 */
static void restate_members(tg__hub *hub, tg__group *group)
{
    for (tg__peer *peer = group->members; peer != NULL; peer = peer->next_member) {
        mark_gap(hub, peer);
    }
}

/* What the group follows at the venue, from slot *from on, as it is now; NULL: nothing, or *failed.
 */
static tg__packet *encode_restated(tg__hub *hub, const tg__group *group, tg_venue_id venue,
                                   tg__moment now, uint32_t *from, bool *failed)
{
    const tg__channel *channel = &group->channel;
    size_t count = 0;
    for (; *from < channel->count && count < TG__ITEM_MAX; ++*from) {
        const tg_instrument_id id = channel->ids[*from];
        if (hub->options.directory->instruments[id].venue == venue) {
            tg__tick *tick = &hub->ticks[count++];
            memset(tick, 0, sizeof *tick);
            tick->update.id = id;
            tick->update.image = hub->table.images[id].image;
        }
    }
    size_t size = 0;
    tg__packet *packet = NULL;
    if (count > 0 &&
        tg__ticks_encode(tg__hub_stamp_ns(hub, now), hub->options.time_resolution_ns, hub->ticks,
                         count, hub->message, TG__MESSAGE_SIZE_MAX, &size) == TG_OK) {
        packet = tg__packet_copy(&hub->pool, hub->message, size);
    }
    *failed = count > 0 && packet == NULL;
    return packet;
}

static void send_frame(tg__hub *hub, tg__group *group, uint32_t count, tg__moment now);

/* Snapshots that are due are of the group's image: it may not be older than what was just told. */
static void bring_up_snapshots(tg__hub *hub, tg__group *group, tg__moment now)
{
    const tg__peer *peer = group->members;
    while (peer != NULL && !peer->gap_due) {
        peer = peer->next_member;
    }
    const uint32_t changed = peer == NULL ? 0 : tg__group_collect(group, &hub->table, hub->updates);
    if (changed > 0) {
        send_frame(hub, group, changed, now);
    }
}

/* Encoded once for all members. Who cannot take it is restated by a snapshot. */
static void restate_group(tg__hub *hub, tg__group *group, tg_venue_id venue, tg__moment now)
{
    bring_up_snapshots(hub, group, now);
    bool failed = false;
    uint32_t from = 0;
    while (from < group->channel.count && !failed) {
        tg__packet *packet = encode_restated(hub, group, venue, now, &from, &failed);
        if (failed) {
            restate_members(hub, group);
        }
        if (packet == NULL) {
            continue;
        }
        for (tg__peer *peer = group->members; peer != NULL; peer = peer->next_member) {
            if (!peer->gap_due && peer->close_code == 0) { /* else a snapshot restates it */
                (void)queue_control(hub, peer, packet);
            }
        }
        tg__packet_release(&hub->pool, packet);
    }
}

void tg__hub_restate_priority(tg__hub *hub, tg__peer *peer, uint32_t venue)
{
    for (uint32_t i = 0; i < peer->priority_count; i++) {
        tg__priority_slot *slot = &peer->priority[i];
        if (venue == TG__VENUE_ALL ||
            hub->options.directory->instruments[slot->id].venue == venue) {
            (void)tg__priority_update(slot, &hub->table.images[slot->id].image);
            slot->dirty = true;
            peer->priority_dirty = true;
        }
    }
    if (peer->priority_dirty) {
        tg__hub_wake(hub, peer);
    }
}

void tg__hub_venue_state(tg__hub *hub, tg_venue_id venue, tg__venue_condition condition,
                         uint64_t boundary, tg__moment now)
{
    hub->stale_since[venue] = condition == TG__VENUE_LIVE ? 0 : boundary;
    for (tg__peer *peer = hub->first_peer; peer != NULL; peer = peer->next) {
        /* Full: the connection is marked to be closed, and starts anew with the state of then. */
        (void)send_venue_state(hub, peer, venue, condition, boundary);
    }
    if (condition != TG__VENUE_LIVE) {
        return;
    }
    for (tg__group *group = hub->groups.first; group != NULL; group = group->next) {
        restate_group(hub, group, venue, now);
    }
    for (tg__peer *peer = hub->first_peer; peer != NULL; peer = peer->next) {
        tg__hub_restate_priority(hub, peer, venue);
    }
}

/* ---- boundaries ---- */

static void queue_frame(tg__hub *hub, tg__peer *peer, tg__packet *packet)
{
    if (peer->close_code != 0) {
        return; /* on its way out: it misses nothing any more */
    }
    if (peer->gap_due) {
        drop_frame(hub, packet->ticks);
        return; /* the snapshot will be cut at this frame's boundary or later */
    }
    if (!tg__packet_queue_push(&peer->frames, tg__packet_retain(packet))) {
        tg__packet_release(&hub->pool, packet);
        drop_frame(hub, packet->ticks);
        mark_gap(hub, peer);
        return;
    }
    hub->counts.frames_queued++;
    tg__hub_wake(hub, peer);
}

/* What is not ahead of the base becomes the base, which cannot be encoded. */
static uint64_t wrong_boundary(const tg__frame *frame, int64_t by)
{
    const uint64_t back = by < 0 ? (uint64_t)-by : 0;
    if (back >= frame->boundary - frame->base) {
        return frame->base;
    }
    return frame->boundary + (uint64_t)by;
}

/* A fault was asked for: nobody gets this frame, and nobody is told. */
static void lose_frame(tg__hub *hub, const tg__group *group, const tg__packet *packet)
{
    for (const tg__peer *peer = group->members; peer != NULL; peer = peer->next_member) {
        if (peer->gap_due) {
            drop_frame(hub, packet->ticks); /* as it would be without the fault */
        } else if (peer->close_code == 0) {
            hub->faults.frames_lost++;
            hub->faults.ticks_lost += packet->ticks;
        }
    }
}

static uint64_t covered_by(const tg__update *updates, uint32_t count)
{
    uint64_t ticks = 0;
    for (uint32_t i = 0; i < count; i++) {
        ticks += updates[i].covered;
    }
    return ticks;
}

static void send_frame(tg__hub *hub, tg__group *group, uint32_t count, tg__moment now)
{
    tg__channel *channel = &group->channel;
    const tg__frame frame = {
        .base = channel->boundary,
        .boundary = hub->table.boundary,
        .ts_gateway_ns = tg__hub_stamp_ns(hub, now),
        .set_digest = channel->set_digest,
        .count = count,
        .state_digest = --group->frames_until_digest == 0,
    };
    if (frame.state_digest) {
        group->frames_until_digest = hub->options.frames_per_digest;
    }
    tg__frame told = frame;
    if (hub->wrong_boundary_cuts > 0) {
        told.boundary = wrong_boundary(&frame, hub->wrong_boundary_by);
        hub->counts.wrong_boundaries++;
    }
    size_t size = 0;
    tg__packet *packet = NULL;
    tg__metrics_frame_begin(hub->options.metrics);
    if (tg__delta_encode(channel, &told, hub->updates, hub->message, TG__MESSAGE_SIZE_MAX, &size) ==
        TG_OK) {
        packet = tg__packet_copy(&hub->pool, hub->message, size);
    }
    tg__channel_apply(channel, &frame, hub->updates);
    group->last_frame_mono_ns = now.mono_ns;
    const uint64_t ticks = covered_by(hub->updates, count);
    if (packet == NULL) {
        for (const tg__peer *peer = group->members; peer != NULL; peer = peer->next_member) {
            if (peer->close_code == 0) {
                drop_frame(hub, ticks);
            }
        }
        restate_members(hub, group);
        return;
    }
    packet->base = frame.base;
    packet->boundary = told.boundary;
    packet->ticks = ticks;
    hub->counts.frames_encoded++;
    hub->counts.frame_bytes_encoded += size;
    if (tg__hub_faults_lose(&hub->faults)) {
        lose_frame(hub, group, packet);
    } else {
        for (tg__peer *peer = group->members; peer != NULL; peer = peer->next_member) {
            queue_frame(hub, peer, packet);
        }
    }
    packet->queued_mono_ns = tg__metrics_frame_end(hub->options.metrics, &frame, hub->updates);
    tg__packet_release(&hub->pool, packet);
}

static void send_what_is_due(tg__hub *hub, tg__moment now)
{
    tell_limits(hub, now);
    const uint32_t phase = (uint32_t)(hub->table.boundary % hub->options.boundaries_per_frame);
    /* One interval early, so that the promised silence is never exceeded. */
    const int64_t heartbeat_ns =
        ((int64_t)hub->options.heartbeat_interval_ms - (int64_t)hub->options.frame_interval_ms) *
        NS_PER_MS;
    for (tg__group *group = hub->groups.first; group != NULL; group = group->next) {
        if (group->phase != phase) {
            continue;
        }
        const uint32_t count = tg__group_collect(group, &hub->table, hub->updates);
        if (count > 0 || now.mono_ns - group->last_frame_mono_ns >= heartbeat_ns) {
            send_frame(hub, group, count, now);
        }
    }
    hub->wrong_boundary_cuts -= hub->wrong_boundary_cuts > 0;
}

void tg__hub_wrong_boundary(tg__hub *hub, int64_t by)
{
    hub->wrong_boundary_by = by;
    hub->wrong_boundary_cuts = by == 0 ? 0 : hub->options.boundaries_per_frame;
}

/*
 * A new slot begins with the last boundary's image. Ticks that came between that boundary and the
 * request were told to others only: this boundary has them, too.
 */
static void catch_up_priority(tg__hub *hub)
{
    if (!hub->priority_begun) {
        return;
    }
    hub->priority_begun = false;
    for (tg__peer *peer = hub->first_peer; peer != NULL; peer = peer->next) {
        for (uint32_t i = 0; peer->priority_begun && i < peer->priority_count; i++) {
            tg__priority_slot *slot = &peer->priority[i];
            if (tg__priority_update(slot, &hub->table.images[slot->id].image)) {
                peer->priority_dirty = true;
                tg__hub_wake(hub, peer);
            }
        }
        peer->priority_begun = false;
    }
}

void tg__hub_boundary(tg__hub *hub, tg__sequencer *sequencer, tg__moment now)
{
    tg__image_table_cut(&hub->table, sequencer);
    catch_up_priority(hub);
    send_what_is_due(hub, now);
}

void tg__hub_follow(tg__hub *hub, uint64_t boundary, const tg__update *changed, uint32_t count,
                    tg__moment now)
{
    tg__image_table_apply(&hub->table, boundary, changed, count);
    catch_up_priority(hub);
    send_what_is_due(hub, now);
}

void tg__hub_tick(tg__hub *hub, tg_instrument_id id, const tg_image *image)
{
    for (tg__priority_slot *slot = hub->priority_heads[id]; slot != NULL; slot = slot->next) {
        slot->image = *image;
        slot->dirty = true;
        slot->peer->priority_dirty = true;
        tg__hub_wake(hub, slot->peer);
    }
}
