#include "layout.h"

#include <string.h>

#include <tickglass/internal/control_flow.h>

#include "time_units.h"
#include "varint.h"

#define DELTA_COUNT 11u

typedef struct fixed_header {
    uint64_t boundary;
    uint64_t base;
    int64_t ts_units; /* since the channel's last frame */
    uint32_t set_digest;
    uint32_t count;
} fixed_header;

/* A changed row. One that does not fit has WIDE in its mask, and wide_values behind it. */
typedef struct fixed_row {
    uint16_t slot;
    uint16_t mask; /* changed fields, in the order of fields[] */
    uint32_t step;
    uint32_t covered;
    int32_t ts_units; /* before the gateway's time */
    int32_t delta[DELTA_COUNT];
} fixed_row;
_Static_assert(sizeof(fixed_row) == 60, "fixed rows have 60 bytes");

typedef struct wide_values {
    uint64_t step;
    uint64_t mask; /* by field number */
    int64_t ts_units;
    int64_t delta[TG_FIELD_COUNT];
} wide_values;

#define WIDE 0x8000u

static const uint8_t fields[DELTA_COUNT] = {
    TG_FIELD_BID_PRICE,     TG_FIELD_ASK_PRICE, TG_FIELD_BID_QUANTITY,  TG_FIELD_ASK_QUANTITY,
    TG_FIELD_LAST_PRICE,    TG_FIELD_OPEN,      TG_FIELD_LAST_QUANTITY, TG_FIELD_VOLUME,
    TG_FIELD_OPEN_INTEREST, TG_FIELD_HIGH,      TG_FIELD_LOW,
};

static bool fill_row(const tg_image *base, const tg_image *image, int64_t ts_units, fixed_row *row)
{
    uint32_t told = TG_FIELD_BIT(TG_FIELD_TS_EXCHANGE);
    int64_t over = 0;
    unsigned mask = 0;
    for (unsigned i = 0; i < DELTA_COUNT; i++) {
        const unsigned field = fields[i];
        const int64_t delta = image->value[field] - base->value[field];
        const bool changed = delta != 0 || ((image->present ^ base->present) >> field & 1u) != 0;
        told |= TG_FIELD_BIT(field);
        over |= delta ^ (int32_t)delta;
        mask |= (unsigned)changed << i;
        row->delta[i] = (int32_t)delta;
    }
    int64_t others = 0;
    for (unsigned field = TG_FIELD_PREVIOUS_CLOSE; field < TG_FIELD_COUNT; field++) {
        others |= field == TG_FIELD_OPEN_INTEREST ? 0 : image->value[field] ^ base->value[field];
    }
    const uint64_t step = image->seq - base->seq;
    row->mask = (uint16_t)mask;
    row->step = (uint32_t)step;
    row->covered = (uint32_t)step;
    row->ts_units = (int32_t)ts_units;
    return over == 0 && others == 0 && step <= UINT32_MAX && ts_units == (int32_t)ts_units &&
           ((image->present ^ base->present) & ~told) == 0;
}

static void fill_wide(const tg_image *base, const tg_image *image, int64_t ts_units,
                      wide_values *wide)
{
    memset(wide, 0, sizeof *wide);
    wide->step = image->seq - base->seq;
    wide->ts_units = ts_units;
    for (unsigned field = 0; field < TG_FIELD_COUNT; field++) {
        wide->delta[field] = image->value[field] - base->value[field];
        wide->mask |= (uint64_t)(wide->delta[field] != 0) << field;
    }
    wide->mask |= image->present ^ base->present;
}

size_t fixed_encode(const tg__channel *channel, const tg__frame *frame, const tg__update *updates,
                    uint8_t *out)
{
    const tg__exact_divisor resolution = tg__exact_divisor_of(channel->time_resolution_ns);
    const fixed_header header = {
        .boundary = frame->boundary,
        .base = frame->base,
        .ts_units = units_of(&resolution, frame->ts_gateway_ns - channel->ts_gateway_ns),
        .set_digest = frame->set_digest,
        .count = frame->count,
    };
    memcpy(out, &header, sizeof header);
    uint8_t *at = out + sizeof header;
    for (uint32_t i = 0; i < frame->count; i++) {
        const tg_image *const base = &channel->images[updates[i].slot];
        const tg_image *const image = &updates[i].image;
        const int64_t ts_units =
            units_of(&resolution, frame->ts_gateway_ns - image->value[TG_FIELD_TS_EXCHANGE]);
        fixed_row row = {.slot = updates[i].slot};
        if (fill_row(base, image, ts_units, &row)) {
            memcpy(at, &row, sizeof row);
            at += sizeof row;
            continue;
        }
        wide_values wide;
        row.mask = WIDE;
        fill_wide(base, image, ts_units, &wide);
        memcpy(at, &row, sizeof row);
        memcpy(at + sizeof row, &wide, sizeof wide);
        at += sizeof row + sizeof wide;
    }
    return (size_t)(at - out);
}

