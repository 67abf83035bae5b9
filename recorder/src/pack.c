#include "pack.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>
#include <tickglass/record_inline.h>

#include "bytes.h"

#define SITE_DIRECT_MAX 0xefu /* 1 … 0xef: the site itself, stamped by the recorder's clock */
#define SITE_VARINT     0xf0u
#define SITE_VARINT_NS  0xf1u
#define VARINT_MAX      10u
#define NIBBLE_BYTES    TG_RECORD_ARGUMENTS_MAX /* two nibbles for each of twelve decimals */

static inline uint64_t zigzag(uint64_t difference)
{
    return (difference << 1) ^ (uint64_t)((int64_t)difference >> 63);
}

static inline uint64_t unzigzag(uint64_t coded)
{
    return (coded >> 1) ^ (0 - (coded & 1));
}

static inline unsigned byte_length(uint64_t value)
{
    return value == 0 ? 0 : (71u - (unsigned)__builtin_clzll(value)) / 8u;
}

static inline unsigned char *put_varint(unsigned char *at, uint64_t value)
{
    while (value >= 0x80) {
        *at++ = (unsigned char)(value | 0x80);
        value >>= 7;
    }
    *at++ = (unsigned char)value;
    return at;
}

/* The end of the varint, or NULL if it does not end in the room or is over 64 bits. */
static const unsigned char *get_varint(const unsigned char *at, const unsigned char *end,
                                       uint64_t *out)
{
    uint64_t value = 0;
    for (unsigned shift = 0; at < end && shift < 64; shift += 7) {
        const unsigned char byte = *at++;
        if (shift == 63 && byte > 1) {
            return NULL;
        }
        value |= (uint64_t)(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0) {
            *out = value;
            return at;
        }
    }
    return NULL;
}

tg_err tg__pack_init(tg__pack *pack, uint32_t site_count)
{
    memset(pack, 0, sizeof *pack);
    pack->sites = calloc(site_count, sizeof *pack->sites);
    TG_ENSURE(pack->sites != NULL, TG_ERR_NO_MEMORY);
    pack->site_count = site_count;
    return TG_OK;
}

void tg__pack_deinit(tg__pack *pack)
{
    free(pack->sites);
    pack->sites = NULL;
    pack->site_count = 0;
}

void tg__pack_begin_block(tg__pack *pack)
{
    pack->block++;
    pack->stamp = 0;
    pack->stamp_ns = 0;
}

static inline tg__pack_site *site_of_block(tg__pack *pack, uint32_t id)
{
    tg__pack_site *last = &pack->sites[id];
    if (last->block != pack->block) {
        memset(last, 0, sizeof *last);
        last->block = pack->block;
    }
    return last;
}

/* Where the numbers of a record go: nibbles in front, bytes behind. */
typedef struct number_writer {
    unsigned char *nibbles;
    unsigned char *at;
    unsigned count;
} number_writer;

static inline void put_number(number_writer *writer, uint64_t value)
{
    const unsigned length = byte_length(value);
    const unsigned shift = (writer->count & 1u) * 4u;
    unsigned char *nibble = writer->nibbles + writer->count / 2;
    *nibble = (unsigned char)((shift == 0 ? 0 : *nibble) | (length << shift));
    writer->count++;
    memcpy(writer->at, &value, sizeof value); /* eight always; the next overwrites the zeros */
    writer->at += length;
}

