#include "tick_log_join.h"

#include <string.h>

void tick_latency_open(tick_latency *l)
{
    l->oldest = latency_open();
    l->newest = latency_open();
    l->unmatched = 0;
}

void tick_latency_close(tick_latency *l)
{
    tg_histogram_close(l->oldest);
    tg_histogram_close(l->newest);
    memset(l, 0, sizeof *l);
}

void tick_log_join(tick_latency *into, const admissions *rows, time_window window,
                   const tick_log *log)
{
    for (size_t i = 0; i < rows->count; i++) {
        const admission *const row = &rows->at[i];
        int64_t oldest_ns = 0;
        int64_t newest_ns = 0;
        if (row->published_utc_ns < window.from_ns || row->published_utc_ns >= window.to_ns) {
            continue;
        }
        if (!tick_log_scheduled(log, row->id, row->seq - row->covered + 1, &oldest_ns) ||
            !tick_log_scheduled(log, row->id, row->seq, &newest_ns)) {
            into->unmatched++;
            continue;
        }
        tg_histogram_record(into->oldest, row->published_utc_ns - oldest_ns);
        tg_histogram_record(into->newest, row->published_utc_ns - newest_ns);
    }
}
