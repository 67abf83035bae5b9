#include "chart_columns.h"

#include "tg_cmocka.h"

#define S INT64_C(1000000000)

static chart_columns columns;

static tg_history_point point(int64_t begin_s, int64_t end_s, int64_t first, int64_t min,
                              int64_t max, int64_t last)
{
    const tg_history_point made = {.begin_mono_ns = begin_s * S,
                                   .end_mono_ns = end_s * S,
                                   .first = first,
                                   .last = last,
                                   .min = min,
                                   .max = max,
                                   .rows = 1,
                                   .present = TG_FIELD_BIT(TG_FIELD_LAST_PRICE)};
    return made;
}

static void expect(size_t column, int64_t min, int64_t max)
{
    assert_true(columns.column[column].any);
    assert_int_equal(columns.column[column].min, min);
    assert_int_equal(columns.column[column].max, max);
}

/* Ten columns of 10 s each; now, 1009 s, is in the last. */
static chart_window window(void)
{
    const chart_window made = {
        .column_count = 10, .span_ns = 100 * S, .now_mono_ns = 1009 * S, .silence_ns = 25 * S};
    return made;
}

static void a_column_holds_the_lowest_and_highest_price_of_its_time(void **state)
{
    (void)state;
    const tg_history_point points[] = {
        point(941, 942, 50, 40, 60, 55),
        point(945, 949, 56, 54, 70, 57),
        point(951, 951, 58, 58, 58, 58),
    };
    const chart_window w = window();
    chart_columns_fill(&columns, points, 3, &w);
    assert_int_equal(columns.begin_mono_ns, 910 * S);
    expect(3, 40, 70);
    expect(4, 57, 58); /* 57 held on into it */
    assert_false(columns.column[2].any);
    assert_false(columns.column[5].any);
    assert_true(columns.any);
    assert_int_equal(columns.min, 40);
    assert_int_equal(columns.max, 70);
}

static void a_price_holds_through_a_usual_silence_and_a_hole_is_a_hole(void **state)
{
    (void)state;
    const tg_history_point points[] = {
        point(925, 925, 10, 10, 10, 10), point(945, 945, 12, 12, 12, 12), /* after 20 s */
        point(975, 975, 14, 14, 14, 14),                                  /* after 30 s */
    };
    chart_window w = window();
    chart_columns_fill(&columns, points, 3, &w);
    expect(1, 10, 10);
    expect(2, 10, 10);
    expect(3, 10, 12);
    assert_false(columns.column[4].any);
    assert_false(columns.column[5].any);
    expect(6, 14, 14);
    assert_false(columns.column[7].any);
    w.current = true; /* but silent for 34 s */
    chart_columns_fill(&columns, points, 3, &w);
    assert_false(columns.column[7].any);
    w.silence_ns = 40 * S;
    chart_columns_fill(&columns, points, 3, &w);
    expect(5, 12, 12);
    expect(9, 14, 14);
}

static void what_is_older_than_the_window_is_cut_and_a_null_price_ends_the_line(void **state)
{
    (void)state;
    tg_history_point points[] = {
        point(10, 20, 1, 1, 1, 1),   point(905, 905, 5, 5, 5, 5), point(925, 925, 6, 6, 6, 6),
        point(935, 935, 0, 0, 0, 0), point(945, 945, 7, 7, 7, 7),
    };
    points[3].present = 0;
    const chart_window w = window();
    chart_columns_fill(&columns, points, 5, &w);
    expect(0, 5, 5);
    expect(1, 5, 6);
    assert_false(columns.column[2].any);
    expect(3, 7, 7);
    assert_int_equal(columns.min, 5);
    chart_columns_fill(&columns, points, 0, &w);
    assert_false(columns.any);
}

static void the_past_stands_still_while_now_moves_within_a_column(void **state)
{
    (void)state;
    const tg_history_point points[] = {point(941, 942, 50, 40, 60, 55)};
    chart_window w = window();
    for (int64_t now_s = 1000; now_s < 1010; now_s++) {
        w.now_mono_ns = now_s * S;
        chart_columns_fill(&columns, points, 1, &w);
        assert_int_equal(columns.begin_mono_ns, 910 * S);
        expect(3, 40, 60);
    }
    w.column_count = 0;
    chart_columns_fill(&columns, points, 1, &w);
    assert_int_equal(columns.count, 0);
    w.column_count = CHART_COLUMNS_MAX + 1;
    chart_columns_fill(&columns, points, 1, &w);
    assert_int_equal(columns.count, CHART_COLUMNS_MAX);
}

static void the_span_is_the_shortest_that_holds_what_there_is(void **state)
{
    (void)state;
    assert_int_equal(chart_span_ns(100 * S, 100 * S), 60 * S);
    assert_int_equal(chart_span_ns(0, 60 * S), 60 * S);
    assert_int_equal(chart_span_ns(0, 61 * S), 120 * S);
    assert_int_equal(chart_span_ns(0, 200 * S), 300 * S);
    assert_int_equal(chart_span_ns(0, 9999 * S), CHART_SPAN_MAX_S * S);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_column_holds_the_lowest_and_highest_price_of_its_time),
        cmocka_unit_test(a_price_holds_through_a_usual_silence_and_a_hole_is_a_hole),
        cmocka_unit_test(what_is_older_than_the_window_is_cut_and_a_null_price_ends_the_line),
        cmocka_unit_test(the_past_stands_still_while_now_moves_within_a_column),
        cmocka_unit_test(the_span_is_the_shortest_that_holds_what_there_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
