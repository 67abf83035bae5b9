/* What the engine's own files share; nobody else includes it. */
#ifndef TG_SDK_ENGINE_STATE_H
#define TG_SDK_ENGINE_STATE_H

#include <tickglass/internal/channel.h>
#include <tickglass/internal/frame.h>

#include "backoff.h"
#include "endpoints.h"
#include "engine.h"
#include "lateness.h"

#define TG__MS_NS         INT64_C(1000000)
#define TG__S_NS          INT64_C(1000000000)
#define TG__NEVER         INT64_MAX
#define TG__ACTIONS_MAX   32u
#define TG__REQUESTS_MAX  8u
#define TG__REQUEST_ITEMS 512u
#define TG__FINDS_MAX     16u
#define TG__PRIORITY_MAX  TG__BOOK_MAX /* more would have no place for their depth */
#define TG__OUT_SIZE      (96u * 1024u)

/* Deadlines of one connection. */
#define TG__CONNECT_NS      (15 * TG__S_NS)
#define TG__WELCOME_NS      (10 * TG__S_NS)
#define TG__JOIN_NS         (15 * TG__S_NS) /* without any answer or image */
#define TG__ECHO_NS         (2 * TG__S_NS)
#define TG__RESYNC_FIRST_NS (1 * TG__S_NS) /* between two RESYNCs; doubles up to the last */
#define TG__RESYNC_LAST_NS  (16 * TG__S_NS)
#define TG__RESYNC_TRIES    4u
#define TG__BOOKS_NS        (2 * TG__S_NS) /* for the priority channel to be restated */
#define TG__BOOKS_TRIES     2u
/* Of a message that takes long, so much within alive_ns proves the link: what comes in crumbs does
 * not. A message of 1 MiB then takes less than three minutes. */
#define TG__PROGRESS_SIZE  (32u * 1024u)
#define TG__CONTRADICTIONS 16u /* of a session: so many rows are asked for, once each */
/* Images for all cost a gateway at most a part of what all cost that come back: no handshake, and
 * rows that are encoded once. */
#define TG__RESYNC_PART     8
#define TG__SWEEP_NS        (250 * TG__MS_NS) /* between two looks for what time did to qualities */
#define TG__STABLE_NS       (10 * TG__S_NS)   /* of applied data before the back-off is forgotten */
#define TG__FAULTS_MAX      4u                /* rejected messages in one connection ... */
#define TG__FAULT_FORGET_NS (30 * TG__S_NS)   /* ... one of which is forgotten in this time */
#define TG__PROOF_NS        (3 * TG__S_NS)    /* for an answer after a sleep */
#define TG__LATE_NS         (1 * TG__S_NS)    /* what a frame may take without being called late */
#define TG__TOKEN_FRESH_NS  (60 * TG__S_NS)   /* of a token whose lifetime nobody has told yet */
#define TG__AUDIT_NS        (30 * TG__S_NS)   /* between two of our own books */

/* A SUBSCRIBE or UNSUBSCRIBE whose results are not all there. */
typedef struct tg__pending_request {
    uint32_t number; /* 0: free */
    uint32_t count;
    tg__channel_kind channel;
    bool ask;                                 /* SUBSCRIBE */
    bool answered;                            /* at least once; items may be pending still */
    tg__want_number wants[TG__REQUEST_ITEMS]; /* TG__NO_WANT: settled */
} tg__pending_request;

typedef struct tg__pending_find {
    bool used;
    bool sent;
    tg__find find;
} tg__pending_find;

typedef enum tg__token_state {
    TG__TOKEN_NONE,
    TG__TOKEN_ASKED, /* the provider was, and has not answered */
    TG__TOKEN_READY  /* for the next connection or renewal: nobody has it yet */
} tg__token_state;

/* What is wanted since the clocks jumped. */
typedef enum tg__proof {
    TG__PROOF_NONE,
    TG__PROOF_ECHO, /* the reply to an ECHO that was sent since */
    TG__PROOF_FRAME /* that came; and a frame that is on time */
} tg__proof;

