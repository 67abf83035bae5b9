#include "tg_cmocka.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "swarm_report.h"

#define FIRST 1000001u

/*
 * What follows struct_size, as numbers of 64 bits each with a value of its own from *next on: a
 * field that is added to the struct is among them.
 */
static void fill(void *counters, size_t size, uint64_t *next)
{
    for (size_t at = sizeof(size_t); at < size; at += sizeof *next) {
        memcpy((unsigned char *)counters + at, next, sizeof *next);
        (*next)++;
    }
}

/* How often the number stands in the text as a whole value, with whatever comes before it. */
static unsigned count_of(const char *text, const char *before, uint64_t number)
{
    char wanted[64];
    unsigned found = 0;
    const int length = snprintf(wanted, sizeof wanted, "%s%" PRIu64, before, number);
    for (const char *at = strstr(text, wanted); at != NULL; at = strstr(at + 1, wanted)) {
        found += strchr(",}\n", at[length]) != NULL;
    }
    return found;
}

static void write_report(void (*write)(const swarm_report *, FILE *), const swarm_report *r,
                         char *out, size_t size)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    write(r, file);
    rewind(file);
    out[fread(out, 1, size - 1, file)] = '\0';
    assert_int_equal(fclose(file), 0);
}

static void every_counter_of_client_and_store_is_told_once(void **state)
{
    (void)state;
    static char text[16384];
    static swarm_report r;
    uint64_t end = FIRST;
    fill(&r.counts.session, sizeof r.counts.session, &end);
    fill(&r.counts.store, sizeof r.counts.store, &end);
    /* The swarm's own check, which lies behind them. */
    uint64_t *const own[] = {
        &r.counts.publications, &r.counts.rows,       &r.counts.first_rows,
        &r.counts.regressions,  &r.counts.restarts,   &r.counts.faults,
        &r.counts.refused,      &r.counts.lost_links, &r.counts.samples_left_out};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
        *own[i] = end++;
    }
    assert_int_equal(end - FIRST, (sizeof r.counts - 2 * sizeof(size_t)) / sizeof(uint64_t));
    write_report(swarm_report_json, &r, text, sizeof text);
    for (uint64_t number = FIRST; number < end; number++) {
        if (count_of(text, "\":", number) != 1) {
            fail_msg("%" PRIu64 ", the counter at %" PRIu64 ", is not there once: %s", number,
                     number - FIRST, text);
        }
    }
    write_report(swarm_report_text, &r, text, sizeof text);
    for (uint64_t number = FIRST; number < end; number++) {
        if (count_of(text, " ", number) != 1) {
            fail_msg("%" PRIu64 ", the counter at %" PRIu64 ", is not there once: %s", number,
                     number - FIRST, text);
        }
    }
}

static void what_is_not_known_yet_is_minus_one(void **state)
{
    (void)state;
    static char text[16384];
    static swarm_report r;
    swarm_counts_init(&r.counts);
    write_report(swarm_report_json, &r, text, sizeof text);
    assert_non_null(strstr(text, "\"rtt_ns\":-1,"));
    assert_non_null(strstr(text, "\"lateness_ns\":-1,"));
    assert_non_null(strstr(text, "\"lost\":0,"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_counter_of_client_and_store_is_told_once),
        cmocka_unit_test(what_is_not_known_yet_is_minus_one),
    };
    return cmocka_run_group_tests_name("swarm.swarm_report", tests, NULL, NULL);
}
