/*
 * The integer primitives against 128-bit arithmetic that knows nothing of their shortcuts. The
 * bytes are a varint, and the same bytes are the operands of the checked sums and of the exact
 * division.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "exact_division.h"
#include "oracle.h"
#include "start_channel.h"
#include "varint.h"

static void check_varint(const uint8_t *bytes, size_t size)
{
    oracle slow;
    uint64_t expected = 0;
    uint64_t value = 0;
    const uint8_t *at = bytes;
    oracle_start(&slow, bytes, size);
    (void)oracle_varint(&slow, &expected);
    require(tg__varint_read(&at, bytes + size, &value) == slow.err);
    require((size_t)(at - bytes) == slow.at && value == expected);
    if (slow.err == TG_OK) {
        uint8_t again[TG__VARINT_SIZE_MAX];
        require(tg__varint_write(again, value) == slow.at && memcmp(again, bytes, slow.at) == 0);
        oracle_start(&slow, bytes, size);
        wide decoded = 0;
        require(oracle_zigzag(&slow, &decoded) && tg__zigzag_decode(value) == decoded);
        require(tg__zigzag_encode(tg__zigzag_decode(value)) == value);
    }
}

static void require_checked(bool good, int64_t out, wide exact)
{
    require(good == (exact >= INT64_MIN && exact <= INT64_MAX));
    require(!good || out == exact);
}

static void check_sums(int64_t a, int64_t b)
{
    int64_t out = 0;
    bool good = tg__add_checked(a, b, &out);
    require_checked(good, out, (wide)a + b);
    good = tg__sub_checked(a, b, &out);
    require_checked(good, out, (wide)a - b);
    if (b >= 1) {
        good = tg__multiply_checked(a, b, &out);
        require_checked(good, out, (wide)a * b);
    }
}

static void check_division(uint64_t value, uint64_t divisor)
{
    if (divisor == 0) {
        return;
    }
    const tg__exact_divisor by = tg__exact_divisor_of(divisor);
    const uint64_t values[] = {value, value - value % divisor};
    for (unsigned i = 0; i < 2; i++) {
        uint64_t quotient = 0;
        const bool divides = tg__divide_exactly(&by, values[i], &quotient);
        require(divides == (values[i] % divisor == 0));
        require(!divides || quotient == values[i] / divisor);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *const exact = malloc(size > 0 ? size : 1);
    require(exact != NULL);
    if (size > 0) {
        memcpy(exact, data, size);
    }
    check_varint(exact, size);
    if (size >= 16) {
        uint64_t a = 0;
        uint64_t b = 0;
        memcpy(&a, exact, sizeof a);
        memcpy(&b, exact + 8, sizeof b);
        check_sums((int64_t)a, (int64_t)b);
        check_division(a, b);
        check_division(a, b >> 34); /* as a resolution could be */
        check_division(a, b & (~b + 1u));
    }
    free(exact);
    return 0;
}
