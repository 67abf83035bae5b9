#include "session_record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <tickglass/recorder.h>

struct session_record {
    tg_recorder *recorder;
    tg_err histogram_err; /* the first that was refused */
};

tg_err session_record_open(const char *path, session_record **out)
{
    *out = NULL;
    session_record *record = calloc(1, sizeof *record);
    if (record == NULL) {
        return TG_ERR_NO_MEMORY;
    }
    tg_recorder_options options;
    tg_recorder_options_init(&options);
    options.path = path;
    options.ring_size = UINT32_C(4) << 20;
    options.threads_max = 8;
    const tg_err err = tg_recorder_open(&options, &record->recorder);
    if (err != TG_OK) {
        free(record);
        return err;
    }
    *out = record;
    return TG_OK;
}

tg_err session_record_close(session_record *record, char *why, size_t why_size)
{
    if (record == NULL) {
        return TG_OK;
    }
    tg_err err = tg_recorder_flush(record->recorder, 10000);
    tg_recorder_counters counters = {.struct_size = sizeof counters};
    if (err == TG_OK) {
        err = tg_recorder_counters_get(record->recorder, &counters);
    }
    (void)snprintf(why, why_size, "%s", err != TG_OK ? tg_err_text(err) : "");
    if (err == TG_OK && (counters.dropped > 0 || record->histogram_err != TG_OK)) {
        (void)snprintf(why, why_size, "%" PRIu64 " records found no room", counters.dropped);
        err = TG_ERR_IO;
    }
    if (err == TG_ERR_TIMEOUT || err == TG_ERR_IO) {
        char detail[160] = "";
        tg_recorder_last_error(record->recorder, detail, sizeof detail);
        if (detail[0] != '\0') {
            (void)snprintf(why, why_size, "%s", detail);
        }
        err = TG_ERR_IO;
    }
    tg_recorder_close(record->recorder);
    free(record);
    return err;
}

void session_record_message(session_record *record, const void *bytes, size_t size,
                            int64_t received_mono_ns)
{
    if (record != NULL) {
        TG_RECORD_AT(record->recorder, TG_RECORD_INFO, received_mono_ns, "message %p",
                     tg_blob_of(bytes, size));
    }
}

void session_record_row(session_record *record, uint64_t view_number, const char *venue,
                        const char *symbol, tg_version version)
{
    if (record != NULL) {
        TG_RECORD(record->recorder, TG_RECORD_INFO,
                  "drawn view %" PRIu64 " %s:%s epoch %" PRIu32 " seq %" PRIu64, view_number, venue,
                  symbol, version.epoch, version.seq);
    }
}

void session_record_pass(session_record *record, uint64_t view_number, size_t cell_count,
                         const pass_stamps *stamps)
{
    if (record != NULL) {
        TG_RECORD_AT(record->recorder, TG_RECORD_INFO, stamps->handed_mono_ns,
                     "handed off view %" PRIu64 " cells %zu drawn_mono_ns %" PRId64
                     " handed_utc_ns %" PRId64,
                     view_number, cell_count, stamps->drawn_mono_ns, stamps->handed_utc_ns);
    }
}

void session_record_times(session_record *record, const glass_times *times, int64_t from_mono_ns,
                          int64_t to_mono_ns)
{
    static const struct {
        const char *name;
        glass_span span;
    } rows[] = {
        {"committed_to_drawn_ns", SPAN_COMMITTED_TO_DRAWN},
        {"drawn_to_handed_ns", SPAN_DRAWN_TO_HANDED},
        {"received_to_handed_ns", SPAN_RECEIVED_TO_HANDED},
        {"exchange_to_handed_ns", SPAN_EXCHANGE_TO_HANDED},
    };
    for (size_t i = 0; record != NULL && i < sizeof rows / sizeof rows[0]; i++) {
        const tg_err err =
            tg_recorder_histogram(record->recorder, rows[i].name,
                                  glass_times_all(times, rows[i].span), from_mono_ns, to_mono_ns);
        if (err != TG_OK && record->histogram_err == TG_OK) {
            record->histogram_err = err;
        }
    }
}
