/* Follows one conflated channel of a real gateway over the wire, decoding what comes. */
#ifndef TG_TESTS_FOLLOWER_H
#define TG_TESTS_FOLLOWER_H

#include <tickglass/internal/channel.h>
#include <tickglass/internal/control.h>

#include "../integration/gateway_process.h"
#include "wire_client.h"

#define FOLLOWER_RESOLUTION_NS 100000
#define FOLLOWER_MAX           256u /* instruments, and ids in use */

typedef struct follower {
    wire_client *client;
    tg__welcome welcome;
    tg__channel channel;
    tg_instrument_id ids[FOLLOWER_MAX];
    tg_image images[FOLLOWER_MAX];
    tg__update updates[FOLLOWER_MAX];
    uint64_t covered[FOLLOWER_MAX]; /* by instrument id */
    tg_instrument instruments[FOLLOWER_MAX];
    tg_venue venues[TG_VENUE_MAX];
    uint64_t frames;
    unsigned gaps;
} follower;

/* Connects with everything that is right. */
void follower_open(follower *f, const gateway_process *gateway);
void follower_close(follower *f);
/* One SUBSCRIBE with count names, an id being TG_INSTRUMENT_NONE where the texts count. */
void follower_subscribe(follower *f, const tg__name *names, size_t count);
/* Waits for the next message and takes it; every frame must fit. */
void follower_step(follower *f);

#endif
