/*
 * Frames of real shape for the codec bench: the simulated market, sequenced and cut every 40 ms, as
 * seen by a watchlist that is picked so that a wanted number of its rows changes at once.
 */
#ifndef BENCH_FRAMES_H
#define BENCH_FRAMES_H

#include <tickglass/internal/frame.h>

#define BENCH_FRAMES_MAX 256u

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
    tg__channel channel;
    size_t count;
    bench_frame frame[BENCH_FRAMES_MAX];
} bench_frames;

/* set instruments of which exactly changed move in every frame. Ends the program if it cannot. */
void bench_frames_make(bench_frames *frames, const char *name, uint32_t set, uint32_t changed);
void bench_frames_free(bench_frames *frames);

#endif
