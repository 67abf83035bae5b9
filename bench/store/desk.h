/* The desk that is measured: a filled store, frames of ticks for it, and readers that draw. */
#ifndef BENCH_STORE_DESK_H
#define BENCH_STORE_DESK_H

#include <pthread.h>
#include <stdatomic.h>

#include <tickglass/internal/store_writer.h>

enum {
    frame_rows = 40,
    visible_rows = 60,
    readers_max = 4
};

/* One conflated frame: distinct instruments, each one tick newer than before. */
typedef struct ticks_frame {
    tg_instrument_id id[frame_rows];
    tg_image image[frame_rows];
} ticks_frame;

typedef struct desk {
    uint32_t instruments;
    uint64_t random;
    uint64_t *seq; /* by id: of the last tick */
    tg_store *store;
} desk;

/* Ends the program if memory is short. */
void desk_open(desk *at, uint32_t instruments, uint32_t readers);
void desk_close(desk *at);

uint64_t desk_random(desk *at, uint64_t below);
void desk_next_frame(desk *at, ticks_frame *frame);
void desk_admit(tg_store *store, const ticks_frame *frame, int64_t now_mono_ns);

/* The instruments on the screen: one of every 40, as a watchlist picks them. */
void desk_visible(const desk *at, tg_instrument_id *ids);

/* Threads that draw 60 times a second until they are stopped: each runs draw(ctx). */
typedef struct drawing {
    void (*draw)(void *ctx);
    void *ctx[readers_max];
    pthread_t thread[readers_max];
    _Atomic bool stop; /* relaxed: only ends the loops */
} drawing;

void drawing_start(drawing *of);
void drawing_stop(drawing *of);

#endif
