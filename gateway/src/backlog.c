#include "backlog.h"

void tg__backlog_add(tg__backlog *backlog, size_t bytes)
{
    backlog->since_mark += bytes;
}

bool tg__backlog_is_old(tg__backlog *backlog, size_t waiting, int64_t mono_ns)
{
    /* No more waits than was given since the mark: all that is older has arrived. */
    if (!backlog->marked || waiting <= backlog->since_mark) {
        backlog->marked = waiting > 0;
        backlog->mark_mono_ns = mono_ns;
        backlog->since_mark = 0;
        return false;
    }
    return mono_ns - backlog->mark_mono_ns > TG__BACKLOG_AGE_NS;
}
