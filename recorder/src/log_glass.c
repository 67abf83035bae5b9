/* Tick to glass over two machines. */
#include "log_command.h"

#include <inttypes.h>
#include <stdio.h>

#include "glass_join.h"

static const char *const miss_names[TG__GLASS_MISSES] = {
    "before_gateway_record", "after_gateway_record", "unknown_instrument",
    "in_a_snapshot",         "too_long_ago",         "pass_not_recorded"};

static const char *const miss_texts[TG__GLASS_MISSES] = {
    "received before the gateway's record begins",
    "received after it ends",
    "of an instrument that the gateway's record does not know",
    "that a snapshot brought, and no frame before it",
    "of rows that were written too long before",
    "of a pass that was not handed off within the record"};

static const char *side_of(tg__glass_stage stage)
{
    return stage <= TG__GLASS_WRITE || stage == TG__GLASS_IN_GATEWAY ? "gateway"
           : stage == TG__GLASS_NETWORK || stage == TG__GLASS_WHOLE  ? "both"
                                                                     : "terminal";
}

static void print_stage(const tg__glass_result *r, tg__glass_stage stage, bool json)
{
    static const double asked[] = {50, 99, 99.9};
    const tg_histogram *values = r->stages[stage];
    tg_histogram_summary summary;
    tg_histogram_summary_get(values, &summary);
    int64_t at[3];
    for (int i = 0; i < 3; i++) {
        at[i] = tg_histogram_percentile(values, asked[i]);
    }
    const char *name = tg__glass_stage_name(stage);
    const bool two_clocks = stage == TG__GLASS_NETWORK || stage == TG__GLASS_WHOLE;
    if (json) {
        (void)printf("{\"stage\":\"%s\",\"side\":\"%s\",\"count\":%" PRIu64 ",\"negative\":%" PRIu64
                     ",\"over\":%" PRIu64 ",\"p50\":%" PRId64 ",\"p99\":%" PRId64
                     ",\"p99.9\":%" PRId64 ",\"max\":%" PRId64 ",\"mean\":%.1f"
                     ",\"clock_uncertainty\":%" PRId64 "}\n",
                     name, side_of(stage), summary.count, summary.negative, summary.over, at[0],
                     at[1], at[2], summary.max, summary.mean,
                     two_clocks ? r->uncertainty_most_ns : 0);
        return;
    }
    (void)printf("%-20s %-9s %9" PRIu64 " %12" PRId64 " %12" PRId64 " %12" PRId64 " %12" PRId64,
                 name, side_of(stage), summary.count, at[0], at[1], at[2], summary.max);
    if (two_clocks) {
        (void)printf("  ± %" PRId64 " at most", r->uncertainty_most_ns);
    }
    if (summary.negative != 0) {
        (void)printf("  besides %" PRIu64 " below 0", summary.negative);
    }
    if (summary.over != 0) {
        (void)printf("  besides %" PRIu64 " over an hour", summary.over);
    }
    (void)printf("\n");
}

static void print_clocks(const tg__glass_result *r, bool json)
{
    tg_histogram_summary rtt;
    tg_histogram_summary_get(r->rtt, &rtt);
    const int64_t rtt_p50 = tg_histogram_percentile(r->rtt, 50);
    const tg__clock_offset first = r->clocks_first;
    const tg__clock_offset last = r->joined != 0 ? r->clocks_last : first;
    if (json) {
        (void)printf("{\"clocks\":\"gateway minus terminal\",\"offset_first\":%" PRId64
                     ",\"uncertainty_first\":%" PRId64 ",\"offset_last\":%" PRId64
                     ",\"uncertainty_last\":%" PRId64 ",\"uncertainty_most\":%" PRId64
                     ",\"wall_clocks_apart\":%" PRId64 ",\"drift_assumed_ppm\":%d"
                     ",\"echoes\":%" PRIu64 ",\"connections\":%" PRIu64
                     ",\"rtt_half_upper_bound\":{\"min\":%" PRId64 ",\"p50\":%" PRId64
                     ",\"max\":%" PRId64 "}}\n",
                     first.ns, first.uncertainty_ns, last.ns, last.uncertainty_ns,
                     r->uncertainty_most_ns, r->walls_apart_ns, TG__CLOCK_DRIFT_PPM, r->echoes,
                     r->connections, rtt.min / 2, rtt_p50 / 2, rtt.max / 2);
        return;
    }
    (void)printf(
        "clocks, gateway minus terminal, by %" PRIu64 " echoes on %" PRIu64 " connections:\n"
        "    monotonic  %" PRId64 " ± %" PRId64 " ns at the first tick, %" PRId64 " ± %" PRId64
        " ns at the last\n",
        r->echoes, r->connections, first.ns, first.uncertainty_ns, last.ns, last.uncertainty_ns);
    if (r->joined != 0) {
        (void)printf("    UTC        %" PRId64 " ± %" PRId64 " ns at the first tick\n",
                     r->walls_apart_ns, first.uncertainty_ns);
    }
    (void)printf(
        "    RTT/2      p50 %" PRId64 ", max %" PRId64
        " ns: an upper bound of the network's share, if both ways are alike\n"
        "    (the clocks may run apart by %d ppm: by so much the uncertainty grows with an "
        "echo's age)\n",
        rtt_p50 / 2, rtt.max / 2, TG__CLOCK_DRIFT_PPM);
}