size_t tg__pack_record(tg__pack *pack, const tg__site_info *site, const unsigned char *record,
                       unsigned char *out)
{
    const uint32_t coded_id = tg__get_u32(record + 4);
    const uint64_t stamp = tg__get_u64(record + 8);
    const bool is_ns = (coded_id & TG__SITE_STAMP_NS) != 0;
    unsigned char *at = out;
    if (!is_ns && site->id <= SITE_DIRECT_MAX) {
        *at++ = (unsigned char)site->id;
    } else {
        *at++ = is_ns ? SITE_VARINT_NS : SITE_VARINT;
        at = put_varint(at, site->id);
    }
    uint64_t *stamp_before = is_ns ? &pack->stamp_ns : &pack->stamp;
    at = put_varint(at, zigzag(stamp - *stamp_before));
    *stamp_before = stamp;

    tg__pack_site *last = site_of_block(pack, site->id);
    number_writer writer = {at, at + (site->nibble_count + 1u) / 2u, 0};
    const unsigned char *in = record + TG__RECORD_HEADER;
    bool has_bytes = false;
    for (uint8_t i = 0; i < site->argument_count; i++) {
        const uint8_t type = site->types[i];
        if (type == TG__TYPE_TEXT || type == TG__TYPE_BLOB) {
            const uint32_t size = tg__get_u32(in);
            put_number(&writer, size);
            in += 4 + (size_t)size;
            has_bytes = true;
            continue;
        }
        uint64_t word;
        if (type == TG__TYPE_I32 || type == TG__TYPE_U32) {
            const uint32_t half = tg__get_u32(in);
            word = type == TG__TYPE_U32 ? half : (uint64_t)(int64_t)(int32_t)half;
            in += 4;
        } else {
            word = tg__get_u64(in);
            in += 8;
        }
        const uint64_t before = last->words[i];
        last->words[i] = word;
        put_number(&writer, type == TG__TYPE_F64 ? word ^ before : zigzag(word - before));
        if (type == TG__TYPE_DECIMAL) {
            const int8_t exponent = (int8_t)*in++;
            put_number(&writer, zigzag((uint64_t)((int64_t)exponent - last->exponents[i])));
            last->exponents[i] = exponent;
        }
    }
    if (has_bytes) {
        in = record + TG__RECORD_HEADER;
        for (uint8_t i = 0; i < site->argument_count; i++) {
            const uint8_t type = site->types[i];
            if (type == TG__TYPE_TEXT || type == TG__TYPE_BLOB) {
                const uint32_t size = tg__get_u32(in);
                memcpy(writer.at, in + 4, size);
                writer.at += size;
                in += 4 + (size_t)size;
            } else {
                in += type <= TG__TYPE_U32 ? 4u : type == TG__TYPE_DECIMAL ? 9u : 8u;
            }
        }
    }
    return (size_t)(writer.at - out);
}

/* What a packed record's head says, before anything is believed. */
typedef struct packed_head {
    const tg__site_info *site;
    bool is_ns;
    uint64_t stamp_difference;
    const unsigned char *nibbles;
    const unsigned char *numbers;
    const unsigned char *texts;
} packed_head;

static unsigned nibble_at(const unsigned char *nibbles, unsigned index)
{
    const unsigned pair = nibbles[index / 2];
    return (pair >> ((index & 1u) * 4u)) & 0xfu;
}

static tg_err read_head(const tg__pack *pack, const tg__site_info *sites, const unsigned char *at,
                        const unsigned char *end, packed_head *out)
{
    TG_ENSURE(at < end, TG_ERR_CORRUPT);
    uint64_t id = *at++;
    out->is_ns = id == SITE_VARINT_NS;
    if (id > SITE_DIRECT_MAX) {
        TG_ENSURE(id == SITE_VARINT || id == SITE_VARINT_NS, TG_ERR_CORRUPT);
        at = get_varint(at, end, &id);
        TG_ENSURE(at != NULL, TG_ERR_CORRUPT);
    }
    TG_ENSURE(id != 0 && id < pack->site_count && sites[id].id == id, TG_ERR_CORRUPT);
    out->site = &sites[id];
    at = get_varint(at, end, &out->stamp_difference);
    TG_ENSURE(at != NULL, TG_ERR_CORRUPT);
    const size_t nibble_bytes = (out->site->nibble_count + 1u) / 2u;
    TG_ENSURE((size_t)(end - at) >= nibble_bytes, TG_ERR_CORRUPT);
    out->nibbles = at;
    out->numbers = at + nibble_bytes;
    size_t numbers_size = 0;
    unsigned too_long = 0;
    for (size_t i = 0; i < nibble_bytes; i++) {
        const unsigned low = at[i] & 0xfu;
        const unsigned high = (unsigned)at[i] >> 4;
        numbers_size += low + high;
        too_long |= (low > 8) | (high > 8);
    }
    const bool odd = out->site->nibble_count % 2 != 0;
    TG_ENSURE(too_long == 0 && !(odd && at[nibble_bytes - 1] > 0xf), TG_ERR_CORRUPT);
    TG_ENSURE((size_t)(end - out->numbers) >= numbers_size, TG_ERR_CORRUPT);
    out->texts = out->numbers + numbers_size;
    return TG_OK;
}

