#include "client_reports.h"

#include <stdlib.h>

#include <tickglass/internal/control_flow.h>
#include <tickglass/internal/hlog.h>

#define NS_PER_MS       UINT64_C(1000000)
#define INTERVAL_MAX_MS 3600000u /* PROTOCOL.md 4.7: an hour stands for any longer time */
#define PRECISION       1000u    /* values come to three digits */

struct tg__client_reports {
    tg__token_bucket rate;
    tg_histogram *decoded;
    unsigned char scratch[TG__REPORT_TEXT_MAX / 4 * 3 + TG__REPORT_UNPACKED];
};

const char *tg__report_verdict_text(tg__report_verdict verdict)
{
    static const char *const texts[TG__REPORT_VERDICT_COUNT] = {
        [TG__REPORT_TAKEN] = "taken",
        [TG__REPORT_NOT_VALID] = "not valid",
        [TG__REPORT_NO_STAGE] = "stage not known",
        [TG__REPORT_TOO_OFTEN] = "too often",
        [TG__REPORT_BUSY] = "too many of all",
        [TG__REPORT_NO_HISTOGRAM] = "no histogram",
        [TG__REPORT_OTHER_SHAPE] = "another shape",
        [TG__REPORT_NOT_PLAUSIBLE] = "not plausible",
        [TG__REPORT_NOT_MEASURED] = "nothing is measured",
    };
    return texts[verdict];
}

tg_err tg__client_reports_open(int64_t mono_ns, tg__client_reports **out)
{
    *out = NULL;
    tg__client_reports *reports = calloc(1, sizeof *reports);
    TG_ENSURE(reports != NULL, TG_ERR_NO_MEMORY);
    const tg_err err = tg__metrics_histogram_open(&reports->decoded);
    if (err != TG_OK) {
        tg__client_reports_close(reports);
        return err;
    }
    tg__token_bucket_init(&reports->rate, TG__REPORTS_PER_SECOND, TG__REPORTS_BURST, mono_ns);
    *out = reports;
    return TG_OK;
}

void tg__client_reports_close(tg__client_reports *reports)
{
    if (reports != NULL) {
        tg_histogram_close(reports->decoded);
        free(reports);
    }
}

static tg__report_verdict unpack(tg__client_reports *reports, const tg__report *report)
{
    /* What a short text leaves of its own room is no room for the histogram. */
    const size_t room = report->text_size / 4 * 3 + TG__REPORT_UNPACKED;
    const tg_err err = tg__hlog_decode_into(report->text, report->text_size, reports->scratch, room,
                                            TG__REPORT_VALUES_MAX, reports->decoded);
    return err == TG_OK                    ? TG__REPORT_TAKEN
           : err == TG_ERR_HISTOGRAM_RANGE ? TG__REPORT_OTHER_SHAPE
           : err == TG_ERR_COUNT_LIMIT     ? TG__REPORT_NOT_PLAUSIBLE
                                           : TG__REPORT_NO_HISTOGRAM;
}

/*
 * A client works on one message after another, so that what it says of a stage adds up to no more
 * than its interval. With that a client that lies weighs no more than one that was busy throughout.
 */
static bool is_plausible(const tg__report *report, uint64_t sum_ns)
{
    const uint64_t interval_ms =
        report->interval_ms < INTERVAL_MAX_MS ? report->interval_ms : INTERVAL_MAX_MS;
    const uint64_t most_ns = (interval_ms + 1) * NS_PER_MS; /* it was told in whole ones */
    return sum_ns <= most_ns + most_ns / PRECISION;
}

tg__report_verdict tg__client_reports_take(tg__client_reports *reports, tg__metrics *metrics,
                                           tg__report_pace *pace, const uint8_t *message,
                                           size_t size, int64_t mono_ns)
{
    static const tg__stage stages[TG__REPORT_STAGE_COUNT] = {
        [TG__REPORT_DECODE] = TG__STAGE_CLIENT_DECODE,
        [TG__REPORT_COMMIT] = TG__STAGE_CLIENT_COMMIT,
    };
    tg__report report;
    tg__fault fault;
    if (tg__report_decode(message, size, &report, &fault) != TG_OK) {
        return TG__REPORT_NOT_VALID;
    }
    if (report.stage >= TG__REPORT_STAGE_COUNT) {
        return TG__REPORT_NO_STAGE;
    }
    if (reports == NULL || metrics == NULL) {
        return TG__REPORT_NOT_MEASURED;
    }
    if (mono_ns < pace->next_mono_ns[report.stage]) {
        return TG__REPORT_TOO_OFTEN;
    }
    if (!tg__token_bucket_take(&reports->rate, mono_ns)) {
        return TG__REPORT_BUSY;
    }
    /* From here on it costs us, taken or not. */
    pace->next_mono_ns[report.stage] = mono_ns + TG__REPORT_GAP_NS;
    const tg__report_verdict verdict = unpack(reports, &report);
    if (verdict != TG__REPORT_TAKEN) {
        return verdict;
    }
    tg_histogram_summary summary;
    tg_histogram_summary_get(reports->decoded, &summary);
    /* At most a million values of a minute each: far within what a double holds exactly enough. */
    const uint64_t sum_ns = (uint64_t)(summary.mean * (double)summary.count);
    if (!is_plausible(&report, sum_ns)) {
        return TG__REPORT_NOT_PLAUSIBLE;
    }
    return tg__metrics_client(metrics, stages[report.stage], reports->decoded, summary.count,
                              sum_ns)
               ? TG__REPORT_TAKEN
               : TG__REPORT_BUSY;
}
