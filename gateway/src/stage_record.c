#include "stage_record.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>
#include <tickglass/recorder.h>

#include "log.h"

#define TURNS 4096u /* more than lie between a tick and its frame */
#define RING_SIZE                                                                                  \
    (UINT32_C(8) << 20) /* the names of a full directory, or a second of a release                 \
                         */

/* The newest tick of an instrument. */
typedef struct newest_tick {
    tg_version version;
    int64_t due_mono_ns; /* 0: not known */
    int64_t taken_mono_ns;
} newest_tick;

/* A turn of the handlers that brought rows. */
typedef struct turn {
    int64_t taken_mono_ns;
    int64_t ended_mono_ns;
} turn;

struct tg__stage_record {
    tg_recorder *recorder;
    turn turns[TURNS]; /* ring: the oldest go, and are not known any more */
    uint64_t turn_count;
    newest_tick *newest; /* by instrument id */
    char *path;
    uint64_t ticks_connection;    /* ticks were encoded for it, and are about to be written */
    int64_t ticks_queued_mono_ns; /* 0: none are */
};

static void record_names(tg_recorder *recorder, const tg__directory *directory)
{
    for (uint32_t id = 0; id < directory->count; id++) {
        const tg_instrument *instrument = &directory->instruments[id];
        TG_RECORD(recorder, TG_RECORD_INFO, "instrument %" PRIu32 " is %s:%s", id,
                  (const char *)directory->venues[instrument->venue].name,
                  (const char *)instrument->symbol);
    }
}

tg_err tg__stage_record_open(const char *path, const tg__directory *directory,
                             tg__stage_record **out, tg__cause *cause)
{
    *out = NULL;
    tg__stage_record *record = calloc(1, sizeof *record);
    if (record != NULL) {
        record->newest = calloc((size_t)directory->count + 1, sizeof *record->newest);
        record->path = strdup(path);
    }
    if (record == NULL || record->newest == NULL || record->path == NULL) {
        tg__stage_record_close(record);
        return tg__cause_set(cause, TG_ERR_NO_MEMORY, "%s: no memory to write it", path);
    }
    tg_recorder_options options;
    tg_recorder_options_init(&options);
    options.path = path;
    options.ring_size = RING_SIZE;
    options.threads_max = 1;
    tg_err err = tg_recorder_open(&options, &record->recorder);
    if (err == TG_OK) {
        err = tg_recorder_prepare_thread(record->recorder, "gateway");
    }
    if (err != TG_OK) {
        const int failure = errno;
        tg__stage_record_close(record);
        return tg__cause_set(cause, err, "%s: cannot be written: %s", path,
                             err == TG_ERR_IO ? strerror(failure) : tg_err_text(err));
    }
    record_names(record->recorder, directory);
    *out = record;
    return TG_OK;
}

void tg__stage_record_close(tg__stage_record *record)
{
    if (record == NULL) {
        return;
    }
    tg_recorder_counters counters = {.struct_size = sizeof counters};
    if (record->recorder != NULL &&
        tg_recorder_counters_get(record->recorder, &counters) == TG_OK && counters.dropped > 0) {
        tg__log("%s: %" PRIu64 " records found no room and are not in it", record->path,
                counters.dropped);
    }
    tg_recorder_close(record->recorder);
    free(record->newest);
    free(record->path);
    free(record);
}

void tg__stage_record_tick(tg__stage_record *record, tg_instrument_id id, const tg_image *image,
                           int64_t taken_mono_ns, int64_t age_ns)
{
    if (record != NULL) {
        newest_tick *newest = &record->newest[id];
        newest->version = tg_image_version(image);
        newest->due_mono_ns = age_ns >= 0 ? taken_mono_ns - age_ns : 0;
        newest->taken_mono_ns = taken_mono_ns;
    }
}

void tg__stage_record_turn(tg__stage_record *record, int64_t taken_mono_ns, int64_t ended_mono_ns)
{
    if (record != NULL) {
        record->turns[record->turn_count++ % TURNS] = (turn){taken_mono_ns, ended_mono_ns};
    }
}

