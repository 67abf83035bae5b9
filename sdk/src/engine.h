/*
 * The session engine: bytes, events and the time go in, actions come out. It owns no socket, no
 * thread and no clock; whoever drives it does the I/O.
 *
 *     tg__engine_input(engine, &input);
 *     while (tg__engine_next(engine, &action)) { … do it … }
 *
 * Drain the actions after every input: sent bytes and found entries point into memory that the next
 * input reuses. Every input names the connection's generation; what belongs to an older one is
 * counted and ignored. Thread: one.
 */
#ifndef TG_SDK_ENGINE_H
#define TG_SDK_ENGINE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tickglass/client.h>
#include <tickglass/histogram.h>
#include <tickglass/internal/control.h>
#include <tickglass/internal/dictionary.h>
#include <tickglass/internal/store_writer.h>

#include "clock_watch.h"
#include "desired.h"
#include "policy.h"
#include "url.h"

typedef struct tg__engine tg__engine;

typedef struct tg__engine_options {
    tg_store *store;          /* its writer side belongs to the engine from here on */
    uint32_t instruments_max; /* names that can be wanted; the channel holds up to TG__SET_MAX */
    uint32_t interests_max;   /* at most TG__INTEREST_CAPACITY_MAX */
    uint32_t backoff_first_ms;
    uint32_t backoff_cap_ms;
    uint64_t random_seed;
    uint32_t endpoint_count;             /* 1 to TG__ENDPOINTS_MAX, in order of preference */
    bool renews_tokens;                  /* TOKEN actions are answered */
    bool has_token;                      /* one is there for the first connection */
    const tg_clock *clock;               /* stamps stages only, never decides; copied */
    tg_histogram *stage[TG_STAGE_COUNT]; /* NULL: not measured */
    uint32_t report_share_ppm;           /* of the clients that report to the gateway */
} tg__engine_options;

TG_MUST_CHECK tg_err tg__engine_open(const tg__engine_options *options, tg__engine **out);
/* NULL is allowed. The store stays the caller's. */
void tg__engine_close(tg__engine *engine);

typedef enum tg__engine_state {
    TG__ENGINE_IDLE,
    TG__ENGINE_CONNECTING, /* name, TCP, TLS, upgrade */
    TG__ENGINE_OPENING,    /* upgraded; WELCOME is awaited */
    TG__ENGINE_JOINING,    /* answers and first images are awaited */
    TG__ENGINE_LIVE,
    TG__ENGINE_RESYNCING, /* a hole was seen; a SNAPSHOT is awaited */
    TG__ENGINE_WAITING,   /* for the next attempt */
    TG__ENGINE_TOKEN,     /* for a token to attempt with */
    TG__ENGINE_STATE_COUNT
} tg__engine_state;

typedef enum tg__input_kind {
    TG__INPUT_START,
    TG__INPUT_STOP,
    TG__INPUT_REQUESTED, /* the upgrade was asked for, and the token handed over with it */
    TG__INPUT_CONNECTED,
    TG__INPUT_MESSAGE,
    TG__INPUT_PROGRESS, /* more of a message has come, and not yet all of it */
    TG__INPUT_CLOSED,
    TG__INPUT_TIMER,
    TG__INPUT_SUBSCRIBE,
    TG__INPUT_UNSUBSCRIBE,
    TG__INPUT_FIND,
    TG__INPUT_PRIORITISE,
    TG__INPUT_TOKEN,   /* the answer to a TOKEN action */
    TG__INPUT_CLOCK,   /* the clocks jumped; given before what was read since */
    TG__INPUT_VISIBLE, /* a subscription came on screen, or left it */
    TG__INPUT_COUNT
} tg__input_kind;

typedef struct tg__input {
    tg__input_kind kind;
    uint32_t generation; /* REQUESTED, CONNECTED, MESSAGE, PROGRESS, CLOSED: of CONNECT */
    int64_t now_ns;      /* monotonic; never goes back */
    union {
        struct {
            const uint8_t *bytes;
            size_t size;
            int64_t received_mono_ns;
        } message;
        size_t progress;  /* bytes of the message that have come so far */
        const char *peer; /* CONNECTED: whom it leads to, for people; NULL: unnamed */
        tg__closed closed;
        struct {
            tg_sub_id sub;
            const char *venue;
            const char *symbol;
        } subscribe;
        tg_sub_id unsubscribe;
        struct {
            tg_sub_id sub;
            bool on;
        } prioritise;
        const tg__find *find; /* copied */
        bool token_given;     /* false: there is none now */
        tg__clock_jump clock; /* at least one part of it is not 0 */
        struct {
            tg_sub_id sub;
            bool on;
        } visible;
    } as;
} tg__input;

