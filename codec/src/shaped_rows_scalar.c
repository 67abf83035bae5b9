#include "shaped_rows.h"

#include <string.h>

#include "unaligned.h"

/* Adds the four lanes of a part to four fields of the image; the sign bit of the result is set if a
 * sum left 64 bits. */
static uint64_t add_part(const uint8_t *part, const tg__row_shape *shape, const int64_t *base,
                         int64_t *out, unsigned *moved)
{
    uint64_t over = 0;
    *moved = 0;
    for (unsigned lane = 0; lane < 4; lane++) {
        const unsigned bit = shape->bit[lane];
        const uint64_t coded = tg__load_u64(part + bit / 8u) >> bit % 8u & shape->mask[lane];
        const uint64_t delta = coded >> 1 ^ (0 - (coded & 1u));
        const uint64_t from = (uint64_t)base[lane];
        const uint64_t sum = from + delta;
        over |= (from ^ sum) & (delta ^ sum);
        *moved |= (unsigned)(coded != 0) << lane;
        out[lane] = (int64_t)sum;
    }
    return over;
}

static uint64_t low_bits(unsigned width)
{
    return (UINT64_C(1) << width) - 1u;
}

/* Version and time of a row, from its entry in the columns. */
static tg_err take_columns(const tg__shaped_rows *rows, size_t bit, const tg_image *base,
                           tg__update *update)
{
    const uint8_t *const at = rows->columns + bit / 8;
    const uint64_t entry = tg__load_u64_before(at, rows->end) >> bit % 8;
    const uint64_t step = (entry & low_bits(rows->step_width)) + 1u;
    const uint64_t distance = entry >> rows->step_width & low_bits(rows->distance_width);
    update->covered = step;
    update->image.seq = base->seq + step;
    update->image.present |= TG_FIELD_BIT(TG_FIELD_TS_EXCHANGE);
    update->image.value[TG_FIELD_TS_EXCHANGE] =
        (int64_t)((uint64_t)rows->newest_ts_ns - distance * rows->channel->time_resolution_ns);
    if (update->image.seq < step) {
        return TG_ERR_VERSION;
    }
    return distance <= rows->distance_max ? TG_OK : TG_ERR_DELTA_OVERFLOW;
}

tg_err tg__shaped_rows_decode_scalar(const tg__shaped_rows *rows, tg__update *updates,
                                     tg__shaped_rows_fault *fault)
{
    const size_t entry_bits = rows->step_width + rows->distance_width;
    const uint8_t *values = rows->values;
    const uint8_t *end = rows->end;
    const uint8_t *row_at = values; /* in the message, also when values has moved */
    const uint8_t *trade_code = rows->trade_codes;
    size_t bit = 0;
    tg__last_bytes last;
    for (uint32_t i = 0; i < rows->count; i++) {
        const unsigned code = rows->codes[i];
        if (code == TG__CODE_GENERAL) {
            continue;
        }
        tg__update *const update = &updates[i];
        const tg_image *const base = &rows->channel->images[update->slot];
        update->image = *base;
        fault->row = i;
        fault->at = row_at;
        if ((size_t)(end - values) < TG__ROW_READ_AHEAD && end == rows->end) {
            tg__move_last_bytes(&last, &values, &end);
        }
        const tg__row_shape *const quote = &tg__quote_shapes[code & TG__CODE_NUMBER];
        unsigned moved = 0;
        uint64_t over = add_part(values, quote, base->value, update->image.value, &moved);
        update->image.present |= moved;
        values += quote->bytes;
        row_at += quote->bytes;
        if ((code & TG__CODE_MORE) != 0) {
            const tg__row_shape *const trade = &tg__trade_shapes[*trade_code++ & TG__CODE_NUMBER];
            over |= add_part(values, trade, &base->value[4], &update->image.value[4], &moved);
            update->image.present |= moved << 4;
            values += trade->bytes;
            row_at += trade->bytes;
        }
        const tg_err err = take_columns(rows, bit, base, update);
        bit += entry_bits;
        if (err != TG_OK || over >> 63 != 0) {
            return err != TG_OK ? err : TG_ERR_DELTA_OVERFLOW;
        }
    }
    return TG_OK;
}
