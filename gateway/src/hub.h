/**
 * The fan-out without sockets: connections, groups, boundaries. Bytes in, bytes out.
 *
 * One owner thread; no callback but options.wake, which must only ask the transport to call
 * tg__hub_next() later.
 */
#ifndef TG_GATEWAY_HUB_H
#define TG_GATEWAY_HUB_H

#include "cause.h"
#include "client_reports.h"
#include "door.h"
#include "end_reason.h"
#include "group_index.h"
#include "hub_faults.h"
#include "metrics.h"
#include "peer.h"
#include "reconnect_spread.h"
#include "sim_depth.h"

#include <tickglass/internal/dictionary.h>

#define TG__PRIORITY_MAX 256u /* instruments of one connection on the priority channel */

typedef struct tg__moment {
    int64_t mono_ns;
    int64_t utc_ns;
} tg__moment;

typedef struct tg__hub_options {
    const tg__directory *directory; /* sealed; outlives the hub */
    tg__door *door;                 /* outlives the hub */
    tg__metrics *metrics;           /* outlives the hub; NULL: nothing is measured */
    const tg__sim_depth *depth;     /* outlives the hub; NULL: the market has none */
    uint64_t instance;
    uint64_t lineage;
    uint32_t time_resolution_ns;
    uint32_t frame_interval_ms;
    uint32_t boundaries_per_frame; /* groups are spread over so many phases */
    uint32_t frames_per_digest;    /* of a group; 0: TG__FRAMES_PER_DIGEST */
    uint32_t heartbeat_interval_ms;
    uint32_t peers_max;
    uint32_t upgrades_per_second; /* how fast clients come back; 0: they are not told */
    tg__limits limits;
    void (*wake)(void *ctx, tg__peer *peer);
    void *ctx;
} tg__hub_options;

/* Rates are differences. Snapshot rows encoded and reused: tg__image_table. */
typedef struct tg__hub_counts {
    uint64_t frames_encoded;
    uint64_t frame_bytes_encoded;
    uint64_t frames_queued; /* a frame counts once for each member, here and below */
    uint64_t frames_dropped;
    uint64_t ticks_dropped; /* what these frames covered: in the clients' ledgers it is lost */
    uint64_t frames_refused;
    uint64_t ticks_refused;    /* sent, but a fault had broken the client's chain before */
    uint64_t snapshots_queued; /* private ones: join, change of set, resync */
    uint64_t gap_snapshots_sent;
    uint64_t gaps;
    uint64_t ticks_messages_sent;
    uint64_t books_sent;    /* ticks with depth, in those and in answers to a RESYNC */
    uint64_t messages_sent; /* of all kinds */
    uint64_t bytes_sent;    /* of messages, without the transport's overhead */
    uint64_t venue_states_sent;
    uint64_t limits_sent;
    uint64_t wrong_boundaries; /* frames, by tg__hub_wrong_boundary() */
    uint64_t unknown_messages;
    uint64_t bad_messages;
    uint64_t ends[TG__END_REASONS];
    uint64_t audits;
    uint64_t reports[TG__REPORT_VERDICT_COUNT];
    uint64_t audit_differences; /* groups and instruments; anything but 0 is a fault of ours */
} tg__hub_counts;

typedef struct tg__hub {
    tg__hub_options options;
    tg__image_table table;
    tg__group_index groups;
    tg__packet_pool pool;
    tg__peer *first_peer; /* the longest connected */
    tg__peer *last_peer;
    uint32_t peer_count;
    uint32_t next_phase;
    uint64_t next_number;
    uint64_t subscriptions_ever;        /* conflated or priority */
    tg__priority_slot **priority_heads; /* by instrument id: who follows it */
    bool priority_begun;                /* some connection has a slot that is new */
    uint64_t stale_since[TG_VENUE_MAX]; /* boundary; 0: live */
    int64_t wrong_boundary_by;          /* told too much by the frames of the next so many cuts */
    uint32_t wrong_boundary_cuts;
    int64_t next_expiry_mono_ns; /* when tokens are looked at again */
    tg__hub_counts counts;
    tg__hub_faults faults;
    tg__reconnect_spread reconnect_spread;
    tg__client_reports *reports; /* NULL: nothing is measured */
    /* Scratch of one call, so that no path allocates. */
    uint8_t *message;              /* TG__MESSAGE_SIZE_MAX bytes */
    tg__update *updates;           /* TG__SET_MAX */
    tg__tick *ticks;               /* TG__ITEM_MAX */
    tg__result *results;           /* TG__ITEM_MAX */
    tg__dictionary_entry *entries; /* TG__ITEM_MAX */
    tg_instrument_id *ids;         /* TG_INSTRUMENT_MAX */
    uint8_t *marks;                /* bit per instrument id; all 0 between calls */
    uint32_t *tallies;             /* by instrument id */
} tg__hub;

TG_MUST_CHECK tg_err tg__hub_open(const tg__hub_options *options, tg__hub **out);
/* Every peer must have been torn down. */
void tg__hub_close(tg__hub *hub);

/* A new connection: WELCOME and the empty set. NULL: peers_max is reached, or no memory. */
tg__peer *tg__hub_connect(tg__hub *hub, void *owner, const tg__entitlement *entitlement,
                          tg__moment now);

