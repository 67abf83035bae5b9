/*
 * What a client may send, message by message, to a hub with a running market. Whatever comes, the
 * other client keeps receiving frames that fit, indexes and queues stay consistent, and nothing is
 * left over in the end.
 *
 * Input: messages, each with its length in one byte before it; a length of 255 means a boundary.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hub.h"

#define INSTRUMENTS   12u
#define RESOLUTION_NS 1000u

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

typedef struct world {
    tg__directory directory;
    tg__bearer bearer;
    tg__door *door;
    tg__sequencer sequencer;
    tg__hub *hub;
    tg__peer *hostile;
    tg__peer *decent;
    tg__channel channel; /* of the decent one */
    tg_instrument_id ids[INSTRUMENTS];
    tg_image images[INSTRUMENTS];
    tg__moment now;
    uint64_t next_id;
} world;

static void ignore_wake(void *ctx, tg__peer *peer)
{
    (void)ctx;
    (void)peer;
}

static int64_t read_nothing(void *ctx)
{
    (void)ctx;
    return 0;
}

/* So that reports are looked into. One for all inputs: its histograms take longer to make than all
 * the rest, and only those of clients say anything here. */
static tg__metrics *fresh_metrics(void)
{
    static tg__metrics *metrics;
    const tg_clock clock = {read_nothing, read_nothing, NULL, NULL};
    require(metrics != NULL || tg__metrics_open(&clock, INSTRUMENTS, NULL, &metrics) == TG_OK);
    for (unsigned stage = TG__STAGE_CLIENT_DECODE; stage < TG__STAGE_COUNT; stage++) {
        if (metrics->client_values[stage] != 0) {
            metrics->client_values[stage] = 0;
            tg_histogram_reset(metrics->current[stage]);
        }
    }
    return metrics;
}

static void check_reports(const tg__metrics *metrics)
{
    for (unsigned stage = TG__STAGE_CLIENT_DECODE; stage < TG__STAGE_COUNT; stage++) {
        tg_histogram_summary summary;
        if (metrics->client_values[stage] != 0) {
            tg_histogram_summary_get(metrics->current[stage], &summary);
            require(summary.count == metrics->client_values[stage] && summary.saturated == 0 &&
                    summary.count <= TG__METRICS_CLIENT_VALUES_MAX);
        }
    }
}

static void open_world(world *w)
{
    memset(w, 0, sizeof *w);
    tg__directory_init(&w->directory);
    for (uint32_t i = 0; i < INSTRUMENTS; i++) {
        tg_instrument instrument = {.band_count = 1, .band = {{INT64_MIN, 1}}};
        tg_instrument_id id = 0;
        require(tg__directory_venue(&w->directory, i % 2 == 0 ? "A" : "B", &instrument.venue) ==
                TG_OK);
        (void)snprintf(instrument.symbol, sizeof instrument.symbol, "%c", 'a' + (char)i);
        require(tg__directory_add(&w->directory, &instrument, &id) == TG_OK);
    }
    require(tg__directory_seal(&w->directory) == TG_OK);
    require(tg__sequencer_init(&w->sequencer, &w->directory, 1, RESOLUTION_NS) == TG_OK);
    const tg__door_options door = {.bearer = &w->bearer, .directory = &w->directory};
    require(tg__door_open(&door, &w->door) == TG_OK);
    const tg__hub_options options = {.directory = &w->directory,
                                     .door = w->door,
                                     .metrics = fresh_metrics(),
                                     .time_resolution_ns = RESOLUTION_NS,
                                     .frame_interval_ms = 40,
                                     .boundaries_per_frame = 1,
                                     .heartbeat_interval_ms = 1000,
                                     .peers_max = 4,
                                     .limits = {8, 4, TG__MESSAGE_SIZE_MAX, 50, 0},
                                     .wake = ignore_wake};
    require(tg__hub_open(&options, &w->hub) == TG_OK);
    tg__channel_init(&w->channel, w->ids, w->images, INSTRUMENTS, RESOLUTION_NS);
    const tg__entitlement all = tg__entitlement_of_all(w->directory.venue_count);
    w->hostile = tg__hub_connect(w->hub, NULL, &all, w->now);
    w->decent = tg__hub_connect(w->hub, NULL, &all, w->now);
    require(w->hostile != NULL && w->decent != NULL);
    static const uint8_t subscribe[] = {0xc0, 0, 1, 0, 0, 0, 3, 0, 1, 0, 0, 2, 0, 0, 3, 0};
    tg__cause cause;
    require(tg__hub_receive(w->hub, w->decent, subscribe, sizeof subscribe, w->now, &cause) ==
            TG_OK);
}

