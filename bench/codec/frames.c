#include "frames.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sequencer.h"
#include "sim.h"

#define RESOLUTION_NS  100000u
#define INTERVAL_NS    INT64_C(40000000)
#define WARM_UP_CUTS   250u
#define CUTS_MAX       20000u
#define TS_START_NS    INT64_C(1700000000000000000)
#define NETWORK_LAG_NS INT64_C(5000000)

typedef struct market {
    tg__directory directory;
    tg__sim *sim;
    tg__sequencer sequencer;
    tg__row next;
    int64_t now_ns;
    tg_image *images;  /* by id, as of the last cut */
    uint32_t *changes; /* cuts in which the instrument changed, by id */
} market;

static void require(bool holds, const char *what)
{
    if (!holds) {
        (void)fprintf(stderr, "bench frames: %s\n", what);
        exit(1);
    }
}

static void market_open(market *m)
{
    memset(m, 0, sizeof *m);
    tg__directory_init(&m->directory);
    require(tg__sim_open(1, &m->directory, &m->sim) == TG_OK, "no simulated market");
    require(tg__sequencer_init(&m->sequencer, &m->directory, 7, RESOLUTION_NS) == TG_OK,
            "no sequencer");
    m->images = calloc(m->directory.count, sizeof *m->images);
    m->changes = calloc(m->directory.count, sizeof *m->changes);
    require(m->images != NULL && m->changes != NULL, "no memory");
    tg__sim_next(m->sim, &m->next);
}

static void market_close(market *m)
{
    free(m->images);
    free(m->changes);
    tg__sequencer_deinit(&m->sequencer);
    tg__sim_close(m->sim);
    tg__directory_deinit(&m->directory);
}

static void market_advance(market *m)
{
    m->now_ns += INTERVAL_NS;
    while (m->next.ts_ns < m->now_ns) {
        tg__row row = m->next;
        row.ts_ns += TS_START_NS;
        (void)tg__sequencer_offer(&m->sequencer, &row);
        tg__sim_next(m->sim, &m->next);
    }
    for (uint32_t lane = 0; lane < TG__LANE_COUNT; lane++) {
        const tg__lane_instrument *changed = NULL;
        while ((changed = tg__lane_cut_next(&m->sequencer.lanes[lane])) != NULL) {
            m->images[changed->id] = changed->image;
            m->changes[changed->id]++;
        }
    }
}

static const market *sorting;

static int by_activity(const void *a, const void *b)
{
    const uint32_t left = sorting->changes[*(const tg_instrument_id *)a];
    const uint32_t right = sorting->changes[*(const tg_instrument_id *)b];
    return left < right ? 1 : left > right ? -1 : 0;
}

static int by_id(const void *a, const void *b)
{
    return (int)*(const tg_instrument_id *)a - (int)*(const tg_instrument_id *)b;
}

/* A run of instruments of like activity, so active that changed of set move in a cut. */
static void pick_watchlist(const market *m, tg_instrument_id *ids, uint32_t set, uint32_t changed)
{
    tg_instrument_id *const all = calloc(m->directory.count, sizeof *all);
    require(all != NULL && set <= m->directory.count, "no memory");
    for (uint32_t id = 0; id < m->directory.count; id++) {
        all[id] = (tg_instrument_id)id;
    }
    sorting = m;
    qsort(all, m->directory.count, sizeof *all, by_activity);
    uint64_t best = UINT64_MAX;
    for (uint32_t first = 0; first + set <= m->directory.count; first++) {
        uint64_t sum = 0;
        for (uint32_t i = 0; i < set; i++) {
            sum += m->changes[all[first + i]];
        }
        const uint64_t wanted = (uint64_t)changed * WARM_UP_CUTS;
        const uint64_t away = sum > wanted ? sum - wanted : wanted - sum;
        if (away < best) {
            best = away;
            memcpy(ids, all + first, set * sizeof *ids);
        }
    }
    free(all);
    qsort(ids, set, sizeof *ids, by_id);
}

