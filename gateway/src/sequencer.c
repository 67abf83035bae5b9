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
        const tg_instrument *instrument = &directory->instruments[id];
        tg__route *route = &sequencer->routes[id];
        route->lane = lane_of(instrument);
        sequencer->lanes_of[instrument->venue] |= (uint8_t)(1u << route->lane);
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

static tg__venue_counts *counts_of(tg__sequencer *sequencer, const tg__row *row)
{
    return &sequencer->venues[sequencer->directory->instruments[row->instrument].venue];
}

/* The lane gets the row later, or never. */
static void hold(tg__sequencer *sequencer, tg__lane *lane, const tg__row *row,
                 tg__venue_counts *counts)
{
    const uint64_t dropped = lane->pending_dropped;
    if (sequencer->away) {
        counts->missed++;
        return;
    }
    tg__lane_hold(lane, row);
    counts->missed += lane->pending_dropped - dropped;
}

const tg_image *tg__sequencer_offer(tg__sequencer *sequencer, const tg__row *row)
{
    const tg__route route = sequencer->routes[row->instrument];
    tg__lane *lane = &sequencer->lanes[route.lane];
    tg__venue_counts *counts = counts_of(sequencer, row);
    const tg_image *changed = NULL;
    if (sequencer->away || lane->frozen) {
        hold(sequencer, lane, row, counts);
        return NULL;
    }
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

static void drop_pending(tg__sequencer *sequencer)
{
    for (uint32_t i = 0; i < TG__LANE_COUNT; i++) {
        tg__row row;
        while (tg__lane_drop_pending(&sequencer->lanes[i], &row)) {
            counts_of(sequencer, &row)->missed++;
        }
    }
}

void tg__sequencer_reset(tg__sequencer *sequencer, uint32_t epoch)
{
    drop_pending(sequencer); /* it belongs to the old session */
    for (uint32_t i = 0; i < TG__LANE_COUNT; i++) {
        tg__lane_reset(&sequencer->lanes[i], epoch);
    }
}

void tg__sequencer_raise(tg__sequencer *sequencer, uint32_t venue, uint32_t epoch)
{
    for (uint32_t id = 0; id < sequencer->directory->count; id++) {
        if (venue == TG__VENUE_ALL || sequencer->directory->instruments[id].venue == venue) {
            const tg__route route = sequencer->routes[id];
            tg__lane_raise(&sequencer->lanes[route.lane], route.index, epoch);
        }
    }
}

void tg__sequencer_raise_lane(tg__sequencer *sequencer, uint32_t lane, uint32_t epoch)
{
    for (uint32_t i = 0; i < sequencer->lanes[lane].count; i++) {
        tg__lane_raise(&sequencer->lanes[lane], i, epoch);
    }
}

typedef struct other_rows {
    const tg__directory *directory;
    tg_venue_id venue;
} other_rows;

static bool is_other(const void *ctx, const tg__row *row)
{
    const other_rows *others = ctx;
    return row->has_id || others->directory->instruments[row->instrument].venue != others->venue;
}

void tg__sequencer_take_over(tg__sequencer *sequencer, tg_venue_id venue)
{
    /* What waits at a frozen lane comes once more, and nothing could tell the two apart. */
    const other_rows others = {sequencer->directory, venue};
    for (uint32_t i = 0; i < TG__LANE_COUNT; i++) {
        sequencer->venues[venue].missed +=
            tg__lane_sift_pending(&sequencer->lanes[i], is_other, &others);
    }
    for (uint32_t id = 0; id < sequencer->directory->count; id++) {
        if (sequencer->directory->instruments[id].venue == venue) {
            const tg__route route = sequencer->routes[id];
            tg__time_domain_take_over(
                &sequencer->lanes[route.lane].instruments[route.index].without_ids);
        }
    }
}

void tg__sequencer_stop(tg__sequencer *sequencer)
{
    sequencer->away = true;
    drop_pending(sequencer);
}

void tg__sequencer_restart(tg__sequencer *sequencer, uint32_t epoch)
{
    sequencer->away = false;
    for (uint32_t i = 0; i < TG__LANE_COUNT; i++) {
        sequencer->lanes[i].missed = false; /* this raise is for that, too */
    }
    tg__sequencer_raise(sequencer, TG__VENUE_ALL, epoch);
}

bool tg__sequencer_mark(tg__sequencer *sequencer, uint32_t lane, uint64_t boundary)
{
    return !sequencer->away && tg__lane_mark(&sequencer->lanes[lane], boundary);
}

uint8_t tg__sequencer_late_lanes(const tg__sequencer *sequencer, uint64_t boundary)
{
    uint8_t late = 0;
    for (uint32_t i = 0; i < TG__LANE_COUNT; i++) {
        if (tg__lane_is_late(&sequencer->lanes[i], boundary)) {
            late |= (uint8_t)(1u << i);
        }
    }
    return late;
}
