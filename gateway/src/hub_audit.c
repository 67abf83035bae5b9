#include "hub_audit.h"

/* What each connection says of itself is summed up in the groups' and instruments' tallies. */
static void tally_connections(tg__hub *hub, tg__hub_audit *audit)
{
    for (tg__group *group = hub->groups.first; group != NULL; group = group->next) {
        group->tally = 0;
    }
    for (uint32_t id = 0; id < hub->options.directory->count; id++) {
        hub->tallies[id] = 0;
    }
    for (const tg__peer *peer = hub->first_peer; peer != NULL; peer = peer->next) {
        peer->group->tally++;
        audit->recorded += peer->group->channel.count + peer->priority_count;
        for (uint32_t i = 0; i < peer->priority_count; i++) {
            hub->tallies[peer->priority[i].id]++;
        }
    }
}

static bool group_agrees(const tg__group *group, uint32_t *members)
{
    bool agrees = true;
    *members = 0;
    /* A list that is broken into a ring still ends. */
    for (const tg__peer *peer = group->members; peer != NULL && *members <= group->tally;
         peer = peer->next_member) {
        agrees = agrees && peer->group == group;
        (*members)++;
    }
    return agrees && *members == group->tally && *members == group->member_count;
}

static bool instrument_agrees(const tg__hub *hub, tg_instrument_id id, uint32_t *followers)
{
    bool agrees = true;
    *followers = 0;
    for (const tg__priority_slot *slot = hub->priority_heads[id];
         slot != NULL && *followers <= hub->tallies[id]; slot = slot->next) {
        agrees = agrees && slot->id == id;
        (*followers)++;
    }
    return agrees && *followers == hub->tallies[id];
}

void tg__hub_audit_start(tg__hub_audit_times *times, int64_t mono_ns)
{
    times->next_mono_ns = mono_ns + TG__HUB_AUDIT_INTERVAL_NS;
}

bool tg__hub_audit_due(tg__hub_audit_times *times, int64_t mono_ns)
{
    if (mono_ns < times->next_mono_ns) {
        return false;
    }
    tg__hub_audit_start(times, mono_ns);
    return true;
}

tg__hub_audit tg__hub_audit_run(tg__hub *hub)
{
    tg__hub_audit audit = {0, 0, 0};
    tally_connections(hub, &audit);
    for (const tg__group *group = hub->groups.first; group != NULL; group = group->next) {
        uint32_t members = 0;
        audit.differing += !group_agrees(group, &members);
        audit.indexed += (uint64_t)members * group->channel.count;
    }
    for (uint32_t id = 0; id < hub->options.directory->count; id++) {
        uint32_t followers = 0;
        audit.differing += !instrument_agrees(hub, (tg_instrument_id)id, &followers);
        audit.indexed += followers;
    }
    hub->counts.audits++;
    hub->counts.audit_differences += audit.differing;
    return audit;
}
