/* Reports of the public client to the real gateway over TLS, as its metrics show them. */
#include "tg_cmocka.h"

#include <stdio.h>
#include <string.h>

#include <tickglass/client.h>
#include <tickglass/histogram.h>

#include "../integration/gateway_process.h"
#include "../integration/metrics_page.h"
#include "client_rig.h"

#define S          INT64_C(1000000000)
#define PERIODS_NS (130 * S) /* two of them, with their spread */

static gateway_process gateway;

/* The client's clock: the system's, and a second more for each message that came. So a minute of
 * the client is some seconds of the test. To it the gateway's clock stands nearly still, so prices
 * are shown as late; that is no business of reports. */
static struct {
    tg_clock system;
    int64_t ahead_ns;
    unsigned messages;
} ahead;

static int64_t mono_ahead(void *ctx)
{
    (void)ctx;
    return tg_clock_mono_ns(&ahead.system) + ahead.ahead_ns;
}

static int64_t utc_ahead(void *ctx)
{
    (void)ctx;
    return tg_clock_utc_ns(&ahead.system) + ahead.ahead_ns;
}

/* Between two steps, so that no message is measured over a jump. */
static void let_time_pass(const client_rig *rig)
{
    if (rig->messages != ahead.messages) {
        ahead.messages = rig->messages;
        ahead.ahead_ns += S;
    }
}

static tg_client_counters counters_of(const client_rig *rig)
{
    tg_client_counters counters = {.struct_size = sizeof counters};
    assert_int_equal(tg_client_counters_get(rig->client, &counters), TG_OK);
    return counters;
}

static bool has_reported(const client_rig *rig)
{
    let_time_pass(rig);
    return counters_of(rig).reports_sent >= TG_STAGE_COUNT;
}

static bool has_lived_for_two_periods(const client_rig *rig)
{
    let_time_pass(rig);
    return ahead.ahead_ns >= PERIODS_NS;
}

static void open_client(client_rig *rig, uint32_t share_ppm)
{
    static tg_clock clock = {mono_ahead, utc_ahead, NULL, NULL};
    tg_client_options opt;
    tg_client_options_init(&opt);
    opt.url = gateway.url;
    opt.ca_file = gateway.ca;
    opt.token = gateway.token;
    opt.clock = &clock;
    opt.random_seed = 5;
    opt.report_share_ppm = share_ppm;
    memset(&ahead, 0, sizeof ahead);
    ahead.system = tg_clock_system();
    client_rig_open(rig, &opt);
    tg_sub_id sub;
    assert_int_equal(tg_client_subscribe(rig->client, "ORION", "BTC-USD", &sub), TG_OK);
}

/* What the client sent may still be on its way, or wait for the next step. */
static void await_taken(client_rig *rig, metrics_page *page, double count)
{
    const int64_t until_ns = tg_clock_mono_ns(&ahead.system) + 60 * S;
    do {
        assert_true(tg_clock_mono_ns(&ahead.system) < until_ns);
        assert_int_equal(tg_client_step(rig->client, 1000), TG_OK);
        metrics_page_read(page, &gateway);
    } while (metrics_page_value(page, "client_reports_taken_total") < count);
}

static uint64_t values_of(const client_rig *rig, tg_stage stage)
{
    tg_histogram *histogram = NULL;
    tg_histogram_summary summary;
    assert_int_equal(tg_histogram_open(NULL, &histogram), TG_OK);
    assert_int_equal(tg_client_stage(rig->client, stage, histogram), TG_OK);
    tg_histogram_summary_get(histogram, &summary);
    tg_histogram_close(histogram);
    return summary.count;
}

static void a_client_that_was_not_asked_to_tells_the_gateway_nothing(void **state)
{
    (void)state;
    static metrics_page page;
    client_rig rig;
    open_client(&rig, 0);
    client_rig_step_until(&rig, has_lived_for_two_periods);
    assert_int_equal(counters_of(&rig).reports_sent, 0);
    metrics_page_read(&page, &gateway);
    assert_true(metrics_page_value(&page, "client_reports_taken_total") == 0);
    assert_true(metrics_page_value(&page, "stage_seconds_count{stage=\"client_decode\"}") == 0);
    client_rig_close(&rig);
}

static void what_a_member_of_the_cohort_reports_is_in_the_gateways_metrics(void **state)
{
    (void)state;
    static metrics_page page;
    client_rig rig;
    open_client(&rig, 1000000);
    client_rig_step_until(&rig, has_reported);
    assert_int_equal(counters_of(&rig).reports_failed, 0);
    await_taken(&rig, &page, TG_STAGE_COUNT);
    const double decoded =
        metrics_page_value(&page, "stage_seconds_count{stage=\"client_decode\"}");
    const double committed =
        metrics_page_value(&page, "stage_seconds_count{stage=\"client_commit\"}");
    assert_true(decoded > 0 && decoded <= (double)values_of(&rig, TG_STAGE_DECODE));
    assert_true(committed > 0 && committed <= (double)values_of(&rig, TG_STAGE_COMMIT));
    assert_true(metrics_page_value(&page, "stage_seconds_sum{stage=\"client_decode\"}") > 0);
    assert_true(metrics_page_value(&page, "unknown_messages_total") == 0);
    assert_int_equal(counters_of(&rig).connects, 1);
    client_rig_close(&rig);
}

static void a_share_over_the_whole_is_refused(void **state)
{
    (void)state;
    tg_client *client = NULL;
    tg_client_options opt;
    tg_client_options_init(&opt);
    opt.url = gateway.url;
    opt.ca_file = gateway.ca;
    opt.report_share_ppm = 1000001;
    assert_int_equal(tg_client_open(&opt, &client), TG_ERR_INVALID_ARGUMENT);
    assert_null(client);
}

static int start_gateway(void **state)
{
    (void)state;
    static const char *const arguments[] = {"--metrics-listen", "127.0.0.1:0", NULL};
    return gateway_process_start(&gateway, TG_GATEWAY_PROGRAM, arguments) ? 0 : -1;
}

static int stop_gateway(void **state)
{
    (void)state;
    return gateway_process_stop(&gateway) == 0 ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_client_that_was_not_asked_to_tells_the_gateway_nothing),
        cmocka_unit_test(what_a_member_of_the_cohort_reports_is_in_the_gateways_metrics),
        cmocka_unit_test(a_share_over_the_whole_is_refused),
    };
    return cmocka_run_group_tests_name("sdk.client_report", tests, start_gateway, stop_gateway);
}