/* What a gateway's time stands on. */
typedef enum tg__stamp {
    TG__STAMP_DELTA,
    TG__STAMP_SNAPSHOT,
    TG__STAMP_TICKS
} tg__stamp;

/* What is known of the sequencers behind the gateways; survives connections. */
typedef struct tg__knowledge {
    bool known;
    uint64_t lineage;
    uint32_t dictionary_generation;
    uint8_t stale_venues[32]; /* bit per venue id */
    tg_venue venues[TG_VENUE_MAX];
} tg__knowledge;

/* Everything that ends with the connection. */
typedef struct tg__session {
    tg__welcome welcome;
    tg__limits limits;
    bool have_images; /* a SNAPSHOT was applied */
    bool gap_told;    /* TG_EVENT_GAP went out and TG_EVENT_RESYNCED has not */
    bool books_gap;   /* the same of the priority channel */
    bool store_full;  /* an entry found no room in the store: its rows are unknown for that */
    bool unknown_row; /* a row came whose id no entry named */
    uint8_t introduced[(TG_INSTRUMENT_MAX + 8u) / 8u]; /* ids whose ADD came in this session */
    bool data_late;     /* the channel was silent for too long, and a RESYNC asked for that */
    bool token_sent;    /* a renewal has no answer yet */
    bool token_refused; /* the latest renewal was */
    uint32_t resync_tries;
    uint32_t books_tries;
    uint32_t faults;
    int64_t fault_at_ns;
    uint32_t place;         /* of this client in its fleet, a fraction of 2^32: drawn */
    int64_t resync_gap_ns;  /* pause after the next RESYNC */
    int64_t resync_last_ns; /* when the latest was sent; INT64_MIN: none */
    int64_t attempt_ns;     /* when the connection was asked for */
    bool lived;             /* it was live once */
    bool stable;            /* data was applied without a break for TG__STABLE_NS, once */
    int64_t stable_from_ns; /* of unbroken applied data; TG__NEVER: none yet */
    int64_t stable_last_ns; /* its latest part */
    int64_t alive_ns;       /* silence that a live link never shows */
    int64_t paced_ns;       /* theoretical time of the next subscribe item */
    uint64_t echo_cookie;
    int64_t echo_sent_ns; /* of echo_cookie; TG__NEVER: answered */
    int64_t token_end_ns; /* TG__NEVER: it does not expire */
    int64_t renew_gap_ns; /* pause after the next failed renewal */
    /* deadlines */
    int64_t step_at_ns; /* what the state waits for: connection, WELCOME, attempt, answer, image */
    int64_t link_at_ns; /* a message renews it, and progress with a large one */
    int64_t data_at_ns; /* an applied frame renews it */
    int64_t echo_at_ns;
    int64_t resync_at_ns;
    int64_t books_at_ns; /* the next look whether the priority channel was restated */
    int64_t renew_at_ns; /* the next step of a renewal */
    int64_t pump_at_ns;
    int64_t sweep_at_ns;
    int64_t proof_at_ns; /* the end of the wait for TG__PROOF_ECHO */
    tg__proof proof;
    tg__lateness lateness;
    size_t progress; /* with the message that is coming, when that last counted */
    uint32_t contradicted_count;
    uint32_t contradicted_asked; /* how many of them the gateway was asked for */
    tg_instrument_id contradicted[TG__CONTRADICTIONS];
    bool late;      /* frames are */
    bool continued; /* a frame was applied since the latest hole was noted */
} tg__session;

/* A stage's values since the last report. */
typedef struct tg__stage_report {
    tg_histogram *values; /* NULL: this client does not report */
    int64_t from_ns;      /* TG__NEVER: it had no session yet */
    int64_t at_ns;        /* when the next one is due */
} tg__stage_report;

