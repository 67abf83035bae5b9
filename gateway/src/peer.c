#include "peer.h"

tg__priority_slot *tg__peer_priority_slot(const tg__peer *peer, tg_instrument_id id)
{
    uint32_t low = 0;
    uint32_t high = peer->priority_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (peer->priority[middle].id < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < peer->priority_count && peer->priority[low].id == id ? &peer->priority[low] : NULL;
}
