#include "chart_columns.h"

#define NS_PER_S INT64_C(1000000000)

static void add(chart_columns *columns, int64_t from_ns, int64_t to_ns, int64_t min, int64_t max)
{
    if (to_ns < columns->begin_mono_ns) {
        return;
    }
    const int64_t first_ns =
        from_ns > columns->begin_mono_ns ? from_ns - columns->begin_mono_ns : 0;
    const size_t first = (size_t)(first_ns / columns->column_ns);
    const size_t last = (size_t)((to_ns - columns->begin_mono_ns) / columns->column_ns);
    for (size_t i = first; i <= last && i < columns->count; i++) {
        chart_column *column = &columns->column[i];
        column->min = column->any && column->min < min ? column->min : min;
        column->max = column->any && column->max > max ? column->max : max;
        column->any = true;
    }
}

static void sum_up(chart_columns *columns)
{
    columns->any = false;
    for (size_t i = 0; i < columns->count; i++) {
        const chart_column *column = &columns->column[i];
        if (column->any) {
            columns->min = columns->any && columns->min < column->min ? columns->min : column->min;
            columns->max = columns->any && columns->max > column->max ? columns->max : column->max;
            columns->any = true;
        }
    }
}

static void open_window(chart_columns *columns, const chart_window *window)
{
    columns->count =
        window->column_count < CHART_COLUMNS_MAX ? window->column_count : CHART_COLUMNS_MAX;
    columns->column_ns = columns->count > 0 ? window->span_ns / (int64_t)columns->count : 0;
    if (columns->column_ns <= 0) {
        columns->column_ns = 1;
    }
    const int64_t last = window->now_mono_ns / columns->column_ns;
    columns->begin_mono_ns = (last + 1 - (int64_t)columns->count) * columns->column_ns;
    for (size_t i = 0; i < columns->count; i++) {
        columns->column[i].any = false;
    }
}

void chart_columns_fill(chart_columns *columns, const tg_history_point *points, size_t count,
                        const chart_window *window)
{
    open_window(columns, window);
    const tg_history_point *before = NULL;
    for (size_t i = 0; i < count; i++) {
        const tg_history_point *point = &points[i];
        if ((point->present & TG_FIELD_BIT(TG_FIELD_LAST_PRICE)) == 0) {
            before = NULL; /* the market took its price back: nothing holds on from before */
            continue;
        }
        if (before != NULL && point->begin_mono_ns - before->end_mono_ns <= window->silence_ns) {
            add(columns, before->end_mono_ns, point->begin_mono_ns, before->last, before->last);
            /* The step from the old price to the new one is upright, in the new one's column. */
            add(columns, point->begin_mono_ns, point->begin_mono_ns, point->first, point->first);
        }
        add(columns, point->begin_mono_ns, point->end_mono_ns, point->min, point->max);
        before = point;
    }
    if (before != NULL && window->current &&
        window->now_mono_ns - before->end_mono_ns <= window->silence_ns) {
        add(columns, before->end_mono_ns, window->now_mono_ns, before->last, before->last);
    }
    sum_up(columns);
}

int64_t chart_span_ns(int64_t begin_mono_ns, int64_t now_mono_ns)
{
    static const int64_t spans_s[] = {60, 120, 300};
    for (size_t i = 0; i < sizeof spans_s / sizeof spans_s[0]; i++) {
        if (now_mono_ns - begin_mono_ns <= spans_s[i] * NS_PER_S) {
            return spans_s[i] * NS_PER_S;
        }
    }
    return CHART_SPAN_MAX_S * NS_PER_S;
}
