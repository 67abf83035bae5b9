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
    uint32_t steps[TG__SET_MAX]; /* of the shaped rows, in order; UINT32_MAX: that or more */
    uint32_t distances[TG__SET_MAX];
    uint8_t packed[TG__PACKED_MAX + TG__ROW_PACKED_MAX];
} tg__delta_plan;

/* What the columns need of all rows together. */
typedef struct tg__column_needs {
    uint64_t any_step;
    uint64_t any_distance;
    uint32_t far_count; /* rows whose distance is over 32 bits */
} tg__column_needs;

/*
 * Checks every update and fills the plan but for the widths. Every implementation gives the same
 * plan and the same error, TG_ERR_INVALID_ARGUMENT.
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

#endif
