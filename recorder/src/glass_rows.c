#include "glass_rows.h"

#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

#define FRAMES  4096u               /* that wait for the last of their sockets */
#define WAITING (UINT32_C(1) << 16) /* rows of these frames */
#define BUCKETS TG__GLASS_ROWS

typedef struct frame {
    int64_t queued_ns;
    int64_t begun_ns;
    uint64_t first; /* of its rows, counted through */
    uint32_t count;
} frame;

struct tg__glass_rows {
    const uint64_t *connections;
    size_t connection_count;
    /* Rings; the counts go on, and a place is a count modulo the size. */
    frame frames[FRAMES];
    uint64_t frame_count;
    tg__glass_tick *waiting;
    uint64_t waiting_count;
    tg__glass_row *written;
    uint64_t written_count;
    uint64_t popped_count;
    uint32_t *buckets; /* 1 + place of the latest row; 0: none */
};

tg_err tg__glass_rows_open(const uint64_t *connections, size_t connection_count,
                           tg__glass_rows **out)
{
    tg__glass_rows *rows = calloc(1, sizeof *rows);
    *out = rows;
    TG_ENSURE(rows != NULL, TG_ERR_NO_MEMORY);
    rows->connections = connections;
    rows->connection_count = connection_count;
    rows->waiting = calloc(WAITING, sizeof *rows->waiting);
    rows->written = calloc(TG__GLASS_ROWS, sizeof *rows->written);
    rows->buckets = calloc(BUCKETS, sizeof *rows->buckets);
    return rows->waiting != NULL && rows->written != NULL && rows->buckets != NULL
               ? TG_OK
               : TG_ERR_NO_MEMORY;
}

void tg__glass_rows_close(tg__glass_rows *rows)
{
    if (rows != NULL) {
        free(rows->waiting);
        free(rows->written);
        free(rows->buckets);
        free(rows);
    }
}

static uint32_t *bucket_of(tg__glass_rows *rows, uint32_t instrument, uint32_t epoch, uint64_t seq)
{
    uint64_t hash = (((uint64_t)epoch << 32 | instrument) ^ seq * UINT64_C(0x9e3779b97f4a7c15)) *
                    UINT64_C(0xff51afd7ed558ccd);
    hash ^= hash >> 32;
    return &rows->buckets[hash % BUCKETS];
}

static bool is_version(const tg__glass_row *row, uint32_t instrument, uint32_t epoch, uint64_t seq)
{
    return row->tick.instrument == instrument && row->tick.epoch == epoch && row->tick.seq == seq;
}

tg__glass_row *tg__glass_rows_find(tg__glass_rows *rows, uint32_t instrument, uint32_t epoch,
                                   uint64_t seq)
{
    uint32_t place = *bucket_of(rows, instrument, epoch, seq);
    while (place != 0 && !is_version(&rows->written[place - 1], instrument, epoch, seq)) {
        place = rows->written[place - 1].next;
    }
    return place != 0 ? &rows->written[place - 1] : NULL;
}

bool tg__glass_rows_are_full(const tg__glass_rows *rows)
{
    return rows->written_count - rows->popped_count > TG__GLASS_ROWS - WAITING;
}

const tg__glass_row *tg__glass_rows_pop(tg__glass_rows *rows)
{
    if (rows->popped_count == rows->written_count) {
        return NULL;
    }
    const uint32_t place = (uint32_t)(rows->popped_count++ % TG__GLASS_ROWS);
    tg__glass_row *row = &rows->written[place];
    uint32_t *link = bucket_of(rows, row->tick.instrument, row->tick.epoch, row->tick.seq);
    while (*link != place + 1) {
        link = &rows->written[*link - 1].next;
    }
    *link = row->next;
    return row;
}

static void take_row(tg__glass_rows *rows, const tg__log_argument *arguments)
{
    tg__glass_tick *tick = &rows->waiting[rows->waiting_count++ % WAITING];
    memset(tick, 0, sizeof *tick);
    tick->instrument = (uint32_t)arguments[0].word;
    tick->epoch = (uint32_t)arguments[1].word;
    tick->seq = arguments[2].word;
    tick->due_ns = (int64_t)arguments[3].word;
    tick->taken_ns = (int64_t)arguments[4].word;
    tick->ended_ns = (int64_t)arguments[5].word;
    tick->queued_ns = (int64_t)arguments[6].word;
}

/* The rows of the frame come right before it. */
static void take_frame(tg__glass_rows *rows, const tg__log_argument *arguments)
{
    frame *made = &rows->frames[rows->frame_count++ % FRAMES];
    made->begun_ns = (int64_t)arguments[1].word;
    made->queued_ns = (int64_t)arguments[2].word;
    made->count = 0;
    made->first = rows->waiting_count;
    while (made->count < WAITING && made->first > 0 &&
           rows->waiting[(made->first - 1) % WAITING].queued_ns == made->queued_ns) {
        made->first--;
        made->count++;
    }
}

static const frame *find_frame(const tg__glass_rows *rows, int64_t queued_ns)
{
    for (uint64_t i = rows->frame_count; i > 0 && rows->frame_count - i < FRAMES; i--) {
        const frame *one = &rows->frames[(i - 1) % FRAMES];
        if (one->queued_ns == queued_ns) {
            return one;
        }
    }
    return NULL;
}

static bool is_own(const tg__glass_rows *rows, uint64_t connection)
{
    for (size_t i = 0; i < rows->connection_count; i++) {
        if (rows->connections[i] == connection) {
            return true;
        }
    }
    return false;
}

static void take_written(tg__glass_rows *rows, const tg__log_argument *arguments)
{
    const frame *one =
        is_own(rows, arguments[0].word) ? find_frame(rows, (int64_t)arguments[1].word) : NULL;
    if (one == NULL || rows->waiting_count - one->first > WAITING) {
        return;
    }
    for (uint64_t i = one->first; i < one->first + one->count; i++) {
        const tg__glass_tick *from = &rows->waiting[i % WAITING];
        if (tg__glass_rows_find(rows, from->instrument, from->epoch, from->seq) != NULL ||
            rows->written_count - rows->popped_count == TG__GLASS_ROWS) {
            continue; /* an older connection of the same terminal has it already */
        }
        const uint32_t place = (uint32_t)(rows->written_count++ % TG__GLASS_ROWS);
        tg__glass_row *row = &rows->written[place];
        row->tick = *from;
        row->tick.begun_ns = one->begun_ns;
        row->tick.written_ns = (int64_t)arguments[2].word;
        row->shown = false;
        uint32_t *bucket = bucket_of(rows, from->instrument, from->epoch, from->seq);
        row->next = *bucket;
        *bucket = place + 1;
    }
}

void tg__glass_rows_take(tg__glass_rows *rows, tg__glass_kind kind,
                         const tg__log_argument *arguments)
{
    if (kind == TG__GLASS_ROW) {
        take_row(rows, arguments);
    } else if (kind == TG__GLASS_FRAME) {
        take_frame(rows, arguments);
    } else if (kind == TG__GLASS_WRITTEN) {
        take_written(rows, arguments);
    }
}
