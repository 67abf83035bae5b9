/*
 * Frames of real shape for the codec bench: the simulated market, sequenced and cut every 40 ms, as
 * seen by a watchlist that is picked so that a wanted number of its rows changes at once.
 */
#ifndef BENCH_FRAMES_H
#define BENCH_FRAMES_H

#include <tickglass/internal/frame.h>

/*
 * Many frames, because the branch predictor learns a few by heart: decoding the same LEB128 frames
 * of 40 rows took 597 ns with 64 of them and 1,250 ns with 1,024, and a client never sees a frame
 * twice.
 */
#define BENCH_FRAMES_MAX 1024u
#define BENCH_FRAMES_MIN 256u

typedef struct bench_frame {
    tg__frame frame;
    tg__update *updates;
} bench_frame;

/*
 * Every frame is the next one of the same channel: the changes are those of different cuts, laid
 * over one image, so that a bench works on one warm channel, as a client does, and not on as many
 * cold copies as there are frames.
 */
typedef struct bench_frames {
    const char *name;
    bool snapshots; /* frames that restate the whole set */
    tg__channel channel;
    size_t count;
    size_t update_count; /* of all frames */
    bench_frame frame[BENCH_FRAMES_MAX];
} bench_frames;

/* set instruments of which exactly changed move in every frame. */
typedef struct bench_watchlist {
    const char *name;
    uint32_t set;
    uint32_t changed;
    int64_t interval_ns; /* between two cuts */
} bench_watchlist;

/* All of them end the program if there is no such frame; bench_frames_free() what they made. */
void bench_frames_simulated(bench_frames *frames, const bench_watchlist *list);
void bench_frames_snapshots(bench_frames *frames, const char *name);
/* All instruments of a tape. False if the file is not there. */
bool bench_frames_taped(bench_frames *frames, const char *name, const char *path,
                        int64_t interval_ns);
void bench_frames_free(bench_frames *frames);

#endif
