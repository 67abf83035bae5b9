#include "tg_cmocka.h"

#include <stdlib.h>
#include <string.h>

#include "sim_arrivals.h"

#define NS_PER_S    INT64_C(1000000000)
#define VENUES      6u
#define ROUND_S     12 /* the market's moods add up to the mean */
#define RELATIVE_OF 6u /* on the same venue */

/* A power law, the last 200 asleep; venues and families in stripes. */
static tg__sim_traits traits[TG__SIM_INSTRUMENTS];

static int set_up(void **state)
{
    (void)state;
    for (uint32_t id = 0; id < TG__SIM_INSTRUMENTS; id++) {
        const uint64_t rank = id + 250;
        traits[id].weight =
            id < TG__SIM_INSTRUMENTS - 200 ? (uint32_t)(4000000000 / (rank * rank)) : 0;
        traits[id].venue = (tg_venue_id)(id % VENUES);
        traits[id].family = id % (TG__SIM_FAMILIES + 1);
        traits[id].relative = (tg_instrument_id)((id + RELATIVE_OF) % TG__SIM_INSTRUMENTS);
    }
    return 0;
}

static tg__arrivals *open_arrivals(const tg__sim_options *options)
{
    tg__arrivals *arrivals = calloc(1, sizeof *arrivals);
    assert_non_null(arrivals);
    tg__arrivals_init(arrivals, 9, options, traits, VENUES);
    return arrivals;
}

static void time_moves_on_with_every_event_at_the_mean_rate(void **state)
{
    (void)state;
    const uint32_t rates[] = {TG__SIM_TICKS_PER_S_MIN, TG__SIM_TICKS_PER_S, 200000};
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        tg__sim_options options = tg__sim_usual;
        options.ticks_per_s = rates[i];
        tg__arrivals *a = open_arrivals(&options);
        const int64_t seconds = rates[i] < 1000 ? 20 * ROUND_S : ROUND_S;
        int64_t before = 0;
        int64_t events = 0;
        for (;;) {
            (void)tg__arrivals_next(a);
            assert_true(a->now_ns > before);
            before = a->now_ns;
            if (a->now_ns >= seconds * NS_PER_S) {
                break;
            }
            events++;
        }
        assert_in_range(events, seconds * rates[i] * 9 / 10, seconds * rates[i] * 11 / 10);
        free(a);
    }
}

static void events_come_in_trains_and_long_silences(void **state)
{
    (void)state;
    tg__arrivals *a = open_arrivals(&tg__sim_usual);
    int64_t last_ns = 0;
    int64_t longest_ns = 0;
    unsigned events = 0;
    unsigned within_1ms = 0;
    while (a->now_ns < 5 * ROUND_S * NS_PER_S) {
        if (tg__arrivals_next(a) != 0) {
            continue;
        }
        const int64_t gap_ns = a->now_ns - last_ns;
        last_ns = a->now_ns;
        longest_ns = gap_ns > longest_ns ? gap_ns : longest_ns;
        events++;
        within_1ms += gap_ns < 1000000;
    }
    assert_in_range(within_1ms, events / 100 * 50, events / 100 * 75);
    const int64_t mean_ns = 5 * ROUND_S * NS_PER_S / events;
    assert_true(longest_ns > 20 * mean_ns);
    free(a);
}

static void the_busy_have_their_share_and_sleepers_wake(void **state)
{
    (void)state;
    tg__arrivals *a = open_arrivals(&tg__sim_usual);
    unsigned events = 0;
    unsigned busiest_tenth = 0;
    unsigned asleep = 0;
    while (a->now_ns < 5 * ROUND_S * NS_PER_S) {
        const tg_instrument_id id = tg__arrivals_next(a);
        events++;
        busiest_tenth += id < TG__SIM_INSTRUMENTS / 10;
        asleep += id >= TG__SIM_INSTRUMENTS - 200;
    }
    assert_in_range(busiest_tenth, events / 100 * 45, events / 100 * 60);
    assert_in_range(asleep, 10, 200);
    free(a);
}

static void a_release_is_a_second_at_its_rate_on_its_family(void **state)
{
    (void)state;
    tg__sim_options options = tg__sim_usual;
    options.release_count = 1;
    options.release_s[0] = 2;
    tg__arrivals *a = open_arrivals(&options);
    unsigned events = 0;
    unsigned in_family = 0;
    while (a->now_ns < 3 * NS_PER_S) {
        const tg_instrument_id id = tg__arrivals_next(a);
        if (a->now_ns >= 2 * NS_PER_S) {
            events++;
            in_family += traits[id].family == a->pace.release_family;
        }
    }
    assert_in_range(events, 175000, 205000);
    assert_true(in_family > events / 100 * 55);
    free(a);
}

static void a_quiet_venue_has_a_small_part_of_its_events(void **state)
{
    (void)state;
    tg__arrivals *a = open_arrivals(&tg__sim_usual);
    const int64_t start_ns = a->pace.lull_start_ns;
    const int64_t end_ns = a->pace.lull_end_ns;
    const tg_venue_id venue = a->pace.lull_venue;
    assert_true(start_ns > NS_PER_S && end_ns > start_ns + NS_PER_S);
    assert_true(end_ns < tg__sim_usual.release_every_s * NS_PER_S);
    unsigned before = 0;
    unsigned within = 0;
    unsigned others = 0;
    while (a->now_ns < end_ns) {
        const bool here = traits[tg__arrivals_next(a)].venue == venue;
        if (a->now_ns < start_ns) {
            before += here;
        } else {
            within += here;
            others += !here;
        }
    }
    assert_true(before > 0 && others > 0);
    assert_true(within < others / 10);
    free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_moves_on_with_every_event_at_the_mean_rate),
        cmocka_unit_test(events_come_in_trains_and_long_silences),
        cmocka_unit_test(the_busy_have_their_share_and_sleepers_wake),
        cmocka_unit_test(a_release_is_a_second_at_its_rate_on_its_family),
        cmocka_unit_test(a_quiet_venue_has_a_small_part_of_its_events),
    };
    return cmocka_run_group_tests_name("gateway.sim_arrivals", tests, set_up, NULL);
}