struct tg__engine {
    tg_store *store;
    tg_clock clock;
    tg_histogram *stage[TG_STAGE_COUNT];
    tg__engine_state state;
    bool renews;
    tg__token_state token;
    int64_t token_until_ns;  /* a READY one is used so long, an older one replaced */
    int64_t token_fresh_ns;  /* from its arrival to then */
    uint32_t tokens_refused; /* connections that ended for their token, in a row */
    uint32_t generation;     /* of the connection that inputs may speak of */
    uint32_t next_request;
    tg__random random;
    tg__backoff backoff;
    tg__endpoints endpoints;
    tg__knowledge knowledge;
    tg__session session;
    tg__desired desired;  /* on the conflated channel */
    tg__desired priority; /* on the priority channel: a part of the same interests */
    tg__engine_counters counters;
    bool dirty;         /* the store has something to publish */
    int64_t decoded_ns; /* when the message of this input was decoded; 0: it was no data */
    int64_t timer_ns;   /* the deadline that the driver knows */
    tg__channel channel;
    tg_instrument_id *channel_ids;
    tg_image *channel_images;
    tg__update *updates; /* decoded rows; as many as the channel can hold */
    uint32_t channel_capacity;
    tg__pending_request requests[TG__REQUESTS_MAX];
    tg__pending_find finds[TG__FINDS_MAX];
    tg__name names[TG__REQUEST_ITEMS]; /* of the request that is being encoded */
    tg__result results[TG__ITEM_MAX];  /* of the ANSWER that is being read */
    uint32_t action_first;
    uint32_t action_count;
    uint32_t out_used;
    tg__action actions[TG__ACTIONS_MAX];
    uint8_t out[TG__OUT_SIZE]; /* bytes of this input's SEND actions */
    int64_t audit_at_ns;       /* 0: no session was joined yet */
    tg__stage_report reports[TG_STAGE_COUNT];
};

static inline void tg__count(_Atomic uint64_t *counter, uint64_t n)
{
    /* One writer: a load and a store are enough, no read-modify-write. */
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + n,
                          memory_order_relaxed);
}