/* A number of 0 to 8 bytes; read as eight where there are as many, for a copy of a length that is
 * not known beforehand costs more than all else here. */
static const uint64_t length_masks[] = {0,
                                        UINT64_C(0xff),
                                        UINT64_C(0xffff),
                                        UINT64_C(0xffffff),
                                        UINT64_C(0xffffffff),
                                        UINT64_C(0xffffffffff),
                                        UINT64_C(0xffffffffffff),
                                        UINT64_C(0xffffffffffffff),
                                        UINT64_MAX};

static inline uint64_t load_number(const unsigned char *at, unsigned length,
                                   const unsigned char *end)
{
    uint64_t value = 0;
    if (end - at >= 8) {
        memcpy(&value, at, sizeof value);
        return value & length_masks[length];
    }
    memcpy(&value, at, length);
    return value;
}

static uint64_t get_number(packed_head *head, unsigned *index, const unsigned char *end)
{
    const unsigned length = nibble_at(head->nibbles, (*index)++);
    const uint64_t value = load_number(head->numbers, length, end);
    head->numbers += length;
    return value;
}

/* The arguments into out; last is the site's state and only changed by the caller. */
static tg_err read_arguments(packed_head *head, tg__pack_site *last, const unsigned char *end,
                             unsigned char *out, size_t capacity, size_t *size)
{
    unsigned index = 0;
    size_t at = 0;
    for (uint8_t i = 0; i < head->site->argument_count; i++) {
        const uint8_t type = head->site->types[i];
        const uint64_t coded = get_number(head, &index, end);
        TG_ENSURE(capacity - at >= 9, TG_ERR_CORRUPT);
        if (type == TG__TYPE_TEXT || type == TG__TYPE_BLOB) {
            TG_ENSURE(coded <= TG_RECORD_BYTES_MAX && (size_t)(end - head->texts) >= coded &&
                          capacity - at >= 4 + coded,
                      TG_ERR_CORRUPT);
            tg__put_u32(out + at, (uint32_t)coded);
            memcpy(out + at + 4, head->texts, (size_t)coded);
            head->texts += coded;
            at += 4 + (size_t)coded;
            continue;
        }
        const uint64_t word =
            type == TG__TYPE_F64 ? coded ^ last->words[i] : last->words[i] + unzigzag(coded);
        last->words[i] = word;
        if (type == TG__TYPE_I32 || type == TG__TYPE_U32) {
            const uint64_t whole =
                type == TG__TYPE_U32 ? (uint32_t)word : (uint64_t)(int64_t)(int32_t)(uint32_t)word;
            TG_ENSURE(whole == word, TG_ERR_CORRUPT);
            tg__put_u32(out + at, (uint32_t)word);
            at += 4;
            continue;
        }
        tg__put_u64(out + at, word);
        at += 8;
        if (type == TG__TYPE_DECIMAL) {
            const int64_t exponent =
                last->exponents[i] + (int64_t)unzigzag(get_number(head, &index, end) & 0xffff);
            TG_ENSURE(exponent >= INT8_MIN && exponent <= INT8_MAX, TG_ERR_CORRUPT);
            last->exponents[i] = (int8_t)exponent;
            out[at++] = (unsigned char)(int8_t)exponent;
        }
    }
    *size = at;
    return TG_OK;
}

/* Bytes of texts and blobs behind the numbers. */
static uint64_t texts_size(const packed_head *head)
{
    uint64_t size = 0;
    unsigned nibble = 0;
    const unsigned char *at = head->numbers;
    for (uint8_t i = 0; i < head->site->argument_count; i++) {
        const uint8_t type = head->site->types[i];
        const unsigned length = nibble_at(head->nibbles, nibble++);
        if (type == TG__TYPE_TEXT || type == TG__TYPE_BLOB) {
            uint64_t one = 0;
            memcpy(&one, at, length);
            /* Each held to 32 bits, so that twelve cannot wrap. */
            size += one < UINT32_MAX ? one : UINT32_MAX;
        }
        at += length;
        if (type == TG__TYPE_DECIMAL) {
            at += nibble_at(head->nibbles, nibble++);
        }
    }
    return size;
}

