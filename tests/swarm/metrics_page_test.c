#include "tg_cmocka.h"

#include "metrics_page.h"

static const char page[] = "# HELP tickglass_gateway_frames_sent_total frames\n"
                           "# TYPE tickglass_gateway_frames_sent_total counter\n"
                           "tickglass_gateway_frames_sent_total{kind=\"delta\"} 40\n"
                           "tickglass_gateway_frames_sent_total{kind=\"snapshot\"} 2\n"
                           "tickglass_gateway_frames_sent_total_more 1000\n"
                           "tickglass_gateway_frames_encoded_total 17\n";

static void a_counter_is_summed_over_its_labels(void **state)
{
    (void)state;
    double value = 0;
    assert_true(metrics_page_sum(page, "tickglass_gateway_frames_sent_total", &value));
    assert_true(value > 41.9 && value < 42.1);
    assert_true(metrics_page_sum(page, "tickglass_gateway_frames_encoded_total", &value));
    assert_true(value > 16.9 && value < 17.1);
}

static void a_counter_that_is_not_there_is_not_zero(void **state)
{
    (void)state;
    double value = 0;
    assert_false(metrics_page_sum(page, "tickglass_gateway_frames", &value));
    assert_false(metrics_page_sum("", "x", &value));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_counter_is_summed_over_its_labels),
        cmocka_unit_test(a_counter_that_is_not_there_is_not_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
