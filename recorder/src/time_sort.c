#include "time_sort.h"

#include <stdbool.h>
#include <string.h>

#define FEW               48u   /* below it, counters cost more than they spare */
#define MANY              4096u /* from it on, a pass over the items costs more than many counters */
#define DIGIT_BITS_MAX    11u
#define DIGIT_BITS_OF_FEW 8u

static uint64_t key_of(const tg__timed *item, int64_t first_ns)
{
    return (uint64_t)item->order_ns - (uint64_t)first_ns;
}

static void insert_each(tg__timed *items, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const tg__timed item = items[i];
        size_t at = i;
        for (; at > 0 && items[at - 1].order_ns > item.order_ns; at--) {
            items[at] = items[at - 1];
        }
        items[at] = item;
    }
}

/* By one digit of the key, from lowest to highest: each pass keeps the order of the one before. */
static void pass(const tg__timed *from, tg__timed *to, size_t count, int64_t first_ns,
                 unsigned shift, unsigned digit_bits)
{
    size_t next[1u << DIGIT_BITS_MAX];
    const size_t digits = (size_t)1 << digit_bits;
    memset(next, 0, digits * sizeof next[0]);
    for (size_t i = 0; i < count; i++) {
        next[(key_of(&from[i], first_ns) >> shift) & (digits - 1)]++;
    }
    size_t sum = 0;
    for (size_t digit = 0; digit < digits; digit++) {
        const size_t own = next[digit];
        next[digit] = sum;
        sum += own;
    }
    for (size_t i = 0; i < count; i++) {
        to[next[(key_of(&from[i], first_ns) >> shift) & (digits - 1)]++] = from[i];
    }
}

/* As few passes as there can be, and digits no wider than these need. */
static unsigned digit_bits_of(unsigned key_bits, size_t count)
{
    const unsigned most = count < MANY ? DIGIT_BITS_OF_FEW : DIGIT_BITS_MAX;
    const unsigned passes = (key_bits + most - 1) / most;
    return (key_bits + passes - 1) / passes;
}

tg__timed *tg__time_sort(tg__timed *items, tg__timed *spare, size_t count)
{
    if (count == 0) {
        return items;
    }
    int64_t first_ns = items[0].order_ns;
    int64_t last_ns = items[0].order_ns;
    bool is_sorted = true;
    for (size_t i = 1; i < count; i++) {
        const int64_t ns = items[i].order_ns;
        is_sorted = is_sorted && items[i - 1].order_ns <= ns;
        first_ns = ns < first_ns ? ns : first_ns;
        last_ns = ns > last_ns ? ns : last_ns;
    }
    if (is_sorted) {
        return items;
    }
    if (count < FEW) {
        insert_each(items, count);
        return items;
    }
    /* Not 0, or they were sorted. */
    const unsigned key_bits =
        64u - (unsigned)__builtin_clzll((uint64_t)last_ns - (uint64_t)first_ns);
    const unsigned digit_bits = digit_bits_of(key_bits, count);
    for (unsigned shift = 0; shift < key_bits; shift += digit_bits) {
        pass(items, spare, count, first_ns, shift, digit_bits);
        tg__timed *sorted = spare;
        spare = items;
        items = sorted;
    }
    return items;
}
