/**
 * The client: a session with a gateway, and the store that it fills.
 *
 *     tg_client_options opt;
 *     tg_client_options_init(&opt);
 *     opt.url = "wss://localhost:9443";
 *     tg_client *client = NULL;
 *     if (tg_client_open(&opt, &client) == TG_OK && tg_client_start(client) == TG_OK) { … }
 *
 * Either the library runs a network thread of its own (tg_client_start), or the host calls
 * tg_client_step() from its loop; never both.
 */
#ifndef TICKGLASS_CLIENT_H
#define TICKGLASS_CLIENT_H

#include <tickglass/clock.h>
#include <tickglass/err.h>
#include <tickglass/market.h>
#include <tickglass/store.h>

TG_BEGIN_DECLS

typedef struct tg_client tg_client;

/** A view's interest in one instrument. Several may name the same instrument. */
typedef struct tg_sub_id {
    uint32_t v; /**< 0: none */
} tg_sub_id;

typedef enum tg_session_state {
    TG_SESSION_IDLE,       /**< not started, or stopped */
    TG_SESSION_CONNECTING, /**< token, name, TCP, TLS, upgrade */
    TG_SESSION_JOINING,    /**< upgraded; WELCOME, dictionary and first images are on their way */
    TG_SESSION_LIVE,
    TG_SESSION_RESYNCING, /**< a gap was seen; images are on their way */
    TG_SESSION_WAITING    /**< until the next attempt */
} tg_session_state;

/** "IDLE", "CONNECTING", … Thread: any.  Blocks: no.  Since: 0.1 */
TG_API const char *tg_session_state_name(tg_session_state state);

typedef enum tg_event_kind {
    TG_EVENT_SESSION,  /**< state changed; err and text say why, wait_ms how long it waits */
    TG_EVENT_ANSWER,   /**< the gateway answered a subscription: id, or err */
    TG_EVENT_GAP,      /**< a loss was seen; a resync was asked for */
    TG_EVENT_RESYNCED, /**< and repaired */
    TG_EVENT_FAULT,    /**< a message was rejected; text names kind, offset and row */
    TG_EVENT_TOKEN,    /**< a renewal in session: done, or err says why not; the session goes on */
    TG_EVENT_PRIORITY, /**< the gateway answered tg_client_prioritise(): id, or err */
    TG_EVENT_CLOCK,    /**< the machine slept, or its wall clock was set; text says for how long or
                            how far. In a session err is not TG_OK: every row is stale, until another
                            event of this kind says that the gateway answered, or the session ends */
    TG_EVENT_LATE,     /**< frames are over 1 s old when they come, as behind a backlog, and every
                            row is stale (err is not TG_OK); or they are on time again (TG_OK) */
    TG_EVENT_AUDIT     /**< the client's account of its subscriptions contradicts itself, which is a
                            mistake of the library; text says where. Nothing is changed by it */
} tg_event_kind;

typedef struct tg_event {
    tg_event_kind kind;
    tg_session_state state;
    tg_err err;
    tg_sub_id sub;
    tg_instrument_id id;
    uint32_t wait_ms;
    int64_t mono_ns;
    char text[192]; /**< a cause chain in one line; never contains a secret */
} tg_event;

/** Why a token is wanted. */
typedef enum tg_token_reason {
    TG_TOKEN_CONNECT, /**< to connect with */
    TG_TOKEN_RENEW,  /**< the session's runs out; until the answer it goes on with the one it has */
    TG_TOKEN_REFUSED /**< the gateway did not accept the latest one: the same again is no use */
} tg_token_reason;

