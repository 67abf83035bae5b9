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
    return ((63u ^ (unsigned)__builtin_clzll(value | 1)) >> 3) + (value != 0);
}

static inline unsigned char *put_varint(unsigned char *at, uint64_t value)
{
    if (value < UINT64_C(1) << 14) {
        /* Whether it takes one byte or two cannot be foreseen of a stamp's difference: no branch.
         */
        const unsigned two = value >> 7 != 0;
        tg__put_u16(at, (uint16_t)((value & 0x7f) | (value >> 7) << 8 | two << 7));
        return at + 1 + two;
    }
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
    pack->stride = 1;
    return TG_OK;
}

void tg__pack_init_among(tg__pack *pack, tg__pack_site *sites, uint32_t site_count, uint32_t stride)
{
    memset(pack, 0, sizeof *pack);
    pack->sites = sites;
    pack->site_count = site_count;
    pack->stride = stride;
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
    tg__pack_site *last = &pack->sites[(size_t)id * pack->stride];
    if (last->block != pack->block) {
        memset(last, 0, sizeof *last);
        last->block = pack->block;
    }
    return last;
}

/* Where the numbers of a record go: their lengths in front, bytes behind. */
typedef struct number_writer {
    unsigned char *nibbles;
    unsigned char *at;
    uint64_t lengths; /* those that are not written yet */
    unsigned shift;   /* bits of them */
} number_writer;

static inline void put_number(number_writer *writer, uint64_t value)
{
    if (writer->shift == 64) {
        tg__put_u64(writer->nibbles, writer->lengths);
        writer->nibbles += 8;
        writer->lengths = 0;
        writer->shift = 0;
    }
    const unsigned length = byte_length(value);
    writer->lengths |= (uint64_t)length << writer->shift;
    writer->shift += 4;
    tg__put_u64(writer->at, value); /* eight always; the next overwrites the zeros */
    writer->at += length;
}

/* The lengths that are left. */
static inline void end_numbers(number_writer *writer)
{
    for (unsigned bits = 0; bits < writer->shift; bits += 8) {
        *writer->nibbles++ = (unsigned char)(writer->lengths >> bits);
    }
}

static unsigned char *put_texts(unsigned char *at, const tg__site_info *site,
                                const unsigned char *in)
{
    for (uint8_t i = 0; i < site->argument_count; i++) {
        const uint8_t type = site->types[i];
        if (type == TG__TYPE_TEXT || type == TG__TYPE_BLOB) {
            const uint32_t size = tg__get_u32(in);
            memcpy(at, in + 4, size);
            at += size;
            in += 4 + (size_t)size;
        } else {
            in += type <= TG__TYPE_U32 ? 4u : type == TG__TYPE_DECIMAL ? 9u : 8u;
        }
    }
    return at;
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
    number_writer writer = {at, at + (site->nibble_count + 1u) / 2u, 0, 0};
    const unsigned char *in = record + TG__RECORD_HEADER;
    const uint8_t *types = site->types;
    const unsigned count = site->argument_count;
    for (unsigned i = 0; i < count; i++) {
        const uint8_t type = types[i];
        uint64_t word;
        if (type == TG__TYPE_I64 || type == TG__TYPE_U64) {
            word = tg__get_u64(in);
            in += 8;
        } else if (type == TG__TYPE_U32) {
            word = tg__get_u32(in);
            in += 4;
        } else if (type == TG__TYPE_I32) {
            word = (uint64_t)(int64_t)(int32_t)tg__get_u32(in);
            in += 4;
        } else if (type == TG__TYPE_TEXT || type == TG__TYPE_BLOB) {
            const uint32_t size = tg__get_u32(in);
            put_number(&writer, size);
            in += 4 + (size_t)size;
            continue;
        } else {
            word = tg__get_u64(in);
            in += 8;
            if (type == TG__TYPE_F64) {
                put_number(&writer, word ^ last->words[i]);
                last->words[i] = word;
                continue;
            }
        }
        put_number(&writer, zigzag(word - last->words[i]));
        last->words[i] = word;
        if (type == TG__TYPE_DECIMAL) {
            const int8_t exponent = (int8_t)*in++;
            put_number(&writer, zigzag((uint64_t)((int64_t)exponent - last->exponents[i])));
            last->exponents[i] = exponent;
        }
    }
    end_numbers(&writer);
    at = site->has_bytes ? put_texts(writer.at, site, record + TG__RECORD_HEADER) : writer.at;
    return (size_t)(at - out);
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

/* The arguments into out. They become the site's latest in a second step, when all are good. */
static tg_err read_arguments(packed_head *head, const tg__pack_site *last, tg__pack_site *next,
                             const unsigned char *end, unsigned char *out, size_t capacity,
                             size_t *size)
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
            next->words[i] = 0;
            continue;
        }
        const uint64_t word =
            type == TG__TYPE_F64 ? coded ^ last->words[i] : last->words[i] + unzigzag(coded);
        next->words[i] = word;
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
            next->exponents[i] = (int8_t)exponent;
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

