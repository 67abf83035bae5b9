#include "sim_pace.h"

#include <string.h>

#define NS_PER_S          INT64_C(1000000000)
#define MOOD_NS           INT64_C(750000000)
#define LULL_MEAN_S       90u /* between two lulls */
#define LULL_MIN_S        2u
#define LULL_SPREAD_S     7u
#define OPEN_RATE_EXTRA   3u /* times the mean, at the start */
#define OPEN_SPREAD_EXTRA 3u
#define RELEASE_HOLD_NS   NS_PER_S
#define RELEASE_HALF_NS   (NS_PER_S / 2)
#define RELEASE_HALVES    4
#define RELEASE_END_NS    (RELEASE_HOLD_NS + RELEASE_HALVES * RELEASE_HALF_NS)
#define RELEASE_SPREAD_Q8 768u /* on top of 256 */
#define RELEASE_FAMILIES  2u

const tg__sim_options tg__sim_usual = {
    .ticks_per_s = TG__SIM_TICKS_PER_S,
    .release_every_s = 300,
};

/* Of the mean, in 1/256; they add up to 16 x 256. */
static const uint32_t moods_q8[TG__SIM_MOODS] = {75,  92,  110, 124, 138, 152, 166, 180,
                                                 195, 212, 235, 265, 312, 380, 500, 960};

static int64_t next_release(const tg__pace *pace)
{
    const tg__sim_options *options = &pace->options;
    if (options->release_count > 0) {
        return pace->releases < options->release_count
                   ? (int64_t)options->release_s[pace->releases] * NS_PER_S
                   : INT64_MAX;
    }
    return options->release_every_s == 0
               ? INT64_MAX
               : (int64_t)options->release_every_s * NS_PER_S * ((int64_t)pace->releases + 1);
}

static void draw_lull(tg__pace *pace)
{
    const int64_t wait_ms = 1000 + (int64_t)tg__prng_below(&pace->prng, 2 * LULL_MEAN_S * 1000);
    const int64_t length_ms =
        1000 * (LULL_MIN_S + (int64_t)tg__prng_below(&pace->prng, LULL_SPREAD_S));
    pace->lull_start_ns = pace->lull_end_ns + wait_ms * 1000000;
    pace->lull_end_ns = pace->lull_start_ns + length_ms * 1000000;
    pace->lull_venue = (tg_venue_id)tg__prng_below(&pace->prng, pace->venue_count);
}

static void shuffle_moods(tg__pace *pace)
{
    for (uint32_t i = TG__SIM_MOODS - 1; i > 0; i--) {
        const uint32_t other = tg__prng_below(&pace->prng, i + 1);
        const uint32_t kept = pace->moods_q8[i];
        pace->moods_q8[i] = pace->moods_q8[other];
        pace->moods_q8[other] = kept;
    }
}

void tg__pace_init(tg__pace *pace, uint64_t seed, const tg__sim_options *options,
                   uint32_t venue_count)
{
    memset(pace, 0, sizeof *pace);
    pace->options = *options;
    pace->prng.state = tg__prng_mix(seed ^ UINT64_C(0x70616365));
    pace->venue_count = venue_count;
    memcpy(pace->moods_q8, moods_q8, sizeof moods_q8);
    shuffle_moods(pace);
    pace->mood_end_ns = MOOD_NS;
    draw_lull(pace);
    pace->next_release_ns = next_release(pace);
}

static void begin_release(tg__pace *pace)
{
    pace->release_ns = pace->next_release_ns;
    pace->releases++;
    pace->next_release_ns = next_release(pace);
    pace->release_family = tg__prng_below(&pace->prng, RELEASE_FAMILIES);
    pace->release_up = (tg__prng_next(&pace->prng) & 1u) != 0;
}

void tg__pace_advance(tg__pace *pace, int64_t now_ns)
{
    pace->now_ns = now_ns;
    while (now_ns >= pace->mood_end_ns) {
        pace->mood_end_ns += MOOD_NS;
        pace->mood = (pace->mood + 1) % TG__SIM_MOODS;
        if (pace->mood == 0) {
            shuffle_moods(pace);
        }
    }
    while (now_ns >= pace->lull_end_ns) {
        draw_lull(pace);
    }
    while (now_ns >= pace->next_release_ns) {
        begin_release(pace);
    }
}

bool tg__pace_is_release(const tg__pace *pace)
{
    return pace->releases > 0 && pace->now_ns - pace->release_ns < RELEASE_END_NS;
}

/* 256 to 0: what is left of the opening, squared. */
static uint32_t opening_q8(const tg__pace *pace)
{
    const int64_t length_ns = (int64_t)pace->options.open_s * NS_PER_S;
    if (pace->now_ns >= length_ns) {
        return 0;
    }
    const uint32_t left_q8 = (uint32_t)((length_ns - pace->now_ns) / (length_ns / 256));
    return left_q8 >= 256 ? 256 : left_q8 * left_q8 / 256;
}

/* A release's strength: 65,536 while it holds, then halved every half second, without steps. */
static uint32_t release_q16(const tg__pace *pace)
{
    if (!tg__pace_is_release(pace)) {
        return 0;
    }
    const int64_t after_ns = pace->now_ns - pace->release_ns - RELEASE_HOLD_NS;
    if (after_ns < 0) {
        return 65536;
    }
    const uint32_t halves = (uint32_t)(after_ns / RELEASE_HALF_NS);
    const uint32_t part_q16 = (uint32_t)((after_ns % RELEASE_HALF_NS) / (RELEASE_HALF_NS / 32768));
    const uint32_t high = UINT32_C(65536) >> halves;
    return high - (uint32_t)(((uint64_t)(high / 2) * part_q16) >> 15);
}

uint32_t tg__pace_rate(const tg__pace *pace)
{
    const uint64_t mean = pace->options.ticks_per_s;
    const uint64_t usual = (mean * pace->moods_q8[pace->mood]) >> 8;
    const uint64_t opening = usual + ((mean * OPEN_RATE_EXTRA * opening_q8(pace)) >> 8);
    const uint64_t release = ((uint64_t)TG__SIM_RELEASE_TICKS_PER_S * release_q16(pace)) >> 16;
    const uint64_t rate = opening > release ? opening : release;
    return rate == 0 ? 1 : (uint32_t)rate;
}

uint32_t tg__pace_spread_q8(const tg__pace *pace)
{
    const uint32_t opening = OPEN_SPREAD_EXTRA * opening_q8(pace);
    const uint32_t release = (RELEASE_SPREAD_Q8 * release_q16(pace)) >> 16;
    return 256 + (opening > release ? opening : release);
}

bool tg__pace_is_quiet(const tg__pace *pace, tg_venue_id venue)
{
    return venue == pace->lull_venue && pace->now_ns >= pace->lull_start_ns &&
           !tg__pace_is_release(pace);
}
