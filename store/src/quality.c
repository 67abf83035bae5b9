#include "quality.h"

static tg_quality worse(tg_quality a, tg_quality b)
{
    return a > b ? a : b; /* the enumeration goes from best to worst */
}

static bool proof_is_late(const tg__link_axis *link, const tg__row_axis *row, int64_t now_mono_ns)
{
    const int64_t proof_mono_ns =
        link->alive_mono_ns > row->proved_mono_ns ? link->alive_mono_ns : row->proved_mono_ns;
    return link->timeout_ns > 0 && tg__age_ns(proof_mono_ns, now_mono_ns) > link->timeout_ns;
}

static bool is_quiet(const tg__row_axis *row, int64_t now_mono_ns)
{
    return row->cadence_ms > 0 && tg__age_ns(row->proved_mono_ns, now_mono_ns) >
                                      (int64_t)row->cadence_ms * INT64_C(1000000);
}

tg_quality tg__quality_at(const tg__link_axis *link, const tg__venue_axis *venue,
                          const tg__row_axis *row, int64_t now_mono_ns)
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
    tg_quality quality = is_quiet(row, now_mono_ns) ? TG_QUALITY_QUIET : TG_QUALITY_LIVE;
    if (row->delayed) {
        quality = worse(quality, TG_QUALITY_DELAYED);
    }
    if (row->halted) {
        quality = worse(quality, TG_QUALITY_HALTED);
    }
    if (row->proved_era < link->doubt_era) {
        quality = worse(quality, link->doubt);
    }
    if (venue->stale || row->proved_era < venue->doubt_era ||
        proof_is_late(link, row, now_mono_ns)) {
        quality = worse(quality, TG_QUALITY_STALE);
    }
    return quality;
}

const char *tg_quality_name(tg_quality quality)
{
    switch (quality) {
    case TG_QUALITY_LIVE:
        return "LIVE";
    case TG_QUALITY_QUIET:
        return "QUIET";
    case TG_QUALITY_DELAYED:
        return "DELAYED";
    case TG_QUALITY_HALTED:
        return "HALTED";
    case TG_QUALITY_RESYNCING:
        return "RESYNCING";
    case TG_QUALITY_GAP:
        return "GAP";
    case TG_QUALITY_STALE:
        return "STALE";
    case TG_QUALITY_DISCONNECTED:
        return "DISCONNECTED";
    case TG_QUALITY_NOT_ENTITLED:
        return "NOT_ENTITLED";
    case TG_QUALITY_UNKNOWN:
        return "UNKNOWN";
    }
    return "?";
}
