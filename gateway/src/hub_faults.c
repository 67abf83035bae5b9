#include "hub_faults.h"

#include "hub.h"

#define MILLION         1000000u
#define BOUNDARY_OFFSET 2u /* of a DELTA: PROTOCOL.md 8 */

void tg__hub_fault_drop_frames(tg__hub *hub, uint32_t count)
{
    hub->faults.frames_to_drop = count;
}

void tg__hub_fault_drop_rate(tg__hub *hub, uint32_t ppm, uint64_t seed)
{
    hub->faults.drop_ppm = ppm;
    hub->faults.prng.state = seed;
}

void tg__hub_fault_corrupt_frames(tg__hub *hub, uint32_t count, uint64_t seed)
{
    hub->faults.frames_to_corrupt = count;
    hub->faults.prng.state = seed;
}

void tg__hub_fault_falsify_boundaries(tg__hub *hub, uint32_t count)
{
    hub->faults.boundaries_to_falsify = count;
}

bool tg__hub_faults_lose(tg__hub_faults *faults)
{
    if (faults->frames_to_drop > 0) {
        faults->frames_to_drop--;
        return true;
    }
    return faults->drop_ppm > 0 && tg__prng_below(&faults->prng, MILLION) < faults->drop_ppm;
}

bool tg__hub_faults_spoil(tg__hub_faults *faults, uint8_t *frame, size_t size)
{
    if (faults->boundaries_to_falsify > 0) {
        faults->boundaries_to_falsify--;
        faults->boundaries_falsified++;
        for (size_t i = BOUNDARY_OFFSET; i < BOUNDARY_OFFSET + 4 && ++frame[i] == 0; i++) {
        }
        return true;
    }
    if (faults->frames_to_corrupt > 0) {
        faults->frames_to_corrupt--;
        faults->frames_corrupted++;
        const size_t at = 1 + tg__prng_below(&faults->prng, (uint32_t)size - 1);
        frame[at] = (uint8_t)(frame[at] ^ (1 + tg__prng_below(&faults->prng, UINT8_MAX)));
    }
    return false;
}
