#include "glass_times.h"

#include <stdlib.h>

#define NS_PER_S INT64_C(1000000000)

/* The spans of which the last seconds are shown, each second in a histogram of its own. */
typedef struct recent_ring {
    tg_histogram *second[GLASS_TIMES_RECENT_S];
    int64_t number[GLASS_TIMES_RECENT_S]; /* of the second that each one holds */
} recent_ring;

struct glass_times {
    tg_histogram *all[SPAN_COUNT];
    recent_ring received;
    recent_ring exchange;
    tg_histogram *sum; /* of a ring, made when it is asked for */
};

static tg_err open_histogram(int significant_digits, tg_histogram **out)
{
    tg_histogram_options options;
    tg_histogram_options_init(&options);
    options.significant_digits = significant_digits;
    return tg_histogram_open(&options, out);
}

static tg_err open_ring(recent_ring *ring)
{
    for (int i = 0; i < GLASS_TIMES_RECENT_S; i++) {
        const tg_err err = open_histogram(2, &ring->second[i]);
        if (err != TG_OK) {
            return err;
        }
        ring->number[i] = -1;
    }
    return TG_OK;
}

tg_err glass_times_open(glass_times **out)
{
    *out = NULL;
    glass_times *times = calloc(1, sizeof *times);
    if (times == NULL) {
        return TG_ERR_NO_MEMORY;
    }
    tg_err err = open_histogram(2, &times->sum);
    for (int i = 0; i < SPAN_COUNT && err == TG_OK; i++) {
        err = open_histogram(3, &times->all[i]);
    }
    if (err == TG_OK) {
        err = open_ring(&times->received);
    }
    if (err == TG_OK) {
        err = open_ring(&times->exchange);
    }
    if (err != TG_OK) {
        glass_times_close(times);
        return err;
    }
    *out = times;
    return TG_OK;
}

static void close_ring(const recent_ring *ring)
{
    for (int i = 0; i < GLASS_TIMES_RECENT_S; i++) {
        tg_histogram_close(ring->second[i]);
    }
}

void glass_times_close(glass_times *times)
{
    if (times == NULL) {
        return;
    }
    for (int i = 0; i < SPAN_COUNT; i++) {
        tg_histogram_close(times->all[i]);
    }
    close_ring(&times->received);
    close_ring(&times->exchange);
    tg_histogram_close(times->sum);
    free(times);
}

static void record_recent(recent_ring *ring, int64_t now_mono_ns, int64_t value)
{
    const int64_t second = now_mono_ns / NS_PER_S;
    const int64_t place = second % GLASS_TIMES_RECENT_S;
    if (ring->number[place] != second) {
        tg_histogram_reset(ring->second[place]);
        ring->number[place] = second;
    }
    tg_histogram_record(ring->second[place], value);
}

void glass_times_record(glass_times *times, const fresh_row *row, const pass_stamps *stamps)
{
    const int64_t received_to_handed = stamps->handed_mono_ns - row->received_mono_ns;
    tg_histogram_record(times->all[SPAN_COMMITTED_TO_DRAWN],
                        stamps->drawn_mono_ns - row->committed_mono_ns);
    tg_histogram_record(times->all[SPAN_DRAWN_TO_HANDED],
                        stamps->handed_mono_ns - stamps->drawn_mono_ns);
    tg_histogram_record(times->all[SPAN_RECEIVED_TO_HANDED], received_to_handed);
    record_recent(&times->received, stamps->handed_mono_ns, received_to_handed);
    if (row->ts_exchange_ns != 0 && !row->first) {
        const int64_t exchange_to_handed = stamps->handed_utc_ns - row->ts_exchange_ns;
        tg_histogram_record(times->all[SPAN_EXCHANGE_TO_HANDED], exchange_to_handed);
        record_recent(&times->exchange, stamps->handed_mono_ns, exchange_to_handed);
    }
}

const tg_histogram *glass_times_all(const glass_times *times, glass_span span)
{
    return times->all[span];
}

recent_times glass_times_recent(glass_times *times, glass_span span, int64_t now_mono_ns)
{
    const recent_ring *ring = span == SPAN_EXCHANGE_TO_HANDED ? &times->exchange : &times->received;
    const int64_t oldest = now_mono_ns / NS_PER_S - GLASS_TIMES_RECENT_S;
    recent_times recent = {0};
    tg_histogram_reset(times->sum);
    for (int i = 0; i < GLASS_TIMES_RECENT_S; i++) {
        if (ring->number[i] > oldest && tg_histogram_add(times->sum, ring->second[i]) != TG_OK) {
            return recent; /* never: they are all of one range */
        }
    }
    tg_histogram_summary summary;
    tg_histogram_summary_get(times->sum, &summary);
    recent.count = summary.count;
    recent.max_ns = summary.max;
    recent.p50_ns = tg_histogram_percentile(times->sum, 50);
    recent.p99_ns = tg_histogram_percentile(times->sum, 99);
    return recent;
}
