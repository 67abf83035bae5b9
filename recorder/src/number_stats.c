#include "number_stats.h"

#include <string.h>

#include <tickglass/histogram.h>
#include <tickglass/internal/control_flow.h>
#include <tickglass/record_inline.h>

#include "histogram_slots.h"

void tg__number_stats_deinit(tg__number_stats *stats)
{
    for (int side = 0; side < 2; side++) {
        tg_histogram_close(stats->magnitudes[side]);
        stats->magnitudes[side] = NULL;
    }
}

bool tg__number_stats_has_percentiles(const tg__number_stats *stats, uint8_t type)
{
    return type != TG__TYPE_F64 && !stats->mixed;
}

static tg_err open_side(tg__number_stats *stats, int side)
{
    if (stats->magnitudes[side] != NULL) {
        return TG_OK;
    }
    tg_histogram_options opt;
    tg_histogram_options_init(&opt);
    opt.lowest = 1;
    opt.highest = INT64_MAX;
    return tg_histogram_open(&opt, &stats->magnitudes[side]);
}

static tg_err add_magnitude(tg__number_stats *stats, int64_t value)
{
    const int side = value < 0 ? 1 : 0;
    TG_TRY(open_side(stats, side));
    tg_histogram_record(stats->magnitudes[side], value < 0 ? -(value + 1) : value);
    return TG_OK;
}

static double scale_of(int8_t exponent)
{
    double scale = 1;
    for (int i = exponent < 0 ? -exponent : exponent; i > 0; i--) {
        scale *= 10;
    }
    return exponent < 0 ? 1 / scale : scale;
}

static void take_in(tg__number_stats *stats, double min, double max, double sum, uint64_t count)
{
    stats->min = stats->count == 0 || min < stats->min ? min : stats->min;
    stats->max = stats->count == 0 || max > stats->max ? max : stats->max;
    stats->sum += sum;
    stats->count += count;
}

tg_err tg__number_stats_add(tg__number_stats *stats, const tg__log_argument *argument)
{
    double value;
    int64_t whole = 0;
    if (argument->type == TG__TYPE_F64) {
        memcpy(&value, &argument->word, sizeof value);
    } else if (argument->type == TG__TYPE_U64) {
        value = (double)argument->word;
        whole = argument->word > INT64_MAX ? INT64_MAX : (int64_t)argument->word;
    } else if (argument->type == TG__TYPE_TEXT || argument->type == TG__TYPE_BLOB) {
        whole = argument->size;
        value = (double)whole;
    } else {
        whole = (int64_t)argument->word;
        value = (double)whole;
    }
    if (argument->type == TG__TYPE_DECIMAL) {
        stats->mixed = stats->mixed || (stats->count != 0 && stats->exponent != argument->exponent);
        stats->exponent = argument->exponent;
        value *= scale_of(argument->exponent);
    }
    take_in(stats, value, value, value, 1);
    return tg__number_stats_has_percentiles(stats, argument->type) ? add_magnitude(stats, whole)
                                                                   : TG_OK;
}

/* What one pass over many words finds. */
typedef struct word_range {
    uint64_t min;
    uint64_t max;
    double sum;
} word_range;

/* In halves, which do not wrap with fewer than 2^32 of them. */
static double sum_of_large(const uint64_t *words, size_t count)
{
    uint64_t low = 0;
    uint64_t high = 0;
    for (size_t i = 0; i < count; i++) {
        low += words[i] & UINT32_MAX;
        high += words[i] >> 32;
    }
    return (double)high * 4294967296.0 + (double)low;
}

static word_range range_of(const uint64_t *words, size_t count)
{
    word_range range = {UINT64_MAX, 0, 0};
    uint64_t sum = 0; /* exact, and no addition waits for the one before */
    for (size_t i = 0; i < count; i++) {
        range.min = words[i] < range.min ? words[i] : range.min;
        range.max = words[i] > range.max ? words[i] : range.max;
        sum += words[i];
    }
    range.sum =
        count == 0 || range.max <= UINT64_MAX / count ? (double)sum : sum_of_large(words, count);
    return range;
}

tg_err tg__number_stats_add_words(tg__number_stats *stats, uint8_t type, const uint64_t *words,
                                  size_t count)
{
    const word_range range = range_of(words, count);
    if (type != TG__TYPE_F64 && range.max <= INT64_MAX && count != 0 && count <= UINT32_MAX) {
        TG_TRY(open_side(stats, 0));
        tg__histogram_record_words(stats->magnitudes[0], words, count, range.min, range.max);
        take_in(stats, (double)range.min, (double)range.max, range.sum, count);
        return TG_OK;
    }
    for (size_t i = 0; i < count; i++) {
        const tg__log_argument argument = {.type = type, .word = words[i]};
        TG_TRY(tg__number_stats_add(stats, &argument));
    }
    return TG_OK;
}

tg_err tg__number_stats_merge(tg__number_stats *into, tg__number_stats *from)
{
    if (from->count == 0) {
        return TG_OK;
    }
    if (into->count == 0) { /* nothing to add up: that would look at each of 55,000 counters */
        tg__number_stats_deinit(into);
        *into = *from;
        memset(from, 0, sizeof *from);
        return TG_OK;
    }
    into->mixed =
        into->mixed || from->mixed || (into->count != 0 && into->exponent != from->exponent);
    into->exponent = from->exponent;
    take_in(into, from->min, from->max, from->sum, from->count);
    for (int side = 0; side < 2; side++) {
        if (from->magnitudes[side] != NULL) {
            TG_TRY(open_side(into, side));
            TG_TRY(tg_histogram_add(into->magnitudes[side], from->magnitudes[side]));
        }
    }
    return TG_OK;
}

/* Negative values lie below all others, the largest magnitude first. */
double tg__number_stats_percentile(const tg__number_stats *stats, double wanted)
{
    uint64_t negative = 0;
    if (stats->magnitudes[1] != NULL) {
        tg_histogram_summary summary;
        tg_histogram_summary_get(stats->magnitudes[1], &summary);
        negative = summary.count;
    }
    const double scale = scale_of(stats->exponent);
    const double rank = wanted / 100 * (double)stats->count;
    if (rank <= (double)negative && negative != 0) {
        const double share = 100 * ((double)negative - rank + 1) / (double)negative;
        return -((double)tg_histogram_percentile(stats->magnitudes[1], share) + 1) * scale;
    }
    const double share = 100 * (rank - (double)negative) / (double)(stats->count - negative);
    return (double)tg_histogram_percentile(stats->magnitudes[0], share) * scale;
}
