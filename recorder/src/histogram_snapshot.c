#include "histogram_snapshot.h"

#include <string.h>

#include <tickglass/internal/control_flow.h>
#include <tickglass/record_inline.h>

#include "bytes.h"
#include "histogram_slots.h"

#define STREAM_VERSION 1u
#define HEADER_SIZE    64u
#define VARINT_MAX     10u

/* A stream of which only a window is kept. */
typedef struct window {
    uint64_t from;
    size_t size;
    unsigned char *out;
    uint64_t at;
} window;

static void emit(window *w, const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++, w->at++) {
        if (w->at >= w->from && w->at - w->from < w->size) {
            w->out[w->at - w->from] = bytes[i];
        }
    }
}

static void emit_varint(window *w, uint64_t value)
{
    unsigned char bytes[VARINT_MAX];
    size_t size = 0;
    while (value >= 0x80) {
        bytes[size++] = (unsigned char)(value | 0x80);
        value >>= 7;
    }
    bytes[size++] = (unsigned char)value;
    emit(w, bytes, size);
}

uint64_t tg__histogram_stream(const tg_histogram *histogram, uint64_t from, size_t size,
                              unsigned char *out)
{
    window w = {from, size, out, 0};
    const tg__histogram_shape shape = tg__histogram_shape_get(histogram);
    tg_histogram_summary summary;
    tg_histogram_summary_get(histogram, &summary);
    unsigned char header[HEADER_SIZE];
    memset(header, 0, sizeof header);
    tg__put_u32(header, STREAM_VERSION);
    tg__put_u32(header + 4, (uint32_t)shape.significant_digits);
    tg__put_u64(header + 8, (uint64_t)shape.lowest);
    tg__put_u64(header + 16, (uint64_t)shape.highest);
    tg__put_u64(header + 24, summary.negative);
    tg__put_u64(header + 32, summary.over);
    tg__put_u64(header + 40, summary.saturated);
    tg__put_u64(header + 48, (uint64_t)summary.min);
    tg__put_u64(header + 56, (uint64_t)summary.max);
    emit(&w, header, sizeof header);
    uint32_t next = 0;
    for (;;) {
        const uint32_t slot = tg__histogram_slot_next(histogram, next);
        if (slot == tg__histogram_slot_count(histogram)) {
            break;
        }
        emit_varint(&w, slot - next);
        emit_varint(&w, tg__histogram_slot_get(histogram, slot));
        next = slot + 1;
    }
    return w.at;
}

static tg_err take_varint(const unsigned char *bytes, size_t size, size_t *at, uint64_t *out)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        TG_ENSURE(*at < size, TG_ERR_CORRUPT);
        const unsigned char byte = bytes[(*at)++];
        TG_ENSURE(shift != 63 || byte <= 1, TG_ERR_CORRUPT);
        value |= (uint64_t)(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0) {
            *out = value;
            return TG_OK;
        }
    }
    return TG_ERR_CORRUPT;
}

/* into NULL: only looks whether it could be done, and adds the counts up. */
static tg_err take_counts(const unsigned char *bytes, size_t size, uint32_t slots,
                          tg_histogram *into, uint64_t *sum)
{
    size_t at = HEADER_SIZE;
    uint64_t next = 0;
    *sum = 0;
    while (at < size) {
        uint64_t gap = 0;
        uint64_t count = 0;
        TG_TRY(take_varint(bytes, size, &at, &gap));
        TG_TRY(take_varint(bytes, size, &at, &count));
        TG_ENSURE(gap < slots && next + gap < slots && count != 0 && count <= UINT64_MAX - *sum,
                  TG_ERR_CORRUPT);
        if (into != NULL) {
            tg__histogram_slot_add(into, (uint32_t)(next + gap), count);
        }
        *sum += count;
        next += gap + 1;
    }
    return TG_OK;
}

static tg_err read_header(const unsigned char *bytes, size_t size, tg_histogram_options *shape,
                          tg_histogram_summary *summary)
{
    TG_ENSURE(size >= HEADER_SIZE && tg__get_u32(bytes) == STREAM_VERSION, TG_ERR_CORRUPT);
    const uint32_t digits = tg__get_u32(bytes + 4);
    TG_ENSURE(digits >= 1 && digits <= 4, TG_ERR_CORRUPT);
    tg_histogram_options_init(shape);
    shape->significant_digits = (int)digits;
    shape->lowest = (int64_t)tg__get_u64(bytes + 8);
    shape->highest = (int64_t)tg__get_u64(bytes + 16);
    TG_ENSURE(shape->lowest >= 1 && shape->highest >= 1, TG_ERR_CORRUPT);
    *summary = (tg_histogram_summary){.negative = tg__get_u64(bytes + 24),
                                      .over = tg__get_u64(bytes + 32),
                                      .saturated = tg__get_u64(bytes + 40),
                                      .min = (int64_t)tg__get_u64(bytes + 48),
                                      .max = (int64_t)tg__get_u64(bytes + 56)};
    return TG_OK;
}

