/* The oracle's primitives. PROTOCOL.md section 2. */
#include "oracle.h"

#include <string.h>

void oracle_start(oracle *in, const uint8_t *bytes, size_t size)
{
    memset(in, 0, sizeof *in);
    in->bytes = bytes;
    in->end = size;
    in->err = TG_OK;
    in->fault.row = TG__NO_ROW;
}

bool oracle_fail(oracle *in, tg_err err, size_t at)
{
    if (in->err == TG_OK) {
        in->err = err;
        in->fault.offset = at;
    }
    return false;
}

uint64_t oracle_bits(const uint8_t *bytes, size_t bit, unsigned width)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < width; i++) {
        const size_t number = bit + i;
        if (bytes[number / 8] / (1u << number % 8) % 2 == 1) {
            value += UINT64_C(1) << i;
        }
    }
    return value;
}

bool oracle_bytes_le(oracle *in, unsigned count, uint64_t *out)
{
    in->item = in->at;
    if (in->end - in->at < count) {
        return oracle_fail(in, TG_ERR_TRUNCATED, in->at);
    }
    *out = oracle_bits(in->bytes, in->at * 8, count * 8);
    in->at += count;
    return true;
}

bool oracle_varint(oracle *in, uint64_t *out)
{
    const size_t start = in->at;
    in->item = start;
    wide value = 0;
    wide weight = 1;
    for (size_t i = 0; i < 10; i++) {
        if (start + i >= in->end) {
            return oracle_fail(in, TG_ERR_TRUNCATED, start);
        }
        const unsigned byte = in->bytes[start + i];
        if (i == 9 && byte > 1) {
            break;
        }
        value += (byte % 128) * weight;
        weight *= 128;
        if (byte < 128) {
            if (byte == 0 && i > 0) {
                break;
            }
            in->at = start + i + 1;
            *out = (uint64_t)value;
            return true;
        }
    }
    return oracle_fail(in, TG_ERR_VARINT, start);
}

bool oracle_varint32(oracle *in, uint32_t *out)
{
    const size_t start = in->at;
    uint64_t value = 0;
    if (!oracle_varint(in, &value)) {
        return false;
    }
    if (value > UINT32_MAX) {
        return oracle_fail(in, TG_ERR_VALUE_RANGE, start);
    }
    *out = (uint32_t)value;
    return true;
}

bool oracle_zigzag(oracle *in, wide *out)
{
    uint64_t code = 0;
    if (!oracle_varint(in, &code)) {
        return false;
    }
    *out = code % 2 == 0 ? (wide)code / 2 : -((wide)code + 1) / 2;
    return true;
}

bool oracle_time(oracle *in, uint32_t resolution_ns, wide *out)
{
    const size_t start = in->at;
    if (!oracle_zigzag(in, out)) {
        return false;
    }
    *out *= resolution_ns;
    if (*out < INT64_MIN || *out > INT64_MAX) {
        return oracle_fail(in, TG_ERR_DELTA_OVERFLOW, start);
    }
    return true;
}

/* RFC 3720 B.4: the polynomial 0x1edc6f41, bits reflected. */
uint32_t oracle_crc32c(uint32_t crc, const uint8_t *bytes, size_t size)
{
    crc = ~crc;
    for (size_t i = 0; i < size * 8; i++) {
        const uint32_t bit = bytes[i / 8] / (1u << i % 8) % 2u;
        crc = crc % 2u != bit ? crc / 2u ^ UINT32_C(0x82f63b78) : crc / 2u;
    }
    return ~crc;
}

static uint32_t crc_number(uint32_t crc, uint64_t number, unsigned size)
{
    uint8_t bytes[8];
    for (unsigned i = 0; i < size; i++) {
        bytes[i] = (uint8_t)(number % 256);
        number /= 256;
    }
    return oracle_crc32c(crc, bytes, size);
}

uint32_t oracle_state_digest(const tg__channel *channel, const tg__update *updates, uint32_t count)
{
    uint32_t crc = 0;
    for (uint32_t slot = 0; slot < channel->count; slot++) {
        const tg_image *image = &channel->images[slot];
        for (uint32_t i = 0; i < count; i++) {
            if (updates[i].slot == slot) {
                image = &updates[i].image;
            }
        }
        crc = crc_number(crc, channel->ids[slot], 2);
        crc = crc_number(crc, image->epoch, 4);
        crc = crc_number(crc, image->seq, 8);
        crc = crc_number(crc, image->present, 4);
        for (unsigned field = 0; field < TG_FIELD_COUNT; field++) {
            if (image->present / (1u << field) % 2 == 1) {
                crc = crc_number(crc, (uint64_t)image->value[field], 8);
            }
        }
    }
    return crc;
}
