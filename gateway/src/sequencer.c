#include "sequencer.h"

#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

/* FNV-1a, 32 bits, over the symbol: instruments of one name on several venues share a lane. */
static uint32_t lane_of(const tg_instrument *instrument)
{
    uint32_t hash = UINT32_C(2166136261);
    for (const char *at = instrument->symbol; *at != '\0'; at++) {
        hash = (hash ^ (uint8_t)*at) * UINT32_C(16777619);
    }
    return (hash >> 16) % TG__LANE_COUNT;
}

tg_err tg__sequencer_init(tg__sequencer *sequencer, const tg__directory *directory, uint32_t epoch,
                          uint32_t time_resolution_ns)
{
    memset(sequencer, 0, sizeof *sequencer);
    sequencer->directory = directory;
    uint32_t sizes[TG__LANE_COUNT] = {0};
    for (uint32_t id = 0; id < directory->count; id++) {
        sizes[lane_of(&directory->instruments[id])]++;
    }
    sequencer->routes = calloc((size_t)directory->count + 1, sizeof *sequencer->routes);
    tg_err err = sequencer->routes == NULL ? TG_ERR_NO_MEMORY : TG_OK;
    for (uint32_t i = 0; i < TG__LANE_COUNT && err == TG_OK; i++) {
        err = tg__lane_init(&sequencer->lanes[i], sizes[i], epoch, time_resolution_ns);
    }
    if (err != TG_OK) {
        tg__sequencer_deinit(sequencer);
        return err;
    }
    for (uint32_t id = 0; id < directory->count; id++) {
        tg__route *route = &sequencer->routes[id];
        route->lane = lane_of(&directory->instruments[id]);
        route->index = tg__lane_add(&sequencer->lanes[route->lane], (tg_instrument_id)id);
    }
    return TG_OK;
}

void tg__sequencer_deinit(tg__sequencer *sequencer)
{
    for (uint32_t i = 0; i < TG__LANE_COUNT; i++) {
        tg__lane_deinit(&sequencer->lanes[i]);
    }
    free(sequencer->routes);
    sequencer->routes = NULL;
}

const tg_image *tg__sequencer_offer(tg__sequencer *sequencer, const tg__row *row)
{
    const tg__route route = sequencer->routes[row->instrument];
    tg__lane *lane = &sequencer->lanes[route.lane];
    tg__venue_counts *counts =
        &sequencer->venues[sequencer->directory->instruments[row->instrument].venue];
    const tg_image *changed = NULL;
    switch (tg__lane_offer(lane, route.index, row)) {
    case TG__VERDICT_NEW:
    case TG__VERDICT_COMPLETES:
        counts->admitted++;
        changed = &lane->instruments[route.index].image;
        break;
    case TG__VERDICT_DUPLICATE:
        counts->duplicates++;
        break;
    case TG__VERDICT_REGRESSION:
        counts->regressions++;
        break;
    }
    return changed;
}

void tg__sequencer_reset(tg__sequencer *sequencer, uint32_t epoch)
{
    for (uint32_t i = 0; i < TG__LANE_COUNT; i++) {
        tg__lane_reset(&sequencer->lanes[i], epoch);
    }
}
