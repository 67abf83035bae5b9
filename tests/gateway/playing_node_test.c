/*
 * The market as the program plays it: simulation, feed handlers and lanes, opened by the node
 * itself, in simulated time.
 */
#include "tg_cmocka.h"

#include <string.h>

#include "playing_node.h"
#include "scratch_folder.h"

#define BOUNDARY_NS INT64_C(10000000)
#define MINUTE_NS   INT64_C(60000000000)
#define SEEDS       2u

typedef struct market {
    scratch_folder folder;
    tg__state_dir state;
    tg__options options;
    tg__stepped_clock stepped;
    tg__moment now;
    tg__bearer bearer;
    tg__door *door;
    tg__playing_node node;
    tg__cause cause;
} market;

static int64_t read_mono(void *ctx)
{
    return ((const market *)ctx)->now.mono_ns;
}

static int64_t read_utc(void *ctx)
{
    return ((const market *)ctx)->now.utc_ns;
}

static void wake_nobody(void *ctx, tg__peer *peer)
{
    (void)ctx;
    (void)peer;
}

/* The hub that tg__playing_node_serve() would open: here without a server, for nobody connects. */
static void open_hub(market *m)
{
    const tg__door_options door = {.bearer = &m->bearer, .directory = &m->node.directory};
    assert_int_equal(tg__door_open(&door, &m->door), TG_OK);
    const tg__hub_options options = {.directory = &m->node.directory,
                                     .door = m->door,
                                     .time_resolution_ns = 100000,
                                     .frame_interval_ms = 40,
                                     .boundaries_per_frame = 4,
                                     .heartbeat_interval_ms = 1000,
                                     .peers_max = 1,
                                     .limits = {64, 8, TG__MESSAGE_SIZE_MAX, 1000, 0},
                                     .wake = wake_nobody};
    assert_int_equal(tg__hub_open(&options, &m->node.hub), TG_OK);
    m->node.playback.hub = m->node.hub;
}

static void open_market(market *m, const char *feeds, const char *seed)
{
    char *const argv[] = {"tickglass-gateway", "--sim",  "--feeds",
                          (char *)feeds,       "--seed", (char *)seed,
                          "--sim-release-s",   "30"};
    memset(m, 0, sizeof *m);
    m->now.mono_ns = INT64_C(1000000000);
    m->now.utc_ns = INT64_C(1800000000000000000);
    scratch_folder_open(&m->folder);
    assert_int_equal(tg__options_parse(&m->options, sizeof argv / sizeof argv[0], argv, &m->cause),
                     TG_OK);
    assert_int_equal(tg__state_dir_open(&m->state, m->folder.path, &m->cause), TG_OK);
    const tg_clock base = {.mono_ns = read_mono, .utc_ns = read_utc, .ctx = m};
    const tg_clock clock = tg__stepped_clock_open(&m->stepped, &base);
    assert_int_equal(tg__playing_node_load(&m->node, &m->options, &m->cause), TG_OK);
    assert_int_equal(tg__playing_node_prepare(&m->node, &m->state, &m->stepped, clock, &m->cause),
                     TG_OK);
    open_hub(m);
}

static void close_market(market *m)
{
    tg__playing_node_close(&m->node);
    tg__door_close(m->door);
    tg__state_dir_close(&m->state);
    scratch_folder_close(&m->folder);
}

static void play(market *m, int64_t span_ns)
{
    for (const int64_t end_ns = m->now.mono_ns + span_ns; m->now.mono_ns < end_ns;) {
        assert_int_equal(tg__playback_run(&m->node.playback, m->now, UINT32_MAX, &m->cause), TG_OK);
        tg__playback_boundary(&m->node.playback, m->now);
        m->now.mono_ns += BOUNDARY_NS;
        m->now.utc_ns += BOUNDARY_NS;
    }
}

static tg__venue_counts sum_of(const market *m)
{
    tg__venue_counts sum;
    memset(&sum, 0, sizeof sum);
    for (uint32_t i = 0; i < m->node.directory.venue_count; i++) {
        sum.admitted += m->node.sequencer.venues[i].admitted;
        sum.duplicates += m->node.sequencer.venues[i].duplicates;
        sum.regressions += m->node.sequencer.venues[i].regressions;
    }
    return sum;
}

static void the_pair_brings_about_340_ticks_out_of_order_in_the_minute_of_a_release(void **state)
{
    (void)state;
    static const char *const seeds[SEEDS] = {"1", "2"};
    static market m;
    for (size_t i = 0; i < SEEDS; i++) {
        open_market(&m, "2", seeds[i]);
        play(&m, MINUTE_NS);
        const tg__venue_counts sum = sum_of(&m);
        print_message("seed %s: %llu rows admitted, %llu duplicates, %llu regressions\n", seeds[i],
                      (unsigned long long)sum.admitted, (unsigned long long)sum.duplicates,
                      (unsigned long long)sum.regressions);
        assert_true(sum.admitted > 1200000);
        assert_true(sum.duplicates > 1000000);
        assert_in_range(sum.regressions, 340 - 60, 340 + 60);
        close_market(&m);
    }
}

static void one_handler_brings_nothing_out_of_order(void **state)
{
    (void)state;
    static market m;
    open_market(&m, "1", "1");
    play(&m, MINUTE_NS);
    const tg__venue_counts sum = sum_of(&m);
    assert_true(sum.admitted > 1200000);
    assert_int_equal(sum.duplicates, 0);
    assert_int_equal(sum.regressions, 0);
    close_market(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_pair_brings_about_340_ticks_out_of_order_in_the_minute_of_a_release),
        cmocka_unit_test(one_handler_brings_nothing_out_of_order),
    };
    return cmocka_run_group_tests_name("gateway.playing_node", tests, NULL, NULL);
}