typedef struct tg_client_options {
    size_t struct_size;  /**< set by tg_client_options_init() */
    const char *url;     /**< wss://host[:port][/path], "/tickglass" without a path; ws:// only
                            to a loopback address; an IPv6 address in brackets; or
                            ws+unix:/path/of/socket */
    const char *ca_file; /**< PEM; NULL: the system's trust store */
    const char *token;   /**< bearer token, or NULL; copied. With a token_provider it serves the
                            first connection and is wiped then, else it is wiped at close */
    uint32_t instruments_max;  /**< 0: 4,096 */
    uint32_t readers_max;      /**< 0: 8 */
    uint32_t events_max;       /**< bounded queue; when full the oldest go, counted. 0: 256 */
    uint32_t backoff_first_ms; /**< window of the first retry; 0: 500 */
    uint32_t backoff_cap_ms;   /**< largest window; 0: 15,000 */
    uint64_t random_seed;      /**< 0: drawn by mbedTLS; else jitter is reproducible (tests) */
    /**
     * Called on the network thread after each publication, so that a UI can wake up. Must not block
     * and may call what is "Thread: any. Blocks: no." only, tg_client_stop() for one. No lock is
     * held.
     */
    void (*on_publish)(void *ctx, uint64_t view_number);
    /** Called on the network thread for each event, before it is queued. Same rules. */
    void (*on_event)(void *ctx, const tg_event *event);
    /**
     * Every received message, before it is decoded; for recording. Same rules. The bytes are valid
     * during the call only.
     */
    void (*on_message)(void *ctx, const void *bytes, size_t size, int64_t received_mono_ns);
    /**
     * One entry of a page that tg_client_find() asked for; instrument is NULL at the page's end,
     * and more then says whether another page follows. Same rules.
     */
    void (*on_found)(void *ctx, uint32_t request, const char *venue,
                     const tg_instrument *instrument, bool more);
    void *ctx;
    const tg_clock *clock;    /**< NULL: the system's; copied. Without boottime_ns a sleep of the
                                   machine is seen as a step of its wall clock */
    uint32_t transitions_max; /**< quality changes that tg_store_transitions() can give. 0: twice
                                   instruments_max, so that the loss of a link and its end fit */
    uint32_t history_points;  /**< of each instrument, for tg_view_history(). 0: no history */
    uint32_t history_instruments; /**< that have one at a time, each 72 bytes a point and 88 a
                                       reader; who is not followed any more makes room first. 0:
                                       instruments_max */
    uint32_t history_step_ms;     /**< time that a point stands for. 0: 1,000 */
    /**
     * Called on the network thread when a token is wanted: before each connection, and in session
     * ahead of the end of the token's lifetime. Answer with tg_client_token(), in this call or
     * later from any thread. Asked again after 30 s without an answer. Must not block; no lock is
     * held. NULL: token is the only one, and without renewal the client stops when it is refused.
     */
    void (*token_provider)(void *ctx, tg_client *client, tg_token_reason reason);
    /**
     * Further gateways, in order of preference behind url; copied, at most 7. An attempt goes to
     * the first one that has not failed lately: one that brought no session of ten seconds is
     * passed over for 30 s, with each failure in a row for twice as long, up to 8 min. A session
     * that holds is never left for a more preferred gateway. Delays between attempts, those that a
     * gateway asks for included, hold for the client and not for each gateway: having several
     * never makes more attempts.
     */
    const char *const *fallback_urls;
    uint32_t fallback_count;
    /**
     * http://[user:password@]host:port: a proxy that leads every connection on (CONNECT), except to
     * a Unix socket; user and password percent-encoded. NULL: none, whatever the environment says.
     * The password is kept in memory until close.
     */
    const char *proxy;
    /** Lets ws:// go to other machines, where prices and the token can be read and changed by
     * everybody on the way. */
    bool allow_plain_text_to_other_machines;
    /**
     * Public keys, one of which the gateway's own certificate must have, beside all that is checked
     * of its chain: "sha256/" and the base64 of SHA-256 over the SubjectPublicKeyInfo, or the
     * base64 alone; at most 16. Checked after the handshake and before anything is sent through
     * it, the token above all. Keys of authorities are not looked at: pin a second key of your own
     * gateways for the day when the first has to go.
     */
    const char *const *spki_pins;
    uint32_t spki_pin_count;
    /**
     * Verify neither chain nor name nor dates of the certificate; pins are checked all the same.
     * Whoever is in between reads the token and writes the prices. Only in builds with
     * TG_DANGEROUS_TLS, elsewhere TG_ERR_UNSUPPORTED; each event of a session's beginning says it.
     */
    bool dangerous_disable_verification;
    const char *client_cert_file;    /**< PEM: this client's certificate, then what leads to its
                                          authority; NULL: none is shown */
    const char *client_key_file;     /**< PEM, encrypted or not; NULL: it is in client_cert_file */
    const char *client_key_password; /**< of an encrypted key; not kept. NULL: none */
    char *error_text; /**< when tg_client_open() fails: why, in one line without a secret; empty
                           when it does not. Not used afterwards. NULL: not wanted */
    size_t error_text_size; /**< in bytes; what does not fit is cut, 256 is plenty */
    /**
     * Which share of the clients tells its gateway how long it takes, in millionths: 0 none, 5,000
     * one of 200, 1,000,000 every one. Drawn at open, with random_seed, for the client's life. One
     * that does sends, while its session is live, about once a minute for each of the stages of
     * tg_client_stage(): the stage's number, the length of the interval since its last report in
     * milliseconds (an hour at most), and the histogram of that interval, how many durations there
     * were of each length. Nothing else: no names, no instruments, no prices, nothing of the
     * machine. The gateway knows whose connection it comes over. A report has at most 16 KiB; the
     * memory for it is 150 KiB, allocated at open, and scratch while one is made, outside the data
     * path. A gateway that does not know reports ignores them.
     */
    uint32_t report_share_ppm;
} tg_client_options;

