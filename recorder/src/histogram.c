/*
 * The bucket layout is that of G. Tene's HdrHistogram (hdrhistogram.org): buckets double in width,
 * each has the same number of sub-buckets, so that the relative error is bounded by the digits.
 *
 * Unlike there, a counter has 16 bits. When one is full it goes back to 0 and its carry is added to
 * a small open-addressing table, so that the counters of 1 µs to 60 s at three digits take 36 KiB
 * instead of 147 and stay in the first two cache levels.
 *
 * One thread writes. Every other may read: each field is an atomic that only that thread stores to.
 * A carry changes two places; `carry_seq` is odd while it does, readers of a pair try again.
 */
#include <tickglass/histogram.h>

#include <float.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

#include "histogram_slots.h"

#define CACHE_LINE          64u
#define LOWEST_DEFAULT      1000
#define HIGHEST_DEFAULT     INT64_C(60000000000)
#define DIGITS_DEFAULT      3
#define DIGITS_MAX          4
#define SLOTS_PER_CARRY     13u /* 18,432 slots x 2 + 1,417 carries x 8 bytes is under 48 KiB */
#define CARRIES_MIN         64u
#define CARRY_COUNT_BITS    40
#define CARRY_COUNT_MASK    ((UINT64_C(1) << CARRY_COUNT_BITS) - 1)
#define COUNTER_FULL        UINT16_MAX
#define COUNTER_CARRY_VALUE (UINT64_C(1) << 16)

#define RARE __attribute__((cold, noinline))

struct tg_histogram {
    /* Set by open, then read only. */
    uint64_t highest;
    uint64_t sub_bucket_mask; /* in units shifted to values */
    int unit_bits;
    int top_of_first; /* highest bit of the first bucket's values */
    int kept_bits;    /* bits of a value that a slot's number keeps, less one */
    int half_bits;
    uint32_t slot_count;
    uint32_t carry_count;
    int significant_digits;
    int64_t lowest;
    _Atomic uint64_t *carries; /* (slot + 1) << 40 | times 65,536; 0: free */

    /* Stored by the recording thread only; these share a line with it on purpose. */
    _Alignas(CACHE_LINE) uint64_t seen_from; /* own: values from here … */
    uint64_t seen_width;                     /* … and fewer than so many above need no check */
    _Atomic int64_t min;
    _Atomic int64_t max;
    _Atomic uint64_t negative;
    _Atomic uint64_t over;
    _Atomic uint64_t saturated;
    _Atomic uint64_t carry_seq;

    _Alignas(CACHE_LINE) _Atomic uint16_t counters[];
};

static int bit_length(uint64_t value)
{
    return value == 0 ? 0 : 64 - __builtin_clzll(value);
}

static bool has_nonzero(const uint8_t *bytes, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        if (bytes[i] != 0) {
            return true;
        }
    }
    return false;
}

static tg_err resolve_options(const tg_histogram_options *opt, tg_histogram_options *out)
{
    tg_histogram_options_init(out);
    if (opt != NULL) {
        TG_ENSURE(opt->struct_size >= sizeof opt->struct_size, TG_ERR_INVALID_ARGUMENT);
        const size_t known = sizeof *out;
        if (opt->struct_size > known) {
            TG_ENSURE(!has_nonzero((const uint8_t *)opt, known, opt->struct_size),
                      TG_ERR_UNSUPPORTED);
        }
        memcpy(out, opt, opt->struct_size < known ? opt->struct_size : known);
    }
    out->lowest = out->lowest == 0 ? LOWEST_DEFAULT : out->lowest;
    out->highest = out->highest == 0 ? HIGHEST_DEFAULT : out->highest;
    out->significant_digits =
        out->significant_digits == 0 ? DIGITS_DEFAULT : out->significant_digits;
    TG_ENSURE(out->lowest >= 1 && out->highest / 2 >= out->lowest, TG_ERR_HISTOGRAM_RANGE);
    TG_ENSURE(out->significant_digits >= 1 && out->significant_digits <= DIGITS_MAX,
              TG_ERR_HISTOGRAM_RANGE);
    return TG_OK;
}

