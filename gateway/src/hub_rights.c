/* What a connection may have: renewed, expired, taken away. */
#include "hub.h"

#include <tickglass/internal/control_flow.h>

#include "jwt.h"
#include "prng.h"

#define NS_PER_S            INT64_C(1000000000)
#define RECONNECT_SPREAD_MS 2000u /* many may lose the same venue at once */

static bool is_lost(const tg__hub *hub, const tg__peer *peer, tg_instrument_id id)
{
    return !tg__entitlement_covers(&peer->entitlement,
                                   hub->options.directory->instruments[id].venue);
}

static bool follows_lost(const tg__hub *hub, const tg__peer *peer)
{
    const tg__channel *channel = &peer->group->channel;
    for (uint32_t i = 0; i < channel->count; i++) {
        if (is_lost(hub, peer, channel->ids[i])) {
            return true;
        }
    }
    for (uint32_t i = 0; i < peer->priority_count; i++) {
        if (is_lost(hub, peer, peer->priority[i].id)) {
            return true;
        }
    }
    return false;
}

/*
 * A smaller SNAPSHOT would be less of an interruption, but no message tells a client that an
 * accepted name is his no more: he would go on waiting for a set that does not come. Joining anew
 * he is told name by name.
 */
static void close_if_lost(tg__hub *hub, tg__peer *peer)
{
    if (tg__entitlement_is_empty(&peer->entitlement)) {
        tg__hub_close_peer(hub, peer, TG__CLOSE_FORBIDDEN, 0);
    } else if (follows_lost(hub, peer)) {
        tg__hub_close_peer(hub, peer, TG__CLOSE_SERVICE_RESTART,
                           (uint32_t)(tg__prng_mix(peer->number) % RECONNECT_SPREAD_MS));
    }
}

tg_err tg__hub_answer_token(tg__hub *hub, tg__peer *peer, const tg__door_answer *answer,
                            tg__moment now)
{
    tg__token_answer message = {.accepted = answer->verdict == TG__TOKEN_ADMITTED};
    if (message.accepted) {
        peer->entitlement = answer->entitlement;
        close_if_lost(hub, peer);
    }
    message.lifetime_s = tg__entitlement_lifetime_s(&peer->entitlement, now.utc_ns);
    size_t size = 0;
    TG_TRY(tg__token_answer_encode(&message, hub->message, TG__MESSAGE_SIZE_MAX, &size));
    return tg__hub_send_control(hub, peer, size);
}

void tg__hub_expire(tg__hub *hub, tg__moment now)
{
    if (now.mono_ns < hub->next_expiry_mono_ns) {
        return;
    }
    hub->next_expiry_mono_ns = now.mono_ns + NS_PER_S;
    for (tg__peer *peer = hub->first_peer; peer != NULL; peer = peer->next) {
        if (tg__jwt_has_expired(&peer->entitlement, now.utc_ns / NS_PER_S)) {
            tg__hub_close_peer(hub, peer, TG__CLOSE_TOKEN_EXPIRED, 0);
        }
    }
}

tg_err tg__hub_revoke(tg__hub *hub, const char *subject, const char *venue, uint32_t *closed)
{
    *closed = 0;
    TG_TRY(tg__door_revoke(hub->options.door, subject, venue));
    for (tg__peer *peer = hub->first_peer; peer != NULL; peer = peer->next) {
        const bool stays = peer->close_code == 0;
        tg__door_restrict(hub->options.door, &peer->entitlement);
        close_if_lost(hub, peer);
        *closed += stays && peer->close_code != 0;
    }
    return TG_OK;
}