/* Where the number of an argument stands. */
static const unsigned char *find_number(const packed_head *head, uint8_t index, unsigned *length)
{
    const unsigned char *at = head->numbers;
    unsigned nibble = 0;
    for (uint8_t i = 0; i < index; i++) {
        at += nibble_at(head->nibbles, nibble++);
        if (head->site->types[i] == TG__TYPE_DECIMAL) {
            at += nibble_at(head->nibbles, nibble++);
        }
    }
    *length = nibble_at(head->nibbles, nibble);
    return at;
}

/* A sum over packed nibbles, and where one of a site's numbers lies among them. */
typedef struct nibble_plan {
    unsigned bytes;    /* that the nibbles occupy */
    uint64_t before;   /* mask of the nibbles before the wanted one */
    unsigned shift;    /* to the wanted one */
    uint64_t not_used; /* mask of the bits beyond the last nibble: they are 0 */
} nibble_plan;

#define LOW_NIBBLES  UINT64_C(0x0f0f0f0f0f0f0f0f)
#define NIBBLE_EIGHT UINT64_C(0x8888888888888888)
#define NIBBLE_SEVEN UINT64_C(0x7777777777777777)
#define BYTE_TOPS    UINT64_C(0x8080808080808080)
#define BYTE_ONES    UINT64_C(0x0101010101010101)

/* Room of one record without texts, of at most sixteen numbers and a site of one byte, and of what
 * loads of eight bytes read beyond it. */
#define QUICK_ROOM (1u + VARINT_MAX + 8u + 16u * 8u + 8u)

static uint64_t low_bits(unsigned count)
{
    return count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}

static nibble_plan plan_nibbles(const tg__skim *wanted)
{
    unsigned before = wanted->index;
    for (uint8_t i = 0; i < wanted->index; i++) {
        before += wanted->site->types[i] == TG__TYPE_DECIMAL;
    }
    const unsigned bytes = (wanted->site->nibble_count + 1u) / 2u;
    const nibble_plan plan = {bytes, low_bits(4 * before), 4 * before,
                              low_bits(8 * bytes) & ~low_bits(4u * wanted->site->nibble_count)};
    return plan;
}

/* Every nibble at most 8. */
static inline uint64_t sum_nibbles(uint64_t nibbles)
{
    return (((nibbles & LOW_NIBBLES) + ((nibbles >> 4) & LOW_NIBBLES)) * BYTE_ONES) >> 56;
}

