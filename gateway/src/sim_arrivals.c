#include "sim_arrivals.h"

#include <string.h>

#define NS_PER_S          UINT64_C(1000000000)
#define SLEEPER_SHARE     5000u /* one train in so many is a sleeper's: each wakes every 5 min */
#define LONG_TRAIN_Q8     48u   /* trains of more than one event */
#define LONG_TRAIN_EXTRA  16u   /* their mean length, less one */
#define RELATIVE_Q8       80u   /* long trains that start another */
#define TRAIN_MEAN_Q8     1296u /* events of one start, all that follows included */
#define TRAIN_LENGTH_MAX  400u
#define SHORT_GAP_SHIFTS  10u /* 1 us to 1 ms */
#define LONG_GAP_SHIFTS   3u  /* from there to 8 ms */
#define LONG_GAP_Q8       64u
#define QUIET_KEEPS       50u /* of a quiet venue's events one in so many happens */
#define TRIES_MAX         4u  /* draws for an instrument that is wanted now */
#define LOG_FRACTION_BITS 16

/* -ln(u / 2^32) in 16 fractional bits, u > 0: leading bit, then the fraction by squaring. */
static uint32_t negative_log(uint32_t u)
{
    uint32_t shift = 0;
    while ((u & UINT32_C(0x80000000)) == 0) {
        u <<= 1;
        shift++;
    }
    uint64_t mantissa = u; /* 1.0 to 2.0, 31 fractional bits */
    uint32_t fraction = 0;
    for (unsigned i = 0; i < LOG_FRACTION_BITS; i++) {
        mantissa = (mantissa * mantissa) >> 31;
        fraction <<= 1;
        if (mantissa >= (UINT64_C(1) << 32)) {
            mantissa >>= 1;
            fraction |= 1;
        }
    }
    const uint32_t log2_negative = ((shift + 1) << LOG_FRACTION_BITS) - fraction;
    return (uint32_t)(((uint64_t)log2_negative * 45426) >> LOG_FRACTION_BITS); /* x ln 2 */
}

static uint64_t draw_exponential(tg__prng *prng, uint64_t mean)
{
    const uint32_t u = (uint32_t)(tg__prng_next(prng) >> 32) | 1u;
    return (mean * negative_log(u)) >> LOG_FRACTION_BITS;
}

static void draw_next_start(tg__arrivals *a)
{
    const uint64_t mean_ns = NS_PER_S * TRAIN_MEAN_Q8 / 256 / tg__pace_rate(&a->pace);
    a->next_start_ns += 1 + (int64_t)draw_exponential(&a->prng, mean_ns);
}

void tg__arrivals_init(tg__arrivals *arrivals, uint64_t seed, const tg__sim_options *options,
                       const tg__sim_traits *traits, uint32_t venue_count)
{
    memset(arrivals, 0, sizeof *arrivals);
    tg__pace_init(&arrivals->pace, seed, options, venue_count);
    arrivals->prng.state = tg__prng_mix(seed ^ UINT64_C(0x6172726976616c73));
    arrivals->traits = traits;
    for (uint32_t id = 0; id < TG__SIM_INSTRUMENTS; id++) {
        if (traits[id].weight == 0) {
            arrivals->sleepers[arrivals->sleeper_count++] = (tg_instrument_id)id;
        }
        arrivals->weight_total += traits[id].weight;
        arrivals->weight_end[id] = arrivals->weight_total;
    }
    draw_next_start(arrivals);
}

uint64_t tg__arrivals_events_milli(const tg__arrivals *arrivals, tg_instrument_id id)
{
    return (uint64_t)arrivals->traits[id].weight * arrivals->pace.options.ticks_per_s * 1000 /
           arrivals->weight_total;
}

/* ---- the heap of trains ---- */

