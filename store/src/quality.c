#include "quality.h"

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
        return "RESYNC";
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