/** Thread: any.  Blocks: no.  Since: 0.1 */
TG_API void tg_client_options_init(tg_client_options *opt);

/**
 * Open a client. Every byte of its data path is allocated here; nothing is connected yet.
 *
 * @param[in]  opt  options; copied, the caller may free them on return
 * @param[out] out  the client on TG_OK, NULL otherwise; close with tg_client_close()
 * @retval TG_ERR_INVALID_ARGUMENT  opt, opt->url or out is NULL, a value is out of range, a pin is
 *                                  not of its form, a client key has no certificate, or pins or a
 *                                  client certificate are given for ws://
 * @retval TG_ERR_URL               a URL cannot be used; plain ws:// to another machine included
 * @retval TG_ERR_UNSUPPORTED       opt comes from a newer header and sets a field this library
 *                                  lacks, or this build has no dangerous_disable_verification
 * @retval TG_ERR_CERTIFICATE       ca_file cannot be read or holds no certificate; the client's
 *                                  certificate or key cannot be read, the password is wrong or
 *                                  missing, or the key is not the certificate's
 * @retval TG_ERR_IO                the system gives no random numbers, and random_seed is 0
 * @retval TG_ERR_NO_MEMORY         allocation failed
 * Thread: any.  Blocks: reads ca_file and the client's files.  Owner of *out: the caller.  Since:
 * 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_client_open(const tg_client_options *opt, tg_client **out);

/**
 * Stop, release everything. After it returns no callback comes and the network thread has ended. (A
 * name look-up that the system's resolver does not return from goes on alone; it touches nothing of
 * the client.) Not from a callback: use tg_client_stop() there. Readers of the store must be closed
 * before. NULL is allowed, and in a child after fork() nothing is done.
 * Thread: owner.  Blocks: until a running callback has returned, and up to 0.3 s for the good-bye.
 * Since: 0.1
 */
TG_API void tg_client_close(tg_client *client);

/**
 * Start the library's own network thread and connect.
 * @retval TG_ERR_STATE  already started, or driven by tg_client_step()
 * Thread: owner.  Blocks: no.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_client_start(tg_client *client);

/** Leave the gateway and do not come back. Idempotent. Thread: any.  Blocks: no.  Since: 0.1 */
TG_API void tg_client_stop(tg_client *client);

