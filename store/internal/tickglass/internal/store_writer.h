/**
 * The market-data store, writer side: for the one thread that owns the session.
 *
 * The store has no clock; time is an argument. Nothing allocates after open. Changes become visible
 * to readers with tg__store_publish(), all at once.
 */
#ifndef TICKGLASS_INTERNAL_STORE_WRITER_H
#define TICKGLASS_INTERNAL_STORE_WRITER_H

#include <tickglass/store.h>

#define TG__HISTORY_POINTS_MAX (1u << 20)
#define TG__TRANSITIONS_MAX    (1u << 24)

typedef struct tg__store_options {
    uint32_t instruments_max;     /* 1 to TG_INSTRUMENT_MAX */
    uint32_t readers_max;         /* 1 to 64 */
    uint32_t transitions_max;     /* of quality, that are kept; 0: they are not told */
    uint32_t history_points;      /* of each instrument's history; 0: there is none */
    uint32_t history_instruments; /* that have one at a time; 1 to instruments_max */
    uint32_t history_step_ms;     /* length of a point's time; at least 1 */
} tg__store_options;

/* Thread: any. TG_ERR_INVALID_ARGUMENT, TG_ERR_NO_MEMORY. */
TG_MUST_CHECK tg_err tg__store_open(const tg__store_options *options, tg_store **out);
/* Every reader must be closed. NULL is allowed. Thread: writer. */
void tg__store_close(tg_store *store);

/* TG_ERR_FULL: pinned views, and instruments from before a restart, hold so many venues' names (of
 * 512) that none is free; the venue keeps the name that it had. */
TG_MUST_CHECK tg_err tg__store_define_venue(tg_store *store, const tg_venue *venue);

/*
 * A new instrument or its entry restated; other exponents drop the values until the next admission.
 * TG_ERR_ID_REUSED: the id names another venue or symbol in this generation, or was removed in it;
 * TG_ERR_INSTRUMENTS: the store is full; TG_ERR_FULL: no entry is free, or no place for what it
 * needs besides, and the instrument is not known until it is defined again. So also in
 * tg__store_rename() and tg__store_rescale(). There are 2 * instruments_max       entries, those
 * that only pinned views have among them, of which instruments_max           may have symbols of
 * over 31 bytes; 64 + instruments_max / 16 tables of price bands other than a single one from
 * INT64_MIN on; 64 + instruments_max / 16 currencies.
 */
TG_MUST_CHECK tg_err tg__store_define_instrument(tg_store *store, const tg_instrument *instrument);
/* True if id is in use and belongs to that venue. */
bool tg__store_has(const tg_store *store, tg_instrument_id id, tg_venue_id venue);
TG_MUST_CHECK tg_err tg__store_rename(tg_store *store, tg_instrument_id id, const char *symbol);
TG_MUST_CHECK tg_err tg__store_remove(tg_store *store, tg_instrument_id id);
/*
 * Exponents or tick sizes change with instrument->epoch; older epochs are refused from here on.
 * TG_ERR_INTEGRITY: another entry, whose epoch is not newer than that of the known one.
 */
TG_MUST_CHECK tg_err tg__store_rescale(tg_store *store, const tg_instrument *instrument);

/*
 * Another dictionary generation or lineage: every id is free again, no row is shown as live. An
 * instrument that is defined anew, by venue name and symbol, goes on from what the store held for
 * it. Nothing happens if both are what they were.
 */
void tg__store_restart(tg_store *store, uint64_t lineage, uint32_t generation);

typedef enum tg__admission {
    TG__ADMITTED,           /* newer: taken over */
    TG__CONFIRMED,          /* equal version and values: age renewed */
    TG__REFUSED_REGRESSION, /* same epoch, older seq */
    TG__REFUSED_EPOCH,      /* older epoch */
    TG__REFUSED_INTEGRITY,  /* equal version, other values: GAP until admitted or confirmed */
    TG__REFUSED_UNKNOWN     /* no such instrument */
} tg__admission;

/* When and how a row came. */
typedef struct tg__arrival {
    int64_t received_mono_ns;
    int64_t now_mono_ns;
    int64_t ts_gateway_ns;
} tg__arrival;

/*
 * The only way by which a value enters the store. covered: lane ticks that the row stands for, 0
 * for not known.
 */
