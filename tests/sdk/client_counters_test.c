#include "tg_cmocka.h"

#include <stdlib.h>
#include <string.h>

#include <tickglass/client.h>

static tg_client_counters example(void)
{
    tg_client_counters counters;
    memset(&counters, 0, sizeof counters);
    counters.struct_size = sizeof counters;
    counters.frames = 12;
    counters.rtt_ns = 1234567;
    counters.ts_gateway_ns = INT64_C(1700000000000000001);
    counters.set_mismatches = UINT64_MAX;
    return counters;
}

static char *text_of(const tg_client_counters *counters, const char *labels)
{
    size_t needed = 0;
    assert_int_equal(tg_client_counters_text(counters, labels, NULL, 0, &needed),
                     TG_ERR_BUFFER_TOO_SMALL);
    char *text = malloc(needed);
    assert_non_null(text);
    size_t again = 0;
    assert_int_equal(tg_client_counters_text(counters, labels, text, needed, &again), TG_OK);
    assert_int_equal(needed, again);
    assert_int_equal(strlen(text) + 1, needed);
    return text;
}

static void every_counter_has_help_type_and_value(void **state)
{
    (void)state;
    const tg_client_counters counters = example();
    char *text = text_of(&counters, NULL);
    assert_non_null(strstr(text, "# HELP tickglass_client_frames_total Deltas and snapshots "
                                 "applied.\n# TYPE tickglass_client_frames_total counter\n"
                                 "tickglass_client_frames_total 12\n"));
    assert_non_null(strstr(text, "\ntickglass_client_rtt_seconds 0.001234567\n"));
    assert_non_null(strstr(text, "\ntickglass_client_newest_frame_seconds 1700000000.000000001\n"));
    assert_non_null(strstr(text, "\n# TYPE tickglass_client_priority_instruments gauge\n"));
    assert_non_null(strstr(text, "\ntickglass_client_set_mismatches_total 18446744073709551615\n"));
    size_t samples = 0;
    size_t lines = 0;
    for (const char *line = text; *line != '\0'; line = strchr(line, '\n') + 1) {
        samples += strncmp(line, "tickglass_client_", 17) == 0;
        lines++;
    }
    assert_int_equal(lines, 3 * samples);
    assert_int_equal(samples, (sizeof counters - sizeof counters.struct_size) / sizeof(uint64_t));
    free(text);
}

static void labels_stand_at_every_sample(void **state)
{
    (void)state;
    const tg_client_counters counters = example();
    char *text = text_of(&counters, "desk=\"fx\"");
    assert_non_null(strstr(text, "\ntickglass_client_frames_total{desk=\"fx\"} 12\n"));
    assert_null(strstr(text, "_total 0\n"));
    free(text);
    size_t needed = 0;
    assert_int_equal(tg_client_counters_text(&counters, "a=\"b\"}\n", NULL, 0, &needed),
                     TG_ERR_INVALID_ARGUMENT);
}

static void what_was_not_measured_is_left_out(void **state)
{
    (void)state;
    tg_client_counters counters = example();
    counters.rtt_ns = -1;
    char *text = text_of(&counters, NULL);
    assert_null(strstr(text, "rtt_seconds"));
    free(text);
    counters.struct_size = offsetof(tg_client_counters, frames_rejected);
    text = text_of(&counters, NULL);
    assert_non_null(strstr(text, "frames_total"));
    assert_null(strstr(text, "frames_rejected"));
    free(text);
}

static void a_short_buffer_gets_the_beginning(void **state)
{
    (void)state;
    const tg_client_counters counters = example();
    size_t needed = 0;
    char *whole = text_of(&counters, NULL);
    for (size_t size = 1; size <= strlen(whole); size += 7) {
        char *part = malloc(size);
        assert_non_null(part);
        assert_int_equal(tg_client_counters_text(&counters, NULL, part, size, &needed),
                         TG_ERR_BUFFER_TOO_SMALL);
        assert_int_equal(needed, strlen(whole) + 1);
        assert_int_equal(strlen(part), size - 1);
        assert_memory_equal(part, whole, size - 1);
        free(part);
    }
    assert_int_equal(tg_client_counters_text(NULL, NULL, NULL, 0, &needed),
                     TG_ERR_INVALID_ARGUMENT);
    assert_int_equal(tg_client_counters_text(&counters, NULL, NULL, 5, &needed),
                     TG_ERR_INVALID_ARGUMENT);
    free(whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_counter_has_help_type_and_value),
        cmocka_unit_test(labels_stand_at_every_sample),
        cmocka_unit_test(what_was_not_measured_is_left_out),
        cmocka_unit_test(a_short_buffer_gets_the_beginning),
    };
    return cmocka_run_group_tests_name("sdk.client_counters", tests, NULL, NULL);
}
