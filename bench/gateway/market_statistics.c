#include "market_statistics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_MS   INT64_C(1000000)
#define NS_PER_S    INT64_C(1000000000)
#define BUSY_PER_S  15.0
#define TICKS_FIRST ((size_t)1 << 16)

static void *require(void *memory)
{
    if (memory == NULL) {
        (void)fprintf(stderr, "bench_market: no memory\n");
        exit(1);
    }
    return memory;
}

void market_statistics_init(market_statistics *s, const tg__directory *directory)
{
    memset(s, 0, sizeof *s);
    s->directory = directory;
    s->quotes = require(calloc(directory->count, sizeof *s->quotes));
}

void market_statistics_free(market_statistics *s)
{
    free(s->ticks);
    free(s->quotes);
    memset(s, 0, sizeof *s);
}

static void add_tick(market_statistics *s, const tg__row *row)
{
    if (s->count == s->capacity) {
        s->capacity = s->capacity == 0 ? TICKS_FIRST : s->capacity * 2;
        s->ticks = require(realloc(s->ticks, s->capacity * sizeof *s->ticks));
    }
    const market_tick tick = {row->ts_ns, row->instrument, (uint8_t)(1u << row->kind)};
    s->ticks[s->count++] = tick;
}

static void add_trade(market_statistics *s, const tg__row *row)
{
    market_quotes *q = &s->quotes[row->instrument];
    add_tick(s, row);
    if (!q->told[TG__ROW_BID] || !q->told[TG__ROW_ASK]) {
        return;
    }
    const bool buys =
        llabs(row->price - q->price[TG__ROW_ASK]) < llabs(row->price - q->price[TG__ROW_BID]);
    s->trades++;
    s->trade_turns += q->traded && buys != q->last_buys;
    q->traded = true;
    q->last_buys = buys;
}

static void add_price(market_statistics *s, const tg__row *row)
{
    market_quotes *q = &s->quotes[row->instrument];
    const int64_t tick = s->directory->instruments[row->instrument].band[0].tick_size;
    int64_t *price = &q->price[row->kind];
    if (q->told[row->kind]) {
        s->sides++;
        s->sides_moved += *price != row->price;
        s->moves_one_tick += llabs(*price - row->price) == tick;
    }
    *price = row->price;
    q->told[row->kind] = true;
    const int64_t spread = q->price[TG__ROW_ASK] - q->price[TG__ROW_BID];
    if (q->told[TG__ROW_BID] && q->told[TG__ROW_ASK] && spread > 0) {
        s->tops++;
        s->tops_one_tick += spread <= tick;
        s->tops_to_32_ticks += spread <= 32 * tick;
    }
}

void market_statistics_add(market_statistics *s, const tg__row *row)
{
    if (row->kind == TG__ROW_TRADE) {
        add_trade(s, row);
        return;
    }
    market_quotes *q = &s->quotes[row->instrument];
    market_tick *last = q->last == 0 ? NULL : &s->ticks[q->last - 1];
    const uint8_t side = (uint8_t)(1u << row->kind);
    if (last != NULL && last->ts_ns == row->ts_ns && q->last_id == row->exchange_id &&
        (last->kinds & side) == 0) {
        last->kinds |= side;
    } else {
        add_tick(s, row);
        q->last = s->count;
        q->last_id = row->exchange_id;
    }
    add_price(s, row);
}

/* ---- figures ------------------------------------------------------------------------------ */

static double percent(double part, double whole)
{
    return whole == 0 ? 0 : 100 * part / whole;
}

static int by_number(const void *a, const void *b)
{
    const double left = *(const double *)a;
    const double right = *(const double *)b;
    return left < right ? -1 : left > right ? 1 : 0;
}

static double median_of(double *values, size_t count)
{
    qsort(values, count, sizeof *values, by_number);
    return count == 0 ? 0 : values[count / 2];
}

typedef struct window_counts {
    double mean;
    double variance;
    double peak;
} window_counts;

/* Of ticks in order of time, in whole windows from start_ns to end_ns. */
static window_counts count_windows(const market_tick *ticks, size_t count, int64_t start_ns,
                                   int64_t end_ns, int64_t window_ns)
{
    window_counts c = {0, 0, 0};
    const int64_t windows = (end_ns - start_ns) / window_ns;
    double squares = 0;
    double total = 0;
    for (size_t i = 0; i < count;) {
        const int64_t window = (ticks[i].ts_ns - start_ns) / window_ns;
        const size_t first = i;
        while (i < count && (ticks[i].ts_ns - start_ns) / window_ns == window) {
            i++;
        }
        if (window < windows) {
            const double ticks_in = (double)(i - first);
            total += ticks_in;
            squares += ticks_in * ticks_in;
            c.peak = ticks_in > c.peak ? ticks_in : c.peak;
        }
    }
    if (windows > 0) {
        c.mean = total / (double)windows;
        c.variance = squares / (double)windows - c.mean * c.mean;
    }
    return c;
}

static double fano(window_counts c)
{
    return c.mean == 0 ? 0 : c.variance / c.mean;
}

typedef struct busy_values {
    size_t count;
    double *gap_cv;
    double *over_10_medians;
    double *under_1ms;
    double *silence;
    double *fano_10ms;
    double *fano_1s;
} busy_values;