/* What is the same for all records that are skimmed quickly. */
typedef struct quick_plan {
    unsigned site;
    bool is_f64;
    unsigned nibble_bytes;
    unsigned head_bits_most; /* of site and stamp, for the nibbles to be in the first eight bytes */
    unsigned shift;          /* to the nibble of the wanted number */
    uint64_t used;           /* mask of the bytes that the nibbles occupy */
    uint64_t not_used;       /* mask of the bits of these beyond the last nibble: they are 0 */
    uint64_t before;         /* mask of the nibbles before the wanted one */
    tg__skim_shape *shapes;
} quick_plan;

/* A row of records of which it is being taken. */
typedef struct quick_run {
    const unsigned char *at;
    const unsigned char *last; /* no record that begins later is read quickly */
    uint64_t value;            /* of the record before */
    uint64_t *out;
    size_t room;
} quick_run;

#define LOW_NIBBLES  UINT64_C(0x0f0f0f0f0f0f0f0f)
#define NIBBLE_EIGHT UINT64_C(0x8888888888888888)
#define NIBBLE_SEVEN UINT64_C(0x7777777777777777)
#define STAMP_TOPS   UINT64_C(0x8080808080808000) /* behind the byte of the site */
#define BYTE_ONES    UINT64_C(0x0101010101010101)
#define SHAPE_FACTOR UINT64_C(0x9e3779b97f4a7c15) /* 2^64 / golden ratio: spreads what is alike */
#define SHAPE_SHIFT  58u                          /* to one of 64 places */

/* Room of one record without texts, of at most sixteen numbers and a site of one byte, and of what
 * loads of eight bytes read beyond it. */
#define QUICK_ROOM (1u + VARINT_MAX + 8u + 16u * 8u + 8u)

static uint64_t low_bits(unsigned count)
{
    return count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}

static bool is_quick(const tg__skim *wanted)
{
    return !wanted->site->has_bytes && wanted->site->id <= SITE_DIRECT_MAX &&
           wanted->site->nibble_count <= 16;
}

static quick_plan plan_quickly(const tg__skim *wanted, tg__skim_shapes *shapes)
{
    unsigned before = wanted->index;
    for (uint8_t i = 0; i < wanted->index; i++) {
        before += wanted->site->types[i] == TG__TYPE_DECIMAL;
    }
    const unsigned bytes = (wanted->site->nibble_count + 1u) / 2u;
    const quick_plan plan = {.site = wanted->site->id,
                             .is_f64 = wanted->site->types[wanted->index] == TG__TYPE_F64,
                             .nibble_bytes = bytes,
                             .head_bits_most = 64 - 8 * bytes,
                             .shift = 4 * before,
                             .used = low_bits(8 * bytes),
                             .not_used =
                                 low_bits(8 * bytes) & ~low_bits(4u * wanted->site->nibble_count),
                             .before = low_bits(4 * before),
                             .shapes = shapes->places};
    return plan;
}

/* Every nibble at most 8. */
static uint8_t sum_nibbles(uint64_t nibbles)
{
    return (uint8_t)((((nibbles & LOW_NIBBLES) + ((nibbles >> 4) & LOW_NIBBLES)) * BYTE_ONES) >>
                     56);
}

/* False: no record has these. Takes what it needs by value, so that the plan can be in registers.
 */
