/**
 * From the axes that the writer keeps to the one word on the screen.
 *
 * Axes are kept apart and combined only when a reader asks, at the reader's time: a value grows old
 * without anybody writing. Whether a row was proved since a loss is a comparison of eras: every
 * loss starts a new era of the store, a row carries the era in which it was last admitted or
 * confirmed, an axis the era in which it was last in doubt. So the end of a loss clears nothing by
 * itself.
 */
#ifndef TICKGLASS_STORE_QUALITY_H
#define TICKGLASS_STORE_QUALITY_H

#include <tickglass/internal/store_writer.h>

/* The axes of the whole store. */
typedef struct tg__link_axis {
    int64_t alive_mono_ns; /* when the channel last proved itself alive; 0: never */
    int64_t timeout_ns;    /* of that proof; 0: none */
    tg__link_state state;  /* of the session */
    tg_quality doubt;      /* what a row is that was not proved since doubt_era */
    uint32_t doubt_era;    /* last loss on the link or channel */
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
} tg__row_axis;

/* How long before now; 0 for what lies after it, as a reader may have taken its time earlier. */
static inline int64_t tg__age_ns(int64_t mono_ns, int64_t now_mono_ns)
{
    return now_mono_ns > mono_ns ? now_mono_ns - mono_ns : 0;
}

static inline tg_quality tg__quality_worse(tg_quality a, tg_quality b)
{
    return a > b ? a : b; /* the enumeration goes from best to worst */
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
 *   HALTED         the venue says that it does not trade
 *   DELAYED        the feed is delayed
 *   QUIET          the row's own last proof is older than its cadence
 *   LIVE
 * Inline: a screen asks for it sixty times a second for each row.
 */
static inline tg_quality tg__quality_at(const tg__link_axis *link, const tg__loss_axis *loss,
                                        const tg__venue_axis *venue, const tg__row_axis *row,
                                        int64_t now_mono_ns)
{
    if (link->state == TG__LINK_DOWN) {
        return TG_QUALITY_DISCONNECTED;
    }
    if (row->not_entitled) {
        return TG_QUALITY_NOT_ENTITLED;
    }
    if (!row->has_value) {
        return TG_QUALITY_UNKNOWN;
    }
    tg_quality quality =
        tg__quality_is_quiet(row, now_mono_ns) ? TG_QUALITY_QUIET : TG_QUALITY_LIVE;
    if (row->delayed) {
        quality = tg__quality_worse(quality, TG_QUALITY_DELAYED);
    }
    if (row->halted) {
        quality = tg__quality_worse(quality, TG_QUALITY_HALTED);
    }
    if (tg__quality_is_late(link, row, now_mono_ns)) {
        quality = tg__quality_worse(quality, TG_QUALITY_STALE);
    }
    if (row->proved_era >= loss->latest_era && loss->stale_venues == 0) {
        return quality;
    }
    if (row->proved_era < link->doubt_era) {
        quality = tg__quality_worse(quality, link->doubt);
    }
    if (venue->stale || row->proved_era < venue->doubt_era) {
        quality = tg__quality_worse(quality, TG_QUALITY_STALE);
    }
    return quality;
}

#endif