static inline int64_t tg__min_ns(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t tg__max_ns(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* --- engine_actions.c: what goes out --- */

/* A slot of the list; NULL when it is full, which the callers' bounds exclude (counted). */
tg__action *tg__engine_push(tg__engine *engine, tg__action_kind kind);
uint32_t tg__engine_room(const tg__engine *engine);
/* Room of the out buffer, and sending what was encoded there. */
uint8_t *tg__engine_out(tg__engine *engine, size_t *capacity);
void tg__engine_send(tg__engine *engine, size_t size);
/* The event, for details to be added; NULL when the list is full. */
tg_event *tg__engine_event(tg__engine *engine, tg_event_kind kind, int64_t now_ns, tg_err err,
                           const char *format, ...) TG_PRINTF(5, 6);

/* --- engine_link.c: connecting, losing, waiting --- */

tg_err tg__on_start(tg__engine *engine, const tg__input *input);
tg_err tg__on_stop(tg__engine *engine, const tg__input *input);
tg_err tg__on_connected(tg__engine *engine, const tg__input *input);
tg_err tg__on_closed(tg__engine *engine, const tg__input *input);
tg_err tg__on_connect_timer(tg__engine *engine, const tg__input *input);
tg_err tg__on_welcome_timer(tg__engine *engine, const tg__input *input);
tg_err tg__on_session_timer(tg__engine *engine, const tg__input *input);
tg_err tg__on_waiting_timer(tg__engine *engine, const tg__input *input);

/* Opens a connection. */
void tg__engine_connect(tg__engine *engine, int64_t now_ns);
/* The one place that decides what follows a lost connection. */
void tg__engine_lose(tg__engine *engine, int64_t now_ns, const tg__closed *closed);
/* Ends the connection from our side: with a close code, or by cutting it (0). */
void tg__engine_leave(tg__engine *engine, int64_t now_ns, tg__cause cause, uint16_t close_code,
                      const char *format, ...) TG_PRINTF(5, 6);
int64_t tg__engine_deadline(const tg__engine *engine);
/* Data was applied, or an ECHO was answered where no data has to come: the session is stable when
 * such things have spanned TG__STABLE_NS. Time that passed without them proves nothing. */
void tg__engine_count_stable(tg__engine *engine, int64_t now_ns);
/* What has been without a break up to now is over. */
void tg__engine_break_stable(tg__engine *engine);
/* It was unbroken for TG__STABLE_NS before it was over. */
bool tg__engine_was_unbroken(const tg__engine *engine);

/* --- engine_session.c: what is said besides data --- */

tg_err tg__on_welcome(tg__engine *engine, const tg__input *input);
tg_err tg__on_dictionary(tg__engine *engine, const tg__input *input);
tg_err tg__on_limits(tg__engine *engine, const tg__input *input);
tg_err tg__on_venue_state(tg__engine *engine, const tg__input *input);
tg_err tg__on_echo_reply(tg__engine *engine, const tg__input *input);
/* What WELCOME or LIMITS allows, from now on. */
void tg__engine_take_limits(tg__engine *engine, const tg__limits *limits);
/* False: the dictionary is another one now, and the connection was left for that. */
bool tg__engine_is_generation(tg__engine *engine, uint32_t generation, int64_t now_ns);
void tg__engine_echo(tg__engine *engine, int64_t now_ns);

/* --- engine_requests.c: subscriptions and searches --- */

tg_err tg__on_subscribe(tg__engine *engine, const tg__input *input);
tg_err tg__on_unsubscribe(tg__engine *engine, const tg__input *input);
tg_err tg__on_prioritise(tg__engine *engine, const tg__input *input);
tg_err tg__on_visible(tg__engine *engine, const tg__input *input);
tg_err tg__on_find(tg__engine *engine, const tg__input *input);
tg_err tg__on_answer(tg__engine *engine, const tg__input *input);
tg_err tg__on_found(tg__engine *engine, const tg__input *input);
/* Sends what is due and allowed; sets the deadline of the rest. */
void tg__engine_pump(tg__engine *engine, int64_t now_ns);
void tg__engine_forget_requests(tg__engine *engine);
/* A SUBSCRIBE or UNSUBSCRIBE has no answer yet. */
bool tg__engine_is_unanswered(const tg__engine *engine);
uint32_t tg__engine_request_number(tg__engine *engine);

/* --- engine_token.c: tokens before a connection and in it --- */

tg_err tg__on_requested(tg__engine *engine, const tg__input *input);
tg_err tg__on_token_timer(tg__engine *engine, const tg__input *input);
tg_err tg__on_token_awaited(tg__engine *engine, const tg__input *input);
tg_err tg__on_token_early(tg__engine *engine, const tg__input *input);
tg_err tg__on_token_renewed(tg__engine *engine, const tg__input *input);
tg_err tg__on_token_answer(tg__engine *engine, const tg__input *input);
/* Connects, with a token that is asked for before if a provider gives them. */
void tg__engine_begin_attempt(tg__engine *engine, int64_t now_ns);
/* The session's token was accepted, for that time (0: for ever). */
void tg__engine_token_lives(tg__engine *engine, int64_t now_ns, uint32_t lifetime_s);
/* The machine slept: one that is held has grown older. */
void tg__engine_token_slept(tg__engine *engine, int64_t slept_ns);
/* The next step of a renewal is due. */
void tg__engine_renew(tg__engine *engine, int64_t now_ns);

/* --- engine_data.c: images, deltas, holes --- */

tg_err tg__on_snapshot(tg__engine *engine, const tg__input *input);
tg_err tg__on_delta(tg__engine *engine, const tg__input *input);
tg_err tg__on_ticks(tg__engine *engine, const tg__input *input);
/* Every wish is answered and the channel carries the set that the answers add up to. */
bool tg__engine_is_current(const tg__engine *engine);
/* JOINING ends then, and so does the wait of a live session for a changed set. */
void tg__engine_check_live(tg__engine *engine, int64_t now_ns);
/* A hole: say so, and ask for images when it is time. */
void tg__engine_gap(tg__engine *engine, int64_t now_ns, tg_err err, const char *text);
void tg__engine_resync(tg__engine *engine, int64_t now_ns);
/* What this client lets pass before it asks because of a hole that err tells, so that a fleet that
 * sees it at once does not ask at once. */
int64_t tg__engine_resync_lag_ns(const tg__engine *engine, tg_err err);

/* --- engine_repair.c: losses that concern less than the whole channel --- */

/* TICKS that could not be read: depth of what has priority is in doubt, and nothing else. */
void tg__engine_ticks_lost(tg__engine *engine, int64_t now_ns, tg_err err);
/* TICKS were applied. */
void tg__engine_ticks_applied(tg__engine *engine, int64_t now_ns);
/* Its deadline has passed. */
void tg__engine_books_overdue(tg__engine *engine, int64_t now_ns);
/* Asks for the priority channel anew; without room it is left out. */
void tg__engine_resync_priority(tg__engine *engine);
/* A row came whose version the store has with other values. */
void tg__engine_contradicted(tg__engine *engine, tg_instrument_id id);
/* Behind the last row of a message. */
void tg__engine_ask_for_contradicted(tg__engine *engine);

/* --- engine_clock.c: the machine slept, or its clock was set --- */

tg_err tg__on_clock(tg__engine *engine, const tg__input *input);
tg_err tg__on_clock_in_session(tg__engine *engine, const tg__input *input);
/* The reply to our latest ECHO came. */
void tg__engine_answered(tg__engine *engine, int64_t now_ns);
void tg__engine_frame_on_time(tg__engine *engine, int64_t now_ns);
/* The deadline of the proof has passed: the connection was given up. */
bool tg__engine_is_unproved(tg__engine *engine, int64_t now_ns);

/* --- engine_lateness.c: what comes is old --- */

/* Of a new session nothing is known. */
void tg__engine_begin_lateness(tg__engine *engine);
/* Before the rows of a message are admitted: is it of now? */
void tg__engine_judge_time(tg__engine *engine, const tg__input *input, int64_t ts_gateway_ns,
                           tg__stamp stamp);
/* The store is told whether anything is late or unproved. */
void tg__engine_show_lateness(tg__engine *engine);

/* --- engine_audit.c: our own books --- */

void tg__engine_audit(tg__engine *engine, int64_t now_ns);

/* --- engine_report.c: what a share of the clients tells of its stages --- */

/* Draws whether this client reports. TG_ERR_INVALID_ARGUMENT: a share over a million. */
TG_MUST_CHECK tg_err tg__engine_report_open(tg__engine *engine, uint32_t share_ppm);
void tg__engine_report_close(tg__engine *engine);
/* A session begins. */
void tg__engine_report_begin(tg__engine *engine, int64_t now_ns);
/* On the data path: allocates nothing. */
void tg__engine_report_value(tg__engine *engine, tg_stage stage, int64_t duration_ns);
int64_t tg__engine_report_deadline(const tg__engine *engine);
/* Sends what is due; only from a timer, because it allocates. */
void tg__engine_report(tg__engine *engine, int64_t now_ns);

/* --- engine_message.c: one message --- */

tg_err tg__on_message(tg__engine *engine, const tg__input *input);
tg_err tg__on_progress(tg__engine *engine, const tg__input *input);
/* A message that does not decode: say where, and repair or give up. */
void tg__engine_reject(tg__engine *engine, const tg__input *input, tg_err err,
                       const tg__fault *fault);
const char *tg__kind_name(uint8_t kind);

#endif
