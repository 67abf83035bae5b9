/**
 * Does the hub's index of who follows what agree with its table of connections? The two are kept
 * apart by hand, and a follower too many is a read of freed memory: so it is counted anew now and
 * then.
 */
#ifndef TG_GATEWAY_HUB_AUDIT_H
#define TG_GATEWAY_HUB_AUDIT_H

#include <stdbool.h>
#include <stdint.h>

#include "hub.h"

#define TG__HUB_AUDIT_INTERVAL_NS INT64_C(30000000000)

typedef struct tg__hub_audit {
    uint64_t indexed;   /* subscriptions as the groups and the priority index have them */
    uint64_t recorded;  /* as the connections have them */
    uint32_t differing; /* groups or instruments where the two are not the same */
} tg__hub_audit;

/* When the next one is due. */
typedef struct tg__hub_audit_times {
    int64_t next_mono_ns;
} tg__hub_audit_times;

/* The first one is due an interval from now. */
void tg__hub_audit_start(tg__hub_audit_times *times, int64_t mono_ns);

/*
 * Whether to run one now: true once in TG__HUB_AUDIT_INTERVAL_NS. After a pause it is one, and the
 * interval begins anew.
 */
bool tg__hub_audit_due(tg__hub_audit_times *times, int64_t mono_ns);

/*
 * Changes nothing that anyone else looks at. Its work is one visit to each connection, group,
 * instrument and priority slot, whatever the size of the sets: the members of a group all follow
 * its set, so that one comparison holds for each of its instruments.
 */
tg__hub_audit tg__hub_audit_run(tg__hub *hub);

#endif
