/*
 * A share of the clients tells the gateway how long their stages take. PROTOCOL.md 4.7. Whether
 * this one does is drawn at open; values are recorded on the data path, into what was allocated
 * then, and made into text on a timer.
 */
#include <tickglass/internal/control_flow.h>
#include <tickglass/internal/hlog.h>

#include "engine_state.h"

#define SHARE_WHOLE_PPM UINT32_C(1000000)
#define PERIOD_NS       (60 * TG__S_NS)
#define SPREAD_NS       (6 * TG__S_NS)  /* on top, so that clients drift apart */
#define LEAST_NS        (10 * TG__S_NS) /* from a session's begin: also between two sessions' */
#define INTERVAL_MAX_MS 3600000

tg_err tg__engine_report_open(tg__engine *engine, uint32_t share_ppm)
{
    TG_ENSURE(share_ppm <= SHARE_WHOLE_PPM, TG_ERR_INVALID_ARGUMENT);
    /* Without a share nothing is drawn: all other jitter of a seed stays what it was. */
    if (share_ppm == 0 ||
        tg__random_upto(&engine->random, SHARE_WHOLE_PPM - 1) >= (uint64_t)share_ppm) {
        return TG_OK;
    }
    tg_histogram_options options;
    tg_histogram_options_init(&options);
    options.lowest = 1; /* the shape of the wire: encoded without a copy */
    for (int stage = 0; stage < TG_STAGE_COUNT; stage++) {
        TG_TRY(tg_histogram_open(&options, &engine->reports[stage].values));
        engine->reports[stage].from_ns = TG__NEVER;
        engine->reports[stage].at_ns = TG__NEVER;
    }
    return TG_OK;
}

void tg__engine_report_close(tg__engine *engine)
{
    for (int stage = 0; stage < TG_STAGE_COUNT; stage++) {
        tg_histogram_close(engine->reports[stage].values);
    }
}

void tg__engine_report_begin(tg__engine *engine, int64_t now_ns)
{
    for (int stage = 0; stage < TG_STAGE_COUNT; stage++) {
        tg__stage_report *report = &engine->reports[stage];
        if (report->values == NULL) {
            continue;
        }
        /* Anywhere in the period: a fleet that came at once does not report at once. */
        report->at_ns =
            now_ns + LEAST_NS + (int64_t)tg__random_upto(&engine->random, PERIOD_NS - LEAST_NS);
        /* What an earlier session had no time to report is in this one's first. */
        report->from_ns = report->from_ns == TG__NEVER ? now_ns : report->from_ns;
    }
}

void tg__engine_report_value(tg__engine *engine, tg_stage stage, int64_t duration_ns)
{
    if (engine->reports[stage].values != NULL) {
        tg_histogram_record(engine->reports[stage].values, duration_ns);
    }
}

int64_t tg__engine_report_deadline(const tg__engine *engine)
{
    int64_t deadline_ns = TG__NEVER;
    if (engine->state != TG__ENGINE_LIVE) {
        return deadline_ns;
    }
    for (int stage = 0; stage < TG_STAGE_COUNT; stage++) {
        if (engine->reports[stage].values != NULL) {
            deadline_ns = tg__min_ns(deadline_ns, engine->reports[stage].at_ns);
        }
    }
    return deadline_ns;
}

static tg_err send(tg__engine *engine, tg_stage stage, int64_t now_ns)
{
    static const tg__report_stage wire_stages[TG_STAGE_COUNT] = {
        [TG_STAGE_DECODE] = TG__REPORT_DECODE,
        [TG_STAGE_COMMIT] = TG__REPORT_COMMIT,
    };
    const tg__stage_report *own = &engine->reports[stage];
    const int64_t interval_ms = (now_ns - own->from_ns) / TG__MS_NS;
    tg__text_buffer text = {NULL, 0, 0, false};
    size_t capacity = 0;
    size_t size = 0;
    uint8_t *out = tg__engine_out(engine, &capacity);
    tg_err err = tg__hlog_encode(own->values, &text);
    if (err == TG_OK) {
        const tg__report report = {
            .stage = (uint8_t)wire_stages[stage],
            .interval_ms = (uint32_t)tg__min_ns(interval_ms, INTERVAL_MAX_MS),
            .text = text.bytes,
            .text_size = text.size,
        };
        err = tg__report_encode(&report, out, capacity, &size);
    }
    tg__text_buffer_deinit(&text);
    if (err == TG_OK) {
        tg__engine_send(engine, size);
    }
    return err;
}

static void end_interval(tg__engine *engine, tg_stage stage, int64_t now_ns)
{
    tg__stage_report *report = &engine->reports[stage];
    tg_histogram_summary summary;
    tg_histogram_summary_get(report->values, &summary);
    if (summary.count > 0) {
        tg__count(send(engine, stage, now_ns) == TG_OK ? &engine->counters.reports_sent
                                                       : &engine->counters.reports_failed,
                  1);
    }
    /* Kept values would make the next text larger still: a report that failed is lost. */
    tg_histogram_reset(report->values);
    report->from_ns = now_ns;
    report->at_ns = now_ns + PERIOD_NS + (int64_t)tg__random_upto(&engine->random, SPREAD_NS);
}

void tg__engine_report(tg__engine *engine, int64_t now_ns)
{
    if (engine->state != TG__ENGINE_LIVE) {
        return;
    }
    for (int stage = 0; stage < TG_STAGE_COUNT; stage++) {
        tg__stage_report *report = &engine->reports[stage];
        if (report->values == NULL || now_ns < report->at_ns) {
            continue;
        }
        if (tg__engine_room(engine) == 0) {
            report->at_ns = now_ns + TG__MS_NS; /* when this input's actions are done */
        } else {
            end_interval(engine, (tg_stage)stage, now_ns);
        }
    }
}