void tg_histogram_options_init(tg_histogram_options *opt)
{
    memset(opt, 0, sizeof *opt);
    opt->struct_size = sizeof *opt;
}

tg_err tg_histogram_open(const tg_histogram_options *opt, tg_histogram **out)
{
    TG_ENSURE(out != NULL, TG_ERR_INVALID_ARGUMENT);
    *out = NULL;
    tg_histogram_options resolved;
    TG_TRY(resolve_options(opt, &resolved));

    uint64_t single_unit_values = 2; /* told apart to one unit: 2 x 10^digits of them */
    for (int i = 0; i < resolved.significant_digits; i++) {
        single_unit_values *= 10;
    }
    const int unit_bits = bit_length((uint64_t)resolved.lowest) - 1;
    const int sub_bits = bit_length(single_unit_values - 1);
    TG_ENSURE(unit_bits + sub_bits <= 62, TG_ERR_HISTOGRAM_RANGE);
    const int half_bits = sub_bits - 1;
    const int top_bits = bit_length((uint64_t)resolved.highest);
    const int bucket_shift = unit_bits + sub_bits;
    const uint32_t bucket_count =
        top_bits > bucket_shift ? (uint32_t)(top_bits - bucket_shift) + 1 : 1;
    const uint32_t slot_count = (bucket_count + 1) << half_bits;
    const uint32_t carry_count =
        slot_count / SLOTS_PER_CARRY > CARRIES_MIN ? slot_count / SLOTS_PER_CARRY : CARRIES_MIN;

    /* The carries stand behind the counters; slot_count is even, so round up to 8 bytes. */
    const size_t counters_size = ((size_t)slot_count * sizeof(uint16_t) + 7u) & ~(size_t)7u;
    size_t size =
        offsetof(tg_histogram, counters) + counters_size + (size_t)carry_count * sizeof(uint64_t);
    size = (size + CACHE_LINE - 1) & ~(size_t)(CACHE_LINE - 1);
    tg_histogram *made = aligned_alloc(CACHE_LINE, size);
    TG_ENSURE(made != NULL, TG_ERR_NO_MEMORY);
    memset(made, 0, size);
    made->highest = (uint64_t)resolved.highest;
    made->lowest = resolved.lowest;
    made->significant_digits = resolved.significant_digits;
    made->unit_bits = unit_bits;
    made->half_bits = half_bits;
    made->top_of_first = bucket_shift - 1;
    made->kept_bits = sub_bits - 1;
    made->sub_bucket_mask = ((UINT64_C(1) << sub_bits) - 1) << unit_bits;
    made->slot_count = slot_count;
    made->carry_count = carry_count;
    unsigned char *behind = (unsigned char *)made->counters + counters_size;
    made->carries = (_Atomic uint64_t *)(void *)behind;
    tg_histogram_reset(made);
    *out = made;
    return TG_OK;
}

void tg_histogram_close(tg_histogram *histogram)
{
    free(histogram);
}

size_t tg_histogram_size(const tg_histogram *histogram)
{
    const uintptr_t begin = (uintptr_t)histogram;
    const uintptr_t end = (uintptr_t)(histogram->carries + histogram->carry_count);
    return (size_t)(end - begin + CACHE_LINE - 1) & ~(size_t)(CACHE_LINE - 1);
}

static inline uint32_t slot_of(const tg_histogram *histogram, uint64_t value)
{
    /* 63 ^ clz is the number of the highest bit, one instruction on x86. */
    const int top = 63 ^ __builtin_clzll(value | histogram->sub_bucket_mask);
    const int bucket = top - histogram->top_of_first;
    const uint32_t sub_bucket = (uint32_t)(value >> (top - histogram->kept_bits));
    return ((uint32_t)bucket << histogram->half_bits) + sub_bucket;
}

/* So many values share the counter. */
static inline uint64_t slot_width(const tg_histogram *histogram, uint32_t slot)
{
    const uint32_t half = UINT32_C(1) << histogram->half_bits;
    const uint32_t bucket = slot < 2 * half ? 0 : (slot >> histogram->half_bits) - 1;
    return UINT64_C(1) << (bucket + (uint32_t)histogram->unit_bits);
}

