#include "metrics.h"

#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

#define INTERVAL_NS INT64_C(10000000000)

tg_err tg__metrics_histogram_open(tg_histogram **out)
{
    tg_histogram_options options;
    tg_histogram_options_init(&options);
    options.lowest = 1; /* as histogram logs have it: written without a copy */
    return tg_histogram_open(&options, out);
}

static tg_err open_histograms(tg__metrics *m)
{
    for (unsigned stage = 0; stage < TG__STAGE_COUNT; stage++) {
        TG_TRY(tg__metrics_histogram_open(&m->current[stage]));
        TG_TRY(tg__metrics_histogram_open(&m->last[stage]));
    }
    return TG_OK;
}

static void begin_interval(tg__metrics *m, int64_t mono_ns)
{
    m->interval_mono_ns = mono_ns;
    m->interval_utc_ns = tg_clock_utc_ns(&m->clock);
}

static void free_all(tg__metrics *m)
{
    for (unsigned stage = 0; stage < TG__STAGE_COUNT; stage++) {
        tg_histogram_close(m->current[stage]);
        tg_histogram_close(m->last[stage]);
    }
    tg__metrics_files_close(m->files);
    free(m->admissions);
    free(m);
}

tg_err tg__metrics_open(const tg_clock *clock, uint32_t instrument_count, tg__metrics_files *files,
                        tg__metrics **out)
{
    *out = NULL;
    tg__metrics *m = calloc(1, sizeof *m);
    if (m == NULL) {
        tg__metrics_files_close(files);
        return TG_ERR_NO_MEMORY;
    }
    m->clock = *clock;
    m->files = files;
    m->admissions =
        calloc(((size_t)instrument_count + 1) * TG__METRICS_BOUNDARIES, sizeof *m->admissions);
    const tg_err err = m->admissions == NULL ? TG_ERR_NO_MEMORY : open_histograms(m);
    if (err != TG_OK) {
        free_all(m);
        return err;
    }
    begin_interval(m, tg_clock_mono_ns(&m->clock));
    m->published = TG__STAGE_COUNT;
    *out = m;
    return TG_OK;
}

/* The next stage of the interval that has ended. */
static void publish(tg__metrics *m)
{
    const tg__stage stage = (tg__stage)m->published++;
    const tg_histogram *histogram = m->last[stage];
    tg__stage_quantiles *quantiles = &m->quantiles[stage];
    quantiles->known = tg_histogram_count_between(histogram, 0, INT64_MAX) > 0;
    quantiles->p50_ns = tg_histogram_percentile(histogram, 50);
    quantiles->p99_ns = tg_histogram_percentile(histogram, 99);
    quantiles->p999_ns = tg_histogram_percentile(histogram, 99.9);
    if (m->files != NULL) {
        tg__metrics_files_add(m->files, stage, histogram, m->last_from_utc_ns, m->last_to_utc_ns);
    }
}

static void publish_all(tg__metrics *m)
{
    while (m->published < TG__STAGE_COUNT) {
        publish(m);
    }
}

static void end_interval(tg__metrics *m, int64_t mono_ns)
{
    tg_histogram *whole[TG__STAGE_COUNT];
    publish_all(m);
    m->last_from_utc_ns = m->interval_utc_ns;
    m->last_to_utc_ns = m->interval_utc_ns + (mono_ns - m->interval_mono_ns);
    m->published = 0;
    memcpy(whole, m->current, sizeof whole);
    memcpy(m->current, m->last, sizeof whole);
    memcpy(m->last, whole, sizeof whole);
    for (unsigned stage = 0; stage < TG__STAGE_COUNT; stage++) {
        tg_histogram_reset(m->current[stage]);
        m->client_values[stage] = 0;
    }
    begin_interval(m, mono_ns);
}

void tg__metrics_close(tg__metrics *metrics)
{
    if (metrics == NULL) {
        return;
    }
    end_interval(metrics, tg_clock_mono_ns(&metrics->clock));
    publish_all(metrics);
    free_all(metrics);
}

void tg__metrics_rotate(tg__metrics *metrics)
{
    if (metrics == NULL) {
        return;
    }
    const int64_t mono_ns = tg_clock_mono_ns(&metrics->clock);
    if (mono_ns - metrics->interval_mono_ns >= INTERVAL_NS) {
        end_interval(metrics, mono_ns);
    }
    if (metrics->published < TG__STAGE_COUNT) {
        publish(metrics);
    }
}

static void record(tg__metrics *m, tg__stage stage, int64_t duration_ns, uint32_t times)
{
    for (uint32_t i = 0; i < times; i++) {
        tg_histogram_record(m->current[stage], duration_ns);
    }
    if (duration_ns >= 0) {
        m->totals[stage].count += times;
        m->totals[stage].sum_ns += (uint64_t)duration_ns * times;
    }
}

