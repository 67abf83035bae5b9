#include "depth_sync.h"

#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

void tg__depth_sync_deinit(tg__depth_sync *sync)
{
    tg__held_frame frame;
    while (tg__depth_sync_take(sync, &frame)) {
        free(frame.text);
    }
    free(sync->held);
    sync->held = NULL;
}

void tg__depth_sync_snapshot(tg__depth_sync *sync, uint64_t id)
{
    sync->has_snapshot = true;
    sync->last_id = id;
}

void tg__depth_sync_lose(tg__depth_sync *sync)
{
    sync->has_snapshot = false;
}

tg__depth_verdict tg__depth_sync_judge(tg__depth_sync *sync, uint64_t from, uint64_t to)
{
    if (!sync->has_snapshot) {
        return TG__DEPTH_HOLD;
    }
    if (to <= sync->last_id) {
        return TG__DEPTH_OLD;
    }
    if (from > sync->last_id) {
        sync->has_snapshot = false;
        return TG__DEPTH_GAP;
    }
    sync->last_id = to;
    return TG__DEPTH_APPLY;
}

tg_err tg__depth_sync_hold(tg__depth_sync *sync, const char *text, size_t length)
{
    if (sync->held == NULL) {
        sync->held = calloc(TG__DEPTH_HELD_MAX, sizeof *sync->held);
        TG_ENSURE(sync->held != NULL, TG_ERR_NO_MEMORY);
    }
    char *copy = malloc(length + 1);
    TG_ENSURE(copy != NULL, TG_ERR_NO_MEMORY);
    memcpy(copy, text, length);
    copy[length] = '\0';
    tg__held_frame dropped;
    if (sync->held_count == TG__DEPTH_HELD_MAX && tg__depth_sync_take(sync, &dropped)) {
        free(dropped.text);
    }
    const size_t at = (sync->held_first + sync->held_count) % TG__DEPTH_HELD_MAX;
    sync->held[at] = (tg__held_frame){copy, length};
    sync->held_count++;
    return TG_OK;
}

bool tg__depth_sync_take(tg__depth_sync *sync, tg__held_frame *out)
{
    if (sync->held_count == 0) {
        return false;
    }
    *out = sync->held[sync->held_first];
    sync->held_first = (sync->held_first + 1) % TG__DEPTH_HELD_MAX;
    sync->held_count--;
    return true;
}
