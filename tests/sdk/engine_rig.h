/* An engine with its store on a clock that the test moves, wired to a simulated gateway. */
#ifndef ENGINE_RIG_H
#define ENGINE_RIG_H

#include "engine.h"
#include "sim_gateway.h"

#define RIG_EVENTS_MAX 512u
#define RIG_MS         INT64_C(1000000)

typedef struct rig {
    int64_t now_ns;
    tg_clock clock;
    tg_store *store;
    tg_reader *reader;
    tg__engine *engine;
    sim_market market;
    const sim_market *gateway; /* what the next session is served from; first: &market */
    sim_session session;
    sim_message *messages;
    bool connected;      /* the gateway's end is open */
    bool connecting;     /* CONNECT came and was not answered */
    bool deaf;           /* what the client sends is lost */
    bool dropped;        /* DROP came for the connection */
    uint16_t close_code; /* of the CLOSE action; 0: none came */
    uint32_t generation;
    uint32_t endpoint; /* of the latest CONNECT */
    int64_t deadline_ns;
    uint32_t event_count; /* counts on when the array is full */
    tg_event events[RIG_EVENTS_MAX];
    uint32_t answers;
    uint32_t priority_answers;
    tg__sub_answer priority_answer; /* the latest */
    uint32_t found_entries;
    uint32_t found_pages;
    bool found_more;
    uint32_t published;
    uint32_t token_asks;
    tg_token_reason token_reason; /* of the latest */
    uint32_t tokens_sent;
    uint32_t audits;
    void (*on_action)(void *ctx, int64_t now_ns, const tg__action *action); /* NULL: nobody */
    void *on_action_ctx;
} rig;

void rig_open(rig *r, uint32_t instruments_max);
/* The engine asks for tokens: rig_token() answers. */
void rig_open_with_tokens(rig *r, uint32_t instruments_max);
/* There are so many gateways to choose from. */
void rig_open_with_endpoints(rig *r, uint32_t instruments_max, uint32_t endpoint_count);
/* That share of the clients reports its stages; whether this one does comes from the seed. */
void rig_open_with_reports(rig *r, uint32_t instruments_max, uint32_t share_ppm, uint64_t seed);
void rig_close(rig *r);

/* Every input goes through here; actions are carried out. */
tg_err rig_input(rig *r, tg__input *input);
tg_err rig_plain(rig *r, tg__input_kind kind);
void rig_subscribe(rig *r, uint32_t sub, tg_instrument_id id);
tg_err rig_subscribe_name(rig *r, uint32_t sub, const char *venue, const char *symbol);
tg_err rig_unsubscribe(rig *r, uint32_t sub);
tg_err rig_prioritise(rig *r, uint32_t sub, bool on);
tg_err rig_token(rig *r, bool given);
tg_err rig_message(rig *r, const uint8_t *bytes, size_t size);
/* So many bytes of a message have come. */
tg_err rig_progress(rig *r, size_t size);
tg_err rig_closed(rig *r, tg__cause cause, uint16_t code, uint32_t floor_ms);

/* The machine sleeps, or its wall clock is set, and the engine is told. */
tg_err rig_sleep(rig *r, int64_t ns);
tg_err rig_set_clock(rig *r, int64_t by_ns);
tg_err rig_set_visible(rig *r, uint32_t sub, bool visible);

/* Lets the gateway accept what is connecting. */
void rig_accept(rig *r);
/* Or answers its upgrade with a status instead. */
tg_err rig_refuse(rig *r, uint16_t status, uint32_t floor_ms);
/* Delivers everything that is on its way to the client. */
void rig_deliver(rig *r);
/* Moves time and gives the timer that is due meanwhile. */
void rig_advance(rig *r, int64_t ns);
/* Moves time until the engine attempts to connect. */
void rig_await_attempt(rig *r);
/* START, accept and deliver until nothing moves: a live session if all goes well. */
void rig_go_live(rig *r);

/* The newest event of a kind, NULL: none. */
const tg_event *rig_event(const rig *r, tg_event_kind kind);
/* What a reader sees of an instrument. */
tg_err rig_row(rig *r, tg_instrument_id id, tg_row *row);

#endif
