#include "embedded.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <tickglass/recorder.h>

#include "client_feed.h"
#include "timing.h"

enum {
    frames_a_turn = 16,
    pairs = client_feed_frames / (2 * frames_a_turn)
};

/* As the terminal does it: every message whole, at the time it was received. NULL: it is off. */
static void record_message(void *ctx, const void *bytes, size_t size, int64_t received_mono_ns)
{
    TG_RECORD_AT(*(tg_recorder **)ctx, TG_RECORD_INFO, received_mono_ns, "message %p",
                 tg_blob_of(bytes, size));
}

static tg_recorder *open_recorder(const char *path)
{
    tg_recorder_options opt;
    tg_recorder_options_init(&opt);
    opt.path = path;
    opt.ring_size = UINT32_C(4) << 20;
    tg_recorder *recorder = NULL;
    if (tg_recorder_open(&opt, &recorder) != TG_OK ||
        tg_recorder_prepare_thread(recorder, "bench") != TG_OK) {
        perror(path);
        exit(1);
    }
    return recorder;
}

static double give_turn(const client_feed *feed, tg_client *client, uint32_t first)
{
    const int64_t begin_ns = bench_now_ns();
    for (uint32_t i = first; i < first + frames_a_turn; i++) {
        client_feed_frame(feed, client, i);
    }
    return (double)(bench_now_ns() - begin_ns) / frames_a_turn;
}

/*
 * A turn without and one with the recorder are a pair, some fifty microseconds long: the machine's
 * speed is the same for both, and a pair that was disturbed is one of two thousand. Which of the
 * two comes first changes from pair to pair. The median of the pairs is what a frame costs usually;
 * the ratio of the sums has everything in it, disturbances of the machine, too.
 */
embedded_result embedded_run(const char *dir)
{
    static client_feed feed;
    static double took_ns[2][pairs];
    static double ratios[pairs];
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/embedded.tgrec", dir);
    tg_recorder *recorder = open_recorder(path);
    tg_client_options options;
    tg_client_options_init(&options);
    client_feed_open(&feed);
    /* One client, for two would differ by where their memory lies more than by the recorder. */
    tg_recorder *in_use = NULL;
    options.on_message = record_message;
    options.ctx = &in_use;
    tg_client *client = client_feed_join(&feed, &options);

    double sums[2] = {0, 0};
    for (uint32_t pair = 0; pair < pairs; pair++) {
        for (uint32_t turn = 0; turn < 2; turn++) {
            const uint32_t on = (pair + turn) % 2;
            in_use = on != 0 ? recorder : NULL;
            took_ns[on][pair] = give_turn(&feed, client, (2 * pair + turn) * frames_a_turn);
            sums[on] += took_ns[on][pair];
        }
        ratios[pair] = took_ns[1][pair] / took_ns[0][pair];
    }
    embedded_result result = {
        .off_ns = bench_quantile(took_ns[0], pairs, 0.5),
        .on_ns = bench_quantile(took_ns[1], pairs, 0.5),
        .ratio = bench_quantile(ratios, pairs, 0.5),
        .ratio_of_sums = sums[1] / sums[0],
    };
    tg_recorder_counters counters = {.struct_size = sizeof counters};
    if (tg_recorder_counters_get(recorder, &counters) != TG_OK) {
        exit(1);
    }
    result.lost = counters.dropped;
    tg_client_close(client);
    tg_recorder_close(recorder);
    client_feed_close(&feed);
    (void)unlink(path);
    return result;
}