typedef enum tg__action_kind {
    TG__ACTION_CONNECT,    /* open a connection to endpoint and name it by generation */
    TG__ACTION_TOKEN,      /* get a token; TOKEN is given when it is there, or not to be had */
    TG__ACTION_SEND,       /* one binary message */
    TG__ACTION_SEND_TOKEN, /* the token that is there, as a TOKEN message */
    TG__ACTION_TIMER,      /* give TIMER at deadline_ns; replaces the one before; INT64_MAX: none */
    TG__ACTION_CLOSE,      /* say good-bye with code, within a short time; no CLOSED is awaited */
    TG__ACTION_DROP,       /* cut it at once */
    TG__ACTION_EVENT,
    TG__ACTION_PRIORITY,  /* the priority of a subscription has an answer; as ANSWER */
    TG__ACTION_ANSWER,    /* a subscription has an answer, or lost it (TG_ERR_STATE) */
    TG__ACTION_FOUND,     /* a page of the directory */
    TG__ACTION_PUBLISHED, /* the store has a new view */
    TG__ACTION_AUDIT      /* compare with tg__engine_desired() what stands outside of the engine */
} tg__action_kind;

typedef struct tg__action {
    tg__action_kind kind;
    uint32_t generation; /* CONNECT, SEND, SEND_TOKEN, CLOSE, DROP */
    union {
        struct {
            const uint8_t *bytes;
            size_t size;
        } send;
        uint32_t endpoint;
        int64_t deadline_ns;
        tg_token_reason token_reason;
        uint16_t close_code;
        tg_event event;
        tg__sub_answer answer;
        struct {
            tg__found found;
            tg__dictionary_reader reader; /* into the message of the input */
        } found;
    } as;
} tg__action;

/*
 * One step. TG_ERR_STATE: the table has no such thing in this state (a driver's mistake, counted);
 * TG_ERR_FULL, TG_ERR_INVALID_ARGUMENT: a command was refused. Whatever a peer does is no error
 * here: it becomes actions and counters.
 */
TG_MUST_CHECK tg_err tg__engine_input(tg__engine *engine, const tg__input *input);

/* The next action of the latest input; false: done. */
bool tg__engine_next(tg__engine *engine, tg__action *action);

/* What the state table says: the name of the row's handler, never NULL. For tests. */
const char *tg__engine_row_name(tg__engine_state state, tg__input_kind kind);

tg__engine_state tg__engine_state_of(const tg__engine *engine);
tg_session_state tg__engine_session_state(const tg__engine *engine);

/* "?" if the dictionary did not name it. */
const char *tg__engine_venue_name(const tg__engine *engine, tg_venue_id venue);

/* One writer, the engine; any thread reads. Relaxed throughout: no counter guards other memory. */
typedef struct tg__engine_counters {
    _Atomic uint64_t bytes;
    _Atomic uint64_t messages;
    _Atomic uint64_t frames;
    _Atomic uint64_t frames_rejected;
    _Atomic uint64_t frames_unfit;
    _Atomic uint64_t unknown_messages;
    _Atomic uint64_t unknown_rows;  /* rows of an id that the store does not know */
    _Atomic uint64_t priority_rows; /* of TICKS */
    _Atomic uint64_t priority_held; /* instruments on the priority channel */
    _Atomic uint64_t books_refused; /* no place for their depth, or not on that channel */
    _Atomic uint64_t gaps;
    _Atomic uint64_t resyncs;
    _Atomic uint64_t connects;
    _Atomic uint64_t attempts;
    _Atomic uint64_t endpoint;            /* of the latest attempt */
    _Atomic uint64_t failovers;           /* attempts at another endpoint than the one before */
    _Atomic uint64_t reconnect_spread_ms; /* that the gateway told last */
    _Atomic uint64_t token_requests;      /* to the provider */
    _Atomic uint64_t tokens_renewed;      /* in session */
    _Atomic uint64_t tokens_refused; /* renewals, and connections closed or refused for the token */
    _Atomic uint64_t late_inputs;    /* of an older connection */
    _Atomic uint64_t state_errors;   /* inputs that the table refuses */
    _Atomic uint64_t set_mismatches; /* the gateway's account of our set is not ours */
    _Atomic int64_t rtt_ns;
    _Atomic int64_t rtt_mono_ns;
    _Atomic int64_t ts_gateway_ns;
    _Atomic uint64_t sleeps;      /* of the machine */
    _Atomic uint64_t clock_steps; /* of its wall clock */
    _Atomic uint64_t frames_late;
    _Atomic int64_t lateness_ns; /* of the latest frame or tick, at least; -1: none yet */
    _Atomic uint64_t audits;
    _Atomic uint64_t audits_failed;
    _Atomic uint64_t reports_sent;
    _Atomic uint64_t reports_failed; /* no memory, or too many different values for a message */
    _Atomic uint64_t ended[TG__CAUSE_COUNT]; /* attempts and connections */
    _Atomic uint64_t link_timeouts;
    _Atomic uint64_t data_timeouts;
    _Atomic uint64_t delays_told;
    _Atomic uint64_t stops;
    _Atomic uint64_t wanted;
    _Atomic uint64_t held;
} tg__engine_counters;

/* What is wanted on the conflated channel, which is everything. */
const tg__desired *tg__engine_desired(const tg__engine *engine);

const tg__engine_counters *tg__engine_counters_of(const tg__engine *engine);

#endif
