#include "plain_hdr.h"

#include <stdlib.h>
#include <string.h>

struct plain_hdr {
    int64_t highest;
    int64_t min;
    int64_t max;
    int64_t total;
    int unit_bits;
    int half_bits;
    int64_t sub_bucket_mask;
    int32_t slot_count;
    int64_t counts[];
};

static int bit_length(uint64_t value)
{
    return value == 0 ? 0 : 64 - __builtin_clzll(value);
}

plain_hdr *plain_hdr_open(int64_t lowest, int64_t highest, int digits)
{
    uint64_t values = 2;
    for (int i = 0; i < digits; i++) {
        values *= 10;
    }
    const int unit_bits = bit_length((uint64_t)lowest) - 1;
    const int sub_bits = bit_length(values - 1);
    const int buckets = bit_length((uint64_t)highest) - unit_bits - sub_bits + 1;
    const int32_t slots = (int32_t)((uint32_t)(buckets + 1) << (sub_bits - 1));
    plain_hdr *made = calloc(1, sizeof *made + (size_t)slots * sizeof made->counts[0]);
    if (made != NULL) {
        made->highest = highest;
        made->min = INT64_MAX;
        made->unit_bits = unit_bits;
        made->half_bits = sub_bits - 1;
        made->sub_bucket_mask = (int64_t)(((UINT64_C(1) << sub_bits) - 1) << unit_bits);
        made->slot_count = slots;
    }
    return made;
}

void plain_hdr_close(plain_hdr *hdr)
{
    free(hdr);
}

bool plain_hdr_record(plain_hdr *hdr, int64_t value)
{
    if (value < 0) {
        return false;
    }
    const int top = 64 - __builtin_clzll((uint64_t)(value | hdr->sub_bucket_mask));
    const int bucket = top - hdr->unit_bits - (hdr->half_bits + 1);
    const int32_t sub_bucket = (int32_t)(value >> (bucket + hdr->unit_bits));
    const int32_t base = (bucket + 1) << hdr->half_bits;
    const int32_t slot = base + sub_bucket - (1 << hdr->half_bits);
    if (slot < 0 || slot >= hdr->slot_count) {
        return false;
    }
    hdr->counts[slot]++;
    hdr->total++;
    hdr->min = value < hdr->min && value != 0 ? value : hdr->min;
    hdr->max = value > hdr->max ? value : hdr->max;
    return true;
}

size_t plain_hdr_size(const plain_hdr *hdr)
{
    return sizeof *hdr + (size_t)hdr->slot_count * sizeof hdr->counts[0];
}