tg_err tg__histogram_add_stream(const unsigned char *bytes, size_t size, tg_histogram *into)
{
    tg_histogram_options opt;
    tg_histogram_summary summary;
    TG_TRY(read_header(bytes, size, &opt, &summary));
    const tg__histogram_shape shape = tg__histogram_shape_get(into);
    TG_ENSURE(shape.lowest == opt.lowest && shape.highest == opt.highest &&
                  shape.significant_digits == opt.significant_digits,
              TG_ERR_HISTOGRAM_RANGE);
    const uint32_t slots = tg__histogram_slot_count(into);
    TG_TRY(take_counts(bytes, size, slots, NULL, &summary.count));
    TG_ENSURE(summary.count == 0 ||
                  (summary.min >= 0 && summary.min <= summary.max && summary.max <= opt.highest),
              TG_ERR_CORRUPT);
    TG_TRY(take_counts(bytes, size, slots, into, &summary.count));
    tg__histogram_outer_add(into, &summary);
    return TG_OK;
}

tg_err tg__histogram_from_stream(const unsigned char *bytes, size_t size, tg_histogram **out)
{
    *out = NULL;
    tg_histogram_options opt;
    tg_histogram_summary summary;
    TG_TRY(read_header(bytes, size, &opt, &summary));
    tg_histogram *made = NULL;
    tg_err err = tg_histogram_open(&opt, &made);
    TG_ENSURE(err != TG_ERR_HISTOGRAM_RANGE, TG_ERR_CORRUPT);
    TG_TRY(err);
    err = tg__histogram_add_stream(bytes, size, made);
    if (err != TG_OK) {
        tg_histogram_close(made);
        return err;
    }
    *out = made;
    return TG_OK;
}

tg_err tg__histogram_piece_read(const tg__log_record *record, tg__histogram_piece *out)
{
    TG_ENSURE(record->site->id == TG__SITE_HISTOGRAM, TG_ERR_NOT_FOUND);
    static const uint8_t types[] = {TG__TYPE_TEXT, TG__TYPE_I64, TG__TYPE_I64,
                                    TG__TYPE_U32,  TG__TYPE_U32, TG__TYPE_BLOB};
    TG_ENSURE(record->site->argument_count == sizeof types &&
                  memcmp(record->site->types, types, sizeof types) == 0,
              TG_ERR_CORRUPT);
    const unsigned char *at = record->arguments;
    out->name_size = tg__get_u32(at);
    out->name = (const char *)at + 4;
    at += 4 + (size_t)out->name_size;
    out->from_mono_ns = (int64_t)tg__get_u64(at);
    out->to_mono_ns = (int64_t)tg__get_u64(at + 8);
    out->number = tg__get_u32(at + 16);
    out->count = tg__get_u32(at + 20);
    out->size = tg__get_u32(at + 24);
    out->bytes = at + 28;
    return TG_OK;
}

static tg_err record_piece(tg_recorder *recorder, const tg_histogram *histogram,
                           const tg__histogram_piece *piece)
{
    static const tg__site site = {.level = TG_RECORD_INFO};
    const size_t exact = TG__RECORD_HEADER + 4 + piece->name_size + 28 + piece->size;
    const size_t size = (exact + 7u) & ~(size_t)7u;
    const uint64_t stamp = tg__record_stamp(recorder);
    tg__producer *producer = NULL;
    unsigned char *at = tg__record_reserve(recorder, &producer, &site, size, stamp, 0);
    TG_ENSURE(at != NULL, TG_ERR_FULL);
    tg__put_u32(at, (uint32_t)size);
    tg__put_u32(at + 4, TG__SITE_HISTOGRAM);
    tg__put_u64(at + 8, stamp);
    tg__put_u32(at + 16, piece->name_size);
    memcpy(at + 20, piece->name, piece->name_size);
    at += 20 + piece->name_size;
    tg__put_u64(at, (uint64_t)piece->from_mono_ns);
    tg__put_u64(at + 8, (uint64_t)piece->to_mono_ns);
    tg__put_u32(at + 16, piece->number);
    tg__put_u32(at + 20, piece->count);
    tg__put_u32(at + 24, piece->size);
    (void)tg__histogram_stream(histogram, (uint64_t)(piece->number - 1) * TG__HISTOGRAM_PIECE_SIZE,
                               piece->size, at + 28);
    tg__record_commit(producer, size);
    return TG_OK;
}

tg_err tg_recorder_histogram(tg_recorder *recorder, const char *name, const tg_histogram *histogram,
                             int64_t from_mono_ns, int64_t to_mono_ns)
{
    TG_ENSURE(recorder != NULL && name != NULL && histogram != NULL, TG_ERR_INVALID_ARGUMENT);
    const size_t name_size = strlen(name);
    TG_ENSURE(name_size <= TG__HISTOGRAM_NAME_MAX, TG_ERR_INVALID_ARGUMENT);
    if (((const tg__recorder_hot *)(const void *)recorder)->level < TG_RECORD_INFO) {
        return TG_OK;
    }
    const uint64_t whole = tg__histogram_stream(histogram, 0, 0, NULL);
    tg__histogram_piece piece = {
        .name = name,
        .name_size = (uint32_t)name_size,
        .from_mono_ns = from_mono_ns,
        .to_mono_ns = to_mono_ns,
        .count = (uint32_t)((whole + TG__HISTOGRAM_PIECE_SIZE - 1) / TG__HISTOGRAM_PIECE_SIZE)};
    uint64_t left = whole;
    for (piece.number = 1; piece.number <= piece.count; piece.number++) {
        piece.size = left < TG__HISTOGRAM_PIECE_SIZE ? (uint32_t)left : TG__HISTOGRAM_PIECE_SIZE;
        TG_TRY(record_piece(recorder, histogram, &piece));
        left -= piece.size;
    }
    return TG_OK;
}
