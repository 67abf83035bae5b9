/**
 * The market-data store, reader side.
 *
 * A reader pins one published version (a view) of the whole store: every row, name and quality read
 * from it comes from the same cut, for as long as it is pinned. Pinning is wait-free and never
 * keeps the writer waiting. A client owns its store: tg_client_store() gives it.
 */
#ifndef TICKGLASS_STORE_H
#define TICKGLASS_STORE_H

#include <tickglass/err.h>
#include <tickglass/market.h>

TG_BEGIN_DECLS

typedef struct tg_store tg_store;
typedef struct tg_reader tg_reader;
typedef struct tg_view tg_view;

/** What a value on the screen may be called. Ordered from best to worst for a trader. */
typedef enum tg_quality {
    TG_QUALITY_LIVE,    /**< confirmed within its cadence */
    TG_QUALITY_QUIET,   /**< nothing for longer than usual, but link and channel are proved alive */
    TG_QUALITY_DELAYED, /**< live, of a delayed feed */
    TG_QUALITY_HALTED,  /**< the venue says that it does not trade */
    TG_QUALITY_RESYNCING, /**< a repair was asked for and has not come */
    TG_QUALITY_GAP,       /**< a loss is known and not repaired */
    TG_QUALITY_STALE,     /**< the value may be old: feed, channel or link are not proved alive */
    TG_QUALITY_DISCONNECTED, /**< no session */
    TG_QUALITY_NOT_ENTITLED, /**< the gateway refuses this instrument */
    TG_QUALITY_UNKNOWN       /**< no value was ever received */
} tg_quality;

/** "LIVE", "QUIET", … as the terminal shows it. Thread: any.  Blocks: no.  Since: 0.1 */
TG_API const char *tg_quality_name(tg_quality quality);

/** Which axis made it so. Two that agree: the first in this order. */
typedef enum tg_quality_cause {
    TG_QUALITY_CAUSE_NONE,         /**< LIVE needs none */
    TG_QUALITY_CAUSE_LINK,         /**< no session, or a loss on it that the value was not proved
                                        since */
    TG_QUALITY_CAUSE_VENUE,        /**< the venue's feed, likewise */
    TG_QUALITY_CAUSE_SILENCE,      /**< no frame came in time */
    TG_QUALITY_CAUSE_STATUS,       /**< what the venue says of its trading */
    TG_QUALITY_CAUSE_FEED,         /**< delayed by contract */
    TG_QUALITY_CAUSE_CADENCE,      /**< no tick for longer than usual */
    TG_QUALITY_CAUSE_ENTITLEMENT,  /**< refused by the gateway */
    TG_QUALITY_CAUSE_NO_VALUE,     /**< nothing was received */
    TG_QUALITY_CAUSE_UNSUBSCRIBED, /**< nobody follows it any more */
    TG_QUALITY_CAUSE_CONTRADICTED, /**< the same version came with other values */
    TG_QUALITY_CAUSE_LATENESS /**< what comes is seconds old, or not proved to be of now since the
                                   machine slept or its wall clock was set */
} tg_quality_cause;

/** One instrument as of one view. */
typedef struct tg_row {
    tg_image image;
    int64_t received_mono_ns;  /**< when the bytes of the newest admitted tick arrived; 0: never */
    int64_t ts_gateway_ns;     /**< UTC; when the gateway cut it */
    uint64_t changed_in;       /**< tg_view_number() of the view that first showed this version */
    int64_t committed_mono_ns; /**< when that tick was admitted */
    int64_t age_ns;            /**< since the value was last received or confirmed; -1: never */
    tg_quality quality;
    tg_quality_cause cause; /**< of the quality: comparing two reads gives each transition its
                               cause */
    bool crossed;           /**< bid over ask: flagged, never repaired */
    bool locked;            /**< bid equals ask: likewise */
    bool history_restarted; /**< from another sequencing lineage than the value before it, and
                               not proved to be newer; stays until the lineage changes again */
} tg_row;

/**
 * A place to pin views from. One thread at a time may use a reader.
 *
 * @retval TG_ERR_READERS    every reader slot of the store is taken
 * @retval TG_ERR_NO_MEMORY  allocation failed
 * Thread: any.  Blocks: no.  Owner of *out: the caller; close with tg_reader_close().  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_reader_open(tg_store *store, tg_reader **out);

/** Unpins and gives the slot back. NULL is allowed. Thread: reader.  Blocks: no.  Since: 0.1 */
TG_API void tg_reader_close(tg_reader *reader);

/**
 * Pin the newest published view. A view that this reader still had pinned is unpinned.
 * Wait-free: no loop, no lock. Never NULL.
 * Thread: reader.  Blocks: no.  Owner of the result: the store, until unpin.  Since: 0.1
 */