/* When the turn ended that took rows then; 0: not known. Turns come in order. */
static int64_t end_of_turn(const tg__stage_record *record, int64_t taken_mono_ns)
{
    uint64_t high = record->turn_count;
    uint64_t low = high > TURNS ? high - TURNS : 0;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (record->turns[middle % TURNS].taken_mono_ns < taken_mono_ns) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const turn *found = &record->turns[low % TURNS];
    return low < record->turn_count && found->taken_mono_ns == taken_mono_ns ? found->ended_mono_ns
                                                                             : 0;
}

static void record_row(const tg__stage_record *record, const tg__update *update,
                       int64_t queued_mono_ns)
{
    static const newest_tick unknown = {.due_mono_ns = 0};
    const tg_version version = tg_image_version(&update->image);
    const newest_tick *newest = &record->newest[update->id];
    if (tg_version_compare(newest->version, version) != 0) {
        newest = &unknown; /* a lane has admitted another one, which the boundary did not cut */
    }
    TG_RECORD_AT(record->recorder, TG_RECORD_INFO, queued_mono_ns,
                 "row of instrument %" PRIu32 " epoch %" PRIu32 " seq %" PRIu64
                 " due_mono_ns %" PRId64 " taken_mono_ns %" PRId64 " ended_mono_ns %" PRId64
                 " queued_mono_ns %" PRId64,
                 (uint32_t)update->id, version.epoch, version.seq, newest->due_mono_ns,
                 newest->taken_mono_ns, end_of_turn(record, newest->taken_mono_ns), queued_mono_ns);
}

/* Behind its rows. */
static void record_frame(const tg__stage_record *record, uint64_t boundary, int64_t begun_mono_ns,
                         int64_t queued_mono_ns, uint32_t count)
{
    TG_RECORD_AT(record->recorder, TG_RECORD_INFO, queued_mono_ns,
                 "frame to boundary %" PRIu64 " begun_mono_ns %" PRId64 " queued_mono_ns %" PRId64
                 " rows %" PRIu32,
                 boundary, begun_mono_ns, queued_mono_ns, count);
}

void tg__stage_record_frame(tg__stage_record *record, const tg__frame *frame,
                            const tg__update *updates, int64_t begun_mono_ns,
                            int64_t queued_mono_ns)
{
    if (record == NULL) {
        return;
    }
    for (uint32_t i = 0; i < frame->count; i++) {
        record_row(record, &updates[i], queued_mono_ns);
    }
    record_frame(record, frame->boundary, begun_mono_ns, queued_mono_ns, frame->count);
}

void tg__stage_record_ticks(tg__stage_record *record, uint64_t connection, const tg__tick *ticks,
                            uint32_t count, int64_t begun_mono_ns, int64_t queued_mono_ns)
{
    if (record == NULL) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        record_row(record, &ticks[i].update, queued_mono_ns);
    }
    record_frame(record, 0, begun_mono_ns, queued_mono_ns, count);
    record->ticks_connection = connection;
    record->ticks_queued_mono_ns = queued_mono_ns;
}

bool tg__stage_record_awaits(const tg__stage_record *record, uint64_t connection,
                             int64_t *queued_mono_ns)
{
    if (record == NULL || record->ticks_queued_mono_ns == 0 ||
        record->ticks_connection != connection) {
        return false;
    }
    *queued_mono_ns = record->ticks_queued_mono_ns;
    return true;
}

void tg__stage_record_written(tg__stage_record *record, uint64_t connection, int64_t queued_mono_ns,
                              int64_t written_mono_ns)
{
    if (record != NULL) {
        record->ticks_queued_mono_ns = 0;
        TG_RECORD_AT(record->recorder, TG_RECORD_INFO, written_mono_ns,
                     "connection %" PRIu64 " queued_mono_ns %" PRId64 " written_mono_ns %" PRId64,
                     connection, queued_mono_ns, written_mono_ns);
    }
}

void tg__stage_record_echo(tg__stage_record *record, uint64_t connection, uint64_t cookie,
                           int64_t mono_ns)
{
    if (record != NULL) {
        TG_RECORD_AT(record->recorder, TG_RECORD_INFO, mono_ns,
                     "connection %" PRIu64 " echo %" PRIu64 " seen_mono_ns %" PRId64, connection,
                     cookie, mono_ns);
    }
}
