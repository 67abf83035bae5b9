/*
 * Two skewed feeds of every venue bring real duplicates and regressions. What clients see never
 * goes back; and where the lanes admit everything it does, so this test can fail.
 */
#include "tg_cmocka.h"

#include <stdio.h>
#include <string.h>

#include "follower.h"

#define INSTRUMENTS  60u
#define FRAMES_GOOD  100u
#define FRAMES_UNTIL 1000u

typedef struct watch {
    gateway_process gateway;
    follower f;
    int64_t last_ts_ns[FOLLOWER_MAX];
    uint64_t went_back;
} watch;

static void open_watch(watch *w, const char *program)
{
    static const char *const arguments[] = {"--feeds", "2", "--skew-ms", "6:9",
                                            "--seed",  "5", NULL};
    static tg__name names[INSTRUMENTS];
    memset(w, 0, sizeof *w);
    assert_true(gateway_process_start(&w->gateway, program, arguments));
    follower_open(&w->f, &w->gateway);
    for (uint32_t i = 0; i < INSTRUMENTS; i++) {
        memset(&names[i], 0, sizeof names[i]);
        names[i].id = (tg_instrument_id)i;
    }
    follower_subscribe(&w->f, names, INSTRUMENTS);
}

static void close_watch(watch *w)
{
    follower_close(&w->f);
    assert_int_equal(gateway_process_stop(&w->gateway), 0);
}

/* Exchange times of one venue's single source only go forward. */
static void step(watch *w)
{
    follower_step(&w->f);
    for (uint32_t slot = 0; slot < w->f.channel.count; slot++) {
        const int64_t ts_ns = w->f.images[slot].value[TG_FIELD_TS_EXCHANGE];
        w->went_back += ts_ns < w->last_ts_ns[slot];
        w->last_ts_ns[slot] = ts_ns;
    }
}

static void no_image_ever_goes_back(void **state)
{
    (void)state;
    static watch w;
    open_watch(&w, TG_GATEWAY_PROGRAM);
    while (w.f.frames < FRAMES_GOOD) {
        step(&w);
    }
    assert_int_equal(w.f.channel.count, INSTRUMENTS);
    assert_int_equal(w.went_back, 0);
    close_watch(&w);
}

static void without_admission_images_do_go_back(void **state)
{
    (void)state;
    static watch w;
    open_watch(&w, TG_NO_ADMISSION_PROGRAM);
    while (w.f.frames < FRAMES_UNTIL && w.went_back == 0) {
        step(&w);
    }
    assert_true(w.went_back > 0);
    close_watch(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_image_ever_goes_back),
        cmocka_unit_test(without_admission_images_do_go_back),
    };
    return cmocka_run_group_tests_name("gateway.skewed_feeds", tests, NULL, NULL);
}
