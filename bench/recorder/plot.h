/** Plots as SVG files. */
#ifndef TG_BENCH_RECORDER_PLOT_H
#define TG_BENCH_RECORDER_PLOT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct plot_line {
    const char *name;
    const double *x; /**< over 0 */
    const double *y; /**< likewise */
    size_t count;
} plot_line;

/** At most six lines, both axes logarithmic. False: the file cannot be written. */
bool plot_lines(const char *path, const char *title, const char *x_label, const char *y_label,
                const plot_line *lines, size_t count);

/** Horizontal bars from 0 on. */
bool plot_bars(const char *path, const char *title, const char *unit, const char *const *names,
               const double *values, size_t count);

#endif
