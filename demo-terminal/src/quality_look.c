#include "quality_look.h"

bool quality_is_suspect(tg_quality quality)
{
    switch (quality) {
    case TG_QUALITY_LIVE:
    case TG_QUALITY_QUIET:
    case TG_QUALITY_DELAYED:
    case TG_QUALITY_HALTED:
        return false;
    case TG_QUALITY_RESYNCING:
    case TG_QUALITY_GAP:
    case TG_QUALITY_STALE:
    case TG_QUALITY_DISCONNECTED:
    case TG_QUALITY_NOT_ENTITLED:
    case TG_QUALITY_UNKNOWN:
        return true;
    }
    return true;
}

uint32_t quality_colour(const tg_palette *palette, tg_quality quality)
{
    switch (quality) {
    case TG_QUALITY_LIVE:
        return palette->good;
    case TG_QUALITY_QUIET:
        return palette->label;
    case TG_QUALITY_DELAYED:
    case TG_QUALITY_HALTED:
    case TG_QUALITY_RESYNCING:
        return palette->warning;
    case TG_QUALITY_GAP:
    case TG_QUALITY_STALE:
    case TG_QUALITY_DISCONNECTED:
    case TG_QUALITY_NOT_ENTITLED:
        return palette->bad;
    case TG_QUALITY_UNKNOWN:
        return palette->faint;
    }
    return palette->bad;
}
