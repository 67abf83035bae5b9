#include "hub.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

#define POOL_BYTES_MAX          ((size_t)256 << 20)
#define FRAMES_PER_STATE_DIGEST 25u /* about one a second: it costs a pass over the whole set */
#define SUBSCRIBE_BURST_FACTOR  2u
#define NS_PER_MS               INT64_C(1000000)

static tg_err allocate(tg__hub *hub, uint32_t instruments)
{
    hub->message = malloc(TG__MESSAGE_SIZE_MAX);
    hub->updates = calloc(TG__SET_MAX, sizeof *hub->updates);
    hub->ticks = calloc(TG__ITEM_MAX, sizeof *hub->ticks);
    hub->results = calloc(TG__ITEM_MAX, sizeof *hub->results);
    hub->entries = calloc(TG__ITEM_MAX, sizeof *hub->entries);
    hub->ids = calloc(TG_INSTRUMENT_MAX, sizeof *hub->ids);
    hub->marks = calloc((TG_INSTRUMENT_MAX + 8u) / 8u, 1);
    hub->priority_followers = calloc((size_t)instruments + 1, sizeof *hub->priority_followers);
    TG_ENSURE(hub->message != NULL && hub->updates != NULL && hub->ticks != NULL &&
                  hub->results != NULL && hub->entries != NULL && hub->ids != NULL &&
                  hub->marks != NULL && hub->priority_followers != NULL,
              TG_ERR_NO_MEMORY);
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
    tg__packet_pool_init(&hub->pool, POOL_BYTES_MAX);
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
    free(hub->message);
    free(hub->updates);
    free(hub->ticks);
    free(hub->results);
    free(hub->entries);
    free(hub->ids);
    free(hub->marks);
    free(hub->priority_followers);
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

/* Frames were lost for this connection: drop what is queued, and restate when it can be sent. */
static void mark_gap(tg__hub *hub, tg__peer *peer)
{
    hub->counts.gaps++;
    hub->counts.frames_dropped += peer->frames.count;
    peer->gaps++;
    tg__packet_queue_clear(&peer->frames, &hub->pool);
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

static tg__group *open_group(tg__hub *hub, const tg_instrument_id *ids, uint32_t count,
                             tg__moment now)
{
    tg__group *group = tg__group_open(&hub->table, ids, count, tg__hub_stamp_ns(hub, now));
    if (group == NULL) {
        return NULL;
    }
    group->phase = hub->next_phase++ % hub->options.boundaries_per_frame;
    group->frames_until_digest = FRAMES_PER_STATE_DIGEST;
    group->last_frame_mono_ns = now.mono_ns;
    tg__group_index_add(&hub->groups, group);
    return group;
}

tg_err tg__hub_join(tg__hub *hub, tg__peer *peer, const tg_instrument_id *ids, uint32_t count,
                    tg__moment now)
{
    tg__group *group = tg__group_index_find(&hub->groups, ids, count);
    if (group == NULL) {
        group = open_group(hub, ids, count, now);
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

tg_err tg__hub_send_control(tg__hub *hub, tg__peer *peer, size_t size)
{
    tg__packet *packet = NULL;
    if (peer->control.bytes + size <= TG__PEER_CONTROL_BYTES_MAX) {
        packet = tg__packet_copy(&hub->pool, hub->message, size);
    }
    if (packet != NULL && tg__packet_queue_push(&peer->control, packet)) {
        tg__hub_wake(hub, peer);
        return TG_OK;
    }
    if (packet != NULL) {
        tg__packet_release(&hub->pool, packet);
    }
    tg__hub_close_peer(hub, peer, TG__CLOSE_SLOW_CONSUMER, 1000);
    return TG_ERR_FULL;
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
        .limits = options->limits,
    };
    size_t size = 0;
    TG_TRY(tg__welcome_encode(&welcome, hub->message, TG__MESSAGE_SIZE_MAX, &size));
    return tg__hub_send_control(hub, peer, size);
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
    peer->next = hub->first_peer;
    if (hub->first_peer != NULL) {
        hub->first_peer->previous = peer;
    }
    hub->first_peer = peer;
    hub->peer_count++;
    if (peer->known == NULL || tg__hub_join(hub, peer, hub->ids, 0, now) != TG_OK ||
        send_welcome(hub, peer, now) != TG_OK) {
        tg__hub_teardown(hub, &peer);
    }
    return peer;
}

void tg__hub_teardown(tg__hub *hub, tg__peer **peer)
{
    tg__peer *gone = *peer;
    if (gone == NULL) {
        return;
    }
    *peer = NULL;
    /* Indexes first: nothing may find the record any more. */
    tg__door_own(hub->options.door, gone->renewal, NULL);
    leave_group(hub, gone);
    for (uint32_t i = 0; i < gone->priority_count; i++) {
        hub->priority_followers[gone->priority[i].id]--;
    }
    if (gone->previous != NULL) {
        gone->previous->next = gone->next;
    } else {
        hub->first_peer = gone->next;
    }
    if (gone->next != NULL) {
        gone->next->previous = gone->previous;
    }
    hub->peer_count--;
    tg__packet_queue_clear(&gone->control, &hub->pool);
    tg__packet_queue_clear(&gone->frames, &hub->pool);
    free(gone->priority);
    free(gone->known);
    free(gone);
}

/* ---- boundaries ---- */

static void queue_frame(tg__hub *hub, tg__peer *peer, tg__packet *packet)
{
    if (peer->gap_due || peer->close_code != 0) {
        hub->counts.frames_dropped++;
        return; /* the snapshot will be cut at this frame's boundary or later */
    }
    if (!tg__packet_queue_push(&peer->frames, tg__packet_retain(packet))) {
        tg__packet_release(&hub->pool, packet);
        hub->counts.frames_dropped++;
        mark_gap(hub, peer);
        return;
    }
    hub->counts.frames_queued++;
    tg__hub_wake(hub, peer);
}

/* The step could not be told (a difference over 64 bits, or no memory): state everything instead.
 */
static void restate_members(tg__hub *hub, tg__group *group)
{
    for (tg__peer *peer = group->members; peer != NULL; peer = peer->next_member) {
        mark_gap(hub, peer);
    }
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
        group->frames_until_digest = FRAMES_PER_STATE_DIGEST;
    }
    size_t size = 0;
    tg__packet *packet = NULL;
    if (tg__delta_encode(channel, &frame, hub->updates, hub->message, TG__MESSAGE_SIZE_MAX,
                         &size) == TG_OK) {
        packet = tg__packet_copy(&hub->pool, hub->message, size);
    }
    tg__channel_apply(channel, &frame, hub->updates);
    group->last_frame_mono_ns = now.mono_ns;
    if (packet == NULL) {
        restate_members(hub, group);
        return;
    }
    hub->counts.frames_encoded++;
    for (tg__peer *peer = group->members; peer != NULL; peer = peer->next_member) {
        queue_frame(hub, peer, packet);
    }
    tg__packet_release(&hub->pool, packet);
}

void tg__hub_boundary(tg__hub *hub, tg__sequencer *sequencer, tg__moment now)
{
    tg__image_table_cut(&hub->table, sequencer);
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
}

void tg__hub_tick(tg__hub *hub, tg_instrument_id id, const tg_image *image)
{
    if (hub->priority_followers[id] == 0) {
        return;
    }
    for (tg__peer *peer = hub->first_peer; peer != NULL; peer = peer->next) {
        tg__priority_slot *slot = tg__peer_priority_slot(peer, id);
        if (slot != NULL) {
            slot->image = *image;
            slot->dirty = true;
            peer->priority_dirty = true;
            tg__hub_wake(hub, peer);
        }
    }
}
