#include "frames.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sequencer.h"
#include "sim.h"
#include "tape.h"

#define RESOLUTION_NS   100000u
#define EPOCH           7u
#define WARM_UP_CUTS    250u
#define CUTS_MAX        200000u
#define SNAPSHOT_FRAMES 8u
#define TS_START_NS     INT64_C(1700000000000000000)
#define NETWORK_LAG_NS  INT64_C(5000000)

typedef struct market {
    tg__directory directory;
    tg__sim *sim; /* or NULL, and a tape */
    tg__tape *tape;
    tg__sequencer sequencer;
    tg__row next;
    bool ended;
    int64_t interval_ns;
    int64_t now_ns;
    int64_t start_ns;  /* of a tape */
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

static void next_row(market *m)
{
    if (m->tape == NULL) {
        tg__sim_next(m->sim, &m->next);
        return;
    }
    tg__cause cause;
    const tg_err err = tg__tape_next(m->tape, &m->next, &cause);
    require(err == TG_OK || err == TG_ERR_NOT_FOUND, "the tape cannot be read");
    m->ended = err == TG_ERR_NOT_FOUND;
    m->next.ts_ns -= m->start_ns;
}

/* tape: a path; NULL: the simulated market. */
static void market_open(market *m, const char *tape, int64_t interval_ns)
{
    memset(m, 0, sizeof *m);
    m->interval_ns = interval_ns;
    tg__directory_init(&m->directory);
    if (tape == NULL) {
        require(tg__sim_open(1, &tg__sim_usual, &m->directory, &m->sim) == TG_OK,
                "no simulated market");
    } else {
        tg__cause cause = {""};
        const tg_err err = tg__tape_open(tape, false, &m->directory, &m->tape, &cause);
        require(err == TG_OK, cause.text);
        m->start_ns = tg__tape_start_ns(m->tape);
    }
    require(tg__sequencer_init(&m->sequencer, &m->directory, EPOCH, RESOLUTION_NS) == TG_OK,
            "no sequencer");
    m->images = calloc(m->directory.count, sizeof *m->images);
    m->changes = calloc(m->directory.count, sizeof *m->changes);
    require(m->images != NULL && m->changes != NULL, "no memory");
    next_row(m);
}

static void market_close(market *m)
{
    free(m->images);
    free(m->changes);
    tg__sequencer_deinit(&m->sequencer);
    if (m->tape != NULL) {
        tg__tape_close(m->tape);
    } else {
        tg__sim_close(m->sim);
    }
    tg__directory_deinit(&m->directory);
}

static void market_advance(market *m)
{
    m->now_ns += m->interval_ns;
    while (!m->ended && m->next.ts_ns < m->now_ns) {
        tg__row row = m->next;
        row.ts_ns += TS_START_NS;
        (void)tg__sequencer_offer(&m->sequencer, &row);
        next_row(m);
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

static bench_frame *add_frame(bench_frames *frames, const tg__frame *frame)
{
    require(frames->count < BENCH_FRAMES_MAX, "too many frames");
    bench_frame *const out = &frames->frame[frames->count++];
    out->frame = *frame;
    out->frame.base = frames->channel.boundary;
    out->frame.boundary = frames->channel.boundary + 1;
    out->updates = calloc(frame->count, sizeof *out->updates);
    require(out->updates != NULL, "no memory");
    frames->update_count += frame->count;
    return out;
}

/* The changes from channel to updates, laid over the kept channel. */
static void keep_frame(bench_frames *frames, const tg__channel *channel, const tg__frame *frame,
                       const tg__update *updates, int64_t interval_ns)
{
    const tg__channel *const kept = &frames->channel;
    bench_frame *const out = add_frame(frames, frame);
    out->frame.ts_gateway_ns = kept->ts_gateway_ns + interval_ns;
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

typedef struct watch {
    tg_instrument_id ids[TG__SET_MAX];
    tg_image images[TG__SET_MAX];
    tg__update updates[TG__SET_MAX];
    tg__channel channel;
} watch;

/* The set is in w->ids; the images are the market's. */
static void watch_start(watch *w, const market *m, uint32_t set)
{
    tg__channel_init(&w->channel, w->ids, w->images, TG__SET_MAX, RESOLUTION_NS);
    w->channel.count = set;
    w->channel.set_digest = tg__set_digest(w->ids, set);
    w->channel.boundary = WARM_UP_CUTS;
    w->channel.ts_gateway_ns = TS_START_NS + m->now_ns + NETWORK_LAG_NS;
    for (uint32_t slot = 0; slot < set; slot++) {
        w->images[slot] = m->images[w->ids[slot]];
    }
}

static tg__frame watch_cut(watch *w, market *m)
{
    market_advance(m);
    const tg__frame frame = {
        .base = w->channel.boundary,
        .boundary = w->channel.boundary + 1,
        .ts_gateway_ns = TS_START_NS + m->now_ns + NETWORK_LAG_NS,
        .set_digest = w->channel.set_digest,
        .count = collect(m, &w->channel, w->updates),
    };
    return frame;
}

void bench_frames_simulated(bench_frames *frames, const bench_watchlist *list)
{
    static market m;
    static watch w;
    memset(frames, 0, sizeof *frames);
    frames->name = list->name;
    market_open(&m, NULL, list->interval_ns);
    for (unsigned i = 0; i < WARM_UP_CUTS; i++) {
        market_advance(&m);
    }
    pick_watchlist(&m, w.ids, list->set, list->changed);
    watch_start(&w, &m, list->set);
    keep_channel(frames, &w.channel);
    for (unsigned i = 0; i < CUTS_MAX && frames->count < BENCH_FRAMES_MAX; i++) {
        const tg__frame frame = watch_cut(&w, &m);
        if (frame.count == list->changed) {
            keep_frame(frames, &w.channel, &frame, w.updates, list->interval_ns);
        }
        tg__channel_apply(&w.channel, &frame, w.updates);
    }
    require(frames->count >= BENCH_FRAMES_MIN,
            "the market does not move as many instruments at once as asked");
    market_close(&m);
}

static void watch_everything(watch *w, const market *m)
{
    require(m->directory.count <= TG__SET_MAX, "too many instruments");
    for (uint32_t id = 0; id < m->directory.count; id++) {
        w->ids[id] = (tg_instrument_id)id;
    }
}

/* First to its end, so that the kept channel has every field that the tape ever tells. */
bool bench_frames_taped(bench_frames *frames, const char *name, const char *path,
                        int64_t interval_ns)
{
    static market m;
    static watch w;
    FILE *const present = fopen(path, "rb");
    if (present == NULL) {
        return false;
    }
    (void)fclose(present);
    memset(frames, 0, sizeof *frames);
    frames->name = name;
    market_open(&m, path, interval_ns);
    while (!m.ended) {
        market_advance(&m);
    }
    watch_everything(&w, &m);
    watch_start(&w, &m, m.directory.count);
    keep_channel(frames, &w.channel);
    market_close(&m);

    market_open(&m, path, interval_ns);
    watch_start(&w, &m, m.directory.count);
    while (!m.ended && frames->count < BENCH_FRAMES_MAX) {
        const tg__frame cut = watch_cut(&w, &m);
        /* An instrument's first row would be told as deltas from nothing. */
        tg__frame frame = cut;
        static tg__update known[TG__SET_MAX];
        frame.count = 0;
        for (uint32_t i = 0; i < cut.count; i++) {
            if (w.images[w.updates[i].slot].seq != 0) {
                known[frame.count++] = w.updates[i];
            }
        }
        if (frame.count > 0) {
            keep_frame(frames, &w.channel, &frame, known, interval_ns);
        }
        tg__channel_apply(&w.channel, &cut, w.updates);
    }
    require(frames->count >= BENCH_FRAMES_MIN, "the tape is too short");
    market_close(&m);
    return true;
}

/* Every layout tells these as changes of a set whose images are empty. */
void bench_frames_snapshots(bench_frames *frames, const char *name)
{
    static market m;
    static watch w;
    memset(frames, 0, sizeof *frames);
    frames->name = name;
    frames->snapshots = true;
    market_open(&m, NULL, INT64_C(1000000000));
    watch_everything(&w, &m);
    watch_start(&w, &m, m.directory.count);
    for (uint32_t slot = 0; slot < w.channel.count; slot++) {
        w.images[slot].epoch = EPOCH;
    }
    keep_channel(frames, &w.channel);
    while (frames->count < SNAPSHOT_FRAMES) {
        const tg__frame frame = watch_cut(&w, &m);
        require(frame.count == w.channel.count, "an instrument has no image yet");
        memcpy(add_frame(frames, &frame)->updates, w.updates, frame.count * sizeof w.updates[0]);
    }
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
