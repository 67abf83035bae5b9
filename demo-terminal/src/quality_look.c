#include "quality_look.h"

#include <stdio.h>

#include <tickglass/time_text.h>

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

void quality_note(tg_quality quality, int64_t age_ns, char text[QUALITY_NOTE_SIZE])
{
    char age[TG_TIME_TEXT_SIZE] = "";
    if (tg_age_text(age_ns, age, sizeof age) != TG_OK) {
        age[0] = '\0';
    }
    (void)snprintf(text, QUALITY_NOTE_SIZE, "%s%s %s", quality_is_suspect(quality) ? "! " : "",
                   tg_quality_name(quality), age);
}
