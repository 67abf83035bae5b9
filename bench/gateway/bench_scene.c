#include "bench_scene.h"

#include <string.h>
#include <time.h>

#include "activity.h"

#define LIVE_LIMIT_MS 60000u
#define WARM_MS       3000u

int64_t bench_utc_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static bool open_swarm(bench_scene *s, const bench_settings *settings, uint32_t slow,
                       uint32_t seconds, why *reason)
{
    const swarm_options options = {
        .gateway = s->gateway.address,
        .directory = &s->directory,
        .sizes = &s->sizes,
        .clients = settings->terminals,
        .lists = settings->lists,
        .stepped = slow,
        .seconds = seconds,
        .seed = settings->seed,
    };
    if (!swarm_open(&options, &s->swarm, reason) || !swarm_connect_all(s->swarm, reason)) {
        return false;
    }
    if (!swarm_await_live(s->swarm, LIVE_LIMIT_MS)) {
        return why_say(reason, "%u of %u terminals live after %u s", (unsigned)swarm_live(s->swarm),
                       (unsigned)settings->terminals, LIVE_LIMIT_MS / 1000);
    }
    swarm_sleep(s->swarm, WARM_MS);
    return true;
}

bool bench_scene_open(bench_scene *s, const bench_settings *settings, uint32_t slow,
                      uint32_t seconds, why *reason)
{
    const gateway_child_options options = {settings->program, settings->ticks_per_s,
                                           settings->seed};
    memset(s, 0, sizeof *s);
    const bool good = distribution_parse(settings->sizes, &s->sizes, reason) &&
                      gateway_child_start(&s->gateway, &options, reason) &&
                      names_find(&s->directory, &s->gateway.address, reason) &&
                      activity_weigh(&s->directory, &s->gateway.address, reason) &&
                      open_swarm(s, settings, slow, seconds, reason);
    if (!good) {
        bench_scene_close(s);
    }
    return good;
}

bool bench_scene_finish(bench_scene *s, tick_log **log, why *reason)
{
    swarm_leave_all(s->swarm);
    gateway_child_stop(&s->gateway);
    return tick_log_open(s->gateway.tick_log, log, reason);
}

void bench_scene_close(bench_scene *s)
{
    swarm_close(s->swarm);
    s->swarm = NULL;
    gateway_child_close(&s->gateway);
    names_deinit(&s->directory);
}