/*
 * The one end of a connection, whatever its cause, which is counted; *peer is NULL then. NULL again
 * is allowed. One that was marked to be closed ends for that reason, not for the one given.
 */
void tg__hub_teardown(tg__hub *hub, tg__peer **peer, tg__end_reason seen);

/*
 * A whole message of the client. Any error is the client's fault or a queue's limit: cause names it
 * and the connection is marked to be closed.
 */
TG_MUST_CHECK tg_err tg__hub_receive(tg__hub *hub, tg__peer *peer, const uint8_t *message,
                                     size_t size, tg__moment now, tg__cause *cause);

/* Cut the lanes and send what changed to the groups whose phase it is. */
void tg__hub_boundary(tg__hub *hub, tg__sequencer *sequencer, tg__moment now);

/*
 * A venue is stale or live again from boundary on: everybody is told, and when it is live, what
 * each connection follows there is restated, so that quiet instruments are confirmed.
 */
void tg__hub_venue_state(tg__hub *hub, tg_venue_id venue, tg__venue_condition condition,
                         uint64_t boundary, tg__moment now);

/*
 * A fault, on request: the next frame of every group that sends one in the next frame interval
 * tells a boundary that is off by so many. Its receivers do not fit any more and must ask for a
 * RESYNC. A boundary that is not ahead of the frame's base cannot be told at all: a snapshot (GAP)
 * restates.
 */
#define TG__WRONG_BOUNDARY_MAX INT64_C(1000000) /* of by, either way */
void tg__hub_wrong_boundary(tg__hub *hub, int64_t by);
/* The same for a cut that another node made: the images that it changed. */
void tg__hub_follow(tg__hub *hub, uint64_t boundary, const tg__update *changed, uint32_t count,
                    tg__moment now);

/* A lane admitted a tick: to those who follow the instrument on the priority channel. */
void tg__hub_tick(tg__hub *hub, tg_instrument_id id, const tg_image *image);

/*
 * hub_rights.c. A TOKEN's verdict: its answer, and what it gives in the place of what was given
 * before; a refused one changes nothing. Same errors as tg__hub_send_control().
 */
TG_MUST_CHECK tg_err tg__hub_answer_token(tg__hub *hub, tg__peer *peer,
                                          const tg__door_answer *answer, tg__moment now);

/* Close with 4001 whose token has expired; looks at most once a second. */
void tg__hub_expire(tg__hub *hub, tg__moment now);

/*
 * tg__door_revoke(), and for who is connected as well. Nothing of a lost venue is sent from now on:
 * who follows one is closed, with 4003 if no venue is left to him, else with 1012, and gets ANSWER
 * 2 for it when he is back (PROTOCOL.md 11.2); who follows none keeps his connection. *closed
 * counts.
 */
TG_MUST_CHECK tg_err tg__hub_revoke(tg__hub *hub, const char *subject, const char *venue,
                                    uint32_t *closed);

/* Mark the connection to be closed; what waits for it is not sent any more. */
void tg__hub_close_peer(tg__hub *hub, tg__peer *peer, uint16_t code, uint32_t reconnect_after_ms);

/* The longest connected that has not been marked to be closed; NULL: there is none. */
tg__peer *tg__hub_oldest(const tg__hub *hub);

typedef enum tg__next {
    TG__NEXT_NOTHING, /* options.wake will tell when there is something */
    TG__NEXT_LATER,   /* the same, but ask again after TG__TICKS_INTERVAL_NS in any case */
    TG__NEXT_MESSAGE,
    TG__NEXT_CLOSE /* peer->close_code; stays so until the teardown */
} tg__next;

/* The next message to write to this connection. capacity is at least TG__MESSAGE_SIZE_MAX. */
tg__next tg__hub_next(tg__hub *hub, tg__peer *peer, tg__moment now, uint8_t *out, size_t capacity,
                      size_t *size);

/* For the hub's own files. */
void tg__hub_wake(tg__hub *hub, tg__peer *peer);
/* Full: the connection is marked to be closed and TG_ERR_FULL comes back. */
TG_MUST_CHECK tg_err tg__hub_send_control(tg__hub *hub, tg__peer *peer, size_t size);
/* Move to the group of that set; its snapshot is queued. TG_ERR_NO_MEMORY: nothing has changed. */
TG_MUST_CHECK tg_err tg__hub_join(tg__hub *hub, tg__peer *peer, const tg_instrument_id *ids,
                                  uint32_t count, tg__moment now);
/* Queue a private snapshot behind the frames of the set before; not for TG__SNAPSHOT_GAP. */
void tg__hub_queue_snapshot(tg__hub *hub, tg__peer *peer, tg__snapshot_reason reason);
/* Gives a tick of the priority channel the depth at its row's version, if the market has any. */
void tg__hub_add_depth(tg__hub *hub, tg__tick *tick);
/* What the connection follows with TICKS, at that venue or at TG__VENUE_ALL, is due again. */
void tg__hub_restate_priority(tg__hub *hub, tg__peer *peer, uint32_t venue);
int64_t tg__hub_stamp_ns(const tg__hub *hub, tg__moment now);

#endif