tg__admission tg__store_admit(tg_store *store, tg_instrument_id id, const tg_image *image,
                              uint64_t covered, const tg__arrival *arrival);

/*
 * A hint that changes nothing: a tick of id comes about TG__EXPECT_AHEAD ticks from now. Rows lie
 * all over the memory; a frame says beforehand which it needs.
 */
#define TG__EXPECT_AHEAD 6u
void tg__store_expect(const tg_store *store, tg_instrument_id id);

#define TG__BOOK_MAX 64 /* instruments with depth at a time */

/*
 * Depth has a version of its own, under the same rule: a conflated row of the same version does not
 * shadow a book, nor a book the row. TG_ERR_FULL: TG__BOOK_MAX instruments have depth;
 * TG_ERR_INVALID_ARGUMENT: too many levels.
 */
TG_MUST_CHECK tg_err tg__store_admit_book(tg_store *store, tg_instrument_id id, tg_version version,
                                          const tg_book *book, const tg__arrival *arrival,
                                          tg__admission *admission);
/* Something of what keeps the depth up to date was lost: GAP until it is admitted or confirmed. */
void tg__store_doubt_book(tg_store *store, tg_instrument_id id);
bool tg__store_is_book_doubted(const tg_store *store, tg_instrument_id id);
/* No more depth of this instrument; its place is free for another. */
void tg__store_drop_book(tg_store *store, tg_instrument_id id);

/* Inputs of quality. Times are monotonic. */
typedef enum tg__link_state {
    TG__LINK_DOWN,      /* every row is DISCONNECTED */
    TG__LINK_RESYNCING, /* every conflated row is RESYNCING until admitted or confirmed */
    TG__LINK_GAP,       /* a hole was seen: GAP until admitted or confirmed */
    TG__LINK_UP
} tg__link_state;

void tg__store_set_link(tg_store *store, tg__link_state state, int64_t now_mono_ns);
/*
 * What arrives is of another time than it looks, and whether it is of now is not proved: STALE as
 * long as that lasts, beside whatever the link's state is. Nothing is lost by it: at its end each
 * row is again what it would be.
 */
void tg__store_set_late(tg_store *store, bool late);
/* The channel proved itself alive at now (an applied frame, rows or not). */
void tg__store_channel_alive(tg_store *store, int64_t now_mono_ns);
/* Rows that are older than this at now are not proved alive: STALE. 0: never. */
void tg__store_set_channel_timeout(tg_store *store, int64_t timeout_ns);
void tg__store_set_venue_stale(tg_store *store, tg_venue_id venue, bool stale);
void tg__store_set_not_entitled(tg_store *store, tg_instrument_id id, bool refused);
/* No channel carries the instrument any more: STALE until it is admitted or confirmed again. */
void tg__store_set_unfollowed(tg_store *store, tg_instrument_id id);

/* Make everything since the last publication visible. Never waits, always succeeds. */
void tg__store_publish(tg_store *store, int64_t now_mono_ns);

/*
 * Tell the transitions of quality that time alone has brought about, of up to 8,192 instruments;
 * the next call goes on behind them. All others are told by tg__store_publish().
 */
void tg__store_sweep(tg_store *store, int64_t now_mono_ns);
/* False: it was opened without transitions_max, and a sweep finds nothing. */
bool tg__store_is_watched(const tg_store *store);

/* Bytes that the store allocated at open; it never allocates again. Thread: any. */
size_t tg__store_memory_size(const tg_store *store);

/* What they are for. */
typedef enum tg__store_part {
    TG__STORE_CELLS,      /* values of rows: one cell for each row and version */
    TG__STORE_VERSIONS,   /* each version's identities, lists and axes */
    TG__STORE_BOOKS,      /* each version's depth */
    TG__STORE_DICTIONARY, /* entries, shared by the versions */
    TG__STORE_ACCOUNTS,   /* ledger, losses, refusals */
    TG__STORE_HISTORY,    /* and transitions */
    TG__STORE_REST
} tg__store_part;
#define TG__STORE_PART_COUNT 7

/* All parts together are tg__store_memory_size(). Thread: any. */
size_t tg__store_memory_part(const tg_store *store, tg__store_part part);

#endif
