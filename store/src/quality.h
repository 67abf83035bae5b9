/**
 * From the axes that the writer keeps to the one word on the screen.
 *
 * Axes are kept apart and combined only when a reader asks, at the reader's time: a value grows old
 * without anybody writing. Whether a row was proved since a loss is a comparison of eras: every
 * loss starts a new era of the store, a row carries the era in which it was last admitted or
 * confirmed, an axis the era in which it was last in doubt. So the end of a loss clears nothing by
 * itself. Eras are even: a row's has TG__ERA_REMARKED in it if there is something to say of its
 * values, and compares with the axes' as it did.
 */
#ifndef TICKGLASS_STORE_QUALITY_H
#define TICKGLASS_STORE_QUALITY_H

#include <tickglass/internal/store_writer.h>

#define TG__ERA_STEP     2u
#define TG__ERA_REMARKED 1u

/* The axes of the whole store. */
typedef struct tg__link_axis {
    int64_t alive_mono_ns; /* when the channel last proved itself alive; 0: never */
    int64_t timeout_ns;    /* of that proof; 0: none */
    tg__link_state state;  /* of the session */
    tg_quality doubt;      /* what a row is that was not proved since doubt_era */
    uint32_t doubt_era;    /* last loss on the link or channel */
    bool late;             /* what arrives is not proved to be of now */
} tg__link_axis;

/* Over link and venues: the usual case, no loss at all, is seen without looking at each. */
typedef struct tg__loss_axis {
    uint32_t latest_era;   /* in which any of them was last in doubt */
    uint32_t stale_venues; /* how many are */
} tg__loss_axis;

typedef struct tg__venue_axis {
    uint32_t doubt_era; /* last beginning or end of a loss; 0: never */
    bool stale;         /* the loss goes on */
} tg__venue_axis;

/* The axes of one row. */
typedef struct tg__row_axis {
    int64_t proved_mono_ns; /* arrival of what last admitted or confirmed it */
    uint32_t proved_era;
    uint32_t cadence_ms; /* expected longest silence; 0: not known */
    bool has_value;
    bool not_entitled;
    bool delayed;
    bool halted;
    bool unfollowed;   /* no channel carries it any more */
    bool contradicted; /* or something of it alone was lost */
} tg__row_axis;

/* How long before now; 0 for what lies after it, as a reader may have taken its time earlier. */
static inline int64_t tg__age_ns(int64_t mono_ns, int64_t now_mono_ns)
{
    return now_mono_ns > mono_ns ? now_mono_ns - mono_ns : 0;
}

/*
 * The usual case, decided once for a publication: a row with nothing said against itself, or of its
 * values, is LIVE if it was proved in this era and it is not later than this.
 */
typedef struct tg__plain {
    uint64_t era; /* over UINT32_MAX: no row is, as link or a venue are in doubt */
    int64_t until_mono_ns;
} tg__plain;

static inline tg__plain tg__plain_of(const tg__link_axis *link, const tg__loss_axis *loss)
{
    const bool in_doubt = link->state == TG__LINK_DOWN || link->late || loss->stale_venues > 0;
    const bool has_end = link->timeout_ns > 0 && link->alive_mono_ns < INT64_MAX - link->timeout_ns;
    return (tg__plain){
        .era = in_doubt ? UINT64_MAX : loss->latest_era,
        .until_mono_ns = has_end ? link->alive_mono_ns + link->timeout_ns : INT64_MAX,
    };
}

typedef struct tg__verdict {
    tg_quality quality;
    tg_quality_cause cause;
} tg__verdict;

/* The worse of what was found so far and another axis. */
static inline tg__verdict tg__verdict_worse(tg__verdict so_far, tg_quality quality,
                                            tg_quality_cause cause)
{
    /* The enumeration goes from best to worst. */
    return quality > so_far.quality ? (tg__verdict){quality, cause} : so_far;
}

static inline bool tg__quality_is_late(const tg__link_axis *link, const tg__row_axis *row,
                                       int64_t now_mono_ns)
{
    const int64_t proof_mono_ns =
        link->alive_mono_ns > row->proved_mono_ns ? link->alive_mono_ns : row->proved_mono_ns;
    return link->timeout_ns > 0 && tg__age_ns(proof_mono_ns, now_mono_ns) > link->timeout_ns;
}