/* Only the recording thread stores, so a plain read-modify-write loses nothing. Release pairs with
 * the acquire loads of readers: who sees a count sees the minimum and maximum stored before it. */
static inline void bump(_Atomic uint64_t *counter, uint64_t by)
{
    const uint64_t now = atomic_load_explicit(counter, memory_order_relaxed);
    atomic_store_explicit(counter, now + by, memory_order_release);
}

/* Where slot's carry is or would go; carry_count if the table is full of others. */
static uint32_t find_carry(const tg_histogram *histogram, uint32_t slot)
{
    const uint32_t count = histogram->carry_count;
    const uint32_t hash = slot * UINT32_C(0x9e3779b1); /* 2^32 / golden ratio: spreads neighbours */
    uint32_t at = (uint32_t)(((uint64_t)hash * count) >> 32);
    for (uint32_t step = 0; step < count; step++) {
        const uint64_t entry = atomic_load_explicit(&histogram->carries[at], memory_order_acquire);
        if (entry == 0 || (entry >> CARRY_COUNT_BITS) == (uint64_t)slot + 1) {
            return at;
        }
        at = at + 1 == count ? 0 : at + 1;
    }
    return count;
}

/* Set one slot to counter + carry x 65,536, its carry being raised by `carry`. False: no room,
 * nothing changed. Stores are releases, so that a reader that sees either of them finds carry_seq
 * changed (its second load of carry_seq comes after its acquire load of the place). */
static bool store_with_carry(tg_histogram *histogram, uint32_t slot, uint16_t counter,
                             uint64_t carry)
{
    const uint32_t at = find_carry(histogram, slot);
    if (at == histogram->carry_count) {
        return false;
    }
    const uint64_t entry = atomic_load_explicit(&histogram->carries[at], memory_order_relaxed);
    const uint64_t held = entry & CARRY_COUNT_MASK;
    if (carry > CARRY_COUNT_MASK - held) {
        return false;
    }
    bump(&histogram->carry_seq, 1);
    atomic_store_explicit(&histogram->carries[at],
                          (((uint64_t)slot + 1) << CARRY_COUNT_BITS) | (held + carry),
                          memory_order_release);
    atomic_store_explicit(&histogram->counters[slot], counter, memory_order_release);
    bump(&histogram->carry_seq, 1);
    return true;
}

RARE static void record_full_counter(tg_histogram *histogram, uint32_t slot)
{
    if (!store_with_carry(histogram, slot, 0, 1)) {
        bump(&histogram->saturated, 1);
    }
}

/* Let minimum and maximum take in a value of the range. */
static void widen(tg_histogram *histogram, int64_t low, int64_t high)
{
    const int64_t min = atomic_load_explicit(&histogram->min, memory_order_relaxed);
    const int64_t max = atomic_load_explicit(&histogram->max, memory_order_relaxed);
    const int64_t new_min = low < min ? low : min;
    const int64_t new_max = high > max ? high : max;
    atomic_store_explicit(&histogram->min, new_min, memory_order_relaxed);
    atomic_store_explicit(&histogram->max, new_max, memory_order_relaxed);
    histogram->seen_from = (uint64_t)new_min;
    histogram->seen_width = (uint64_t)new_max - (uint64_t)new_min + 1;
}

static inline void count_one(tg_histogram *histogram, uint64_t value)
{
    const uint32_t slot = slot_of(histogram, value);
    const uint16_t held = atomic_load_explicit(&histogram->counters[slot], memory_order_relaxed);
    if (held == COUNTER_FULL) {
        record_full_counter(histogram, slot);
        return;
    }
    /* Pairs with the acquire load in tg__histogram_slot_get. */
    atomic_store_explicit(&histogram->counters[slot], (uint16_t)(held + 1), memory_order_release);
}

