#include "shown.h"

#include <stdlib.h>
#include <string.h>

#define IDS 65536u

bool shown_init(shown *s)
{
    s->session = 1;
    s->entries = calloc(IDS, sizeof *s->entries);
    return s->entries != NULL;
}

void shown_deinit(shown *s)
{
    free(s->entries);
    memset(s, 0, sizeof *s);
}

void shown_new_session(shown *s)
{
    s->session++;
}

shown_step shown_take(shown *s, uint16_t id, uint32_t epoch, uint64_t seq, bool restarted,
                      uint64_t *before)
{
    shown_entry *const entry = &s->entries[id];
    const shown_entry last = *entry;
    const bool older = epoch != last.epoch ? epoch < last.epoch : seq < last.seq;
    *before = last.seq;
    /* The mark stays on the row, but the lineage only changes between sessions. */
    const bool may_restart = restarted && last.session != s->session;
    if (last.session != 0 && older && !may_restart) {
        return SHOWN_REGRESSION;
    }
    *entry = (shown_entry){seq, epoch, s->session};
    if (last.session != 0 && older) {
        return SHOWN_RESTART;
    }
    if (last.session != 0 && epoch == last.epoch && seq == last.seq) {
        return SHOWN_AGAIN;
    }
    return last.session == s->session ? SHOWN_FOLLOWS : SHOWN_FIRST;
}