static tg_err take_ts(const tg__frame *frame, int64_t units, int64_t resolution, tg_image *image)
{
    int64_t ns = 0;
    TG_ENSURE(ns_of(units, resolution, &ns) &&
                  tg__sub_checked(frame->ts_gateway_ns, ns, &image->value[TG_FIELD_TS_EXCHANGE]),
              TG_ERR_DELTA_OVERFLOW);
    image->present |= TG_FIELD_BIT(TG_FIELD_TS_EXCHANGE);
    return TG_OK;
}

static tg_err take_wide(const wide_values *wide, const tg_image *base, tg__update *update)
{
    tg_image *const image = &update->image;
    TG_ENSURE(wide->step >= 1 && wide->step <= UINT64_MAX - base->seq, TG_ERR_VERSION);
    image->seq = base->seq + wide->step;
    update->covered = wide->step;
    image->present |= (uint32_t)wide->mask & TG_FIELD_ALL_BITS;
    for (unsigned field = 0; field < TG_FIELD_COUNT; field++) {
        TG_ENSURE(tg__add_checked(base->value[field], wide->delta[field], &image->value[field]),
                  TG_ERR_DELTA_OVERFLOW);
    }
    return TG_OK;
}

static tg_err take_row(const fixed_row *row, const tg_image *base, tg__update *update)
{
    tg_image *const image = &update->image;
    TG_ENSURE(row->step >= 1 && row->step <= UINT64_MAX - base->seq, TG_ERR_VERSION);
    image->seq = base->seq + row->step;
    update->covered = row->covered;
    for (unsigned i = 0; i < DELTA_COUNT; i++) {
        const unsigned field = fields[i];
        TG_ENSURE(tg__add_checked(base->value[field], row->delta[i], &image->value[field]),
                  TG_ERR_DELTA_OVERFLOW);
        image->present |= (uint32_t)(row->mask >> i & 1u) << field;
    }
    return TG_OK;
}

tg_err fixed_decode(const tg__channel *channel, const uint8_t *message, size_t size,
                    tg__frame *frame, tg__update *updates)
{
    const int64_t resolution = (int64_t)channel->time_resolution_ns;
    const uint8_t *const end = message + size;
    fixed_header header;
    int64_t ts_ns = 0;
    TG_ENSURE(size >= sizeof header, TG_ERR_TRUNCATED);
    memcpy(&header, message, sizeof header);
    const uint8_t *at = message + sizeof header;
    TG_ENSURE(header.base == channel->boundary && header.boundary > header.base,
              TG_ERR_BASE_MISMATCH);
    TG_ENSURE(header.set_digest == channel->set_digest, TG_ERR_SET_MISMATCH);
    TG_ENSURE(header.count <= channel->count, TG_ERR_COUNT_LIMIT);
    TG_ENSURE(ns_of(header.ts_units, resolution, &ts_ns) &&
                  tg__add_checked(channel->ts_gateway_ns, ts_ns, &frame->ts_gateway_ns),
              TG_ERR_DELTA_OVERFLOW);
    frame->base = header.base;
    frame->boundary = header.boundary;
    frame->set_digest = header.set_digest;
    frame->count = header.count;
    int32_t last_slot = -1;
    for (uint32_t i = 0; i < header.count; i++) {
        fixed_row row;
        TG_ENSURE((size_t)(end - at) >= sizeof row, TG_ERR_TRUNCATED);
        memcpy(&row, at, sizeof row);
        at += sizeof row;
        TG_ENSURE(row.slot < channel->count && row.slot > last_slot, TG_ERR_SLOT);
        last_slot = row.slot;
        const tg_image *const base = &channel->images[row.slot];
        updates[i].slot = row.slot;
        updates[i].id = channel->ids[row.slot];
        updates[i].image = *base;
        int64_t ts_units = row.ts_units;
        if ((row.mask & WIDE) != 0) {
            wide_values wide;
            TG_ENSURE((size_t)(end - at) >= sizeof wide, TG_ERR_TRUNCATED);
            memcpy(&wide, at, sizeof wide);
            at += sizeof wide;
            ts_units = wide.ts_units;
            TG_TRY(take_wide(&wide, base, &updates[i]));
        } else {
            TG_TRY(take_row(&row, base, &updates[i]));
        }
        TG_TRY(take_ts(frame, ts_units, resolution, &updates[i].image));
    }
    TG_ENSURE(at == end, TG_ERR_TRAILING_BYTES);
    return TG_OK;
}
