#include <tickglass/internal/hlog.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

#include "histogram_slots.h"
#include "inflate.h"

#define COOKIE_PLAIN      UINT32_C(0x1c849313) /* V2, counts as zigzag LEB128 */
#define COOKIE_COMPRESSED UINT32_C(0x1c849314)
#define PLAIN_HEADER      40u
#define COMPRESSED_HEADER 8u
#define COUNT_BYTES_MAX   9u
#define PAYLOAD_MAX       (UINT32_C(8) << 20)
#define LOWEST            1

static const char base64_digits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* This format is big-endian. */
static void put_be(unsigned char *at, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++) {
        at[i] = (unsigned char)(value >> (8 * (size - 1 - i)));
    }
}

static uint64_t get_be(const unsigned char *at, unsigned size)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < size; i++) {
        value = value << 8 | at[i];
    }
    return value;
}

/* Seven bits a byte, but the ninth has eight. */
static unsigned char *put_count(unsigned char *at, int64_t count)
{
    uint64_t coded = ((uint64_t)count << 1) ^ (uint64_t)(count >> 63);
    for (unsigned i = 1; i < COUNT_BYTES_MAX && coded >= 0x80; i++) {
        *at++ = (unsigned char)(coded | 0x80);
        coded >>= 7;
    }
    *at++ = (unsigned char)coded;
    return at;
}

static const unsigned char *get_count(const unsigned char *at, const unsigned char *end,
                                      int64_t *out)
{
    uint64_t coded = 0;
    for (unsigned i = 0; i < COUNT_BYTES_MAX; i++) {
        if (at == end) {
            return NULL;
        }
        const uint64_t byte = *at++;
        if (i == COUNT_BYTES_MAX - 1) {
            coded |= byte << 56;
            break;
        }
        coded |= (byte & 0x7f) << (7 * i);
        if ((byte & 0x80) == 0) {
            break;
        }
    }
    *out = (int64_t)((coded >> 1) ^ (0 - (coded & 1)));
    return at;
}

