#include "inflate.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

#define CODE_LENGTH_MAX 15
#define LITERALS        288u
#define DISTANCES       30u
#define STORED_MAX      65535u
#define ADLER_MODULUS   65521u
#define END_OF_BLOCK    256u

/* Bits come from the low end of each byte, RFC 1951 section 3.1.1. */
typedef struct bit_reader {
    const unsigned char *bytes;
    size_t size;
    size_t at;
    uint32_t held;
    unsigned held_count;
    bool ended; /* more was asked for than there is */
} bit_reader;

static unsigned take_bits(bit_reader *in, unsigned count)
{
    while (in->held_count < count) {
        if (in->at == in->size) {
            in->ended = true;
            return 0;
        }
        in->held |= (uint32_t)in->bytes[in->at++] << in->held_count;
        in->held_count += 8;
    }
    const unsigned value = in->held & ((1u << count) - 1u);
    in->held >>= count;
    in->held_count -= count;
    return value;
}

/* A canonical Huffman code: how many symbols there are of each length, and the symbols in order. */
typedef struct huffman {
    uint16_t counts[CODE_LENGTH_MAX + 1];
    uint16_t symbols[LITERALS];
} huffman;

/* False: the lengths are more than a code can hold. */
static bool make_code(huffman *code, const uint8_t *lengths, unsigned count)
{
    uint16_t next[CODE_LENGTH_MAX + 2];
    memset(code, 0, sizeof *code);
    for (unsigned i = 0; i < count; i++) {
        code->counts[lengths[i]]++;
    }
    code->counts[0] = 0;
    int left = 1;
    next[1] = 0;
    for (unsigned length = 1; length <= CODE_LENGTH_MAX; length++) {
        left = left * 2 - code->counts[length];
        if (left < 0) {
            return false;
        }
        next[length + 1] = (uint16_t)(next[length] + code->counts[length]);
    }
    for (unsigned i = 0; i < count; i++) {
        if (lengths[i] != 0) {
            code->symbols[next[lengths[i]]++] = (uint16_t)i;
        }
    }
    return true;
}

/* A symbol, or UINT16_MAX if the bits are no code. */
static unsigned take_symbol(bit_reader *in, const huffman *code)
{
    unsigned value = 0; /* of the bits so far, the first one highest */
    unsigned first = 0; /* the lowest code of this length */
    unsigned index = 0; /* where this length's symbols begin */
    for (unsigned length = 1; length <= CODE_LENGTH_MAX; length++) {
        value = value << 1 | take_bits(in, 1);
        const unsigned count = code->counts[length];
        if (value - first < count) {
            return code->symbols[index + value - first];
        }
        index += count;
        first = (first + count) << 1;
    }
    return UINT16_MAX;
}

typedef struct output {
    unsigned char *bytes;
    size_t capacity;
    size_t size;
} output;

static tg_err copy_stored(bit_reader *in, output *out)
{
    in->held = 0; /* the rest of the byte is not used */
    in->held_count = 0;
    TG_ENSURE(in->size - in->at >= 4, TG_ERR_CORRUPT);
    const unsigned char *head = in->bytes + in->at;
    const unsigned size = head[0] | (unsigned)head[1] << 8;
    const unsigned inverse = head[2] | (unsigned)head[3] << 8;
    in->at += 4;
    TG_ENSURE(size == (inverse ^ 0xffffu) && in->size - in->at >= size, TG_ERR_CORRUPT);
    TG_ENSURE(out->capacity - out->size >= size, TG_ERR_BUFFER_TOO_SMALL);
    memcpy(out->bytes + out->size, in->bytes + in->at, size);
    out->size += size;
    in->at += size;
    return TG_OK;
}

