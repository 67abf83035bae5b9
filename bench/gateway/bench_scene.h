/* A gateway of our own with a swarm of live terminals. */
#ifndef BENCH_GATEWAY_BENCH_SCENE_H
#define BENCH_GATEWAY_BENCH_SCENE_H

#include "bench_settings.h"
#include "gateway_child.h"
#include "swarm.h"
#include "tick_log_join.h"

typedef struct bench_scene {
    gateway_child gateway;
    names directory;
    distribution sizes;
    swarm *swarm;
} bench_scene;

/* The last slow terminals are stepped; there is room for so many seconds of samples. */
bool bench_scene_open(bench_scene *s, const bench_settings *settings, uint32_t slow,
                      uint32_t seconds, why *reason);
/* Everybody leaves, the gateway ends, its tick log is read. */
bool bench_scene_finish(bench_scene *s, tick_log **log, why *reason);
void bench_scene_close(bench_scene *s);

int64_t bench_utc_ns(void);

#endif
