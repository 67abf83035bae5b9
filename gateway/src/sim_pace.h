/**
 * How fast the simulated market goes: ticks a second at every moment, and how wide its spreads are.
 *
 * The market's mood takes sixteen levels in turn, 0.75 s each, in an order of its own every 12 s:
 * any 12 s have the mean rate, a second up to three times that. Now and then one venue is quiet for
 * seconds. An opening starts at four times the rate and with spreads four times as wide; both fall
 * with the square of the time left. A release is a second at TG__SIM_RELEASE_TICKS_PER_S that then
 * halves every half second, mostly on the venues of one family.
 */
#ifndef TG_GATEWAY_SIM_PACE_H
#define TG_GATEWAY_SIM_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include <tickglass/market.h>

#include "prng.h"

#define TG__SIM_TICKS_PER_S         20000u
#define TG__SIM_TICKS_PER_S_MIN     100u
#define TG__SIM_TICKS_PER_S_MAX     1000000u
#define TG__SIM_RELEASE_TICKS_PER_S 190000u
#define TG__SIM_RELEASES_MAX        16u
#define TG__SIM_SECONDS_MAX         86400u /* of an option */
#define TG__SIM_MOODS               16u

typedef struct tg__sim_options {
    uint32_t ticks_per_s;                     /* the mean, without opening and releases */
    uint32_t open_s;                          /* length of the opening; 0: in session already */
    uint32_t release_every_s;                 /* if no times are given; 0: never */
    uint32_t release_count;                   /* times given */
    uint32_t release_s[TG__SIM_RELEASES_MAX]; /* rising */
} tg__sim_options;

/* The mean rate, in session, a release every 300 s. */
extern const tg__sim_options tg__sim_usual;

typedef struct tg__pace {
    tg__sim_options options;
    tg__prng prng;
    int64_t now_ns;
    int64_t mood_end_ns;
    int64_t lull_start_ns;
    int64_t lull_end_ns;
    int64_t release_ns;      /* start of the last one, if releases > 0 */
    int64_t next_release_ns; /* INT64_MAX: none */
    uint32_t venue_count;
    uint32_t mood; /* turns taken */
    uint32_t moods_q8[TG__SIM_MOODS];
    uint32_t releases; /* begun */
    tg_venue_id lull_venue;
    uint32_t release_family;
    bool release_up; /* the way that prices jump */
} tg__pace;

void tg__pace_init(tg__pace *pace, uint64_t seed, const tg__sim_options *options,
                   uint32_t venue_count);

/* Time never goes back. */
void tg__pace_advance(tg__pace *pace, int64_t now_ns);

/* Ticks a second, now. */
uint32_t tg__pace_rate(const tg__pace *pace);

/* Spreads as a multiple of the usual ones, in 1/256: 256 to 1,024. */
uint32_t tg__pace_spread_q8(const tg__pace *pace);

bool tg__pace_is_quiet(const tg__pace *pace, tg_venue_id venue);
bool tg__pace_is_release(const tg__pace *pace);

#endif
