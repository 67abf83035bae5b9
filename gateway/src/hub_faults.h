/**
 * Faults on request, for tests and rehearsals: what the hub does wrong to its shared frames and to
 * the priority channel. With none asked for, a message costs one comparison.
 *
 * What a dropped frame covered is counted for each connection that would have had it, as is what
 * then does not fit at the client until the next snapshot (tg__hub_counts.ticks_refused): the two
 * and ticks_dropped are the loss in the clients' ledgers.
 */
#ifndef TG_GATEWAY_HUB_FAULTS_H
#define TG_GATEWAY_HUB_FAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "prng.h"

struct tg__hub;

typedef struct tg__hub_faults {
    uint32_t frames_to_drop;
    uint32_t drop_ppm;
    uint32_t frames_to_corrupt;
    uint32_t ticks_to_cut;
    tg__prng prng;
    uint64_t frames_lost; /* a frame counts once for each member */
    uint64_t ticks_lost;
    uint64_t frames_corrupted;
    uint64_t ticks_cut; /* messages */
} tg__hub_faults;

/* The next count frames, of whatever groups, are encoded and then reach no member. */
void tg__hub_fault_drop_frames(struct tg__hub *hub, uint32_t count);
/* The same with a chance of ppm in a million for each frame; 0 ends it. */
void tg__hub_fault_drop_rate(struct tg__hub *hub, uint32_t ppm, uint64_t seed);

/*
 * In the copies that the next count frames are sent as, each to one connection, one byte behind the
 * kind is changed. The shared frame stays right. A client may take it for valid until the next
 * state digest, so that no ledger holds for such a run.
 */
void tg__hub_fault_corrupt_frames(struct tg__hub *hub, uint32_t count, uint64_t seed);

/*
 * The next count messages of the priority channel, each to one connection, end a byte early, so
 * that none of it is valid: the depth that it was to bring is lost, as nothing else is.
 */
void tg__hub_fault_cut_ticks(struct tg__hub *hub, uint32_t count);

/* ---- for the hub's own files ---- */

/* True: this frame is to be lost. */
bool tg__hub_faults_lose(tg__hub_faults *faults);

/* The copy of a shared frame is about to be sent. */
void tg__hub_faults_spoil(tg__hub_faults *faults, uint8_t *frame, size_t size);

/* How much of a message of the priority channel is sent. */
size_t tg__hub_faults_cut(tg__hub_faults *faults, size_t size);

#endif