/**
 * Drive the client from the host's loop: do what is ready, and return. The first call connects.
 * @param[in] budget_us  no new piece of work is begun after that time. A piece is one read from the
 *                       socket (at most 32 KiB) or 64 commands; the first is done in any case.
 *                       What is left keeps tg_client_fd() readable or the deadline due.
 * @retval TG_ERR_STATE  the client runs a thread of its own
 * @retval TG_ERR_IO     in the first call: the process has no descriptor left
 * Thread: network (the caller becomes it).  Blocks: no.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_client_step(tg_client *client, uint32_t budget_us);

/**
 * One descriptor for poll(), epoll, a GSource, a QSocketNotifier …: when it is readable,
 * tg_client_step() has something to do. It is the same for the client's life; do not close it.
 *
 *     while (…) {
 *         wait until fd is readable or the deadline of tg_client_next_deadline() is there;
 *         tg_client_step(client, 2000);
 *     }
 *
 * @retval TG_ERR_STATE  the client runs a thread of its own
 * @retval TG_ERR_IO     the process has no descriptor left
 * Thread: network.  Blocks: no.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_client_fd(tg_client *client, int *fd);

/**
 * When tg_client_step() is to be called at the latest although tg_client_fd() is not readable. Ask
 * again after every step.
 * @param[out] mono_ns  on the client's monotonic clock (tg_clock_mono_ns()); a time that is past or
 *                      now means at once, INT64_MAX never
 * @retval TG_ERR_STATE  the client runs a thread of its own
 * Thread: network.  Blocks: no.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_client_next_deadline(tg_client *client, int64_t *mono_ns);

/**
 * Ask for an instrument by name; may be called before the session is up, and survives reconnects.
 * @param[out] out  names this interest; give it back with tg_client_unsubscribe()
 * @retval TG_ERR_INVALID_ARGUMENT  a name is empty, too long or not UTF-8
 * @retval TG_ERR_FULL              the command queue or the subscription table is full
 * Thread: any.  Blocks: no.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_client_subscribe(tg_client *client, const char *venue,
                                                const char *symbol, tg_sub_id *out);

/**
 * Answer token_provider. The copy is wiped once it was handed to the transport.
 * @param[in] token  1 to 8,192 characters of visible ASCII; NULL: there is none now, so that it is
 *                   asked for again later, as after a failed attempt
 * @retval TG_ERR_INVALID_ARGUMENT  client is NULL, or the token is not of that kind
 * @retval TG_ERR_STATE             nobody asked, or the question was answered already
 * Thread: any, token_provider too.  Blocks: no.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_client_token(tg_client *client, const char *token);

/**
 * Have every tick of a subscription's instrument at once, and with depth (tg_view_depth()) where
 * the gateway has it, beside the conflated rows: for an order ticket. Several subscriptions of one
 * instrument count as one; it ends with the last of them, or with tg_client_unsubscribe(). Survives
 * reconnects. The gateway's answer is TG_EVENT_PRIORITY; at most 64 instruments at a time, or as
 * few as the gateway allows (TG_ERR_FULL or TG_ERR_LIMIT there).
 * @retval TG_ERR_NOT_FOUND  sub is not a subscription
 * Thread: any.  Blocks: no.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_client_prioritise(tg_client *client, tg_sub_id sub, bool on);

/**
 * Say whether a subscription is on screen. After a reconnect, and whenever there is more to ask for
 * than the gateway's limit of items a second allows at once, those that are on screen are asked for
 * first. A new subscription is; several of one instrument count as on screen while one of them is.
 * Nothing else depends on it: what is off screen is received and kept up to date as well.
 * @retval TG_ERR_NOT_FOUND  sub is not a subscription
 * Thread: any.  Blocks: no.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_client_set_visible(tg_client *client, tg_sub_id sub, bool visible);

/** Other interests in the same instrument stay. Thread: any.  Blocks: no.  Since: 0.1 */
TG_API TG_MUST_CHECK tg_err tg_client_unsubscribe(tg_client *client, tg_sub_id sub);

