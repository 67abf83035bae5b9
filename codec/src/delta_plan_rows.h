/**
 * The pass over the rows that every tg__rows_planner makes, so that they differ only in how one row
 * is shaped: each row is checked, shaped, packed and counted while it is in the cache.
 */
#ifndef TG_DELTA_PLAN_ROWS_H
#define TG_DELTA_PLAN_ROWS_H

#include <tickglass/internal/control_flow.h>

#include "delta_plan.h"
#include "delta_wire.h"

#define TG__TS_BIT     TG_FIELD_BIT(TG_FIELD_TS_EXCHANGE)
#define TG__SHAPE_BITS (TG_FIELD_BIT(TG__TAIL_FIELD_FIRST) - 1u)

typedef struct tg__shaped_row {
    unsigned code; /* TG__CODE_GENERAL: the row has no shape, and nothing else is set */
    unsigned trade_code;
    unsigned size; /* packed bytes */
} tg__shaped_row;

/* Finds the shapes of a row whose fields may be told as a shaped row, and packs its values. */
typedef tg__shaped_row tg__row_shaper(const tg_image *base, const tg_image *image,
                                      uint8_t packed[TG__ROW_PACKED_MAX]);

/* A shape cannot say that a field becomes null, or that a null becomes 0. */
static inline bool tg__nulls_allow_a_shape(const tg_image *base, const tg_image *image)
{
    if (base->present == image->present) {
        return true;
    }
    const uint32_t appeared = image->present & ~base->present & TG__SHAPE_BITS & ~TG__TS_BIT;
    for (uint32_t bits = appeared; bits != 0; bits &= bits - 1) {
        if (image->value[__builtin_ctz(bits)] == 0) {
            return false;
        }
    }
    return (base->present & ~image->present) == 0;
}

static inline bool tg__update_is_valid(const tg_image *base, const tg__update *update)
{
    const tg_image *const image = &update->image;
    const bool newer =
        image->epoch > base->epoch || (image->epoch == base->epoch && image->seq > base->seq);
    return newer & ((image->present & ~TG_FIELD_ALL_BITS) == 0) & (update->covered >= 1) &
           (image->seq >= 1);
}

/* Whether, but for how far it moved, a row may be a shaped one. */
static inline bool tg__may_be_shaped(const tg_image *base, const tg__update *update)
{
    const tg_image *const image = &update->image;
    return ((image->epoch == base->epoch) & (update->covered == image->seq - base->seq) &
            ((image->present & TG__TS_BIT) != 0)) &&
           tg__nulls_allow_a_shape(base, image);
}

static inline uint32_t tg__saturate(uint64_t value)
{
    return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

static inline tg_err tg__plan_rows(tg__row_shaper *shaper, const tg__channel *channel,
                                   const tg__frame *frame, const tg__update *updates,
                                   tg__delta_plan *plan, tg__column_needs *needs)
{
    const tg__exact_divisor resolution = plan->resolution;
    const uint64_t newest_ts_ns = (uint64_t)plan->newest_ts_ns;
    uint8_t unkept[TG__ROW_PACKED_MAX];
    tg__column_needs all = {0, 0, 0};
    uint32_t slots = 0; /* that a row may no longer be in */
    uint32_t shaped = 0;
    uint32_t trades = 0;
    uint32_t size = 0;
    uint32_t packed_count = 0;
    for (uint32_t i = 0; i < frame->count; i++) {
        const tg__update *const update = &updates[i];
        const tg_image *const image = &update->image;
        TG_ENSURE(update->slot >= slots && update->slot < channel->count, TG_ERR_INVALID_ARGUMENT);
        slots = update->slot + 1u;
        const tg_image *const base = &channel->images[update->slot];
        TG_ENSURE(tg__update_is_valid(base, update), TG_ERR_INVALID_ARGUMENT);
        const bool room = size <= TG__PACKED_MAX;
        packed_count += room;
        uint64_t distance = 0;
        tg__shaped_row row = {TG__CODE_GENERAL, 0, 0};
        if (tg__may_be_shaped(base, update) &&
            image->value[TG_FIELD_TS_EXCHANGE] <= plan->newest_ts_ns &&
            tg__divide_exactly(&resolution,
                               newest_ts_ns - (uint64_t)image->value[TG_FIELD_TS_EXCHANGE],
                               &distance)) {
            row = shaper(base, image, room ? plan->packed + size : unkept);
        }
        plan->codes[i] = (uint8_t)row.code;
        if (row.code == TG__CODE_GENERAL) {
            continue;
        }
        size += room ? row.size : 0;
        plan->trade_codes[trades] = (uint8_t)row.trade_code;
        trades += row.code >> 7;
        const uint64_t step = image->seq - base->seq - 1u;
        plan->steps[shaped] = tg__saturate(step);
        plan->distances[shaped] = tg__saturate(distance);
        shaped++;
        all.any_step |= step;
        all.any_distance |= distance;
        all.far_count += distance > UINT32_MAX;
    }
    plan->shaped_count = shaped;
    plan->trade_count = trades;
    plan->packed_count = packed_count;
    plan->packed_size = size;
    *needs = all;
    return TG_OK;
}

#endif
