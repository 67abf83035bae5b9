#include "hub_faults.h"

#include "hub.h"

#define MILLION 1000000u

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

void tg__hub_fault_cut_ticks(tg__hub *hub, uint32_t count)
{
    hub->faults.ticks_to_cut = count;
}

bool tg__hub_faults_lose(tg__hub_faults *faults)
{
    if (faults->frames_to_drop > 0) {
        faults->frames_to_drop--;
        return true;
    }
    return faults->drop_ppm > 0 && tg__prng_below(&faults->prng, MILLION) < faults->drop_ppm;
}

void tg__hub_faults_spoil(tg__hub_faults *faults, uint8_t *frame, size_t size)
{
    if (faults->frames_to_corrupt > 0) {
        faults->frames_to_corrupt--;
        faults->frames_corrupted++;
        const size_t at = 1 + tg__prng_below(&faults->prng, (uint32_t)size - 1);
        frame[at] = (uint8_t)(frame[at] ^ (1 + tg__prng_below(&faults->prng, UINT8_MAX)));
    }
}

size_t tg__hub_faults_cut(tg__hub_faults *faults, size_t size)
{
    if (faults->ticks_to_cut == 0) {
        return size;
    }
    faults->ticks_to_cut--;
    faults->ticks_cut++;
    return size - 1;
}