TG_API const tg_view *tg_reader_pin(tg_reader *reader);

/** Thread: reader.  Blocks: no.  Since: 0.1 */
TG_API void tg_reader_unpin(tg_reader *reader);

/** Counts publications; grows by at least 1 with each. Thread: reader.  Since: 0.1 */
TG_API uint64_t tg_view_number(const tg_view *view);

/** Monotonic time of the publication, as the writer gave it. Thread: reader.  Since: 0.1 */
TG_API int64_t tg_view_published_mono_ns(const tg_view *view);

/** Instruments that the store knows in this view. Thread: reader.  Since: 0.1 */
TG_API size_t tg_view_count(const tg_view *view);

/** The id of the index-th known instrument, index < tg_view_count(). Thread: reader.  Since: 0.1 */
TG_API tg_instrument_id tg_view_id(const tg_view *view, size_t index);

/**
 * Value, quality and age of one instrument in one call.
 *
 * @param now_mono_ns  the reader's monotonic time; age and quality are judged at it
 * @retval TG_ERR_NOT_FOUND  the id is not known in this view
 * Thread: reader.  Blocks: no.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_view_row(const tg_view *view, tg_instrument_id id,
                                        int64_t now_mono_ns, tg_row *out);

/** Depth of one instrument as of one view. */
typedef struct tg_depth {
    tg_book book;
    tg_version version; /**< of the book; the row has its own */
    tg_quality quality;
    int64_t age_ns;      /**< since the book was last received or confirmed */
    uint64_t changed_in; /**< tg_view_number() of the view that first showed this version */
} tg_depth;

/**
 * The best levels of one instrument, with their own quality and age.
 *
 * @param now_mono_ns  the reader's monotonic time; age and quality are judged at it
 * @retval TG_ERR_NOT_FOUND  the id is not known in this view, or there is no depth of it
 * Thread: reader.  Blocks: no.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_view_depth(const tg_view *view, tg_instrument_id id,
                                          int64_t now_mono_ns, tg_depth *out);

/** Ticks that were not taken over, by cause. */
typedef struct tg_refusals {
    uint32_t regression; /**< same epoch, older seq; like the others it stays at its maximum */
    uint32_t epoch;      /**< older epoch */
    uint32_t integrity;  /**< equal version, other values */
} tg_refusals;

/**
 * Refusals of one instrument's ticks up to now, not up to the view.
 * @retval TG_ERR_NOT_FOUND  the id is not known in this view
 * Thread: reader.  Blocks: no.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_view_refusals(const tg_view *view, tg_instrument_id id,
                                             tg_refusals *out);

/**
 * The same for all instruments of a venue since the store was opened or the venue ids were changed.
 * @retval TG_ERR_NOT_FOUND  venue is out of range
 * Thread: reader.  Blocks: no.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_view_venue_refusals(const tg_view *view, tg_venue_id venue,
                                                   tg_refusals *out);

/**
 * What became of the ticks of a lane:
 * lane_ticks = received + conflated + lost + superseded.
 *
 * lane_ticks follows from the versions: those from the first row on. A row that stands for c ticks
 * and is admitted counts 1 received and c - 1 conflated. Ticks that no row stood for are lost,
 * until a row reaches back to them: superseded if it is older than what the store has, conflated
 * otherwise. (Of the newest three holes; what came too late for that stays lost.) A row of a
 * snapshot does not say for how many it stands: it counts for itself, and the ticks that it jumped
 * over are lost.
 */
typedef struct tg_ledger {
    uint64_t lane_ticks;
    uint64_t received;
    uint64_t conflated;
    uint64_t lost;
    uint64_t superseded;
    uint64_t repeated; /**< outside the sum: ticks that an admitted row stood for although they were
                            accounted for, or older than the first row. Two channels of an
                            instrument do that; with one, its covered counts do not add up */
} tg_ledger;

/**
 * The ledger of one instrument up to now, not up to the view; consistent to within one row.
 * @retval TG_ERR_NOT_FOUND  the id is not known in this view
 * Thread: reader.  Blocks: no.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_view_ledger(const tg_view *view, tg_instrument_id id,
                                           tg_ledger *out);

/**
 * What was received of one instrument in one step of time; steps in which nothing was have no
 * point. Prices are mantissas at the instrument's price exponent, those that are null are 0.
 */