static void read_decently(world *w)
{
    static uint8_t out[TG__MESSAGE_SIZE_MAX];
    static tg__update updates[INSTRUMENTS];
    size_t size = 0;
    tg__frame frame;
    tg__fault fault;
    tg__snapshot_reason reason;
    while (tg__hub_next(w->hub, w->decent, w->now, out, sizeof out, &size) == TG__NEXT_MESSAGE) {
        if (out[0] == TG__KIND_SNAPSHOT) {
            require(tg__snapshot_decode(out, size, RESOLUTION_NS, &frame, &reason, updates,
                                        INSTRUMENTS, &fault) == TG_OK);
            tg__channel_replace(&w->channel, &frame, updates);
        } else if (out[0] == TG__KIND_DELTA) {
            require(tg__delta_decode(&w->channel, out, size, &frame, updates, INSTRUMENTS,
                                     &fault) == TG_OK);
            tg__channel_apply(&w->channel, &frame, updates);
        }
    }
}

static void pass_boundary(world *w)
{
    const tg__row row = {.price = (int64_t)w->next_id,
                         .exchange_id = w->next_id,
                         .has_id = true,
                         .instrument = (tg_instrument_id)(w->next_id % INSTRUMENTS)};
    w->next_id++;
    const tg_image *image = tg__sequencer_offer(&w->sequencer, &row);
    require(image != NULL);
    tg__hub_tick(w->hub, row.instrument, image);
    w->now.mono_ns += 10000000;
    w->now.utc_ns += 10000000;
    tg__hub_boundary(w->hub, &w->sequencer, w->now);
    read_decently(w);
}

static void check_world(const world *w)
{
    uint32_t members = 0;
    for (const tg__group *group = w->hub->groups.first; group != NULL; group = group->next) {
        require(group->member_count > 0 && group->channel.count <= 8);
        members += group->member_count;
    }
    require(members == w->hub->peer_count);
    require(w->hostile->priority_count <= 4);
    check_reports(w->hub->options.metrics);
    require(w->decent->close_code == 0 && w->decent->gaps == 0 && w->channel.count == 3);
}

static void close_world(world *w)
{
    tg__hub_teardown(w->hub, &w->hostile, TG__END_CLIENT_CLOSE);
    tg__hub_teardown(w->hub, &w->decent, TG__END_CLIENT_CLOSE);
    require(w->hub->groups.count == 0 && w->hub->pool.in_use == 0);
    tg__hub_close(w->hub);
    tg__door_close(w->door);
    tg__sequencer_deinit(&w->sequencer);
    tg__directory_deinit(&w->directory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    world w;
    open_world(&w);
    pass_boundary(&w);
    size_t at = 0;
    while (at < size) {
        size_t length = data[at++];
        if (length == 255) {
            pass_boundary(&w);
            continue;
        }
        length = length < size - at ? length : size - at;
        uint8_t *exact = malloc(length + 1);
        tg__cause cause;
        require(exact != NULL);
        memcpy(exact + 1, data + at, length);
        const tg_err err = tg__hub_receive(w.hub, w.hostile, exact + 1, length, w.now, &cause);
        require(err == TG_OK || w.hostile->close_code != 0);
        free(exact);
        at += length;
    }
    pass_boundary(&w);
    check_world(&w);
    close_world(&w);
    return 0;
}
