/* The varint primitive against 128-bit arithmetic that knows nothing of its shortcuts. */
#include <stdint.h>
#include <stdlib.h>

#include "varint.h"

__extension__ typedef unsigned __int128 wide;

/* What PROTOCOL.md 2.2 says, one bit group at a time. Returns the size, 0 if it is not valid. */
static size_t oracle(const uint8_t *bytes, size_t size, uint64_t *out)
{
    wide value = 0;
    wide weight = 1;
    for (size_t i = 0; i < size && i < 10; i++) {
        value += (wide)(bytes[i] % 128) * weight;
        weight *= 128;
        if (bytes[i] < 128) {
            const int longer_than_needed = i > 0 && bytes[i] == 0;
            if (longer_than_needed || value > UINT64_MAX) {
                return 0;
            }
            *out = (uint64_t)value;
            return i + 1;
        }
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *at = data;
    uint64_t value = 0;
    uint64_t expected = 0;
    const size_t expected_size = oracle(data, size, &expected);
    const tg_err err = tg__varint_read(&at, data + size, &value);
    if ((err == TG_OK) != (expected_size > 0) || (size_t)(at - data) != expected_size) {
        abort();
    }
    if (err == TG_OK) {
        uint8_t again[TG__VARINT_SIZE_MAX];
        if (value != expected || tg__varint_write(again, value) != expected_size ||
            tg__zigzag_encode(tg__zigzag_decode(value)) != value) {
            abort();
        }
        for (size_t i = 0; i < expected_size; i++) {
            if (again[i] != data[i]) {
                abort();
            }
        }
    }
    return 0;
}