static bool learn_shape(uint64_t nibbles, uint64_t not_used, uint64_t before, unsigned shift,
                        tg__skim_shape *shape)
{
    const uint64_t over_eight = nibbles & ((nibbles & NIBBLE_SEVEN) + NIBBLE_SEVEN) & NIBBLE_EIGHT;
    if ((over_eight | (nibbles & not_used)) != 0) {
        return false;
    }
    shape->nibbles = nibbles;
    shape->mask = length_masks[(nibbles >> shift) & 0xfu];
    shape->wanted_at = sum_nibbles(nibbles & before);
    shape->end_at = sum_nibbles(nibbles);
    return true;
}

static inline uint64_t load_eight(const unsigned char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

/* The number of one record of the wanted site, without a branch that depends on its bytes unless
 * they are such as were not met lately: what a record costs is the way from its first byte to the
 * next one's. The run has room. False, and nothing is changed: it is not the usual, and the caller
 * looks at it. */
TG__INLINE bool take_quickly(const quick_plan *plan, bool is_f64, quick_run *run)
{
    const unsigned char *at = run->at;
    if (at > run->last) {
        return false;
    }
    const uint64_t head = load_eight(at);
    const uint64_t stamp_ends = ~head & STAMP_TOPS;
    if ((head & 0xff) != plan->site || stamp_ends == 0) {
        return false;
    }
    const unsigned head_bits = (unsigned)__builtin_ctzll(stamp_ends) + 1u;
    /* Shifting what is loaded is shorter than loading from behind the stamp. */
    const uint64_t nibbles = (head_bits <= plan->head_bits_most ? head >> (head_bits & 63u)
                                                                : load_eight(at + head_bits / 8)) &
                             plan->used;
    /* A place that was never used says 0, which belongs to the first one and means no bytes. */
    tg__skim_shape *shape = &plan->shapes[(nibbles * SHAPE_FACTOR) >> SHAPE_SHIFT];
    if (shape->nibbles != nibbles &&
        !learn_shape(nibbles, plan->not_used, plan->before, plan->shift, shape)) {
        return false;
    }
    const unsigned char *numbers = at + plan->nibble_bytes + head_bits / 8;
    const uint64_t coded = load_eight(numbers + shape->wanted_at) & shape->mask;
    run->value = is_f64 ? run->value ^ coded : run->value + unzigzag(coded);
    *run->out++ = run->value;
    run->at = numbers + shape->end_at;
    return true;
}

static quick_run begin_run(const tg__skim *wanted, const tg__skim_lane *lane)
{
    const bool has_room = (size_t)(lane->in.end - lane->in.at) >= QUICK_ROOM;
    const quick_run run = {.at = lane->in.at,
                           .last = has_room ? lane->in.end - QUICK_ROOM : lane->in.at,
                           .value =
                               site_of_block(lane->pack, wanted->site->id)->words[wanted->index],
                           .out = lane->words + lane->count,
                           .room = has_room ? lane->capacity - lane->count : 0};
    return run;
}

static void end_run(const tg__skim *wanted, tg__skim_lane *lane, const quick_run *run)
{
    lane->in.at = run->at;
    lane->count = (size_t)(run->out - lane->words);
    site_of_block(lane->pack, wanted->site->id)->words[wanted->index] = run->value;
}

/* One record, whatever it is. */
tg_err tg__skim_one(const tg__site_info *sites, const tg__skim *wanted, tg__skim_lane *lane)
{
    if (lane->count == lane->capacity || lane->in.at == lane->in.end) {
        return TG_OK;
    }
    packed_head head;
    TG_TRY(read_head(lane->pack, sites, lane->in.at, lane->in.end, &head));
    const uint64_t behind = head.site->has_bytes ? texts_size(&head) : 0;
    TG_ENSURE((size_t)(lane->in.end - head.texts) >= behind, TG_ERR_CORRUPT);
    if (head.site == wanted->site) {
        tg__pack_site *last = site_of_block(lane->pack, head.site->id);
        uint64_t *before = &last->words[wanted->index];
        unsigned length = 0;
        const unsigned char *at = find_number(&head, wanted->index, &length);
        const uint64_t coded = load_number(at, length, lane->in.end);
        *before = head.site->types[wanted->index] == TG__TYPE_F64 ? coded ^ *before
                                                                  : *before + unzigzag(coded);
        lane->words[lane->count++] = *before;
    }
    lane->in.at = head.texts + behind;
    return TG_OK;
}

/* One record of each run in turn: the way through one block does not wait for that through another.
 * Inline, as what it calls, for each of two constants: called, it takes a sixth longer. */
TG__INLINE void take_rounds(const quick_plan *plan, bool is_f64, quick_run *runs, size_t rounds)
{
    quick_run a = runs[0];
    quick_run b = runs[1];
    quick_run c = runs[2];
    quick_run d = runs[3];
    while (rounds > 0 && take_quickly(plan, is_f64, &a) && take_quickly(plan, is_f64, &b) &&
           take_quickly(plan, is_f64, &c) && take_quickly(plan, is_f64, &d)) {
        rounds--;
    }
    runs[0] = a;
    runs[1] = b;
    runs[2] = c;
    runs[3] = d;
}

void tg__skim_row(const tg__skim *wanted, tg__skim_lane *const lanes[TG__SKIM_LANES])
{
    if (!is_quick(wanted)) {
        return;
    }
    const quick_plan plan = plan_quickly(wanted, lanes[0]->shapes);
    quick_run runs[TG__SKIM_LANES];
    size_t rounds = SIZE_MAX;
    for (unsigned i = 0; i < TG__SKIM_LANES; i++) {
        runs[i] = begin_run(wanted, lanes[i]);
        rounds = runs[i].room < rounds ? runs[i].room : rounds;
    }
    if (plan.is_f64) {
        take_rounds(&plan, true, runs, rounds);
    } else {
        take_rounds(&plan, false, runs, rounds);
    }
    for (unsigned i = 0; i < TG__SKIM_LANES; i++) {
        end_run(wanted, lanes[i], &runs[i]);
    }
}

tg_err tg__skim_on(const tg__site_info *sites, const tg__skim *wanted, tg__skim_lane *lane)
{
    const bool quick = is_quick(wanted);
    while (lane->count < lane->capacity && lane->in.at < lane->in.end) {
        if (quick) {
            const quick_plan plan = plan_quickly(wanted, lane->shapes);
            quick_run run = begin_run(wanted, lane);
            for (size_t left = run.room; left > 0 && take_quickly(&plan, plan.is_f64, &run);
                 left--) {
            }
            end_run(wanted, lane, &run);
        }
        TG_TRY(tg__skim_one(sites, wanted, lane));
    }
    return TG_OK;
}

/* What the site's next record is a difference to. Only as much as the site has is touched: while
 * thousands of streams are read in turn, none of it is in the cache. */
static void remember(tg__pack_site *kept, const tg__pack_site *next, const tg__site_info *site,
                     uint64_t block)
{
    for (uint8_t i = 0; i < site->argument_count; i++) {
        kept->words[i] = next->words[i];
        if (site->types[i] == TG__TYPE_DECIMAL) {
            kept->exponents[i] = next->exponents[i];
        }
    }
    kept->block = block;
}

tg_err tg__unpack_record(tg__pack *pack, const tg__site_info *sites, tg__packed *in,
                         unsigned char *out, size_t capacity)
{
    static const tg__pack_site nothing = {.block = 0};
    packed_head head;
    TG_TRY(read_head(pack, sites, in->at, in->end, &head));
    TG_ENSURE(capacity >= TG__RECORD_HEADER + 8u, TG_ERR_CORRUPT);
    tg__pack_site *kept = &pack->sites[(size_t)head.site->id * pack->stride];
    tg__pack_site next;
    size_t size = 0;
    TG_TRY(read_arguments(&head, kept->block == pack->block ? kept : &nothing, &next, in->end,
                          out + TG__RECORD_HEADER, capacity - TG__RECORD_HEADER - 8u, &size));
    remember(kept, &next, head.site, pack->block);
    uint64_t *stamp = head.is_ns ? &pack->stamp_ns : &pack->stamp;
    *stamp += unzigzag(head.stamp_difference);
    const size_t exact = TG__RECORD_HEADER + size;
    const size_t padded = (exact + 7u) & ~(size_t)7u;
    memset(out + exact, 0, padded - exact);
    tg__put_u32(out, (uint32_t)padded);
    tg__put_u32(out + 4, head.site->id | (head.is_ns ? TG__SITE_STAMP_NS : 0));
    tg__put_u64(out + 8, *stamp);
    in->at = head.texts;
    return TG_OK;
}