/* RFC 1951 section 3.2.5. */
static tg_err copy_match(bit_reader *in, output *out, const huffman *distances, unsigned symbol)
{
    static const uint16_t length_bases[] = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                            15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                            67, 83, 99, 115, 131, 163, 195, 227, 258};
    static const uint8_t length_bits[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                          2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    static const uint16_t distance_bases[DISTANCES] = {
        1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
        193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
    const unsigned length_code = symbol - END_OF_BLOCK - 1;
    TG_ENSURE(length_code < sizeof length_bits, TG_ERR_CORRUPT);
    const unsigned length = length_bases[length_code] + take_bits(in, length_bits[length_code]);
    const unsigned distance_code = take_symbol(in, distances);
    TG_ENSURE(distance_code < DISTANCES, TG_ERR_CORRUPT);
    const unsigned extra = distance_code < 4 ? 0 : distance_code / 2 - 1;
    const unsigned distance = distance_bases[distance_code] + take_bits(in, extra);
    TG_ENSURE(!in->ended && distance <= out->size, TG_ERR_CORRUPT);
    TG_ENSURE(out->capacity - out->size >= length, TG_ERR_BUFFER_TOO_SMALL);
    for (unsigned i = 0; i < length; i++, out->size++) { /* may overlap itself: byte by byte */
        out->bytes[out->size] = out->bytes[out->size - distance];
    }
    return TG_OK;
}

static tg_err copy_coded(bit_reader *in, output *out, const huffman *literals,
                         const huffman *distances)
{
    for (;;) {
        const unsigned symbol = take_symbol(in, literals);
        TG_ENSURE(!in->ended && symbol != UINT16_MAX, TG_ERR_CORRUPT);
        if (symbol == END_OF_BLOCK) {
            return TG_OK;
        }
        if (symbol > END_OF_BLOCK) {
            TG_TRY(copy_match(in, out, distances, symbol));
            continue;
        }
        TG_ENSURE(out->size < out->capacity, TG_ERR_BUFFER_TOO_SMALL);
        out->bytes[out->size++] = (unsigned char)symbol;
    }
}

/* The code of RFC 1951 section 3.2.6, made once for a stream: a stream may be nothing but the heads
 * of such blocks, ten bits each. */
typedef struct fixed_code {
    bool made;
    huffman literals;
    huffman distances;
} fixed_code;

static tg_err copy_fixed(bit_reader *in, output *out, fixed_code *code)
{
    if (!code->made) {
        uint8_t lengths[LITERALS];
        for (unsigned i = 0; i < LITERALS; i++) {
            lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
        }
        (void)make_code(&code->literals, lengths, LITERALS); /* the fixed code is one */
        memset(lengths, 5, DISTANCES);
        (void)make_code(&code->distances, lengths, DISTANCES);
        code->made = true;
    }
    return copy_coded(in, out, &code->literals, &code->distances);
}

/* The lengths of both codes, themselves coded. RFC 1951 section 3.2.7. */
static tg_err take_lengths(bit_reader *in, const huffman *code, uint8_t *lengths, unsigned count)
{
    for (unsigned at = 0; at < count;) {
        const unsigned symbol = take_symbol(in, code);
        TG_ENSURE(!in->ended && symbol <= 18, TG_ERR_CORRUPT);
        if (symbol < 16) {
            lengths[at++] = (uint8_t)symbol;
            continue;
        }
        TG_ENSURE(symbol != 16 || at != 0, TG_ERR_CORRUPT);
        const uint8_t repeated = symbol == 16 ? lengths[at - 1] : 0;
        const unsigned times = symbol == 16   ? 3 + take_bits(in, 2)
                               : symbol == 17 ? 3 + take_bits(in, 3)
                                              : 11 + take_bits(in, 7);
        TG_ENSURE(times <= count - at, TG_ERR_CORRUPT);
        memset(lengths + at, repeated, times);
        at += times;
    }
    return TG_OK;
}

static tg_err copy_dynamic(bit_reader *in, output *out)
{
    static const uint8_t order[19] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                      11, 4,  12, 3, 13, 2, 14, 1, 15};
    const unsigned literal_count = 257 + take_bits(in, 5);
    const unsigned distance_count = 1 + take_bits(in, 5);
    const unsigned length_count = 4 + take_bits(in, 4);
    TG_ENSURE(!in->ended && literal_count <= 286 && distance_count <= DISTANCES, TG_ERR_CORRUPT);
    uint8_t lengths[LITERALS + DISTANCES];
    memset(lengths, 0, sizeof lengths);
    for (unsigned i = 0; i < length_count; i++) {
        lengths[order[i]] = (uint8_t)take_bits(in, 3);
    }
    huffman code;
    TG_ENSURE(!in->ended && make_code(&code, lengths, 19), TG_ERR_CORRUPT);
    TG_TRY(take_lengths(in, &code, lengths, literal_count + distance_count));
    huffman literals;
    huffman distances;
    TG_ENSURE(lengths[END_OF_BLOCK] != 0 && make_code(&literals, lengths, literal_count) &&
                  make_code(&distances, lengths + literal_count, distance_count),
              TG_ERR_CORRUPT);
    return copy_coded(in, out, &literals, &distances);
}

