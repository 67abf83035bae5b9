/** Session messages: everything that is neither data nor dictionary. PROTOCOL.md sections 4 and 11.
 */
#ifndef TICKGLASS_INTERNAL_CONTROL_H
#define TICKGLASS_INTERNAL_CONTROL_H

#include <tickglass/internal/message.h>
#include <tickglass/market.h>

typedef struct tg__limits {
    uint32_t instruments_max;      /* in the conflated set, at most TG__SET_MAX */
    uint32_t priority_max;         /* on the priority channel */
    uint32_t message_size_max;     /* bytes of any message to the client */
    uint32_t subscribe_per_second; /* items */
    uint32_t reconnect_spread_ms;  /* 0: not told */
} tg__limits;

#define TG__FEATURE_STATE_DIGEST (UINT64_C(1) << 0)
/* From bit 32 on, a feature that the client does not know refuses the session. */
#define TG__FEATURES_MANDATORY UINT64_C(0xffffffff00000000)

typedef struct tg__welcome {
    uint64_t instance; /* differs for every start of a gateway */
    uint64_t lineage;  /* equal for gateways behind the same sequencers */
    uint64_t boundary;
    uint64_t features;
    int64_t ts_gateway_ns;
    uint32_t dictionary_generation;
    uint32_t dictionary_size; /* instruments */
    uint32_t frame_interval_ms;
    uint32_t heartbeat_interval_ms;
    uint32_t time_resolution_ns; /* 1 to 1,000,000,000 */
    uint32_t token_lifetime_s;   /* of the token that was presented; 0: it does not expire */
    tg__limits limits;
} tg__welcome;

TG_MUST_CHECK tg_err tg__welcome_encode(const tg__welcome *welcome, uint8_t *out, size_t capacity,
                                        size_t *size);
TG_MUST_CHECK tg_err tg__welcome_decode(const uint8_t *message, size_t size, tg__welcome *welcome,
                                        tg__fault *fault);

TG_MUST_CHECK tg_err tg__limits_encode(const tg__limits *limits, uint8_t *out, size_t capacity,
                                       size_t *size);
TG_MUST_CHECK tg_err tg__limits_decode(const uint8_t *message, size_t size, tg__limits *limits,
                                       tg__fault *fault);

typedef enum tg__channel_kind {
    TG__CHANNEL_CONFLATED = 0,
    TG__CHANNEL_PRIORITY = 1
} tg__channel_kind;

/* An instrument named by id (id != TG_INSTRUMENT_NONE), else by venue and symbol. */
typedef struct tg__name {
    tg_instrument_id id;
    char venue[TG_VENUE_NAME_SIZE];
    char symbol[TG_SYMBOL_SIZE];
} tg__name;

typedef struct tg__name_reader {
    const uint8_t *at;
    const uint8_t *end;
    uint32_t left;
} tg__name_reader;

/* SUBSCRIBE, UNSUBSCRIBE and RESYNC share one form. */
typedef struct tg__request {
    tg__kind kind;
    uint32_t request; /* chosen by the client; repeated in the answer */
    tg__channel_kind channel;
} tg__request;

TG_MUST_CHECK tg_err tg__request_encode(const tg__request *request, const tg__name *names,
                                        size_t count, uint8_t *out, size_t capacity, size_t *size);
/* A RESYNC with no names asks for the whole channel. */
TG_MUST_CHECK tg_err tg__request_decode(const uint8_t *message, size_t size, tg__request *request,
                                        tg__name_reader *reader, tg__fault *fault);
bool tg__name_next(tg__name_reader *reader, tg__name *name);

typedef enum tg__answer_code {
    TG__ANSWER_OK = 0,
    TG__ANSWER_UNKNOWN = 1,
    TG__ANSWER_NOT_ENTITLED = 2,
    TG__ANSWER_LIMIT = 3,
    TG__ANSWER_PENDING = 4, /* another answer follows */
    TG__ANSWER_TOO_FAST = 5 /* over the advertised rate; ask again later */
} tg__answer_code;

/* One result for each name of the request, in its order. */
typedef struct tg__result {
    tg__answer_code code;
    tg_instrument_id id; /* TG_INSTRUMENT_NONE if the name is not known */
} tg__result;

/* The set that the gateway has for this connection and channel after the request. */
typedef struct tg__answer {
    uint32_t request;
    tg__channel_kind channel;
    uint32_t set_count;
    uint32_t set_digest; /* tg__set_digest() of the ascending ids */
    uint32_t count;      /* results */
} tg__answer;

TG_MUST_CHECK tg_err tg__answer_encode(const tg__answer *answer, const tg__result *results,
                                       uint8_t *out, size_t capacity, size_t *size);
TG_MUST_CHECK tg_err tg__answer_decode(const uint8_t *message, size_t size, tg__answer *answer,
                                       tg__result *results, size_t result_capacity,
                                       tg__fault *fault);

typedef struct tg__find {
    uint32_t request;
    uint32_t limit;                       /* entries wanted, 1 to TG__ITEM_MAX */
    char prefix[TG_SYMBOL_SIZE];          /* may be empty */
    char venue[TG_VENUE_NAME_SIZE];       /* empty: every venue */
    char after_venue[TG_VENUE_NAME_SIZE]; /* cursor; both empty: from the start */
    char after_symbol[TG_SYMBOL_SIZE];
} tg__find;

