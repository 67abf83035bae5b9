/*
 * A gateway without sockets, for tests of the engine: a market of a few instruments, and sessions
 * that answer a client's messages with real ones. It is written from PROTOCOL.md and shares nothing
 * with the gateway room.
 */
#ifndef SIM_GATEWAY_H
#define SIM_GATEWAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tickglass/internal/control.h>
#include <tickglass/internal/frame.h>

#define SIM_INSTRUMENTS   24u
#define SIM_RESOLUTION_NS 1000u
#define SIM_MESSAGES_MAX  512u
#define SIM_MESSAGE_SIZE  8192u
#define SIM_HEARTBEAT_MS  1000u
#define SIM_CADENCE_MS    60000
#define SIM_VENUE         "SIM"
#define SIM_TOKEN_SIZE    48u

/* What a token says to the gateways that read it. */
typedef struct sim_token {
    uint32_t number;
    int64_t end_ns; /* on the gateways' wall clock, had nobody set it */
} sim_token;

/* What a session does with the next TOKENs. */
typedef enum sim_token_habit {
    SIM_TOKEN_JUDGE, /* accepts one that has not ended */
    SIM_TOKEN_REFUSE,
    SIM_TOKEN_IGNORE /* never answers */
} sim_token_habit;

/* The sequenced state that gateways of one lineage share. */
typedef struct sim_market {
    uint64_t lineage;
    uint32_t generation;
    uint32_t revoked; /* bit per id: this client has no right to it any more */
    uint64_t boundary;
    int64_t utc_ns;                   /* of its wall clock when the test's own clock shows 0 */
    int64_t stepped_ns;               /* by how much that clock was set, in all */
    const int64_t *now_ns;            /* the test's clock */
    uint32_t token_lifetime_s;        /* that WELCOME names; 0: for ever */
    uint32_t subscribe_per_second;    /* likewise; 0: plenty */
    uint32_t reconnect_spread_ms;     /* likewise; 0: not told */
    tg_image images[SIM_INSTRUMENTS]; /* by id */
    tg_version newest[SIM_INSTRUMENTS];
} sim_market;

/* A row of a frame or of TICKS, as the gateway means it. */
typedef struct sim_row {
    tg_instrument_id id;
    bool has_book;
    tg_version version;
    uint64_t covered; /* 0: not said */
} sim_row;

typedef enum sim_verdict {
    SIM_NO_VERDICT,
    SIM_ACCEPTED,
    SIM_REFUSED
} sim_verdict;

typedef struct sim_message {
    size_t size;
    uint32_t echo;       /* it answers the ECHO with this number, from 1; 0: none */
    int64_t echo_ns;     /* when that came, as made_ns */
    int64_t made_ns;     /* on the gateway's wall clock, had nobody set it */
    sim_verdict verdict; /* of a TOKEN */
    uint32_t row_count;
    sim_row rows[SIM_INSTRUMENTS];
    uint8_t bytes[SIM_MESSAGE_SIZE];
} sim_message;

/* One client's session. */
typedef struct sim_session {
    const sim_market *market;
    sim_market cut; /* the market as of this gateway's last boundary; may lag behind */
    tg__limits limits;
    uint64_t features;
    bool pending_answers; /* say PENDING first, OK in a second ANSWER */
    bool too_fast_once;
    bool state_digests; /* on every frame */
    tg__channel channel;
    tg_instrument_id ids[SIM_INSTRUMENTS];
    tg_image images[SIM_INSTRUMENTS];
    tg_instrument_id set[SIM_INSTRUMENTS];
    uint32_t set_count;
    tg_instrument_id priority[SIM_INSTRUMENTS];
    uint32_t priority_count;
    tg_version ticked[SIM_INSTRUMENTS]; /* by id: the newest on the priority channel */
    sim_token_habit token_habit;
    int64_t token_end_ns; /* of the lifetime that the client was told; INT64_MAX: never */
    uint32_t priority_resyncs;
    uint32_t rows_asked; /* by RESYNCs with names */
    uint32_t subscribes; /* messages seen */
    uint32_t items;      /* names in them */
    uint32_t by_id;      /* of which were given by id */
    uint32_t resyncs;
    uint32_t echoes;
    uint32_t head;
    uint32_t count;
    sim_message *messages; /* a ring of SIM_MESSAGES_MAX: what the client is to get */
} sim_session;

/* now_ns: the test's clock, for as long as the market is used. */
void sim_market_init(sim_market *market, uint64_t lineage, const int64_t *now_ns);
/* What its wall clock shows. */
int64_t sim_market_utc_ns(const sim_market *market);
/* Somebody sets it. */
void sim_market_set_clock(sim_market *market, int64_t by_ns);
/* The same had nobody set it. */
int64_t sim_market_true_ns(const sim_market *market);
/* Time passes that the test's clock does not show, as the client sleeps. */
void sim_market_go_on(sim_market *market, int64_t ns);
/* The name of instrument id: "S00" … */
void sim_symbol(tg_instrument_id id, char symbol[TG_SYMBOL_SIZE]);
/* A tick of the lane. */
void sim_market_tick(sim_market *market, tg_instrument_id id, int64_t bid);
/* The next boundary. */
void sim_market_step(sim_market *market);

/* messages holds SIM_MESSAGES_MAX elements; the session says WELCOME. */
void sim_session_open(sim_session *session, const sim_market *market, sim_message *messages);
/* A message of the client. */
void sim_session_receive(sim_session *session, const uint8_t *bytes, size_t size);
/* The priority channel: a tick with depth of an instrument that is on it. */
void sim_session_tick(sim_session *session, tg_instrument_id id);
/* A tick of each instrument on it that moved since. */
void sim_session_ticks(sim_session *session);
/* A frame from this session's last boundary to the market's, rows or not. */
void sim_session_frame(sim_session *session);
/* As after an overflow of its ring: everything queued goes, and a snapshot with reason GAP comes.
 */
void sim_session_overflow(sim_session *session);
/* The market's spread is another one now, and the client is told. */
void sim_session_tell_limits(sim_session *session);
/* The oldest message for the client, NULL: none. Valid until the next call of this session. */
const sim_message *sim_session_take(sim_session *session);

sim_message *sim_session_put(sim_session *session);

/* TOKEN_ANSWER. */
void sim_session_answer_token(sim_session *session, bool accepted, uint32_t lifetime_s);
/* A TOKEN message, as a client sends it. Returns its size. */
size_t sim_token_encode(const sim_token *token, uint8_t *out, size_t capacity);

/* The bytes behind its end stay. */
void sim_message_copy(sim_message *to, const sim_message *from);

#endif