void tg__metrics_row(tg__metrics *metrics, tg_instrument_id id, uint64_t boundary,
                     int64_t taken_mono_ns, int64_t age_ns)
{
    if (metrics == NULL) {
        return;
    }
    metrics->turn_rows++;
    metrics->turn_mono_ns = taken_mono_ns;
    if (age_ns >= 0) {
        record(metrics, TG__STAGE_HANDLER, age_ns, 1);
    }
    tg__admission *first =
        &metrics
             ->admissions[(size_t)id * TG__METRICS_BOUNDARIES + boundary % TG__METRICS_BOUNDARIES];
    if (first->boundary != boundary) {
        first->boundary = boundary;
        first->mono_ns = taken_mono_ns;
    }
}

void tg__metrics_turn_end(tg__metrics *metrics, int64_t mono_ns)
{
    if (metrics != NULL && metrics->turn_rows > 0) {
        record(metrics, TG__STAGE_SEQUENCING, mono_ns - metrics->turn_mono_ns, metrics->turn_rows);
        tg__stage_record_turn(metrics->record, metrics->turn_mono_ns, mono_ns);
        metrics->turn_rows = 0;
    }
}

void tg__metrics_frame_begin(tg__metrics *metrics)
{
    if (metrics != NULL) {
        metrics->frame_mono_ns = tg_clock_mono_ns(&metrics->clock);
    }
}

/* When the first tick came that was cut after base and up to boundary; INT64_MAX: not known. */
static int64_t oldest_admission(const tg__metrics *m, tg_instrument_id id, uint64_t base,
                                uint64_t boundary)
{
    const tg__admission *own = &m->admissions[(size_t)id * TG__METRICS_BOUNDARIES];
    int64_t oldest = INT64_MAX;
    for (unsigned i = 0; i < TG__METRICS_BOUNDARIES; i++) {
        if (own[i].boundary > base && own[i].boundary <= boundary && own[i].mono_ns < oldest) {
            oldest = own[i].mono_ns;
        }
    }
    return oldest;
}

int64_t tg__metrics_frame_end(tg__metrics *metrics, const tg__frame *frame,
                              const tg__update *updates)
{
    if (metrics == NULL) {
        return 0;
    }
    const int64_t begin_ns = metrics->frame_mono_ns;
    /* A second reading: what lies between them is the work that is measured. */
    const int64_t end_ns = tg_clock_mono_ns(&metrics->clock);
    for (uint32_t i = 0; i < frame->count; i++) {
        const int64_t oldest_ns =
            oldest_admission(metrics, updates[i].id, frame->base, frame->boundary);
        if (oldest_ns != INT64_MAX) {
            record(metrics, TG__STAGE_CONFLATION, begin_ns - oldest_ns, 1);
        }
    }
    record(metrics, TG__STAGE_ENCODE, end_ns - begin_ns, frame->count);
    tg__stage_record_frame(metrics->record, frame, updates, begin_ns, end_ns);
    return end_ns;
}

void tg__metrics_ticks(tg__metrics *metrics, uint64_t connection, const tg__tick *ticks,
                       uint32_t count, int64_t begun_mono_ns)
{
    if (metrics != NULL && metrics->record != NULL) {
        /* Read again: how long the encoding took is what is recorded. */
        tg__stage_record_ticks(metrics->record, connection, ticks, count, begun_mono_ns,
                               tg_clock_mono_ns(&metrics->clock));
    }
}

void tg__metrics_written(tg__metrics *metrics, uint64_t connection, int64_t queued_mono_ns)
{
    int64_t ticks_mono_ns = 0;
    if (metrics != NULL && queued_mono_ns != 0) {
        /* Read again: how long the write took is in it. */
        const int64_t written_ns = tg_clock_mono_ns(&metrics->clock);
        record(metrics, TG__STAGE_WRITE, written_ns - queued_mono_ns, 1);
        tg__stage_record_written(metrics->record, connection, queued_mono_ns, written_ns);
    } else if (metrics != NULL &&
               tg__stage_record_awaits(metrics->record, connection, &ticks_mono_ns)) {
        tg__stage_record_written(metrics->record, connection, ticks_mono_ns,
                                 tg_clock_mono_ns(&metrics->clock));
    }
}

void tg__metrics_echo(tg__metrics *metrics, uint64_t connection, uint64_t cookie, int64_t mono_ns)
{
    if (metrics != NULL) {
        tg__stage_record_echo(metrics->record, connection, cookie, mono_ns);
    }
}

static uint64_t add_up_to_most(uint64_t a, uint64_t b)
{
    return b <= UINT64_MAX - a ? a + b : UINT64_MAX;
}

bool tg__metrics_client(tg__metrics *metrics, tg__stage stage, const tg_histogram *values,
                        uint64_t count, uint64_t sum_ns)
{
    if (count > TG__METRICS_CLIENT_VALUES_MAX - metrics->client_values[stage] ||
        tg_histogram_add(metrics->current[stage], values) != TG_OK) {
        return false;
    }
    tg__stage_total *total = &metrics->totals[stage];
    metrics->client_values[stage] += count;
    total->count = add_up_to_most(total->count, count);
    total->sum_ns = add_up_to_most(total->sum_ns, sum_ns);
    return true;
}