/**
 * Search the gateway's directory; on_found brings the page.
 * @param[in] venue         NULL or "": every venue
 * @param[in] prefix        NULL or "": every symbol
 * @param[in] after_venue   cursor: the last entry of the page before, or NULL for the first page
 * @param[in] after_symbol  likewise
 * @param[in] limit         entries wanted, 1 to 4,096
 * @param[out] request      what on_found will name
 * A search that is under way when the connection is lost is asked again in the next session.
 *
 * @retval TG_ERR_INVALID_ARGUMENT  limit is out of range, or a text is too long or not UTF-8
 * @retval TG_ERR_STATE             not started, or stopped
 * @retval TG_ERR_FULL              16 searches wait already
 * Thread: any.  Blocks: no.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_client_find(tg_client *client, const char *venue, const char *prefix,
                                           const char *after_venue, const char *after_symbol,
                                           uint32_t limit, uint32_t *request);

/**
 * The instrument of a subscription: its id once the gateway has answered.
 * @retval TG_ERR_STATE         not answered yet
 * @retval TG_ERR_NOT_FOUND     the gateway does not know it, or sub is not a subscription
 * @retval TG_ERR_NOT_ENTITLED  the token does not cover it
 * @retval TG_ERR_LIMIT         over an advertised limit
 * Thread: any.  Blocks: no.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_client_subscription(const tg_client *client, tg_sub_id sub,
                                                   tg_instrument_id *id);

/** The next queued event; TG_ERR_NOT_FOUND if there is none. Thread: any.  Blocks: no.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_client_event(tg_client *client, tg_event *out);

/** The store; lives as long as the client. Thread: any.  Blocks: no.  Since: 0.1 */
TG_API tg_store *tg_client_store(tg_client *client);

/** Thread: any.  Blocks: no.  Since: 0.1 */
TG_API tg_session_state tg_client_state(const tg_client *client);

typedef struct tg_client_counters {
    size_t struct_size;
    uint64_t bytes; /**< of received messages */
    uint64_t messages;
    uint64_t frames; /**< deltas and snapshots applied, heartbeats included */
    uint64_t frames_rejected;
    uint64_t frames_unfit; /**< based on another boundary or set than ours: dropped, not applied */
    uint64_t unknown_messages;
    uint64_t gaps;
    uint64_t resyncs;
    uint64_t connects; /**< sessions that reached WELCOME */
    uint64_t attempts;
    uint64_t reconnects; /**< connects after the first */
    uint64_t events_dropped;
    int64_t rtt_ns;      /**< of the latest ECHO; -1: none yet. RTT/2 bounds the network's share */
    int64_t rtt_mono_ns; /**< when it was measured */
    int64_t ts_gateway_ns;   /**< of the newest frame */
    uint64_t token_requests; /**< calls of token_provider */
    uint64_t tokens_renewed; /**< in session */
    uint64_t tokens_refused; /**< renewals, and connections that ended for their token */
    uint64_t priority_rows;  /**< received at once instead of conflated; restated ones included */
    uint64_t priority_held;  /**< instruments that the gateway sends so, in the latest session */
    uint64_t books_refused;  /**< depth without a place in the store, or not asked for */
    uint64_t unknown_rows;   /**< of an id that no dictionary entry explained */
    uint64_t late_inputs;    /**< what came of a connection that was over: ignored */
    uint64_t state_errors;   /**< what the session's state table refuses: a mistake of ours */
    uint64_t set_mismatches; /**< the gateway's account of our set was not ours */
    uint64_t endpoint;    /**< of the latest attempt: 0 is url, 1 the first of fallback_urls, … */
    uint64_t failovers;   /**< attempts at another one than the attempt before */
    uint64_t sleeps;      /**< of the machine, that were noticed; of at least 0.1 s */
    uint64_t clock_steps; /**< how often its wall clock was set, by over 0.5 s */
    uint64_t frames_late; /**< deltas, snapshots and ticks over 1 s older than they should be */
    int64_t lateness_ns;  /**< of the latest of these, at least; -1: none yet in this session */
    uint64_t audits;      /**< of the client's account of its subscriptions, every 30 s */
    uint64_t audits_failed;  /**< of which found a contradiction */
    uint64_t reports_sent;   /**< of stages, to the gateway; see report_share_ppm */
    uint64_t reports_failed; /**< no memory, or too many different values for a message: lost */
    /* Why attempts and connections ended, that tg_client_stop() did not end. */
    uint64_t ended_resolve;     /**< a name without an address */
    uint64_t ended_connect;     /**< refused, unreachable, or no answer */
    uint64_t ended_tls;         /**< no TLS session, but not for the certificate */
    uint64_t ended_certificate; /**< the gateway's certificate was refused */
    uint64_t ended_http;        /**< the upgrade was refused with an HTTP status */
    uint64_t ended_upgrade;     /**< what answered was no gateway */
    uint64_t ended_proxy;       /**< the proxy leads nowhere */
    uint64_t ended_token;       /**< there was no token to connect with */
    uint64_t ended_close;       /**< the gateway said good-bye, with a close code */
    uint64_t ended_lost;        /**< ended without one */
    uint64_t ended_timeout;     /**< a deadline of ours passed */
    uint64_t ended_fault;       /**< the gateway broke the protocol */
    uint64_t link_timeouts;     /**< of ended_timeout: nothing was received for too long */
    uint64_t data_timeouts; /**< times that a living link brought no frame: images were asked for */
    uint64_t delays_told;   /**< waits with reconnect_after_ms or Retry-After as their floor */
    uint64_t stops;         /**< ends after which trying again cannot help: 403, 4003, ... */
    uint64_t wanted;        /**< names that subscriptions want now, or that are being given back */
    uint64_t held;          /**< of which the gateway sends, in the latest session */
    uint64_t reconnect_spread_ms; /**< in which the gateway can take back all that it serves, as it
                                     told; 0: it did not */
    /* How far the latest attempt came, on the monotonic clock; -1: not that far. The time from one
     * to the other is what TLS took. */
    int64_t dialled_mono_ns;   /**< its connection was there, through the proxy if there is one */
    int64_t requested_mono_ns; /**< the upgrade was asked for, after the certificate and its pins
                                  had been found good */
} tg_client_counters;

