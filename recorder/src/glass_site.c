#include "glass_site.h"

#include <string.h>

#include <tickglass/record_inline.h>

/* Formats without the letters that give a length, which differ between machines. */
static const struct {
    tg__glass_kind kind;
    const char *format;
} known[] = {
    {TG__GLASS_INSTRUMENT, "instrument %u is %s:%s"},
    {TG__GLASS_ROW, "row of instrument %u epoch %u seq %u due_mono_ns %d taken_mono_ns %d "
                    "ended_mono_ns %d queued_mono_ns %d"},
    {TG__GLASS_FRAME, "frame to boundary %u begun_mono_ns %d queued_mono_ns %d rows %u"},
    {TG__GLASS_WRITTEN, "connection %u queued_mono_ns %d written_mono_ns %d"},
    {TG__GLASS_ECHO_SEEN, "connection %u echo %u seen_mono_ns %d"},
    {TG__GLASS_SLOT, "slot %u is %s:%s"},
    {TG__GLASS_SHOWS, "pass %u shows slot %u epoch %u seq %u received_mono_ns %d "
                      "committed_mono_ns %d exchange_utc_ns %d"},
    {TG__GLASS_HANDED, "pass %u handed off view %u cells %u pinned_mono_ns %d drawn_mono_ns %d "
                       "handed_mono_ns %d handed_utc_ns %d"},
    {TG__GLASS_VISIBLE, "view %u received_mono_ns %d visible_mono_ns %d"},
    {TG__GLASS_ECHO, "echo %u sent_mono_ns %d received_mono_ns %d"},
};

static bool fits(const tg__site_info *site, const char *wanted)
{
    const char *at = site->format;
    const char *end = at + site->format_size;
    uint8_t argument = 0;
    bool converts = false;
    for (; *wanted != '\0'; wanted++, at++) {
        while (converts && at < end && strchr("lzjt", *at) != NULL) {
            at++;
        }
        if (at == end || *at != *wanted) {
            return false;
        }
        if (converts) {
            if (argument == site->argument_count ||
                (*wanted == 's') != (site->types[argument] == TG__TYPE_TEXT) ||
                (*wanted != 's' && site->types[argument] > TG__TYPE_U64)) {
                return false;
            }
            argument++;
        }
        converts = !converts && *wanted == '%';
    }
    return at == end && argument == site->argument_count;
}

void tg__glass_sites_find(const tg__log_file *file, tg__glass_sites *out)
{
    memset(out, 0, sizeof *out);
    for (uint32_t id = 1; id <= TG__SITES_MAX; id++) {
        for (size_t i = 0; file->sites[id].id != 0 && i < sizeof known / sizeof known[0]; i++) {
            if (fits(&file->sites[id], known[i].format)) {
                out->kind[id] = (uint8_t)known[i].kind;
                break;
            }
        }
    }
}

tg__glass_kind tg__glass_sites_read(const tg__glass_sites *sites, const tg__log_record *record,
                                    tg__log_argument *arguments)
{
    const tg__glass_kind kind = (tg__glass_kind)sites->kind[record->site->id];
    if (kind != TG__GLASS_OTHER) {
        tg__log_arguments(record, arguments);
    }
    return kind;
}