static inline bool tg__quality_is_quiet(const tg__row_axis *row, int64_t now_mono_ns)
{
    return row->cadence_ms > 0 && tg__age_ns(row->proved_mono_ns, now_mono_ns) >
                                      (int64_t)row->cadence_ms * INT64_C(1000000);
}

/*
 * The quality at now_mono_ns. In this order, the first that holds:
 *   DISCONNECTED   the link is down
 *   NOT_ENTITLED   the gateway refuses the row
 *   UNKNOWN        the row has no value
 * else the worst of
 *   link.doubt     not proved since the last loss on the link (RESYNCING, GAP or STALE)
 *   STALE          the venue is, or the row was not proved since it was
 *   STALE          the last proof (the row's own, or the channel's) is older than the timeout
 *   GAP            the same version came with other values: one of the two was damaged; of depth,
 *                  that or a loss on the channel that brings it
 *   STALE          no channel carries the row any more: a live channel proves nothing of it
 *   STALE          what arrives is late: it was true once, and the chain is whole
 *   HALTED         the venue says that it does not trade
 *   DELAYED        the feed is delayed
 *   QUIET          the row's own last proof is older than its cadence
 *   LIVE
 * Inline: a screen asks for it sixty times a second for each row.
 */
static inline tg__verdict tg__quality_at(const tg__link_axis *link, const tg__loss_axis *loss,
                                         const tg__venue_axis *venue, const tg__row_axis *row,
                                         int64_t now_mono_ns)
{
    if (link->state == TG__LINK_DOWN) {
        return (tg__verdict){TG_QUALITY_DISCONNECTED, TG_QUALITY_CAUSE_LINK};
    }
    if (row->not_entitled) {
        return (tg__verdict){TG_QUALITY_NOT_ENTITLED, TG_QUALITY_CAUSE_ENTITLEMENT};
    }
    if (!row->has_value) {
        return (tg__verdict){TG_QUALITY_UNKNOWN, TG_QUALITY_CAUSE_NO_VALUE};
    }
    tg__verdict verdict = {TG_QUALITY_LIVE, TG_QUALITY_CAUSE_NONE};
    /* Worst first: of two that agree the first stays. */
    if (row->proved_era < loss->latest_era || loss->stale_venues > 0) {
        if (row->proved_era < link->doubt_era) {
            verdict = tg__verdict_worse(verdict, link->doubt, TG_QUALITY_CAUSE_LINK);
        }
        if (venue->stale || row->proved_era < venue->doubt_era) {
            verdict = tg__verdict_worse(verdict, TG_QUALITY_STALE, TG_QUALITY_CAUSE_VENUE);
        }
    }
    if (tg__quality_is_late(link, row, now_mono_ns)) {
        verdict = tg__verdict_worse(verdict, TG_QUALITY_STALE, TG_QUALITY_CAUSE_SILENCE);
    }
    if (row->contradicted) {
        verdict = tg__verdict_worse(verdict, TG_QUALITY_GAP, TG_QUALITY_CAUSE_CONTRADICTED);
    }
    if (row->unfollowed) {
        verdict = tg__verdict_worse(verdict, TG_QUALITY_STALE, TG_QUALITY_CAUSE_UNSUBSCRIBED);
    }
    if (link->late) {
        verdict = tg__verdict_worse(verdict, TG_QUALITY_STALE, TG_QUALITY_CAUSE_LATENESS);
    }
    if (row->halted) {
        verdict = tg__verdict_worse(verdict, TG_QUALITY_HALTED, TG_QUALITY_CAUSE_STATUS);
    }
    if (row->delayed) {
        verdict = tg__verdict_worse(verdict, TG_QUALITY_DELAYED, TG_QUALITY_CAUSE_FEED);
    }
    if (tg__quality_is_quiet(row, now_mono_ns)) {
        verdict = tg__verdict_worse(verdict, TG_QUALITY_QUIET, TG_QUALITY_CAUSE_CADENCE);
    }
    return verdict;
}

#endif
