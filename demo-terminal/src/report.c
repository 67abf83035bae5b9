#include "report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unistd.h>

/* Numbers are written from integers: the decimal sign is a point in every locale. */
static void put_us(FILE *to, int64_t ns)
{
    const uint64_t magnitude = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    (void)fprintf(to, "%s%" PRIu64 ".%03" PRIu64, ns < 0 ? "-" : "", magnitude / 1000,
                  magnitude % 1000);
}

static void put_percentiles(FILE *to, const char *name, const tg_histogram *histogram,
                            bool with_counts)
{
    static const struct {
        const char *key;
        double percentile;
    } points[] = {{"p50", 50}, {"p99", 99}, {"p999", 99.9}};
    tg_histogram_summary summary;
    tg_histogram_summary_get(histogram, &summary);
    (void)fprintf(to, "\"%s\": {", name);
    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++) {
        (void)fprintf(to, "\"%s\": ", points[i].key);
        put_us(to, tg_histogram_percentile(histogram, points[i].percentile));
        (void)fputs(", ", to);
    }
    (void)fputs("\"max\": ", to);
    put_us(to, summary.max);
    (void)fprintf(to, ", \"count\": %" PRIu64, summary.count);
    if (with_counts) {
        (void)fprintf(to, ", \"negative\": %" PRIu64 ", \"over\": %" PRIu64, summary.negative,
                      summary.over);
    }
    (void)fputs("}", to);
}

static void put_string(FILE *to, const char *text)
{
    (void)fputc('"', to);
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0'; at++) {
        if (*at == '"' || *at == '\\') {
            (void)fprintf(to, "\\%c", *at);
        } else if (*at < 0x20) {
            (void)fprintf(to, "\\u%04x", *at);
        } else {
            (void)fputc(*at, to);
        }
    }
    (void)fputc('"', to);
}

static void put_count(FILE *to, const char *name, uint64_t value)
{
    (void)fprintf(to, "  \"%s\": %" PRIu64 ",\n", name, value);
}

/* Resident memory now; the system's page counts are in the second number of statm. */
static uint64_t resident_kb(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    uint64_t pages = 0;
    if (file != NULL) {
        if (fscanf(file, "%*u %" SCNu64, &pages) != 1) {
            pages = 0;
        }
        (void)fclose(file);
    }
    return pages * (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
}

static void put_counters(FILE *to, const terminal_report *report)
{
    put_count(to, "frames", report->client.frames);
    put_count(to, "frames_rejected", report->client.frames_rejected);
    put_count(to, "messages", report->client.messages);
    put_count(to, "bytes", report->client.bytes);
    put_count(to, "ticks_admitted", report->store.admitted);
    put_count(to, "covered_ticks", report->store.covered_ticks);
    put_count(to, "rejected_regression", report->store.rejected_regression);
    put_count(to, "rejected_duplicate", report->store.confirmed);
    put_count(to, "rejected_epoch", report->store.rejected_epoch);
    put_count(to, "integrity_faults", report->store.integrity_faults);
    put_count(to, "gaps", report->client.gaps);
    put_count(to, "resyncs", report->client.resyncs);
    put_count(to, "connects", report->client.connects);
    put_count(to, "reconnects", report->client.reconnects);
    put_count(to, "drawn_regressions", report->glass.regressions);
    put_count(to, "drawn_unknown", report->glass.unknown);
    put_count(to, "drawn_judged_by_tape", report->glass.judged_by_tape);
    put_count(to, "drawn_judged_by_version", report->glass.judged_by_version);
    put_count(to, "drawn_not_judged", report->glass.not_judged);
    put_count(to, "drawn_judged_depth", report->glass.judged_depth);
    put_count(to, "passes", report->passes);
    put_count(to, "cells_drawn", report->cells_drawn);
    put_count(to, "instruments", report->rows);
}

static void put_report(FILE *to, const terminal_report *report)
{
    (void)fputs("{\n", to);
    put_counters(to, report);
    (void)fputs("  ", to);
    put_percentiles(to, "handoff_us", glass_times_all(report->times, SPAN_RECEIVED_TO_HANDED),
                    false);
    (void)fputs(",\n  ", to);
    put_percentiles(to, "tick_to_glass_us", glass_times_all(report->times, SPAN_EXCHANGE_TO_HANDED),
                    true);
    (void)fputs(",\n  \"tick_to_glass_clocks\": \"exchange time against this machine's wall "
                "clock as it is\",\n  \"stages\": {\n    ",
                to);
    put_percentiles(to, "decode_us", report->decode, false);
    (void)fputs(",\n    ", to);
    put_percentiles(to, "commit_us", report->commit, false);
    (void)fputs(",\n    ", to);
    put_percentiles(to, "draw_us", glass_times_all(report->times, SPAN_COMMITTED_TO_DRAWN), false);
    (void)fputs(",\n    ", to);
    put_percentiles(to, "present_us", glass_times_all(report->times, SPAN_DRAWN_TO_HANDED), false);
    (void)fputs("\n  },\n", to);
    put_count(to, "cpu_ms", (uint64_t)(report->cpu_ns / 1000000));
    put_count(to, "rss_kb", resident_kb());
    (void)fprintf(to, "  \"seconds\": %" PRId64 ".%03" PRId64 ",\n  \"build\": ",
                  report->elapsed_ns / 1000000000, report->elapsed_ns / 1000000 % 1000);
    put_string(to, report->build);
    (void)fputs("\n}\n", to);
}

tg_err report_write(const terminal_report *report, const char *path)
{
    static const char suffix[] = ".part";
    const size_t length = strlen(path);
    char *part = malloc(length + sizeof suffix);
    if (part == NULL) {
        return TG_ERR_NO_MEMORY;
    }
    memcpy(part, path, length);
    memcpy(part + length, suffix, sizeof suffix);
    FILE *to = fopen(part, "w");
    bool ok = to != NULL;
    if (ok) {
        put_report(to, report);
        ok = ferror(to) == 0;
        ok = fclose(to) == 0 && ok && rename(part, path) == 0;
    }
    if (!ok) {
        const int why = errno;
        (void)remove(part);
        errno = why;
    }
    free(part);
    return ok ? TG_OK : TG_ERR_IO;
}