static void add_busy(busy_values *b, const market_tick *ticks, size_t count, int64_t start_ns,
                     int64_t end_ns)
{
    const size_t gaps = count - 1;
    double *gap = require(calloc(gaps, sizeof *gap));
    double total = 0;
    double squares = 0;
    double longest = 0;
    size_t under_1ms = 0;
    size_t over = 0;
    for (size_t i = 0; i < gaps; i++) {
        gap[i] = (double)(ticks[i + 1].ts_ns - ticks[i].ts_ns);
        total += gap[i];
        squares += gap[i] * gap[i];
        longest = gap[i] > longest ? gap[i] : longest;
        under_1ms += gap[i] < (double)NS_PER_MS;
    }
    const double mean = total / (double)gaps;
    const double median = median_of(gap, gaps);
    for (size_t i = 0; i < gaps; i++) {
        over += gap[i] > 10 * median;
    }
    const size_t at = b->count++;
    b->gap_cv[at] = sqrt(squares / (double)gaps - mean * mean) / mean;
    b->over_10_medians[at] = percent((double)over, (double)gaps);
    b->under_1ms[at] = percent((double)under_1ms, (double)gaps);
    b->silence[at] = longest / mean;
    b->fano_10ms[at] = fano(count_windows(ticks, count, start_ns, end_ns, 10 * NS_PER_MS));
    b->fano_1s[at] = fano(count_windows(ticks, count, start_ns, end_ns, NS_PER_S));
    free(gap);
}

static int by_instrument(const void *a, const void *b)
{
    const market_tick *left = a;
    const market_tick *right = b;
    if (left->instrument != right->instrument) {
        return left->instrument < right->instrument ? -1 : 1;
    }
    return left->ts_ns < right->ts_ns ? -1 : left->ts_ns > right->ts_ns ? 1 : 0;
}

static void figure_instruments(market_statistics *s, market_figures *f, int64_t start_ns,
                               int64_t end_ns)
{
    const size_t instruments = s->directory->count;
    double *values = require(calloc(7 * instruments, sizeof *values));
    double *counts = values + 6 * instruments;
    busy_values b = {0,
                     values,
                     values + instruments,
                     values + 2 * instruments,
                     values + 3 * instruments,
                     values + 4 * instruments,
                     values + 5 * instruments};
    qsort(s->ticks, s->count, sizeof *s->ticks, by_instrument);
    size_t seen = 0;
    for (size_t i = 0; i < s->count;) {
        const size_t first = i;
        while (i < s->count && s->ticks[i].instrument == s->ticks[first].instrument) {
            i++;
        }
        counts[seen++] = -(double)(i - first); /* negative: the busiest come first */
        if ((double)(i - first) >= BUSY_PER_S * f->seconds) {
            add_busy(&b, s->ticks + first, i - first, start_ns, end_ns);
        }
    }
    qsort(counts, seen, sizeof *counts, by_number);
    double sum = 0;
    const size_t hundredth = (seen + 99) / 100;
    const size_t tenth = (seen + 9) / 10;
    for (size_t i = 0; i < tenth; i++) {
        sum -= counts[i];
        if (i + 1 == hundredth) {
            f->top_1_pct = percent(sum, (double)s->count);
        }
    }
    f->top_10_pct = percent(sum, (double)s->count);
    f->instruments = (double)seen;
    f->busy = (double)b.count;
    f->gap_cv = median_of(b.gap_cv, b.count);
    f->gap_over_10_medians_pct = median_of(b.over_10_medians, b.count);
    f->gap_under_1ms_pct = median_of(b.under_1ms, b.count);
    f->silence_ratio = median_of(b.silence, b.count);
    f->fano_10ms = median_of(b.fano_10ms, b.count);
    f->fano_1s = median_of(b.fano_1s, b.count);
    free(values);
}

market_figures market_statistics_figures(market_statistics *s)
{
    market_figures f = {0};
    if (s->count < 2) {
        return f;
    }
    const int64_t start_ns = s->ticks[0].ts_ns;
    const int64_t end_ns = s->ticks[s->count - 1].ts_ns + 1;
    const double all = (double)s->count;
    size_t trades = 0;
    size_t both = 0;
    for (size_t i = 0; i < s->count; i++) {
        trades += s->ticks[i].kinds == 1u << TG__ROW_TRADE;
        both += s->ticks[i].kinds == 3u;
    }
    f.seconds = (double)(end_ns - start_ns) / (double)NS_PER_S;
    f.ticks_per_s = all / f.seconds;
    f.trade_pct = percent((double)trades, all);
    f.both_pct = percent((double)both, all);
    f.moved_pct = percent((double)s->sides_moved, (double)s->sides);
    f.move_one_tick_pct = percent((double)s->moves_one_tick, (double)s->sides_moved);
    f.spread_one_tick_pct = percent((double)s->tops_one_tick, (double)s->tops);
    f.spread_to_32_pct = percent((double)s->tops_to_32_ticks, (double)s->tops);
    f.trade_run = s->trade_turns == 0 ? 0 : (double)s->trades / (double)s->trade_turns;
    const window_counts ms = count_windows(s->ticks, s->count, start_ns, end_ns, NS_PER_MS);
    const window_counts second = count_windows(s->ticks, s->count, start_ns, end_ns, NS_PER_S);
    f.market_fano_1ms = fano(ms);
    f.market_fano_10ms = fano(count_windows(s->ticks, s->count, start_ns, end_ns, 10 * NS_PER_MS));
    f.market_cv_1s = sqrt(second.variance) / second.mean;
    f.peak_s_ratio = second.peak / second.mean;
    f.peak_s = second.peak;
    f.peak_ms = ms.peak;
    figure_instruments(s, &f, start_ns, end_ns);
    return f;
}