static uint32_t adler32(const unsigned char *bytes, size_t size)
{
    uint32_t low = 1;
    uint32_t high = 0;
    for (size_t i = 0; i < size; i++) {
        low = (low + bytes[i]) % ADLER_MODULUS;
        high = (high + low) % ADLER_MODULUS;
    }
    return high << 16 | low;
}

tg_err tg__zlib_read(const unsigned char *bytes, size_t available, unsigned char *out,
                     size_t capacity, size_t *size)
{
    TG_ENSURE(available >= 2 && (bytes[0] & 15) == 8 && (bytes[0] * 256 + bytes[1]) % 31 == 0 &&
                  (bytes[1] & 0x20) == 0,
              TG_ERR_CORRUPT); /* deflate, no preset dictionary */
    bit_reader in = {bytes, available, 2, 0, 0, false};
    output result = {out, capacity, 0};
    fixed_code fixed;
    fixed.made = false;
    bool last = false;
    while (!last) {
        last = take_bits(&in, 1) != 0;
        const unsigned kind = take_bits(&in, 2);
        TG_ENSURE(!in.ended && kind != 3, TG_ERR_CORRUPT);
        TG_TRY(kind == 0   ? copy_stored(&in, &result)
               : kind == 1 ? copy_fixed(&in, &result, &fixed)
                           : copy_dynamic(&in, &result));
    }
    TG_ENSURE(in.size - in.at >= 4, TG_ERR_CORRUPT);
    const unsigned char *tail = in.bytes + in.at;
    const uint32_t said =
        (uint32_t)tail[0] << 24 | (uint32_t)tail[1] << 16 | (uint32_t)tail[2] << 8 | tail[3];
    TG_ENSURE(said == adler32(out, result.size), TG_ERR_CORRUPT);
    *size = result.size;
    return TG_OK;
}

size_t tg__zlib_stored_size(size_t size)
{
    return 2 + size + (size / STORED_MAX + 1) * 5 + 4;
}

size_t tg__zlib_store(const unsigned char *bytes, size_t size, unsigned char *out)
{
    unsigned char *at = out;
    *at++ = 0x78; /* deflate, window of 32 KiB */
    *at++ = 0x01;
    size_t done = 0;
    do {
        const size_t now = size - done < STORED_MAX ? size - done : STORED_MAX;
        *at++ = done + now == size; /* last block, stored */
        *at++ = (unsigned char)(now & 0xff);
        *at++ = (unsigned char)(now >> 8);
        *at++ = (unsigned char)(~now & 0xff);
        *at++ = (unsigned char)((~now >> 8) & 0xff);
        memcpy(at, bytes + done, now);
        at += now;
        done += now;
    } while (done < size);
    const uint32_t sum = adler32(bytes, size);
    for (int shift = 24; shift >= 0; shift -= 8) {
        *at++ = (unsigned char)(sum >> shift);
    }
    return (size_t)(at - out);
}
