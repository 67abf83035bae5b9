/*
 * What a connection sends next: answers, then the snapshot after a gap, then priority ticks, then
 * frames. That snapshot is encoded here, when the transport can take it, so that it is never old.
 * It restates everything: images and set are in it, the priority images follow as TICKS, and the
 * dictionary went ahead, because control messages are never dropped.
 */
#include "hub.h"

#include <string.h>

static void take_packet(tg__hub *hub, tg__packet *packet, uint8_t *out, size_t *size)
{
    memcpy(out, packet->bytes, packet->size);
    *size = packet->size;
    tg__packet_release(&hub->pool, packet);
}

/* A frame or a private snapshot: keeps count of where the client stands with it. */
static void take_frame(tg__hub *hub, tg__peer *peer, tg__packet *packet, uint8_t *out, size_t *size)
{
    const bool snapshot = packet->bytes[0] == TG__KIND_SNAPSHOT;
    if (snapshot || packet->base == peer->client_boundary) {
        peer->client_boundary = packet->boundary;
    } else {
        hub->counts.frames_refused++;
        hub->counts.ticks_refused += packet->ticks;
    }
    take_packet(hub, packet, out, size);
    if (!snapshot) {
        tg__hub_faults_spoil(&hub->faults, out, *size);
    }
}

static bool next_gap_snapshot(tg__hub *hub, tg__peer *peer, uint8_t *out, size_t capacity,
                              size_t *size)
{
    if (!peer->gap_due) {
        return false;
    }
    peer->gap_due = false;
    if (tg__group_snapshot(peer->group, &hub->table, TG__SNAPSHOT_GAP, out, capacity, size) !=
        TG_OK) {
        tg__hub_close_peer(hub, peer, TG__CLOSE_TRY_AGAIN_LATER, 1000);
        return false;
    }
    tg__hub_restate_priority(hub, peer, TG__VENUE_ALL);
    peer->client_boundary = peer->group->channel.boundary;
    hub->counts.gap_snapshots_sent++;
    return true;
}

void tg__hub_add_depth(tg__hub *hub, tg__tick *tick)
{
    tick->has_book =
        hub->options.depth != NULL &&
        tg__sim_depth_book(hub->options.depth, tick->update.id, &tick->update.image, &tick->book);
    hub->counts.books_sent += tick->has_book;
}

static bool next_ticks(tg__hub *hub, tg__peer *peer, tg__moment now, uint8_t *out, size_t capacity,
                       size_t *size)
{
    if (!peer->priority_dirty || now.mono_ns < peer->next_ticks_mono_ns) {
        return false;
    }
    peer->priority_dirty = false;
    uint32_t count = 0;
    for (uint32_t i = 0; i < peer->priority_count; i++) {
        tg__priority_slot *slot = &peer->priority[i];
        if (!slot->dirty) {
            continue;
        }
        slot->dirty = false;
        tg__tick *tick = &hub->ticks[count++];
        memset(tick, 0, sizeof *tick);
        tick->update.id = slot->id;
        tick->update.covered = slot->image.seq - slot->sent_seq;
        tick->update.image = slot->image;
        slot->sent_seq = slot->image.seq;
        tg__hub_add_depth(hub, tick);
    }
    if (count == 0 || tg__ticks_encode(tg__hub_stamp_ns(hub, now), hub->options.time_resolution_ns,
                                       hub->ticks, count, out, capacity, size) != TG_OK) {
        return false;
    }
    tg__metrics_ticks(hub->options.metrics, peer->number, hub->ticks, count, now.mono_ns);
    hub->counts.ticks_messages_sent++;
    peer->next_ticks_mono_ns = now.mono_ns + TG__TICKS_INTERVAL_NS;
    *size = tg__hub_faults_cut(&hub->faults, *size);
    return true;
}

static bool next_message(tg__hub *hub, tg__peer *peer, tg__moment now, uint8_t *out,
                         size_t capacity, size_t *size)
{
    tg__packet *packet = tg__packet_queue_pop(&peer->control);
    if (packet != NULL) {
        take_packet(hub, packet, out, size);
        return true;
    }
    if (next_gap_snapshot(hub, peer, out, capacity, size) ||
        next_ticks(hub, peer, now, out, capacity, size)) {
        return true;
    }
    packet = tg__packet_queue_pop(&peer->frames);
    if (packet != NULL) {
        peer->sent_queued_mono_ns = packet->queued_mono_ns;
        take_frame(hub, peer, packet, out, size);
        return true;
    }
    return false;
}

tg__next tg__hub_next(tg__hub *hub, tg__peer *peer, tg__moment now, uint8_t *out, size_t capacity,
                      size_t *size)
{
    peer->sent_queued_mono_ns = 0;
    if (peer->close_code == 0 && next_message(hub, peer, now, out, capacity, size)) {
        peer->messages_sent++;
        peer->bytes_sent += *size;
        hub->counts.messages_sent++;
        hub->counts.bytes_sent += *size;
        return TG__NEXT_MESSAGE;
    }
    if (peer->close_code != 0) {
        return TG__NEXT_CLOSE;
    }
    peer->asked_to_write = false;
    return peer->priority_dirty ? TG__NEXT_LATER : TG__NEXT_NOTHING;
}
