/*
 * gateway.drain: from SIGTERM, with all terminals connected and coming back as they are told, to
 * the end of the process.
 */
#include <stdio.h>

#include "bench_scene.h"

static bool judge(int code, bool told)
{
    return bench_judge(told, "exit code of the drained gateway", code, code == 0, "0");
}

bool bench_drain(const bench_settings *settings, why *reason)
{
    bench_scene scene;
    double seconds = 0;
    if (!bench_scene_open(&scene, settings, 0, 0, reason)) {
        return false;
    }
    const uint32_t live = swarm_live(scene.swarm);
    const int code = gateway_child_drain(&scene.gateway, &seconds);
    if (settings->json) {
        printf("{\"bench\":\"gateway.drain\",\"terminals\":%u,\"seconds\":%.3f,\"exit_code\":%d,"
               "\"met\":%s}\n",
               (unsigned)live, seconds, code, judge(code, false) ? "true" : "false");
    } else {
        printf("gateway.drain: %u terminals, %.2f s from SIGTERM to the end\n", (unsigned)live,
               seconds);
        (void)judge(code, true);
    }
    bench_scene_close(&scene);
    return true;
}