/** Set struct_size first. Thread: any.  Blocks: no.  Since: 0.1 */
TG_API TG_MUST_CHECK tg_err tg_client_counters_get(const tg_client *client,
                                                   tg_client_counters *out);

/**
 * Counters as Prometheus' text format 0.0.4: "tickglass_client_frames_total 12" and so on, each
 * with HELP and TYPE, so that one client's text is a page of its own. Times are in seconds; an rtt
 * that was not measured is left out.
 *
 * @param[in]  labels  what stands between { and } after each name, as "desk=\"fx\",seat=\"7\"", the
 *                     values escaped by the caller; NULL: nothing
 * @param[in]  size    of buf in bytes; 0 with buf NULL asks for the size only
 * @param[out] needed  bytes for the whole text with its terminator
 * @retval TG_ERR_BUFFER_TOO_SMALL  size is under *needed; buf holds the beginning
 * @retval TG_ERR_INVALID_ARGUMENT  a pointer is NULL, or labels holds a brace or a line break
 * Thread: any.  Blocks: no.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_client_counters_text(const tg_client_counters *counters,
                                                    const char *labels, char *buf, size_t size,
                                                    size_t *needed);

/** Stages of a received row, durations in nanoseconds. */
typedef enum tg_stage {
    TG_STAGE_DECODE, /**< received to decoded, per message */
    TG_STAGE_COMMIT, /**< decoded to published */
    TG_STAGE_COUNT
} tg_stage;

typedef struct tg_histogram tg_histogram;
/**
 * A copy of a stage's histogram since the client was opened.
 * @param[in,out] into  a histogram of tg_histogram_open() with at least the same range
 * Thread: any.  Blocks: no.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_client_stage(const tg_client *client, tg_stage stage,
                                            tg_histogram *into);

/**
 * The last failure as a cause chain: "session: TLS: certificate of 127.0.0.1 is not signed by …".
 * Thread: any.  Blocks: no.  Since: 0.1
 */
TG_API void tg_client_last_error(const tg_client *client, char *buf, size_t size);

/**
 * Versions of tickglass, libwebsockets and mbedTLS in this library:
 * "tickglass 0.1.0 libwebsockets 4.3.5 mbedTLS 3.6.7".
 * Thread: any.  Blocks: no.  Owner of the result: the library (static).  Since: 0.1
 */
TG_API const char *tg_build_info(void);

TG_END_DECLS

#endif