/* Out of line, as record_full_counter is, so that the usual way saves no register. */
RARE static void record_first_of_kind(tg_histogram *histogram, int64_t value)
{
    if ((uint64_t)value > histogram->highest) { /* a negative one is the larger still */
        bump(value < 0 ? &histogram->negative : &histogram->over, 1);
        return;
    }
    widen(histogram, value, value);
    count_one(histogram, (uint64_t)value);
}

void tg_histogram_record(tg_histogram *histogram, int64_t value)
{
    /* One comparison for all of negative, too large, new minimum and new maximum. */
    if ((uint64_t)value - histogram->seen_from >= histogram->seen_width) {
        record_first_of_kind(histogram, value);
        return;
    }
    count_one(histogram, (uint64_t)value);
}

void tg__histogram_record_words(tg_histogram *histogram, const uint64_t *values, size_t count,
                                uint64_t min, uint64_t max)
{
    widen(histogram, (int64_t)min, (int64_t)max);
    /* Neighbours are often alike, as prices and sequence numbers are: a counter that is raised
     * again and again would make each wait for the one before, and that a value belongs to the
     * counter of the one before is seen sooner than to which it belongs. */
    for (size_t begin = 0; begin < count;) {
        const uint32_t slot = slot_of(histogram, values[begin]);
        const uint64_t lowest = (uint64_t)tg__histogram_slot_lowest(histogram, slot);
        const uint64_t width = slot_width(histogram, slot);
        size_t end = begin + 1;
        while (end < count && values[end] - lowest < width) {
            end++;
        }
        tg__histogram_slot_add(histogram, slot, end - begin);
        begin = end;
    }
}

void tg_histogram_record_corrected(tg_histogram *histogram, int64_t value,
                                   int64_t expected_interval)
{
    tg_histogram_record(histogram, value);
    if (expected_interval <= 0 || value <= expected_interval) {
        return;
    }
    for (int64_t missed = value - expected_interval; missed >= expected_interval;
         missed -= expected_interval) {
        tg_histogram_record(histogram, missed);
    }
}

tg__histogram_shape tg__histogram_shape_get(const tg_histogram *histogram)
{
    const tg__histogram_shape shape = {histogram->lowest, (int64_t)histogram->highest,
                                       histogram->significant_digits};
    return shape;
}

uint32_t tg__histogram_slot_count(const tg_histogram *histogram)
{
    return histogram->slot_count;
}

uint32_t tg__histogram_slot_of(const tg_histogram *histogram, int64_t value)
{
    return slot_of(histogram, (uint64_t)value);
}

uint64_t tg__histogram_slot_get(const tg_histogram *histogram, uint32_t slot)
{
    for (;;) {
        /* Acquire pairs with the releases in store_with_carry: an even number seen here means that
         * the carry that made it is seen whole. */
        const uint64_t seq = atomic_load_explicit(&histogram->carry_seq, memory_order_acquire);
        const uint64_t low = atomic_load_explicit(&histogram->counters[slot], memory_order_acquire);
        const uint32_t at = seq == 0 ? histogram->carry_count : find_carry(histogram, slot);
        const uint64_t carry =
            at == histogram->carry_count
                ? 0
                : atomic_load_explicit(&histogram->carries[at], memory_order_acquire) &
                      CARRY_COUNT_MASK;
        const uint64_t seq_after =
            atomic_load_explicit(&histogram->carry_seq, memory_order_acquire);
        if (seq == seq_after && seq % 2 == 0) {
            return carry * COUNTER_CARRY_VALUE + low;
        }
    }
}

uint32_t tg__histogram_slot_next(const tg_histogram *histogram, uint32_t from)
{
    uint32_t slot = from;
    while (slot < histogram->slot_count) {
        /* Nearly all are 0, and nearly no histogram has a carry: both loads say so without a call.
         * Who sees the 0 that a carry left behind sees carry_seq changed. */
        if (atomic_load_explicit(&histogram->counters[slot], memory_order_acquire) != 0 ||
            (atomic_load_explicit(&histogram->carry_seq, memory_order_acquire) != 0 &&
             tg__histogram_slot_get(histogram, slot) != 0)) {
            break;
        }
        slot++;
    }
    return slot;
}

