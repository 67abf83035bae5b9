/* The plots of the latency panel. */
#ifndef TG_TERMINAL_LATENCY_PLOTS_H
#define TG_TERMINAL_LATENCY_PLOTS_H

#include "latency_view.h"
#include "plot_area.h"

/* Shared by all distributions: 1 microsecond to a minute. */
#define LATENCY_PLOT_LOW_NS  INT64_C(1000)
#define LATENCY_PLOT_HIGH_NS INT64_C(60000000000)

/* How often which duration came; the axis is LATENCY_PLOT_LOW_NS to LATENCY_PLOT_HIGH_NS,
 * logarithmic, the highest bar as high as the plot. Thread: owner, all of these. */
void latency_plot_distribution(const plot_area *area, const uint64_t bin[LATENCY_BINS],
                               uint32_t colour);

/* Durations in decades at the left, percentiles below (one row more than area has): which part of
 * all took at most how long. */
void latency_plot_curve(const plot_area *area, const span_sum *sum, latency_stage stage);

#define LATENCY_LABEL_WIDTH 7
/* Beside the plot: chosen above, three rows of stalls and the times below. */
#define LATENCY_LINE_EXTRA_ROWS 5

/* The last hour: p99 of each window, which ones are chosen, and when the process stalled. area is
 * all of it. */
void latency_plot_time_line(const plot_area *area, const latency_view *view);

/* The window whose p99 stands in that column of cells, counted as area's own; false: none does.
 * area needs no pen. */
bool latency_plot_window_at(const plot_area *area, const latency_view *view, uint16_t column,
                            size_t *index);

#endif