static void add_base64(tg__text_buffer *out, const unsigned char *bytes, size_t size)
{
    char *at = tg__text_room(out, (size + 2) / 3 * 4);
    if (at == NULL) {
        return;
    }
    for (size_t i = 0; i < size; i += 3, at += 4) {
        const size_t left = size - i;
        const uint32_t three = (uint32_t)bytes[i] << 16 |
                               (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                               (left > 2 ? bytes[i + 2] : 0);
        at[0] = base64_digits[three >> 18];
        at[1] = base64_digits[three >> 12 & 63];
        at[2] = left > 1 ? base64_digits[three >> 6 & 63] : '=';
        at[3] = left > 2 ? base64_digits[three & 63] : '=';
    }
    out->size += (size + 2) / 3 * 4;
}

/* A histogram of the same values with lowest = 1; a slot's count goes to its smallest value. */
static tg_err with_lowest_one(const tg_histogram *from, tg_histogram **out)
{
    tg__histogram_shape shape = tg__histogram_shape_get(from);
    tg_histogram_options opt;
    tg_histogram_options_init(&opt);
    opt.lowest = LOWEST;
    opt.highest = shape.highest;
    opt.significant_digits = shape.significant_digits;
    TG_TRY(tg_histogram_open(&opt, out));
    for (uint32_t slot = 0; slot < tg__histogram_slot_count(from); slot++) {
        const uint64_t count = tg__histogram_slot_get(from, slot);
        if (count != 0) {
            tg__histogram_slot_add(
                *out, tg__histogram_slot_of(*out, tg__histogram_slot_lowest(from, slot)), count);
        }
    }
    return TG_OK;
}

/* Counts up to the last one that is not 0; a run of zeros is its negative length. */
static size_t put_counts(const tg_histogram *histogram, unsigned char *out)
{
    unsigned char *at = out;
    int64_t zeros = 0;
    for (uint32_t slot = 0; slot < tg__histogram_slot_count(histogram); slot++) {
        const uint64_t count = tg__histogram_slot_get(histogram, slot);
        if (count == 0) {
            zeros++;
            continue;
        }
        if (zeros != 0) {
            at = put_count(at, zeros == 1 ? 0 : -zeros);
            zeros = 0;
        }
        at = put_count(at, count > INT64_MAX ? INT64_MAX : (int64_t)count);
    }
    return (size_t)(at - out);
}

tg_err tg__hlog_encode(const tg_histogram *histogram, tg__text_buffer *out)
{
    tg_histogram *made = NULL;
    const tg__histogram_shape shape = tg__histogram_shape_get(histogram);
    if (shape.lowest != LOWEST) {
        TG_TRY(with_lowest_one(histogram, &made));
    }
    const tg_histogram *plain = made != NULL ? made : histogram;
    const size_t most =
        PLAIN_HEADER + 2 * (size_t)COUNT_BYTES_MAX * tg__histogram_slot_count(plain);
    unsigned char *payload = malloc(most);
    unsigned char *packed = malloc(COMPRESSED_HEADER + tg__zlib_stored_size(most));
    tg_err err = payload != NULL && packed != NULL ? TG_OK : TG_ERR_NO_MEMORY;
    if (err == TG_OK) {
        const double ratio = 1.0;
        uint64_t ratio_bits;
        memcpy(&ratio_bits, &ratio, sizeof ratio_bits);
        const size_t size = put_counts(plain, payload + PLAIN_HEADER);
        put_be(payload, COOKIE_PLAIN, 4);
        put_be(payload + 4, size, 4);
        put_be(payload + 8, 0, 4); /* normalizing offset */
        put_be(payload + 12, (uint64_t)shape.significant_digits, 4);
        put_be(payload + 16, LOWEST, 8);
        put_be(payload + 24, (uint64_t)shape.highest, 8);
        put_be(payload + 32, ratio_bits, 8);
        const size_t packed_size =
            tg__zlib_store(payload, PLAIN_HEADER + size, packed + COMPRESSED_HEADER);
        put_be(packed, COOKIE_COMPRESSED, 4);
        put_be(packed + 4, packed_size, 4);
        add_base64(out, packed, COMPRESSED_HEADER + packed_size);
        err = out->failed ? TG_ERR_NO_MEMORY : TG_OK;
    }
    free(payload);
    free(packed);
    tg_histogram_close(made);
    return err;
}

/* Thousandths with a point in every locale: a host's decimal comma would end the field. */
static void add_thousandths(tg__text_buffer *out, int64_t thousandths)
{
    const uint64_t size = thousandths < 0 ? 0 - (uint64_t)thousandths : (uint64_t)thousandths;
    char text[32];
    (void)snprintf(text, sizeof text, "%s%" PRIu64 ".%03" PRIu64, thousandths < 0 ? "-" : "",
                   size / 1000, size % 1000);
    tg__text_add_string(out, text);
}

static int64_t rounded(int64_t value, int64_t unit)
{
    return value / unit + (value % unit >= unit / 2 ? 1 : 0);
}

void tg__hlog_add_header(tg__text_buffer *out, int64_t from_utc_ns)
{
    tg__text_add_string(out, "#[Histogram log format version 1.3]\n#[StartTime: ");
    add_thousandths(out, rounded(from_utc_ns, 1000000));
    tg__text_add_string(out, " (seconds since epoch)]\n");
    tg__text_add_string(out, "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\","
                             "\"Interval_Compressed_Histogram\"\n");
}

tg_err tg__hlog_add_interval(tg__text_buffer *out, const char *tag, int64_t from_utc_ns,
                             int64_t to_utc_ns, const tg_histogram *histogram)
{
    tg_histogram_summary summary;
    tg_histogram_summary_get(histogram, &summary);
    tg__text_add_string(out, "Tag=");
    for (const char *at = tag; *at != '\0'; at++) {
        tg__text_add(out, *at == ',' || *at == ' ' || *at == '"' ? "_" : at, 1);
    }
    const int64_t numbers[] = {rounded(from_utc_ns, 1000000),
                               rounded(to_utc_ns - from_utc_ns, 1000000),
                               rounded(summary.max, 1000)};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        tg__text_add_string(out, ",");
        add_thousandths(out, numbers[i]);
    }
    tg__text_add_string(out, ",");
    TG_TRY(tg__hlog_encode(histogram, out));
    tg__text_add_string(out, "\n");
    return out->failed ? TG_ERR_NO_MEMORY : TG_OK;
}

