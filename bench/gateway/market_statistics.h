/**
 * What a market looks like: how its ticks arrive, what they change, and how unevenly.
 *
 * A tick is one update: bid and ask rows of one instrument with equal time and id are one. Figures
 * "of an instrument" are the median over the busy instruments, those with at least 15 ticks a
 * second.
 */
#ifndef BENCH_MARKET_STATISTICS_H
#define BENCH_MARKET_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

#include "directory.h"
#include "row.h"

typedef struct market_tick {
    int64_t ts_ns;
    tg_instrument_id instrument;
    uint8_t kinds; /* bit per tg__row_kind */
} market_tick;

typedef struct market_quotes {
    int64_t price[2]; /* by tg__row_kind */
    bool told[2];
    size_t last; /* its last quote among the ticks, plus 1; 0: none */
    uint64_t last_id;
    bool last_buys;
    bool traded;
} market_quotes;

typedef struct market_statistics {
    const tg__directory *directory;
    size_t count;
    size_t capacity;
    market_tick *ticks;
    market_quotes *quotes;   /* by instrument */
    uint64_t sides;          /* quote rows after an instrument's first */
    uint64_t sides_moved;    /* those with another price */
    uint64_t moves_one_tick; /* of those, by one tick */
    uint64_t tops;           /* uncrossed tops of book seen, after each quote row */
    uint64_t tops_one_tick;
    uint64_t tops_to_32_ticks;
    uint64_t trades;
    uint64_t trade_turns; /* on the other side than the trade before */
} market_statistics;

typedef struct market_figures {
    double instruments;
    double seconds;
    double ticks_per_s;
    double trade_pct;
    double both_pct;
    double moved_pct;
    double move_one_tick_pct;
    double spread_one_tick_pct;
    double spread_to_32_pct;
    double trade_run;
    double top_1_pct;  /* of the ticks, by the busiest hundredth of the instruments */
    double top_10_pct; /* by the busiest tenth */
    double market_fano_1ms;
    double market_fano_10ms;
    double market_cv_1s; /* deviation of a second's ticks, over their mean */
    double peak_s_ratio; /* the busiest second over the mean */
    double peak_s;
    double peak_ms;
    double busy; /* instruments that the figures below are the median of */
    double gap_cv;
    double gap_over_10_medians_pct;
    double gap_under_1ms_pct;
    double silence_ratio; /* the longest gap over the mean */
    double fano_10ms;
    double fano_1s;
} market_figures;

/* The directory must be complete and outlive s. Ends the program without memory. */
void market_statistics_init(market_statistics *s, const tg__directory *directory);
void market_statistics_free(market_statistics *s);
void market_statistics_add(market_statistics *s, const tg__row *row);

/* Sorts the ticks by instrument: the last call. */
market_figures market_statistics_figures(market_statistics *s);

#endif