static void push_train(tg__arrivals *a, const tg__sim_train *train)
{
    if (a->train_count == TG__SIM_TRAINS_MAX) {
        return;
    }
    uint32_t at = a->train_count++;
    while (at > 0 && train->next_ns < a->trains[(at - 1) / 2].next_ns) {
        a->trains[at] = a->trains[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    a->trains[at] = *train;
}

/* train belongs at the top or below it. */
static void sift_down(tg__arrivals *a, tg__sim_train train)
{
    uint32_t at = 0;
    for (uint32_t child = 1; child < a->train_count; child = at * 2 + 1) {
        if (child + 1 < a->train_count && a->trains[child + 1].next_ns < a->trains[child].next_ns) {
            child++;
        }
        if (a->trains[child].next_ns >= train.next_ns) {
            break;
        }
        a->trains[at] = a->trains[child];
        at = child;
    }
    a->trains[at] = train;
}

/* ---- trains ---- */

/* Log-uniform. */
static int64_t draw_train_gap(tg__prng *prng)
{
    const uint64_t random = tg__prng_next(prng);
    const uint32_t high = (uint32_t)(random >> 32);
    const uint32_t shift =
        (random & 255u) < LONG_GAP_Q8
            ? SHORT_GAP_SHIFTS + (uint32_t)(((uint64_t)high * LONG_GAP_SHIFTS) >> 32)
            : (uint32_t)(((uint64_t)high * SHORT_GAP_SHIFTS) >> 32);
    const int64_t base_ns = INT64_C(1024) << shift;
    return base_ns + ((base_ns * (int64_t)((random >> 8) & 1023u)) >> 10);
}

/* What follows the first event of a train; often, in a related instrument, too. */
static void follow(tg__arrivals *a, tg_instrument_id id)
{
    const uint32_t random = (uint32_t)(tg__prng_next(&a->prng) >> 40);
    if ((random & 255u) >= LONG_TRAIN_Q8) {
        return;
    }
    const uint64_t length = 1 + draw_exponential(&a->prng, LONG_TRAIN_EXTRA);
    const uint16_t left = (uint16_t)(length > TRAIN_LENGTH_MAX ? TRAIN_LENGTH_MAX : length);
    const tg__sim_train train = {a->now_ns + draw_train_gap(&a->prng), id, left};
    push_train(a, &train);
    if (((random >> 8) & 255u) < RELATIVE_Q8) {
        const tg__sim_train other = {a->now_ns + draw_train_gap(&a->prng), a->traits[id].relative,
                                     left};
        push_train(a, &other);
    }
}

/* ---- which instrument ---- */

static tg_instrument_id draw_by_weight(tg__arrivals *a)
{
    const uint64_t at = tg__prng_next(&a->prng) % a->weight_total;
    uint32_t low = 0;
    uint32_t high = TG__SIM_INSTRUMENTS - 1;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (a->weight_end[middle] > at) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return (tg_instrument_id)low;
}

static bool is_wanted(tg__arrivals *a, tg_instrument_id id)
{
    if (tg__pace_is_release(&a->pace)) {
        return a->traits[id].family == a->pace.release_family;
    }
    return !tg__pace_is_quiet(&a->pace, a->traits[id].venue) ||
           tg__prng_below(&a->prng, QUIET_KEEPS) == 0;
}

static tg_instrument_id draw_instrument(tg__arrivals *a)
{
    tg_instrument_id id = draw_by_weight(a);
    for (unsigned i = 1; i < TRIES_MAX && !is_wanted(a, id); i++) {
        id = draw_by_weight(a);
    }
    return id;
}

static tg_instrument_id start_train(tg__arrivals *a)
{
    a->now_ns = a->next_start_ns;
    tg__pace_advance(&a->pace, a->now_ns);
    draw_next_start(a);
    if (tg__prng_below(&a->prng, SLEEPER_SHARE) == 0) {
        return a->sleepers[tg__prng_below(&a->prng, a->sleeper_count)];
    }
    const tg_instrument_id id = draw_instrument(a);
    follow(a, id);
    return id;
}

static tg_instrument_id continue_train(tg__arrivals *a)
{
    tg__sim_train train = a->trains[0];
    a->now_ns = train.next_ns > a->now_ns ? train.next_ns : a->now_ns + 1;
    const tg_instrument_id id = train.id;
    if (--train.left > 0) {
        train.next_ns = a->now_ns + draw_train_gap(&a->prng);
        sift_down(a, train);
    } else {
        a->train_count--;
        if (a->train_count > 0) {
            sift_down(a, a->trains[a->train_count]);
        }
    }
    return id;
}

tg_instrument_id tg__arrivals_next(tg__arrivals *arrivals)
{
    if (arrivals->next_start_ns <= arrivals->now_ns) {
        arrivals->next_start_ns = arrivals->now_ns + 1; /* a train was there at that moment */
    }
    return arrivals->train_count > 0 && arrivals->trains[0].next_ns < arrivals->next_start_ns
               ? continue_train(arrivals)
               : start_train(arrivals);
}
