#include "latency.h"

#include <stdlib.h>

/* Between two looks at the process: each takes calls of the system, and a busy loop turns more
 * often than a stall is long. */
#define LOOK_NS INT64_C(10000000)

struct latency {
    stage_windows *windows;
    process_stalls *stalls;
    latency_span *span;
    tg_histogram *total; /* copy of one of the client's stages */
    clock_error clock_error;
    int64_t looked_mono_ns;
};

tg_err latency_open(int64_t now_mono_ns, latency **out)
{
    *out = NULL;
    latency *self = calloc(1, sizeof *self);
    if (self == NULL) {
        return TG_ERR_NO_MEMORY;
    }
    tg_err err = stage_windows_open(STAGE_WINDOWS_BYTES, now_mono_ns, &self->windows);
    if (err == TG_OK) {
        err = process_stalls_open(&self->stalls);
    }
    if (err == TG_OK) {
        err = latency_span_open(&self->span);
    }
    if (err == TG_OK) {
        err = tg_histogram_open(NULL, &self->total);
    }
    if (err != TG_OK) {
        latency_close(self);
        return err;
    }
    self->clock_error = clock_error_read();
    *out = self;
    return TG_OK;
}

void latency_close(latency *self)
{
    if (self == NULL) {
        return;
    }
    stage_windows_close(self->windows);
    process_stalls_close(self->stalls);
    latency_span_close(self->span);
    tg_histogram_close(self->total);
    free(self);
}

void latency_row(latency *self, const fresh_row *row, const pass_stamps *stamps)
{
    stage_windows_record(self->windows, LATENCY_WAIT,
                         stamps->pinned_mono_ns - row->committed_mono_ns);
    stage_windows_record(self->windows, LATENCY_DRAW,
                         stamps->drawn_mono_ns - stamps->pinned_mono_ns);
    stage_windows_record(self->windows, LATENCY_PRESENT,
                         stamps->handed_mono_ns - stamps->drawn_mono_ns);
    stage_windows_record(self->windows, LATENCY_RECEIVED_TO_HANDED,
                         stamps->handed_mono_ns - row->received_mono_ns);
    if (row->ts_exchange_ns != 0 && !row->first) {
        stage_windows_record(self->windows, LATENCY_EXCHANGE_TO_HANDED,
                             stamps->handed_utc_ns - row->ts_exchange_ns);
    }
}

static void take_client_stages(latency *self, const tg_client *client)
{
    static const struct {
        latency_stage stage;
        tg_stage of_client;
    } stages[] = {{LATENCY_DECODE, TG_STAGE_DECODE}, {LATENCY_COMMIT, TG_STAGE_COMMIT}};
    for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++) {
        tg_histogram_reset(self->total);
        if (tg_client_stage(client, stages[i].of_client, self->total) == TG_OK) {
            /* Refused only if the client counted backwards; then the window lacks it. */
            (void)!stage_windows_take_total(self->windows, stages[i].stage, self->total);
        }
    }
}

void latency_end_window(latency *self, const tg_client *client, session_record *record,
                        const tg_clock *clock)
{
    const int64_t now_mono_ns = tg_clock_mono_ns(clock);
    const int64_t from_mono_ns = stage_windows_running_from(self->windows);
    take_client_stages(self, client);
    for (int i = 0; i < LATENCY_STAGE_COUNT; i++) {
        session_record_window(record, latency_stage_tag((latency_stage)i),
                              stage_windows_running(self->windows, (latency_stage)i), from_mono_ns,
                              now_mono_ns);
    }
    const stall_tally stalls = process_stalls_end_tally(self->stalls);
    stage_windows_end(self->windows, now_mono_ns, tg_clock_utc_ns(clock), &stalls);
    self->clock_error = clock_error_read();
}

bool latency_poll(latency *self, const tg_client *client, session_record *record,
                  const tg_clock *clock)
{
    const int64_t now_mono_ns = tg_clock_mono_ns(clock);
    if (now_mono_ns - self->looked_mono_ns >= LOOK_NS) {
        const process_sample sample = process_stalls_look(self->stalls);
        process_stalls_take(self->stalls, &sample, now_mono_ns);
        self->looked_mono_ns = now_mono_ns;
    }
    if (now_mono_ns - stage_windows_running_from(self->windows) < STAGE_WINDOW_NS) {
        return false;
    }
    latency_end_window(self, client, record, clock);
    return true;
}

stage_windows *latency_windows(latency *self)
{
    return self->windows;
}

process_stalls *latency_stalls(latency *self)
{
    return self->stalls;
}

latency_span *latency_chosen(latency *self)
{
    return self->span;
}

clock_error latency_clock_error(const latency *self)
{
    return self->clock_error;
}