int64_t tg__histogram_slot_lowest(const tg_histogram *histogram, uint32_t slot)
{
    const uint32_t half = UINT32_C(1) << histogram->half_bits;
    if (slot < 2 * half) {
        return (int64_t)((uint64_t)slot << histogram->unit_bits);
    }
    const uint32_t bucket = (slot >> histogram->half_bits) - 1;
    const uint64_t sub_bucket = slot - ((uint64_t)bucket << histogram->half_bits);
    return (int64_t)(sub_bucket << (bucket + (uint32_t)histogram->unit_bits));
}

int64_t tg__histogram_slot_highest(const tg_histogram *histogram, uint32_t slot)
{
    return tg__histogram_slot_lowest(histogram, slot) + (int64_t)(slot_width(histogram, slot) - 1);
}

void tg__histogram_slot_add(tg_histogram *histogram, uint32_t slot, uint64_t count)
{
    const uint64_t held = atomic_load_explicit(&histogram->counters[slot], memory_order_relaxed);
    const uint64_t room = COUNTER_FULL - held;
    if (count <= room) {
        atomic_store_explicit(&histogram->counters[slot], (uint16_t)(held + count),
                              memory_order_release);
        return;
    }
    const uint64_t carry = count / COUNTER_CARRY_VALUE;
    const uint64_t low = held + count % COUNTER_CARRY_VALUE;
    if (!store_with_carry(histogram, slot, (uint16_t)(low % COUNTER_CARRY_VALUE),
                          carry + low / COUNTER_CARRY_VALUE)) {
        atomic_store_explicit(&histogram->counters[slot], COUNTER_FULL, memory_order_release);
        bump(&histogram->saturated, count - room);
    }
}

void tg__histogram_outer_add(tg_histogram *histogram, const tg_histogram_summary *from)
{
    bump(&histogram->negative, from->negative);
    bump(&histogram->over, from->over);
    bump(&histogram->saturated, from->saturated);
    if (from->count == 0) {
        return;
    }
    widen(histogram, from->min, from->max);
}

void tg_histogram_summary_get(const tg_histogram *histogram, tg_histogram_summary *out)
{
    memset(out, 0, sizeof *out);
    double weighted = 0;
    for (uint32_t slot = tg__histogram_slot_next(histogram, 0); slot < histogram->slot_count;
         slot = tg__histogram_slot_next(histogram, slot + 1)) {
        const uint64_t count = tg__histogram_slot_get(histogram, slot);
        const double middle = ((double)tg__histogram_slot_lowest(histogram, slot) +
                               (double)tg__histogram_slot_highest(histogram, slot)) /
                              2;
        weighted += (double)count * middle;
        out->count += count;
    }
    out->negative = atomic_load_explicit(&histogram->negative, memory_order_acquire);
    out->over = atomic_load_explicit(&histogram->over, memory_order_acquire);
    out->saturated = atomic_load_explicit(&histogram->saturated, memory_order_acquire);
    if (out->count != 0) {
        /* After the counts: see bump. */
        out->min = atomic_load_explicit(&histogram->min, memory_order_relaxed);
        out->max = atomic_load_explicit(&histogram->max, memory_order_relaxed);
        out->mean = weighted / (double)out->count;
        out->mean = out->mean < (double)out->min ? (double)out->min : out->mean;
        out->mean = out->mean > (double)out->max ? (double)out->max : out->mean;
    }
}