static void keep_channel(bench_frames *frames, const tg__channel *channel)
{
    frames->channel = *channel;
    frames->channel.ids = calloc(channel->count, sizeof *channel->ids);
    frames->channel.images = calloc(channel->count, sizeof *channel->images);
    require(frames->channel.ids != NULL && frames->channel.images != NULL, "no memory");
    memcpy(frames->channel.ids, channel->ids, channel->count * sizeof *channel->ids);
    memcpy(frames->channel.images, channel->images, channel->count * sizeof *channel->images);
}

/* The changes from channel to updates, laid over the kept channel. */
static void keep_frame(bench_frames *frames, const tg__channel *channel, const tg__frame *frame,
                       const tg__update *updates)
{
    const tg__channel *const kept = &frames->channel;
    bench_frame *const out = &frames->frame[frames->count++];
    out->frame = *frame;
    out->frame.base = kept->boundary;
    out->frame.boundary = kept->boundary + 1;
    out->frame.ts_gateway_ns = kept->ts_gateway_ns + INTERVAL_NS;
    out->updates = calloc(frame->count, sizeof *out->updates);
    require(out->updates != NULL, "no memory");
    for (uint32_t i = 0; i < frame->count; i++) {
        const tg_image *const from = &channel->images[updates[i].slot];
        const tg_image *const to = &updates[i].image;
        tg_image *const image = &out->updates[i].image;
        out->updates[i] = updates[i];
        *image = kept->images[updates[i].slot];
        image->present |= to->present;
        image->seq += to->seq - from->seq;
        for (unsigned field = 0; field < TG_FIELD_COUNT; field++) {
            image->value[field] += to->value[field] - from->value[field];
        }
        image->value[TG_FIELD_TS_EXCHANGE] =
            out->frame.ts_gateway_ns - (frame->ts_gateway_ns - to->value[TG_FIELD_TS_EXCHANGE]);
    }
}

static uint32_t collect(const market *m, const tg__channel *channel, tg__update *updates)
{
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < channel->count; slot++) {
        const tg_image *const image = &m->images[channel->ids[slot]];
        const tg_image *const base = &channel->images[slot];
        if (tg_version_compare(tg_image_version(image), tg_image_version(base)) > 0) {
            updates[count].id = channel->ids[slot];
            updates[count].slot = (uint16_t)slot;
            updates[count].covered = image->seq - base->seq;
            updates[count++].image = *image;
        }
    }
    return count;
}

void bench_frames_make(bench_frames *frames, const char *name, uint32_t set, uint32_t changed)
{
    static market m;
    static tg_instrument_id ids[TG__SET_MAX];
    static tg_image images[TG__SET_MAX];
    static tg__update updates[TG__SET_MAX];
    memset(frames, 0, sizeof *frames);
    frames->name = name;
    market_open(&m);
    for (unsigned i = 0; i < WARM_UP_CUTS; i++) {
        market_advance(&m);
    }
    tg__channel channel;
    tg__channel_init(&channel, ids, images, TG__SET_MAX, RESOLUTION_NS);
    pick_watchlist(&m, ids, set, changed);
    channel.count = set;
    channel.set_digest = tg__set_digest(ids, set);
    for (uint32_t slot = 0; slot < set; slot++) {
        images[slot] = m.images[ids[slot]];
    }
    channel.boundary = WARM_UP_CUTS;
    channel.ts_gateway_ns = TS_START_NS + m.now_ns + NETWORK_LAG_NS;
    keep_channel(frames, &channel);
    for (unsigned i = 0; i < CUTS_MAX && frames->count < BENCH_FRAMES_MAX; i++) {
        market_advance(&m);
        const uint32_t count = collect(&m, &channel, updates);
        const tg__frame frame = {
            .base = channel.boundary,
            .boundary = channel.boundary + 1,
            .ts_gateway_ns = TS_START_NS + m.now_ns + NETWORK_LAG_NS,
            .set_digest = channel.set_digest,
            .count = count,
        };
        if (count == changed) {
            keep_frame(frames, &channel, &frame, updates);
        }
        tg__channel_apply(&channel, &frame, updates);
    }
    require(frames->count > 0, "the market never moves as many instruments at once as asked");
    market_close(&m);
}

void bench_frames_free(bench_frames *frames)
{
    for (size_t i = 0; i < frames->count; i++) {
        free(frames->frame[i].updates);
    }
    free(frames->channel.ids);
    free(frames->channel.images);
    memset(frames, 0, sizeof *frames);
}
