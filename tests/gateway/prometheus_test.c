#include "tg_cmocka.h"

#include <string.h>

#include "prometheus.h"

static const tg__prometheus_label none = {NULL, NULL};

/* The buffer is the text and nothing else; it is empty afterwards. */
static void check(tg__text_buffer *out, const char *expected)
{
    assert_false(out->failed);
    assert_int_equal(out->size, strlen(expected));
    assert_memory_equal(out->bytes, expected, out->size);
    out->size = 0;
}

static void a_name_has_its_help_and_its_type(void **state)
{
    (void)state;
    tg__text_buffer out = {NULL, 0, 0, false};
    tg__prometheus_add_head(&out, "gaps_total", TG__PROMETHEUS_COUNTER, "Gaps.");
    check(&out, "# HELP tickglass_gateway_gaps_total Gaps.\n"
                "# TYPE tickglass_gateway_gaps_total counter\n");
    tg__prometheus_add_head(&out, "groups", TG__PROMETHEUS_GAUGE, "Groups.");
    check(&out, "# HELP tickglass_gateway_groups Groups.\n"
                "# TYPE tickglass_gateway_groups gauge\n");
    tg__text_buffer_deinit(&out);
}

static void labels_are_escaped(void **state)
{
    (void)state;
    tg__text_buffer out = {NULL, 0, 0, false};
    const tg__prometheus_label venue = {"venue", "a\"b\\c\nd 龍門"};
    const tg__prometheus_label side = {"side", "bid"};
    tg__prometheus_add_name(&out, "rows", "_total", venue, side);
    check(&out, "tickglass_gateway_rows_total{venue=\"a\\\"b\\\\c\\nd 龍門\",side=\"bid\"} ");
    tg__prometheus_add_name(&out, "rows", "", none, none);
    check(&out, "tickglass_gateway_rows ");
    tg__text_buffer_deinit(&out);
}

static void numbers_are_exact(void **state)
{
    (void)state;
    tg__text_buffer out = {NULL, 0, 0, false};
    tg__prometheus_add_count(&out, UINT64_MAX);
    check(&out, "18446744073709551615\n");
    tg__prometheus_add_ns(&out, 7);
    check(&out, "0.000000007\n");
    tg__prometheus_add_ns(&out, UINT64_C(123000000456));
    check(&out, "123.000000456\n");
    tg__prometheus_add_nan(&out);
    check(&out, "NaN\n");
    tg__text_buffer_deinit(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_has_its_help_and_its_type),
        cmocka_unit_test(labels_are_escaped),
        cmocka_unit_test(numbers_are_exact),
    };
    return cmocka_run_group_tests_name("gateway.prometheus", tests, NULL, NULL);
}