int64_t tg_histogram_percentile(const tg_histogram *histogram, double percentile)
{
    uint64_t total = 0;
    for (uint32_t slot = tg__histogram_slot_next(histogram, 0); slot < histogram->slot_count;
         slot = tg__histogram_slot_next(histogram, slot + 1)) {
        total += tg__histogram_slot_get(histogram, slot);
    }
    if (total == 0) {
        return 0;
    }
    const double share = percentile > 0 ? (percentile < 100 ? percentile : 100) : 0;
    /* A hair less, so that 99.9 % of 1,000, which is a hair over 999 in binary, asks for 999. */
    const double wanted_exact = share * (1 - DBL_EPSILON) * (double)total / 100;
    uint64_t wanted = (uint64_t)wanted_exact;
    if ((double)wanted < wanted_exact || wanted == 0) {
        wanted++;
    }
    uint64_t seen = 0;
    int64_t result = 0;
    for (uint32_t slot = tg__histogram_slot_next(histogram, 0);
         slot < histogram->slot_count && seen < wanted;
         slot = tg__histogram_slot_next(histogram, slot + 1)) {
        seen += tg__histogram_slot_get(histogram, slot);
        result = tg__histogram_slot_highest(histogram, slot);
    }
    /* After the counts: see bump. */
    const int64_t max = atomic_load_explicit(&histogram->max, memory_order_relaxed);
    const int64_t min = atomic_load_explicit(&histogram->min, memory_order_relaxed);
    if (share <= 0) {
        return min;
    }
    return result > max ? max : result;
}

uint64_t tg_histogram_count_between(const tg_histogram *histogram, int64_t from, int64_t to)
{
    uint64_t count = 0;
    if (to < 0 || from > to || from > (int64_t)histogram->highest) {
        return 0;
    }
    const int64_t last = to < (int64_t)histogram->highest ? to : (int64_t)histogram->highest;
    const uint32_t end = slot_of(histogram, (uint64_t)last);
    for (uint32_t slot = slot_of(histogram, (uint64_t)(from > 0 ? from : 0)); slot <= end; slot++) {
        if (tg__histogram_slot_lowest(histogram, slot) >= from) {
            count += tg__histogram_slot_get(histogram, slot);
        }
    }
    return count;
}

tg_err tg_histogram_add(tg_histogram *into, const tg_histogram *from)
{
    TG_ENSURE(into != NULL && from != NULL && into != from, TG_ERR_INVALID_ARGUMENT);
    TG_ENSURE(into->lowest == from->lowest && into->highest == from->highest &&
                  into->significant_digits == from->significant_digits,
              TG_ERR_HISTOGRAM_RANGE);
    tg_histogram_summary outer;
    memset(&outer, 0, sizeof outer);
    for (uint32_t slot = tg__histogram_slot_next(from, 0); slot < from->slot_count;
         slot = tg__histogram_slot_next(from, slot + 1)) {
        const uint64_t count = tg__histogram_slot_get(from, slot);
        tg__histogram_slot_add(into, slot, count);
        outer.count += count;
    }
    outer.negative = atomic_load_explicit(&from->negative, memory_order_acquire);
    outer.over = atomic_load_explicit(&from->over, memory_order_acquire);
    outer.saturated = atomic_load_explicit(&from->saturated, memory_order_acquire);
    outer.min = atomic_load_explicit(&from->min, memory_order_relaxed);
    outer.max = atomic_load_explicit(&from->max, memory_order_relaxed);
    tg__histogram_outer_add(into, &outer);
    return TG_OK;
}

void tg_histogram_reset(tg_histogram *histogram)
{
    const uint64_t seq = atomic_load_explicit(&histogram->carry_seq, memory_order_relaxed);
    const bool carried = seq != 0;
    if (carried) {
        bump(&histogram->carry_seq, 1);
        for (uint32_t i = 0; i < histogram->carry_count; i++) {
            atomic_store_explicit(&histogram->carries[i], 0, memory_order_release);
        }
    }
    for (uint32_t slot = 0; slot < histogram->slot_count; slot++) {
        atomic_store_explicit(&histogram->counters[slot], 0, memory_order_release);
    }
    if (carried) {
        bump(&histogram->carry_seq, 1);
    }
    atomic_store_explicit(&histogram->negative, 0, memory_order_release);
    atomic_store_explicit(&histogram->over, 0, memory_order_release);
    atomic_store_explicit(&histogram->saturated, 0, memory_order_release);
    histogram->seen_from = 0;
    histogram->seen_width = 0;
    atomic_store_explicit(&histogram->min, INT64_MAX, memory_order_release);
    atomic_store_explicit(&histogram->max, -1, memory_order_release);
}
