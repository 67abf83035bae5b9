/**
 * How the rows of a DELTA are told: a code for each, the widths of the columns, and the packed
 * values of the first ones. PROTOCOL.md 8.2 to 8.4.
 */
#ifndef TG_DELTA_PLAN_H
#define TG_DELTA_PLAN_H

#include <tickglass/internal/channel.h>

#include "exact_division.h"
#include "row_shapes.h"

#define TG__PACKED_MAX     4096u /* about a thousand rows; those behind are packed when written */
#define TG__ROW_PACKED_MAX (2 * TG__SHAPE_BYTES_MAX)

typedef struct tg__delta_plan {
    int64_t newest_ts_ns; /* the reference time */
    tg__exact_divisor resolution;
    uint32_t shaped_count;
    uint32_t trade_count;  /* trade codes */
    uint32_t packed_count; /* rows, general ones included, whose values are in packed */
    uint32_t packed_size;  /* bytes */
    unsigned step_code;    /* the widths' places in their tables */
    unsigned distance_code;
    uint8_t codes[TG__SET_MAX];
    uint8_t trade_codes[TG__SET_MAX];
    uint8_t packed[TG__PACKED_MAX + TG__ROW_PACKED_MAX];
} tg__delta_plan;

/* What the columns need, row by row and together. */
typedef struct tg__column_needs {
    uint32_t
        steps[TG__COLUMN_WIDTHS + 1]; /* rows by the code of the narrowest width that holds them */
    uint32_t distances[TG__COLUMN_WIDTHS + 1];
    uint64_t any_step;
    uint64_t any_distance;
} tg__column_needs;

/*
 * Checks every update and fills the plan but for the widths, whose needs it counts. Every
 * implementation gives the same plan and the same error, TG_ERR_INVALID_ARGUMENT.
 */
typedef tg_err tg__rows_planner(const tg__channel *channel, const tg__frame *frame,
                                const tg__update *updates, tg__delta_plan *plan,
                                tg__column_needs *needs);

tg__rows_planner tg__rows_plan_scalar;
#if defined(__x86_64__)
tg__rows_planner tg__rows_plan_avx2; /* only where the processor has AVX2 */
#endif

/* The fastest one that this processor can run. */
tg__rows_planner *tg__rows_planner_select(void);

/* Plans the rows of a frame that is one step on from the channel. TG_ERR_INVALID_ARGUMENT. */
TG_MUST_CHECK tg_err tg__delta_plan_make(tg__rows_planner *planner, const tg__channel *channel,
                                         const tg__frame *frame, const tg__update *updates,
                                         tg__delta_plan *plan);

/* Packs the values of a shaped row; the bytes used. */
size_t tg__row_pack(const tg_image *base, const tg_image *image,
                    uint8_t packed[TG__ROW_PACKED_MAX]);

static inline uint64_t tg__row_step(const tg_image *base, const tg_image *image)
{
    return image->seq - base->seq - 1u;
}

/* Units before the newest time. False if that is not a whole number: then it is no valid time. */
static inline bool tg__row_distance(const tg__delta_plan *plan, const tg_image *image,
                                    uint64_t *distance)
{
    const uint64_t ns = (uint64_t)plan->newest_ts_ns - (uint64_t)image->value[TG_FIELD_TS_EXCHANGE];
    return tg__divide_exactly(&plan->resolution, ns, distance);
}

#endif