typedef struct tg_history_point {
    int64_t begin_mono_ns; /**< arrival of the first row in it */
    int64_t end_mono_ns;   /**< and of the last */
    int64_t first;         /**< of the last prices in it, as the next three */
    int64_t last;
    int64_t min;
    int64_t max;
    int64_t bid; /**< at its end */
    int64_t ask;
    uint32_t rows;    /**< that it is made of, at least 1 */
    uint32_t present; /**< TG_FIELD_BIT()s: of LAST_PRICE if any row had one, of BID_PRICE and
                           ASK_PRICE as at its end */
} tg_history_point;

/**
 * The newest points of one instrument, the oldest first; nothing in them is newer than the view,
 * and the last one ends with the view's own row. A view that stays pinned for long may find its
 * oldest points overwritten, and gives fewer. Another scale begins a new history.
 *
 * A client keeps history only if tg_client_options.history_points is set, and of an instrument from
 * its first tick on.
 *
 * @param[out] count  how many were written, at most capacity
 * @retval TG_ERR_NOT_FOUND  the id is not known in this view, or there is no history of it
 * Thread: reader.  Blocks: no.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_view_history(const tg_view *view, tg_instrument_id id,
                                            tg_history_point *out, size_t capacity, size_t *count);

/**
 * The dictionary entry: names, scale, price bands.
 * @retval TG_ERR_NOT_FOUND  the id is not known in this view
 * Thread: reader.  Blocks: no.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_view_instrument(const tg_view *view, tg_instrument_id id,
                                               tg_instrument *out);

/** The venue's name, "?" if it was never named; valid while pinned. Thread: reader.  Since: 0.1 */
TG_API const char *tg_view_venue_name(const tg_view *view, tg_venue_id venue);

/** TG_ERR_NOT_FOUND if no such instrument is known in this view. Thread: reader.  Since: 0.1 */
TG_API TG_MUST_CHECK tg_err tg_view_find(const tg_view *view, const char *venue, const char *symbol,
                                         tg_instrument_id *out);

/**
 * The known instruments whose version changed in a view with a number over since, each once, in no
 * order. At most capacity are written; the result is how many there are. Costs in proportion to
 * what has been admitted since then, and at most to the number of instruments. Thread: reader.
 * Blocks: no.  Since: 0.1
 */
TG_API size_t tg_view_changed(const tg_view *view, uint64_t since, tg_instrument_id *ids,
                              size_t capacity);

/** One instrument's quality became another. */
typedef struct tg_transition {
    uint64_t number; /**< 1, 2, …; a step of more than 1: those between were overwritten */
    int64_t mono_ns; /**< when it was noticed */
    tg_instrument_id id;
    tg_quality from; /**< UNKNOWN for an instrument that is new */
    tg_quality to;
    tg_quality_cause cause;        /**< of to */
    tg_quality_cause cause_before; /**< of from: what has ended, where to is LIVE */
} tg_transition;

/**
 * Transitions with a number over since, in their order; the next call's since is the number of the
 * last one. A client keeps the newest tg_client_options.transitions_max for all that ask; each asks
 * for itself.
 *
 * What a message, the link or the gateway brings about is told with the publication that shows it.
 * What time alone brings about, and the end of a silence by a heartbeat, is looked for every 250 ms
 * (over 8,192 known instruments: 8,192 of them each time); what came and went between is not told.
 *
 * @return how many were written, at most capacity
 * Thread: any.  Blocks: no.  Since: 0.1
 */
TG_API size_t tg_store_transitions(const tg_store *store, uint64_t since, tg_transition *out,
                                   size_t capacity);

typedef struct tg_store_counters {
    size_t struct_size;
    uint64_t admitted;      /**< rows that raised a version */
    uint64_t covered_ticks; /**< lane ticks that those rows stood for */
    uint64_t confirmed;     /**< equal version, equal values (rejected_duplicate in reports) */
    uint64_t rejected_regression; /**< same epoch, older seq */
    uint64_t rejected_epoch;      /**< older epoch */
    uint64_t integrity_faults;    /**< equal version, other values */
    uint64_t views_published;
    uint64_t history_restarts; /**< rows taken over from another lineage without proof of age */
    uint64_t depth_admitted;   /**< books that raised a version */
    uint64_t depth_refused;    /**< books that did not, nor confirmed one */
    uint64_t lane_ticks;       /**< this and the next five: tg_ledger, over all instruments */
    uint64_t received;
    uint64_t conflated;
    uint64_t lost;
    uint64_t superseded;
    uint64_t repeated;
    uint64_t transitions; /**< of quality, told so far */
} tg_store_counters;

/** Set struct_size first. Consistent to within one row. Thread: any.  Blocks: no.  Since: 0.1 */
TG_API TG_MUST_CHECK tg_err tg_store_counters_get(const tg_store *store, tg_store_counters *out);

TG_END_DECLS

#endif
