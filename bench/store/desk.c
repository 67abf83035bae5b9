#include "desk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "samples.h"

static void must(bool holds, const char *what)
{
    if (!holds) {
        (void)fprintf(stderr, "bench_store: %s\n", what);
        exit(1);
    }
}

uint64_t desk_random(desk *at, uint64_t below)
{
    at->random ^= at->random >> 12; /* xorshift64* */
    at->random ^= at->random << 25;
    at->random ^= at->random >> 27;
    return (at->random * UINT64_C(0x2545f4914f6cdd1d) >> 11) % below;
}

static void next_image(desk *at, tg_instrument_id id, tg_image *image)
{
    const int64_t price = 100000 + (int64_t)desk_random(at, 1000);
    *image = (tg_image){.seq = ++at->seq[id], .epoch = 1};
    image->present = TG_FIELD_BIT(TG_FIELD_LIMIT_UP) - 1;
    for (unsigned field = 0; field < TG_FIELD_LIMIT_UP; field++) {
        image->value[field] = 5000 + (int64_t)field; /* the day's fields stay as they are */
    }
    image->value[TG_FIELD_BID_PRICE] = price;
    image->value[TG_FIELD_ASK_PRICE] = price + 1;
    image->value[TG_FIELD_LAST_PRICE] = price;
    image->value[TG_FIELD_VOLUME] = (int64_t)image->seq;
}

void desk_next_frame(desk *at, ticks_frame *frame)
{
    const uint64_t stride = at->instruments / frame_rows;
    for (unsigned i = 0; i < frame_rows; i++) {
        frame->id[i] = (tg_instrument_id)(i * stride + desk_random(at, stride));
        next_image(at, frame->id[i], &frame->image[i]);
    }
}

void desk_admit(tg_store *store, const ticks_frame *frame, int64_t now_mono_ns)
{
    const tg__arrival arrival = {now_mono_ns - 5000, now_mono_ns, now_mono_ns};
    for (unsigned i = 0; i < frame_rows; i++) {
        if (i + TG__EXPECT_AHEAD < frame_rows) {
            tg__store_expect(store, frame->id[i + TG__EXPECT_AHEAD]);
        }
        must(tg__store_admit(store, frame->id[i], &frame->image[i], 1, &arrival) == TG__ADMITTED,
             "a tick was refused");
    }
    tg__store_channel_alive(store, now_mono_ns);
    tg__store_publish(store, now_mono_ns);
}

void desk_open(desk *at, uint32_t instruments, uint32_t readers)
{
    const tg__store_options options = {.instruments_max = instruments, .readers_max = readers};
    *at = (desk){.instruments = instruments, .random = 88172645463325252u};
    at->seq = calloc(instruments, sizeof *at->seq);
    must(at->seq != NULL && tg__store_open(&options, &at->store) == TG_OK, "no memory");
    const tg__arrival arrival = {1, 1, 1};
    tg__store_set_link(at->store, TG__LINK_UP, 1);
    tg__store_set_channel_timeout(at->store, INT64_C(3000000000));
    for (uint32_t i = 0; i < instruments; i++) {
        tg_instrument entry = {.id = (tg_instrument_id)i,
                               .venue = (tg_venue_id)(i % 6),
                               .price_exponent = -2,
                               .band_count = 1,
                               .cadence_ms = 1000,
                               .band = {{0, 1}}};
        (void)snprintf(entry.symbol, sizeof entry.symbol, "INSTRUMENT-%u", i);
        tg_image image;
        next_image(at, entry.id, &image);
        must(tg__store_define_instrument(at->store, &entry) == TG_OK &&
                 tg__store_admit(at->store, entry.id, &image, 1, &arrival) == TG__ADMITTED,
             "the store did not take an instrument");
    }
    for (uint32_t i = 0; i < readers + 2; i++) {
        tg__store_publish(at->store, 1);
    }
}

void desk_close(desk *at)
{
    tg__store_close(at->store);
    free(at->seq);
}

void desk_visible(const desk *at, tg_instrument_id *ids)
{
    desk pick = {.random = 4711};
    const uint32_t stride = at->instruments / visible_rows;
    for (unsigned i = 0; i < visible_rows; i++) {
        ids[i] = (tg_instrument_id)(i * stride + desk_random(&pick, stride));
    }
}

typedef struct drawer {
    drawing *of;
    void *ctx;
} drawer;

static void *draw_until_stopped(void *ctx)
{
    const drawer mine = *(drawer *)ctx;
    free(ctx);
    const struct timespec frame = {0, 16666667};
    while (!atomic_load_explicit(&mine.of->stop, memory_order_relaxed)) {
        mine.of->draw(mine.ctx);
        (void)nanosleep(&frame, NULL);
    }
    return NULL;
}

void drawing_start(drawing *of)
{
    atomic_init(&of->stop, false);
    for (unsigned i = 0; i < readers_max; i++) {
        drawer *one = malloc(sizeof *one);
        must(one != NULL, "no memory");
        *one = (drawer){of, of->ctx[i]};
        must(pthread_create(&of->thread[i], NULL, draw_until_stopped, one) == 0, "no thread");
    }
}

void drawing_stop(drawing *of)
{
    atomic_store_explicit(&of->stop, true, memory_order_relaxed);
    for (unsigned i = 0; i < readers_max; i++) {
        (void)pthread_join(of->thread[i], NULL);
    }
}