static tg_err take_base64(const char *text, size_t size, unsigned char *out, size_t *out_size)
{
    TG_ENSURE(size % 4 == 0, TG_ERR_SYNTAX);
    size_t at = 0;
    for (size_t i = 0; i < size; i += 4) {
        uint32_t three = 0;
        unsigned fill = 0;
        for (size_t k = 0; k < 4; k++) {
            const char digit = text[i + k];
            const char *found = digit != '\0' ? strchr(base64_digits, digit) : NULL;
            const bool is_fill = digit == '=' && i + 4 == size && k >= 2;
            TG_ENSURE((found != NULL && fill == 0) || is_fill, TG_ERR_SYNTAX);
            fill += is_fill;
            three = three << 6 | (is_fill ? 0 : (uint32_t)(found - base64_digits));
        }
        for (unsigned k = 0; k < 3 - fill; k++) {
            out[at++] = (unsigned char)(three >> (16 - 8 * k));
        }
    }
    *out_size = at;
    return TG_OK;
}

static tg_err take_counts(const unsigned char *at, const unsigned char *end, uint64_t count_max,
                          tg_histogram *into)
{
    const uint64_t slots = tg__histogram_slot_count(into);
    tg_histogram_summary summary;
    memset(&summary, 0, sizeof summary);
    uint64_t slot = 0;
    while (at < end) {
        int64_t count = 0;
        at = get_count(at, end, &count);
        TG_ENSURE(at != NULL, TG_ERR_CORRUPT);
        if (count <= 0) {
            const uint64_t zeros = count == 0 ? 1 : 0 - (uint64_t)count;
            TG_ENSURE(zeros <= slots - slot, TG_ERR_CORRUPT);
            slot += zeros;
            continue;
        }
        TG_ENSURE(slot < slots, TG_ERR_CORRUPT);
        TG_ENSURE((uint64_t)count <= count_max - summary.count, TG_ERR_COUNT_LIMIT);
        tg__histogram_slot_add(into, (uint32_t)slot, (uint64_t)count);
        if (summary.count == 0) {
            summary.min = tg__histogram_slot_lowest(into, (uint32_t)slot);
        }
        summary.max = tg__histogram_slot_highest(into, (uint32_t)slot);
        summary.count += (uint64_t)count;
        slot++;
    }
    const int64_t highest = tg__histogram_shape_get(into).highest;
    summary.max = summary.max > highest ? highest : summary.max;
    TG_ENSURE(summary.count == 0 || summary.min <= highest, TG_ERR_CORRUPT);
    tg__histogram_outer_add(into, &summary);
    return TG_OK;
}

typedef struct plain_form {
    tg_histogram_options shape;
    const unsigned char *counts;
    const unsigned char *end;
} plain_form;

static tg_err read_plain(const unsigned char *payload, size_t size, plain_form *out)
{
    TG_ENSURE(size >= PLAIN_HEADER && get_be(payload, 4) == COOKIE_PLAIN, TG_ERR_CORRUPT);
    const uint64_t counts_size = get_be(payload + 4, 4);
    TG_ENSURE(counts_size <= size - PLAIN_HEADER, TG_ERR_CORRUPT);
    /* hdr-histogram-js writes the integer 1 both as offset and, where others have the double 1.0,
     * as ratio, and means neither. Any other offset would shift every count. */
    const uint64_t offset = get_be(payload + 8, 4);
    TG_ENSURE(offset == 0 || (offset == 1 && get_be(payload + 32, 8) == 1), TG_ERR_UNSUPPORTED);
    const uint64_t digits = get_be(payload + 12, 4);
    TG_ENSURE(digits >= 1 && digits <= 4, TG_ERR_UNSUPPORTED);
    tg_histogram_options_init(&out->shape);
    out->shape.lowest = (int64_t)get_be(payload + 16, 8);
    out->shape.highest = (int64_t)get_be(payload + 24, 8);
    out->shape.significant_digits = (int)digits;
    TG_ENSURE(out->shape.lowest >= 1 && out->shape.highest >= 1, TG_ERR_CORRUPT);
    out->counts = payload + PLAIN_HEADER;
    out->end = out->counts + counts_size;
    return TG_OK;
}