static void print_counts(const tg__glass_result *r, bool json)
{
    if (json) {
        (void)printf("{\"ticks_shown\":%" PRIu64 ",\"joined\":%" PRIu64 ",\"not_joined\":{",
                     r->shown, r->joined);
        for (int i = 0; i < TG__GLASS_MISSES; i++) {
            (void)printf("%s\"%s\":%" PRIu64, i == 0 ? "" : ",", miss_names[i], r->misses[i]);
        }
        (void)printf("},\"rows_written\":%" PRIu64 ",\"rows_never_shown\":%" PRIu64
                     ",\"rows_outside_terminal_record\":%" PRIu64 "}\n",
                     r->rows, r->rows_never_shown, r->rows_outside);
        return;
    }
    (void)printf("%" PRIu64 " ticks on the glass, %" PRIu64 " of them joined\n", r->shown,
                 r->joined);
    for (int i = 0; i < TG__GLASS_MISSES; i++) {
        if (r->misses[i] != 0) {
            (void)printf("    not joined: %" PRIu64 " %s\n", r->misses[i], miss_texts[i]);
        }
    }
    (void)printf("%" PRIu64 " rows written to this terminal\n", r->rows);
    if (r->rows_never_shown != 0) {
        (void)printf("    never shown: %" PRIu64
                     ", for a newer one came before the pass, or they were not on the screen\n",
                     r->rows_never_shown);
    }
    if (r->rows_outside != 0) {
        (void)printf("    not joined: %" PRIu64 " written while the terminal did not record\n",
                     r->rows_outside);
    }
}

static void print_all(const tg__glass_result *r, bool json)
{
    print_counts(r, json);
    print_clocks(r, json);
    if (!json) {
        (void)printf("%-20s %-9s %9s %12s %12s %12s %12s\n", "stage (ns)", "clock", "count", "p50",
                     "p99", "p99.9", "max");
    }
    for (int i = 0; i < TG__GLASS_STAGES; i++) {
        print_stage(r, (tg__glass_stage)i, json);
    }
}

/* What cannot be joined; LOG_USAGE. */
static int tell_why(const log_input *input, tg_err err)
{
    const char *gateway = input->files[0].path;
    const char *terminal = input->files[1].path;
    if (err == TG_ERR_FORMAT) {
        (void)fprintf(stderr,
                      "tickglass-log: %s: no gateway wrote this (tickglass-gateway --record)\n",
                      gateway);
    } else if (err == TG_ERR_SYNTAX) {
        (void)fprintf(stderr,
                      "tickglass-log: %s: no terminal wrote this (tickglass-terminal --record), or "
                      "it drew nothing\n",
                      terminal);
    } else if (err == TG_ERR_NOT_FOUND) {
        (void)fprintf(stderr,
                      "tickglass-log: no echo of %s is in %s: the two did not talk, or not while "
                      "both recorded\n",
                      terminal, gateway);
    } else {
        return log_fail("memory", err);
    }
    return LOG_USAGE;
}

int log_glass(const log_options *opt)
{
    if (opt->path_count != 2) {
        (void)fprintf(stderr, "tickglass-log: glass needs two files, the gateway's and the "
                              "terminal's\n");
        return LOG_USAGE;
    }
    log_input input;
    int status = log_input_open(opt, &input);
    if (status == LOG_OK) {
        tg__glass_result result;
        const tg_err err = tg__glass_join(&input.files[0], &input.files[1], NULL, NULL, &result);
        if (err == TG_OK) {
            print_all(&result, opt->json);
            status = log_input_problems(&input);
        } else {
            status = tell_why(&input, err);
        }
        tg__glass_result_deinit(&result);
    }
    log_input_close(&input);
    return status;
}
