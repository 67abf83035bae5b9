#include "embedded.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <tickglass/recorder.h>

#include "client_feed.h"
#include "timing.h"

enum {
    frames_a_turn = 16
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

static int64_t give_turn(const client_feed *feed, tg_client *client, uint32_t first)
{
    const int64_t begin_ns = bench_now_ns();
    for (uint32_t i = first; i < first + frames_a_turn; i++) {
        client_feed_frame(feed, client, i);
    }
    return bench_now_ns() - begin_ns;
}

embedded_result embedded_run(const char *dir)
{
    static client_feed feed;
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

    double off_ns[client_feed_rounds];
    double on_ns[client_feed_rounds];
    double ratios[client_feed_rounds];
    for (uint32_t round = 0; round < client_feed_rounds; round++) {
        int64_t took_ns[2] = {0, 0};
        const uint32_t first = round * client_feed_frames_a_round;
        for (uint32_t i = 0; i < client_feed_frames_a_round; i += frames_a_turn) {
            const int on = (int)(i / frames_a_turn) % 2;
            in_use = on != 0 ? recorder : NULL;
            took_ns[on] += give_turn(&feed, client, first + i);
        }
        off_ns[round] = (double)took_ns[0] / (client_feed_frames_a_round / 2);
        on_ns[round] = (double)took_ns[1] / (client_feed_frames_a_round / 2);
        ratios[round] = on_ns[round] / off_ns[round];
    }
    embedded_result result = {bench_quantile(off_ns, client_feed_rounds, 0.5),
                              bench_quantile(on_ns, client_feed_rounds, 0.5),
                              bench_quantile(ratios, client_feed_rounds, 0.5), 0};
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