static tg_err decode_plain(const unsigned char *payload, size_t size, tg_histogram **out)
{
    plain_form plain;
    TG_TRY(read_plain(payload, size, &plain));
    tg_histogram *made = NULL;
    tg_err err = tg_histogram_open(&plain.shape, &made);
    TG_ENSURE(err != TG_ERR_HISTOGRAM_RANGE, TG_ERR_UNSUPPORTED);
    TG_TRY(err);
    err = take_counts(plain.counts, plain.end, UINT64_MAX, made);
    if (err != TG_OK) {
        tg_histogram_close(made);
        return err == TG_ERR_COUNT_LIMIT ? TG_ERR_CORRUPT : err;
    }
    *out = made;
    return TG_OK;
}

/* packed has room for size / 4 * 3 bytes. */
static tg_err unpack(const char *text, size_t size, unsigned char *packed, unsigned char *payload,
                     size_t capacity, size_t *payload_size)
{
    size_t packed_size = 0;
    TG_TRY(take_base64(text, size, packed, &packed_size));
    TG_ENSURE(packed_size >= COMPRESSED_HEADER && get_be(packed, 4) == COOKIE_COMPRESSED &&
                  get_be(packed + 4, 4) <= packed_size - COMPRESSED_HEADER,
              TG_ERR_CORRUPT);
    const tg_err err = tg__zlib_read(packed + COMPRESSED_HEADER, (size_t)get_be(packed + 4, 4),
                                     payload, capacity, payload_size);
    return err == TG_ERR_BUFFER_TOO_SMALL ? TG_ERR_CORRUPT : err;
}

tg_err tg__hlog_decode(const char *text, size_t size, tg_histogram **out)
{
    *out = NULL;
    TG_ENSURE(size <= PAYLOAD_MAX, TG_ERR_CORRUPT);
    unsigned char *packed = malloc(size != 0 ? size : 1);
    unsigned char *payload = malloc(PAYLOAD_MAX);
    size_t payload_size = 0;
    tg_err err = packed != NULL && payload != NULL
                     ? unpack(text, size, packed, payload, PAYLOAD_MAX, &payload_size)
                     : TG_ERR_NO_MEMORY;
    if (err == TG_OK) {
        err = decode_plain(payload, payload_size, out);
    }
    free(packed);
    free(payload);
    return err;
}

tg_err tg__hlog_decode_into(const char *text, size_t size, unsigned char *scratch,
                            size_t scratch_size, uint64_t count_max, tg_histogram *into)
{
    const size_t packed_max = size / 4 * 3;
    tg_histogram_reset(into);
    TG_ENSURE(packed_max <= scratch_size, TG_ERR_CORRUPT);
    unsigned char *payload = scratch + packed_max;
    size_t payload_size = 0;
    plain_form plain;
    TG_TRY(unpack(text, size, scratch, payload, scratch_size - packed_max, &payload_size));
    TG_TRY(read_plain(payload, payload_size, &plain));
    const tg__histogram_shape shape = tg__histogram_shape_get(into);
    TG_ENSURE(plain.shape.lowest == shape.lowest && plain.shape.highest == shape.highest &&
                  plain.shape.significant_digits == shape.significant_digits,
              TG_ERR_HISTOGRAM_RANGE);
    const tg_err err = take_counts(plain.counts, plain.end, count_max, into);
    if (err != TG_OK) {
        tg_histogram_reset(into);
    }
    return err;
}