static inline uint64_t load_eight(const unsigned char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

/* The numbers of a row of records of the wanted site, each without a branch that depends on its
 * bytes: what a record costs is the way from its first byte to the next one's. Ends at whatever is
 * not the usual, which the caller looks at. */
static size_t skim_quickly(const tg__skim *wanted, const nibble_plan *plan, tg__packed *in,
                           uint64_t *before, uint64_t *words, size_t capacity)
{
    if ((size_t)(in->end - in->at) < QUICK_ROOM) {
        return 0;
    }
    const unsigned char *at = in->at;
    const bool is_f64 = wanted->site->types[wanted->index] == TG__TYPE_F64;
    const unsigned site = wanted->site->id;
    const uint64_t used = low_bits(8 * plan->bytes);
    const uint64_t not_used = plan->not_used;
    const uint64_t before_mask = plan->before;
    const unsigned shift = plan->shift;
    const unsigned nibble_bytes = plan->bytes;
    const unsigned char *last = in->end - QUICK_ROOM;
    uint64_t value = *before;
    size_t count = 0;
    while (count < capacity && at <= last && *at == site) {
        const uint64_t stamp_ends = ~load_eight(at + 1) & BYTE_TOPS;
        if (stamp_ends == 0) {
            break;
        }
        const unsigned stamp_bits = (unsigned)__builtin_ctzll(stamp_ends) + 1u;
        /* Shifting what is loaded is shorter than loading from behind the stamp. */
        const uint64_t loaded = load_eight(at + 1);
        const bool is_short = stamp_bits + 8 * nibble_bytes <= 64;
        const uint64_t nibbles =
            (is_short ? loaded >> (stamp_bits & 63u) : load_eight(at + 1 + stamp_bits / 8)) & used;
        const uint64_t over_eight =
            nibbles & ((nibbles & NIBBLE_SEVEN) + NIBBLE_SEVEN) & NIBBLE_EIGHT;
        if ((over_eight | (nibbles & not_used)) != 0) {
            break;
        }
        const unsigned char *numbers = at + 1 + stamp_bits / 8 + nibble_bytes;
        const unsigned length = (unsigned)(nibbles >> shift) & 0xfu;
        const uint64_t coded =
            load_eight(numbers + sum_nibbles(nibbles & before_mask)) & length_masks[length];
        value = is_f64 ? value ^ coded : value + unzigzag(coded);
        words[count++] = value;
        at = numbers + sum_nibbles(nibbles);
    }
    *before = value;
    in->at = at;
    return count;
}

/* One record, whatever it is. */
static tg_err skim_one(tg__pack *pack, const tg__site_info *sites, tg__packed *in,
                       const tg__skim *wanted, uint64_t *words, size_t *count)
{
    packed_head head;
    TG_TRY(read_head(pack, sites, in->at, in->end, &head));
    const uint64_t behind = head.site->has_bytes ? texts_size(&head) : 0;
    TG_ENSURE((size_t)(in->end - head.texts) >= behind, TG_ERR_CORRUPT);
    if (head.site == wanted->site) {
        tg__pack_site *last = site_of_block(pack, head.site->id);
        uint64_t *before = &last->words[wanted->index];
        unsigned length = 0;
        const unsigned char *at = find_number(&head, wanted->index, &length);
        const uint64_t coded = load_number(at, length, in->end);
        *before = head.site->types[wanted->index] == TG__TYPE_F64 ? coded ^ *before
                                                                  : *before + unzigzag(coded);
        words[(*count)++] = *before;
    }
    in->at = head.texts + behind;
    return TG_OK;
}

tg_err tg__skim_records(tg__pack *pack, const tg__site_info *sites, tg__packed *in,
                        const tg__skim *wanted, uint64_t *words, size_t capacity, size_t *count)
{
    const bool is_quick = !wanted->site->has_bytes && wanted->site->id <= SITE_DIRECT_MAX &&
                          wanted->site->nibble_count <= 16;
    const nibble_plan plan = is_quick ? plan_nibbles(wanted) : (nibble_plan){0, 0, 0, 0};
    *count = 0;
    while (*count < capacity && in->at < in->end) {
        if (is_quick) {
            tg__pack_site *last = site_of_block(pack, wanted->site->id);
            *count += skim_quickly(wanted, &plan, in, &last->words[wanted->index], words + *count,
                                   capacity - *count);
            if (*count == capacity || in->at == in->end) {
                break;
            }
        }
        TG_TRY(skim_one(pack, sites, in, wanted, words, count));
    }
    return TG_OK;
}

tg_err tg__unpack_record(tg__pack *pack, const tg__site_info *sites, tg__packed *in,
                         unsigned char *out, size_t capacity)
{
    packed_head head;
    TG_TRY(read_head(pack, sites, in->at, in->end, &head));
    tg__pack_site *kept = &pack->sites[head.site->id];
    tg__pack_site last = *kept;
    if (last.block != pack->block) {
        memset(&last, 0, sizeof last);
        last.block = pack->block;
    }
    TG_ENSURE(capacity >= TG__RECORD_HEADER + 8u, TG_ERR_CORRUPT);
    size_t size = 0;
    TG_TRY(read_arguments(&head, &last, in->end, out + TG__RECORD_HEADER,
                          capacity - TG__RECORD_HEADER - 8u, &size));
    uint64_t *stamp = head.is_ns ? &pack->stamp_ns : &pack->stamp;
    *stamp += unzigzag(head.stamp_difference);
    *kept = last;
    const size_t exact = TG__RECORD_HEADER + size;
    const size_t padded = (exact + 7u) & ~(size_t)7u;
    memset(out + exact, 0, padded - exact);
    tg__put_u32(out, (uint32_t)padded);
    tg__put_u32(out + 4, head.site->id | (head.is_ns ? TG__SITE_STAMP_NS : 0));
    tg__put_u64(out + 8, *stamp);
    in->at = head.texts;
    return TG_OK;
}
