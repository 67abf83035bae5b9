#include "image_table.h"

#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

tg_err tg__image_table_init(tg__image_table *table, uint32_t count, uint32_t time_resolution_ns)
{
    memset(table, 0, sizeof *table);
    table->images = calloc((size_t)count + 1, sizeof *table->images);
    TG_ENSURE(table->images != NULL, TG_ERR_NO_MEMORY);
    table->count = count;
    table->time_resolution_ns = time_resolution_ns;
    return TG_OK;
}

void tg__image_table_deinit(tg__image_table *table)
{
    free(table->images);
    table->images = NULL;
}

void tg__image_table_cut(tg__image_table *table, tg__sequencer *sequencer)
{
    table->boundary++;
    for (uint32_t i = 0; i < TG__LANE_COUNT; i++) {
        tg__lane *lane = &sequencer->lanes[i];
        if (!tg__sequencer_mark(sequencer, i, table->boundary)) {
            continue; /* its images stay as they were at its last marker */
        }
        for (const tg__lane_instrument *changed = tg__lane_cut_next(lane); changed != NULL;
             changed = tg__lane_cut_next(lane)) {
            tg__cut_image *cut = &table->images[changed->id];
            cut->image = changed->image;
            cut->changed_boundary = table->boundary;
        }
    }
}

void tg__image_table_apply(tg__image_table *table, uint64_t boundary, const tg__update *changed,
                           uint32_t count)
{
    table->boundary = boundary;
    for (uint32_t i = 0; i < count; i++) {
        tg__cut_image *cut = &table->images[changed[i].id];
        cut->image = changed[i].image;
        cut->changed_boundary = boundary;
    }
}

tg_err tg__image_table_row(tg__image_table *table, tg_instrument_id id, const tg_image *image,
                           const uint8_t **row, size_t *size)
{
    tg__cut_image *cut = &table->images[id];
    tg__snapshot_row *found = NULL;
    for (uint32_t i = 0; i < TG__SNAPSHOT_ROWS && found == NULL; i++) {
        tg__snapshot_row *kept = &cut->rows[i];
        if (kept->size > 0 && tg_version_compare(kept->version, tg_image_version(image)) == 0) {
            found = kept;
            table->rows_reused++;
        }
    }
    if (found == NULL) {
        const tg__update update = {.id = id, .image = *image};
        size_t encoded = 0;
        found = &cut->rows[cut->next_row];
        found->size = 0;
        TG_TRY(tg__snapshot_row_encode(&update, table->time_resolution_ns, found->bytes,
                                       sizeof found->bytes, &encoded));
        found->size = (uint32_t)encoded;
        found->version = tg_image_version(image);
        cut->next_row = (cut->next_row + 1) % TG__SNAPSHOT_ROWS;
        table->rows_encoded++;
    }
    *row = found->bytes;
    *size = found->size;
    return TG_OK;
}
