/** The priority channel: which connections follow an instrument, and the one slot of each where
 * the latest tick wins. */
#ifndef TG_GATEWAY_PRIORITY_H
#define TG_GATEWAY_PRIORITY_H

#include <stdbool.h>
#include <stdint.h>

#include <tickglass/market.h>

/*
 * At most one TICKS message for a connection in this time. Far below what an eye or a screen can
 * tell apart; without it each tick of a release burst costs a TLS record and a system call.
 */
#define TG__TICKS_INTERVAL_NS INT64_C(2000000)

struct tg__peer;

typedef struct tg__priority_slot {
    tg_instrument_id id;
    bool dirty;
    uint64_t sent_seq;
    tg_image image;
    struct tg__peer *peer;
    struct tg__priority_slot *next; /* of those that follow the instrument */
    struct tg__priority_slot *previous;
} tg__priority_slot;

/* Enters slots of one connection into the index, or takes them out. heads: by instrument id. */
void tg__priority_link(tg__priority_slot **heads, tg__priority_slot *slots, uint32_t count);
void tg__priority_unlink(tg__priority_slot **heads, tg__priority_slot *slots, uint32_t count);

/* Takes image, which is then due, if it is newer than what the slot has; true: it was. */
bool tg__priority_update(tg__priority_slot *slot, const tg_image *image);

#endif
