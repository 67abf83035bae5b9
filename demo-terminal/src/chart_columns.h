/*
 * From a history to columns of pixels: what was the lowest and the highest price in each column's
 * time. A column says nothing where nothing is known.
 */
#ifndef TG_TERMINAL_CHART_COLUMNS_H
#define TG_TERMINAL_CHART_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tickglass/store.h>

#define CHART_COLUMNS_MAX 2048

typedef struct chart_column {
    bool any;
    int64_t min;
    int64_t max;
} chart_column;

typedef struct chart_columns {
    size_t count;
    int64_t begin_mono_ns; /* of the first column */
    int64_t column_ns;     /* time of one */
    bool any;              /* some column has a price: min and max are those of all */
    int64_t min;
    int64_t max;
    chart_column column[CHART_COLUMNS_MAX];
} chart_columns;

typedef struct chart_window {
    size_t column_count; /* CHART_COLUMNS_MAX at most */
    int64_t span_ns;     /* of all columns together */
    int64_t now_mono_ns; /* in the last one */
    int64_t silence_ns;  /* a longer one is a hole: what the price was in it is not known */
    bool current;        /* the last price still holds now */
} chart_window;

/*
 * Last prices, oldest point first. Between points a price holds, unless the silence is a hole.
 * Column edges are multiples of a column's time, so that what is past does not shift about from
 * pass to pass. Thread: any.
 */
void chart_columns_fill(chart_columns *columns, const tg_history_point *points, size_t count,
                        const chart_window *window);

/* The shortest of the spans that a chart has which holds the time from begin to now. Thread: any.
 */
int64_t chart_span_ns(int64_t begin_mono_ns, int64_t now_mono_ns);
#define CHART_SPAN_MAX_S 900

#endif
