#include "glass_times.h"

#include <stdlib.h>

#include <tickglass/histogram_form.h>

#define NS_PER_S INT64_C(1000000000)

/* The spans of which the last seconds are shown: each second in a histogram of its own, and their
 * sum, from which a second that is over is taken away again. */
typedef struct recent_ring {
    tg_histogram *second[GLASS_TIMES_RECENT_S];
    int64_t newest; /* number of the newest second */
    tg_histogram *sum;
    tg_histogram *spare; /* becomes the sum when something is taken away */
} recent_ring;

struct glass_times {
    tg_histogram *all[SPAN_COUNT];
    recent_ring received;
    recent_ring exchange;
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
    tg_err err = open_histogram(2, &ring->sum);
    if (err == TG_OK) {
        err = open_histogram(2, &ring->spare);
    }
    for (int i = 0; i < GLASS_TIMES_RECENT_S && err == TG_OK; i++) {
        err = open_histogram(2, &ring->second[i]);
    }
    return err;
}

tg_err glass_times_open(glass_times **out)
{
    *out = NULL;
    glass_times *times = calloc(1, sizeof *times);
    if (times == NULL) {
        return TG_ERR_NO_MEMORY;
    }
    tg_err err = TG_OK;
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
    tg_histogram_close(ring->sum);
    tg_histogram_close(ring->spare);
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
    free(times);
}

static tg_histogram *second_of(const recent_ring *ring, int64_t number)
{
    return ring->second[number % GLASS_TIMES_RECENT_S];
}

static void forget_all(const recent_ring *ring)
{
    for (int i = 0; i < GLASS_TIMES_RECENT_S; i++) {
        tg_histogram_reset(ring->second[i]);
    }
    tg_histogram_reset(ring->sum);
}

/* The next second takes the place of the oldest one. */
static void step(recent_ring *ring)
{
    tg_histogram *oldest = second_of(ring, ++ring->newest);
    tg_histogram *less = ring->spare;
    tg_histogram_reset(less);
    /* Never refused: all are of one range, and the sum has what it is made of. */
    if (tg_histogram_add_difference(less, ring->sum, oldest) == TG_OK) {
        ring->spare = ring->sum;
        ring->sum = less;
    }
    tg_histogram_reset(oldest);
}

static void advance(recent_ring *ring, int64_t second)
{
    if (second - ring->newest >= GLASS_TIMES_RECENT_S) {
        forget_all(ring);
        ring->newest = second;
    }
    while (ring->newest < second) {
        step(ring);
    }
}

static void record_recent(recent_ring *ring, int64_t now_mono_ns, int64_t value)
{
    advance(ring, now_mono_ns / NS_PER_S);
    tg_histogram_record(second_of(ring, ring->newest), value);
    tg_histogram_record(ring->sum, value);
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
    recent_ring *ring = span == SPAN_EXCHANGE_TO_HANDED ? &times->exchange : &times->received;
    recent_times recent = {0};
    tg_histogram_summary summary;
    advance(ring, now_mono_ns / NS_PER_S);
    tg_histogram_summary_get(ring->sum, &summary);
    recent.count = summary.count;
    if (summary.count > 0) {
        recent.max_ns = summary.max;
        recent.p50_ns = tg_histogram_percentile(ring->sum, 50);
        recent.p99_ns = tg_histogram_percentile(ring->sum, 99);
    }
    return recent;
}