TG_MUST_CHECK tg_err tg__find_encode(const tg__find *find, uint8_t *out, size_t capacity,
                                     size_t *size);
TG_MUST_CHECK tg_err tg__find_decode(const uint8_t *message, size_t size, tg__find *find,
                                     tg__fault *fault);

typedef enum tg__venue_condition {
    TG__VENUE_LIVE = 0,
    TG__VENUE_STALE = 1 /* no feed, or its lane missed a boundary's deadline */
} tg__venue_condition;

typedef struct tg__venue_state {
    tg_venue_id venue;
    tg__venue_condition condition;
    uint64_t boundary; /* from which on */
} tg__venue_state;

TG_MUST_CHECK tg_err tg__venue_state_encode(const tg__venue_state *state, uint8_t *out,
                                            size_t capacity, size_t *size);
TG_MUST_CHECK tg_err tg__venue_state_decode(const uint8_t *message, size_t size,
                                            tg__venue_state *state, tg__fault *fault);

/* TOKEN: the bytes point into the message. */
TG_MUST_CHECK tg_err tg__token_encode(const char *token, size_t token_size, uint8_t *out,
                                      size_t capacity, size_t *size);
TG_MUST_CHECK tg_err tg__token_decode(const uint8_t *message, size_t size, const char **token,
                                      size_t *token_size, tg__fault *fault);

typedef struct tg__token_answer {
    bool accepted;
    uint32_t lifetime_s;
} tg__token_answer;

TG_MUST_CHECK tg_err tg__token_answer_encode(const tg__token_answer *answer, uint8_t *out,
                                             size_t capacity, size_t *size);
TG_MUST_CHECK tg_err tg__token_answer_decode(const uint8_t *message, size_t size,
                                             tg__token_answer *answer, tg__fault *fault);

TG_MUST_CHECK tg_err tg__echo_encode(uint64_t cookie, uint8_t *out, size_t capacity, size_t *size);
TG_MUST_CHECK tg_err tg__echo_decode(const uint8_t *message, size_t size, uint64_t *cookie,
                                     tg__fault *fault);

typedef struct tg__echo_reply {
    uint64_t cookie;
    int64_t ts_gateway_ns;
} tg__echo_reply;

TG_MUST_CHECK tg_err tg__echo_reply_encode(const tg__echo_reply *reply, uint8_t *out,
                                           size_t capacity, size_t *size);
TG_MUST_CHECK tg_err tg__echo_reply_decode(const uint8_t *message, size_t size,
                                           tg__echo_reply *reply, tg__fault *fault);

#define TG__REPORT_TEXT_MAX 16384u /* bytes */
#define TG__REPORT_HEAD     7u     /* bytes in front of the text */

typedef enum tg__report_stage {
    TG__REPORT_DECODE = 0,
    TG__REPORT_COMMIT = 1,
    TG__REPORT_STAGE_COUNT = 2
} tg__report_stage;

/* How long a stage of the client took in the last interval. The text is a histogram, opaque here:
 * visible ASCII, and after decoding a part of the message. */
typedef struct tg__report {
    uint8_t stage; /* tg__report_stage, or one of a later version */
    uint32_t interval_ms;
    const char *text;
    size_t text_size; /* 1 to TG__REPORT_TEXT_MAX */
} tg__report;

TG_MUST_CHECK tg_err tg__report_encode(const tg__report *report, uint8_t *out, size_t capacity,
                                       size_t *size);
TG_MUST_CHECK tg_err tg__report_decode(const uint8_t *message, size_t size, tg__report *report,
                                       tg__fault *fault);

/* WebSocket close codes with a meaning of their own. PROTOCOL.md 4.6. */
typedef enum tg__close_code {
    TG__CLOSE_NORMAL = 1000,
    TG__CLOSE_GOING_AWAY = 1001,
    TG__CLOSE_PROTOCOL_ERROR = 1002,
    TG__CLOSE_TOO_BIG = 1009,
    TG__CLOSE_SERVICE_RESTART = 1012,
    TG__CLOSE_TRY_AGAIN_LATER = 1013,
    TG__CLOSE_TOKEN_EXPIRED = 4001,
    TG__CLOSE_FORBIDDEN = 4003,
    TG__CLOSE_LOGGED_OUT = 4004,
    TG__CLOSE_SLOW_CONSUMER = 4008,
    TG__CLOSE_BAD_MESSAGE = 4010
} tg__close_code;

#define TG__CLOSE_REASON_MAX 123 /* bytes, RFC 6455 5.5 */

/* {"reconnect_after_ms":N}; writes no terminator. */
TG_MUST_CHECK tg_err tg__close_reason_encode(uint32_t reconnect_after_ms, char *out,
                                             size_t capacity, size_t *size);
/*
 * Reads reconnect_after_ms from a JSON object of at most TG__CLOSE_REASON_MAX bytes, whatever else
 * it holds. TG_ERR_NOT_FOUND: well-formed text without it; TG_ERR_SYNTAX: anything else. A value
 * over UINT32_MAX is UINT32_MAX.
 */
TG_MUST_CHECK tg_err tg__close_reason_decode(const char *text, size_t size,
                                             uint32_t *reconnect_after_ms);

#endif
