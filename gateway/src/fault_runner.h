/** Does what a fault script says, when it says so, and tells the log: an oracle reads it there. */
#ifndef TG_GATEWAY_FAULT_RUNNER_H
#define TG_GATEWAY_FAULT_RUNNER_H

#include "fault_script.h"
#include "playback.h"
#include "stepped_clock.h"
#include "websocket_server.h"

/* What actions act on. */
typedef struct tg__fault_targets {
    tg__hub *hub;
    tg__playback *playback;
    tg__websocket_server *server;
    tg__stepped_clock *clock;
    bool *drain_asked; /* set: the owner's loop begins to drain */
} tg__fault_targets;

/* Every action that there is. */
extern const tg__fault_verb tg__fault_verbs[];
extern const size_t tg__fault_verb_count;

typedef struct tg__fault_runner {
    tg__fault_script *script; /* NULL: no faults */
    tg__fault_targets targets;
    bool started;
    bool acted;
    int64_t start_mono_ns;  /* of the market's first round */
    int64_t last_at_ns;     /* when the last action was due */
    uint64_t last_boundary; /* after which it was done */
} tg__fault_runner;

/*
 * Call it after every turn of the playback. However late it is called, between two actions at least
 * TG__LANE_DEADLINE_CUTS + 1 boundaries are cut, or as many as the script has room for. Each action
 * is one line of the log: "fault at 1500.3 ms: close-all 4003 (line 7, due at 1500 ms)". An error
 * is an action's.
 */
TG_MUST_CHECK tg_err tg__fault_runner_run(tg__fault_runner *runner, int64_t mono_ns,
                                          tg__cause *cause);

#endif
