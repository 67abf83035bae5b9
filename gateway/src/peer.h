/** One connection as the hub sees it: what it follows, what it knows, what waits to be sent. */
#ifndef TG_GATEWAY_PEER_H
#define TG_GATEWAY_PEER_H

#include "client_reports.h"
#include "entitlement.h"
#include "group.h"
#include "packet_queue.h"
#include "priority.h"
#include "token_bucket.h"

#define TG__PEER_CONTROL_BYTES_MAX                                                                 \
    (4u << 20) /* a client that does not read its answers is closed */

#define TG__PEER_CONTROL_MAX 1024u /* messages: many small requests may come in one burst */
#define TG__PEER_FRAMES_MAX  64u

typedef struct tg__peer {
    struct tg__peer *next; /* all peers of the hub */
    struct tg__peer *previous;
    struct tg__peer *next_member; /* of the group */
    struct tg__peer *previous_member;
    tg__group *group;
    void *owner; /* the transport's record of this connection */
    uint64_t number;
    uint8_t *known; /* bit per instrument id whose dictionary entry was sent */
    uint8_t known_venues[(TG_VENUE_MAX + 7) / 8];
    tg__packet_queue control; /* never dropped; full: the connection is closed */
    tg__packet_queue frames;  /* full: all are dropped and a snapshot restates */
    uint64_t client_boundary; /* where the client's channel stands after what was sent */
    bool gap_due;             /* no frame is queued while this is set */
    bool asked_to_write;      /* the transport was told and has not found the end yet */
    uint16_t close_code;      /* 0: stays */
    uint32_t reconnect_after_ms;
    tg__entitlement entitlement;
    uint64_t renewal; /* the door's ticket of a TOKEN that waits for its verdict; 0: none */
    tg__token_bucket subscribe_rate;
    tg__report_pace report_pace;
    tg__priority_slot *priority; /* ascending ids; NULL until the first is subscribed */
    uint32_t priority_count;
    bool priority_dirty;
    bool priority_begun;         /* some slot is new since the last boundary */
    int64_t sent_queued_mono_ns; /* queued_mono_ns of the frame that was taken last; 0: no frame */
    int64_t next_ticks_mono_ns;  /* no TICKS before */
    uint64_t messages_sent;
    uint64_t bytes_sent;
    uint64_t gaps;
    tg__packet *control_slots[TG__PEER_CONTROL_MAX];
    tg__packet *frame_slots[TG__PEER_FRAMES_MAX];
} tg__peer;

/* The slot of id, or NULL. */
tg__priority_slot *tg__peer_priority_slot(const tg__peer *peer, tg_instrument_id id);

#endif
