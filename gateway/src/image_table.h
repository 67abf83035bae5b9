/**
 * The state of every instrument at the last boundary, a global cut of all lanes. Groups encode from
 * here, never from a lane.
 */
#ifndef TG_GATEWAY_IMAGE_TABLE_H
#define TG_GATEWAY_IMAGE_TABLE_H

#include <tickglass/internal/frame.h>

#include "sequencer.h"

#define TG__BOUNDARY_NS INT64_C(10000000) /* from one boundary to the next, if nothing is late */

#define TG__SNAPSHOT_ROW_MAX 224u /* bytes: every field at its widest, with length and id */

/* Of one instrument: groups hold what was at their last boundary, and there are four phases. */
#define TG__SNAPSHOT_ROWS 4u

typedef struct tg__snapshot_row {
    tg_version version;
    uint32_t size; /* 0: none */
    uint8_t bytes[TG__SNAPSHOT_ROW_MAX];
} tg__snapshot_row;

typedef struct tg__cut_image {
    tg_image image;
    uint64_t changed_boundary;
    uint32_t next_row; /* the one to be replaced */
    tg__snapshot_row rows[TG__SNAPSHOT_ROWS];
} tg__cut_image;

typedef struct tg__image_table {
    uint64_t boundary;
    uint32_t count;
    uint32_t time_resolution_ns;
    uint64_t rows_encoded;
    uint64_t rows_reused;
    tg__cut_image *images; /* by instrument id */
} tg__image_table;

TG_MUST_CHECK tg_err tg__image_table_init(tg__image_table *table, uint32_t count,
                                          uint32_t time_resolution_ns);
void tg__image_table_deinit(tg__image_table *table);

/* The next boundary: takes over what the lanes that answer changed since their last marker. */
void tg__image_table_cut(tg__image_table *table, tg__sequencer *sequencer);

/* A cut that was made elsewhere: the boundary, and the images that changed until then. */
void tg__image_table_apply(tg__image_table *table, uint64_t boundary, const tg__update *changed,
                           uint32_t count);

/*
 * The snapshot row of image, which some group holds for id: encoded once per version (the directory
 * has one generation as long as the gateway runs). Valid until the next call for the same id.
 * TG_ERR_BUFFER_TOO_SMALL cannot happen with known fields.
 */
TG_MUST_CHECK tg_err tg__image_table_row(tg__image_table *table, tg_instrument_id id,
                                         const tg_image *image, const uint8_t **row, size_t *size);

#endif
