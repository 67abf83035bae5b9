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

/* Bits of a value. */
static inline unsigned tg__width_of(uint64_t value)
{
    return value == 0 ? 0 : 64u - (unsigned)__builtin_clzll(value);
}

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
        image->epoch == base->epoch ? image->seq > base->seq : image->epoch > base->epoch;
    return newer && (image->present & ~TG_FIELD_ALL_BITS) == 0 && update->covered >= 1 &&
           image->seq >= 1;
}

static inline tg_err tg__plan_rows(tg__row_shaper *shaper, const tg__channel *channel,
                                   const tg__frame *frame, const tg__update *updates,
                                   tg__delta_plan *plan, tg__column_needs *needs)
{
    uint8_t unkept[TG__ROW_PACKED_MAX];
    uint32_t slots = 0; /* that a row may no longer be in */
    uint8_t *at = plan->packed;
    uint8_t *trade_code = plan->trade_codes;
    for (uint32_t i = 0; i < frame->count; i++) {
        const tg__update *const update = &updates[i];
        const tg_image *const image = &update->image;
        TG_ENSURE(update->slot >= slots && update->slot < channel->count, TG_ERR_INVALID_ARGUMENT);
        slots = update->slot + 1u;
        const tg_image *const base = &channel->images[update->slot];
        TG_ENSURE(tg__update_is_valid(base, update), TG_ERR_INVALID_ARGUMENT);
        const bool room = (size_t)(at - plan->packed) <= TG__PACKED_MAX;
        plan->packed_count += room;
        uint64_t distance = 0;
        tg__shaped_row row = {TG__CODE_GENERAL, 0, 0};
        if (image->epoch == base->epoch && update->covered == image->seq - base->seq &&
            (image->present & TG__TS_BIT) != 0 && tg__row_distance(plan, image, &distance) &&
            tg__nulls_allow_a_shape(base, image)) {
            row = shaper(base, image, room ? at : unkept);
        }
        plan->codes[i] = (uint8_t)row.code;
        if (row.code == TG__CODE_GENERAL) {
            continue;
        }
        at += room ? row.size : 0;
        plan->shaped_count++;
        *trade_code = (uint8_t)row.trade_code;
        trade_code += row.code >> 7;
        const uint64_t step = tg__row_step(base, image);
        needs->any_step |= step;
        needs->any_distance |= distance;
        needs->steps[tg__step_codes[tg__width_of(step)]]++;
        needs->distances[tg__distance_codes[tg__width_of(distance)]]++;
    }
    plan->trade_count = (uint32_t)(trade_code - plan->trade_codes);
    plan->packed_size = (uint32_t)(at - plan->packed);
    return TG_OK;
}

#endif
