#include "tg_cmocka.h"

#include <stdio.h>
#include <string.h>

#include "hub_fixture.h"
#include "metrics_report.h"
#include "prometheus.h"

typedef struct fixture {
    hub_fixture hub;
    tg__playback playback;
    tg__metrics *metrics;
    tg__upgrade_counts upgrades;
    tg__tls_counts tls;
    tg__text_buffer text;
} fixture;

static void open_fixture(fixture *f)
{
    memset(f, 0, sizeof *f);
    const tg_clock clock = tg_clock_system();
    hub_fixture_open(&f->hub, 1);
    assert_int_equal(tg__metrics_open(&clock, FIXTURE_INSTRUMENTS, NULL, &f->metrics), TG_OK);
}

static void close_fixture(fixture *f)
{
    hub_fixture_close(&f->hub);
    tg__metrics_close(f->metrics);
    tg__text_buffer_deinit(&f->text);
}

static const char *report(fixture *f)
{
    const tg__metrics_view view = {f->hub.hub, &f->hub.sequencer, &f->playback,
                                   f->metrics, &f->upgrades,      &f->tls};
    f->text.size = 0;
    tg__metrics_report(&view, &f->text);
    tg__text_add(&f->text, "", 1);
    assert_false(f->text.failed);
    return f->text.bytes;
}

static void check_has(fixture *f, const char *line)
{
    char whole[256];
    (void)snprintf(whole, sizeof whole, "\n" TG__PROMETHEUS_PREFIX "%s\n", line);
    if (strstr(report(f), whole) == NULL) {
        print_error("missing: %s", whole);
        fail();
    }
}

static void the_figures_are_those_of_their_owners(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f);
    hub_client client;
    hub_client_open(&client, &f.hub);
    hub_fixture_tick(&f.hub, 0, 5);
    hub_fixture_tick(&f.hub, 1, 5);
    hub_fixture_tick(&f.hub, 3, 5);
    hub_fixture_boundary(&f.hub);
    f.hub.hub->counts.gaps = 17;
    f.hub.hub->counts.books_sent = 11;
    f.playback.rows = 12;
    tg__upgrade_counts_add(&f.upgrades, 0);
    tg__upgrade_counts_add(&f.upgrades, 503);
    f.hub.hub->faults.ticks_lost = 9;
    f.hub.hub->faults.ticks_cut = 8;
    check_has(&f, "ticks_lost_by_fault_total 9");
    check_has(&f, "ticks_messages_cut_by_fault_total 8");
    check_has(&f, "connections 1");
    check_has(&f, "boundary 1");
    check_has(&f, "gaps_total 17");
    check_has(&f, "books_sent_total 11");
    check_has(&f, "tape_rows_total 12");
    check_has(&f, "rows_admitted_total{venue=\"EVEN\"} 1");
    check_has(&f, "rows_admitted_total{venue=\"ODD\"} 2");
    check_has(&f, "upgrades_accepted_total 1");
    check_has(&f, "upgrades_refused_total{status=\"503\"} 1");
    check_has(&f, "upgrades_refused_total{status=\"401\"} 0");
    hub_client_close(&client);
    close_fixture(&f);
}

static void what_faults_door_and_bus_counted_is_told(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f);
    f.playback.watch.times_stale[1] = 4;
    f.playback.feed.counts.take_overs = 3;
    f.playback.raises = 2;
    f.tls.tickets_taken = 9;
    f.hub.hub->counts.wrong_boundaries = 8;
    f.hub.sequencer.venues[0].missed = 7;
    tg__hub_venue_state(f.hub.hub, 1, TG__VENUE_STALE, 1, f.hub.now);
    assert_int_equal(tg__door_ask(f.hub.door, "false", 5, f.hub.now.utc_ns).verdict,
                     TG__TOKEN_NOT_OURS);
    check_has(&f, "venue_stale{venue=\"EVEN\"} 0");
    check_has(&f, "venue_stale{venue=\"ODD\"} 1");
    check_has(&f, "venue_stale_total{venue=\"ODD\"} 4");
    check_has(&f, "rows_missed_total{venue=\"EVEN\"} 7");
    check_has(&f, "take_overs_total 3");
    check_has(&f, "epoch_raises_total 2");
    check_has(&f, "wrong_boundaries_total 8");
    check_has(&f, "tickets_taken_total 9");
    check_has(&f, "token_hits_total 0");
    assert_null(strstr(report(&f), "bus_")); /* there is none */
    close_fixture(&f);
}

static void a_stage_without_values_has_no_quantile(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f);
    check_has(&f, "stage_seconds{stage=\"conflation\",quantile=\"0.5\"} NaN");
    check_has(&f, "stage_seconds_count{stage=\"conflation\"} 0");
    tg__metrics_row(f.metrics, 1, 1, 5, 1000);
    f.metrics->interval_mono_ns -= INT64_C(10000000000); /* and it is over */
    tg__metrics_rotate(f.metrics);
    check_has(&f, "stage_seconds{stage=\"exchange_to_handler\",quantile=\"0.999\"} 0.000001000");
    check_has(&f, "stage_seconds_sum{stage=\"exchange_to_handler\"} 0.000001000");
    check_has(&f, "stage_seconds_count{stage=\"exchange_to_handler\"} 1");
    close_fixture(&f);
}

/* What every sample needs: HELP and TYPE before it, and a name that no other head has. */
static void every_name_is_described_once(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f);
    unsigned heads = 0;
    for (const char *at = report(&f); (at = strstr(at, "# TYPE ")) != NULL; at++) {
        char head[128];
        (void)snprintf(head, sizeof head, "%.*s", (int)strcspn(at, "\n"), at);
        head[strcspn(head + 7, " ") + 7] = '\0'; /* without the type */
        char with_space[160];
        (void)snprintf(with_space, sizeof with_space, "%s ", head);
        assert_ptr_equal(strstr(f.text.bytes, with_space), at);
        memcpy(with_space, "# HELP", 6);
        const char *help = strstr(f.text.bytes, with_space);
        assert_true(help != NULL && help < at);
        heads++;
    }
    assert_true(heads > 20);
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_figures_are_those_of_their_owners),
        cmocka_unit_test(what_faults_door_and_bus_counted_is_told),
        cmocka_unit_test(a_stage_without_values_has_no_quantile),
        cmocka_unit_test(every_name_is_described_once),
    };
    return cmocka_run_group_tests_name("gateway.metrics_report", tests, NULL, NULL);
}
